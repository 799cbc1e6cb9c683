//! The order of axes: which of two names comes first in a set.
//!
//! A name is compared by a code of six digits in base 64: its first two letters, then four digits of a hash. The code
//! is part of the type, so rustc compares names without ever seeing a string, and long shared prefixes cost nothing.
//! Stars are counted last, so that starred axes sort as the axes do.
//! Lives here: digits, stars, their comparison. Not here: sets (`list`, `set`), how a code is made (`axes!`).

use std::marker::PhantomData;

use super::list::{Cons, List};
use crate::axis::Axis;

/// The outcome of a comparison. Each outcome chooses how two sorted lists go on, so that rustc evaluates only the
/// branch taken; a choice between two evaluated branches would be exponential.
///
/// The digits are types of the axis itself: a struct that held them would have six bounds, and rustc would prove all
/// six wherever it reads one.
pub trait Order {
    /// This outcome, or when it is [`Equal`] that of the digits of X and Y from the second on.
    type Second<X: Axis, Y: Axis>: Order;
    /// This outcome, or when it is [`Equal`] that of the digits of X and Y from the third on.
    type Third<X: Axis, Y: Axis>: Order;
    /// This outcome, or when it is [`Equal`] that of the digits of X and Y from the fourth on.
    type Fourth<X: Axis, Y: Axis>: Order;
    /// This outcome, or when it is [`Equal`] that of the digits of X and Y from the fifth on.
    type Fifth<X: Axis, Y: Axis>: Order;
    /// This outcome, or when it is [`Equal`] that of the last digits of X and Y and then of their stars.
    type Sixth<X: Axis, Y: Axis>: Order;
    /// This outcome, or when it is [`Equal`] that of the stars of X and Y.
    type Stars<X: Axis, Y: Axis>: Order;
    /// `Cons<H1, T1> ∪ Cons<H2, T2>`, where this is the order of H1 and H2.
    type Union<H1: Axis, T1: List, H2: Axis, T2: List>: List;
    /// `Cons<H1, T1> ∖ Cons<H2, T2>`
    type Minus<H1: Axis, T1: List, H2: Axis, T2: List>: List;
    /// `Cons<H1, T1> ∩ Cons<H2, T2>`
    type Inter<H1: Axis, T1: List, H2: Axis, T2: List>: List;
}

impl Order for Less {
    type Second<X: Axis, Y: Axis> = Less;
    type Third<X: Axis, Y: Axis> = Less;
    type Fourth<X: Axis, Y: Axis> = Less;
    type Fifth<X: Axis, Y: Axis> = Less;
    type Sixth<X: Axis, Y: Axis> = Less;
    type Stars<X: Axis, Y: Axis> = Less;
    type Union<H1: Axis, T1: List, H2: Axis, T2: List> = Cons<H1, T1::UnionWith<H2, T2>>;
    type Minus<H1: Axis, T1: List, H2: Axis, T2: List> = Cons<H1, T1::MinusWith<H2, T2>>;
    type Inter<H1: Axis, T1: List, H2: Axis, T2: List> = T1::InterWith<H2, T2>;
}

impl Order for Equal {
    type Second<X: Axis, Y: Axis> = <<X::B as Digit>::Against<Y::B> as Order>::Third<X, Y>;
    type Third<X: Axis, Y: Axis> = <<X::C as Digit>::Against<Y::C> as Order>::Fourth<X, Y>;
    type Fourth<X: Axis, Y: Axis> = <<X::D as Digit>::Against<Y::D> as Order>::Fifth<X, Y>;
    type Fifth<X: Axis, Y: Axis> = <<X::E as Digit>::Against<Y::E> as Order>::Sixth<X, Y>;
    type Sixth<X: Axis, Y: Axis> = <<X::F as Digit>::Against<Y::F> as Order>::Stars<X, Y>;
    type Stars<X: Axis, Y: Axis> = <X::Stars as Stars>::Against<Y::Stars>;
    type Union<H1: Axis, T1: List, H2: Axis, T2: List> = Cons<H1, T1::Union<T2>>;
    type Minus<H1: Axis, T1: List, H2: Axis, T2: List> = T1::Minus<T2>;
    type Inter<H1: Axis, T1: List, H2: Axis, T2: List> = Cons<H1, T1::Inter<T2>>;
}

impl Order for Greater {
    type Second<X: Axis, Y: Axis> = Greater;
    type Third<X: Axis, Y: Axis> = Greater;
    type Fourth<X: Axis, Y: Axis> = Greater;
    type Fifth<X: Axis, Y: Axis> = Greater;
    type Sixth<X: Axis, Y: Axis> = Greater;
    type Stars<X: Axis, Y: Axis> = Greater;
    type Union<H1: Axis, T1: List, H2: Axis, T2: List> = Cons<H2, T2::UnionWith<H1, T1>>;
    type Minus<H1: Axis, T1: List, H2: Axis, T2: List> = T2::MinusFrom<H1, T1>;
    type Inter<H1: Axis, T1: List, H2: Axis, T2: List> = T2::InterWith<H1, T1>;
}

/// The first comes first.
#[derive(Debug)]
pub struct Less;
/// Both are one axis.
#[derive(Debug)]
pub struct Equal;
/// The second comes first.
#[derive(Debug)]
pub struct Greater;

macro_rules! digit_trait {
    ($($v:ident)*) => {
        /// A digit in base 64.
        pub trait Digit {
            /// The order of this digit and another.
            type Against<D: Digit>: Order;
            $(
                #[doc = concat!("The order of the digit ", stringify!($v), " and this one.")]
                type $v: Order;
            )*
        }
    };
}

digit_trait!(V0 V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13 V14 V15 V16 V17 V18 V19 V20 V21 V22 V23 V24 V25 V26 V27 V28 V29 V30 V31 V32 V33 V34 V35 V36 V37 V38 V39 V40 V41 V42 V43 V44 V45 V46 V47 V48 V49 V50 V51 V52 V53 V54 V55 V56 V57 V58 V59 V60 V61 V62 V63);

macro_rules! digits {
    ([$($below:ident $vb:ident)*] [$digit:ident $v:ident $($above:ident $va:ident)*]) => {
        #[doc = concat!("The digit ", stringify!($digit), ".")]
        #[derive(Debug)]
        pub struct $digit;
        impl Digit for $digit {
            type Against<D: Digit> = D::$v;
            $(type $vb = Less;)*
            type $v = Equal;
            $(type $va = Greater;)*
        }
        digits!([$($below $vb)* $digit $v] [$($above $va)*]);
    };
    ([$($below:ident $vb:ident)*] []) => {};
}

/// The 64 digits.
pub mod d {
    use super::{Digit, Equal, Greater, Less};
    digits!([] [D0 V0 D1 V1 D2 V2 D3 V3 D4 V4 D5 V5 D6 V6 D7 V7 D8 V8 D9 V9 D10 V10 D11 V11 D12 V12 D13 V13 D14 V14 D15 V15 D16 V16 D17 V17 D18 V18 D19 V19 D20 V20 D21 V21 D22 V22 D23 V23 D24 V24 D25 V25 D26 V26 D27 V27 D28 V28 D29 V29 D30 V30 D31 V31 D32 V32 D33 V33 D34 V34 D35 V35 D36 V36 D37 V37 D38 V38 D39 V39 D40 V40 D41 V41 D42 V42 D43 V43 D44 V44 D45 V45 D46 V46 D47 V47 D48 V48 D49 V49 D50 V50 D51 V51 D52 V52 D53 V53 D54 V54 D55 V55 D56 V56 D57 V57 D58 V58 D59 V59 D60 V60 D61 V61 D62 V62 D63 V63]);
}

/// A number of stars.
pub trait Stars {
    /// The order of this number and another.
    type Against<N: Stars>: Order;
    /// The order of none and this number.
    type FromNone: Order;
    /// The order of one more than M and this number.
    type FromOneMore<M: Stars>: Order;
}

/// No star.
#[derive(Debug)]
pub struct NoStar;

/// One star more than N.
#[derive(Debug)]
pub struct OneMore<N>(PhantomData<N>);

impl Stars for NoStar {
    type Against<N: Stars> = N::FromNone;
    type FromNone = Equal;
    type FromOneMore<M: Stars> = Greater;
}

impl<N: Stars> Stars for OneMore<N> {
    type Against<M: Stars> = M::FromOneMore<N>;
    type FromNone = Less;
    type FromOneMore<M: Stars> = M::Against<N>;
}

/// The order of two axes.
pub type Compare<X, Y> = <<<X as Axis>::A as Digit>::Against<<Y as Axis>::A> as Order>::Second<X, Y>;

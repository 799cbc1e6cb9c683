//! What the macros write means the same wherever it stands: without a prelude, among names and methods of the program's own.
//!
//! Most of it need only compile. Also here: attributes, which hold for whatever is written beside the item they stand before.
//! Not here: names within one equation, which are the macros' own tests.

use named_tensor::element::Real;
use named_tensor::params::init;
use named_tensor::{
    Tensor, axes, lift, named, parameters,
    prelude::{Of, Parameters, seeded},
};

axes! { chans, out, seq, r#type }

/// Every form of what is emitted, in a module that begins with these items.
macro_rules! equations {
    ($module:ident: $($before:item)*) => {
        #[allow(dead_code, unused_macros, unreachable_pub, non_upper_case_globals, reason = "it is there to be in the way")]
        mod $module {
            #![no_implicit_prelude]
            $($before)*

            use super::{Real, chans, lift, named, out, parameters, seq};

            named! {
                pub fn Linear(X: R[chans]; W: R[chans, out], b: R[out]?) -> R[out] { X dot_chans W + b }
                pub fn Back(X: R[out]; W: R[out, chans] ~ normal(0, 1/sqrt(|out|)), γ: R[chans] = 1) -> R[chans] {
                    X dot_out W * γ
                }
                pub fn Net(X: R[chans]; up: Linear, down: Back, last: Same?) -> R[chans] { last(down(up(X))) }
                pub fn Same(X: R[chans]; s: R[chans] = 1) -> R[chans] { standardize_{chans}(X) * s }
                pub fn standardize_{ax}(X: R[ax]) -> R[ax] { (X - mean_ax(X)) / sqrt(var_ax(X) + 1e-5) }
                pub fn Heads(X: R[chans], W: R[out, seq]) -> R[out, seq] where |out| * |seq| = |chans| {
                    X_{chans -> (out: |chans| / |seq|, seq)} * W
                }
                pub fn Causal(X: R[chans]) -> R[chans, out] {
                    M_{chans(i), out(j: |chans|)} = if i <= j { 0 } else { -inf };
                    M
                }
            }

            parameters! { pub struct Pair<T> { left: Net<T>, right: ::std::vec::Vec<Linear<T>> } }
            parameters! { pub struct Both<T> { pub left: Net<T>, pub right: Net<T> } }

            #[lift]
            pub fn halved<T: Real>(
                all: &super::Tensor<super::chans, T>,
                _times: ::core::primitive::usize,
            ) -> super::Tensor<super::chans, T> {
                all * T::from_f64(0.5)
            }
        }
    };
}

equations! { without_a_prelude: }

equations! { among_names_of_its_own:
    pub struct Vec;
    pub struct Result;
    pub struct Option;
    pub struct Ok;
    pub struct Some;
    pub struct Err;
    pub struct None;
    pub struct FnMut;
    pub struct Clone;
    pub struct Debug;
    pub struct Axis;
    pub struct Shape;
    pub struct String;
    pub struct Parameters;
    pub mod core {}
    pub mod std {}
    pub mod f32 {}
    pub mod f64 {}
    pub mod usize {}
    pub mod str {}
    pub const result: i32 = 0;
    pub const lift: i32 = 0;
    pub const init: i32 = 0;
    pub const error: i32 = 0;
    pub const whole: i32 = 0;
    pub const function: i32 = 0;
    pub const path: i32 = 0;
    pub const visitor: i32 = 0;
    pub const x: i32 = 0;
    macro_rules! stringify { () => {}; }
    macro_rules! concat { () => {}; }
    macro_rules! vec { () => {}; }
    macro_rules! assert { () => {}; }
    macro_rules! panic { () => {}; }
}

macro_rules! methods {
    ($($name:ident)*) => {
        /// Methods that are found before ours, which borrow, because these are given the value itself.
        #[allow(dead_code, clippy::wrong_self_convention, reason = "they are there to be in the way")]
        mod methods {
            pub(super) trait Methods: Sized {
                $(fn $name(self, _other: u8) {})*
            }
            impl<X> Methods for X {}
        }
    };
}
methods! {
    apply as_ref borrow cast checked clone debug_struct dot enter eval exit field finish fmt init init_from into map name nested
    size stand_for sum tensor visit visit_mut
}

equations! { among_methods_of_its_own:
    #[allow(unused_imports, reason = "it is there to be in the way")]
    use super::methods::Methods;
}

#[test]
fn equations_mean_the_same_without_a_prelude_and_among_names_and_methods_of_the_program() {
    let sizes = (chans.of(4), out.of(3));
    let x: Tensor<chans> = Tensor::normal(&mut seeded(1), chans.of(4), 0.0, 1.0);
    let y = without_a_prelude::Net::init(&mut seeded(0), sizes).expect("sizes fit").apply(&x);
    let among: among_methods_of_its_own::Both = init(&mut seeded(0), sizes).expect("sizes fit");
    assert_eq!(among.left.apply(&x).to_vec(chans).expect("numbers"), y.to_vec(chans).expect("numbers"));
    let names: among_names_of_its_own::Both = init(&mut seeded(0), sizes).expect("sizes fit");
    assert_eq!(format!("{names:?}"), format!("{among:?}"));
}

named! {
    /// What is configured away leaves nothing behind, and may speak of what is not there.
    #[cfg(any())]
    fn Away(X: R[chans]; W: R[chans, nowhere]) -> R[nowhere] { X dot_chans W }
    #[cfg(any())]
    fn AwayToo(X: R[nowhere]) -> R[nowhere] { X }

    #[deprecated]
    fn Old(X: R[chans]; w: R[chans] = 2) -> R[chans] { X * w }
    #[deprecated]
    fn Older(X: R[chans]; old: Old) -> R[chans] { old(X) }
    #[allow(deprecated, reason = "it is still there")]
    fn Kept(X: R[chans]; old: Old?) -> R[chans] { old(X) }
}

mod configured {
    named_tensor::axes! {
        #[cfg(any())]
        away,
        #[deprecated]
        old,
        kept,
    }
}

#[allow(dead_code, reason = "that these names are free is what is tested")]
struct Away;
#[allow(dead_code, reason = "that these names are free is what is tested")]
struct AwayToo;

#[test]
fn an_attribute_holds_for_everything_that_is_made_of_its_item() {
    let x = Tensor::new(chans, [1.0, 2.0]);
    let kept = Kept::init(&mut seeded(0), chans.of(2)).expect("a size");
    assert_eq!(kept.apply(&x).to_vec(chans).expect("numbers"), [2.0, 4.0]);
    assert_eq!(Tensor::new(configured::kept, [1.0]).to_string(), "kept[1]");
}

named! {
    fn r#move(r#in: R[chans, r#type]; r#ref: R[chans] = 1, r#box: Part) -> R[r#type] { r#box(r#in dot_chans r#ref) }
    fn Part(x: R[r#type]; w: R[r#type] = 1) -> R[r#type] { x * w / sum_type(x) + (x dot_type w) }
    fn Spread(x: R[r#type, chans]) -> R[r#type, chans] { x_{r#type -> chans, chans -> r#type} }
}
parameters! { struct Parts<T> { r#as: r#move<T>, r#dyn: Part<T> } }

#[test]
fn a_word_of_rust_is_a_name_like_others() {
    let parts: Parts = init(&mut seeded(0), (chans.of(2), r#type.of(3))).expect("sizes fit");
    let names: Vec<String> = parts.parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["as.ref", "as.box.w", "dyn.w"]);
    assert!(r#move::LATEX.contains(r"\operatorname{move}") && !r#move::LATEX.contains('#'), "{}", r#move::LATEX);
    assert!(r#move::UNICODE.contains("move(in; ref, box) = box(in ⊙_chans ref)"), "{}", r#move::UNICODE);
    let x: Tensor<named_tensor::R![chans, r#type]> = Tensor::ones((chans.of(3), r#type.of(3)));
    let error = parts.r#as.apply(&x).checked().expect_err("3 is not 2");
    assert_eq!(error.equation(), Some("move"));
    let spread = Spread(&x).equations().to_string();
    assert!(spread.contains("_{") && spread.contains("r#type -> chans"), "{spread}");
}

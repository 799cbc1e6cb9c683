//! Starred axes: `star(seq)`, printed seq*, along which the variable of a derivative lies.
//!
//! The derivative of a tensor by X has the axes of X starred, so that they meet no others (paper, section "Differential
//! calculus"). A starred axis sorts as its axis does, after it if both are in one set; a second star prints as seq†.
//! Lives here: the type, the value, its name. Not here: derivatives (`tensor::calculus`).

use std::marker::PhantomData;

use super::order::OneMore;
use crate::axis::Axis;

/// The starred axis `star(seq)` as a type; in sets it is written as the value is, `R![seq, star(seq)]`.
#[allow(non_camel_case_types, reason = "an axis keeps the name it has on paper")]
#[derive(Clone, Copy, Debug, Default)]
pub struct star<A> {
    axis: PhantomData<A>,
}

/// The axis `axis` with a star, to select it: `x.rename(seq, star(seq))`.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { seq }
/// let x: Tensor<R![star(seq)]> = Tensor::new(seq, [1.0, 2.0]).rename(seq, star(seq));
/// assert_eq!(x.size(star(seq)), 2);
/// assert_eq!(x.shape().to_string(), "[seq*: 2]");
/// ```
#[must_use]
pub fn star<A: Axis>(axis: impl Fn() -> A) -> fn() -> star<A> {
    let _ = axis;
    || star { axis: PhantomData }
}

impl<A: Axis> star<A> {
    /// The bytes of the axis's name and a star, behind them zeros.
    const BYTES: [u8; 64] = {
        let name = A::NAME.as_bytes();
        assert!(name.len() < 64, "the name of a starred axis has at most 63 bytes");
        let mut bytes = [0; 64];
        let mut i = 0;
        while i < name.len() {
            bytes[i] = name[i];
            i += 1;
        }
        bytes[i] = b'*';
        bytes
    };
}

impl<A: Axis> Axis for star<A> {
    const NAME: &'static str = match std::str::from_utf8(Self::BYTES.split_at(A::NAME.len() + 1).0) {
        Ok(name) => name,
        Err(_) => panic!("a name and a star are text"),
    };
    type A = A::A;
    type B = A::B;
    type C = A::C;
    type D = A::D;
    type E = A::E;
    type F = A::F;
    type Stars = OneMore<A::Stars>;
}

/// The order of axes with and without stars, tested where it matters: sets stay sorted.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::Axes;

    named_tensor_macros::axes! { key, seq }

    #[test]
    fn a_star_is_a_part_of_the_name() {
        assert_eq!(<star<key> as Axis>::NAME, "key*");
        assert_eq!(<star<star<key>> as Axis>::NAME, "key**");
    }

    #[test]
    fn a_set_with_stars_is_sorted_and_each_axis_stands_once() {
        type Both = <(key, seq) as Axes>::Union<<(key, seq) as Axes>::Star>;
        let names: Vec<&str> = Both::names().iter().map(|name| name.text()).collect();
        assert_eq!(names, ["key", "key*", "seq", "seq*"]);
        type Again = <Both as Axes>::Union<<seq as Axes>::Star>;
        assert_eq!(Again::names(), Both::names());
        type Rest = <Both as Axes>::Minus<(key, star<seq>)>;
        let names: Vec<&str> = Rest::names().iter().map(|name| name.text()).collect();
        assert_eq!(names, ["key*", "seq"]);
    }
}

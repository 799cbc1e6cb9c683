//! What a plan weighs: of two numbers, which is the smaller one.
//!
//! A plan chooses by sizes: the cheaper product, the order of the largest operand. Lives here: the comparison, noted with
//! both numbers while a plan is made, so that it can be made again for other sizes without the plan (`growth`).
//! Not here: numbers that are asked to be equal, which follows from where they come from.

use std::cell::RefCell;
use std::mem::ManuallyDrop;

/// Pairs of numbers that were compared.
pub(super) type Weighed = Vec<[usize; 2]>;

/// So many of the last pairs are not noted again: layers that are alike weigh the same.
const LOOKED_AT: usize = 32;

thread_local! {
    /// Never dropped, so that what is evaluated while a thread ends is planned too. Once a plan is made it holds nothing.
    static WEIGHED: ManuallyDrop<RefCell<Weighed>> = const { ManuallyDrop::new(RefCell::new(Weighed::new())) };
}

/// Whether the first number is smaller.
pub(super) fn is_less(left: usize, right: usize) -> bool {
    WEIGHED.with(|weighed| {
        let mut weighed = weighed.borrow_mut();
        if !weighed.iter().rev().take(LOOKED_AT).any(|pair| *pair == [left, right]) {
            weighed.push([left, right]);
        }
    });
    left < right
}

/// The same of costs, which are not negative.
pub(super) fn is_cheaper(left: f64, right: f64) -> bool {
    // Their bits are in the order of the numbers. Where a word holds half of them, both halves are noted.
    for behind in (0..u64::BITS).step_by(usize::BITS as usize) {
        let [left, right] = [left, right].map(|cost| (cost.to_bits() >> behind) as usize);
        is_less(left, right);
    }
    left < right
}

/// All pairs noted since the last time.
pub(super) fn taken() -> Weighed {
    WEIGHED.with(|weighed| weighed.take())
}

/// Whether every comparison comes out the same.
pub(super) fn are_alike(left: &[[usize; 2]], right: &[[usize; 2]]) -> bool {
    let order = |pair: &[usize; 2]| pair[0].cmp(&pair[1]);
    left.iter().map(order).eq(right.iter().map(order))
}

//! The order of a handful.
//!
//! Axes are put into an order at many places, by many keys, and there are never many of them. The sort of the standard
//! library is made for long slices: each kind of key would bring ten kilobytes of it into the program, and its share of
//! the time that it takes to build.

/// Sorts by a key, where items of equal keys stay in their order. For a few items: the time grows with their square.
pub(crate) fn sort_few<X, K: Ord>(items: &mut [X], key: impl Fn(&X) -> K) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && key(&items[at]) < key(&items[at - 1]) {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::Random;

    #[test]
    fn a_handful_is_in_the_order_that_a_stable_sort_gives() {
        let mut random = Random::new(7);
        for size in 0..12 {
            for _ in 0..50 {
                let items: Vec<(i32, usize)> =
                    random.reals(size).into_iter().enumerate().map(|(i, x)| ((x * 3.0) as i32, i)).collect();
                let (mut few, mut expected) = (items.clone(), items);
                sort_few(&mut few, |&(key, _)| key);
                expected.sort_by_key(|&(key, _)| key);
                assert_eq!(few, expected);
            }
        }
    }
}

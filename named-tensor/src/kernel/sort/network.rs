//! Short lines in their order, some of them at once.
//!
//! Which two keys of a line are compared is known beforehand (Batcher's merge exchange, Knuth, The Art of Computer
//! Programming 3, algorithm 5.2.2M), so the same goes for all lines, and nothing is to be guessed. A line of `n` numbers takes
//! about  `n log² n / 4`  comparisons; those on which none of the wanted ones depends are left out.
//! Lives here: which are compared, and what is done with some lines. Not here: the order (`sort`).

use super::Ranked;
use crate::element::Stored;
use crate::kernel::lanes::vectorised;
use crate::kernel::lines::Lines;
use crate::kernel::turn::{Starts, turn};

/// Lines that are put in order together.
pub(super) const LINES: usize = 64;

/// Which two keys are compared, one after the other: the lower one comes to stand at the first place.
pub(super) struct Network {
    size: usize,
    wanted: usize,
    pairs: Vec<[u16; 2]>,
}

impl Network {
    /// The one for lines of `size` elements, less than 2¹⁶, of which the first `wanted` are to come in their order.
    pub(super) fn new(size: usize, wanted: usize) -> Network {
        let mut pairs = merge_exchange(size);
        let mut is_asked: Vec<bool> = (0..size).map(|place| place < wanted).collect();
        let mut is_of_use = |&[a, b]: &[u16; 2]| {
            let [a, b] = [usize::from(a), usize::from(b)];
            let is_of_use = is_asked[a] || is_asked[b];
            (is_asked[a], is_asked[b]) = (is_of_use, is_of_use);
            is_of_use
        };
        // From the last one on: what one needs those before it have to give.
        pairs.reverse();
        pairs.retain(|pair| is_of_use(pair));
        pairs.reverse();
        Network { size, wanted, pairs }
    }
}

/// All comparisons for lines of so many elements.
fn merge_exchange(size: usize) -> Vec<[u16; 2]> {
    let mut pairs = Vec::new();
    let powers = || std::iter::successors(Some(1), |power| Some(2 * power)).take_while(|&power| power < size);
    for sorted in powers() {
        let distances: Vec<usize> = powers().take_while(|&distance| distance <= sorted).collect();
        for distance in distances.into_iter().rev() {
            let first = distance % sorted;
            for start in (first..size.saturating_sub(distance)).step_by(2 * distance) {
                let places = start..(start + distance).min(size - distance);
                // Both belong to one pair of runs that are merged.
                let are_merged = |&a: &usize| a / (2 * sorted) == (a + distance) / (2 * sorted);
                pairs.extend(places.filter(are_merged).map(|a| [a as u16, (a + distance) as u16]));
            }
        }
    }
    pairs
}

/// Some lines, place by place, and what becomes of them.
pub(super) struct Together<T: Ranked, U> {
    numbers: Vec<[T; LINES]>,
    keys: Vec<[T::Key; LINES]>,
    results: Vec<[U; LINES]>,
    descending: bool,
}

impl<T: Ranked, U: Stored> Together<T, U> {
    /// Room for what the network puts in order.
    pub(super) fn new(network: &Network, descending: bool, result: impl Fn(usize, T) -> U) -> Together<T, U> {
        let [numbers, keys] = [T::NONE; 2].map(|none| [none; LINES]);
        let keys = keys.map(|x| x.key(0, descending));
        let results = vec![numbers.map(|x| result(0, x)); network.wanted];
        Together { numbers: vec![numbers; network.size], keys: vec![keys; network.size], results, descending }
    }

    /// Puts `count` lines in order, the first of which begins at `start`, and writes a result for each place and number.
    ///
    /// # Safety
    /// These lines are being visited.
    pub(super) unsafe fn sort(
        &mut self,
        network: &Network,
        lines: &Lines<'_, T, U>,
        start: [isize; 2],
        count: usize,
        result: impl Fn(usize, T) -> U,
    ) {
        self.read(lines, start[0], count);
        self.put_in_order(network);
        for (keys, results) in self.keys.iter().zip(&mut self.results) {
            for (line, (&key, to)) in keys.iter().zip(results).enumerate() {
                let place = T::place_in(key);
                *to = result(place, self.numbers[place][line]);
            }
        }
        // SAFETY: the contract of this function.
        unsafe { self.write(lines, start[1], count) };
    }

    /// Reads the lines, the first of which begins at `start`. What other lanes hold is put in order with them, and not written.
    fn read(&mut self, lines: &Lines<'_, T, U>, start: isize, count: usize) {
        let [step, _] = lines.steps();
        if lines.src_stride == 1 {
            let (from, size) = (Starts::Even(start as usize, step), self.numbers.len());
            return turn(lines.src, from, [count, size], self.numbers.as_flattened_mut(), LINES);
        }
        for (i, numbers) in self.numbers.iter_mut().enumerate() {
            let first = start + i as isize * lines.src_stride;
            if step == 1 {
                numbers[..count].copy_from_slice(lines.source(first, count));
            } else {
                let to = (0..).zip(&mut numbers[..count]);
                to.for_each(|(line, x)| *x = lines.source(first + line * step, 1)[0]);
            }
        }
    }

    /// Makes keys of the numbers, and puts them in order.
    fn put_in_order(&mut self, network: &Network) {
        let (numbers, keys, descending) = (&self.numbers[..], &mut self.keys[..], self.descending);
        vectorised(
            #[inline(always)]
            move || {
                for (place, (keys, numbers)) in keys.iter_mut().zip(numbers).enumerate() {
                    for (key, &x) in keys.iter_mut().zip(numbers) {
                        *key = x.key(place, descending);
                    }
                }
                for pair in &network.pairs {
                    let Ok([lower, higher]) = keys.get_disjoint_mut(pair.map(usize::from)) else { continue };
                    for (lower, higher) in lower.iter_mut().zip(higher) {
                        (*lower, *higher) = ((*lower).min(*higher), (*lower).max(*higher));
                    }
                }
            },
        );
    }

    /// Writes the results to lines the first of which begins at `start`.
    ///
    /// # Safety
    /// As [`Together::sort`].
    unsafe fn write(&self, lines: &Lines<'_, T, U>, start: isize, count: usize) {
        let ([_, step], wanted) = (lines.steps(), self.results.len());
        if lines.dst_stride == 1 && step == wanted as isize {
            // SAFETY: these are all elements of the lines, without gaps, and no other slice is alive.
            let to = unsafe { lines.target(start, count * wanted) };
            return turn(self.results.as_flattened(), Starts::Even(0, LINES as isize), [wanted, count], to, wanted);
        }
        for (i, results) in (0..).zip(&self.results) {
            let first = start + i * lines.dst_stride;
            if step == 1 {
                // SAFETY: these are the elements of the lines at one place, and no other slice is alive.
                unsafe { lines.target(first, count) }.copy_from_slice(&results[..count]);
                continue;
            }
            for (line, &x) in (0..).zip(&results[..count]) {
                // SAFETY: this is an element of one of the lines, and no other slice is alive.
                let to = unsafe { lines.target(first + line * step, 1) };
                to[0] = x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of keys that are ones and zeros.
    fn bits(pairs: &[[u16; 2]], mut bits: u32) -> u32 {
        for &[a, b] in pairs {
            if bits >> a & 1 > bits >> b & 1 {
                bits ^= 1 << a | 1 << b;
            }
        }
        bits
    }

    #[test]
    fn all_lines_of_ones_and_zeros_come_in_order() {
        // Then all lines do (Knuth, theorem 5.3.4Z).
        for size in 1..=14_usize {
            for wanted in 1..=size {
                let network = Network::new(size, wanted);
                for some in 0..1_u32 << size {
                    let (ones, first) = (some.count_ones(), (1_u32 << wanted) - 1);
                    let sorted = ((1_u32 << ones) - 1) << (size as u32 - ones);
                    assert_eq!(bits(&network.pairs, some) & first, sorted & first, "{wanted} of {size}, {some:b}");
                }
            }
        }
    }

    #[test]
    fn what_nothing_wanted_depends_on_is_not_compared() {
        let pairs = |size, wanted| Network::new(size, wanted).pairs.len();
        assert_eq!(
            [pairs(1, 1), pairs(2, 2), pairs(4, 4), pairs(7, 7), pairs(8, 8), pairs(32, 32)],
            [0, 1, 5, 16, 19, 191]
        );
        assert_eq!(
            [pairs(8, 1), pairs(32, 1)],
            [7, 31],
            "the least of all is found by a comparison for each of the others"
        );
        assert!(pairs(8, 2) < pairs(8, 4) && pairs(8, 4) < pairs(8, 7));
    }
}

//! Small products whose right operand lies along the sum: it is turned first, to memory of the stack.
//!
//! Lives here: when that is repaid, and how it is turned so that whole squares are. Not here: the product itself (`near`), how
//! a square is turned (`turn`).

use super::Product;
use crate::kernel::simd::Lanes;
use crate::kernel::turn::{Starts, turn};

/// Rows from which on turning is repaid: a single square, and more.
const REPAID: [usize; 2] = [4, 8];
/// Elements of a result for which `gemm` has a kernel of dot products, and those for each term of a sum for which it is faster.
const DOTS: [usize; 2] = [256, 4];
/// Elements that are turned one by one in less time than a square.
const SINGLE: usize = 64;
/// The side of a square that is turned at once.
const SIDE: usize = 16;
/// Elements of rooms: one is cleared before it is used, so few elements take a small one.
const ROOMS: [usize; 3] = [256, 1024, 4096];

/// Memory whose rows of whole squares are whole lines of the cache.
#[repr(align(64))]
struct Room<T, const N: usize>([T; N]);

/// Whether it is repaid that a right operand which lies along the sum is turned, for a product of so many rows, terms and
/// columns, of which the left one lies along the sum as well or not.
pub(super) fn is_worth_turning([rows, terms, columns]: [usize; 3], is_along: bool) -> bool {
    let elements = squares([terms, columns]).iter().product::<usize>();
    let is_of_dots = is_along && rows * columns <= DOTS[0].min(DOTS[1] * terms);
    // As a matrix a long vector would be nearly empty, and its stride to another column may be any.
    let is_long_vector = columns == 1 && terms > SINGLE;
    let repaid = if elements <= ROOMS[0] { REPAID[0] } else { REPAID[1] };
    rows >= repaid && !is_of_dots && !is_long_vector && elements <= ROOMS[2]
}

/// Terms and columns of whole squares.
fn squares(sizes: [usize; 2]) -> [usize; 2] {
    sizes.map(|size| size.next_multiple_of(SIDE))
}

impl<T: Lanes> Product<'_, T> {
    /// The same as [`Product::run`] for a right operand whose columns begin `across` apart, and have no gaps. They may overlap.
    pub(super) fn run_turned(&self, across: usize, out: &mut [T], step: usize) {
        let [_, terms, columns] = self.size;
        let elements = squares([terms, columns]).iter().product::<usize>();
        match () {
            () if elements <= ROOMS[0] => self.run_in(&mut Room([T::default(); ROOMS[0]]).0, across, out, step),
            () if elements <= ROOMS[1] => self.run_in(&mut Room([T::default(); ROOMS[1]]).0, across, out, step),
            () => self.run_in(&mut Room([T::default(); ROOMS[2]]).0, across, out, step),
        }
    }

    fn run_in(&self, room: &mut [T], across: usize, out: &mut [T], step: usize) {
        let [_, terms, columns] = self.size;
        let [deep, down] = squares([terms, columns]);
        if terms * columns <= SINGLE {
            for column in 0..columns {
                let from = &self.right[column * across..][..terms];
                (0..).zip(from).for_each(|(term, &x)| room[term * down + column] = x);
            }
        } else if (down - 1) * across + deep <= self.right.len() {
            // What lies beside the operand is turned with it, and not used.
            turn(self.right, Starts::Even(0, across as isize), [down, deep], room, down);
        } else {
            turn(self.right, Starts::Even(0, across as isize), [columns, terms], room, down);
        }
        Product { right: room, down, ..*self }.run(out, step);
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::matmul::matmul;
    use crate::kernel::near::product;
    use crate::kernel::simd::Lanes;
    use crate::kernel::testing::Random;
    use crate::kernel::{View, ViewMut};

    /// Compares with sums from the first term to the last, to the last bit, with so many numbers behind the operands.
    fn check<T: Lanes>([m, k, n]: [usize; 3], gap: isize, is_around: bool, behind: usize) {
        let mut random = Random::new(7);
        let mut data =
            |count: usize| -> Vec<T> { random.reals(count).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        let apart = k.saturating_add_signed(gap);
        let [a, b] = [m, n].map(|size| (size - 1) * apart + k + behind);
        let (a, b, mut out) = (data(a), data(b), vec![T::default(); m * n]);
        let [along, across] = [[apart as isize, 1], [1, apart as isize]];
        let to = if is_around { [1, m as isize] } else { [n as isize, 1] };
        let done = product(
            T::narrow(0.3),
            [m, k, n],
            View { data: &a, offset: 0, strides: &along },
            View { data: &b, offset: 0, strides: &across },
            &mut ViewMut { data: &mut out, offset: 0, strides: &to },
        );
        assert!(done, "{m} x {k} x {n} is turned");
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let sum = (0..k).fold(T::default(), |sum, x| a[i * apart + x].times_plus(b[j * apart + x], sum));
            let at = if is_around { i + j * m } else { i * n + j };
            assert_eq!(out[at], T::narrow(0.3) * sum, "{i}, {j} of {m} x {k} x {n}");
        }
    }

    #[test]
    fn an_operand_that_lies_along_the_sum_is_turned_first_and_what_lies_behind_it_is_not_used() {
        for size in [[6, 6, 6], [5, 1, 5], [10, 20, 30], [16, 16, 16], [17, 3, 40], [31, 33, 35], [20, 100, 20]] {
            for (is_around, behind) in [(false, 0), (true, 0), (false, 5000), (true, 5000)] {
                for gap in [2, 0, 1 - size[1] as isize, -(size[1] as isize)] {
                    check::<f32>(size, gap, is_around, behind);
                    check::<f64>(size, gap, is_around, behind);
                }
            }
        }
    }

    #[test]
    fn a_single_column_may_have_any_stride_to_the_next() {
        let numbers = vec![1.0_f32; 300 * 80];
        for across in [-1, 0, 7, isize::MAX / 2] {
            let mut out = vec![0.0; 300];
            let [left, right] = [[80, 1], [1, across]];
            let [left, right] = [&left, &right].map(|strides| View { data: &numbers, offset: 0, strides });
            let dst = ViewMut { data: &mut out, offset: 0, strides: &[1, 1] };
            matmul(1.0, &[], [300, 80, 1], left, right, dst, None);
            assert_eq!(out, [80.0; 300], "columns {across} apart");
        }
    }

    #[test]
    fn dot_products_and_what_has_no_room_are_left_to_others() {
        let numbers = vec![1.0_f32; 20_000];
        let done = |[m, k, n]: [usize; 3]| {
            let [left, right] = [[k as isize, 1], [1, k as isize]];
            let mut out = vec![0.0; m * n];
            let to = &mut ViewMut { data: &mut out, offset: 0, strides: &[n as isize, 1] };
            let [left, right] = [&left, &right].map(|strides| View { data: &numbers, offset: 0, strides });
            product(1.0, [m, k, n], left, right, to)
        };
        assert!(done([16, 16, 16]), "this one is turned");
        assert!(done([5, 2, 10]), "five rows are enough for a square");
        assert!(!done([5, 40, 100]), "five rows are not enough for many squares");
        assert!(!done([8, 64, 8]), "these are few sums of many terms");
        assert!(!done([16, 65, 64]), "there is no room");
    }

    #[test]
    fn beside_a_left_operand_that_lies_across_the_sum_even_the_smallest_right_one_is_turned() {
        for [m, k, n] in [[4, 4, 4], [8, 16, 8], [8, 30, 7], [16, 3, 16], [20, 64, 12]] {
            let mut random = Random::new(9);
            let (a, b) = (random.reals(k * m), random.reals(n * k));
            let mut out = vec![0.0_f32; m * n];
            let done = product(
                0.5,
                [m, k, n],
                View { data: &a, offset: 0, strides: &[1, m as isize] },
                View { data: &b, offset: 0, strides: &[1, k as isize] },
                &mut ViewMut { data: &mut out, offset: 0, strides: &[n as isize, 1] },
            );
            assert!(done, "{m} x {k} x {n} is turned");
            for (at, &got) in out.iter().enumerate() {
                let sum = (0..k).fold(0.0_f32, |sum, x| a[x * m + at / n].mul_add(b[at % n * k + x], sum));
                assert_eq!(got, 0.5 * sum, "{at} of {m} x {k} x {n}");
            }
        }
    }
}

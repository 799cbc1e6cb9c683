//! What the softmax of lines side by side is made of: their largest elements, exponentials, and sums.
//!
//! Lives here: loops over rows of elements, one of each line, and how a sum is carried on where the largest
//! element changes. Not here: where the rows come from (`line`).

use super::higher;
use crate::kernel::lanes::vectorised;
use crate::kernel::line::{Known, LANES, Parts, Unit, WIDTH, repeated};
use crate::kernel::math::Scalar;

/// How much larger an element may be than what is subtracted from it.
const NEAR: f64 = 0.25;

/// Raises what was found before to the largest element of each column.
fn rise<T: Scalar, const N: usize>(rows: &[[T; N]], tops: &mut [T; N]) {
    vectorised(
        #[inline(always)]
        move || *tops = rows.iter().fold(*tops, highest),
    );
}

/// The largest element of each column. All of them are made anew: else each would be stored under a mask, and waited for.
#[inline(always)]
pub(super) fn highest<T: Scalar, const N: usize>(tops: [T; N], row: &[T; N]) -> [T; N] {
    std::array::from_fn(
        #[inline(always)]
        |j| higher(tops[j], row[j]),
    )
}

/// `e^(x - m)` of each element of four rows, with a number `m` for each column, to whose sum it is added. What is added is
/// still in registers then: read again, it would be waited for, since it is stored by whole registers and added by halves.
#[inline(always)]
pub(super) fn four_decays<T: Scalar>(rows: &Unit<T>, base: &[T; LANES], sums: &mut [f64; LANES]) -> Unit<T> {
    let [mut a, mut b, mut c, mut d] = *rows;
    for row in [&mut a, &mut b, &mut c, &mut d] {
        row.iter_mut().zip(base).for_each(|(x, &base)| *x = (*x - base).decay());
    }
    for lane in 0..LANES {
        sums[lane] += ((a[lane] + b[lane]) + (c[lane] + d[lane])).wide();
    }
    [a, b, c, d]
}

/// Puts `e^(x - m)` in the place of each element, with a number `m` for each column, and adds it to the sum of the column,
/// four elements at a time. While row `i` is computed, `ask(i)` asks for what is read next.
#[inline(always)]
pub(super) fn decays<T: Scalar, const N: usize>(
    base: &[T; N],
    rows: &mut [[T; N]],
    sums: &mut [f64; N],
    ask: impl Fn(usize),
) {
    const { assert!(N.is_multiple_of(LANES), "columns by registers") };
    let (base, mut sum) = (*base, *sums);
    let (fours, rest) = rows.as_chunks_mut::<4>();
    let whole = 4 * fours.len();
    for (at, [a, b, c, d]) in fours.iter_mut().enumerate() {
        (4 * at..4 * at + 4).for_each(&ask);
        let [a, b, c, d] = [a, b, c, d].map(|row| row.as_chunks_mut::<LANES>().0);
        let columns = base.as_chunks().0.iter().zip(sum.as_chunks_mut().0);
        for (i, (base, sum)) in columns.enumerate() {
            [a[i], b[i], c[i], d[i]] = four_decays(&[a[i], b[i], c[i], d[i]], base, sum);
        }
    }
    (whole..whole + rest.len()).for_each(ask);
    if !rest.is_empty() {
        // As if the others of the four were 0.
        let mut four = [[T::default(); N]; 4];
        for (row, kept) in rest.iter_mut().zip(&mut four) {
            row.iter_mut().zip(&base).for_each(|(x, &base)| *x = (*x - base).decay());
            *kept = *row;
        }
        let [a, b, c, d] = &four;
        for (j, sum) in sum.iter_mut().enumerate() {
            *sum += ((a[j] + b[j]) + (c[j] + d[j])).wide();
        }
    }
    *sums = sum;
}

/// The largest element of each column so far, and the sum of the exponentials of what is below it.
#[derive(Clone, Copy)]
pub(super) struct Sums<T, const N: usize = WIDTH> {
    pub(super) top: [T; N],
    pub(super) sum: [f64; N],
}

impl<T: Scalar, const N: usize> Sums<T, N> {
    /// Before any row was taken in.
    pub(super) const NONE: Sums<T, N> = Sums { top: [T::LOWEST; N], sum: [0.0; N] };

    /// Takes further rows in.
    pub(super) fn add(&mut self, rows: &[[T; N]]) {
        let base = self.rise(rows);
        let mut some = [[T::default(); N]; 8];
        for rows in rows.chunks(some.len()) {
            let some = &mut some[..rows.len()];
            some.copy_from_slice(rows);
            self.add_decays(&base, some, |_| ());
        }
    }

    /// Takes in how large elements of further rows are. Returns what is to be subtracted from elements.
    pub(super) fn rise(&mut self, rows: &[[T; N]]) -> [T; N] {
        let mut tops = self.top;
        rise(rows, &mut tops);
        if self.is_empty() {
            self.top = tops;
        } else {
            self.rise_to(&tops);
        }
        self.base()
    }

    /// Whether there is nothing to scale: no row was taken in, or none with more than -∞.
    fn is_empty(&self) -> bool {
        let sums = &self.sum;
        vectorised(
            #[inline(always)]
            move || sums.iter().fold(true, |all, &sum| all & (sum == 0.0)),
        )
    }

    /// The same where sums are scaled only if an element is larger than what was subtracted by more than [`NEAR`]: so it
    /// happens once or twice in a line, not again and again.
    pub(super) fn rise_nearly(&mut self, rows: &[[T; N]]) -> [T; N] {
        let mut tops = self.top;
        rise(rows, &mut tops);
        if self.is_empty() {
            self.top = tops;
        } else {
            let before = &*self;
            let raised = vectorised(
                #[inline(always)]
                move || before.raised(&tops),
            );
            raised.iter().for_each(|tops| self.rise_to(tops));
        }
        let now = &*self;
        vectorised(
            #[inline(always)]
            move || now.base(),
        )
    }

    /// What is to be subtracted from now on, if an element is larger by more than [`NEAR`].
    #[inline(always)]
    fn raised(&self, tops: &[T; N]) -> Option<[T; N]> {
        let near = T::narrow(NEAR);
        let is_far = tops.iter().zip(&self.top).fold(false, |is_far, (&top, &base)| is_far | (top > base + near));
        is_far.then(
            #[inline(always)]
            || {
                std::array::from_fn(
                    #[inline(always)]
                    |j| if tops[j] > self.top[j] + near { tops[j] } else { self.top[j] },
                )
            },
        )
    }

    /// Goes on to other numbers that are subtracted: a sum that was taken with a smaller one is scaled.
    fn rise_to(&mut self, tops: &[T; N]) {
        *self = Sums { top: *tops, sum: self.scaled(tops) };
    }

    /// The sums as if these numbers, which are no smaller, had been subtracted. A sum over nothing but -∞ is 0, or NaN if
    /// there was one: it stays as it is.
    fn scaled(&self, tops: &[T; N]) -> [f64; N] {
        let Sums { top: bases, sum } = self;
        vectorised(
            #[inline(always)]
            move || {
                std::array::from_fn(
                    #[inline(always)]
                    |j| {
                        let (base, top) = (bases[j], tops[j]);
                        let decay = (base.wide() - top.wide()).decay();
                        sum[j] * if base > T::LOWEST { decay } else { 1.0 }
                    },
                )
            },
        )
    }

    /// What is subtracted from elements. As long as there is nothing but -∞, it adds nothing, whatever that is.
    #[inline(always)]
    pub(super) fn base(&self) -> [T; N] {
        self.top.map(
            #[inline(always)]
            |top| if top > T::LOWEST { top } else { T::default() },
        )
    }

    /// What numbers that were left when these were subtracted have to be multiplied by; `before` is the same of other numbers
    /// of these columns, which have `factors`.
    pub(super) fn factors(&self, before: Option<&[T; N]>, now: &[T; N], factors: &mut [T; N]) {
        let (tops, sums) = (&self.top, &self.sum);
        let are_last = vectorised(
            #[inline(always)]
            move || now.iter().zip(tops).fold(true, |all, (now, top)| all & (now == top)),
        );
        if !are_last {
            for (lane, factor) in factors.iter_mut().enumerate() {
                if before.is_none_or(|before| before[lane] != now[lane]) {
                    let (base, last) = (now[lane].wide(), tops[lane].wide());
                    let decay = if base == last { 1.0 } else { (base - last).exp() };
                    *factor = T::narrow(decay / sums[lane]);
                }
            }
        } else if before != Some(now) {
            *factors = vectorised(
                #[inline(always)]
                move || {
                    std::array::from_fn(
                        #[inline(always)]
                        |j| T::narrow(1.0 / sums[j]),
                    )
                },
            );
        }
    }

    /// Puts `e^(x - m)` in the place of each element, and adds it.
    #[inline(always)]
    pub(super) fn add_decays(&mut self, base: &[T; N], rows: &mut [[T; N]], ask: impl Fn(usize)) {
        let sum = &mut self.sum;
        vectorised(
            #[inline(always)]
            move || decays(base, rows, sum, ask),
        );
    }
}

impl<T: Scalar> Parts<T> for Sums<T, LANES> {
    const NONE: Self = Sums::NONE;

    fn rise(&mut self, tops: &[T; LANES]) -> [T; LANES] {
        if let Some(tops) = self.raised(tops) {
            self.rise_to(&tops);
        }
        self.top
    }

    #[inline(always)]
    fn compute(&mut self, unit: &mut Unit<T>) {
        *unit = four_decays(unit, &self.base(), &mut self.sum);
    }

    fn factor(&self, lane: usize, base: T) -> T {
        let (last, sum) = (self.top[lane], self.sum[lane]);
        let decay = if base == last { 1.0 } else { (base.wide() - last.wide()).exp() };
        T::narrow(decay / sum)
    }

    #[inline(always)]
    fn larger(tops: [T; LANES], row: &[T; LANES]) -> [T; LANES] {
        highest(tops, row)
    }
}

impl<T: Scalar> Known for Sums<T> {
    fn join(&mut self, other: &Sums<T>) {
        let top = highest(self.top, &other.top);
        let (before, after) = (self.scaled(&top), other.scaled(&top));
        *self = Sums { top, sum: std::array::from_fn(|lane| before[lane] + after[lane]) };
    }

    /// All lanes are scaled at once: with as many steps, whatever the parts are.
    fn folded(&self, count: usize, width: usize) -> Sums<T> {
        let mut all = Sums::NONE;
        for tops in self.top.chunks_exact(width).take(count) {
            all.top.iter_mut().zip(tops).for_each(|(top, &other)| *top = higher(*top, other));
        }
        let sums = self.scaled(&repeated(&all.top, width));
        for sums in sums.chunks_exact(width).take(count) {
            all.sum.iter_mut().zip(sums).for_each(|(sum, &other)| *sum += other);
        }
        all
    }

    fn spread(&self, width: usize) -> Sums<T> {
        Sums { top: repeated(&self.top, width), sum: repeated(&self.sum, width) }
    }
}

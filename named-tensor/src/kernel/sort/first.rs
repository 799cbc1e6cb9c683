//! The first few of an order, found without putting the others in order.
//!
//! A line is read once. What would come behind the last of the few that are known is passed over, many numbers in one
//! comparison; what would come before it is put to them. A few are kept in their order. Of more there may be twice as many as
//! are wanted; then the better half stays, and the last of it is known again. So the worst line, each of whose numbers is better than those
//! before it, takes some comparisons for each of them.
//! Lives here: one line, and lines that lie side by side. Not here: the order (`sort`).

use super::Ranked;
use crate::kernel::best::is_better;
use crate::kernel::lanes::vectorised;
use crate::kernel::lines::Lines;

/// Numbers that are compared before it is asked whether one of them was better, and those among which it is looked for.
const MANY: usize = 64;
const SOME: usize = 16;
/// So few are kept in their order: it takes less time to find the place of one more than to find the better half of a list.
const FEW: usize = 32;

/// The first of a line, as far as they are known.
pub(super) struct First<T: Ranked> {
    wanted: usize,
    descending: bool,
    /// Makes the first ones the largest.
    sign: T,
    /// The number behind which none is wanted, or one below it, times the sign; NaN while none is known.
    last: T,
    keys: Vec<T::Key>,
}

impl<T: Ranked> First<T> {
    /// Room for so many.
    pub(super) fn new(wanted: usize, descending: bool) -> First<T> {
        let sign = if descending { T::PLUS } else { T::MINUS };
        First { wanted, descending, sign, last: T::NONE, keys: Vec::with_capacity(2 * wanted) }
    }

    /// The keys of the first ones among the numbers of a line, in their order.
    pub(super) fn of(&mut self, line: &[T]) -> &[T::Key] {
        self.begin();
        let (whole, rest) = line.as_chunks::<MANY>();
        if whole.len() > 1 && self.wanted <= FEW {
            self.last = self.bound(whole);
        }
        let this = &mut *self;
        vectorised(
            #[inline(always)]
            move || {
                let (sign, mut last) = (this.sign, this.last);
                for (number, many) in whole.iter().enumerate() {
                    if !is_any_better(many, &[last; MANY], sign) {
                        continue;
                    }
                    for (part, some) in many.as_chunks::<SOME>().0.iter().enumerate() {
                        if is_any_better(some, &[last; SOME], sign) {
                            last = this.put(some, number * MANY + part * SOME);
                        }
                    }
                }
            },
        );
        self.put(rest, line.len() - rest.len());
        self.end(line.len(), |i| line[i])
    }

    /// A number below the last of the first ones, times the sign; NaN if none is found. Where a line is parted into many, and so
    /// many of the parts as are wanted have a number that is no worse than this one, it is no better than the last.
    fn bound(&self, whole: &[[T; MANY]]) -> T {
        let sign = self.sign;
        let best = vectorised(
            #[inline(always)]
            move || {
                let mut best = [T::NONE; MANY];
                for many in whole {
                    // All of them anew, so that they stay in registers.
                    best = std::array::from_fn(
                        #[inline(always)]
                        |i| {
                            let x = many[i].signed(sign);
                            if is_better(x, best[i]) { x } else { best[i] }
                        },
                    );
                }
                best
            },
        );
        let mut keys: [T::Key; MANY] = std::array::from_fn(|i| best[i].key(i, true));
        let (_, &mut last, _) = keys.select_nth_unstable(self.wanted - 1);
        let last = best[T::place_in(last)];
        // What is equal may stand before it.
        if last == T::LOWEST { T::NONE } else { last.below() }
    }

    fn begin(&mut self) {
        self.keys.clear();
        self.last = T::NONE;
    }

    /// Looks at numbers that stand from `place` on. Returns the last of the first, as far as it is known then.
    #[inline(never)]
    fn put(&mut self, numbers: &[T], place: usize) -> T {
        for (place, &x) in (place..).zip(numbers) {
            if is_better(x.signed(self.sign), self.last) {
                self.add(x, place);
            }
        }
        self.last
    }

    /// Puts a number to the first ones, before the last of which it comes.
    #[inline(always)]
    fn add(&mut self, x: T, place: usize) {
        let key = x.key(place, self.descending);
        if self.wanted > FEW {
            self.keys.push(key);
            if self.keys.len() == 2 * self.wanted {
                self.keys.select_nth_unstable(self.wanted - 1);
                self.keys.truncate(self.wanted);
                self.note_last();
            }
            return;
        }
        self.keys.truncate(self.wanted - 1);
        let mut at = self.keys.len();
        self.keys.push(key);
        while at > 0 && key < self.keys[at - 1] {
            self.keys[at] = self.keys[at - 1];
            at -= 1;
        }
        self.keys[at] = key;
        if self.keys.len() == self.wanted {
            self.note_last();
        }
    }

    /// Notes the last of the first ones, which is the last in the list.
    #[inline(always)]
    fn note_last(&mut self) {
        if let Some(&last) = self.keys.last() {
            self.last = T::number(last, self.descending).signed(self.sign);
        }
    }

    /// The keys of the first ones of a line that was looked at. Where there are too few numbers, NaN follows.
    fn end(&mut self, size: usize, number: impl Fn(usize) -> T) -> &[T::Key] {
        if self.keys.len() < self.wanted {
            let is_none = |&place: &usize| number(place) != number(place);
            let missing = self.wanted - self.keys.len();
            self.keys.extend((0..size).filter(is_none).take(missing).map(|i| number(i).key(i, self.descending)));
        }
        if self.keys.len() > self.wanted {
            self.keys.select_nth_unstable(self.wanted);
            self.keys.truncate(self.wanted);
        }
        self.keys.sort_unstable();
        &self.keys
    }
}

/// Whether one of some numbers comes before the last one that is known in its place.
#[inline(always)]
fn is_any_better<T: Ranked, const N: usize>(numbers: &[T; N], last: &[T; N], sign: T) -> bool {
    let mut any = false;
    for (&x, &last) in numbers.iter().zip(last) {
        any |= is_better(x.signed(sign), last);
    }
    any
}

/// Lines that go down together, which lie side by side.
pub(super) const COLUMNS: usize = 64;

/// What is known of them.
pub(super) struct Columns<T: Ranked> {
    first: Vec<First<T>>,
    last: [T; COLUMNS],
}

impl<T: Ranked> Columns<T> {
    /// Room for so many of each line.
    pub(super) fn new(wanted: usize, descending: bool) -> Columns<T> {
        let first = (0..COLUMNS).map(|_| First::new(wanted, descending)).collect();
        Columns { first, last: [T::NONE; COLUMNS] }
    }

    /// Tells the keys of the first ones of each of `count` lines.
    pub(super) fn of<U>(
        &mut self,
        lines: &Lines<'_, T, U>,
        start: isize,
        count: usize,
        mut tell: impl FnMut(usize, &[T::Key]),
    ) {
        self.first.iter_mut().for_each(First::begin);
        self.last = [T::NONE; COLUMNS];
        for i in 0..lines.size {
            let row = lines.source(start + i as isize * lines.src_stride, count);
            let (whole, rest) = row.as_chunks::<SOME>();
            for (part, some) in whole.iter().enumerate() {
                let sign = self.first[0].sign;
                let last = &self.last.as_chunks::<SOME>().0[part];
                let any = vectorised(
                    #[inline(always)]
                    move || is_any_better(some, last, sign),
                );
                if any {
                    self.put(some, part * SOME, i);
                }
            }
            self.put(rest, row.len() - rest.len(), i);
        }
        for (column, first) in self.first.iter_mut().enumerate().take(count) {
            tell(column, first.end(lines.size, |i| lines.read(start + column as isize, i)));
        }
    }

    /// Looks at the numbers of some lines at one place.
    fn put(&mut self, numbers: &[T], column: usize, place: usize) {
        let first = self.first[column..].iter_mut().zip(&mut self.last[column..]);
        for (&x, (first, last)) in numbers.iter().zip(first) {
            if is_better(x.signed(first.sign), *last) {
                first.add(x, place);
                *last = first.last;
            }
        }
    }
}

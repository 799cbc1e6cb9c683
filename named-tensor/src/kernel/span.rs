//! Iteration spaces: sizes, and one stride per operand and axis.
//!
//! Lives here: views (a slice, an offset, strides), the check that a view stays inside its slice, the merging of axes
//! that every operand walks through as one, and the walk from row to row. Not here: any arithmetic on elements.

use super::order::sort_few;
use super::pattern::Pattern;
use smallvec::SmallVec;

/// Elements of `data`, starting at `offset`, one stride per axis of some space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a, T> {
    /// Where the elements are.
    pub(crate) data: &'a [T],
    /// The position of the first one.
    pub(crate) offset: usize,
    /// The distance from one element to the next along each axis.
    pub(crate) strides: &'a [isize],
}

/// The same, to write. No two positions of the space may meet in one element.
#[derive(Debug)]
pub(crate) struct ViewMut<'a, T> {
    /// Where the elements are.
    pub(crate) data: &'a mut [T],
    /// The position of the first one.
    pub(crate) offset: usize,
    /// The distance from one element to the next along each axis.
    pub(crate) strides: &'a [isize],
}

/// Row-major strides of `sizes`.
pub(super) fn row_major(sizes: &[usize]) -> SmallVec<[isize; 8]> {
    let mut strides = SmallVec::from_elem(1, sizes.len());
    for axis in (1..sizes.len()).rev() {
        strides[axis - 1] = strides[axis] * sizes[axis] as isize;
    }
    strides
}

/// Whether elements follow each other in the order of the axes; along an axis of one position any stride will do.
pub(super) fn is_dense(sizes: &[usize], strides: &[isize]) -> bool {
    let mut step = 1;
    sizes.iter().zip(strides).rev().all(|(&size, &stride)| {
        let goes_on = stride == step || size == 1;
        step *= size as isize;
        goes_on
    })
}

/// Panics unless every position of the space lies inside a slice of `size` elements.
#[track_caller]
pub(super) fn check_inside(what: &str, size: usize, offset: usize, sizes: &[usize], strides: &[isize]) {
    assert_eq!(sizes.len(), strides.len(), "{what}: one stride per axis is needed");
    let (low, high) = reach(offset, sizes, strides);
    let inside = low >= 0 && high.unsigned_abs() < size || sizes.contains(&0);
    assert!(inside, "{what}: elements {low} to {high} of a slice of {size} are asked for");
}

/// Whether every position of a space that has some lies inside a slice of `size` elements.
pub(super) fn is_inside(size: usize, offset: usize, sizes: &[usize], strides: &[isize]) -> bool {
    let (low, high) = reach(offset, sizes, strides);
    sizes.len() == strides.len() && low >= 0 && high.unsigned_abs() < size
}

/// The first and the last element of a space that has some.
fn reach(offset: usize, sizes: &[usize], strides: &[isize]) -> (isize, isize) {
    // `low` only falls and `high` only rises, so what saturates stays outside.
    let start = isize::try_from(offset).unwrap_or(isize::MAX);
    let (mut low, mut high) = (start, start);
    for (&n, &stride) in sizes.iter().zip(strides) {
        let reach = isize::try_from(n.wrapping_sub(1)).unwrap_or(isize::MAX).saturating_mul(stride);
        low = low.saturating_add(reach.min(0));
        high = high.saturating_add(reach.max(0));
    }
    (low, high)
}

/// Panics unless all positions of the space are different elements, as a destination needs. The test is that each
/// stride steps over all that smaller strides can reach, which holds for every slice of a dense array in any order.
#[track_caller]
pub(super) fn check_distinct(what: &str, sizes: &[usize], strides: &[isize]) {
    // As a rule the last axis is the fastest, and each steps over those behind it.
    let mut reach = Some(0_usize);
    for (&n, stride) in sizes.iter().zip(strides).rev().filter(|(n, _)| **n != 1) {
        let stride = stride.unsigned_abs();
        let further = reach.filter(|&reach| stride > reach);
        reach = further.and_then(|reach| stride.checked_mul(n.wrapping_sub(1))?.checked_add(reach));
    }
    if reach.is_some() {
        return;
    }
    let mut axes: SmallVec<[(usize, usize); 8]> =
        sizes.iter().zip(strides).filter(|(n, _)| **n != 1).map(|(&n, s)| (s.unsigned_abs(), n)).collect();
    if axes.iter().any(|&(_, n)| n == 0) {
        return;
    }
    sort_few(&mut axes, |&axis| axis);
    let mut reach = 0;
    for (stride, n) in axes {
        assert!(stride > reach, "{what}: positions of the destination overlap");
        reach += stride * (n - 1);
    }
}

/// An iteration space with the strides of several operands, simplified: axes of size 1 are gone, and neighbouring axes
/// that every operand walks through evenly are one.
#[derive(Debug)]
pub(super) struct Span {
    /// The sizes that are left, none of them 1 unless it is the only one.
    pub(super) sizes: SmallVec<[usize; 8]>,
    /// For each operand, its strides along the axes that are left.
    pub(super) strides: SmallVec<[SmallVec<[isize; 8]>; 4]>,
}

impl Span {
    /// The space of these sizes, walked by operands of these strides.
    pub(super) fn new(sizes: &[usize], operands: &[&[isize]]) -> Span {
        let mut span = Span { sizes: SmallVec::new(), strides: SmallVec::new() };
        operands.iter().for_each(|_| span.strides.push(SmallVec::new()));
        for (axis, &size) in sizes.iter().enumerate() {
            if size == 1 {
                continue;
            }
            let merges = !span.sizes.is_empty()
                && operands
                    .iter()
                    .zip(&span.strides)
                    .all(|(given, kept)| kept.last().is_some_and(|&outer| outer == given[axis] * size as isize));
            if merges {
                let last = span.sizes.len() - 1;
                span.sizes[last] *= size;
                for (given, kept) in operands.iter().zip(&mut span.strides) {
                    kept[last] = given[axis];
                }
            } else {
                span.sizes.push(size);
                for (given, kept) in operands.iter().zip(&mut span.strides) {
                    kept.push(given[axis]);
                }
            }
        }
        span
    }

    /// How many positions there are.
    pub(super) fn total(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The size of the last axis, 1 if there is none.
    pub(super) fn inner(&self) -> usize {
        self.sizes.last().copied().unwrap_or(1)
    }

    /// The stride of an operand along the last axis.
    pub(super) fn inner_stride(&self, operand: usize) -> isize {
        self.strides[operand].last().copied().unwrap_or(1)
    }

    /// Whether an operand lies dense in the order of the space.
    pub(super) fn is_dense(&self, operand: usize) -> bool {
        is_dense(&self.sizes, &self.strides[operand])
    }

    /// Where an operand has its numbers, if the last axes are so short that they have a pattern.
    pub(super) fn pattern(&self, operand: usize) -> Option<Pattern> {
        Pattern::of(&self.sizes, &self.strides[operand])
    }

    /// How many elements an operand has in one piece in the order of the space: those of as many last axes as it lies dense
    /// in; 0 if it does not along the last axis.
    pub(super) fn piece(&self, operand: usize) -> usize {
        let mut piece = 1;
        for (&size, &stride) in self.sizes.iter().zip(&self.strides[operand]).rev() {
            if stride != piece as isize {
                break;
            }
            piece *= size;
        }
        if piece > 1 { piece } else { 0 }
    }

    /// The index along each axis of the position numbered `position`.
    pub(super) fn index(&self, mut position: usize) -> SmallVec<[usize; 8]> {
        let mut index = SmallVec::from_elem(0, self.sizes.len());
        for (i, &size) in index.iter_mut().zip(&self.sizes).rev() {
            *i = position % size;
            position /= size;
        }
        index
    }

    /// How far an operand is from its first element at an index.
    pub(super) fn distance(&self, operand: usize, index: &[usize]) -> isize {
        self.strides[operand].iter().zip(index).map(|(s, &i)| s * i as isize).sum()
    }
}

/// The distance of one operand while the leading axes of a space are counted through.
#[derive(Debug)]
pub(super) struct Odometer<'a> {
    sizes: &'a [usize],
    strides: &'a [isize],
    index: SmallVec<[usize; 8]>,
    /// The distance from the first element.
    pub(super) distance: isize,
}

impl<'a> Odometer<'a> {
    /// Counts from the position numbered `position`.
    pub(super) fn new(sizes: &'a [usize], strides: &'a [isize], mut position: usize) -> Odometer<'a> {
        let mut index: SmallVec<[usize; 8]> = SmallVec::from_elem(0, sizes.len());
        let mut distance = 0;
        for axis in (0..sizes.len()).rev() {
            index[axis] = position % sizes[axis].max(1);
            position /= sizes[axis].max(1);
            distance += strides[axis] * index[axis] as isize;
        }
        Odometer { sizes, strides, index, distance }
    }

    /// Goes to the next position; after the last one comes the first.
    #[inline(always)]
    pub(super) fn step(&mut self) {
        // As a rule only the last axis moves.
        let Some(last) = self.sizes.len().checked_sub(1) else { return };
        self.index[last] += 1;
        self.distance += self.strides[last];
        if self.index[last] >= self.sizes[last] {
            self.carry();
        }
    }

    /// How many positions from this one on are equally far apart, as a rule those along the last axis, and how far.
    pub(super) fn run(&self) -> (usize, isize) {
        match (self.sizes.last(), self.index.last(), self.strides.last()) {
            (Some(size), Some(index), Some(&stride)) => (size - index, stride),
            _ => (1, 0),
        }
    }

    /// Goes on by so many positions of those.
    pub(super) fn advance(&mut self, count: usize) {
        if let (Some(index), Some(&stride)) = (self.index.last_mut(), self.strides.last()) {
            *index += count;
            self.distance += stride * count as isize;
            self.carry();
        }
    }

    /// How many of the next positions are as far from the first element as this one.
    pub(super) fn again(&self) -> usize {
        match (self.strides.last(), self.sizes.last(), self.index.last()) {
            (Some(0), Some(size), Some(index)) => size - 1 - index,
            _ => 0,
        }
    }

    /// Goes further by so many of the positions that are as far.
    pub(super) fn skip(&mut self, again: usize) {
        if let Some(index) = self.index.last_mut() {
            *index += again;
        }
    }

    /// Goes from behind the end of an axis to its first position, and one further along the axis before it.
    #[inline(never)]
    fn carry(&mut self) {
        for axis in (0..self.sizes.len()).rev() {
            if self.index[axis] < self.sizes[axis] {
                return;
            }
            self.distance -= self.strides[axis] * self.sizes[axis] as isize;
            self.index[axis] = 0;
            if let Some(before) = axis.checked_sub(1) {
                self.index[before] += 1;
                self.distance += self.strides[before];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_merge_only_where_every_operand_walks_evenly() {
        let dense = row_major(&[2, 3, 4]);
        let one = Span::new(&[2, 3, 4], &[&dense]);
        assert_eq!((one.sizes.as_slice(), one.inner_stride(0)), ([24].as_slice(), 1), "one dense operand");
        let bias = [0, 0, 1];
        let two = Span::new(&[2, 3, 4], &[&dense, &bias]);
        assert_eq!(two.sizes.as_slice(), [6, 4], "a repeated row keeps its own axis");
        assert!(two.is_dense(0) && !two.is_dense(1), "the dense operand stays dense");
        let ones = Span::new(&[1, 5, 1], &[&[7, 2, 9]]);
        assert_eq!((ones.sizes.as_slice(), ones.inner_stride(0)), ([5].as_slice(), 2), "size 1 is dropped");
    }

    #[test]
    fn a_piece_has_the_elements_of_the_last_axes_that_follow_each_other() {
        for (strides, piece) in
            [([12, 4, 1], 24), ([0, 4, 1], 12), ([4, 0, 1], 4), ([24, 8, 2], 0), ([1, 2, 0], 0), ([9, 5, 1], 4)]
        {
            // Beside an operand with which no axes merge.
            let span = Span::new(&[2, 3, 4], &[&strides, &[100, 7, 3]]);
            assert_eq!(span.piece(0), piece, "{strides:?}");
        }
    }

    #[test]
    fn an_odometer_visits_what_the_index_says() {
        let sizes = [3, 2, 4];
        let strides = [1_isize, -5, 7];
        let span = Span::new(&sizes, &[&strides]);
        let mut odometer = Odometer::new(&sizes, &strides, 5);
        for position in 5..24 {
            assert_eq!(odometer.distance, span.distance(0, &span.index(position)), "position {position}");
            odometer.step();
        }
        assert_eq!(odometer.distance, 0, "after the last position comes the first");
        odometer.advance(3);
        assert_eq!((odometer.distance, odometer.run()), (21, (1, 7)), "the last of four");
        odometer.advance(1);
        assert_eq!((odometer.distance, odometer.run()), (-5, (4, 7)), "the next four");
    }

    #[test]
    fn a_view_inside_its_slice_is_accepted_also_when_it_walks_backwards_or_is_empty() {
        check_inside("test", 12, 0, &[3, 4], &[4, 1]);
        check_inside("test", 12, 11, &[3, 4], &[-4, -1]);
        check_inside("test", 0, 9, &[3, 0], &[4, 1]);
    }

    #[test]
    #[should_panic(expected = "test: elements 0 to 12 of a slice of 12")]
    fn a_view_past_its_slice_is_refused() {
        check_inside("test", 12, 0, &[3, 5], &[4, 1]);
    }

    #[test]
    #[should_panic(expected = "test: elements -1 to 0 of a slice of 12")]
    fn a_view_before_its_slice_is_refused() {
        check_inside("test", 12, 0, &[2], &[-1]);
    }

    #[test]
    #[should_panic(expected = "overlap")]
    fn a_destination_that_meets_itself_is_refused() {
        check_distinct("test", &[3, 4], &[3, 1]);
    }

    #[test]
    fn a_destination_in_any_order_of_axes_is_accepted() {
        check_distinct("test", &[3, 4, 1], &[1, 3, 0]);
        check_distinct("test", &[3, 4], &[-10, 2]);
    }
}

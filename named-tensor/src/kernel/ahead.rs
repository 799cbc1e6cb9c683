//! Memory that is asked for before it is read.
//!
//! A processor expects what comes next along a row that it reads. The first lines of another row, and whatever is read once
//! the work at hand is done, it does not expect: then each line is waited for, unless somebody has asked for it.
//! A request changes nothing but the caches, so it may name what does not exist; processors without them ignore all.
//! Not here: stores (`stream`).

use super::stream::LINE;
use crate::element::Stored;
use std::sync::LazyLock;

/// Asks for these elements to be brought into the nearest cache. They need not exist. Where they begin within a line, the
/// end of the last line may be left out.
#[inline(always)]
pub(super) fn fetch<T: Stored>(data: &[T], first: usize, size: usize) {
    for at in (first..first.saturating_add(size).min(data.len())).step_by(LINE / size_of::<T>()) {
        fetch_line(data, at);
    }
}

/// Asks for the line of memory of an element to be brought into the second-level cache: the nearest one has no room to
/// spare. It need not exist.
#[inline(always)]
pub(super) fn fetch_line_aside<T: Stored>(data: &[T], at: usize) {
    fetch_aside_at(data.as_ptr().wrapping_add(at));
}

/// Asks for the line of memory at an address to be brought into the second-level cache. Nothing need be there.
#[inline(always)]
pub(super) fn fetch_aside_at<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: it changes nothing that can be seen, and asks no more of the address than to be one.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast::<i8>()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Asks for the line of memory of an element to be brought into the nearest cache. It need not exist.
#[inline(always)]
pub(super) fn fetch_line<T: Stored>(data: &[T], at: usize) {
    fetch_at(data.as_ptr().wrapping_add(at));
}

/// Asks for the line of memory at an address to be brought into the nearest cache. Nothing need be there.
#[inline(always)]
pub(super) fn fetch_at<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: it changes nothing that can be seen, and asks no more of the address than to be one.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast::<i8>()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Whether a product may have memory asked for beside it. On a processor of Intel it was slower for that: those keep a dozen
/// lines on their way to a core, whoever asked for them, and a panel in the second-level cache has use for all these places.
pub(super) fn is_free_beside_products() -> bool {
    /// Found once: a virtual machine takes longer to answer than a small product.
    static IS_FREE: LazyLock<bool> = LazyLock::new(|| !is_of_intel());
    *IS_FREE
}

/// Whether the processor says so.
fn is_of_intel() -> bool {
    #[cfg(target_arch = "x86_64")]
    return raw_cpuid::CpuId::new().get_vendor_info().is_some_and(|maker| maker.as_str() == "GenuineIntel");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Rows that will be read when the work at hand is done: they are asked for beside it, a few lines at a time, since a
/// processor waits for no more than some dozens at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead<'a, T> {
    data: &'a [T],
    /// Where the row at hand begins, and how far the next one is.
    row: usize,
    step: usize,
    /// Lines of memory in each row, and the one in the row at hand that is the next.
    each: usize,
    line: usize,
    /// How many lines are to be asked for.
    left: usize,
}

impl<'a, T: Stored> Ahead<'a, T> {
    /// Nothing.
    pub(super) fn none() -> Ahead<'a, T> {
        Ahead { data: &[], row: 0, step: 0, each: 1, line: 0, left: 0 }
    }

    /// Rows of so many elements, the first of which begins at `first`, each next one `step` further. They need not exist;
    /// rows are taken to begin where lines do.
    pub(super) fn rows(data: &'a [T], [first, step]: [usize; 2], [count, size]: [usize; 2]) -> Ahead<'a, T> {
        let each = size.div_ceil(LINE / size_of::<T>()).max(1);
        Ahead { data, row: first, step, each, line: 0, left: count * each }
    }

    /// How many lines are to be asked for.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The next lines, so many at most; they are no longer among these.
    pub(super) fn take(&mut self, lines: usize) -> Ahead<'a, T> {
        let taken = Ahead { left: self.left.min(lines), ..*self };
        let line = self.line + taken.left;
        self.row = self.row.wrapping_add((line / self.each).wrapping_mul(self.step));
        (self.line, self.left) = (line % self.each, self.left - taken.left);
        taken
    }

    /// Asks for the next lines, so many at most, to be brought into the second-level cache.
    #[inline(always)]
    pub(super) fn ask(&mut self, lines: usize) {
        for _ in 0..lines.min(self.left) {
            fetch_line_aside(self.data, self.row.wrapping_add(self.line * (LINE / size_of::<T>())));
            self.line += 1;
            if self.line == self.each {
                (self.line, self.row) = (0, self.row.wrapping_add(self.step));
            }
            self.left -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    #[test]
    fn the_processor_is_of_the_maker_that_the_system_names() {
        let system = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        assert_eq!(is_of_intel(), system.contains("GenuineIntel"));
    }

    #[test]
    fn lines_taken_and_asked_for_are_those_of_the_rows_in_their_order() {
        let numbers = [0.0_f32; 4];
        let all = Ahead::rows(&numbers, [5, 100], [7, 40]);
        assert_eq!(all.left(), 7 * 3, "40 numbers are three lines");
        let place = |ahead: &Ahead<'_, f32>| (ahead.row, ahead.line);
        for lines in 0..=all.left() {
            let (mut rest, mut asked) = (all, all);
            let taken = rest.take(lines);
            asked.ask(lines);
            assert_eq!((place(&taken), taken.left()), ((5, 0), lines), "the first {lines} lines");
            assert_eq!(place(&rest), (5 + lines / 3 * 100, lines % 3), "after {lines} lines");
            assert_eq!((place(&asked), asked.left()), (place(&rest), rest.left()), "asked for {lines} lines");
        }
        assert_eq!(Ahead::rows(&numbers, [usize::MAX, usize::MAX], [3, 16]).take(9).left(), 3, "there are no more");
    }
}

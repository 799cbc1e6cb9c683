//! The one call into `gemm`, the library of products of matrices.
//!
//! Lives here: which function serves which kind of numbers, and what it asks of strides. Its crates for `f32` and `f64` are
//! used without the one above them, which would build those for complex numbers too, and half of the time with it.
//! Not here: which products go there (`product`, and `factors` for those that are taken away).

use crate::kernel::span::{check_distinct, check_inside};
use crate::kernel::{View, ViewMut};
use gemm_common::Parallelism;
use gemm_common::gemm::L2_SLAB;

/// The signature that both functions have.
///
/// # Safety
/// The elements that sizes, pointers and strides name may be read, and those of the third line written.
pub(crate) type Function<T> = unsafe fn(
    usize,
    usize,
    usize,
    *mut T,
    isize,
    isize,
    bool,
    *const T,
    isize,
    isize,
    *const T,
    isize,
    isize,
    T,
    T,
    bool,
    bool,
    bool,
    Parallelism,
);

/// Numbers that `gemm` multiplies.
pub(crate) trait Multiply: Copy + Send {
    /// The function for this processor.
    fn function() -> Function<Self>;
    /// What a result is multiplied with before something is added to it.
    const ONE: Self;
}

impl Multiply for f32 {
    fn function() -> Function<f32> {
        gemm_f32::gemm::f32::get_gemm_fn()
    }
    const ONE: f32 = 1.0;
}

impl Multiply for f64 {
    fn function() -> Function<f64> {
        gemm_f64::gemm::f64::get_gemm_fn()
    }
    const ONE: f64 = 1.0;
}

/// `dst = scale · lhs rhs`, or that added to what `dst` holds, each matrix with its first element and its strides along rows and columns.
pub(super) struct Matrices<T> {
    pub(super) scale: T,
    /// Rows, terms of the sum, columns.
    pub(super) sizes: [usize; 3],
    pub(super) lhs: (*const T, [isize; 2]),
    pub(super) rhs: (*const T, [isize; 2]),
    pub(super) dst: (*mut T, [isize; 2]),
    /// Whether it is added.
    pub(super) adds: bool,
}

// SAFETY: it is a description; nothing is read or written through its pointers but by `multiply`, whose contract says that nobody
// else touches what is there, whichever thread that is.
unsafe impl<T: Send> Send for Matrices<T> {}

/// Takes `lhs rhs`, of so many rows, terms and columns, from `dst`, in the calling thread.
///
/// # Panics
/// If a view leaves its slice, or if positions of the result overlap.
pub(in crate::kernel) fn take_away(
    [m, k, n]: [usize; 3],
    lhs: View<'_, f64>,
    rhs: View<'_, f64>,
    dst: ViewMut<'_, f64>,
) {
    check_inside("take_away: left operand", lhs.data.len(), lhs.offset, &[m, k], lhs.strides);
    check_inside("take_away: right operand", rhs.data.len(), rhs.offset, &[k, n], rhs.strides);
    check_inside("take_away: destination", dst.data.len(), dst.offset, &[m, n], dst.strides);
    check_distinct("take_away", &[m, n], dst.strides);
    let first =
        |view: View<'_, f64>| (view.data.as_ptr().wrapping_add(view.offset), [view.strides[0], view.strides[1]]);
    let to = (dst.data.as_mut_ptr().wrapping_add(dst.offset), [dst.strides[0], dst.strides[1]]);
    let product = Matrices { scale: -1.0, sizes: [m, k, n], lhs: first(lhs), rhs: first(rhs), dst: to, adds: true };
    // SAFETY: all elements were found inside of the three slices, the last of which is borrowed mutably.
    unsafe { product.multiply() };
}

impl<T: Multiply> Matrices<T> {
    /// Computes the product in the calling thread.
    ///
    /// # Safety
    /// All elements of the operands may be read, and those of `dst` written (and read, if the product is added), with nothing
    /// else touching them.
    pub(super) unsafe fn multiply(self) {
        if L2_SLAB.try_with(|_| ()).is_ok() {
            // SAFETY: this function's contract.
            unsafe { self.multiply_here() };
            return;
        }
        // The calling thread is about to end, and what `gemm` keeps for it is gone: another thread still has it.
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let product = self;
                // SAFETY: this function's contract; the caller waits.
                unsafe { product.multiply_here() };
            });
        });
    }

    /// The same in a thread that does not end.
    ///
    /// # Safety
    /// As for `multiply`.
    unsafe fn multiply_here(self) {
        let Matrices { scale, sizes: [m, k, n], lhs, rhs, dst, adds } = self.along_columns().forwards();
        // SAFETY: the elements are those of this function's contract; the destination is read only if it holds numbers, there
        // is one thread, and the function is the one for this processor.
        unsafe {
            T::function()(
                m,
                n,
                k,
                dst.0,
                dst.1[1],
                dst.1[0],
                adds,
                lhs.0,
                lhs.1[1],
                lhs.1[0],
                rhs.0,
                rhs.1[1],
                rhs.1[0],
                T::ONE,
                scale,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
    }

    /// The same product with neighbours of the result in columns, which `gemm` writes faster, transposed if need be.
    fn along_columns(self) -> Self {
        let Matrices { scale, sizes: [m, k, n], lhs, rhs, dst, adds } = self;
        if dst.1[1].unsigned_abs() >= dst.1[0].unsigned_abs() {
            return self;
        }
        let turned = |[across, along]: [isize; 2]| [along, across];
        Matrices {
            scale,
            sizes: [n, k, m],
            lhs: (rhs.0, turned(rhs.1)),
            rhs: (lhs.0, turned(lhs.1)),
            dst: (dst.0, turned(dst.1)),
            adds,
        }
    }

    /// The same with strides that go forwards in the result, and in `lhs` along the sum.
    fn forwards(mut self) -> Self {
        let [m, k, n] = self.sizes;
        let back = |size: usize, stride: isize| size.saturating_sub(1) as isize * stride;
        if self.dst.1[0] < 0 {
            self.dst.0 = self.dst.0.wrapping_offset(back(m, self.dst.1[0]));
            self.lhs.0 = self.lhs.0.wrapping_offset(back(m, self.lhs.1[0]));
            (self.dst.1[0], self.lhs.1[0]) = (-self.dst.1[0], -self.lhs.1[0]);
        }
        if self.dst.1[1] < 0 {
            self.dst.0 = self.dst.0.wrapping_offset(back(n, self.dst.1[1]));
            self.rhs.0 = self.rhs.0.wrapping_offset(back(n, self.rhs.1[1]));
            (self.dst.1[1], self.rhs.1[1]) = (-self.dst.1[1], -self.rhs.1[1]);
        }
        if self.lhs.1[1] < 0 {
            self.lhs.0 = self.lhs.0.wrapping_offset(back(k, self.lhs.1[1]));
            self.rhs.0 = self.rhs.0.wrapping_offset(back(k, self.rhs.1[0]));
            (self.lhs.1[1], self.rhs.1[0]) = (-self.lhs.1[1], -self.rhs.1[0]);
        }
        self
    }
}

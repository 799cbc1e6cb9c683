//! Nested arrays as tensors: `[[3.0, 1.0], [1.0, 5.0]]` over `(height, width)`.
//!
//! Lives here: which nestings there are, so that a nesting of another depth than the axes does not compile.
//! Not here: building from vectors (`building`).

/// Nested arrays of `T`, one level for each of the positions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array of `{T}` with one level of brackets for each axis",
    label = "not an array of `{T}`, or nested otherwise than the axes named",
    note = "`Tensor::new` takes `f32`, written `1.0`; numbers of another precision go through `Tensor::from_array`",
    note = "a `Vec` goes through `Tensor::from_vec((seq.of(5), key.of(64)), numbers)?`",
    note = "a `Vec` of positions goes through `Tensor::indices_from_vec(seq.of(5), vocab, positions)?`"
)]
pub trait Nested<T, Positions> {
    /// The size of each level.
    fn sizes(&self) -> Positions;
    /// The numbers in order.
    fn flatten(self) -> Vec<T>;
}

// Without axes there are no brackets.
#[diagnostic::do_not_recommend]
impl<T: Copy> Nested<T, [usize; 0]> for T {
    fn sizes(&self) -> [usize; 0] {
        []
    }
    fn flatten(self) -> Vec<T> {
        vec![self]
    }
}

#[diagnostic::do_not_recommend]
impl<T: Copy, const N: usize> Nested<T, [usize; 1]> for [T; N] {
    fn sizes(&self) -> [usize; 1] {
        [N]
    }
    fn flatten(self) -> Vec<T> {
        self.to_vec()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Copy, const M: usize, const N: usize> Nested<T, [usize; 2]> for [[T; N]; M] {
    fn sizes(&self) -> [usize; 2] {
        [M, N]
    }
    fn flatten(self) -> Vec<T> {
        self.as_flattened().to_vec()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Copy, const L: usize, const M: usize, const N: usize> Nested<T, [usize; 3]> for [[[T; N]; M]; L] {
    fn sizes(&self) -> [usize; 3] {
        [L, M, N]
    }
    fn flatten(self) -> Vec<T> {
        self.as_flattened().as_flattened().to_vec()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Copy, const K: usize, const L: usize, const M: usize, const N: usize> Nested<T, [usize; 4]>
    for [[[[T; N]; M]; L]; K]
{
    fn sizes(&self) -> [usize; 4] {
        [K, L, M, N]
    }
    fn flatten(self) -> Vec<T> {
        self.as_flattened().as_flattened().as_flattened().to_vec()
    }
}

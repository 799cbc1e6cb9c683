//! Conversion from and to `ndarray`, where axes have numbers instead of names.
//!
//! Lives here: both directions; each states the order of the axes, because the type of a tensor has none.
//! Not here: vectors and nested arrays (`tensor::building`, `tensor::reading`), files (`file`).

use std::panic::Location;

use ndarray::{Array, ArrayRef, Dimension, IntoDimension};

use crate::axes::Axes;
use crate::axes::rules::{Once, OrderedBy};
use crate::axes::selector::Selector;
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::Shape;
use crate::tensor::{Tensor, held, too_large};

/// The array that has one axis for each of `S`.
pub type ArrayOver<S, V> = Array<V, <<S as Selector>::Positions as IntoDimension>::Dim>;

impl<A: Axes, T: Element<Value = T> + Copy> Tensor<A, T> {
    /// A tensor of an array or a view of one, with any strides; the axes are named in the order of the array's.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq, key }
    /// let array = ndarray::array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    /// let x = Tensor::from_ndarray((seq, key), &array)?;
    /// assert_eq!((x.size(seq), x.size(key)), (2, 3));
    /// assert_eq!(x.to_ndarray((key, seq))?, array.t());
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    ///
    /// # Errors
    /// The array has more or fewer axes than are named, or is larger than memory.
    #[track_caller]
    pub fn from_ndarray<S, D>(axes: S, array: &ArrayRef<T, D>) -> Result<Tensor<A, T>>
    where
        S: Selector<Set = A> + Once<S::Repeated>,
        D: Dimension,
    {
        let _ = axes;
        let names = S::names();
        if names.len() != array.shape().len() {
            let named: Vec<String> = names.iter().map(ToString::to_string).collect();
            let message = format!(
                "an array with {} axes of sizes {:?} cannot have the {} names [{}]",
                array.shape().len(),
                array.shape(),
                names.len(),
                named.join(", ")
            );
            return Err(Error::here(ErrorKind::SizeClash, message));
        }
        let place = Location::caller();
        let shape = Shape::new(names.into_iter().zip(array.shape().iter().copied()));
        let shape = shape.checked("from_ndarray").map_err(|error| error.at(place))?;
        // It may be one number that is repeated.
        let mut numbers = Vec::new();
        if numbers.try_reserve_exact(array.len()).is_err() {
            return Err(too_large(&shape, "from_ndarray"));
        }
        numbers.extend(array.iter().copied());
        Ok(Tensor::from_node(held::<T>(numbers, shape)))
    }
}

impl<A: Axes, T: Element> Tensor<A, T> {
    /// The numbers as an array whose axes are in the given order: `x.to_ndarray((seq, key))?` is an `Array2`.
    /// `ndarray` counts axes in its types up to six.
    ///
    /// # Errors
    /// As [`to_vec`](Tensor::to_vec).
    #[track_caller]
    pub fn to_ndarray<S>(&self, order: S) -> Result<ArrayOver<S, T::Value>>
    where
        S: Selector + Once<S::Repeated>,
        S::Positions: IntoDimension,
        A: OrderedBy<S::Set>,
    {
        let numbers = self.to_vec(order)?;
        let mut sizes = S::Positions::default();
        for (size, &name) in sizes.as_mut().iter_mut().zip(&S::names()) {
            *size = self.shape().size(name).unwrap_or(0);
        }
        let place = Location::caller();
        Array::from_shape_vec(sizes.into_dimension(), numbers).map_err(|error| {
            let message = format!("`ndarray` refuses the shape {}: {error}", self.shape());
            Error::new(ErrorKind::TooLarge, message).at(place)
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, ArrayD, IxDyn, array, s};

    use crate::prelude::*;

    axes! { batch, height, width }

    #[test]
    fn an_array_comes_back_in_either_order_of_axes() -> Result<(), Error> {
        let array = array![[3.0_f32, 1.0, 4.0], [1.0, 5.0, 9.0]];
        let x: Tensor<R![height, width]> = Tensor::from_ndarray((height, width), &array)?;
        let same: Array2<f32> = x.to_ndarray((height, width))?;
        assert_eq!(same, array);
        assert_eq!(x.to_ndarray((width, height))?, array.t());
        Ok(())
    }

    #[test]
    fn views_with_any_strides_are_read_by_position() -> Result<(), Error> {
        let array = Array1::from_iter(0..24).mapv(f64::from).into_shape_with_order((4, 6)).expect("24 = 4 · 6");
        let view = array.slice(s![..;-1, 1..;2]);
        let x = Tensor::from_ndarray((width, height), &view)?;
        assert_eq!(x.to_vec((width, height))?, [19., 21., 23., 13., 15., 17., 7., 9., 11., 1., 3., 5.]);
        let transposed = Tensor::from_ndarray((height, width), &view.t())?;
        assert_eq!(transposed.to_vec((width, height))?, x.to_vec((width, height))?);
        let repeated =
            Tensor::from_ndarray((batch, height), &array![1.0_f32, 2.0].broadcast((2, 2)).expect("it fits"))?;
        assert_eq!(repeated.to_vec((batch, height))?, [1.0, 2.0, 1.0, 2.0]);
        Ok(())
    }

    #[test]
    fn arrays_without_axes_and_without_elements_keep_their_shape() -> Result<(), Error> {
        let number = Tensor::from_ndarray((), &ndarray::arr0(7.0_f32))?;
        assert_eq!(number.item()?, 7.0);
        assert_eq!(number.to_ndarray(())?, ndarray::arr0(7.0));
        let one = ndarray::arr1(&[1.0_f32]);
        let vast = one.broadcast(1 << 46).expect("one number that is repeated");
        let error = Tensor::from_ndarray(width, &vast).expect_err("no memory holds it");
        assert_eq!((error.kind(), error.place().map(|place| place.file())), (ErrorKind::TooLarge, Some(file!())));
        let empty = Tensor::from_ndarray((height, width), &Array2::<bool>::default((0, 3)))?;
        assert_eq!(empty.to_ndarray((width, height))?.shape(), [3, 0]);
        Ok(())
    }

    #[test]
    fn another_number_of_axes_is_refused_with_both_numbers() {
        let array = ArrayD::<f32>::zeros(IxDyn(&[2, 3, 4]));
        let error = Tensor::from_ndarray((height, width), &array).expect_err("three axes are not two");
        assert_eq!(error.kind(), ErrorKind::SizeClash);
        let text = error.to_string();
        let words = "an array with 3 axes of sizes [2, 3, 4] cannot have the 2 names [height, width], at ";
        assert!(text.starts_with(words) && text.contains("convert.rs"), "{text}");
    }
}

//! Tensors and tuples as structs of parameters.
//!
//! Lives here: what lets one tensor, or several structs together, stand wherever a struct of parameters does.

use std::marker::PhantomData;

use super::{Init, Parameter, ParameterMut, Parameters, Path};
use crate::axes::Axes;
use crate::axes::set::Union;
use crate::element::Real;
use crate::error::{Error, ErrorKind, Result};
use crate::tensor::Tensor;

/// A tensor is a parameter by itself, under the name it has where it stands.
impl<A: Axes, T: Real> Parameters<T> for Tensor<A, T> {
    type Axes = A;
    type Of<U: Real> = Tensor<A, U>;

    fn visit(&self, path: &mut Path, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
        visitor(Parameter { name: &path.0, axes: A::names(), node: self.node(), element: PhantomData });
    }

    fn visit_mut(&mut self, path: &mut Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
        visitor(ParameterMut { name: &path.0, axes: A::names(), node: self.node_mut(), element: PhantomData });
    }

    fn init_from(init: &mut Init<'_>) -> Result<Self> {
        let message = format!("the parameter `{}` does not say how it starts", init.path());
        Err(Error::here(ErrorKind::Value, message))
    }

    fn cast<U: Real>(&self) -> Tensor<A, U> {
        Tensor::cast(self)
    }
}

macro_rules! tuples {
    ($($name:ident $at:tt),*) => {
        /// Several structs as one, named by their places: `0.W`, `1.W`.
        impl<T: Real, $($name: Parameters<T>),*> Parameters<T> for ($($name,)*) {
            type Axes = tuples!(@ $($name)*);
            type Of<U: Real> = ($($name::Of<U>,)*);

            fn visit(&self, path: &mut Path, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
                $(path.inside(stringify!($at), |path| self.$at.visit(path, visitor));)*
            }

            fn visit_mut(&mut self, path: &mut Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
                $(path.inside(stringify!($at), |path| self.$at.visit_mut(path, visitor));)*
            }

            fn init_from(init: &mut Init<'_>) -> Result<Self> {
                Ok(($(init.nested(stringify!($at))?,)*))
            }

            fn cast<U: Real>(&self) -> Self::Of<U> {
                ($(self.$at.cast(),)*)
            }
        }
    };
    (@ $name:ident) => { $name::Axes };
    (@ $name:ident $($rest:ident)+) => { Union<$name::Axes, tuples!(@ $($rest)+)> };
}

tuples!(P0 0, P1 1);
tuples!(P0 0, P1 1, P2 2);
tuples!(P0 0, P1 1, P2 2, P3 3);

//! One tensor, one that may be absent, and several structs together, as structs of parameters.
//!
//! Lives here: what lets them stand wherever a struct of parameters does. Not here: layers along an axis (`stacked`).

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

/// A parameter that may be absent, written `b: R[out]?`. It is drawn with all others; `None` leaves it out, and then
/// nothing is counted, stored or learnt for it.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans, out }
/// named! {
///     fn Project(X: R[chans]; W: R[chans, out] = 1, b: R[out]? = 3) -> R[out] { X dot_chans W + b }
/// }
/// let mut project = Project::init(&mut seeded(0), (chans.of(2), out.of(1)))?;
/// let x = Tensor::new(chans, [1.0, 2.0]);
/// assert_eq!((project.apply(&x).to_vec(out)?, project.count()), (vec![6.0], 3));
/// project.b = None;
/// assert_eq!((project.apply(&x).to_vec(out)?, project.count()), (vec![3.0], 2));
/// # Ok::<(), named_tensor::Error>(())
/// ```
impl<P: Parameters<T>, T: Real> Parameters<T> for Option<P> {
    type Axes = P::Axes;
    type Of<U: Real> = Option<P::Of<U>>;

    fn visit(&self, path: &mut Path, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
        if let Some(present) = self {
            present.visit(path, visitor);
        }
    }

    fn visit_mut(&mut self, path: &mut Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
        if let Some(present) = self {
            present.visit_mut(path, visitor);
        }
    }

    fn init_from(init: &mut Init<'_>) -> Result<Self> {
        P::init_from(init).map(Some)
    }

    fn cast<U: Real>(&self) -> Self::Of<U> {
        self.as_ref().map(P::cast)
    }
}

/// Several structs of parameters as one, to be computed or stored together; their names begin with their places, as in
/// `0.W` and `1.W`.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// let both = Together((Tensor::new(chans, [1.0, 2.0]), Tensor::scalar(2.0)));
/// let Together((x, y)) = both.eval()?;
/// assert_eq!((x.size(chans), y.item()?), (2, 2.0));
/// assert_eq!(both.norm().item()?, 3.0);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Together<P>(pub P);

macro_rules! tuples {
    ($($name:ident $at:tt),*) => {
        impl<T: Real, $($name: Parameters<T>),*> Parameters<T> for Together<($($name,)*)> {
            type Axes = tuples!(@ $($name)*);
            type Of<U: Real> = Together<($($name::Of<U>,)*)>;

            fn visit(&self, path: &mut Path, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
                $(path.inside(stringify!($at), |path| self.0.$at.visit(path, visitor));)*
            }

            fn visit_mut(&mut self, path: &mut Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
                $(path.inside(stringify!($at), |path| self.0.$at.visit_mut(path, visitor));)*
            }

            fn init_from(init: &mut Init<'_>) -> Result<Self> {
                Ok(Together(($(init.nested(stringify!($at))?,)*)))
            }

            fn cast<U: Real>(&self) -> Self::Of<U> {
                Together(($(self.0.$at.cast(),)*))
            }
        }
    };
    (@ $name:ident) => { $name::Axes };
    (@ $name:ident $($rest:ident)+) => { Union<$name::Axes, tuples!(@ $($rest)+)> };
}

// As many as `grad` takes variables.
tuples!(P0 0);
tuples!(P0 0, P1 1);
tuples!(P0 0, P1 1, P2 2);
tuples!(P0 0, P1 1, P2 2, P3 3);
tuples!(P0 0, P1 1, P2 2, P3 3, P4 4);
tuples!(P0 0, P1 1, P2 2, P3 3, P4 4, P5 5);

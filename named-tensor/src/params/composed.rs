//! Structs of parameters that are composed by hand: layers in a list, parts of a model under names of their own.
//!
//! A function of the notation gives one tensor. What gives several, as a layer that also gives the keys and values it
//! was computed with, is a method of a struct whose fields are such functions; [`parameters!`](crate::parameters) makes
//! that struct one of parameters, so that it is drawn, walked and stored like any other.
//! Lives here: that macro, and lists of structs. Not here: layers along an axis (`stacked`).

use super::{Init, Parameter, ParameterMut, Parameters, Path};
use crate::element::Real;
use crate::error::{Error, ErrorKind, Result};

/// A list of structs is a struct; the names of its tensors begin with their places, as in `0.W`.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// let layers = vec![Tensor::new(chans, [1.0, 2.0]), Tensor::new(chans, [2.0])];
/// let names: Vec<String> = layers.parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!((names, layers.norm().item()?), (vec!["0".to_owned(), "1".to_owned()], 3.0));
/// # Ok::<(), named_tensor::Error>(())
/// ```
impl<P: Parameters<T>, T: Real> Parameters<T> for Vec<P> {
    type Axes = P::Axes;
    type Of<U: Real> = Vec<P::Of<U>>;

    fn visit(&self, path: &mut Path, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
        for (place, each) in self.iter().enumerate() {
            path.inside(&place.to_string(), |path| each.visit(path, visitor));
        }
    }

    fn visit_mut(&mut self, path: &mut Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
        for (place, each) in self.iter_mut().enumerate() {
            path.inside(&place.to_string(), |path| each.visit_mut(path, visitor));
        }
    }

    fn init_from(init: &mut Init<'_>) -> Result<Self> {
        let name = init.path().to_string();
        let list = if name.is_empty() { "a list".to_owned() } else { format!("the list `{name}`") };
        Err(Error::new(ErrorKind::Value, format!("{list} does not say how long it is: draw each of its structs")))
    }

    fn cast<U: Real>(&self) -> Self::Of<U> {
        self.iter().map(Parameters::cast).collect()
    }
}

/// A struct whose fields are structs of parameters, made one itself. Its fields are written with the precision `T`,
/// which it has itself, `Pair<T>`, whether that is written or not.
///
/// ```
/// use named_tensor::{parameters, prelude::*};
/// axes! { chans, out }
/// named! { fn Linear(X: R[chans]; W: R[chans, out], b: R[out] = 0) -> R[out] { X dot_chans W + b } }
///
/// parameters! {
///     /// Two linear layers of one input.
///     struct Pair<T> { left: Linear<T>, right: Linear<T> }
/// }
/// impl<T: Real> Pair<T> {
///     fn apply(&self, x: &Tensor<R![chans], T>) -> (Tensor<R![out], T>, Tensor<R![out], T>) {
///         (self.left.apply(x), self.right.apply(x))
///     }
/// }
///
/// let pair: Pair = named_tensor::params::init(&mut seeded(0), (chans.of(3), out.of(2)))?;
/// let names: Vec<String> = pair.parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["left.W", "left.b", "right.W", "right.b"]);
/// assert_eq!(pair.apply(&Tensor::ones(chans.of(3))).0.size(out), 2);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[macro_export]
macro_rules! parameters {
    // Where no field has its precision, that is the one mistake, and each is taken to have it.
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident $(<T>)? {
            $($(#[$of_field:meta])* $field_visibility:vis $field:ident : $kind:ident),+ $(,)?
        }
    )+) => {
        ::core::compile_error!(::core::concat!(
            "the fields of a struct of parameters are written with their precision:"
            $($(, " `", ::core::stringify!($field), ": ", ::core::stringify!($kind), "<T>`")+)+
        ));
        $crate::parameters! {$(
            $(#[$attribute])*
            $visibility struct $name {
                $($(#[$of_field])* $field_visibility $field: $kind<T>),+
            }
        )+}
    };
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident $(<T>)? {
            $($(#[$of_field:meta])* $field_visibility:vis $field:ident : $kind:ty),+ $(,)?
        }
    )+) => {$(
        $(#[$attribute])*
        $visibility struct $name<T: $crate::private::Real = ::core::primitive::f32> {
            $($(#[$of_field])* $field_visibility $field: $kind),+
        }

        // A derived one would not allow for types such as `Tensor<R![chans], T>`.
        impl<T: $crate::private::Real> ::core::clone::Clone for $name<T> {
            fn clone(&self) -> Self {
                $name { $($field: ::core::clone::Clone::clone(&self.$field)),+ }
            }
        }

        impl<T: $crate::private::Real> ::core::fmt::Debug for $name<T> {
            fn fmt(&self, __to: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut __shown = ::core::fmt::Formatter::debug_struct(__to, ::core::stringify!($name));
                $(::core::fmt::DebugStruct::field(&mut __shown, ::core::stringify!($field), &self.$field);)+
                ::core::fmt::DebugStruct::finish(&mut __shown)
            }
        }

        impl<T: $crate::private::Real> $crate::private::Parameters<T> for $name<T> {
            type Axes = $crate::parameters!(@axes T, $($kind),+);
            type Of<U: $crate::private::Real> = $name<U>;

            fn visit(
                &self,
                __path: &mut $crate::private::Path,
                __visitor: &mut dyn ::core::ops::FnMut($crate::private::Parameter<'_, T>),
            ) {
                $($crate::private::visit_nested(__path, ::core::stringify!($field), &self.$field, __visitor);)+
            }

            fn visit_mut(
                &mut self,
                __path: &mut $crate::private::Path,
                __visitor: &mut dyn ::core::ops::FnMut($crate::private::ParameterMut<'_, T>),
            ) {
                $($crate::private::visit_nested_mut(__path, ::core::stringify!($field), &mut self.$field, __visitor);)+
            }

            fn init_from(__init: &mut $crate::private::Init<'_>) -> $crate::private::Result<Self> {
                ::core::result::Result::Ok($name {
                    $($field: $crate::private::Init::nested(__init, ::core::stringify!($field))?),+
                })
            }

            fn cast<U: $crate::private::Real>(&self) -> $name<U> {
                $name { $($field: $crate::private::Parameters::<T>::cast(&self.$field)),+ }
            }
        }
    )+};
    (@axes $t:ident, $kind:ty) => { <$kind as $crate::private::Parameters<$t>>::Axes };
    (@axes $t:ident, $kind:ty, $($rest:ty),+) => {
        $crate::private::Union<<$kind as $crate::private::Parameters<$t>>::Axes, $crate::parameters!(@axes $t, $($rest),+)>
    };
}

// named! {
//     pub fn LayerNorm(X: R[chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[chans] {
//         standardize_chans(X) * γ + β
//     }
//
//     pub fn FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans] ~ glorot, b2: R[chans] ~ uniform(-0.1, 0.1)) -> R[chans] {
//         relu(X dot_chans W1 + b1) dot_hidden W2 + b2
//     }
// }

///`LayerNorm` of the notation.
///
/**```text
LayerNorm(X: R[chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[chans] {
    standardize_chans(X) * γ + β
}
```*/
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
#[derive(Clone, Debug)]
pub struct LayerNorm<T: ::named_tensor::private::Real = ::core::primitive::f32> {
    ///`γ : R[chans]`
    pub γ: ::named_tensor::private::Tensor<chans, T>,
    ///`β : R[chans]`
    pub β: ::named_tensor::private::Tensor<chans, T>,
}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl<T: ::named_tensor::private::Real> LayerNorm<T> {
    ///Applies `LayerNorm` to its arguments.
    #[track_caller]
    pub fn apply<A0: ::named_tensor::private::Axes>(
        &self,
        X: &::named_tensor::private::Tensor<A0, T>,
    ) -> ::named_tensor::private::Tensor<
        ::named_tensor::private::Lifted<(A0,), fn(chans) -> chans>,
        T,
    >
    where
        A0: ::named_tensor::private::Has<chans>
            + ::named_tensor::private::Avoids<chans, chans>,
    {
        fn __body<T: ::named_tensor::private::Real>(
            X: &::named_tensor::private::Tensor<chans, T>,
            γ: &::named_tensor::private::Tensor<chans, T>,
            β: &::named_tensor::private::Tensor<chans, T>,
        ) -> ::named_tensor::private::Tensor<chans, T> {
            ::named_tensor::private::result::<
                chans,
                _,
                _,
            >(
                ::named_tensor::private::add(
                    &::named_tensor::private::mul(
                        &::named_tensor::private::standardize(chans, X),
                        γ,
                    ),
                    β,
                ),
            )
        }
        let mut lift = ::named_tensor::private::Lift::new("LayerNorm");
        let X = lift.enter::<_, chans, _>(X);
        let result = __body::<T>(&X, &self.γ, &self.β);
        lift.exit(result)
    }
}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl LayerNorm<::core::primitive::f32> {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "LayerNorm(X: R[chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[chans] {\n    standardize_chans(X) * γ + β\n}";
    /// Draws initial values; `sizes` name at least the axes of all parameters.
    ///
    /// # Errors
    /// A shape that does not fit in memory.
    pub fn init<S: ::named_tensor::private::Extents>(
        rng: &mut impl ::named_tensor::private::Rng,
        sizes: S,
    ) -> ::named_tensor::private::Result<Self>
    where
        S::Set: ::named_tensor::private::Gives<
            <Self as ::named_tensor::private::Parameters<f32>>::Axes,
        >,
    {
        ::named_tensor::private::init(rng, sizes)
    }
}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl<T: ::named_tensor::private::Real> ::named_tensor::private::Parameters<T>
for LayerNorm<T> {
    type Axes = ::named_tensor::private::Union<
        chans,
        ::named_tensor::private::Union<chans, ()>,
    >;
    type Of<U: ::named_tensor::private::Real> = LayerNorm<U>;
    fn visit(
        &self,
        path: &mut ::named_tensor::private::Path,
        visitor: &mut dyn ::core::ops::FnMut(::named_tensor::private::Parameter<'_, T>),
    ) {
        ::named_tensor::private::visit_tensor(path, "γ", &self.γ, visitor);
        ::named_tensor::private::visit_tensor(path, "β", &self.β, visitor);
    }
    fn visit_mut(
        &mut self,
        path: &mut ::named_tensor::private::Path,
        visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::ParameterMut<'_, T>,
        ),
    ) {
        ::named_tensor::private::visit_tensor_mut(path, "γ", &mut self.γ, visitor);
        ::named_tensor::private::visit_tensor_mut(path, "β", &mut self.β, visitor);
    }
    fn init_from(
        init: &mut ::named_tensor::private::Init<'_>,
    ) -> ::named_tensor::private::Result<Self> {
        ::core::result::Result::Ok(LayerNorm {
            γ: init.tensor("γ", &::named_tensor::private::Draw::Constant(1f64))?,
            β: init.tensor("β", &::named_tensor::private::Draw::Constant(0f64))?,
        })
    }
    fn cast<U: ::named_tensor::private::Real>(&self) -> LayerNorm<U> {
        LayerNorm {
            γ: self.γ.cast(),
            β: self.β.cast(),
        }
    }
}
///`FFN` of the notation.
///
/**```text
FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans] ~ glorot, b2: R[chans] ~ uniform(-0.1, 0.1)) -> R[chans] {
    relu(X dot_chans W1 + b1) dot_hidden W2 + b2
}
```*/
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
#[derive(Clone, Debug)]
pub struct FFN<T: ::named_tensor::private::Real = ::core::primitive::f32> {
    ///`W1 : R[chans, hidden]`
    pub W1: ::named_tensor::private::Tensor<(chans, hidden), T>,
    ///`b1 : R[hidden]`
    pub b1: ::named_tensor::private::Tensor<hidden, T>,
    ///`W2 : R[hidden, chans]`
    pub W2: ::named_tensor::private::Tensor<(chans, hidden), T>,
    ///`b2 : R[chans]`
    pub b2: ::named_tensor::private::Tensor<chans, T>,
}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl<T: ::named_tensor::private::Real> FFN<T> {
    ///Applies `FFN` to its arguments.
    #[track_caller]
    pub fn apply<A0: ::named_tensor::private::Axes>(
        &self,
        X: &::named_tensor::private::Tensor<A0, T>,
    ) -> ::named_tensor::private::Tensor<
        ::named_tensor::private::Lifted<(A0,), fn(chans) -> chans>,
        T,
    >
    where
        A0: ::named_tensor::private::Has<chans>
            + ::named_tensor::private::Avoids<chans, chans>,
    {
        fn __body<T: ::named_tensor::private::Real>(
            X: &::named_tensor::private::Tensor<chans, T>,
            W1: &::named_tensor::private::Tensor<(chans, hidden), T>,
            b1: &::named_tensor::private::Tensor<hidden, T>,
            W2: &::named_tensor::private::Tensor<(chans, hidden), T>,
            b2: &::named_tensor::private::Tensor<chans, T>,
        ) -> ::named_tensor::private::Tensor<chans, T> {
            ::named_tensor::private::result::<
                chans,
                _,
                _,
            >(
                ::named_tensor::private::add(
                    &::named_tensor::private::dot(
                        &::named_tensor::private::relu(
                            &::named_tensor::private::add(
                                &::named_tensor::private::dot(X, chans, W1),
                                b1,
                            ),
                        ),
                        hidden,
                        W2,
                    ),
                    b2,
                ),
            )
        }
        let mut lift = ::named_tensor::private::Lift::new("FFN");
        let X = lift.enter::<_, chans, _>(X);
        let result = __body::<T>(&X, &self.W1, &self.b1, &self.W2, &self.b2);
        lift.exit(result)
    }
}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl FFN<::core::primitive::f32> {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans] ~ glorot, b2: R[chans] ~ uniform(-0.1, 0.1)) -> R[chans] {\n    relu(X dot_chans W1 + b1) dot_hidden W2 + b2\n}";
    /// Draws initial values; `sizes` name at least the axes of all parameters.
    ///
    /// # Errors
    /// A shape that does not fit in memory.
    pub fn init<S: ::named_tensor::private::Extents>(
        rng: &mut impl ::named_tensor::private::Rng,
        sizes: S,
    ) -> ::named_tensor::private::Result<Self>
    where
        S::Set: ::named_tensor::private::Gives<
            <Self as ::named_tensor::private::Parameters<f32>>::Axes,
        >,
    {
        ::named_tensor::private::init(rng, sizes)
    }
}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl<T: ::named_tensor::private::Real> ::named_tensor::private::Parameters<T>
for FFN<T> {
    type Axes = ::named_tensor::private::Union<
        (chans, hidden),
        ::named_tensor::private::Union<
            hidden,
            ::named_tensor::private::Union<
                (chans, hidden),
                ::named_tensor::private::Union<chans, ()>,
            >,
        >,
    >;
    type Of<U: ::named_tensor::private::Real> = FFN<U>;
    fn visit(
        &self,
        path: &mut ::named_tensor::private::Path,
        visitor: &mut dyn ::core::ops::FnMut(::named_tensor::private::Parameter<'_, T>),
    ) {
        ::named_tensor::private::visit_tensor(path, "W1", &self.W1, visitor);
        ::named_tensor::private::visit_tensor(path, "b1", &self.b1, visitor);
        ::named_tensor::private::visit_tensor(path, "W2", &self.W2, visitor);
        ::named_tensor::private::visit_tensor(path, "b2", &self.b2, visitor);
    }
    fn visit_mut(
        &mut self,
        path: &mut ::named_tensor::private::Path,
        visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::ParameterMut<'_, T>,
        ),
    ) {
        ::named_tensor::private::visit_tensor_mut(path, "W1", &mut self.W1, visitor);
        ::named_tensor::private::visit_tensor_mut(path, "b1", &mut self.b1, visitor);
        ::named_tensor::private::visit_tensor_mut(path, "W2", &mut self.W2, visitor);
        ::named_tensor::private::visit_tensor_mut(path, "b2", &mut self.b2, visitor);
    }
    fn init_from(
        init: &mut ::named_tensor::private::Init<'_>,
    ) -> ::named_tensor::private::Result<Self> {
        ::core::result::Result::Ok(FFN {
            W1: init
                .tensor(
                    "W1",
                    &::named_tensor::private::Draw::Normal {
                        mean: 0f64,
                        deviation: (1f64
                            / ::named_tensor::private::sqrt(
                                (init.size("chans")? as ::core::primitive::f64),
                            )),
                    },
                )?,
            b1: init.tensor("b1", &::named_tensor::private::Draw::Constant(0f64))?,
            W2: init
                .tensor(
                    "W2",
                    &::named_tensor::private::Draw::Glorot {
                        incoming: (init.size("hidden")? as ::core::primitive::f64),
                        outgoing: (init.size("chans")? as ::core::primitive::f64),
                    },
                )?,
            b2: init
                .tensor(
                    "b2",
                    &::named_tensor::private::Draw::Uniform {
                        low: (-0.1f64),
                        high: 0.1f64,
                    },
                )?,
        })
    }
    fn cast<U: ::named_tensor::private::Real>(&self) -> FFN<U> {
        FFN {
            W1: self.W1.cast(),
            b1: self.b1.cast(),
            W2: self.W2.cast(),
            b2: self.b2.cast(),
        }
    }
}

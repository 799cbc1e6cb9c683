//! Optimisers: stochastic gradient descent with momentum, Adam and AdamW.
//!
//! What happens to a parameter happens to each of its numbers alike, so the equations are those of one number, lifted
//! over whatever axes a parameter has. Their state is a struct of the parameters' own type, and can be saved like them.
//! Lives here: the equations, and the step that applies them to all parameters. Not here: rates (`schedule`).

use named_tensor::graph::Shape;
use named_tensor::prelude::*;
use std::panic::Location;

named! {
    /// θ against the direction v.
    pub fn Descent(θ: R[], v: R[], η: R[]) -> R[] { θ - η * v }

    /// The direction: gradients summed, older ones less and less.
    pub fn Momentum(v: R[], g: R[], μ: R[]) -> R[] { μ * v + g }

    /// A running mean, a part α of which is new: of gradients, and of their squares. α = 1 - β.
    pub fn RunningMean(m: R[], g: R[], α: R[]) -> R[] { m + α * (g - m) }

    /// Adam's direction; c1 = 1 - β₁^t and c2 = 1 - β₂^t correct means that began at 0.
    pub fn AdamDirection(m: R[], v: R[], c1: R[], c2: R[], ε: R[]) -> R[] { m / c1 / (sqrt(v / c2) + ε) }

    /// A gradient no longer than c, given the length n of all gradients together.
    pub fn Clipped(g: R[], n: R[], c: R[]) -> R[] { g * min(1, c / n) }
}

fn scalar<T: Real>(number: f64) -> Tensor<R![], T> {
    Tensor::scalar(T::from_f64(number))
}

/// The gradients, together no longer than `longest`.
///
/// Where their length is no finite number (an infinite one among them, or in `f32` a length beyond 1.8 · 10¹⁹), all of them
/// are NaN: zeros would look like the end of a training.
#[must_use]
pub fn clipped<P: Parameters<T>, T: Real>(gradient: &P, longest: f64) -> P {
    shortened(gradient, &gradient.norm(), longest)
}

/// The same, given the length.
pub(crate) fn shortened<P: Parameters<T>, T: Real>(gradient: &P, norm: &Tensor<R![], T>, longest: f64) -> P {
    let longest = scalar::<T>(longest);
    let norm = norm.lt(T::from_f64(f64::INFINITY)).select(norm, &scalar(f64::NAN));
    gradient.combine([], |_, g, []| Clipped(g, &norm, &longest))
}

/// Why a step failed: the error of the gradient, or which part of it has other sizes than its parameter, or else this error.
fn explained<P: Parameters<T>, T: Real>(
    error: Error,
    parameters: &P,
    gradient: &P,
    place: &'static Location<'static>,
) -> Error {
    if let Err(own) = gradient.eval() {
        return own.at(place);
    }
    let owed = gradient.parameters();
    let differ = |one: &Shape, other: &Shape| one.iter().any(|(axis, size)| other.size(axis) != Some(size));
    let clash = parameters.parameters().into_iter().find_map(|(name, own)| {
        let (_, owed) = owed.iter().find(|(other, owed)| *other == name && differ(&own, owed))?;
        Some(format!("sizes clash in `step`: the parameter `{name}` is {own}, its gradient {owed}"))
    });
    clash.map_or(error, |clash| Error::new(ErrorKind::SizeClash, clash).at(place))
}

/// What every optimiser can do.
pub trait Optimizer<P: Parameters<T>, T: Real = f32> {
    /// What it remembers from step to step, so that a run can be stored and gone on with.
    type State: Parameters<T>;

    /// What it remembers.
    fn state(&self) -> &Self::State;

    /// Puts another memory in its place.
    fn remember(&mut self, state: Self::State);

    /// The parameters after one step with the rate η.
    ///
    /// # Errors
    /// The error that a gradient carries, or one of computing it; sizes of the gradient that are not those of a parameter.
    #[track_caller]
    fn step(&mut self, parameters: &P, gradient: &P, rate: f64) -> Result<P, Error>;
}

/// Whether a parameter multiplies, by its dotted name: `W_Q`, `U`, `v` and tables `E` do; gains `γ` and shifts `β`, `b`
/// and `c` only scale and shift. The usual group of those that decay.
#[must_use]
pub fn is_weight(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| !last.starts_with(['γ', 'β', 'b', 'c']))
}

/// Stochastic gradient descent with momentum: v ← μ v + g, θ ← θ - η v.
#[derive(Clone, Debug)]
pub struct Sgd<P> {
    /// μ; 0 is plain descent.
    pub momentum: f64,
    /// v for each parameter.
    pub velocity: P,
}

impl<P> Sgd<P> {
    /// At rest.
    #[must_use]
    pub fn new<T: Real>(parameters: &P, momentum: f64) -> Sgd<P>
    where
        P: Parameters<T>,
    {
        Sgd { momentum, velocity: parameters.zeros() }
    }

    /// The parameters after one step with the rate η.
    ///
    /// # Errors
    /// The error that a gradient carries, or one of computing it; sizes of the gradient that are not those of a parameter.
    #[track_caller]
    pub fn step<T: Real>(&mut self, parameters: &P, gradient: &P, rate: f64) -> Result<P, Error>
    where
        P: Parameters<T>,
    {
        let place = Location::caller();
        let (μ, η) = (scalar::<T>(self.momentum), scalar::<T>(rate));
        let velocity = self.velocity.combine([gradient], |_, v, [g]| Momentum(v, g, &μ));
        let moved = parameters.combine([&velocity], |_, θ, [v]| Descent(θ, v, &η));
        let done = Together((moved, velocity)).eval();
        let Together((moved, velocity)) = done.map_err(|error| explained(error, parameters, gradient, place))?;
        self.velocity = velocity;
        Ok(moved)
    }
}

impl<P: Parameters<T>, T: Real> Optimizer<P, T> for Sgd<P> {
    type State = P;

    fn state(&self) -> &P {
        &self.velocity
    }

    fn remember(&mut self, state: P) {
        self.velocity = state;
    }

    #[track_caller]
    fn step(&mut self, parameters: &P, gradient: &P, rate: f64) -> Result<P, Error> {
        Sgd::step(self, parameters, gradient, rate)
    }
}

/// Adam (Kingma and Ba, 2015), and with decay AdamW (Loshchilov and Hutter, 2019).
#[derive(Clone, Debug)]
pub struct Adam<P, T: Real = f32> {
    /// β₁, for the mean of gradients.
    pub beta1: f64,
    /// β₂, for the mean of their squares.
    pub beta2: f64,
    /// ε, beside the root.
    pub epsilon: f64,
    /// λ: what part of a parameter is taken away at each step, times the rate. Not a part of the gradient (AdamW).
    pub decay: f64,
    /// Which parameters decay, by their dotted names.
    pub decays: fn(&str) -> bool,
    /// m and v for each parameter, and t.
    pub state: Together<(P, P, Tensor<(), T>)>,
}

impl<P: Parameters<T>, T: Real> Adam<P, T> {
    /// Before the first step, with β₁ = 0.9, β₂ = 0.999, ε = 1e-8 and no decay.
    #[must_use]
    pub fn new(parameters: &P) -> Adam<P, T> {
        Adam {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            decay: 0.0,
            decays: |_| true,
            state: Together((parameters.zeros(), parameters.zeros(), scalar(0.0))),
        }
    }

    /// With decay λ of those parameters whose names `decays` accepts: AdamW.
    #[must_use]
    pub fn decaying(self, decay: f64, decays: fn(&str) -> bool) -> Adam<P, T> {
        Adam { decay, decays, ..self }
    }

    /// The parameters after one step with the rate η.
    ///
    /// # Errors
    /// The error that a gradient carries, or one of computing it; sizes of the gradient that are not those of a parameter.
    #[track_caller]
    pub fn step(&mut self, parameters: &P, gradient: &P, rate: f64) -> Result<P, Error> {
        let place = Location::caller();
        let Together((first, second, steps)) = &self.state;
        let t = steps.item()?.to_f64() + 1.0;
        // Differences from 1 are formed in `f64`: in `f32` a β near 1 would leave few digits.
        let (α1, α2, ε) = (scalar(1.0 - self.beta1), scalar(1.0 - self.beta2), scalar(self.epsilon));
        let (c1, c2) = (scalar(1.0 - self.beta1.powf(t)), scalar(1.0 - self.beta2.powf(t)));
        let (η, kept) = (scalar(rate), scalar(1.0 - rate * self.decay));
        let first = first.combine([gradient], |_, m, [g]| RunningMean(m, g, &α1));
        let second = second.combine([gradient], |_, v, [g]| RunningMean(v, &(g * g), &α2));
        let moved = parameters.combine([&first, &second], |name, θ, [m, v]| {
            let direction = AdamDirection(m, v, &c1, &c2, &ε);
            let decayed = if self.decay != 0.0 && (self.decays)(name) { θ * &kept } else { θ.clone() };
            Descent(&decayed, &direction, &η)
        });
        let done = Together((moved, Together((first, second, scalar(t))))).eval();
        let Together((moved, state)) = done.map_err(|error| explained(error, parameters, gradient, place))?;
        self.state = state;
        Ok(moved)
    }
}

impl<P: Parameters<T>, T: Real> Optimizer<P, T> for Adam<P, T> {
    type State = Together<(P, P, Tensor<(), T>)>;

    fn state(&self) -> &Self::State {
        &self.state
    }

    fn remember(&mut self, state: Self::State) {
        self.state = state;
    }

    #[track_caller]
    fn step(&mut self, parameters: &P, gradient: &P, rate: f64) -> Result<P, Error> {
        Adam::step(self, parameters, gradient, rate)
    }
}

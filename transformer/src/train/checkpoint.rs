//! Checkpoints: all that a run needs to go on, in one safetensors file that is replaced in one step.
//!
//! The parameters stand under `model.`, the memory of the optimiser under `optimizer.`, the number of steps under `steps`;
//! from 2²⁴ on, where not every number is one of `f32`, how often it has 2²⁴ stands under `steps_high`, and the rest there.
//! Lives here: storing and loading, which refuses what does not belong to this model and changes nothing then.
//! Not here: which run it was (the command line keeps that beside it).

use std::path::Path;

use named_tensor::axes::set::Union;
use named_tensor::params::{self, Init, Parameter, ParameterMut};
use named_tensor::prelude::*;

use super::{Training, not_finite};
use crate::optimizer::Optimizer;

/// What is stored.
#[derive(Clone)]
struct Kept<P, S, T = f32> {
    model: P,
    optimizer: S,
    steps: Tensor<(), T>,
    high: Option<Tensor<(), T>>,
}

/// Whole numbers up to this one are exact in `f32`, so two of them hold one below its square.
const EXACT: u64 = 1 << 24;

impl<T: Real, P: Parameters<T>, S: Parameters<T>> Parameters<T> for Kept<P, S, T> {
    type Axes = Union<P::Axes, S::Axes>;
    type Of<U: Real> = Kept<P::Of<U>, S::Of<U>, U>;

    fn visit(&self, path: &mut params::Path, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
        params::visit_nested(path, "model", &self.model, visitor);
        params::visit_nested(path, "optimizer", &self.optimizer, visitor);
        params::visit_tensor(path, "steps", &self.steps, visitor);
        params::visit_nested(path, "steps_high", &self.high, visitor);
    }

    fn visit_mut(&mut self, path: &mut params::Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
        params::visit_nested_mut(path, "model", &mut self.model, visitor);
        params::visit_nested_mut(path, "optimizer", &mut self.optimizer, visitor);
        params::visit_tensor_mut(path, "steps", &mut self.steps, visitor);
        params::visit_nested_mut(path, "steps_high", &mut self.high, visitor);
    }

    fn init_from(init: &mut Init<'_>) -> Result<Self, Error> {
        let (model, optimizer) = (init.nested("model")?, init.nested("optimizer")?);
        Ok(Kept { model, optimizer, steps: Tensor::scalar(T::from_f64(0.0)), high: None })
    }

    fn cast<U: Real>(&self) -> Self::Of<U> {
        let (model, optimizer) = (self.model.cast(), self.optimizer.cast());
        Kept { model, optimizer, steps: self.steps.cast(), high: self.high.as_ref().map(Tensor::cast) }
    }
}

impl<P: Parameters<f32>, O: Optimizer<P>> Training<P, O> {
    fn kept(&self) -> Kept<P, O::State> {
        let (model, optimizer) = (self.model.clone(), self.optimizer.state().clone());
        let high = (self.steps >= EXACT).then(|| Tensor::scalar((self.steps / EXACT) as f32));
        Kept { model, optimizer, steps: Tensor::scalar((self.steps % EXACT) as f32), high }
    }

    /// Stores the run. A crash on the way leaves the file as it was.
    ///
    /// # Errors
    /// The file cannot be written; the model, or what the optimiser remembers, has a number that is not finite. The message
    /// names every such tensor, and the file is as it was: who goes on from there may do better.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let (kept, path) = (self.kept(), path.as_ref());
        if let Some(wrong) = wrong(&kept) {
            let (shown, steps) = (path.display(), self.steps);
            let message = format!("step {steps} has numbers that are not finite in {wrong}: `{shown}` is as it was");
            return Err(Error::new(ErrorKind::Value, message));
        }
        kept.save(path)
    }

    /// Goes on with a stored run.
    ///
    /// # Errors
    /// The file cannot be read or is truncated; its tensors are not those of this model and optimiser, or one of them has
    /// a number that is not finite. The message names the file and every such tensor; the run is as it was.
    pub fn load(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        let mut kept = Kept { high: None, ..self.kept() };
        if let Err(error) = kept.load(&path) {
            // The file of a long run has one number more.
            kept.high = Some(Tensor::scalar(0.0));
            kept.load(&path).map_err(|_| error)?;
        }
        let refused = |message: String| Error::new(ErrorKind::File, format!("`{}` {message}", path.as_ref().display()));
        if let Some(wrong) = wrong(&kept) {
            return Err(refused(format!("has numbers that are not finite in {wrong}")));
        }
        let high = kept.high.map_or(Ok(0.0), |high| high.item())?;
        let steps = [kept.steps.item()?, high];
        if let Some(wrong) = steps.iter().find(|steps| **steps < 0.0 || steps.fract() != 0.0) {
            return Err(refused(format!("is at step {wrong}, which is no number of steps")));
        }
        let [low, high] = steps.map(|steps| steps as u64);
        self.model = kept.model;
        self.optimizer.remember(kept.optimizer);
        self.steps = low.saturating_add(high.saturating_mul(EXACT));
        Ok(())
    }
}

/// The names of what has a number that is not finite, as a list; none if all are.
fn wrong(of: &impl Parameters<f32>) -> Option<String> {
    let wrong = not_finite(of);
    (!wrong.is_empty()).then(|| format!("`{}`", wrong.join("`, `")))
}

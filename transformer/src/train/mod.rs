//! Training: a model, what its optimiser remembers, and how many steps are done.
//!
//! A step is: the loss of a batch, its gradient by all parameters, clipped if wished, and a step of the optimiser. What a
//! step does follows from its number alone (`batches`, `schedule`, seeds), so that a run that was stored and gone on
//! with ends with the same bits as one that was never interrupted.
//! Lives here: one step and many. Not here: the loss (a function of the model), files (`checkpoint`), rows of a log
//! (`log`), what a terminal shows (the command line).

pub mod batches;
#[cfg(feature = "files")]
pub mod checkpoint;
pub mod log;

use std::ops::ControlFlow;

use named_tensor::prelude::*;

use crate::optimizer::{Optimizer, shortened};

/// A model on its way.
#[derive(Clone, Debug)]
pub struct Training<P, O> {
    /// The parameters.
    pub model: P,
    /// What changes them, with its memory.
    pub optimizer: O,
    /// How many steps are done.
    pub steps: u64,
}

/// How a run goes.
pub struct Course<'a> {
    /// The last step.
    pub last: u64,
    /// The rate of each step, counted from 1.
    pub rate: &'a dyn Fn(u64) -> f64,
    /// The longest gradient; a longer one is shortened.
    pub longest: Option<f64>,
}

impl std::fmt::Debug for Course<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Course").field("last", &self.last).field("longest", &self.longest).finish_non_exhaustive()
    }
}

/// What a step was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Its number, counted from 1.
    pub number: u64,
    /// The loss before it.
    pub loss: f64,
    /// Its rate.
    pub rate: f64,
}

impl<P: Parameters<f32>, O: Optimizer<P>> Training<P, O> {
    /// Before the first step.
    #[must_use]
    pub fn new(model: P, optimizer: O) -> Training<P, O> {
        Training { model, optimizer, steps: 0 }
    }

    /// One step: the loss before it is returned.
    ///
    /// # Errors
    /// A loss that is not finite, or a gradient whose length is not: then nothing has changed. The error that the loss
    /// carries, or one of computing it.
    pub fn step(&mut self, loss: &Tensor<R![]>, rate: f64, longest: Option<f64>) -> Result<f64, Error> {
        let gradient = grad(loss, &self.model);
        let Together((loss, norm, gradient)) = Together((loss.clone(), gradient.norm(), gradient)).eval()?;
        let (value, length, number) = (loss.item()?, norm.item()?, self.steps + 1);
        let refused = |message: String| Err(Error::new(ErrorKind::Value, message));
        if !value.is_finite() {
            return refused(format!("the loss is {value} at step {number}"));
        }
        if !length.is_finite() {
            let mut message = format!("the length of the gradient is {length} at step {number}");
            // A model of one tensor has no name for it.
            let wrong = not_finite(&gradient).into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>();
            if !wrong.is_empty() {
                message += &format!(": that of `{}` is not finite", wrong.join("`, `"));
            }
            return refused(message);
        }
        let gradient = longest.map_or_else(|| gradient.clone(), |longest| shortened(&gradient, &norm, longest));
        self.model = self.optimizer.step(&self.model, &gradient, rate)?;
        self.steps = number;
        Ok(f64::from(value))
    }

    /// All steps that are left, each with the loss that `loss` gives for the model and the number of the step. After each,
    /// `seen` is shown it and says whether to go on; whether the last step was reached is returned.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use named_tensor::prelude::*;
    /// use transformer::{axes::*, feed_forward::Linear, optimizer::{Optimizer, Sgd}};
    /// use transformer::train::{Course, Training};
    ///
    /// let model = Linear::init(&mut seeded(0), (chans.of(2), out.of(1)))?;
    /// let (x, y) = (Tensor::new(chans, [1.0, 2.0]), Tensor::new(out, [5.0]));
    /// let loss = |model: &Linear, _| {
    ///     let off = model.apply(&x) - &y;
    ///     off.dot(out, &off)
    /// };
    ///
    /// let mut training = Training::new(model.clone(), Sgd::new(&model, 0.0));
    /// let course = Course { last: 50, rate: &|_| 0.05, longest: None };
    /// training.run(&course, loss, |_, _| Ok(ControlFlow::Continue(())))?;
    /// assert!(loss(&training.model, 0).item()? < 1e-6);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`step`](Training::step), and those of `seen`.
    pub fn run(
        &mut self,
        course: &Course<'_>,
        mut loss: impl FnMut(&P, u64) -> Tensor<R![]>,
        mut seen: impl FnMut(&Self, Step) -> Result<ControlFlow<()>, Error>,
    ) -> Result<bool, Error> {
        while self.steps < course.last {
            let number = self.steps + 1;
            let rate = (course.rate)(number);
            let loss = self.step(&loss(&self.model, number), rate, course.longest)?;
            if seen(self, Step { number, loss, rate })?.is_break() {
                break;
            }
        }
        Ok(self.steps >= course.last)
    }
}

/// The names of what has a number that is not finite.
fn not_finite(of: &impl Parameters<f32>) -> Vec<String> {
    let mut wrong = Vec::new();
    of.each(|parameter| {
        if parameter.to_vec().is_ok_and(|numbers| numbers.iter().any(|number| !number.is_finite())) {
            wrong.push(parameter.name.to_owned());
        }
    });
    wrong
}

//! What a task is: data, a model, a loss, and what is to be said of the model in the end.

use named_tensor::prelude::*;
use transformer::optimizer::Adam;

use super::folder::Folder;

/// A task, with its data.
pub(crate) trait Task {
    /// What is learnt.
    type Model: Parameters<f32>;

    /// What it is called on the command line.
    const NAME: &'static str;

    /// What distinguishes its data and sizes from those of another run of this task, in words.
    fn data(&self) -> String;

    /// The equations of the model, inner ones first.
    fn equations(&self) -> Vec<&'static str>;

    /// A model before training.
    fn model(&self, seed: u64) -> Result<Self::Model, Error>;

    /// What changes the model.
    fn optimizer(&self, model: &Self::Model) -> Adam<Self::Model> {
        Adam::new(model)
    }

    /// How many examples there are, and how many of them make a batch.
    fn examples(&self) -> (usize, usize);

    /// How many tokens an example has on average, for the speed.
    fn tokens(&self) -> f64;

    /// The last step, unless another is asked for.
    fn steps(&self) -> u64;

    /// The rate of a step, of which `last` is the last.
    fn rate(&self, step: u64, last: u64) -> f64;

    /// The longest gradient; a longer one is shortened.
    fn longest(&self) -> Option<f64> {
        None
    }

    /// The loss of a batch; random numbers come from `seed`.
    fn loss(&self, model: &Self::Model, batch: &[usize], seed: u64) -> Tensor<R![]>;

    /// What came of it, in words; pictures are put into the folder.
    fn report(&self, model: &Self::Model, folder: &Folder) -> Result<String, Error>;
}

//! What it costs to find a plan, on a model of GPT-2 small's depth whose tensors are so small that numbers cost nothing.
//!
//! A graph of other sizes has a plan of its own. So each length of a text is read twice: the second time costs the making
//! of the graph, its key, the look into the table of plans and the steps; the first time that and the planning.
//! The rows `../first` and `../again` tell both, the rows `../planning` their difference. `cold` is `decode` where other
//! numbers are read before each call: then a plan that is kept comes from memory as well, and the difference says little.

use std::hint::black_box;

use named_tensor::prelude::*;
use transformer::axes::*;
use transformer::mask::ContextMask;
use transformer::models::context::Reads;
use transformer::models::gpt2::Gpt2;

use crate::protocol::{Cost, Run, clock};

const LAYERS: usize = 12;
const WORDS: usize = 11;

/// The seconds of the first call and of the second, `before` each of which something else is done.
fn twice<R>(before: impl Fn(), call: impl Fn() -> Result<R, Error>) -> Result<[f64; 2], Error> {
    let timed = || -> Result<f64, Error> {
        before();
        let start = clock();
        let result = call()?;
        let time = clock() - start;
        drop(result);
        Ok(time)
    };
    Ok([timed()?, timed()?])
}

/// Reading a text, a step of training on it, and one more word after it.
pub(crate) fn planning(run: &Run) -> Result<(), Error> {
    let sizes = (vocab.of(WORDS), places.of(1024), chans.of(8), heads.of(2), key.of(4), val.of(4), hidden.of(16));
    let model = Gpt2::init(&mut seeded(0), LAYERS, sizes)?.eval()?;
    let text = |size: usize| -> Vec<usize> { (0..size).map(|i| i % WORDS).collect() };
    // As many numbers as a model of another size reads for a word: they put all of ours out of the caches.
    let others = vec![1_u64; 16 << 20];
    let evict = || {
        black_box(others.iter().step_by(8).sum::<u64>());
    };
    let forward = |size: usize| twice(|| (), || model.next(&text(size), &model.start()));
    let training = |size: usize| twice(|| (), || value_and_grad(&likelihood(&model, &text(size))?, &model));
    let word = |size: usize, before: &dyn Fn()| {
        let context = model.next(&text(size), &model.start())?.1;
        twice(before, || model.next(&[3], &context))
    };
    let decode = |size: usize| word(size, &|| ());
    let cold = |size: usize| word(size, &evict);
    let cases: [(&str, &dyn Fn(usize) -> Result<[f64; 2], Error>); 4] =
        [("plan/forward", &forward), ("plan/training", &training), ("plan/decode", &decode), ("plan/cold", &cold)];
    for (case, of) in cases {
        if !run.wants(case) {
            continue;
        }
        // The first length warms up.
        of(8)?;
        let times = (9..33).map(of).collect::<Result<Vec<_>, _>>()?;
        let rows: [(&str, fn(&[f64; 2]) -> f64); 3] = [
            ("first", |[first, _]| *first),
            ("planning", |[first, again]| first - again),
            ("again", |[_, again]| *again),
        ];
        for (row, of) in rows {
            let none = Cost { flops: 0.0, bytes: 0.0 };
            run.print(&format!("{case}/{row}"), none, &[], times.iter().map(of).collect(), 1)?;
        }
    }
    Ok(())
}

/// The mean of minus the logarithm of the probability of each word after the words before it.
fn likelihood(model: &Gpt2, words: &[usize]) -> Result<Tensor<R![]>, Error> {
    let size = words.len();
    let ids = Tensor::indices_from_vec(seq_.of(size), vocab, words.to_vec())?;
    let at = Tensor::indices_from_vec(seq_.of(size), places, (0..size).collect())?;
    let mask = ContextMask(&Tensor::<_, f32>::zeros(seq.of(size)), &Tensor::zeros(seq_.of(size)));
    let (features, _) = model.read(&ids, &at, &mask, &model.start().layers);
    Ok(-model.logits(&features).log_softmax(vocab).mean((seq_, vocab)))
}

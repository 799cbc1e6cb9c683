//! Published architectures, at small sizes: what `embed` and `generate` load.

use named_tensor::params::init;
use named_tensor::prelude::*;
use transformer::attention::{MaskedAttention, MultiHead};
use transformer::axes::*;
use transformer::embedding::Embedding;
use transformer::mask::{ContextMask, LengthMask};
use transformer::models::bert::{Bert, BertLayer, GeluFFN, Meaning, Norm, Words};
use transformer::models::context::Reads;
use transformer::models::gpt2::{Attend, Embedded, Gpt2, Keys, MLP, Scores, Values};
use transformer::models::llama::{GroupedAttend, Llama, PlainValues, RMSNorm, RMSScores, RotaryKeys, SwiGLU, Weights};
use transformer::norm::LayerNorm;
use transformer::position::Rotary;

use super::{Arguments, equations, page};

/// Words that are read for the cost.
const READ: usize = 8;

pub(super) fn gpt2(arguments: &Arguments) -> Result<(), Error> {
    let words = (vocab.of(256), places.of(64), chans.of(64));
    let sizes = (words.0, words.1, words.2, heads.of(4), key.of(16), val.of(16), hidden.of(256));
    let model = Gpt2::init(&mut seeded(0), 2, sizes)?;
    let equations = equations![LayerNorm, MaskedAttention, Embedded, Keys, Values, Attend, MLP, Scores];
    page(arguments, &equations, &model, &plan(&model)?)
}

pub(super) fn llama(arguments: &Arguments) -> Result<(), Error> {
    let mut rng = seeded(0);
    let inner = (chans.of(64), heads.of(2), shared.of(2), key.of(16), val.of(16), hidden.of(256));
    let weights = Weights {
        words: init(&mut rng, (vocab.of(256), chans.of(64)))?,
        layers: (0..2).map(|_| init(&mut rng, inner)).collect::<Result<_, _>>()?,
        head: init(&mut rng, chans.of(64))?,
        output: None,
    };
    let (ε, base) = (Tensor::scalar(1e-6), Tensor::scalar(10_000.0));
    let model = Llama { weights, ε, base, positions: 64 };
    let equations = equations![
        Embedding,
        RMSNorm,
        Rotary,
        RotaryKeys,
        PlainValues,
        MaskedAttention,
        GroupedAttend,
        SwiGLU,
        RMSScores
    ];
    page(arguments, &equations, &model.weights, &plan(&model)?)
}

pub(super) fn bert(arguments: &Arguments) -> Result<(), Error> {
    let mut rng = seeded(0);
    let inner = (chans.of(64), heads.of(4), key.of(16), val.of(16), hidden.of(256));
    let model = Bert {
        words: init(&mut rng, (vocab.of(256), places.of(64), segments.of(2), chans.of(64)))?,
        layers: (0..2).map(|_| init(&mut rng, inner)).collect::<Result<_, _>>()?,
    };
    let read = Tensor::indices_from_vec((batch.of(1), seq.of(READ)), vocab, vec![0; READ])?;
    let n = Tensor::full(batch.of(1), READ as f32);
    let meaning: Tensor<R![batch, chans]> = Meaning(&model.features(&read, &n), &n);
    let equations = equations![Norm, Words, LengthMask, MaskedAttention, MultiHead, GeluFFN, BertLayer, Meaning];
    page(arguments, &equations, &model, &meaning.plan()?)
}

/// The steps that read a text from its beginning and score the words after each of its words.
fn plan(model: &impl Reads) -> Result<String, Error> {
    let words = Tensor::indices_from_vec(seq_.of(READ), vocab, vec![0; READ])?;
    let at = Tensor::indices_from_vec(seq_.of(READ), places, (0..READ).collect())?;
    let mask = ContextMask(&Tensor::<_, f32>::zeros(seq.of(READ)), &Tensor::zeros(seq_.of(READ)));
    let (features, _) = model.read(&words, &at, &mask, &model.start().layers);
    model.logits(&features).plan()
}

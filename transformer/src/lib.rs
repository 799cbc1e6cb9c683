//! The Transformer, written as its equations and nothing else.
//!
//! Each file is a group of equations in Named Tensor Notation; the text of the equation is the program. Read them in
//! this order: [`axes`] (the legend), [`norm`], [`attention`], [`mask`], [`position`], [`feed_forward`], [`embedding`],
//! [`block`], [`layer`] (the same with the choices of every source), [`stack`]; [`alignment`] (attention with any score),
//! [`recurrent`], and whole [`models`]; then how they learn: [`loss`], [`dropout`], [`optimizer`], [`schedule`],
//! [`train`]; how they go on with a text: [`generate`]; and how they are looked at: [`picture`].
//!
//! An equation names where it is from: "row 0.7" is formula 7 of source 000, "N8" a network of the paper. The paper is Chiang,
//! Rush and Barak, *Named Tensor Notation*; the sources are these:
//!
//! | source | rows | what it is |
//! |---|---|---|
//! | 000 | 0.1 to 0.21 | Lelarge, *Transformers using Named Tensor Notation* |
//! | 001 | 1.1 to 1.17 | the README of NVukobrat/transformer |
//! | 002 | 2.1 to 2.19 | a blog about attention as sums by indices (einsum) |
//! | 003 | 3.1 to 3.21 | dataflowr, *Module 12: Attention and Transformers* |
//! | 004 | 4.1 to 4.23 | Lei Mao, *Transformer Explained in One Single Page* |
//!
//! What each row says and which tests hold it is a page of the notes, `docs/coverage.md`.
//!
//! ```
//! use named_tensor::prelude::*;
//! use transformer::axes::*;
//! use transformer::block::Block;
//!
//! let block = Block::init(&mut seeded(0), (chans.of(8), key.of(4), val.of(8), hidden.of(32)))?;
//! let text: Tensor<R![seq, chans]> = Tensor::normal(&mut seeded(1), (seq.of(5), chans.of(8)), 0.0, 1.0);
//! let batches: Tensor<R![batch, seq, chans]> = Tensor::normal(&mut seeded(2), (batch.of(3), seq.of(5), chans.of(8)), 0.0, 1.0);
//!
//! // One definition, at exactly the axes it speaks of, lifted over any others.
//! let y: Tensor<R![seq, chans]> = block.apply(&text);
//! let z: Tensor<R![batch, seq, chans]> = block.apply(&batches);
//! assert_eq!((y.size(seq), z.size(batch)), (5, 3));
//! # Ok::<(), named_tensor::Error>(())
//! ```

// Where documentation is built for all features, each item says which one it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    confusable_idents,
    mixed_script_confusables,
    reason = "the equations keep the letters of the paper, α, γ and β"
)]

pub mod alignment;
pub mod attention;
pub mod axes;
pub mod block;
pub mod dropout;
pub mod embedding;
pub mod feed_forward;
pub mod generate;
pub mod layer;
pub mod loss;
pub mod mask;
pub mod models;
pub mod norm;
pub mod optimizer;
pub mod picture;
pub mod position;
pub mod recurrent;
pub mod schedule;
pub mod stack;
#[cfg(feature = "text")]
pub mod text;
pub mod train;
#[cfg(feature = "files")]
pub mod weights;

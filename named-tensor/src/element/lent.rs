//! Numbers at the beginning of memory that others share.
//!
//! A buffer may be the first elements of memory in which somebody else writes further on. Lives here: how such a buffer
//! is read. Not here: the memory itself and who may write where (`kernel::growth`).

use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use super::{Bf16, Buffer, Kind};

/// Elements of one kind, to read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Numbers<'a> {
    /// `f32`.
    F32(&'a [f32]),
    /// `f64`.
    F64(&'a [f64]),
    /// Positions.
    Index(&'a [i64]),
    /// Truth values.
    Bool(&'a [bool]),
    /// Numbers of 16 bits.
    Bf16(&'a [Bf16]),
}

impl Numbers<'_> {
    /// Their kind.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            Numbers::F32(_) => Kind::F32,
            Numbers::F64(_) => Kind::F64,
            Numbers::Index(_) => Kind::Index,
            Numbers::Bool(_) => Kind::Bool,
            Numbers::Bf16(_) => Kind::Bf16,
        }
    }

    /// How many there are.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Numbers::F32(values) => values.len(),
            Numbers::F64(values) => values.len(),
            Numbers::Index(values) => values.len(),
            Numbers::Bool(values) => values.len(),
            Numbers::Bf16(values) => values.len(),
        }
    }

    /// A copy of them.
    #[must_use]
    pub fn to_buffer(self) -> Buffer {
        match self {
            Numbers::F32(values) => Buffer::F32(values.into()),
            Numbers::F64(values) => Buffer::F64(values.into()),
            Numbers::Index(values) => Buffer::Index(values.into()),
            Numbers::Bool(values) => Buffer::Bool(values.into()),
            Numbers::Bf16(values) => Buffer::Bf16(values.into()),
        }
    }
}

/// Memory whose first elements can be read, and never change.
pub trait Lent: Any + Debug + Send + Sync {
    /// Those elements.
    fn numbers(&self) -> Numbers<'_>;
}

/// A holder of such elements. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shared(Arc<dyn Lent>);

impl Shared {
    /// Elements held by whoever asks.
    pub fn new(lent: impl Lent) -> Shared {
        Shared(Arc::new(lent))
    }
}

impl Deref for Shared {
    type Target = dyn Lent;

    fn deref(&self) -> &dyn Lent {
        &*self.0
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        self.numbers() == other.numbers()
    }
}

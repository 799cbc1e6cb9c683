//! Elements: what a number stored in a tensor must do.
//!
//! Lives here: the kinds of storage (`f32`, `f64`, positions, truth values, and [`Bf16`] for weights), the types that stand
//! for them, and the buffer that holds them. The scalar functions of the notation are in [`function`].
//! Not here: axes, shapes, loops.

mod bf16;
mod erf;
pub mod function;
mod lent;
mod lined;

pub use bf16::Bf16;
pub use function::{Binary, Comparison, Unary};
pub use lent::{Lent, Numbers, Shared};
pub(crate) use lined::LINE;
pub use lined::Lined;

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// What a buffer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
    /// Positions along an axis, counted from 0.
    Index,
    /// Truth values.
    Bool,
    /// Numbers of 16 bits, which are stored and widened before anything is computed with them.
    Bf16,
}

impl Kind {
    /// Whether numbers of this kind are real numbers.
    #[must_use]
    pub fn is_real(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// Bytes of one element.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Kind::F32 => 4,
            Kind::F64 | Kind::Index => 8,
            Kind::Bf16 => 2,
            Kind::Bool => 1,
        }
    }
}

/// A type that stands in a buffer as it is: `f32`, `f64`, `i64` (positions), `bool` or [`Bf16`].
pub trait Stored: Copy + Default + PartialEq + PartialOrd + Debug + Send + Sync + 'static {
    /// Its kind.
    const KIND: Kind;
    /// Moves a vector of these, or [`Lined`] ones, into a buffer.
    fn into_buffer(values: impl Into<Lined<Self>>) -> Buffer;
    /// The values of a buffer of this kind, taken out of it.
    ///
    /// # Panics
    /// If the buffer holds another kind.
    fn from_buffer(buffer: Buffer) -> Lined<Self>;
    /// Values of this kind, to read.
    fn numbers(values: &[Self]) -> Numbers<'_>;
    /// These values, which are of this kind.
    ///
    /// # Panics
    /// If they are of another kind.
    fn of_numbers(numbers: Numbers<'_>) -> &[Self];
    /// The values of a buffer of this kind.
    ///
    /// # Panics
    /// If the buffer holds another kind.
    fn of(buffer: &Buffer) -> &[Self];
    /// The values of a buffer of this kind, to write.
    ///
    /// # Panics
    /// If the buffer holds another kind.
    fn of_mut(buffer: &mut Buffer) -> &mut [Self];
    /// The nearest value to a number (truth values: whether it is not 0).
    fn from_f64(value: f64) -> Self;
    /// The value as a number (truth values: 1 or 0).
    fn to_f64(self) -> f64;
}

/// A real number: `f32` or `f64`.
pub trait Real: Stored + Element<Value = Self, Stored = Self> {}

impl Real for f32 {}
impl Real for f64 {}

/// The second type argument of a tensor: what its elements are.
pub trait Element: 'static {
    /// How an element is stored.
    type Stored: Stored;
    /// What a reader gets.
    type Value: Copy + PartialEq + Debug + Default + Send + Sync + 'static;
    /// From storage to reader.
    ///
    /// # Errors
    /// What is wrong with a position before the first.
    fn values(stored: Vec<Self::Stored>) -> Result<Vec<Self::Value>, String>;
    /// From reader to storage.
    ///
    /// # Errors
    /// What is wrong with a position larger than any that a tensor holds.
    fn stored(values: Lined<Self::Value>) -> Result<Lined<Self::Stored>, String>;
}

/// The element of an index tensor: a position along the axis `A`, so that a table over another axis refuses it. How it is read
/// stands where axes are known.
pub struct Index<A>(PhantomData<fn() -> A>);

impl<A> Debug for Index<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Index")
    }
}

macro_rules! stored {
    ($type:ty, $kind:ident, $from:expr, $to:expr) => {
        impl Stored for $type {
            const KIND: Kind = Kind::$kind;
            fn into_buffer(values: impl Into<Lined<Self>>) -> Buffer {
                Buffer::$kind(values.into())
            }
            fn from_buffer(mut buffer: Buffer) -> Lined<Self> {
                buffer.own();
                match buffer {
                    Buffer::$kind(values) => values,
                    other => panic!("a buffer of {:?} was taken as {:?}", other.kind(), Kind::$kind),
                }
            }
            fn numbers(values: &[Self]) -> Numbers<'_> {
                Numbers::$kind(values)
            }
            fn of_numbers(numbers: Numbers<'_>) -> &[Self] {
                match numbers {
                    Numbers::$kind(values) => values,
                    other => panic!("a buffer of {:?} was read as {:?}", other.kind(), Kind::$kind),
                }
            }
            #[inline]
            fn of(buffer: &Buffer) -> &[Self] {
                // As a rule nobody else has lent them.
                match buffer {
                    Buffer::$kind(values) => values,
                    other => Self::of_numbers(other.numbers()),
                }
            }
            fn of_mut(buffer: &mut Buffer) -> &mut [Self] {
                buffer.own();
                match buffer {
                    Buffer::$kind(values) => values,
                    other => panic!("a buffer of {:?} was written as {:?}", other.kind(), Kind::$kind),
                }
            }
            fn from_f64(value: f64) -> Self {
                ($from)(value)
            }
            fn to_f64(self) -> f64 {
                ($to)(self)
            }
        }
    };
}

/// The position that is none: what NaN is cut to. It is on no axis.
pub(crate) const NO_POSITION: i64 = i64::MIN;

/// A number as a position: cut towards zero, or to the last one that there is.
#[inline(always)]
pub(crate) fn position(number: f64) -> i64 {
    if number.is_nan() { NO_POSITION } else { (number as i64).max(NO_POSITION + 1) }
}

stored!(f32, F32, |v: f64| v as f32, |v: f32| f64::from(v));
stored!(f64, F64, |v: f64| v, |v: f64| v);
stored!(i64, Index, position, |v: i64| v as f64);
stored!(Bf16, Bf16, Bf16::rounded_f64, |v: Bf16| f64::from(v.widened()));
stored!(bool, Bool, |v: f64| v != 0.0, |v: bool| f64::from(u8::from(v)));

macro_rules! plain_element {
    ($($type:ty),*) => {$(
        impl Element for $type {
            type Stored = $type;
            type Value = $type;
            fn values(stored: Vec<$type>) -> Result<Vec<$type>, String> {
                Ok(stored)
            }
            fn stored(values: Lined<$type>) -> Result<Lined<$type>, String> {
                Ok(values)
            }
        }
    )*};
}

plain_element!(f32, f64, bool);

/// Elements of one kind, side by side.
#[derive(Clone, Debug, PartialEq)]
pub enum Buffer {
    /// `f32`.
    F32(Lined<f32>),
    /// `f64`.
    F64(Lined<f64>),
    /// Positions.
    Index(Lined<i64>),
    /// Truth values.
    Bool(Lined<bool>),
    /// Numbers of 16 bits.
    Bf16(Lined<Bf16>),
    /// Elements of any kind at the beginning of memory that others share.
    Lent(Shared),
}

impl<T: Stored> From<Vec<T>> for Buffer {
    fn from(values: Vec<T>) -> Buffer {
        T::into_buffer(values)
    }
}

impl Buffer {
    /// Its elements, to read.
    #[must_use]
    pub fn numbers(&self) -> Numbers<'_> {
        match self {
            Buffer::F32(values) => Numbers::F32(values),
            Buffer::F64(values) => Numbers::F64(values),
            Buffer::Index(values) => Numbers::Index(values),
            Buffer::Bool(values) => Numbers::Bool(values),
            Buffer::Bf16(values) => Numbers::Bf16(values),
            Buffer::Lent(shared) => shared.numbers(),
        }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.numbers().kind()
    }

    /// How many elements it holds.
    #[must_use]
    pub fn size(&self) -> usize {
        self.numbers().size()
    }

    /// Copies elements that are shared, so that those of this buffer are its own.
    pub fn own(&mut self) {
        if let Buffer::Lent(shared) = self {
            *self = shared.numbers().to_buffer();
        }
    }

    /// A buffer of zeros (`false` for truth values).
    #[must_use]
    pub fn zeros(kind: Kind, size: usize) -> Buffer {
        match kind {
            Kind::F32 => Buffer::F32(Lined::zeros(size)),
            Kind::F64 => Buffer::F64(Lined::zeros(size)),
            Kind::Index => Buffer::Index(Lined::zeros(size)),
            Kind::Bool => Buffer::Bool(Lined::zeros(size)),
            Kind::Bf16 => Buffer::Bf16(Lined::zeros(size)),
        }
    }

    /// An empty buffer with room for `room` elements.
    pub(crate) fn with_room(kind: Kind, room: usize) -> Buffer {
        match kind {
            Kind::F32 => Buffer::F32(Lined::with_room(room)),
            Kind::F64 => Buffer::F64(Lined::with_room(room)),
            Kind::Index => Buffer::Index(Lined::with_room(room)),
            Kind::Bool => Buffer::Bool(Lined::with_room(room)),
            Kind::Bf16 => Buffer::Bf16(Lined::with_room(room)),
        }
    }
}

/// Who takes buffers that have lost their last owner; see [`retire`].
static KEEPER: OnceLock<fn(Buffer)> = OnceLock::new();

/// Says who takes buffers that nobody needs any more. The first to say so takes them for good.
pub(crate) fn keep_with(keeper: fn(Buffer)) {
    KEEPER.get_or_init(|| keeper);
}

/// Hands a buffer that nobody needs any more to whoever keeps such, so that its memory stays warm; else it is freed.
pub(crate) fn retire(buffer: Buffer) {
    if let Some(keeper) = KEEPER.get() {
        keeper(buffer);
    }
}

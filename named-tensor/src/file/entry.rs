//! One tensor of a file: its axes, its sizes and its numbers.
//!
//! Lives here: which elements of the format are which of ours, how they are read and written as bytes, and whether a
//! tensor of a file is the one that is needed. A misfit is told in words that follow the name of the tensor.
//! Not here: where it stands in the file (`format`).

use std::io::{self, Read, Write};

use safetensors::Dtype;

use crate::axis::Name;
use crate::element::{Bf16, Buffer, Kind, Lined, Numbers};
use crate::graph::Shape;
use crate::kernel::pool;

/// Bytes that are read or written at once.
const BLOCK: usize = 1 << 16;

/// A tensor as it stands in a file, the last axis fastest.
#[derive(Clone)]
pub(super) struct Entry {
    /// The names of the axes in order; a file that was not written here has none.
    pub(super) axes: Option<Vec<String>>,
    pub(super) sizes: Vec<usize>,
    pub(super) dtype: Dtype,
    held: Held,
}

/// The numbers of a tensor of a file.
#[derive(Clone)]
enum Held {
    /// Elements of one of our kinds.
    Numbers(Buffer),
    /// Bytes of others, little-endian.
    Bytes(Vec<u8>),
}

impl Entry {
    /// Numbers that lie in the order of `shape`.
    pub(super) fn new(shape: &Shape, numbers: Buffer) -> Entry {
        let axes = shape.names().map(|name| name.text().to_owned()).collect();
        let dtype = dtype(numbers.kind());
        Entry { axes: Some(axes), sizes: shape.sizes().collect(), dtype, held: Held::Numbers(numbers) }
    }

    /// Reads elements that take so many bytes, which are not held twice on the way.
    pub(super) fn read(dtype: Dtype, sizes: &[usize], bytes: usize, from: impl Read) -> io::Result<Entry> {
        let held = match dtype {
            Dtype::F32 => Held::Numbers(Buffer::F32(read(bytes, from, f32::from_le_bytes)?)),
            Dtype::F64 => Held::Numbers(Buffer::F64(read(bytes, from, f64::from_le_bytes)?)),
            Dtype::I64 => Held::Numbers(Buffer::Index(read(bytes, from, i64::from_le_bytes)?)),
            Dtype::BOOL => Held::Numbers(Buffer::Bool(read(bytes, from, |[byte]| byte != 0)?)),
            Dtype::BF16 => {
                Held::Numbers(Buffer::Bf16(read(bytes, from, |two| Bf16::from_bits(u16::from_le_bytes(two)))?))
            }
            _ => Held::Bytes(read(bytes, from, |[byte]| byte)?.into_vec()),
        };
        Ok(Entry { axes: None, sizes: sizes.to_vec(), dtype, held })
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        match &self.held {
            Held::Numbers(numbers) => numbers.size() * numbers.kind().bytes(),
            Held::Bytes(bytes) => bytes.len(),
        }
    }

    /// Writes its bytes.
    pub(super) fn write(&self, into: &mut impl Write) -> io::Result<()> {
        let numbers = match &self.held {
            Held::Numbers(numbers) => numbers.numbers(),
            Held::Bytes(bytes) => return into.write_all(bytes),
        };
        match numbers {
            Numbers::F32(numbers) => write(into, numbers, f32::to_le_bytes),
            Numbers::F64(numbers) => write(into, numbers, f64::to_le_bytes),
            Numbers::Index(numbers) => write(into, numbers, i64::to_le_bytes),
            Numbers::Bool(numbers) => write(into, numbers, |x| [u8::from(x)]),
            Numbers::Bf16(numbers) => write(into, numbers, |x| x.to_bits().to_le_bytes()),
        }
    }

    /// The numbers, where they are of one of our kinds.
    pub(super) fn numbers(&self) -> Option<&Buffer> {
        match &self.held {
            Held::Numbers(numbers) => Some(numbers),
            Held::Bytes(_) => None,
        }
    }

    /// The same, taken out.
    pub(super) fn into_numbers(self) -> Option<Buffer> {
        match self.held {
            Held::Numbers(numbers) => Some(numbers),
            Held::Bytes(_) => None,
        }
    }

    /// The real numbers as they are stored, in single precision or in 16 bits; those of other precisions become single.
    pub(super) fn into_reals(self) -> Result<Buffer, String> {
        match (self.held, self.dtype) {
            (Held::Numbers(numbers @ (Buffer::F32(_) | Buffer::Bf16(_))), _) => Ok(numbers),
            (Held::Numbers(Buffer::F64(numbers)), _) => Ok(Buffer::F32(numbers.iter().map(|&x| x as f32).collect())),
            (Held::Bytes(bytes), Dtype::F16) => {
                let halves = bytes.as_chunks().0.iter();
                Ok(Buffer::F32(halves.map(|&two| half(u16::from_le_bytes(two))).collect()))
            }
            (_, other) => Err(format!("holds {other}, but real numbers are needed")),
        }
    }

    /// The axes in the order of the file, if they are `needed` ones and the elements of this kind.
    pub(super) fn shape(&self, needed: &[Name], kind: Kind) -> Result<Shape, String> {
        // Real numbers may be stored in 16 bits.
        let is_stored_so = self.dtype == Dtype::BF16 && kind.is_real();
        if self.dtype != dtype(kind) && !is_stored_so {
            let mut message = format!("holds {}, but {} is needed", self.dtype, dtype(kind));
            if kind == Kind::F32 && matches!(self.dtype, Dtype::F16 | Dtype::F64) {
                message.push_str(": `Tensors::numbers` reads it as f32");
            }
            return Err(message);
        }
        let Some(axes) = &self.axes else {
            return Err(format!("does not name its axes, whose sizes are {:?}: say `name_axes` first", self.sizes));
        };
        let known = |axis: &String| needed.iter().copied().find(|name| name.text() == axis);
        let names: Vec<Name> = axes.iter().filter_map(known).collect();
        if names.len() != axes.len() || names.len() != needed.len() {
            let needed: Vec<&str> = needed.iter().map(|name| name.text()).collect();
            return Err(format!("has the axes {self}, but [{}] are needed", needed.join(", ")));
        }
        // Other sizes than the numbers in memory were refused with the header.
        Shape::new(names.into_iter().zip(self.sizes.iter().copied())).checked("load").map_err(|error| error.to_string())
    }

    /// Names the axes, if there are as many and no two are one.
    pub(super) fn name_axes(&mut self, axes: Vec<String>) -> Result<(), String> {
        let twice = axes.iter().enumerate().any(|(i, axis)| axes[..i].contains(axis));
        if twice || axes.len() != self.sizes.len() {
            return Err(format!("with the sizes {:?} cannot have the axes [{}]", self.sizes, axes.join(", ")));
        }
        self.axes = Some(axes);
        Ok(())
    }
}

/// Prints as `[chans: 8, key: 4]`, names as written in programs.
impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.axes {
            Some(axes) => f.write_str(&listed(axes.iter().map(String::as_str).zip(self.sizes.iter().copied()))),
            None => write!(f, "{:?}", self.sizes),
        }
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self} {}", self.dtype)
    }
}

/// A number in half precision (IEEE 754 binary16): a sign, 5 bits of exponent, 10 of fraction.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 31, f32::from(bits & 1023) / 1024.0);
    let size = match exponent {
        0 => fraction * 2.0_f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2.0_f32.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// `[chans: 8, key: 4]`
pub(super) fn listed<'a>(axes: impl Iterator<Item = (&'a str, usize)>) -> String {
    let axes: Vec<String> = axes.map(|(axis, size)| format!("{axis}: {size}")).collect();
    format!("[{}]", axes.join(", "))
}

/// What the format calls elements of this kind.
pub(super) fn dtype(kind: Kind) -> Dtype {
    match kind {
        Kind::F32 => Dtype::F32,
        Kind::F64 => Dtype::F64,
        Kind::Index => Dtype::I64,
        Kind::Bool => Dtype::BOOL,
        Kind::Bf16 => Dtype::BF16,
    }
}

/// Writes numbers block by block.
fn write<const N: usize, X: Copy>(
    into: &mut impl Write,
    numbers: &[X],
    to_bytes: impl Fn(X) -> [u8; N],
) -> io::Result<()> {
    let mut block = Vec::with_capacity(BLOCK);
    for some in numbers.chunks(BLOCK / N) {
        block.clear();
        some.iter().for_each(|&number| block.extend(to_bytes(number)));
        into.write_all(&block)?;
    }
    Ok(())
}

/// Reads numbers of so many bytes block by block. Nothing is allocated that is larger than they are.
fn read<const N: usize, X>(bytes: usize, mut from: impl Read, from_bytes: impl Fn([u8; N]) -> X) -> io::Result<Lined<X>>
where
    X: Copy + Default,
{
    let mut numbers = Lined::try_with_room(bytes / N, pool::in_huge_pages).ok_or(io::ErrorKind::OutOfMemory)?;
    let mut block = vec![0; BLOCK.min(bytes)];
    let mut left = bytes;
    while left > 0 {
        let some = &mut block[..BLOCK.min(left)];
        // A file can shrink while it is read: that is an error here.
        from.read_exact(some)?;
        numbers.extend(some.as_chunks().0.iter().map(|&chunk| from_bytes(chunk)));
        left -= some.len();
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn half_precision_is_read_exactly() {
        let examples = [
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7BFF, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x03FF, 6.097_555e-5),
            (0x7C00, f32::INFINITY),
            (0xFC00, f32::NEG_INFINITY),
        ];
        for (bits, number) in examples {
            assert_eq!(half(bits), number, "{bits:#x}");
        }
        assert!(half(0x7E00).is_nan() && half(0x8000).is_sign_negative());
    }
}

//! One tensor of a file: its axes, its sizes and its numbers as bytes.
//!
//! Lives here: which elements of the format are which of ours, and whether a tensor of a file is the one that is
//! needed. A misfit is told in words that follow the name of the tensor.
//! Not here: where it stands in the file (`format`).

use safetensors::Dtype;

use crate::axis::Name;
use crate::element::{Buffer, Kind, Numbers};
use crate::graph::Shape;

/// A tensor as it stands in a file, the last axis fastest, numbers little-endian.
#[derive(Clone)]
pub(super) struct Entry {
    /// The names of the axes in order; a file that was not written here has none.
    pub(super) axes: Option<Vec<String>>,
    pub(super) sizes: Vec<usize>,
    pub(super) dtype: Dtype,
    pub(super) bytes: Vec<u8>,
}

impl Entry {
    pub(super) fn new(shape: &Shape, numbers: &Buffer) -> Entry {
        let axes = shape.names().map(|name| name.text().to_owned()).collect();
        let bytes = match numbers.numbers() {
            Numbers::F32(numbers) => bytes(numbers, |x| x.to_le_bytes()),
            Numbers::F64(numbers) => bytes(numbers, |x| x.to_le_bytes()),
            Numbers::Index(numbers) => bytes(numbers, |x| x.to_le_bytes()),
            Numbers::Bool(numbers) => bytes(numbers, |x| [u8::from(x)]),
        };
        Entry { axes: Some(axes), sizes: shape.sizes().collect(), dtype: dtype(numbers.kind()), bytes }
    }

    /// The numbers, which are of this kind.
    pub(super) fn numbers(&self, kind: Kind) -> Buffer {
        match kind {
            Kind::F32 => Buffer::F32(numbers(&self.bytes, f32::from_le_bytes)),
            Kind::F64 => Buffer::F64(numbers(&self.bytes, f64::from_le_bytes)),
            Kind::Index => Buffer::Index(numbers(&self.bytes, i64::from_le_bytes)),
            Kind::Bool => Buffer::Bool(numbers(&self.bytes, |[byte]| byte != 0)),
        }
    }

    /// The real numbers in single precision.
    pub(super) fn reals(&self) -> Result<Vec<f32>, String> {
        match self.dtype {
            Dtype::F32 => Ok(numbers(&self.bytes, f32::from_le_bytes)),
            Dtype::F64 => Ok(numbers(&self.bytes, |bytes| f64::from_le_bytes(bytes) as f32)),
            // The upper half of a number in single precision.
            Dtype::BF16 => Ok(numbers(&self.bytes, |[low, high]| f32::from_le_bytes([0, 0, low, high]))),
            Dtype::F16 => Ok(numbers(&self.bytes, |bytes| half(u16::from_le_bytes(bytes)))),
            other => Err(format!("holds {other}, but real numbers are needed")),
        }
    }

    /// The axes in the order of the file, if they are `needed` ones and the elements of this kind.
    pub(super) fn shape(&self, needed: &[Name], kind: Kind) -> Result<Shape, String> {
        if self.dtype != dtype(kind) {
            return Err(format!("holds {}, but {} is needed", self.dtype, dtype(kind)));
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
    }
}

fn bytes<const N: usize, X: Copy>(numbers: &[X], to_bytes: impl Fn(X) -> [u8; N]) -> Vec<u8> {
    numbers.iter().map(|&number| to_bytes(number)).collect::<Vec<[u8; N]>>().into_flattened()
}

fn numbers<const N: usize, X>(bytes: &[u8], from_bytes: impl Fn([u8; N]) -> X) -> Vec<X> {
    bytes.as_chunks().0.iter().map(|&chunk| from_bytes(chunk)).collect()
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

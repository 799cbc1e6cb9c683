//! Tensors in files: the safetensors format, with the names of the axes kept in its metadata.
//!
//! It is there with the feature `files`.
//! A file holds tensors by name, a struct of parameters by dotted names (`att.W_Q`). The order in which the axes of a
//! tensor lie in a file is data: reading follows the names, so a file may have any order.
//! Lives here: named tensors as they stand in a file, [`Tensors`]; structs of parameters are in `parameters`.
//! Not here: the bytes of the format (`format`), how a file is replaced (`replace`).

mod entry;
mod format;
mod parameters;
mod replace;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::axes::Axes;
use crate::axes::rules::Once;
use crate::axes::selector::Selector;
use crate::element::{Buffer, Element, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::params::storage;
use crate::tensor::{Tensor, stored};

use entry::Entry;
pub use parameters::Files;

/// Named tensors, as a safetensors file holds them. The same tensors give the same bytes.
///
/// ```
/// use named_tensor::file::Tensors;
/// use named_tensor::prelude::*;
/// axes! { height, width }
///
/// let mut tensors = Tensors::new();
/// tensors.insert("image", &Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0]]))?;
/// let path = std::env::temp_dir().join("image.safetensors");
/// tensors.save(&path)?;
///
/// let image: Tensor<R![width, height]> = Tensors::open(&path)?.get("image")?;
/// assert_eq!(image.to_vec((height, width))?, [3.0, 1.0, 4.0, 1.0, 5.0, 9.0]);
/// # let _ = std::fs::remove_file(&path);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tensors {
    entries: BTreeMap<String, Entry>,
    /// The file they were read from, as errors name it.
    source: Option<String>,
}

impl Tensors {
    /// No tensors.
    #[must_use]
    pub fn new() -> Tensors {
        Tensors::default()
    }

    /// Reads a safetensors file.
    ///
    /// # Errors
    /// The file cannot be read, is truncated, or is not in the format.
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> Result<Tensors> {
        let source = path.as_ref().display().to_string();
        let read = fs::File::open(path).and_then(|file| {
            let size = file.metadata()?.len();
            format::read(file, size)
        });
        match read {
            Ok(entries) => Ok(Tensors { entries, source: Some(source) }),
            Err(error) => Err(Error::here(ErrorKind::File, format!("cannot read `{source}`: {error}"))),
        }
    }

    /// Reads the bytes of a safetensors file.
    ///
    /// # Errors
    /// The bytes are truncated or not in the format.
    #[track_caller]
    pub fn from_bytes(bytes: &[u8]) -> Result<Tensors> {
        match format::read(bytes, bytes.len() as u64) {
            Ok(entries) => Ok(Tensors { entries, source: None }),
            Err(error) => Err(Error::here(ErrorKind::File, format!("cannot read safetensors: {error}"))),
        }
    }

    /// Writes a safetensors file. A file of that name is replaced in one step when the new one is complete, so that a
    /// failure on the way leaves the old one as it was.
    ///
    /// # Errors
    /// The file cannot be written.
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        match replace::replace(path.as_ref(), |file| format::write(file, &self.entries)) {
            Ok(()) => Ok(()),
            Err(error) => {
                let message = format!("cannot write `{}`: {error}", path.as_ref().display());
                Err(Error::here(ErrorKind::File, message))
            }
        }
    }

    /// Writes the bytes of a safetensors file.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write(&self, into: &mut impl Write) -> io::Result<()> {
        format::write(into, &self.entries)
    }

    /// The names in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Computes a tensor and adds it, its axes in the order of the type.
    ///
    /// The axis that the positions of an index tensor count along is not kept.
    ///
    /// # Errors
    /// Those of computing it; a name that is there already or that the format cannot hold.
    #[track_caller]
    pub fn insert<A: Axes, T: Element>(&mut self, name: &str, tensor: &Tensor<A, T>) -> Result<()> {
        let names = A::names();
        self.add(name, Entry::new(&tensor.shape().only(&names), stored(tensor.node(), &names)?))
    }

    #[track_caller]
    fn add(&mut self, name: &str, entry: Entry) -> Result<()> {
        let reason = if self.entries.contains_key(name) {
            "it is there already"
        } else if name == format::METADATA || name.contains('\n') {
            "the format does not allow this name"
        } else {
            self.entries.insert(name.to_owned(), entry);
            return Ok(());
        };
        Err(Error::here(ErrorKind::File, format!("cannot add the tensor `{name}`: {reason}")))
    }

    /// The tensor `name`, whose axes are those of the type, in any order.
    ///
    /// # Errors
    /// There is no such tensor; it has other axes, or none are named; its elements are not the type's.
    #[track_caller]
    pub fn get<A: Axes, T: Element>(&self, name: &str) -> Result<Tensor<A, T>> {
        let fitting = self.entry(name).and_then(|entry| {
            let shape = entry.shape(&A::names(), T::Stored::KIND)?;
            // Elements of another kind than ours were refused with their kind.
            let numbers = entry.numbers().ok_or("has no numbers")?;
            Ok(storage::held(numbers.clone(), shape, T::Stored::KIND))
        });
        match fitting {
            Ok(node) => Ok(Tensor::from_node(node)),
            Err(problem) => Err(self.refused(name, &problem)),
        }
    }

    /// States the axes of the tensor `name` in the order in which it lies in the file. A file that was not written
    /// here does not name them, and is never guessed at: `tensors.name_axes("weight", (out, chans))?`.
    ///
    /// ```
    /// # use named_tensor::file::Tensors;
    /// # use named_tensor::prelude::*;
    /// # axes! { chans, out }
    /// let header = br#"{"weight":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}   "#;
    /// let numbers = [3.0_f32, 4.0].map(f32::to_le_bytes);
    /// let bytes = [&(header.len() as u64).to_le_bytes()[..], header, numbers.as_flattened()].concat();
    ///
    /// let mut tensors = Tensors::from_bytes(&bytes)?;
    /// tensors.name_axes("weight", (out, chans))?;
    /// let weight: Tensor<R![chans, out]> = tensors.get("weight")?;
    /// assert_eq!((weight.size(out), weight.size(chans)), (1, 2));
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such tensor, or it has more or fewer axes.
    #[track_caller]
    pub fn name_axes<S>(&mut self, name: &str, order: S) -> Result<()>
    where
        S: Selector + Once<S::Repeated>,
    {
        let _ = order;
        let named = match self.entries.get_mut(name) {
            Some(entry) => entry.name_axes(S::names().iter().map(|axis| axis.text().to_owned()).collect()),
            None => Err("is missing".to_owned()),
        };
        match named {
            Ok(()) => Ok(()),
            Err(problem) => Err(self.refused(name, &problem)),
        }
    }

    /// The sizes of the tensor `name`, in the order of the file.
    #[must_use]
    pub fn sizes(&self, name: &str) -> Option<&[usize]> {
        self.entries.get(name).map(|entry| &entry.sizes[..])
    }

    /// The numbers of the tensor `name` as they lie in the file, as `f32`: halves (`F16`, `BF16`) exactly, `F64` rounded.
    ///
    /// # Errors
    /// There is no such tensor, or its elements are no real numbers.
    #[track_caller]
    pub fn numbers(&self, name: &str) -> Result<Vec<f32>> {
        let reals = self.entry(name).and_then(|entry| entry.clone().into_reals());
        match reals {
            Ok(Buffer::Bf16(numbers)) => Ok(numbers.iter().map(|number| number.widened()).collect()),
            Ok(numbers) => Ok(f32::of(&numbers).to_vec()),
            Err(problem) => Err(self.refused(name, &problem)),
        }
    }

    /// Takes out the real numbers of the tensor `name` as they lie in the file, so that they are not held twice: `F32` and
    /// `BF16` as they are stored, `F16` exactly and `F64` rounded as `f32`. The tensor is missing then.
    ///
    /// # Errors
    /// There is no such tensor, or its elements are no real numbers.
    #[track_caller]
    pub fn take(&mut self, name: &str) -> Result<Buffer> {
        let entry = self.entries.remove(name).ok_or_else(|| "is missing".to_owned());
        match entry.and_then(Entry::into_reals) {
            Ok(reals) => Ok(reals),
            Err(problem) => Err(self.refused(name, &problem)),
        }
    }

    fn entry(&self, name: &str) -> std::result::Result<&Entry, String> {
        self.entries.get(name).ok_or_else(|| "is missing".to_owned())
    }

    #[track_caller]
    fn refused(&self, name: &str, problem: &str) -> Error {
        let place = self.source.as_ref().map_or(String::new(), |source| format!(" in `{source}`"));
        Error::here(ErrorKind::File, format!("the tensor `{name}`{place} {problem}"))
    }
}

//! Structs of parameters in files, each tensor under its dotted name.
//!
//! Lives here: saving, and loading that checks every name, axis, size and element before it replaces anything, so that
//! one error tells all that does not fit. Not here: single tensors (`Tensors`), walking over a struct (`params`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use super::Tensors;
use super::entry::{Entry, dtype, listed};
use crate::axis::Name;
use crate::element::Real;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::Shape;
use crate::params::{self, Parameter, Parameters};

/// Saving and loading of every struct of parameters.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans, out }
/// named! { fn Linear(X: R[chans]; W: R[chans, out], b: R[out] = 0) -> R[out] { X dot_chans W + b } }
///
/// let path = std::env::temp_dir().join("linear.safetensors");
/// let trained = Linear::init(&mut seeded(0), (chans.of(3), out.of(2)))?;
/// trained.save(&path)?;
///
/// let mut linear = Linear::init(&mut seeded(1), (chans.of(3), out.of(2)))?;
/// linear.load(&path)?;
/// assert_eq!(linear.W.to_vec((chans, out))?, trained.W.to_vec((chans, out))?);
/// # let _ = std::fs::remove_file(&path);
/// # Ok::<(), named_tensor::Error>(())
/// ```
pub trait Files<T: Real>: Parameters<T> {
    /// Writes all parameters to a safetensors file, axes in the order of their types, each in the precision in which it
    /// is stored. A file of that name is replaced in one step.
    ///
    /// # Errors
    /// The file cannot be written.
    #[track_caller]
    fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.to_tensors()?.save(path)
    }

    /// Replaces all parameters by those of a safetensors file.
    ///
    /// # Errors
    /// The file cannot be read, or its tensors are not exactly the parameters: the message lists everything that is
    /// missing, unexpected, or has other axes, sizes or elements. Then no parameter has changed.
    #[track_caller]
    fn load(&mut self, path: impl AsRef<Path>) -> Result<()> {
        load(self, Cow::Owned(Tensors::open(path)?))
    }

    /// All parameters under their dotted names.
    ///
    /// # Errors
    /// Those of computing a parameter that was computed.
    #[track_caller]
    fn to_tensors(&self) -> Result<Tensors> {
        let (mut tensors, mut done) = (Tensors::new(), Ok(()));
        self.visit(&mut params::Path::default(), &mut |parameter| {
            if done.is_ok() {
                done = entry(&parameter).and_then(|entry| tensors.add(parameter.name, entry));
            }
        });
        done.map(|()| tensors)
    }

    /// Replaces all parameters by these tensors.
    ///
    /// # Errors
    /// As [`load`](Files::load).
    #[track_caller]
    fn load_from(&mut self, tensors: &Tensors) -> Result<()> {
        load(self, Cow::Borrowed(tensors))
    }
}

impl<T: Real, P: Parameters<T>> Files<T> for P {}

/// Replaces all parameters by these tensors, or none. Tensors that are ours are taken apart, so that numbers are not held
/// twice.
#[track_caller]
fn load<T: Real>(parameters: &mut impl Parameters<T>, mut tensors: Cow<'_, Tensors>) -> Result<()> {
    let (mut fitting, mut problems, mut needed) = (Vec::new(), Vec::new(), BTreeSet::new());
    parameters.each(|parameter| {
        needed.insert(parameter.name.to_owned());
        match fit(&tensors, &parameter) {
            Ok(shape) => fitting.push(shape),
            Err(problem) => problems.push(problem),
        }
    });
    let unexpected = tensors.entries.iter().filter(|(name, _)| !needed.contains(*name));
    problems.extend(unexpected.map(|(name, entry)| format!("`{name}` {entry} is unexpected")));
    if !problems.is_empty() {
        let source = tensors.source.as_ref().map_or("the tensors".to_owned(), |source| format!("`{source}`"));
        let message =
            format!("the parameters are not those of {source}:\n  {}\nno parameter was changed", problems.join("\n  "));
        return Err(Error::here(ErrorKind::File, message));
    }
    let (mut fitting, mut done) = (fitting.into_iter(), Ok(()));
    parameters.each_mut(|mut parameter| {
        let entry = match &mut tensors {
            Cow::Owned(tensors) => tensors.entries.remove(parameter.name),
            Cow::Borrowed(tensors) => tensors.entries.get(parameter.name).cloned(),
        };
        if let (true, Some(shape), Some(numbers)) = (done.is_ok(), fitting.next(), entry.and_then(Entry::into_numbers))
        {
            done = parameter.set_stored(shape, numbers);
        }
    });
    done
}

/// A parameter as it stands in a file.
fn entry<T: Real>(parameter: &Parameter<'_, T>) -> Result<Entry> {
    Ok(Entry::new(&parameter.shape().only(&parameter.axes), parameter.stored()?))
}

/// The axes of the tensor that is to replace a parameter, in its order, or what is wrong with it.
fn fit<T: Real>(tensors: &Tensors, parameter: &Parameter<'_, T>) -> std::result::Result<Shape, String> {
    let name = parameter.name;
    let needed = parameter.shape().only(&parameter.axes);
    let needed_sizes = || listed(needed.iter().map(|(axis, size)| (axis.text(), size)));
    let Some(entry) = tensors.entries.get(name) else {
        return Err(format!("`{name}` {} {} is missing", needed_sizes(), dtype(T::KIND)));
    };
    let shape = entry.shape(&parameter.axes, T::KIND).map_err(|problem| format!("`{name}` {problem}"))?;
    if parameter.axes.iter().any(|&axis: &Name| shape.size(axis) != needed.size(axis)) {
        return Err(format!("`{name}` has the sizes {entry}, but {} are needed", needed_sizes()));
    }
    Ok(shape)
}

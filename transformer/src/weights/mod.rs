//! Published weights: names in files ↔ parameters.
//!
//! A published checkpoint is a folder: `config.json` with the sizes, and `model.safetensors`, or several files that
//! `model.safetensors.index.json` lists. Each architecture has a table of rows: the name of a tensor in the file, and the
//! parameters it holds, with the axes of each in the order of the file. So a transpose is an order of names, several
//! axes in one are several names in one place, and parameters that lie side by side are several in one row.
//! Lives here: opening a folder, and filling parameters by a table; everything that does not fit is told in one error.
//! Not here: the tables (`bert`, `gpt2`, `llama`), the configuration (`config`), what is compared before (`look`,
//! `index`).

mod bert;
mod config;
mod gpt2;
mod index;
mod llama;
mod look;

pub use config::Config;

use crate::models::{bert::Bert, gpt2::Gpt2, llama::Llama};
use named_tensor::axis::Name;
use named_tensor::element::{Buffer, Kind, Lined, Numbers, Stored};
use named_tensor::file::Tensors;
use named_tensor::graph::Shape;
use named_tensor::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A tensor of a file, and the parameters in it side by side along its last axis: the dotted name of each, and its axes
/// as `seq, heads key`: one group for each axis of the file, the slowest first. `{}` is the number of a layer.
pub(crate) type Row = (&'static str, &'static [(&'static str, &'static str)]);

/// A model with its weights, of whichever known architecture.
#[derive(Clone, Debug)]
pub enum Model {
    /// A sentence encoder.
    Bert(Bert),
    /// A language model.
    Gpt2(Gpt2),
    /// A language model.
    Llama(Llama),
}

impl Model {
    /// Reads the folder of a published checkpoint; its configuration says which architecture it is.
    ///
    /// # Errors
    /// A `model_type` that is none of `bert`, `gpt2` and `llama`; those of reading that one.
    pub fn load(folder: impl AsRef<Path>) -> Result<Model, Error> {
        let config = Config::open(folder.as_ref())?;
        match config.text("model_type")? {
            "bert" => Bert::load(folder).map(Model::Bert),
            "gpt2" => Gpt2::load(folder).map(Model::Gpt2),
            "llama" => Llama::load(folder).map(Model::Llama),
            _ => Err(config.unknown("model_type", "`bert`, `gpt2` or `llama`")),
        }
    }

    /// The same model, its weights rounded to 16 bits if they are not stored so: half the memory of 32, and words come
    /// nearly twice as fast.
    ///
    /// # Errors
    /// Those of [`Parameters::in_bf16`].
    pub fn in_bf16(self) -> Result<Model, Error> {
        match self {
            Model::Bert(model) => model.in_bf16().map(Model::Bert),
            Model::Gpt2(model) => model.in_bf16().map(Model::Gpt2),
            Model::Llama(model) => Ok(Model::Llama(Llama { weights: model.weights.in_bf16()?, ..model })),
        }
    }
}

/// The tensors of a checkpoint, of one file or several.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    files: Vec<(PathBuf, Tensors)>,
    /// Where each tensor is.
    places: BTreeMap<String, usize>,
    /// The tensors that have been taken out of their files and not yet given to their parameters.
    held: BTreeMap<String, Held>,
}

impl Checkpoint {
    /// Opens the files of a folder.
    ///
    /// # Errors
    /// A file that is missing, truncated or in another format; an index that does not list its files.
    pub(crate) fn open(folder: &Path) -> Result<Checkpoint, Error> {
        let index = folder.join("model.safetensors.index.json");
        let listed = if index.exists() { Some(index::read(&index)?) } else { None };
        let names: BTreeSet<String> = match &listed {
            Some(listed) => listed.values().cloned().collect(),
            None => BTreeSet::from(["model.safetensors".to_owned()]),
        };
        let open = |name: String| Tensors::open(folder.join(&name)).map(|tensors| (folder.join(name), tensors));
        let files: Vec<_> = names.into_iter().map(open).collect::<Result<_, Error>>()?;
        let names = |(file, (_, tensors)): (usize, &(PathBuf, Tensors))| -> Vec<(String, usize)> {
            tensors.names().map(|name| (name.to_owned(), file)).collect()
        };
        let places = files.iter().enumerate().flat_map(names).collect();
        let checkpoint = Checkpoint { files, places, held: BTreeMap::new() };
        if let Some(listed) = &listed {
            index::check(&index, listed, &checkpoint)?;
        }
        Ok(checkpoint)
    }

    /// Fills all parameters by the table, each in the precision in which its tensor is stored. What a parameter gets is
    /// taken out of the file, so that no tensor is held twice for long. `prefix` may stand before each name in the files; tensors whose names end like
    /// one of `ignored` are not needed.
    ///
    /// # Errors
    /// One for everything that does not fit, by file and parameter: a tensor that is missing, of other sizes, not needed,
    /// without real numbers, or with a number that is not finite; a parameter that no row fills.
    pub(crate) fn fill<P: Parameters<f32>>(
        &mut self,
        model: &mut P,
        prefix: &str,
        rows: &[Row],
        ignored: &[&str],
    ) -> Result<(), Error> {
        let (mut problems, mut read) = (Vec::new(), BTreeSet::new());
        let sizes: BTreeMap<String, Shape> = model.parameters().into_iter().collect();
        let mut left: BTreeMap<String, usize> = BTreeMap::new();
        model.each_mut(|mut parameter| {
            let filled = Cut::of(parameter.name, rows).and_then(|cut| {
                let name = self.name(prefix, &cut.tensor);
                read.insert(name.clone());
                let numbers = cut.numbers(&name, self.hold(&name), &sizes);
                // Once its last parameter is filled, a tensor is not kept.
                let left = left.entry(name.clone()).or_insert(cut.parts.len());
                *left -= 1;
                if *left == 0 {
                    self.held.remove(&name);
                }
                let shape = cut.shape(&parameter.axes, &parameter.shape())?;
                parameter.set_stored(shape, numbers?).map_err(|error| error.to_string())
            });
            problems.extend(filled.err().map(|problem| format!("parameter `{}`: {problem}", parameter.name)));
        });
        let unused = |name: &&String| !read.contains(*name) && !ignored.iter().any(|end| name.ends_with(end));
        let unused = self.places.iter().filter(|(name, _)| unused(name));
        problems.extend(unused.map(|(name, &file)| {
            let sizes = self.files[file].1.sizes(name).unwrap_or_default();
            format!("the tensor `{name}` {sizes:?} in `{}` is not needed", self.files[file].0.display())
        }));
        if problems.is_empty() {
            return Ok(());
        }
        let source = self.files.first().map_or(Path::new(""), |(path, _)| path.parent().unwrap_or(path));
        let message =
            format!("the weights in `{}` do not fit the model:\n  {}", source.display(), problems.join("\n  "));
        Err(Error::here(ErrorKind::File, message))
    }

    /// A name as the files have it, or would have it as they have the others.
    fn name(&self, prefix: &str, name: &str) -> String {
        let prefixed = format!("{prefix}{name}");
        let are_prefixed = name != look::HEAD && self.places.keys().any(|other| other.starts_with(prefix));
        let is_bare = self.places.contains_key(name) || !are_prefixed;
        if self.places.contains_key(&prefixed) || !is_bare { prefixed } else { name.to_owned() }
    }

    /// Whether there is such a tensor.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The tensor, taken out of its file if it is still there.
    fn hold(&mut self, name: &str) -> &mut Held {
        let held = self.held.remove(name).unwrap_or_else(|| self.taken(name));
        self.held.entry(name.to_owned()).or_insert(held)
    }

    fn taken(&mut self, name: &str) -> Held {
        let Some(&file) = self.places.get(name) else {
            return Err(format!("the tensor `{name}` is missing in {}", self.sources()));
        };
        let (path, tensors) = &mut self.files[file];
        let sizes = tensors.sizes(name).unwrap_or_default().to_vec();
        let numbers = tensors.take(name).map_err(|error| error.to_string())?;
        let unusable = match numbers.numbers() {
            Numbers::F32(numbers) => numbers.iter().copied().find(|number| !number.is_finite()),
            Numbers::Bf16(numbers) => numbers.iter().map(|number| number.widened()).find(|number| !number.is_finite()),
            _ => None,
        };
        match unusable {
            Some(number) => Err(format!("the tensor `{name}` in `{}` has the number {number}", path.display())),
            None => Ok((sizes, numbers)),
        }
    }
}

/// The sizes and numbers of a tensor of a file, or what is wrong with it.
type Held = Result<(Vec<usize>, Buffer), String>;

/// Which part of which tensor a parameter is.
struct Cut {
    tensor: String,
    /// The names and axes of all parameters in the tensor.
    parts: Vec<(String, &'static str)>,
    /// Which of them it is.
    part: usize,
}

impl Cut {
    /// The row that fills the parameter `name`.
    fn of(name: &str, rows: &[Row]) -> Result<Cut, String> {
        // The number of the layer, if there is one, is the only number between dots.
        let number = name.split('.').find(|word| word.parse::<usize>().is_ok()).unwrap_or("");
        let here = |pattern: &str| pattern.replace("{}", number);
        let found = rows.iter().find_map(|(tensor, parts)| {
            let part = parts.iter().position(|(parameter, _)| here(parameter) == name)?;
            let parts = parts.iter().map(|(parameter, axes)| (here(parameter), *axes)).collect();
            Some(Cut { tensor: here(tensor), parts, part })
        });
        found.ok_or_else(|| "no tensor of this architecture holds it".to_owned())
    }

    /// Its numbers among those of the tensor `name`; a tensor that it has for itself is taken as it is.
    fn numbers(&self, name: &str, held: &mut Held, shapes: &BTreeMap<String, Shape>) -> Result<Buffer, String> {
        let (found, numbers) = held.as_mut().map_err(|problem| problem.clone())?;
        let groups: Vec<Vec<Vec<(&str, usize)>>> =
            self.parts.iter().map(|(parameter, axes)| groups(axes, &shapes[parameter])).collect();
        let own = &groups[self.part];
        let size = |group: &Vec<(&str, usize)>| group.iter().map(|(_, size)| size).product::<usize>();
        let widths: Vec<usize> = groups.iter().map(|groups| groups.last().map_or(1, size)).collect();
        let width: usize = widths.iter().sum();
        let mut needed: Vec<usize> = own.iter().map(size).collect();
        if let Some(last) = needed.last_mut() {
            *last = width;
        }
        if *found != needed {
            return Err(misfit(name, found, &needed, own, groups.len()));
        }
        if self.parts.len() == 1 {
            return Ok(std::mem::replace(numbers, Buffer::zeros(Kind::F32, 0)));
        }
        let before: usize = widths[..self.part].iter().sum();
        let part = before..before + widths[self.part];
        Ok(match numbers.numbers() {
            Numbers::Bf16(numbers) => Buffer::Bf16(columns(numbers, width, part)),
            _ => Buffer::F32(columns(f32::of(numbers), width, part)),
        })
    }

    /// The axes of the parameter in the order of the file.
    fn shape(&self, declared: &[Name], sizes: &Shape) -> Result<Shape, String> {
        let words = self.parts[self.part].1.split([',', ' ']).filter(|word| !word.is_empty());
        let axis = |word: &str| declared.iter().copied().find(|name| name.text() == word);
        let axes: Option<Vec<_>> =
            words.map(|word| axis(word).and_then(|name| Some((name, sizes.size(name)?)))).collect();
        axes.map(Shape::new).ok_or_else(|| format!("its axes are not `{}`", self.parts[self.part].1))
    }
}

/// These columns of a matrix.
fn columns<X: Copy + Default>(numbers: &[X], width: usize, part: Range<usize>) -> Lined<X> {
    // A matrix of no width has no rows either.
    let rows = numbers.chunks_exact(width.max(1));
    let mut columns = Lined::with_room(rows.len() * part.len());
    rows.for_each(|row| columns.extend(row[part.clone()].iter().copied()));
    columns
}

/// The axes of a parameter with their sizes, one group for each axis of the file.
fn groups<'a>(axes: &'a str, shape: &Shape) -> Vec<Vec<(&'a str, usize)>> {
    let size = |word: &str| shape.iter().find(|(name, _)| name.text() == word).map_or(0, |(_, size)| size);
    axes.split(',').map(|group| group.split_whitespace().map(|word| (word, size(word))).collect()).collect()
}

/// What is wrong with the sizes of a tensor: the first axis that differs, by name.
fn misfit(name: &str, found: &[usize], needed: &[usize], groups: &[Vec<(&str, usize)>], parts: usize) -> String {
    let named = |group: &Vec<(&str, usize)>| {
        let words: Vec<String> = group.iter().map(|(word, size)| format!("|{word}| = {size}")).collect();
        words.join(", ")
    };
    let differs = (0..needed.len()).find(|&i| found.get(i) != Some(&needed[i]));
    let mut message = format!("the tensor `{name}` has the sizes {found:?}, but {needed:?} are needed");
    if let (Some(i), true) = (differs, found.len() == needed.len()) {
        let several =
            if parts > 1 && i + 1 == needed.len() { format!(", {parts} side by side") } else { String::new() };
        let axes = named(&groups[i]);
        message = format!("{message}: size {} instead of {} where {axes}{several}", found[i], needed[i]);
    }
    message
}

/// An error about a file.
#[track_caller]
pub(crate) fn file_error(path: &Path, problem: &str) -> Error {
    Error::here(ErrorKind::File, format!("`{}` {problem}", path.display()))
}

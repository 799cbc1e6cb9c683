//! What a checkpoint says of itself, compared before any parameter is made.
//!
//! Sizes of `config.json` decide how much memory a model takes, so a wrong one is found by the headers of the files and
//! not by running out of memory. And a head that is stored twice must be the same twice.
//! Not here: filling parameters (the module above), the keys of each architecture (`bert`, `gpt2`, `llama`).

use super::{Checkpoint, Config, file_error};
use named_tensor::prelude::*;
use std::collections::BTreeMap;

/// The name of the matrix from features to words, which stands outside the prefix of all other names.
pub(super) const HEAD: &str = "lm_head.weight";

/// A key of the configuration, the size it asks for, and the tensor and its axis that must have it.
pub(super) type Size = (&'static str, usize, &'static str, usize);

impl Checkpoint {
    /// Compares sizes of the configuration with those of the tensors, and the number of layers with the names of the
    /// tensors: `layers` is the key, and what stands before the number of a layer.
    ///
    /// # Errors
    /// The first that differs, with the key, the file, the tensor and both sizes.
    pub(super) fn agree(
        &self,
        config: &Config,
        prefix: &str,
        sizes: &[Size],
        layers: (&str, &str),
    ) -> Result<(), Error> {
        let (key, before) = layers;
        let mut found: BTreeMap<usize, &str> = BTreeMap::new();
        for name in self.places.keys() {
            let inner = name.strip_prefix(prefix).unwrap_or(name).strip_prefix(before);
            if let Some(number) = inner.and_then(|rest| rest.split('.').next()?.parse().ok()) {
                found.entry(number).or_insert(name);
            }
        }
        let count = config.size(key)?;
        if count != found.len() {
            let last = found.last_key_value().map_or(String::new(), |(_, name)| format!(", the last with `{name}`"));
            let problem = format!("is {count}, but {} has tensors of {} layers{last}", self.sources(), found.len());
            return Err(config.problem(key, &problem));
        }
        sizes.iter().try_for_each(|size| self.agrees(config, prefix, size))
    }

    fn agrees(&self, config: &Config, prefix: &str, &(key, needed, tensor, axis): &Size) -> Result<(), Error> {
        let name = self.name(prefix, tensor);
        let Some(&file) = self.places.get(&name) else {
            let problem = format!("needs the tensor `{name}`, which is missing in {}", self.sources());
            return Err(config.problem(key, &problem));
        };
        let (path, tensors) = &self.files[file];
        let sizes = tensors.sizes(&name).unwrap_or_default();
        if sizes.get(axis) == Some(&needed) {
            return Ok(());
        }
        let found = sizes.get(axis).map_or("none".to_owned(), ToString::to_string);
        let problem = format!(
            "asks for the size {needed}, but the tensor `{name}` {sizes:?} in `{}` has {found} at axis {axis}",
            path.display()
        );
        Err(config.problem(key, &problem))
    }

    /// A head that is stored beside the table of words must be that table.
    ///
    /// # Errors
    /// It has other sizes, other numbers, or one that is not finite.
    pub(super) fn tied(&mut self, prefix: &str, table: &str) -> Result<(), Error> {
        let heads: Vec<(String, usize)> = self.places.iter().map(|(name, &file)| (name.clone(), file)).collect();
        for (head, file) in heads.into_iter().filter(|(name, _)| name.ends_with(HEAD)) {
            let table = self.name(prefix, table);
            let path = self.files[file].0.clone();
            let told = |problem: &String| file_error(&path, &format!("cannot be used: {problem}"));
            self.hold(&head);
            self.hold(&table);
            // The head is not needed again.
            let own = self.held.remove(&head).unwrap_or_else(|| Err(String::new()));
            let (own, words) = (own.as_ref().map_err(told)?, self.held[&table].as_ref().map_err(told)?);
            if own != words {
                let problem = format!(
                    "has a head of its own, which the equations tie to the table of words: `{head}` {:?} is not `{table}` {:?}",
                    own.0, words.0
                );
                return Err(file_error(&path, &problem));
            }
        }
        Ok(())
    }

    /// The files, as an error tells them.
    pub(super) fn sources(&self) -> String {
        let files: Vec<String> = self.files.iter().map(|(path, _)| format!("`{}`", path.display())).collect();
        files.join(", ")
    }
}

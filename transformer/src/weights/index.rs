//! The index of a checkpoint of several files, `model.safetensors.index.json`: which tensor is in which file.
//!
//! Lives here: reading it, and comparing it with what the files have. A name of a file comes from whoever published the
//! checkpoint, so one that leaves the folder is refused.

use super::{Checkpoint, config, file_error};
use named_tensor::prelude::*;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// The file of each tensor, by its name.
///
/// # Errors
/// The index is no such table, is empty, or names what is no file of the folder.
pub(super) fn read(index: &Path) -> Result<BTreeMap<String, String>, Error> {
    let values = config::json(index)?;
    let listed = values
        .get("weight_map")
        .and_then(|map| map.as_object())
        .ok_or_else(|| file_error(index, "does not say under `weight_map` which tensor is in which file"))?;
    if listed.is_empty() {
        return Err(file_error(index, "lists no tensor under `weight_map`"));
    }
    let entry = |(tensor, file): (&String, &serde_json::Value)| match file.as_str().filter(|file| is_inside(file)) {
        Some(file) => Ok((tensor.clone(), file.to_owned())),
        None => {
            let problem = format!("says that `{tensor}` is in {file}, which is no name of a file in its folder");
            Err(file_error(index, &problem))
        }
    };
    listed.iter().map(entry).collect()
}

fn is_inside(file: &str) -> bool {
    !file.is_empty() && Path::new(file).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Asserts that each tensor is in the file that the index says, and in no other.
///
/// # Errors
/// The first that is not.
pub(super) fn check(index: &Path, listed: &BTreeMap<String, String>, checkpoint: &Checkpoint) -> Result<(), Error> {
    for (tensor, file) in listed {
        let path = index.with_file_name(file);
        let found = checkpoint.files.iter().any(|(name, has)| *name == path && has.sizes(tensor).is_some());
        if !found {
            let problem = format!("says that `{tensor}` is in `{}`, which does not have it", path.display());
            return Err(file_error(index, &problem));
        }
    }
    for (path, tensors) in &checkpoint.files {
        let here = |tensor: &&str| listed.get(*tensor).is_some_and(|file| index.with_file_name(file) == *path);
        if let Some(tensor) = tensors.names().find(|tensor| !here(tensor)) {
            let problem = format!("does not list `{tensor}`, which is in `{}`", path.display());
            return Err(file_error(index, &problem));
        }
    }
    Ok(())
}

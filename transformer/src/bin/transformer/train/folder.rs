//! The folder of a run: what its files are called, and to which run they belong.
//!
//! `run.json` is written before the first step and says which run it is, so that nothing else is gone on with by mistake.
//! Lives here: names, `run.json`, writing of texts in one step. Not here: what a checkpoint holds (`transformer::train`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use named_tensor::prelude::{Error, ErrorKind};
use serde_json::{Value, json};

use crate::output::unusable;

/// Which run it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) task: String,
    pub(crate) data: String,
    pub(crate) seed: u64,
    pub(crate) steps: u64,
}

/// A folder that can be written.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes the folder, unless it is there.
    pub(crate) fn new(path: PathBuf) -> Result<Folder, Error> {
        fs::create_dir_all(&path).map_err(|error| unusable(&path, "make the folder", &error))?;
        Ok(Folder(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.0.join("checkpoint.safetensors")
    }

    pub(crate) fn model(&self) -> PathBuf {
        self.0.join("model.safetensors")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.0.join("log.csv")
    }

    /// Whether something lies here, and it is not a run.
    pub(crate) fn is_foreign(&self) -> Result<bool, Error> {
        let mut entries = fs::read_dir(&self.0).map_err(|error| unusable(&self.0, "read the folder", &error))?;
        Ok(!self.0.join("run.json").exists() && entries.next().is_some())
    }

    /// Makes room for another run: what is resumed must not be a checkpoint of the run before.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        for path in [self.checkpoint(), self.model()] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unusable(&path, "remove", &error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes a text, a picture for instance, in one step.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let (path, draft) = (self.0.join(name), self.0.join(format!("{name}.draft")));
        let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, &path));
        written.map_err(|error| unusable(&path, "write", &error))?;
        Ok(path)
    }

    /// Which run lies here, if there is one.
    pub(crate) fn identity(&self) -> Result<Option<Identity>, Error> {
        let path = self.0.join("run.json");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(&path, "read", &error)),
        };
        let broken = |what: &str| Error::new(ErrorKind::File, format!("`{}` {what}", path.display()));
        let value: Value = serde_json::from_str(&text)
            .map_err(|error| broken(&format!("is not the description of a run: {error}")))?;
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let identity = || {
            let (seed, steps) = (value["seed"].as_u64()?, value["steps"].as_u64()?);
            Some(Identity { task: text("task")?, data: text("data")?, seed, steps })
        };
        identity().map(Some).ok_or_else(|| broken("lacks one of `task`, `data`, `seed` and `steps`"))
    }

    /// Says which run lies here.
    pub(crate) fn identify(&self, identity: &Identity) -> Result<(), Error> {
        let Identity { task, data, seed, steps } = identity;
        let value = json!({ "task": task, "data": data, "seed": seed, "steps": steps });
        self.write("run.json", &format!("{value:#}\n")).map(drop)
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Identity { task, data, seed, steps } = self;
        write!(f, "`{task}` ({data}), seed {seed}, {steps} steps")
    }
}

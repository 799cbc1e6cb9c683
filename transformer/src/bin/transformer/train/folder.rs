//! The folder of a run: what its files are called, and to which run they belong.
//!
//! `run.json` is written before the first step and says which run it is, so that nothing else is gone on with by mistake.
//! Lives here: names, `run.json`, writing of texts in one step, the lock that keeps a second run out. Not here: what a
//! checkpoint holds (`transformer::train`).

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
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

/// What says that a run is at work in a folder: a lock on this file, which ends with the process.
const LOCK: &str = ".lock";

/// A folder that can be written, by one run at a time.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _lock: Option<File>,
}

impl Folder {
    /// Makes the folder, unless it is there. A foreign one is left as it is.
    pub(crate) fn new(path: PathBuf) -> Result<Folder, Error> {
        fs::create_dir_all(&path).map_err(|error| unusable(&path, "make the folder", &error))?;
        let folder = Folder { path, _lock: None };
        let lock = if folder.is_foreign()? { None } else { Some(folder.lock()?) };
        Ok(Folder { _lock: lock, ..folder })
    }

    /// Keeps other runs out as long as the file is open, where the file system has locks.
    fn lock(&self) -> Result<File, Error> {
        let path = self.path.join(LOCK);
        let file = File::options().create(true).append(true).open(&path);
        let file = file.map_err(|error| unusable(&path, "write", &error))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let message = format!("another run is at work in `{}`", self.path.display());
            return Err(Error::new(ErrorKind::File, message));
        }
        Ok(file)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint.safetensors")
    }

    pub(crate) fn model(&self) -> PathBuf {
        self.path.join("model.safetensors")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.path.join("log.csv")
    }

    /// Whether something lies here, and it is not a run.
    pub(crate) fn is_foreign(&self) -> Result<bool, Error> {
        let entries = fs::read_dir(&self.path).map_err(|error| unusable(&self.path, "read the folder", &error))?;
        let others = entries.filter(|entry| !entry.as_ref().is_ok_and(|entry| entry.file_name() == LOCK));
        Ok(!self.path.join("run.json").exists() && others.count() > 0)
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
        let (path, draft) = (self.path.join(name), self.path.join(format!("{name}.draft")));
        let written = File::create(&draft).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            // A power cut after the renaming must not leave an empty file.
            file.sync_all()?;
            fs::rename(&draft, &path)
        });
        written.map_err(|error| unusable(&path, "write", &error))?;
        Ok(path)
    }

    /// Which run lies here, if there is one.
    pub(crate) fn identity(&self) -> Result<Option<Identity>, Error> {
        let path = self.path.join("run.json");
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

impl Identity {
    /// Whether the other one is the same run, as far as it goes.
    pub(crate) fn is_alike(&self, other: &Identity) -> bool {
        (&self.task, &self.data, self.seed) == (&other.task, &other.data, other.seed)
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Identity { task, data, seed, steps } = self;
        write!(f, "`{task}` ({data}), seed {seed}, {steps} steps")
    }
}

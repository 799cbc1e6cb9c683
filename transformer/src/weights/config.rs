//! The configuration of a published model, `config.json`.
//!
//! Lives here: numbers and words by their keys, each problem told with the file and the key. What the equations do not
//! have is refused: weights computed by other equations than their own would give nonsense.

use super::file_error;
use named_tensor::Error;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// What `config.json` says.
#[derive(Clone, Debug)]
pub struct Config {
    path: PathBuf,
    values: Value,
}

impl Config {
    /// Reads `config.json` of a folder.
    ///
    /// # Errors
    /// There is no such file, or it is no JSON object.
    pub fn open(folder: &Path) -> Result<Config, Error> {
        Config::read(folder.join("config.json"))
    }

    /// Reads a file of another name.
    ///
    /// # Errors
    /// As [`Config::open`].
    pub(crate) fn read(path: PathBuf) -> Result<Config, Error> {
        let values = json(&path)?;
        if !values.is_object() {
            return Err(file_error(&path, "is no JSON object"));
        }
        Ok(Config { path, values })
    }

    /// The value under a key, or under two with a dot between; none if it is absent or null.
    pub(crate) fn find(&self, key: &str) -> Option<&Value> {
        let found = key.split('.').try_fold(&self.values, |values, word| values.get(word))?;
        (!found.is_null()).then_some(found)
    }

    fn needed<'a, X>(&'a self, key: &str, what: &str, of: impl Fn(&'a Value) -> Option<X>) -> Result<X, Error> {
        match self.find(key) {
            Some(value) => of(value).ok_or_else(|| self.problem(key, &format!("is {value}, but should be {what}"))),
            None => Err(self.problem(key, "is missing")),
        }
    }

    /// A size, at least 1.
    ///
    /// # Errors
    /// It is missing, or no such number.
    pub fn size(&self, key: &str) -> Result<usize, Error> {
        let size = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0);
        self.needed(key, "a number of at least 1", size)
    }

    /// A size that may be left out.
    ///
    /// # Errors
    /// It is there, but no size.
    pub fn size_or(&self, key: &str, default: usize) -> Result<usize, Error> {
        if self.find(key).is_none() { Ok(default) } else { self.size(key) }
    }

    /// A positive number that may be left out.
    ///
    /// # Errors
    /// It is there, but no such number.
    pub fn number_or(&self, key: &str, default: f64) -> Result<f64, Error> {
        let number = |value: &Value| value.as_f64().filter(|&x| x.is_finite() && x > 0.0);
        if self.find(key).is_none() { Ok(default) } else { self.needed(key, "a positive number", number) }
    }

    /// A word.
    ///
    /// # Errors
    /// It is missing, or no word.
    pub fn text(&self, key: &str) -> Result<&str, Error> {
        self.needed(key, "a word", Value::as_str)
    }

    /// Whether a key says yes; no if it is absent.
    ///
    /// # Errors
    /// It is there, but neither yes nor no.
    pub fn is(&self, key: &str) -> Result<bool, Error> {
        if self.find(key).is_none() { Ok(false) } else { self.needed(key, "true or false", Value::as_bool) }
    }

    /// Words of the vocabulary by number: none if the key is absent, one, or a list of them.
    ///
    /// # Errors
    /// It is there, but no number and no list of numbers.
    pub fn words(&self, key: &str) -> Result<Vec<usize>, Error> {
        let one = |value: &Value| value.as_u64().and_then(|word| usize::try_from(word).ok());
        let words = |value: &Value| match value {
            Value::Array(list) => list.iter().map(one).collect(),
            value => one(value).map(|word| vec![word]),
        };
        if self.find(key).is_none() {
            Ok(Vec::new())
        } else {
            self.needed(key, "a word's number, or a list of them", words)
        }
    }

    /// A size that must be so many times another one: that many.
    ///
    /// # Errors
    /// It is not.
    pub(crate) fn split(&self, whole: &str, parts: &str) -> Result<usize, Error> {
        let (n, by) = (self.size(whole)?, self.size(parts)?);
        if n.is_multiple_of(by) {
            return Ok(n / by);
        }
        Err(self.problem(whole, &format!("is {n}, which is no multiple of `{parts}`, {by}")))
    }

    /// Refuses any other value of a key than the one that the equations have; absent is that one.
    ///
    /// # Errors
    /// Another value.
    pub(crate) fn expect(&self, key: &str, only: &Value) -> Result<(), Error> {
        match self.find(key) {
            Some(value) if !same(value, only) => {
                Err(self.problem(key, &format!("is {value}, but the equations of this architecture have {only}")))
            }
            _ => Ok(()),
        }
    }

    /// The error of a word that is none of the known ones.
    #[must_use]
    pub(crate) fn unknown(&self, key: &str, known: &str) -> Error {
        let value = self.find(key).map_or(String::new(), ToString::to_string);
        self.problem(key, &format!("is {value}, but only {known} is known"))
    }

    /// An error about a key.
    pub(crate) fn problem(&self, key: &str, problem: &str) -> Error {
        file_error(&self.path, &format!("cannot be used: `{key}` {problem}"))
    }
}

/// Whether two values are equal, numbers as numbers.
fn same(value: &Value, other: &Value) -> bool {
    match (value.as_f64(), other.as_f64()) {
        (Some(x), Some(y)) => x == y,
        _ => value == other,
    }
}

/// Reads a JSON file.
pub(crate) fn json(path: &Path) -> Result<Value, Error> {
    let text = fs::read_to_string(path).map_err(|error| file_error(path, &format!("cannot be read: {error}")))?;
    serde_json::from_str(&text).map_err(|error| file_error(path, &format!("is not JSON: {error}")))
}

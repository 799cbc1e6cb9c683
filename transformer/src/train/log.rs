//! The log of a run: one row of comma-separated values for each step.
//!
//! A run that goes on from a checkpoint drops the rows of steps that were done after it, so that each step stands once.
//! Lives here: rows as text and as numbers, and the file. Not here: curves (`picture`), what a terminal shows.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::Step;

/// The names of the columns.
pub const HEADER: &str = "step,loss,rate,tokens_per_second";

/// A log that is being written.
#[derive(Debug)]
pub struct Log(File);

impl Log {
    /// Opens the log of a run of which `done` steps are done: rows of later steps are dropped. A crash on the way leaves the
    /// file as it was.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn open(path: impl AsRef<Path>, done: u64) -> io::Result<Log> {
        let before = match rows(&path) {
            Ok(before) => before,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let kept = before.iter().filter(|row| row.0 <= done).map(|row| format!("{}\n", row.1));
        let text = format!("{HEADER}\n{}", kept.collect::<String>());
        replaced(path.as_ref(), &text).map(Log)
    }

    /// Adds the row of a step.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, step: Step, tokens_per_second: f64) -> io::Result<()> {
        let Step { number, loss, rate } = step;
        writeln!(self.0, "{number},{loss},{rate},{tokens_per_second:.0}")
    }
}

/// Steps and losses of a log, for a curve. Rows that are none, as a crash may leave one, are passed over.
///
/// # Errors
/// The file cannot be read.
pub fn losses(path: impl AsRef<Path>) -> io::Result<Vec<(f64, f64)>> {
    let loss = |row: &str| row.split(',').nth(1).and_then(|loss| loss.parse::<f64>().ok());
    Ok(rows(path)?.iter().filter_map(|(step, row)| Some((*step as f64, loss(row)?))).collect())
}

/// The complete rows with their steps.
fn rows(path: impl AsRef<Path>) -> io::Result<Vec<(u64, String)>> {
    let text = fs::read_to_string(path)?;
    let columns = HEADER.split(',').count();
    let whole = text.split_inclusive('\n').filter(|row| row.ends_with('\n') && row.split(',').count() == columns);
    Ok(whole.filter_map(|row| Some((row.split(',').next()?.parse().ok()?, row.trim_end().to_owned()))).collect())
}

/// A file with this text, open at its end. It is written beside the old one and renamed over it.
fn replaced(path: &Path, text: &str) -> io::Result<File> {
    // The right to write is asked for: renaming needs none to the file that is lost.
    let old = File::options().write(true).create(true).truncate(false).open(path)?.metadata()?;
    if !old.is_file() {
        // A pipe or a device has no rows to lose, and would itself be lost.
        let mut other = File::create(path)?;
        return other.write_all(text.as_bytes()).map(|()| other);
    }
    // A link stays, and what it leads to is replaced.
    let path = fs::canonicalize(path)?;
    let mut draft = path.clone().into_os_string();
    draft.push(".draft");
    let written = File::create(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(old.permissions())?;
        file.sync_all()?;
        fs::rename(&draft, &path).map(|()| file)
    });
    if written.is_err() {
        // Best effort: the error that matters is the one of writing.
        let _ = fs::remove_file(&draft);
    }
    written
}

//! What the commands print: results on standard output, everything else on standard error.
//!
//! A reader that has seen enough closes the pipe; that is no failure, so the rest is dropped in silence.
//! Not here: the progress of training (`progress`).

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use named_tensor::prelude::{Error, ErrorKind};

/// Prints a result and ends the line.
///
/// # Errors
/// Standard output cannot be written, for another reason than that nobody reads it.
pub(crate) fn say(text: impl std::fmt::Display) -> Result<(), Error> {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::new(ErrorKind::File, format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a piece of a text at once. Returns whether anybody reads it.
///
/// # Errors
/// As [`say`].
pub(crate) fn show(piece: &str) -> Result<bool, Error> {
    let mut out = io::stdout().lock();
    match out.write_all(piece.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::new(ErrorKind::File, format!("cannot write the output: {error}"))),
        Ok(()) => Ok(true),
    }
}

/// Prints a remark, which no program reads.
pub(crate) fn remark(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints an error, without its place in the source text, which means nothing here; the exit code is 1.
pub(crate) fn failure(error: &Error) -> ExitCode {
    remark(format_args!("error: {}", error.message()));
    ExitCode::FAILURE
}

/// What went wrong with a file or folder, by name.
pub(crate) fn unusable(path: &Path, doing: &str, error: &io::Error) -> Error {
    Error::new(ErrorKind::File, format!("cannot {doing} `{}`: {error}", path.display()))
}

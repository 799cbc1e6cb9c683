//! The one run-time error: which operation, which axis, which sizes, and where the operation was written.
//!
//! Names are settled by the compiler; what is left for run time are sizes, values and files.
//! Lives here: the error and its words. Not here: who raises it.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The result of reading a tensor.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// One axis with two sizes.
    SizeClash,
    /// A `where` condition of a function does not hold.
    Condition,
    /// A position at or past the size of its axis.
    IndexOutOfRange,
    /// A reduction without a value, such as the largest of nothing.
    Empty,
    /// Sizes whose product is too large for memory.
    TooLarge,
    /// A value that is refused, such as NaN where a number is needed.
    Value,
    /// Reading inside a lifted function, where a tensor may have more axes than its type says.
    Lifted,
    /// A file that cannot be read, or whose parameters are missing, unexpected or of another size.
    File,
}

/// A run-time error. Cheap to clone: every tensor computed from a failed one carries it.
#[derive(Clone, thiserror::Error)]
pub struct Error(Arc<Detail>);

#[derive(Clone)]
struct Detail {
    kind: ErrorKind,
    message: String,
    place: Option<&'static Location<'static>>,
    equation: Option<String>,
    /// How many there were before.
    number: u64,
}

static ERRORS: AtomicU64 = AtomicU64::new(0);

impl Error {
    /// An error without a place. The message is lower case, names in backticks, no full stop.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let number = ERRORS.fetch_add(1, Ordering::Relaxed);
        Error(Arc::new(Detail { kind, message: message.into(), place: None, equation: None, number }))
    }

    /// An error at the caller's place.
    #[must_use]
    #[track_caller]
    pub fn here(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, message).at(Location::caller())
    }

    /// The axis `axis` has size `left` in one operand of `operation` and `right` in the other.
    #[must_use]
    pub fn size_clash(operation: &str, axis: &str, left: usize, right: usize) -> Error {
        let message =
            format!("sizes clash in `{operation}`: axis `{axis}` has size {left} on the left, {right} on the right");
        Error::new(ErrorKind::SizeClash, message)
    }

    /// The position `index` does not exist on the axis `axis` of this size.
    #[must_use]
    pub fn out_of_range(operation: &str, axis: &str, index: impl fmt::Display, size: usize) -> Error {
        let message =
            format!("index out of range in `{operation}`: position {index} of axis `{axis}`, whose size is {size}");
        Error::new(ErrorKind::IndexOutOfRange, message)
    }

    /// The same error, written at `place`, unless it has a place already.
    #[must_use]
    pub fn at(mut self, place: &'static Location<'static>) -> Error {
        if self.0.place.is_none() {
            Arc::make_mut(&mut self.0).place = Some(place);
        }
        self
    }

    /// The same error, written at `place`, whatever it says itself: a line of this library, on whose way the error came about.
    #[must_use]
    pub(crate) fn told_at(mut self, place: &'static Location<'static>) -> Error {
        Arc::make_mut(&mut self.0).place = Some(place);
        self
    }

    /// The same error, raised in the equation `equation`, unless an inner equation is named already.
    #[must_use]
    pub fn in_equation(mut self, equation: &str) -> Error {
        if self.0.equation.is_none() {
            Arc::make_mut(&mut self.0).equation = Some(equation.to_owned());
        }
        self
    }

    /// How many errors there have been in this program.
    pub(crate) fn count() -> u64 {
        ERRORS.load(Ordering::Relaxed)
    }

    /// Whether it was among the first `count` of them.
    pub(crate) fn was_among(&self, count: u64) -> bool {
        self.0.number < count
    }

    /// What went wrong, by kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What went wrong in words, without the place: for those who did not write the program.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where the operation was written, when it is known.
    #[must_use]
    pub fn place(&self) -> Option<&'static Location<'static>> {
        self.0.place
    }

    /// The function of the notation that the operation stands in, when there is one.
    #[must_use]
    pub fn equation(&self) -> Option<&str> {
        self.0.equation.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(equation) = &self.0.equation {
            write!(f, ", in `{equation}`")?;
        }
        if let Some(place) = self.0.place {
            write!(f, ", at {}:{}:{}", place.file(), place.line(), place.column())?;
        }
        Ok(())
    }
}

/// As it is displayed: this is how `main` prints what it returns.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_main_returns_says_what_it_says_elsewhere() {
        let error = Error::size_clash("+", "seq", 2, 3);
        assert_eq!(format!("{error:?}"), "sizes clash in `+`: axis `seq` has size 2 on the left, 3 on the right");
        assert_eq!(format!("{error:?}"), error.to_string());
    }
}

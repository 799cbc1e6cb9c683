//! What the environment asks of the kernels: how many threads, and how wide vectors.
//!
//! Not here: what is done where it says nothing (`threads`, `vectors`), and who is told of a wrong setting (`plan`).

/// How many threads are to compute: `NAMED_TENSOR_THREADS`, a number of at least 1, if it says anything.
///
/// # Errors
/// It says something that is no such number: this.
pub(crate) fn threads() -> Result<Option<usize>, String> {
    number("NAMED_TENSOR_THREADS", 1)
}

/// How many bits a vector has at most: `NAMED_TENSOR_VECTORS`, a number, if it says anything.
///
/// # Errors
/// It says something that is no number: this.
pub(crate) fn vectors() -> Result<Option<usize>, String> {
    number("NAMED_TENSOR_VECTORS", 0)
}

fn number(name: &str, least: usize) -> Result<Option<usize>, String> {
    let said = std::env::var_os(name).unwrap_or_default();
    if said.is_empty() {
        return Ok(None);
    }
    let number = said.to_str().and_then(|text| text.parse().ok()).filter(|&number| number >= least);
    number.map(Some).ok_or_else(|| said.to_string_lossy().into_owned())
}

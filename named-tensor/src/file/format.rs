//! The safetensors format: the size of a header, the header as JSON, the numbers of one tensor after the other.
//! (<https://github.com/huggingface/safetensors>, section "Format".)
//!
//! The axes stand in the metadata under `named_axes`, one line per tensor: `W_Q: chans, key`. It is one entry, not one
//! per tensor, because the order of several entries would change from run to run.
//! Lives here: reading that believes nothing, and writing. Not here: the meaning of the numbers (`entry`).

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Write};

use safetensors::tensor::{Metadata, TensorInfo};

use super::entry::Entry;

/// The name that no tensor can have.
pub(super) const METADATA: &str = "__metadata__";
/// The entry of the metadata that names the axes.
const AXES: &str = "named_axes";
/// The size of the header is a number of 8 bytes, and the numbers begin at a multiple of 8.
const WORD: usize = size_of::<u64>();
/// The largest header that the format allows.
const LARGEST_HEADER: u64 = 100_000_000;

/// Reads `size` bytes. Nothing is allocated that is larger than what is there.
pub(super) fn read(mut from: impl Read, size: u64) -> io::Result<BTreeMap<String, Entry>> {
    let Some(after_word) = size.checked_sub(WORD as u64) else {
        return Err(broken(format!("{size} bytes are too few for a safetensors file")));
    };
    let mut word = [0; WORD];
    from.read_exact(&mut word)?;
    let header_size = u64::from_le_bytes(word);
    if header_size > LARGEST_HEADER && header_size <= after_word {
        return Err(broken(format!(
            "no safetensors file: the header has {header_size} bytes, and the format allows {LARGEST_HEADER}"
        )));
    }
    if header_size > after_word {
        return Err(broken(format!(
            "not a safetensors file, or a truncated one: the header should have {header_size} bytes, but {after_word} follow"
        )));
    }
    // Deserialising `Metadata` checks that the tensors lie one after the other and that their sizes fit their bytes.
    let header: Metadata = serde_json::from_slice(&exactly(&mut from, header_size)?)
        .map_err(|error| broken(format!("the header is not that of a safetensors file: {error}")))?;
    let (described, follow) = (header.data_len() as u64, after_word - header_size);
    if described != follow {
        return Err(broken(format!(
            "truncated or too long: the header describes {described} bytes of numbers, but {follow} follow"
        )));
    }
    let mut entries = BTreeMap::new();
    for name in header.offset_keys() {
        if let Some(TensorInfo { dtype, shape, data_offsets: (start, end) }) = header.info(&name) {
            let entry = Entry::read(*dtype, shape, end - start, &mut from)?;
            entries.insert(name, entry);
        }
    }
    let lines = header.metadata().as_ref().and_then(|metadata| metadata.get(AXES));
    name_axes(&mut entries, lines.map_or("", String::as_str)).map_err(broken)?;
    Ok(entries)
}

/// The next `size` bytes.
fn exactly(from: &mut impl Read, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
    from.take(size).read_to_end(&mut bytes)?;
    // A file can shrink while it is read.
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Gives the tensors the axes that the lines of the metadata name.
fn name_axes(entries: &mut BTreeMap<String, Entry>, lines: &str) -> Result<(), String> {
    for line in lines.lines() {
        let (name, axes) =
            line.rsplit_once(':').ok_or_else(|| format!("the metadata `{AXES}` has a line without axes: `{line}`"))?;
        let axes = axes.split(',').map(|axis| axis.trim().to_owned()).filter(|axis| !axis.is_empty()).collect();
        // A tensor that is gone is another program's choice, a tensor that does not fit is a mistake.
        if let Some(entry) = entries.get_mut(name) {
            entry.name_axes(axes).map_err(|problem| format!("the tensor `{name}` {problem}"))?;
        }
    }
    Ok(())
}

/// Writes the bytes of a file. The widest elements come first, so that all of them are aligned.
pub(super) fn write(into: &mut impl Write, entries: &BTreeMap<String, Entry>) -> io::Result<()> {
    let mut ordered: Vec<(&String, &Entry)> = entries.iter().collect();
    ordered.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.dtype.bitsize()));
    let mut end = 0;
    let tensors = ordered.iter().map(|(name, entry)| {
        let start = end;
        end += entry.bytes();
        let info = TensorInfo { dtype: entry.dtype, shape: entry.sizes.clone(), data_offsets: (start, end) };
        ((*name).clone(), info)
    });
    let header =
        Metadata::new(Some(metadata(entries)), tensors.collect()).map_err(|error| broken(error.to_string()))?;
    let mut header = serde_json::to_vec(&header)?;
    header.resize(header.len().next_multiple_of(WORD), b' ');
    into.write_all(&(header.len() as u64).to_le_bytes())?;
    into.write_all(&header)?;
    ordered.iter().try_for_each(|(_, entry)| entry.write(into))
}

/// The axes of all tensors that name them.
fn metadata(entries: &BTreeMap<String, Entry>) -> HashMap<String, String> {
    let line = |(name, entry): (&String, &Entry)| Some(format!("{name}: {}", entry.axes.as_ref()?.join(", ")));
    let lines: Vec<String> = entries.iter().filter_map(line).collect();
    HashMap::from([(AXES.to_owned(), lines.join("\n"))])
}

/// What is wrong with the bytes.
fn broken(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

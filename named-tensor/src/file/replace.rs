//! Replacing a file in one step.
//!
//! The new file is written beside the old one under another name, brought to the disk, and then renamed over it. A
//! crash at any moment leaves either the old file or the new one, never a part. Not here: what is written (`format`).

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Replaces the file `path` by what `write` writes.
pub(super) fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let old = match fs::metadata(path) {
        Ok(old) if old.is_dir() => return Err(refused(io::ErrorKind::IsADirectory, "a file cannot have this name")),
        // Something else would be lost by renaming: a pipe, a device.
        Ok(old) if !old.is_file() => return Err(refused(io::ErrorKind::InvalidInput, "it is no regular file")),
        old => old.ok(),
    };
    let permissions = old.map(|old| old.permissions());
    // Renaming needs no right to the file that is lost, so the wish to keep it is asked for.
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(refused(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let target = behind_links(path)?;
    let (temporary, file) = beside(&target)?;
    let mut file = BufWriter::new(file);
    let written = write(&mut file).and_then(|()| {
        let file = file.into_inner()?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        fs::rename(&temporary, &target)
    });
    if written.is_err() {
        // Best effort: the error that matters is the one of writing.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The file that a link leads to, whether it is there or not: it is replaced, and the link stays.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    // As many links as systems follow.
    for _ in 0..40 {
        match fs::read_link(&target) {
            // What it says begins in its own folder, unless it is absolute.
            Ok(next) => target = target.with_file_name(next),
            Err(_) => return Ok(target),
        }
    }
    Err(refused(io::ErrorKind::InvalidInput, "it is a link that leads nowhere"))
}

/// A new file in the same folder, since a file cannot be renamed across disks. A name that is taken is passed over: it may
/// belong to another program, or to one that was killed.
fn beside(target: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    if target.file_name().is_none() {
        return Err(refused(io::ErrorKind::IsADirectory, "a file cannot have this name"));
    }
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = target.with_file_name(format!(".named-tensor-{}-{number}.tmp", process::id()));
        match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((path, file?)),
        }
    }
}

fn refused(kind: io::ErrorKind, why: &str) -> io::Error {
    io::Error::new(kind, why)
}

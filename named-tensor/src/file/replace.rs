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
    // The file behind a link is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let permissions = fs::metadata(&target).map(|old| old.permissions()).ok();
    // Renaming needs no right to the file that is lost, so the wish to keep it is asked for.
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let temporary = beside(&target)?;
    let file = File::create_new(&temporary)?;
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

/// A name in the same folder, since a file cannot be renamed across disks, that no other thread or program uses.
fn beside(target: &Path) -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    if target.file_name().is_none() || target.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "a file cannot have this name"));
    }
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Ok(target.with_file_name(format!(".named-tensor-{}-{number}.tmp", process::id())))
}

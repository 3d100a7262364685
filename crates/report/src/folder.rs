use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes files into a folder, whole or not at all: everything is first written under a temporary name
/// in the folder and then renamed, so that a failure or an interruption leaves the old files as they were.
/// Files in `stale` that are not written are removed afterwards: they would belong to another run.
///
/// # Errors
/// Those of the file system, with the path they concern.
pub fn write_folder(folder: &Path, files: &[(&str, Vec<u8>)], stale: &[&str]) -> io::Result<()> {
    let existed = folder.exists();
    fs::create_dir_all(folder).map_err(|error| about(folder, error))?;
    let staging = folder.join(format!(".writing-{}", std::process::id()));
    let written = stage(&staging, files).and_then(|()| publish(&staging, folder, files));
    // What is left in the staging folder after a failure is of no use to anyone.
    let _ = fs::remove_dir_all(&staging);
    if written.is_err() && !existed {
        // Succeeds only while it is empty.
        let _ = fs::remove_dir(folder);
    }
    written?;
    let old = stale.iter().filter(|name| !files.iter().any(|(written, _)| written == *name));
    old.map(|name| folder.join(name)).filter(|path| path.is_file()).try_for_each(|path| remove(&path))
}

fn stage(staging: &Path, files: &[(&str, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir_all(staging).map_err(|error| about(staging, error))?;
    for (name, bytes) in files {
        let path = staging.join(name);
        fs::write(&path, bytes).map_err(|error| about(&path, error))?;
    }
    Ok(())
}

fn publish(staging: &Path, folder: &Path, files: &[(&str, Vec<u8>)]) -> io::Result<()> {
    for (name, _) in files {
        let path: PathBuf = folder.join(name);
        fs::rename(staging.join(name), &path).map_err(|error| about(&path, error))?;
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path).map_err(|error| about(path, error))
}

fn about(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

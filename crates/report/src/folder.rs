use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes files into a folder, whole or not at all: everything is first written under a temporary name
/// in the folder and then renamed, so that a failure or an interruption leaves the old files as they were.
/// Files in `stale` that are not written are removed afterwards: they would belong to another run. A folder in which
/// no run has written before is not trusted: nothing in it is replaced or removed.
///
/// # Errors
/// Those of the file system, with the path they concern.
pub fn write_folder(folder: &Path, files: &[(&str, Vec<u8>)], stale: &[&str]) -> io::Result<()> {
    let existed = folder.exists();
    let ours = OURS.iter().any(|name| folder.join(name).is_file());
    if !ours && let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).exists()) {
        let text = format!(
            "{} was not written by a run and would be replaced; give another --out",
            folder.join(name).display()
        );
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    fs::create_dir_all(folder).map_err(|error| about(folder, error))?;
    let staging = folder.join(format!(".writing-{}", std::process::id()));
    // Runs that end together publish one after the other, so that files of different runs never mix.
    let turn = fs::File::open(folder).ok();
    let written = stage(&staging, files).and_then(|()| {
        turn.iter().for_each(|turn| drop(turn.lock()));
        publish(&staging, folder, files)
    });
    // What is left in the staging folder after a failure is of no use to anyone.
    let _ = fs::remove_dir_all(&staging);
    if written.is_err() && !existed {
        // Succeeds only while it is empty.
        let _ = fs::remove_dir(folder);
    }
    written?;
    if !ours {
        return Ok(());
    }
    let old = stale.iter().filter(|name| !files.iter().any(|(written, _)| written == *name));
    old.map(|name| folder.join(name)).filter(|path| path.is_file()).try_for_each(|path| remove(&path))
}

/// A folder with one of these is one that runs write into.
const OURS: [&str; 2] = ["run.json", "sweep.csv"];

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

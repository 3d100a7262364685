use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::diagnostic::{Code, Diagnostic, Report};

/// The most bytes a scenario file may have. A 31,000-link cluster takes about 2 MB.
pub const FILE_LIMIT: u64 = 16 << 20;

/// A text that settings come from, and what to call it in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// A path, `--set`, or the name of a preset.
    pub name: String,
    /// All of it; a byte-order mark is taken off.
    pub text: String,
    /// Whether the user wrote it (presets are ours).
    pub is_ours: bool,
}

/// A range of bytes in one of the sources of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Which source, counted from the scenario file.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Place {
    /// Of values that nobody wrote: defaults.
    pub const NOWHERE: Place = Place { source: u32::MAX, start: 0, end: 0 };

    /// Whether it stands in a source.
    pub fn is_written(self) -> bool {
        self.source != u32::MAX
    }
}

impl Source {
    /// A text that the user wrote.
    pub fn new(name: impl Into<String>, text: &str) -> Source {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_string();
        Source { name: name.into(), text, is_ours: false }
    }

    /// Line and column of a byte, both counted from 1; columns count characters.
    pub fn line_and_column(&self, offset: u32) -> (usize, usize) {
        let upto = floor_boundary(&self.text, offset as usize);
        let before = &self.text[..upto];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// The bytes of a place.
    pub fn slice(&self, place: Place) -> &str {
        let start = floor_boundary(&self.text, place.start as usize);
        let end = floor_boundary(&self.text, place.end as usize).max(start);
        &self.text[start..end]
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Reads a scenario file.
pub(crate) fn read(path: &Path) -> Result<Source, Report> {
    let name = path.display().to_string();
    let refuse = |fault: Diagnostic| Report::new(vec![Source::new(&name, "")], vec![fault.at(Place::default())]);
    match String::from_utf8(read_limited(path).map_err(refuse)?) {
        Ok(text) => Ok(Source::new(&name, &text)),
        Err(error) => Err(refuse(not_utf8(error.as_bytes(), error.utf8_error().valid_up_to()))),
    }
}

fn read_limited(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let cannot = |error: std::io::Error| {
        let reason = match error.kind() {
            ErrorKind::NotFound => "there is no such file".to_string(),
            ErrorKind::PermissionDenied => "permission denied".to_string(),
            _ => error.to_string(),
        };
        Diagnostic::new(Code::CannotRead, format!("cannot read the scenario: {reason}"))
    };
    let metadata = fs::metadata(path).map_err(cannot)?;
    if metadata.is_dir() {
        let text = "this is a directory, and a scenario is one YAML file";
        return Err(Diagnostic::new(Code::IsDirectory, text));
    }
    let too_large = |size: String| {
        let text = format!("the file has {size}, more than the {} MiB a scenario may have", FILE_LIMIT >> 20);
        Diagnostic::new(Code::TooLarge, text)
    };
    if metadata.len() > FILE_LIMIT {
        return Err(too_large(format!("{} MiB", metadata.len() >> 20)));
    }
    // A pipe has no length beforehand, so the limit is kept while reading as well.
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(FILE_LIMIT + 1).read_to_end(&mut bytes)).map_err(cannot)?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(too_large("too many bytes".to_string()));
    }
    Ok(bytes)
}

fn not_utf8(bytes: &[u8], valid: usize) -> Diagnostic {
    let line = bytes[..valid].iter().filter(|&&b| b == b'\n').count() + 1;
    let byte = bytes.get(valid).copied().unwrap_or_default();
    let text = format!("the file is not UTF-8: byte 0x{byte:02x} at offset {valid}, line {line}");
    let diagnostic = Diagnostic::new(Code::NotUtf8, text);
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return diagnostic.help("it looks like UTF-16: save it as UTF-8");
    }
    diagnostic.help("save it as UTF-8")
}

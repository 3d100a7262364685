use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use scenario::{TEMPLATES, Template};

use crate::arguments::New;
use crate::console;
use crate::ending::{Ending, Failure};

/// Prints a commented scenario, or writes it to a new file.
pub(crate) fn run(arguments: &New) -> Result<Ending, Failure> {
    let template = match &arguments.template {
        Some(name) => Template::find(name).ok_or_else(|| unknown(name))?,
        None => &TEMPLATES[0],
    };
    match &arguments.file {
        Some(file) => write(file, &template.text())?,
        None => console::results(&template.text())?,
    }
    Ok(Ending::Done)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let written = opened.and_then(|mut opened| opened.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::Usage(format!("{} exists already, and is left as it is", file.display())),
        _ => Failure::file(file, &error),
    })?;
    console::message(&format!("wrote {}", file.display()));
    Ok(())
}

fn unknown(name: &str) -> Failure {
    let names: Vec<String> = TEMPLATES.iter().map(|t| format!("{} ({})", t.name, t.about)).collect();
    Failure::Usage(format!("there is no template `{name}`; there are {}", names.join(", ")))
}

use scenario::{Diagnostic, Report};
use serde_json::{Value as Json, json};

use crate::arguments::{Format, Validate};
use crate::console;
use crate::ending::{Ending, Failure};
use crate::open::Opened;

/// Reads scenarios, builds them and every variant of their sweeps, and says what is wrong or doubtful.
pub(crate) fn run(arguments: &Validate) -> Result<Ending, Failure> {
    let mut ending = Ending::Done;
    let mut listed = Vec::new();
    for file in &arguments.files {
        let opened = Opened::new(file, &arguments.settings);
        let reports = match &opened {
            Ok(opened) => &opened.warnings,
            Err(reports) => reports,
        };
        if opened.is_err() {
            ending = Ending::BadInput;
        }
        if !arguments.shown.quiet || opened.is_err() {
            reports.iter().for_each(console::diagnostics);
        }
        let name = file.display().to_string();
        match (arguments.shown.format, &opened) {
            (Format::Json, opened) => listed.push(entry(&name, opened.is_ok(), reports)),
            (Format::Table, Ok(opened)) if !arguments.shown.quiet => console::results(&verdict(&name, opened))?,
            (Format::Table, _) => {}
        }
    }
    if arguments.shown.format == Format::Json {
        console::results(&format!("{:#}\n", Json::Array(listed)))?;
    }
    Ok(ending)
}

fn verdict(file: &str, opened: &Opened) -> String {
    let points = match opened.sweep.len() {
        1 => String::new(),
        points => format!(", {points} points"),
    };
    let warnings = match opened.warnings.iter().map(|report| report.diagnostics.len()).sum::<usize>() {
        0 => String::new(),
        1 => ", 1 warning".to_string(),
        warnings => format!(", {warnings} warnings"),
    };
    format!("{file}: valid{points}{warnings}\n")
}

fn entry(file: &str, valid: bool, reports: &[Report]) -> Json {
    let diagnostics: Vec<Json> =
        reports.iter().flat_map(|report| report.diagnostics.iter().map(|d| diagnostic(report, d))).collect();
    json!({"file": file, "valid": valid, "diagnostics": diagnostics})
}

fn diagnostic(report: &Report, diagnostic: &Diagnostic) -> Json {
    let place = diagnostic.place.and_then(|place| Some((report.sources.get(place.source as usize)?, place)));
    let (source, line, column) = match place {
        Some((source, place)) => {
            let (line, column) = source.line_and_column(place.start);
            (Some(source.name.as_str()), Some(line), Some(column))
        }
        None => (None, None, None),
    };
    json!({
        "code": diagnostic.code.id(),
        "severity": if diagnostic.is_warning() { "warning" } else { "error" },
        "text": diagnostic.text,
        "source": source,
        "line": line,
        "column": column,
        "help": diagnostic.help,
    })
}

use report::plain_table;
use scenario::{PRESETS, Preset};
use serde_json::{Value as Json, json};

use crate::arguments::{Format, Presets};
use crate::console;
use crate::ending::{Ending, Failure};

/// Lists the presets, or prints one as it stands, with the source of each value.
pub(crate) fn run(arguments: &Presets) -> Result<Ending, Failure> {
    match &arguments.name {
        Some(name) => {
            let preset = PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| unknown(name))?;
            console::results(preset.text)?;
        }
        None if arguments.format == Format::Json => {
            let presets = PRESETS.iter().map(|p| json!({"name": p.name, "of": p.of, "about": about(p)}));
            console::results(&format!("{:#}\n", Json::Array(presets.collect())))?;
        }
        None => {
            let rows: Vec<Vec<String>> =
                PRESETS.iter().map(|p| [p.name, p.of, about(p)].map(str::to_string).to_vec()).collect();
            console::results(&plain_table(&["preset", "of", ""], &rows, &[]))?;
        }
    }
    Ok(Ending::Done)
}

/// The comment at the head of the file.
fn about(preset: &Preset) -> &'static str {
    preset.text.lines().next().and_then(|line| line.strip_prefix('#')).unwrap_or_default().trim()
}

fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    Failure::Usage(format!("there is no preset `{name}`; there are {}", names.join(", ")))
}

//! Pages that are generated from the tables: every key, every code.

use crate::diagnostic::Code;
use crate::keys::{Key, Type, all};
use crate::preset::PRESETS;

/// `docs/scenario-reference.md`: every key with form, default and meaning.
pub fn reference_page() -> String {
    let mut out = String::from(HEAD);
    let mut part = "";
    for key in all() {
        let first = key.path.split(['.', '[']).next().unwrap_or_default();
        if section(first) != part {
            part = section(first);
            out.push_str(&format!("\n## {part}\n\n| key | form | default | meaning |\n|---|---|---|---|\n"));
        }
        out.push_str(&row(key));
    }
    out.push_str("\n## Presets\n\n| preset | of |\n|---|---|\n");
    for preset in PRESETS {
        out.push_str(&format!("| `{}` | `{}` |\n", preset.name, preset.of));
    }
    out
}

/// `docs/errors.md`: every code of a diagnostic.
pub fn errors_page() -> String {
    let mut out = String::from(
        "# Errors and warnings\n\nGenerated from the program. Codes keep their meaning from version to version. An error stops before anything is\nsimulated or written, with exit code 2; all errors of a file come at once, each with file, line and column. A warning\nis printed and stands under `warnings` in the summary.\n\n| code | in short | meaning |\n|---|---|---|\n",
    );
    for code in Code::ALL {
        out.push_str(&format!("| {} | {} | {} |\n", code.id(), code.title(), code.meaning()));
    }
    out
}

const HEAD: &str = "# Scenario reference

Generated from the table that reads scenarios, so it lists every key there is. A key marked *not yet* belongs to the
format, but what it asks for is not built: giving it is an error, never ignored (where a default is shown, giving
exactly that is fine).

- Quantities are text with a unit; a space before the unit is allowed, and units are case-sensitive. Times:
  `ps ns us ms s min h`. Sizes: `B KB MB GB TB` (powers of 1000), `KiB MiB GiB TiB` (powers of 1024). Rates:
  `bps Kbps Mbps Gbps Tbps` (also `Gb/s`), or bytes: `GB/s`. Lengths: `m cm mm km`, at 5 ns a metre. Fractions: `0.05`,
  `5%`, `1/20`. Ratios: `2:1`, `1.5:1`. Counts: bare, or with K, M, B, T. Credit blocks: `2048 blocks`.
- `x: NAME` is short for `x: {kind: NAME}` (`preset` for `fabric` and `host`) where the key says so.
- Overrides of a preset merge key by key; a map of another `kind` replaces the one of the preset.
- `[]` stands for an item of a list, `*` for any name. In `--set` and `sweep`, items are named by `name`, else by index:
  `workload.flows.f3.rate`.
- Keys at the top that begin with `x-` are free: they hold YAML anchors.
";

fn section(first: &str) -> &'static str {
    match first {
        "topology" => "Topology",
        "fabric" => "Fabric",
        "host" => "Host",
        "workload" => "Workload",
        "faults" => "Faults",
        "run" => "Run",
        "expect" => "Expect",
        "sweep" | "search" | "cost" => "Sweep, search, cost",
        _ => "General",
    }
}

fn row(key: &Key) -> String {
    let mut meaning = key.meaning.to_string();
    if key.is_later {
        meaning = format!("*not yet*. {meaning}");
    }
    if !key.of.is_empty() {
        meaning.push_str(&format!(" Of {}.", key.of.replace(' ', ", ")));
    }
    if let Some((sibling, words)) = key.when {
        meaning.push_str(&format!(" With `{sibling}: {words}`."));
    }
    if !key.short.is_empty() {
        meaning.push_str(&format!(" Short form: the `{}` alone.", key.short));
    }
    if !key.instead_of.is_empty() {
        meaning.push_str(&format!(" Not beside `{}`.", key.instead_of));
    }
    let later: Vec<&str> = key.later_words().collect();
    if !later.is_empty() {
        meaning.push_str(&format!(" Not yet: {}.", later.join(", ")));
    }
    format!("| `{}` | {} | {} | {meaning} |\n", key.path, form(key), default(key))
}

fn form(key: &Key) -> String {
    let words: Vec<String> = key.ready_words().map(|word| format!("`{word}`")).collect();
    let mut form = match key.ty {
        Type::Word => words.join(", "),
        ty if words.is_empty() => ty.name().to_string(),
        ty => format!("{} or {}", ty.name(), words.join(", ")),
    };
    match (key.least, key.most) {
        (Some(least), Some(most)) => form.push_str(&format!(", {least} to {most}")),
        (Some(least), None) => form.push_str(&format!(", at least {least}")),
        (None, Some(most)) => form.push_str(&format!(", at most {most}")),
        (None, None) => {}
    }
    form
}

fn default(key: &Key) -> String {
    match key.default {
        Some(text) => format!("`{text}`"),
        None if key.required && key.inherits.is_empty() => "required".to_string(),
        None if key.inherits.is_empty() => "none".to_string(),
        None => key.inherits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Writes the page when `UPDATE_DOCS` is set, else asserts that the file is current.
    fn is_current(name: &str, page: &str) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, page).unwrap();
        }
        let file = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(file == page, "docs/{name} is not current: run `UPDATE_DOCS=1 cargo test -p scenario`");
    }

    #[test]
    fn the_reference_page_is_current() {
        is_current("scenario-reference.md", &reference_page());
    }

    #[test]
    fn the_page_of_errors_is_current() {
        is_current("errors.md", &errors_page());
    }
}

//! Which crate may know which, and what the inner crates may not touch. The table is the one of `ARCHITECTURE.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A crate and the crates of ours that it may depend on, in tests too. Every crate may also know `units`.
const ARROWS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("engine", &[]),
    ("wire", &[]),
    ("topology", &[]),
    ("fabric", &["wire"]),
    ("transport", &["wire"]),
    ("collective", &[]),
    ("sim", &["engine", "wire", "topology", "fabric", "transport", "collective"]),
    ("scenario", &["sim", "topology", "fabric", "transport", "collective"]),
    ("report", &["sim"]),
    ("sweep", &["scenario", "sim", "report"]),
    ("cli", &["scenario", "sweep", "report", "sim"]),
];

/// Crates without files, clocks, threads and environment.
const PURE: &[&str] = &["units", "engine", "wire", "topology", "fabric", "transport", "collective", "sim"];

/// Modules of `std` that would let the world in.
const WORLD: &[&str] = &["fs", "time", "thread", "env", "net", "process"];

fn crates() -> BTreeMap<String, PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let entries = fs::read_dir(&root).expect("the crates are beside this one");
    let folders =
        entries.map(|entry| entry.expect("a readable folder").path()).filter(|path| path.join("Cargo.toml").is_file());
    folders
        .map(|path| (path.file_name().expect("a folder of a crate has a name").to_string_lossy().into_owned(), path))
        .collect()
}

/// Names in the tables of dependencies of a manifest, of whatever kind.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[') {
            inside = table.contains("dependencies") && !table.contains("dependencies.");
            // `[dependencies.name]`
            if let Some((_, name)) = table.trim_end_matches(']').split_once("dependencies.") {
                names.insert(name.to_string());
            }
        } else if inside && !line.starts_with('#') && !line.is_empty() {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            names.insert(name.trim_matches('"').to_string());
        }
    }
    names
}

#[test]
fn no_arrow_is_new() {
    let crates = crates();
    for (name, folder) in &crates {
        let row = ARROWS.iter().find(|(from, _)| from == name);
        let (_, allowed) = row.unwrap_or_else(|| panic!("{name} is a new crate: say in the table what it may know"));
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for to in dependencies(&manifest).into_iter().filter(|to| crates.contains_key(to)) {
            assert!(to == "units" || allowed.contains(&to.as_str()), "{name} -> {to} is a new arrow");
        }
    }
    for (name, _) in ARROWS {
        assert!(crates.contains_key(*name), "{name} is in the table and not in crates/");
    }
}

#[test]
fn manifests_are_read_in_every_notation() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = { path = \"../b\" }\n\"c\" = \"1\"\n\
                    # d = \"1\"\n[dev-dependencies.e]\npath = \"../e\"\n[lints]\nf = true\n\
                    [target.'cfg(unix)'.dependencies]\ng = \"1\"\n";
    let found: Vec<String> = dependencies(manifest).into_iter().collect();
    assert_eq!(found, ["a", "b", "c", "e", "g"]);
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The module of the world that a line of code names, alone or in a group of imports.
fn world_in(line: &str) -> Option<&'static str> {
    let code = line.split("//").next().unwrap_or_default();
    let (_, after) = code.split_once("std::")?;
    let named: Vec<&str> = match after.strip_prefix('{') {
        Some(group) => group.split([',', '}']).map(str::trim).collect(),
        None => vec![after],
    };
    let is = |text: &str, module: &str| {
        text.strip_prefix(module).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    WORLD.iter().find(|module| named.iter().any(|text| is(text, module))).copied()
}

#[test]
fn inner_crates_touch_no_world() {
    let crates = crates();
    for name in PURE {
        let mut files = Vec::new();
        sources(&crates[*name].join("src"), &mut files);
        for file in files {
            for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
                if let Some(module) = world_in(line) {
                    panic!("{}:{}: std::{module} in {name}", file.display(), number + 1);
                }
            }
        }
    }
}

#[test]
fn the_world_is_found_in_every_notation() {
    assert_eq!(world_in("use std::time::Instant;"), Some("time"));
    assert_eq!(world_in("let x = std::env::args();"), Some("env"));
    assert_eq!(world_in("use std::{fmt, fs};"), Some("fs"));
    assert_eq!(world_in("use std::environment; // std::fs"), None);
    assert_eq!(world_in("use std::fmt;"), None);
}

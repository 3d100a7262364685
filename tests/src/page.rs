use std::fmt::Write;

use crate::{Check, Law, groups};

/// Cases of a law that the page shows when all of them pass.
const SHOWN: usize = 16;

/// Runs every law and writes the page of results, in Markdown.
pub fn page() -> String {
    let mut sections = String::new();
    let (mut laws, mut cases, mut failed) = (0, 0, 0);
    for group in groups() {
        let _ = write!(sections, "\n## {}\n", group.title);
        for law in group.laws {
            let checks = (law.checks)();
            laws += 1;
            cases += checks.len();
            failed += checks.iter().filter(|check| !check.pass).count();
            section(&mut sections, law, &checks);
        }
    }
    format!(
        "# Validation\n\n\
         Laws that the simulator must reproduce, what they say and what it does. The same cases run as tests \
         (`cargo test -p validation`), so this page cannot differ from them for long; it is written by\n\n\
         ```\ncargo run --release -p validation --example validation > docs/validation.md\n```\n\n\
         {laws} laws, {cases} cases, {failed} fail. Of laws with many cases that all pass, the first {SHOWN} are shown. \
         Names such as V2 or U24 number the targets.\n{sections}"
    )
}

/// The heading under which a law stands.
pub fn heading(law: &Law) -> String {
    format!("### {}\n\n{}. Source: {}.\n", law.name, sentence(law.says), law.source)
}

fn section(out: &mut String, law: &Law, checks: &[Check]) {
    let _ = write!(out, "\n{}", heading(law));
    out.push_str("\n| case | expected | measured | tolerance | pass |\n|---|---|---|---|---|\n");
    let good = checks.iter().all(|check| check.pass);
    let shown = if good { checks.len().min(SHOWN) } else { checks.len() };
    for check in &checks[..shown] {
        let Check { case, expected, measured, tolerance, pass } = check;
        let pass = if *pass { "yes" } else { "**no**" };
        let _ = writeln!(out, "| {case} | {expected} | {measured} | {tolerance} | {pass} |");
    }
    if shown < checks.len() {
        let _ = writeln!(out, "| {} more | | | | yes |", checks.len() - shown);
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

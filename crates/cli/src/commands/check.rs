use report::{expectation_cells, plain_table};
use serde_json::{Value as Json, json};
use sweep::Row;

use crate::arguments::{Check, Format};
use crate::console;
use crate::ending::{Ending, Failure};
use crate::grid::{self, Grid, Means, Verdict};
use crate::open::{self, Opened};

/// Runs scenarios, all points of those with a sweep, and judges what they expect.
pub(crate) fn run(arguments: &Check) -> Result<Ending, Failure> {
    let opened = open::grids(&arguments.files, &arguments.settings).map_err(Failure::Input)?;
    let shown = arguments.shown;
    if !shown.quiet {
        opened.iter().flat_map(|grid| &grid.warnings).for_each(console::diagnostics);
    }
    let means = Means { threads: arguments.threads, quiet: shown.quiet, out: arguments.out.as_deref() };
    let grid = Grid::run(&opened, &means);
    let checked: Vec<Checked<'_>> =
        opened.iter().zip(&grid.rows).map(|(opened, rows)| Checked::new(opened, rows)).collect();
    for checked in checked.iter().filter(|checked| checked.opened.has_sweep) {
        if let Some(out) = &arguments.out {
            super::sweep::write(&out.join(&checked.opened.name), checked.opened, checked.rows)?;
        }
    }
    checked.iter().for_each(Checked::complain);
    match shown.format {
        Format::Json => console::results(&json(&checked))?,
        Format::Table => console::results(&table(&checked, shown.quiet))?,
    }
    Ok(checked.iter().map(Checked::ending).fold(Ending::Done, Ending::and))
}

/// A scenario and what became of its claims.
struct Checked<'a> {
    opened: &'a Opened,
    rows: &'a [Row],
    verdicts: Vec<Verdict>,
}

impl<'a> Checked<'a> {
    fn new(opened: &'a Opened, rows: &'a [Row]) -> Checked<'a> {
        Checked { opened, rows, verdicts: grid::verdicts(opened, rows) }
    }

    fn ending(&self) -> Ending {
        let judged = self.verdicts.iter().all(|verdict| verdict.judged.pass);
        grid::ending(self.rows).and(if judged { Ending::Done } else { Ending::Failed })
    }

    /// Says which points have no result, and why.
    fn complain(&self) {
        for row in self.rows {
            if let Some(fault) = row.fault() {
                console::error(&format!("{}, {}: {fault}", self.opened.name, grid::place(row)));
            }
        }
        let interrupted = self.rows.iter().filter(|row| row.outcome() == "interrupted").count();
        if interrupted > 0 {
            console::message(&format!("{}: interrupted, {interrupted} runs are missing", self.opened.name));
        }
    }

    fn outcomes(&self) -> String {
        super::sweep::outcomes(self.rows.iter())
    }
}

fn table(checked: &[Checked<'_>], quiet: bool) -> String {
    let mut rows = Vec::new();
    let mut notes = String::new();
    for checked in checked {
        let name = &checked.opened.name;
        if checked.verdicts.is_empty() && !quiet {
            let nothing = ["-", name, "expects nothing", "", &checked.outcomes(), ""];
            rows.push(nothing.map(str::to_string).to_vec());
        }
        for verdict in checked.verdicts.iter().filter(|verdict| !quiet || !verdict.judged.pass) {
            rows.push(cells(name, verdict));
            if let Some(note) = &verdict.judged.note {
                notes += &format!("{name}: {note}\n");
            }
        }
    }
    let all: Vec<&Verdict> = checked.iter().flat_map(|checked| &checked.verdicts).collect();
    let holding = all.iter().filter(|verdict| verdict.judged.pass).count();
    let headings = ["", "scenario", "expectation", "wanted", "found", "source"];
    let listed = if rows.is_empty() { String::new() } else { plain_table(&headings, &rows, &[]) + "\n" };
    let counted = match quiet {
        true => String::new(),
        false => format!("{holding} of {} expectations hold in {} scenarios\n", all.len(), checked.len()),
    };
    format!("{listed}{notes}{counted}")
}

fn cells(name: &str, verdict: &Verdict) -> Vec<String> {
    let [mark, metric, wanted, found, source] = expectation_cells(&verdict.judged);
    let found = match verdict.points {
        1 => found,
        points if verdict.holds == points => format!("holds at all {points} points"),
        points => format!("{found} at {}; holds at {} of {points}", verdict.at, verdict.holds),
    };
    vec![mark, name.to_string(), metric, wanted, found, source]
}

fn json(checked: &[Checked<'_>]) -> String {
    let scenario = |checked: &Checked<'_>| {
        let expectations = checked.verdicts.iter().map(|verdict| {
            let mut row = serde_json::to_value(&verdict.judged).unwrap_or(Json::Null);
            row["points"] = Json::from(verdict.points);
            row["holds"] = Json::from(verdict.holds);
            row
        });
        let expectations: Vec<Json> = expectations.collect();
        json!({
            "name": checked.opened.name,
            "outcomes": checked.rows.iter().map(Row::outcome).collect::<Vec<_>>(),
            "pass": checked.ending() == Ending::Done,
            "expectations": expectations,
        })
    };
    let scenarios: Vec<Json> = checked.iter().map(scenario).collect();
    format!("{:#}\n", Json::Array(scenarios))
}

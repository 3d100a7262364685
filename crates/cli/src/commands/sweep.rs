use std::collections::BTreeMap;
use std::path::Path;

use report::{count, expectation_table, plain_table, rate, scalar_metrics, seconds, write_folder};
use serde_json::{Map, Value as Json};
use sweep::{Pairs, Row};

use crate::arguments::{Format, Sweep};
use crate::console;
use crate::ending::{Ending, Failure};
use crate::grid::{self, Grid, Means};
use crate::open::{self, Opened};
use crate::simulate::folder;

/// Runs every point of a sweep and writes one row for each.
pub(crate) fn run(arguments: &Sweep) -> Result<Ending, Failure> {
    let files = std::slice::from_ref(&arguments.file);
    let opened = open::grids(files, &arguments.settings).map_err(Failure::Input)?;
    let Some(opened) = opened.first() else { return Ok(Ending::Done) };
    let shown = arguments.shown;
    if !shown.quiet {
        opened.warnings.iter().for_each(console::diagnostics);
    }
    let means = Means { threads: arguments.threads, quiet: shown.quiet, out: None };
    let grid = Grid::run(std::slice::from_ref(opened), &means);
    let rows = grid.rows.first().map(Vec::as_slice).unwrap_or_default();
    let folder = folder(arguments.out.as_deref(), &opened.name);
    write(&folder, opened, rows)?;
    for row in rows {
        if let Some(fault) = row.fault() {
            console::error(&format!("{}: {fault}", grid::place(row)));
        }
    }
    let verdicts = grid::verdicts(opened, rows);
    match shown.format {
        Format::Json => console::results(&json(rows))?,
        Format::Table if shown.quiet => {}
        Format::Table => {
            let judged: Vec<_> = verdicts.iter().map(|verdict| verdict.judged.clone()).collect();
            let mut text = format!("{}: {}\n\n{}", opened.name, outcomes(rows.iter()), page(opened, rows));
            if !judged.is_empty() {
                text += &format!("\n{}", expectation_table(&judged));
            }
            console::results(&format!("{text}\n  results  {}\n", folder.join("sweep.csv").display()))?;
        }
    }
    let judged = verdicts.iter().all(|verdict| verdict.judged.pass);
    Ok(grid::ending(rows).and(if judged { Ending::Done } else { Ending::Failed }))
}

/// Writes `sweep.csv`.
pub(super) fn write(folder: &Path, opened: &Opened, rows: &[Row]) -> Result<(), Failure> {
    let axes: Vec<String> = opened.sweep.axes.iter().map(|axis| axis.name.clone()).collect();
    let files = [("sweep.csv", sweep::table(&axes, rows))];
    write_folder(folder, &files, &[]).map_err(|error| Failure::file(folder, &error))
}

/// How many rows ended in which way: `19 finished, 1 stalled`.
pub(super) fn outcomes<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    rows.for_each(|row| *counts.entry(row.outcome()).or_default() += 1);
    let listed: Vec<String> = counts.iter().map(|(outcome, rows)| format!("{} {outcome}", count(*rows))).collect();
    listed.join(", ")
}

/// A column of the table: its name, its value at a point, and how to show it.
type Column = (&'static str, fn(&Row) -> Option<f64>, fn(f64) -> String);

const COLUMNS: [Column; 7] = [
    ("step p50", |row| row.summary()?.steps.p50_s, seconds),
    ("step p99", |row| row.summary()?.steps.p99_s, seconds),
    ("busbw", |row| row.summary()?.collectives.first()?.busbw_bytes_per_s, report::byte_rate),
    ("fct p50", |row| row.summary()?.flows.fct_s.p50, seconds),
    ("fct p99", |row| row.summary()?.flows.fct_s.p99, seconds),
    ("goodput", |row| row.summary()?.flows.goodput_bps, rate),
    ("drops", |row| Some(row.summary()?.network.drops as f64), whole),
];

fn whole(number: f64) -> String {
    format!("{number:.0}")
}

/// A line for each choice of labels: means over its seeds, and the ratio to the baseline at equal seeds.
fn page(opened: &Opened, rows: &[Row]) -> String {
    let columns: Vec<&Column> =
        COLUMNS.iter().filter(|(_, value, _)| rows.iter().any(|r| value(r).is_some())).collect();
    let baseline = opened.sweep.baseline.as_deref();
    let pairs = Pairs::new(rows);
    let mut headings: Vec<&str> = opened.sweep.axes.iter().map(|axis| axis.name.as_str()).collect();
    let labels = headings.len();
    headings.extend(["seeds", "outcome"]);
    headings.extend(columns.iter().map(|(name, ..)| *name));
    let against = baseline.map(|name| format!("vs {name}"));
    headings.extend(against.as_deref());
    let lines = rows.chunk_by(|a, b| a.point.labels == b.point.labels).map(|seeds| {
        let mut cells: Vec<String> = seeds[0].point.labels.iter().map(|(_, label)| label.clone()).collect();
        cells.extend([seeds.len().to_string(), outcomes(seeds.iter())]);
        cells.extend(columns.iter().map(|(_, value, show)| {
            let values: Vec<f64> = seeds.iter().filter_map(value).collect();
            mean(&values).map_or("-".to_string(), show)
        }));
        cells.extend(baseline.map(|base| versus(&pairs, seeds, base)));
        cells
    });
    let lines: Vec<Vec<String>> = lines.collect();
    let numbers: Vec<usize> = (labels..headings.len()).filter(|column| *column != labels + 1).collect();
    plain_table(&headings, &lines, &numbers)
}

/// Mean over seeds of the ratio of the simulated quantity that matters most: step time, else completion
/// time, else goodput.
fn versus<'r>(pairs: &Pairs<'r>, seeds: &'r [Row], base: &'r str) -> String {
    let value = |row: &Row| {
        let summary = row.summary()?;
        summary.steps.p50_s.or(summary.flows.fct_s.p50).or(summary.flows.goodput_bps)
    };
    let ratio = |row: &'r Row| Some(value(row)? / value(pairs.partner(row, base)?)?);
    let ratios: Vec<f64> = seeds.iter().filter_map(ratio).collect();
    mean(&ratios).map_or("-".to_string(), |ratio| format!("x {ratio:.3}"))
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The rows of `sweep.csv` as objects.
fn json(rows: &[Row]) -> String {
    let object = |row: &Row| {
        let mut object = Map::new();
        object.insert("point".to_string(), Json::from(row.point.index));
        object.extend(row.point.labels.iter().map(|(axis, label)| (axis.clone(), Json::from(label.as_str()))));
        object.insert("seed".to_string(), Json::from(row.point.seed));
        object.insert("outcome".to_string(), Json::from(row.outcome()));
        object.extend(row.summary().map(scalar_metrics).unwrap_or_default());
        Json::Object(object)
    };
    format!("{:#}\n", Json::Array(rows.iter().map(object).collect()))
}

use serde_json::Value as Json;

use crate::results::csv;
use crate::shape::Shape;
use crate::summary::Summary;

/// A row of `sweep.csv`.
#[derive(Clone, Debug)]
pub struct GridRow<'a> {
    /// Number of the point.
    pub point: u64,
    /// Labels of the variant and of each axis.
    pub labels: &'a [String],
    /// Master seed.
    pub seed: u64,
    /// How the run ended, or why there is no result.
    pub outcome: &'a str,
    /// The result, if there is one.
    pub summary: Option<&'a Summary>,
}

/// Parts of a summary that a row of a sweep leaves out: what stands in other columns, what is a text
/// for people, and lists that differ in length from point to point.
const LEFT_OUT: [&str; 8] =
    ["name", "seed", "version", "outcome", "flows.by_size", "deadlock.cycle", "expectations", "warnings"];

/// The single values of a summary by dotted name, in the order of the summary, without labels and lists.
pub fn scalar_metrics(summary: &Summary) -> Vec<(String, Json)> {
    let is_left_out = |path: &str| {
        let rest = LEFT_OUT.iter().find_map(|part| path.strip_prefix(part));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    Shape::scalars(summary).into_iter().filter(|(path, _)| !is_left_out(path)).collect()
}

/// The bytes of `sweep.csv`: `point`, the columns of the labels, `seed`, `outcome`, then the scalar
/// metrics of the summaries by dotted name. What does not apply is empty.
pub fn grid_csv(labels: &[String], rows: &[GridRow<'_>]) -> Vec<u8> {
    let metrics: Vec<Vec<(String, Json)>> =
        rows.iter().map(|row| row.summary.map(scalar_metrics).unwrap_or_default()).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in metrics.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut columns = vec!["point"];
    columns.extend(labels.iter().map(String::as_str));
    columns.extend(["seed", "outcome"]);
    columns.extend(&names);
    let cells = rows.iter().zip(&metrics).map(|(row, metrics)| {
        let mut cells = vec![row.point.to_string()];
        cells.extend(row.labels.iter().cloned());
        cells.extend([row.seed.to_string(), row.outcome.to_string()]);
        cells.extend(names.iter().map(|name| {
            metrics.iter().find(|(known, _)| known == name).map(|(_, value)| cell(value)).unwrap_or_default()
        }));
        cells
    });
    csv(&columns, cells)
}

fn cell(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

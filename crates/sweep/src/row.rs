use report::{GridRow, Summary, grid_csv};
use scenario::Point;
use serde_json::Value as Json;

use crate::parallel::Ended;

/// What became of a point.
#[derive(Clone, Debug)]
pub struct Row {
    /// Which point.
    pub point: Point,
    /// How it ended.
    pub end: End,
}

/// How a point ended.
#[derive(Clone, Debug)]
pub enum End {
    /// It ran.
    Ran {
        /// The result.
        summary: Box<Summary>,
        /// Values of the metrics that claims about pairs compare, in the order of those claims, or why
        /// there is none.
        compared: Vec<Result<Json, String>>,
    },
    /// It cannot be run as it is written.
    Refused(String),
    /// A fault of the program.
    Failed(String),
    /// The sweep was stopped before it ended.
    Interrupted,
}

impl Row {
    /// Of a point that was one of many jobs.
    pub fn new(point: Point, ended: Ended<End>) -> Row {
        let end = match ended {
            Ended::Done(end) => end,
            Ended::Panicked(message) => End::Failed(message),
            Ended::NotBegun => End::Interrupted,
        };
        Row { point, end }
    }

    /// The result, if there is one.
    pub fn summary(&self) -> Option<&Summary> {
        match &self.end {
            End::Ran { summary, .. } => Some(summary),
            _ => None,
        }
    }

    /// The word for the column `outcome`: that of the run, or `refused`, `internal_error`, `interrupted`.
    pub fn outcome(&self) -> &str {
        match &self.end {
            End::Ran { summary, .. } => &summary.outcome,
            End::Refused(_) => "refused",
            End::Failed(_) => "internal_error",
            End::Interrupted => "interrupted",
        }
    }

    /// Why there is no result, if something went wrong.
    pub fn fault(&self) -> Option<&str> {
        match &self.end {
            End::Refused(reason) | End::Failed(reason) => Some(reason),
            End::Ran { .. } | End::Interrupted => None,
        }
    }
}

/// The bytes of `sweep.csv`; `axes` are the columns of labels, outermost first.
pub fn table(axes: &[String], rows: &[Row]) -> Vec<u8> {
    let labels: Vec<Vec<String>> =
        rows.iter().map(|row| row.point.labels.iter().map(|(_, label)| label.clone()).collect()).collect();
    let grid: Vec<GridRow<'_>> = rows
        .iter()
        .zip(&labels)
        .map(|(row, labels)| GridRow {
            point: row.point.index,
            labels,
            seed: row.point.seed,
            outcome: row.outcome(),
            summary: row.summary(),
        })
        .collect();
    grid_csv(axes, &grid)
}

use std::io;
use std::path::Path;

use serde::Serialize;
use sim::Outcome;

use crate::context::Context;
use crate::deadlock::DeadlockGraph;
use crate::expectation::Expectation;
use crate::flow_row::FlowRow;
use crate::folder::write_folder;
use crate::metric::Tables;
use crate::port_row::PortRow;
use crate::reason_row::ReasonRow;
use crate::run_record::RunRecord;
use crate::series_row::SeriesRow;
use crate::step_row::StepRow;
use crate::summary::Summary;

/// Everything that is written about a run.
#[derive(Clone, Debug)]
pub struct Results {
    /// What the simulator found out.
    pub outcome: Outcome,
    /// What it simulated.
    pub context: Context,
    /// The two in short.
    pub summary: Summary,
}

/// Files that a run may leave in its folder.
const FILES: [&str; 10] = [
    "summary.json",
    "steps.csv",
    "reasons.csv",
    "flows.csv",
    "ports.csv",
    "series.csv",
    "deadlock.json",
    "report.html",
    "scenario.yaml",
    "run.json",
];

impl Results {
    /// Of a run; without expectations yet.
    pub fn new(outcome: Outcome, context: Context) -> Results {
        let summary = Summary::new(&outcome, &context);
        Results { outcome, context, summary }
    }

    /// Judges expectations and puts them into the summary. What cannot be looked up fails and is
    /// explained in the warnings.
    pub fn judge(&mut self, expectations: &[Expectation]) {
        let tables = Tables::new(&self.outcome, &self.context, &self.summary);
        let judged: Vec<_> = expectations.iter().map(|expectation| expectation.judge(&tables)).collect();
        self.summary.warnings.extend(judged.iter().filter_map(|row| Some(format!("expect: {}", row.note.as_ref()?))));
        self.summary.expectations.extend(judged);
    }

    /// Whether all expectations judged so far hold.
    pub fn pass(&self) -> bool {
        self.summary.expectations.iter().all(|row| row.pass)
    }

    /// Names and bytes of the files of this run; equal runs give equal bytes in all but `run.json`.
    pub fn files(&self, scenario: &str, record: &RunRecord) -> Vec<(&'static str, Vec<u8>)> {
        let (outcome, context) = (&self.outcome, &self.context);
        let mut files = vec![
            ("scenario.yaml", scenario.as_bytes().to_vec()),
            ("steps.csv", csv(&StepRow::COLUMNS, outcome.steps.iter().map(StepRow::new))),
            ("reasons.csv", csv(&ReasonRow::COLUMNS, outcome.steps.iter().map(|step| ReasonRow::new(step, outcome)))),
            ("flows.csv", csv(&FlowRow::COLUMNS, outcome.flows.iter().map(FlowRow::new))),
            ("ports.csv", csv(&PortRow::COLUMNS, PortRow::all(outcome, context))),
        ];
        if context.records {
            let rows = outcome.series.iter().map(|sample| SeriesRow::new(sample, outcome, context));
            files.push(("series.csv", csv(&SeriesRow::COLUMNS, rows)));
        }
        if let Some(report) = &outcome.deadlock {
            files.push(("deadlock.json", pretty(&DeadlockGraph::new(report, context)).into_bytes()));
        }
        files.push(("run.json", record.to_json().into_bytes()));
        // Last, so that a new summary stands beside new tables only.
        files.push(("summary.json", self.summary.to_json().into_bytes()));
        files
    }

    /// Writes the files of this run into a folder, in place of those of an older one.
    ///
    /// # Errors
    /// Those of the file system; the older files then stay as they were.
    pub fn write(&self, folder: &Path, scenario: &str, record: &RunRecord) -> io::Result<()> {
        write_folder(folder, &self.files(scenario, record), &FILES)
    }
}

/// JSON for people and programs, with a line end.
pub(crate) fn pretty(item: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(item).expect("text keys and finite numbers");
    text.push('\n');
    text
}

/// A table with its heading, which stands there even when there are no rows.
pub(crate) fn csv<R: Serialize>(columns: &[&str], rows: impl Iterator<Item = R>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(columns).expect("writing to memory succeeds");
    for row in rows {
        writer.serialize(row).expect("a row is a flat record");
    }
    writer.into_inner().expect("writing to memory succeeds")
}

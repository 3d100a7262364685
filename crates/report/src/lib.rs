//! What a run found out, written for people and programs: a [`Summary`], tables, a folder of files and
//! the judgement of expectations. The only writer of formats; it simulates nothing.
//!
//! An [`sim::Outcome`] and a [`Context`] become [`Results`]. Everything written from them is a function
//! of the two, so equal runs give equal bytes; what differs between machines goes into [`RunRecord`].

mod context;
mod deadlock;
mod expectation;
mod flow_row;
mod flow_summary;
mod folder;
mod grid_table;
mod histogram;
mod metric;
mod network_summary;
mod port_row;
mod readable;
mod reason_row;
mod results;
mod run_record;
mod screen;
mod series_row;
mod shape;
mod statistics;
mod step_row;
mod summary;
mod unit;

pub use context::{CollectiveFacts, Context, TopologyNumbers};
pub use deadlock::{DeadlockGraph, QueueNode};
pub use expectation::{Condition, Expectation, Judged, Value};
pub use flow_row::FlowRow;
pub use folder::write_folder;
pub use grid_table::{GridRow, grid_csv, scalar_metrics};
pub use metric::Tables;
pub use port_row::PortRow;
pub use readable::{byte_rate, bytes, count, number, percent, rate, seconds};
pub use reason_row::ReasonRow;
pub use results::Results;
pub use run_record::RunRecord;
pub use screen::{expectation_cells, expectation_table, plain_table, screen};
pub use series_row::SeriesRow;
pub use step_row::StepRow;
pub use summary::{
    CollectiveSummary, DeadlockSummary, FlowsSummary, NetworkSummary, SizeBin, Spread, StepsSummary, Summary,
    TopologySummary, TrainingSummary, outcome_word,
};

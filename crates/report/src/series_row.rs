use serde::Serialize;
use sim::{Outcome, Quantity, Sample};

use crate::context::Context;

/// A row of `series.csv`: one value at one time.
#[derive(Clone, Debug, Serialize)]
pub struct SeriesRow<'a> {
    /// When.
    pub t_s: f64,
    /// The directed link, such as `leaf0->spine1`.
    pub port: &'a str,
    /// Priority or virtual lane; empty for what concerns the whole port.
    pub class: Option<String>,
    /// `queue_bytes`, `input_bytes`, `paused` (0 or 1) or `rate_bps` (wire rate over the last interval).
    pub quantity: &'static str,
    /// How much.
    pub value: u64,
}

impl<'a> SeriesRow<'a> {
    /// Columns, in order.
    pub const COLUMNS: [&'static str; 5] = ["t_s", "port", "class", "quantity", "value"];

    /// Of a sample.
    pub fn new(sample: &Sample, outcome: &'a Outcome, context: &Context) -> SeriesRow<'a> {
        let of_port = sample.quantity == Quantity::Rate;
        SeriesRow {
            t_s: sample.time.as_secs_f64(),
            port: &outcome.ports[sample.port as usize].name,
            class: (!of_port).then(|| context.class_name(usize::from(sample.class))),
            quantity: quantity_word(sample.quantity),
            value: sample.value,
        }
    }
}

fn quantity_word(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Queue => "queue_bytes",
        Quantity::Input => "input_bytes",
        Quantity::Paused => "paused",
        Quantity::Rate => "rate_bps",
    }
}

use serde::Serialize;
use sim::{Outcome, PortReport};
use units::Time;

use crate::context::Context;

/// A row of `ports.csv`: a port in one class.
#[derive(Clone, Debug, Serialize)]
pub struct PortRow<'a> {
    /// The directed link, such as `leaf0->spine1`.
    pub port: &'a str,
    /// Priority or virtual lane, or `control`.
    pub class: String,
    /// Rate of the link that leaves the port.
    pub rate_bps: u64,
    /// Wire bytes sent.
    pub bytes: u64,
    /// Packets sent.
    pub packets: u64,
    /// Bits sent over bits that fit in the simulated time; empty for a link without rate.
    pub utilisation: Option<f64>,
    /// Longest output queue, without the packet on the line.
    pub max_queue_bytes: u64,
    /// Mean time from joining the output queue to the start of transmission; empty if nothing queued.
    pub mean_wait_s: Option<f64>,
    /// Longest such time; empty if nothing queued.
    pub max_wait_s: Option<f64>,
    /// PAUSE frames sent from here that ask to stop.
    pub pause_sent: u64,
    /// PAUSE frames received here that stop.
    pub pause_received: u64,
    /// Time paused.
    pub paused_s: f64,
    /// Time for which packets waited on a free line for credits.
    pub credit_stall_s: f64,
    /// Packets discarded at the port or damaged on the link that leaves it.
    pub drops: u64,
    /// Packets marked.
    pub ecn_marks: u64,
}

impl PortRow<'_> {
    /// Columns, in order.
    pub const COLUMNS: [&'static str; 15] = [
        "port",
        "class",
        "rate_bps",
        "bytes",
        "packets",
        "utilisation",
        "max_queue_bytes",
        "mean_wait_s",
        "max_wait_s",
        "pause_sent",
        "pause_received",
        "paused_s",
        "credit_stall_s",
        "drops",
        "ecn_marks",
    ];

    /// Of one class of a port over the time simulated.
    pub fn new<'a>(port: &'a PortReport, class: usize, context: &Context, simulated: Time) -> PortRow<'a> {
        let counters = &port.classes[class];
        let queued = counters.served > 0;
        PortRow {
            port: &port.name,
            class: context.class_name(class),
            rate_bps: port.rate.bps(),
            bytes: counters.bytes,
            packets: counters.packets,
            utilisation: utilisation(counters.bytes, port, simulated),
            max_queue_bytes: counters.max_queue,
            mean_wait_s: queued.then(|| counters.waited as f64 / counters.served as f64 / 1e12),
            max_wait_s: queued.then(|| counters.longest_wait.as_secs_f64()),
            pause_sent: counters.pause_sent,
            pause_received: counters.pause_received,
            paused_s: counters.paused.as_secs_f64(),
            credit_stall_s: counters.credit_stall.as_secs_f64(),
            drops: counters.drops + counters.corrupted,
            ecn_marks: counters.marks,
        }
    }

    /// Of all classes of a port together: sums, maxima, and the mean wait of all packets. PAUSE frames,
    /// which belong to no class, count among bytes and packets here.
    pub fn of_all_classes<'a>(port: &'a PortReport, simulated: Time) -> PortRow<'a> {
        let classes = &port.classes;
        let served: u64 = classes.iter().map(|c| c.served).sum();
        let waited: u128 = classes.iter().map(|c| u128::from(c.waited)).sum();
        let longest = classes.iter().map(|c| c.longest_wait).max().unwrap_or_default();
        PortRow {
            port: &port.name,
            class: "all".to_string(),
            rate_bps: port.rate.bps(),
            bytes: port.all.bytes,
            packets: port.all.packets,
            utilisation: utilisation(port.all.bytes, port, simulated),
            max_queue_bytes: classes.iter().map(|c| c.max_queue).max().unwrap_or_default(),
            mean_wait_s: (served > 0).then(|| waited as f64 / served as f64 / 1e12),
            max_wait_s: (served > 0).then(|| longest.as_secs_f64()),
            pause_sent: classes.iter().map(|c| c.pause_sent).sum(),
            pause_received: classes.iter().map(|c| c.pause_received).sum(),
            paused_s: sum(classes.iter().map(|c| c.paused)).as_secs_f64(),
            credit_stall_s: sum(classes.iter().map(|c| c.credit_stall)).as_secs_f64(),
            drops: classes.iter().map(|c| c.drops + c.corrupted).sum(),
            ecn_marks: classes.iter().map(|c| c.marks).sum(),
        }
    }

    /// Every port in every class in use.
    pub fn all<'a>(outcome: &'a Outcome, context: &'a Context) -> impl Iterator<Item = PortRow<'a>> {
        let of_port = move |port: &'a PortReport| {
            (0..port.classes.len()).map(move |class| PortRow::new(port, class, context, outcome.simulated))
        };
        outcome.ports.iter().flat_map(of_port)
    }
}

fn utilisation(bytes: u64, port: &PortReport, simulated: Time) -> Option<f64> {
    let capacity = port.rate.bps() as f64 * simulated.ps() as f64;
    (capacity > 0.0).then(|| bytes as f64 * 8e12 / capacity)
}

/// Sum of times.
pub(crate) fn sum(spans: impl Iterator<Item = Time>) -> Time {
    spans.fold(Time::ZERO, Time::saturating_add)
}

use serde::Serialize;
use sim::Flow;
use units::Time;

/// A row of `flows.csv`: a connection or explicit flow. Empty fields do not apply.
#[derive(Clone, Debug, Serialize)]
pub struct FlowRow<'a> {
    /// Its name.
    pub flow: &'a str,
    /// Host it comes from.
    pub src: &'a str,
    /// Host it goes to.
    pub dst: &'a str,
    /// Payload asked for; empty for unlimited flows and connections of collectives.
    pub size_bytes: Option<u64>,
    /// First post.
    pub start_s: Option<f64>,
    /// Last byte at the receiver.
    pub end_s: Option<f64>,
    /// From post to last byte at the receiver.
    pub fct_s: Option<f64>,
    /// From post to last acknowledgement.
    pub fct_acked_s: Option<f64>,
    /// Payload bits over measured time.
    pub goodput_bps: Option<f64>,
    /// Completion time on an idle network.
    pub ideal_fct_s: Option<f64>,
    /// Completion time over the ideal one.
    pub slowdown: Option<f64>,
    /// Packets sent again.
    pub retransmitted_packets: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Marked packets that arrived.
    pub ecn_marks: u64,
}

impl<'a> FlowRow<'a> {
    /// Columns, in order.
    pub const COLUMNS: [&'static str; 14] = [
        "flow",
        "src",
        "dst",
        "size_bytes",
        "start_s",
        "end_s",
        "fct_s",
        "fct_acked_s",
        "goodput_bps",
        "ideal_fct_s",
        "slowdown",
        "retransmitted_packets",
        "timeouts",
        "ecn_marks",
    ];

    /// Of a flow.
    pub fn new(flow: &'a Flow) -> FlowRow<'a> {
        let since_start = |end: Time| flow.start.map(|start| end.saturating_sub(start).as_secs_f64());
        FlowRow {
            flow: &flow.name,
            src: &flow.src,
            dst: &flow.dst,
            size_bytes: flow.size.map(|size| size.get()),
            start_s: flow.start.map(Time::as_secs_f64),
            end_s: flow.delivered.map(Time::as_secs_f64),
            fct_s: completion(flow).map(Time::as_secs_f64),
            fct_acked_s: flow.acked.and_then(since_start),
            goodput_bps: goodput(flow),
            ideal_fct_s: flow.ideal.map(Time::as_secs_f64),
            slowdown: slowdown(flow),
            retransmitted_packets: flow.retransmitted,
            timeouts: flow.timeouts,
            ecn_marks: flow.marks,
        }
    }
}

/// From post to last byte at the receiver, of a completed flow.
pub(crate) fn completion(flow: &Flow) -> Option<Time> {
    Some(flow.delivered?.saturating_sub(flow.start?))
}

/// Payload bits per second over the measured time; `None` when nothing was measured.
pub(crate) fn goodput(flow: &Flow) -> Option<f64> {
    let (bits, span) = (flow.measured_bytes.get() as f64 * 8.0, flow.measured.ps() as f64);
    (span > 0.0).then(|| bits * 1e12 / span)
}

/// Completion time over that on an idle network.
pub(crate) fn slowdown(flow: &Flow) -> Option<f64> {
    let ideal = flow.ideal.filter(|ideal| *ideal > Time::ZERO)?;
    Some(completion(flow)?.ps() as f64 / ideal.ps() as f64)
}

use sim::Outcome;
use units::Time;

use crate::summary::NetworkSummary;

impl NetworkSummary {
    pub(crate) fn new(outcome: &Outcome, switch_ports: &[bool]) -> NetworkSummary {
        let mut network = NetworkSummary {
            packets_delivered: outcome.totals.packets_delivered,
            packet_hops: outcome.totals.packet_hops,
            bytes_delivered: outcome.totals.bytes_delivered,
            retransmitted_packets: outcome.flows.iter().map(|flow| flow.retransmitted).sum(),
            timeouts: outcome.flows.iter().map(|flow| flow.timeouts).sum(),
            cnps: outcome.totals.cnps,
            ..NetworkSummary::default()
        };
        // Whole picoseconds are added, so the sum does not depend on the order of ports.
        let (mut paused, mut stalled) = (Time::ZERO, Time::ZERO);
        for (index, port) in outcome.ports.iter().enumerate() {
            let is_switch = switch_ports.get(index).copied().unwrap_or(true);
            for class in &port.classes {
                network.drops += class.drops + class.corrupted;
                network.lossless_drops += class.lossless_drops;
                network.pause_frames += class.pause_sent;
                network.resume_frames += class.resume_sent;
                network.ecn_marks += class.marks;
                paused = paused.saturating_add(class.paused);
                stalled = stalled.saturating_add(class.credit_stall);
                if is_switch {
                    network.max_queue_bytes = network.max_queue_bytes.max(class.max_queue);
                }
            }
        }
        network.pause_s = paused.as_secs_f64();
        network.credit_stall_s = stalled.as_secs_f64();
        network
    }
}

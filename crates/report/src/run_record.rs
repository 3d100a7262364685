use serde::Serialize;
use sim::Outcome;

use crate::results::pretty;

/// `run.json`: what a run took and of what it was made. The only file that differs between machines.
#[derive(Clone, Debug, Serialize)]
pub struct RunRecord {
    /// Wall time of the simulation.
    pub wall_s: f64,
    /// CPU time of the process; `null` where the system does not say.
    pub cpu_s: Option<f64>,
    /// Engine events handled.
    pub events: u64,
    /// Packets, once per link.
    pub packet_hops: u64,
    /// Cost of a packet-hop in events; `null` without packets.
    pub events_per_hop: Option<f64>,
    /// Most memory the process ever held; `null` where the system does not say.
    pub peak_memory_bytes: Option<u64>,
    /// Hash over all packet arrivals, in hexadecimal.
    pub fingerprint: String,
    /// Of this program.
    pub version: String,
    /// Threads that simulated.
    pub threads: u64,
    /// Of the effective scenario.
    pub scenario_sha256: String,
    /// Of the preset it is based on; `null` without one.
    pub preset_sha256: Option<String>,
}

impl RunRecord {
    /// What an outcome says of its run; times, memory and hashes are to be filled in.
    pub fn new(outcome: &Outcome, version: &str) -> RunRecord {
        let hops = outcome.totals.packet_hops;
        RunRecord {
            wall_s: 0.0,
            cpu_s: None,
            events: outcome.events,
            packet_hops: hops,
            events_per_hop: (hops > 0).then(|| outcome.events as f64 / hops as f64),
            peak_memory_bytes: None,
            fingerprint: format!("{:016x}", outcome.fingerprint),
            version: version.to_string(),
            threads: 1,
            scenario_sha256: String::new(),
            preset_sha256: None,
        }
    }

    /// The bytes of `run.json`.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

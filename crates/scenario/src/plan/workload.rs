use sim::{HostConfig, Purpose, Stream, Workload};
use topology::{Routes, Topology};
use transport::TransportConfig;
use units::Time;

use super::Planner;
use crate::spec::Work;

/// What stands before anything is laid on it.
pub(super) struct Ground<'a> {
    pub(super) topology: &'a Topology,
    pub(super) routes: &'a Routes,
    pub(super) transport: &'a TransportConfig,
    pub(super) host: &'a HostConfig,
}

impl Ground<'_> {
    /// Whether a route leads from one NIC to another.
    pub(super) fn leads(&self, src: u32, dst: u32) -> bool {
        self.routes.path(self.topology, src, dst, |_, ways| ways[0]).is_some()
    }
}

/// When flows or ranks begin: at the start of the workload, each with its own jitter.
pub(super) struct Starts {
    start: Time,
    jitter: Time,
    stream: Stream,
}

impl Starts {
    pub(super) fn next(&mut self) -> Time {
        if self.jitter == Time::ZERO {
            return self.start;
        }
        self.start.saturating_add(Time::from_ps(self.stream.below(self.jitter.ps())))
    }
}

/// Streams of jitter that belong to no rank.
pub(super) const START_STREAM: u64 = u64::MAX;
pub(super) const CLOCK_STREAM: u64 = u64::MAX - 1;

impl Planner<'_> {
    pub(super) fn workload(&mut self, ground: &Ground<'_>) -> Option<Workload> {
        match self.scenario.spec.workload.work.clone() {
            Work::Flows(flows) => self.flows(ground, &flows).map(Workload::Flows),
            Work::Pattern(pattern) => self.pattern(ground, &pattern).map(Workload::Flows),
            Work::Collective(wanted) => self.collective(ground, &wanted).map(Workload::Collective),
        }
    }

    pub(super) fn starts(&self) -> Starts {
        let spec = &self.scenario.spec;
        Starts {
            start: spec.workload.start,
            jitter: spec.workload.start_jitter,
            stream: Stream::new(spec.streams.jitter, Purpose::Jitter, START_STREAM),
        }
    }
}

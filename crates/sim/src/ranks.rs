use std::collections::VecDeque;

use collective::{Action, RankRun, Schedule};
use engine::{Purpose, Stream};
use rand_distr::{Distribution, StandardNormal};
use units::{ConnId, Time};

use crate::plan::{CollectiveSpec, HostConfig};
use crate::reason::Reason;

/// The ranks of a collective job: what each is doing, step after step.
///
/// A rank goes on to its next step by itself when its part of this one is done; no barrier joins them.
pub(crate) struct Ranks<'a> {
    pub(crate) spec: &'a CollectiveSpec,
    runs: Vec<RankRun>,
    states: Vec<RankState>,
    /// By rank, sorted by (to, tag): the channel's connection or local link.
    channels: Vec<Vec<((u32, u32), Channel)>>,
    /// Of each connection's posted messages, which operations end with them.
    pub(crate) posted: Vec<Posted>,
    pub(crate) steps: Vec<StepRecord>,
    /// Ranks that have steps left.
    pub(crate) unfinished: u32,
    sigma: f64,
}

struct RankState {
    step: u32,
    slowdown: f64,
    jitter: Stream,
    /// When the rank's GPU can take or give more on NVLink.
    out_free: Time,
    in_free: Time,
}

/// Operations that end with the messages of a connection, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Posted {
    /// Of messages whose last byte has not left.
    pub(crate) unsent: VecDeque<Option<(u32, u64)>>,
    /// Of messages that are not acknowledged.
    pub(crate) unacked: VecDeque<Option<(u32, u64)>>,
}

/// How messages of a channel travel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Channel {
    /// Over the network.
    Wire(ConnId),
    /// Within the NVLink domain, to a rank that knows it by `source`.
    Local { to: u32, source: u32 },
}

/// One step as seen from all ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StepRecord {
    /// The last rank to enter the collective, and when.
    pub(crate) entered: Time,
    pub(crate) last_to_enter: u32,
    /// The longest compute phase.
    pub(crate) compute: Time,
    pub(crate) end: Time,
    pub(crate) last_to_end: u32,
    pub(crate) ranks_done: u32,
    pub(crate) reason: Option<Reason>,
}

impl<'a> Ranks<'a> {
    pub(crate) fn new(spec: &'a CollectiveSpec, host: &HostConfig, seed: u64) -> Ranks<'a> {
        let ranks = spec.schedule.ranks();
        let state = |rank: u32| RankState {
            step: 0,
            slowdown: host.stragglers.iter().find(|s| s.0 == rank).map_or(1.0, |s| s.1),
            jitter: Stream::new(seed, Purpose::Jitter, u64::from(rank)),
            out_free: Time::ZERO,
            in_free: Time::ZERO,
        };
        Ranks {
            spec,
            runs: (0..ranks).map(|rank| RankRun::new(&*spec.schedule, rank)).collect(),
            states: (0..ranks).map(state).collect(),
            channels: vec![Vec::new(); ranks as usize],
            posted: Vec::new(),
            steps: vec![StepRecord::default(); (spec.steps + spec.warmup) as usize],
            unfinished: ranks,
            sigma: host.jitter_sigma,
        }
    }

    pub(crate) fn schedule(&self) -> &'a dyn Schedule {
        &*self.spec.schedule
    }

    /// The name by which rank `to` knows its incoming channel.
    pub(crate) fn source(&self, from: u32, to: u32, tag: u32) -> u32 {
        self.runs[to as usize].source(from, tag).expect("a schedule's channels and sources agree")
    }

    pub(crate) fn add_channel(&mut self, from: u32, to: u32, tag: u32, channel: Channel) {
        let channels = &mut self.channels[from as usize];
        let place = channels.partition_point(|c| c.0 < (to, tag));
        channels.insert(place, ((to, tag), channel));
    }

    pub(crate) fn channel(&self, from: u32, to: u32, tag: u32) -> Channel {
        let channels = &self.channels[from as usize];
        let place = channels.binary_search_by_key(&(to, tag), |c| c.0).expect("sends use the schedule's channels");
        channels[place].1
    }

    /// The compute time of a rank's next step.
    pub(crate) fn compute(&mut self, rank: u32) -> Time {
        let compute = self.scaled(rank, self.spec.compute);
        let step = &mut self.steps[self.states[rank as usize].step as usize];
        step.compute = step.compute.max(compute);
        compute
    }

    /// A compute time of this rank, with its straggler factor and a fresh draw of jitter.
    pub(crate) fn scaled(&mut self, rank: u32, time: Time) -> Time {
        let state = &mut self.states[rank as usize];
        let mut factor = state.slowdown;
        if self.sigma > 0.0 && time > Time::ZERO {
            let normal: f64 = StandardNormal.sample(state.jitter.generator());
            // Lognormal of mean 1. Rounded to a picosecond once, below.
            factor *= libm::exp(self.sigma * normal - self.sigma * self.sigma / 2.0);
        }
        if factor == 1.0 {
            return time;
        }
        Time::from_ps((time.ps() as f64 * factor).round() as u64)
    }

    /// A rank has computed and enters the collective.
    pub(crate) fn enter(&mut self, rank: u32, now: Time, out: &mut Vec<Action>) {
        let step = &mut self.steps[self.states[rank as usize].step as usize];
        if now >= step.entered {
            (step.entered, step.last_to_enter) = (now, rank);
        }
        let schedule = self.schedule();
        self.runs[rank as usize].start(schedule, out);
    }

    /// The step that a rank is in, if all ranks but it are done with it.
    pub(crate) fn last_of_step(&mut self, rank: u32) -> Option<&mut StepRecord> {
        let all_but_one = self.runs.len() as u32 - 1;
        let step = &mut self.steps[self.states[rank as usize].step as usize];
        (step.ranks_done == all_but_one).then_some(step)
    }

    /// A rank's part of a step is done. Whether it has another step.
    pub(crate) fn leave(&mut self, rank: u32, now: Time) -> bool {
        let state = &mut self.states[rank as usize];
        let step = &mut self.steps[state.step as usize];
        if now >= step.end {
            (step.end, step.last_to_end) = (now, rank);
        }
        step.ranks_done += 1;
        state.step += 1;
        let more = (state.step as usize) < self.steps.len();
        self.unfinished -= u32::from(!more);
        more
    }

    pub(crate) fn received(&mut self, rank: u32, source: u32, out: &mut Vec<Action>) {
        let schedule = self.schedule();
        self.runs[rank as usize].received_on(schedule, source, out);
    }

    pub(crate) fn finished(&mut self, rank: u32, stream: u32, index: u64, out: &mut Vec<Action>) {
        let schedule = self.schedule();
        self.runs[rank as usize].finished_op(schedule, stream, index, out);
    }

    /// Reserves NVLink for a transfer that takes `span`; returns when its last byte has left.
    ///
    /// Model: a GPU's links into and out of the NVLink domain are two servers, each message uses both
    /// whole and one after the other; the switch between them does not block.
    pub(crate) fn reserve_nvlink(&mut self, from: u32, to: u32, now: Time, span: Time) -> Time {
        let start = now.max(self.states[from as usize].out_free).max(self.states[to as usize].in_free);
        let end = start + span;
        self.states[from as usize].out_free = end;
        self.states[to as usize].in_free = end;
        end
    }
}

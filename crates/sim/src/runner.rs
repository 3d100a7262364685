use engine::{Engine, EventQueue, Status};
use units::{Bytes, PortId, Time};

use crate::build::build;
use crate::deadlock::Watch;
use crate::ideal::ideal_time;
use crate::network::Network;
use crate::outcome::{Ending, Flow, Outcome, PortReport, Quantity, Sample, Step, Totals, Waited};
use crate::plan::{Plan, Workload};

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Time simulated.
    pub time: Time,
    /// Engine events handled.
    pub events: u64,
    /// Packets, once per link.
    pub packet_hops: u64,
    /// Share of the work done, between 0 and 1.
    pub share: f64,
}

/// What the caller answers to a [`Progress`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// Go on.
    Continue,
    /// End the run here.
    Stop,
}

/// Events between two looks at progress.
const SLICE: u64 = 1 << 18;

/// Turns of the runner (samples, looks for a deadlock) between two looks at progress when little happens.
const TURNS: u64 = 1 << 12;

/// Runs a plan to its end. `watch` is called now and then with the progress made.
pub fn run<Q: EventQueue>(plan: &Plan, watch: &mut dyn FnMut(&Progress) -> Control) -> Outcome {
    let (engine, network) = build::<Q>(plan);
    let (samples, sent) = (Vec::new(), Vec::new());
    Runner { plan, engine, network, samples, sent, measured: None, deadlock: Watch::new(), next_stall_look: Time::ZERO }
        .finish(watch)
}

struct Runner<'a, Q> {
    plan: &'a Plan,
    engine: Engine<Q>,
    network: Network<'a>,
    samples: Vec<Sample>,
    /// Bytes each port had sent at the last sample.
    sent: Vec<u64>,
    /// Payload of each flow when measuring began.
    measured: Option<Vec<u64>>,
    deadlock: Watch,
    /// A look at whether the run has stalled found it alive; the next is due then.
    next_stall_look: Time,
}

impl<Q: EventQueue> Runner<'_, Q> {
    fn finish(mut self, watch: &mut dyn FnMut(&Progress) -> Control) -> Outcome {
        let ending = self.drive(watch);
        self.audit();
        let failed = self.network.progress.failed > 0;
        let ending = if ending == Ending::Finished && failed { Ending::Stalled } else { ending };
        self.outcome(ending)
    }

    fn drive(&mut self, watch: &mut dyn FnMut(&Progress) -> Control) -> Ending {
        let until = self.plan.run.until.unwrap_or(Time::MAX);
        let mut next_sample = self.plan.run.sample;
        let (mut next_look, mut turns) = (SLICE, 0u64);
        loop {
            if self.network.is_done() {
                return Ending::Finished;
            }
            let mut limit = until.min(self.stall_limit());
            if self.measured.is_none() {
                limit = limit.min(self.plan.run.measure_from);
            }
            if let Some(sample) = next_sample {
                limit = limit.min(sample);
            }
            limit = limit.min(self.deadlock.next());
            let status = self.engine.run(&mut self.network, limit, SLICE);
            let reached = status == Status::TimeReached;
            if self.measured.is_none() && (reached && limit >= self.plan.run.measure_from) {
                self.begin_measuring();
            }
            if reached && next_sample.is_some_and(|sample| limit >= sample) {
                self.sample(limit);
                next_sample = Some(limit + self.plan.run.sample.unwrap_or(Time::MAX));
            }
            if reached && limit >= self.deadlock.next() {
                let proven = self.deadlock.look(&self.network.fabric, limit);
                if proven && self.plan.run.stop_on_deadlock {
                    return Ending::Deadlocked;
                }
                self.deadlock.skip_to(self.engine.next_time());
            }
            if let Some(ending) = self.ending(status, limit, until) {
                return ending;
            }
            self.audit();
            // Not at every sample: looking at all ports takes time on large fabrics.
            turns += 1;
            if self.engine.events() >= next_look || turns % TURNS == 0 {
                next_look = self.engine.events() + SLICE;
                if watch(&self.progress()) == Control::Stop {
                    return Ending::Interrupted;
                }
            }
        }
    }

    /// Whether the run ends with this status of the engine, and how.
    fn ending(&mut self, status: Status, limit: Time, until: Time) -> Option<Ending> {
        let ending = match status {
            Status::Halted => Ending::Finished,
            Status::Idle if self.network.is_done() => Ending::Finished,
            Status::Idle => Ending::Stalled,
            Status::TimeReached if limit >= until => Ending::TimeLimit,
            Status::TimeReached if limit >= self.stall_limit() && self.has_stalled(limit) => Ending::Stalled,
            Status::TimeReached if limit >= self.stall_limit() => {
                // Alive, if silent (a long compute phase, say): ask again after as long.
                let next = self.engine.next_time().unwrap_or(limit);
                self.next_stall_look = limit.max(next).saturating_add(self.stall_span());
                return None;
            }
            _ => return None,
        };
        let at_rest = ending == Ending::Stalled || ending == Ending::TimeLimit;
        let proven =
            at_rest && self.deadlock.look_at_rest(&self.network.fabric, self.engine.now().max(limit.min(until)));
        Some(if proven { Ending::Deadlocked } else { ending })
    }

    fn begin_measuring(&mut self) {
        self.measured = Some(self.network.endpoints.responders.iter().map(|r| r.bytes()).collect());
    }

    /// When to ask whether the run has stalled.
    fn stall_limit(&self) -> Time {
        self.last_sign().saturating_add(self.stall_span()).max(self.next_stall_look)
    }

    /// When payload was last delivered or something new was begun: silence counts from there.
    fn last_sign(&self) -> Time {
        self.network.progress.last_payload.max(self.network.progress.last_post)
    }

    /// Silence that counts as a stall: as configured, or three retransmission timeouts if one is due.
    fn stall_span(&self) -> Time {
        let configured = self.plan.run.stall_after;
        let longest = self.plan.transport.timeout.saturating_mul(3);
        if longest <= configured {
            return configured;
        }
        let due = self.network.endpoints.requesters.iter().any(|r| r.deadline().is_some() && !r.is_failed());
        if due { longest } else { configured }
    }

    /// Whether nothing has been delivered for too long while something is outstanding that neither the
    /// pace of a source nor the end of a fault can still set going.
    fn has_stalled(&self, now: Time) -> bool {
        let network = &self.network;
        if now < self.last_sign().saturating_add(self.stall_span()) {
            return false;
        }
        if network.faults_done < network.faults.len() {
            return false;
        }
        let waiting = |conn: usize| {
            let requester = &network.endpoints.requesters[conn];
            !requester.is_idle() && !requester.is_failed() && !network.endpoints.waits_for_pace(conn, now)
        };
        (0..network.endpoints.conns.len()).any(waiting) || network.fabric.held_bytes() > 0
    }

    fn progress(&self) -> Progress {
        let packet_hops = self.packet_hops();
        Progress { time: self.engine.now(), events: self.engine.events(), packet_hops, share: self.share() }
    }

    fn packet_hops(&self) -> u64 {
        let ports = 0..self.plan.topology.ports.len() as u32;
        ports.map(|p| self.network.fabric.port_counters(PortId(p)).packets).sum()
    }

    fn share(&self) -> f64 {
        let by_time = self.plan.run.until.map(|until| self.engine.now().as_secs_f64() / until.as_secs_f64());
        let total: Option<f64> = match &self.plan.workload {
            Workload::Flows(flows) => {
                flows.iter().map(|f| f.size).try_fold(0.0, |sum, size| Some(sum + size?.get() as f64))
            }
            Workload::Collective(spec) => Some(spec.traffic as f64 * f64::from(spec.steps + spec.warmup)),
        };
        let by_bytes = total.filter(|t| *t > 0.0).map(|total| self.network.progress.payload as f64 / total);
        by_time.unwrap_or(0.0).max(by_bytes.unwrap_or(0.0)).clamp(0.0, 1.0)
    }

    fn sample(&mut self, now: Time) {
        let run = &self.plan.run;
        let ports = self.plan.topology.ports.len() as u32;
        self.sent.resize(ports as usize, 0);
        for port in (0..ports).map(PortId) {
            for class in 1..self.plan.fabric.classes {
                let fabric = &self.network.fabric;
                let mut push = |quantity, value: u64| {
                    self.samples.push(Sample { time: now, port: port.0, class, quantity, value });
                };
                if run.record_queue {
                    push(Quantity::Queue, fabric.queue_bytes(port, class));
                    push(Quantity::Input, fabric.input_bytes(port, class));
                }
                if run.record_pause {
                    push(Quantity::Paused, u64::from(fabric.is_paused(port, class, now)));
                }
            }
            if run.record_rate {
                let bytes = self.network.fabric.port_counters(port).bytes;
                let interval = run.sample.unwrap_or(Time::MAX).ps();
                let bits = u128::from(bytes - self.sent[port.index()]) * 8 * 1_000_000_000_000 / u128::from(interval);
                self.sent[port.index()] = bytes;
                let value = bits as u64;
                self.samples.push(Sample { time: now, port: port.0, class: 0, quantity: Quantity::Rate, value });
            }
        }
    }

    /// Conservation over the whole network on a snapshot, in debug builds.
    fn audit(&self) {
        if cfg!(debug_assertions) {
            self.network.fabric.audit().expect("bytes are conserved");
            if self.network.fabric.packets.is_empty() {
                let newest = |port, class| self.engine.newest(port, class);
                self.network.fabric.audit_credits(newest, |_, _| 0).expect("credits are conserved");
            }
        }
    }

    fn outcome(self, ending: Ending) -> Outcome {
        let network = &self.network;
        let simulated = match ending {
            Ending::Finished => network.progress.last_useful,
            Ending::TimeLimit => self.plan.run.until.unwrap_or(self.engine.now()),
            _ => self.engine.now(),
        };
        // A deadlock lasts, so goodput counts to the time that was asked for.
        let counted = match ending {
            Ending::Deadlocked => self.plan.run.until.unwrap_or(simulated),
            _ => simulated,
        };
        let ports = self.plan.topology.ports.len() as u32;
        let report = |port: PortId| PortReport {
            name: self.plan.topology.port_name(port),
            rate: self.plan.topology.ports[port.index()].rate,
            all: network.fabric.port_counters(port),
            classes: (0..self.plan.fabric.classes)
                .map(|class| network.fabric.class_counters(port, class, simulated))
                .collect(),
        };
        Outcome {
            ending,
            simulated,
            last_progress: (network.progress.payload > 0).then_some(network.progress.last_payload),
            measured_from: self.plan.run.measure_from,
            steps: self.steps(),
            flows: self.flows(counted),
            ports: (0..ports).map(|p| report(PortId(p))).collect(),
            deadlock: self.deadlock.report(&self.plan.topology, |conn| self.describe(conn).0),
            totals: Totals {
                packets_delivered: network.progress.packets,
                packet_hops: self.packet_hops(),
                bytes_delivered: network.progress.delivered,
                cnps: network.progress.cnps,
                peak_packets: network.fabric.packets.peak() as u64,
            },
            fingerprint: network.wires.fingerprint.fold(),
            events: self.engine.events(),
            series: self.samples,
        }
    }

    fn steps(&self) -> Vec<Step> {
        let Some(ranks) = &self.network.ranks else { return Vec::new() };
        let count = ranks.schedule().ranks();
        let mut steps = Vec::new();
        let mut start = ranks.spec.ranks.iter().map(|rank| rank.start).min().unwrap_or(Time::ZERO);
        for (number, record) in ranks.steps.iter().enumerate() {
            if record.ranks_done < count {
                break;
            }
            let slowest_rank = if record.compute > Time::ZERO { record.last_to_enter } else { record.last_to_end };
            steps.push(Step {
                number: number as u32,
                start,
                end: record.end,
                compute: record.compute,
                communication: record.end.saturating_sub(record.entered),
                exposed: record.end.saturating_sub(start).saturating_sub(record.compute),
                slowest_rank,
                waited: record.reason.map(|r| Waited { port: r.port.0, cause: r.cause, time: r.time }),
            });
            start = record.end;
        }
        steps.split_off((ranks.spec.warmup as usize).min(steps.len()))
    }

    fn flows(&self, counted: Time) -> Vec<Flow> {
        (0..self.network.endpoints.conns.len()).map(|conn| self.flow(conn, counted)).collect()
    }

    fn flow(&self, conn: usize, counted: Time) -> Flow {
        let endpoints = &self.network.endpoints;
        let (record, marks) = (&endpoints.conns[conn], endpoints.milestones[conn]);
        let (requester, responder) = (&endpoints.requesters[conn], &endpoints.responders[conn]);
        let host = |nic: u32| {
            let port = self.plan.topology.nics[nic as usize];
            self.plan.topology.nodes[self.plan.topology.ports[port.index()].node.index()].name.clone()
        };
        let (name, size, path) = self.describe(conn);
        let complete = size.is_none_or(|size| size.get() == responder.bytes());
        let delivered = marks.delivered.filter(|_| complete && size.is_some());
        // Finite flows count from their start; unlimited ones from where measuring began.
        let before = self.measured.as_ref().filter(|_| size.is_none()).map_or(0, |measured| measured[conn]);
        let start = marks.started.map(|at_wire| at_wire.saturating_sub(self.plan.host.nic_latency));
        let measure_from = if size.is_none() { self.plan.run.measure_from } else { Time::ZERO };
        let from = start.unwrap_or(Time::ZERO).max(measure_from);
        let until = delivered.unwrap_or(counted);
        Flow {
            name,
            src: host(record.src),
            dst: host(record.dst),
            size,
            start,
            delivered,
            acked: marks.acked.filter(|_| requester.is_idle() && size.is_some()),
            failed: requester.is_failed(),
            bytes: Bytes::new(responder.bytes()),
            measured_bytes: Bytes::new(responder.bytes() - before),
            measured: until.saturating_sub(from),
            ideal: size.filter(|s| s.get() > 0).and_then(|s| Some(ideal_time(self.plan, &path?, s.get()))),
            retransmitted: requester.retransmitted(),
            timeouts: requester.timeouts(),
            marks: responder.marked(),
        }
    }

    fn describe(&self, conn: usize) -> (String, Option<Bytes>, Option<Vec<PortId>>) {
        let record = &self.network.endpoints.conns[conn];
        let shortest = || self.plan.routes.path(&self.plan.topology, record.src, record.dst, |_, ways| ways[0]);
        match &self.plan.workload {
            Workload::Flows(flows) => {
                let flow = &flows[conn];
                (flow.name.clone(), flow.size, flow.path.clone().or_else(shortest))
            }
            Workload::Collective(_) => (self.network.channel_name(conn), None, None),
        }
    }
}

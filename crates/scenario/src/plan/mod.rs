//! From checked settings to an inert plan: the topology generated, routes computed, configurations filled,
//! schedules made, names resolved.

mod classes;
mod collective;
mod fabric;
mod faults;
mod flows;
mod names;
mod topology;
mod workload;

use sim::{HostConfig, Plan, RunConfig, Seeds};

use self::topology::Shaped;
use self::workload::Ground;
use crate::diagnostic::{Code, Diagnostic, Report};
use crate::document::Scenario;
use crate::spec::{HashSeeds, Jitter, OnDeadlock, Record};

/// A plan, and what there is to say about it.
pub struct Planned {
    /// Ready to run.
    pub plan: Plan,
    /// Host-facing over uplink bandwidth of a leaf, where there are uplinks.
    pub oversubscription: Option<f64>,
    /// Where the build departs from what was asked, settings without effect, and the warnings of the reader.
    pub warnings: Vec<Diagnostic>,
}

/// What the parts of the conversion share.
pub(crate) struct Planner<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) faults: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// What users call the classes in use; the first is control.
    pub(crate) classes: Vec<u8>,
}

impl Scenario {
    /// Builds the plan, or says everything that stands against it.
    pub fn plan(&self) -> Result<Planned, Report> {
        let mut planner =
            Planner { scenario: self, faults: Vec::new(), warnings: self.warnings.clone(), classes: Vec::new() };
        let planned = planner.plan();
        match planned {
            Some(planned) if planner.faults.is_empty() => Ok(planned),
            _ => Err(self.report(planner.faults)),
        }
    }
}

impl Planner<'_> {
    fn plan(&mut self) -> Option<Planned> {
        let spec = &self.scenario.spec;
        let Shaped { topology, routes, oversubscription } = self.topology()?;
        let transport = self.transport();
        self.number_classes()?;
        let (fabric, policy) = self.fabric(&transport);
        let host = self.host();
        self.memory_holds_thresholds(&topology, &fabric);
        let ground = Ground { topology: &topology, routes: &routes, transport: &transport, host: &host };
        let workload = self.workload(&ground)?;
        let (timed, stragglers) = self.timed_faults(&topology)?;
        let host = HostConfig { stragglers: [host.stragglers, stragglers].concat(), ..host };
        let plan = Plan {
            name: spec.name.clone(),
            seeds: Seeds {
                routing: spec.streams.routing,
                jitter: spec.streams.jitter,
                loss: spec.streams.loss,
                arrivals: spec.streams.arrivals,
            },
            topology,
            routes,
            fabric,
            policy,
            seed_per_switch: spec.fabric.routing.seeds == HashSeeds::PerSwitch,
            switching: self.switching(),
            transport,
            ack_in_data_class: self.acks_with_data(),
            classes: self.classes.clone(),
            host,
            workload,
            faults: timed,
            run: self.run(),
        };
        Some(Planned { plan, oversubscription, warnings: std::mem::take(&mut self.warnings) })
    }

    fn host(&self) -> HostConfig {
        let host = &self.scenario.spec.host;
        HostConfig {
            nvlink_rate: host.nvlink_rate,
            nvlink_latency: host.nvlink_latency,
            nic_latency: host.nic_latency,
            software_latency: host.software_latency,
            jitter_sigma: match host.jitter {
                Jitter::None => 0.0,
                Jitter::Lognormal { sigma } => sigma.as_f64(),
            },
            stragglers: host.straggler.iter().map(|s| (s.rank, s.slowdown.as_f64())).collect(),
        }
    }

    fn run(&self) -> RunConfig {
        let run = &self.scenario.spec.run;
        let records = |what| run.record.contains(&what);
        RunConfig {
            until: run.until,
            measure_from: run.measure_from,
            stop_on_deadlock: run.on_deadlock == OnDeadlock::Stop,
            stall_after: run.stall_after,
            sample: (records(Record::Queue) || records(Record::Pause) || records(Record::Rate)).then_some(run.sample),
            record_queue: records(Record::Queue),
            record_pause: records(Record::Pause),
            record_rate: records(Record::Rate),
        }
    }

    /// Notes an error at a setting.
    pub(crate) fn refuse(&mut self, code: Code, path: &str, text: impl Into<String>, help: impl Into<String>) {
        let help = help.into();
        let mut diagnostic = Diagnostic::new(code, text);
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.faults.push(self.scenario.at(path, diagnostic));
    }

    /// Notes a warning at a setting.
    pub(crate) fn warn(&mut self, code: Code, path: &str, text: impl Into<String>) {
        self.warnings.push(self.scenario.at(path, Diagnostic::new(code, text)));
    }
}

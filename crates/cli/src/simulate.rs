use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use report::{CollectiveFacts, Context, Results, RunRecord, TopologyNumbers};
use scenario::{Analysis, Document, Planned, Point, Report, Scenario};
use sha2::{Digest, Sha256};
use sim::{Control, LogQueue, Progress, Workload};

use crate::meter::Meter;

/// Of this program, in every result.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A scenario that is ready to run.
pub(crate) struct Prepared {
    pub(crate) scenario: Scenario,
    planned: Planned,
    /// Made when first asked for: it costs a maximum flow on a custom graph.
    analysis: OnceCell<Analysis>,
}

/// A run that has ended.
pub(crate) struct Ran {
    pub(crate) results: Results,
    pub(crate) record: RunRecord,
    /// The effective scenario.
    scenario: String,
}

impl Prepared {
    /// The document as it stands: the base point if it has a sweep.
    pub(crate) fn base(document: &Document) -> Result<Prepared, Report> {
        Prepared::new(document.check()?)
    }

    /// A point of its sweep.
    pub(crate) fn at_point(document: &Document, point: &Point) -> Result<Prepared, Report> {
        Prepared::new(document.check_point(point)?)
    }

    fn new(scenario: Scenario) -> Result<Prepared, Report> {
        let planned = scenario.plan()?;
        Ok(Prepared { scenario, planned, analysis: OnceCell::new() })
    }

    /// What is doubtful.
    pub(crate) fn warnings(&self) -> Report {
        self.scenario.report(self.planned.warnings.clone())
    }

    /// What was built.
    pub(crate) fn plan(&self) -> &sim::Plan {
        &self.planned.plan
    }

    /// Counts, tiers and bisection of what was built.
    pub(crate) fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| self.planned.analysis())
    }

    /// The topology in numbers.
    pub(crate) fn numbers(&self) -> TopologyNumbers {
        let built = self.analysis();
        TopologyNumbers {
            hosts: built.hosts,
            gpus: built.gpus,
            switches: built.switches,
            links: built.cables,
            oversubscription: self.planned.oversubscription.or(built.oversubscription),
            bisection_bps: Some(built.bisection.bps),
        }
    }

    fn context(&self) -> Context {
        let (spec, plan) = (&self.scenario.spec, &self.planned.plan);
        // Without places: the same scenario gives the same bytes wherever its file lies.
        let warnings = self.planned.warnings.iter().map(|warning| format!("{}: {}", warning.code.id(), warning.text));
        Context {
            name: spec.name.clone(),
            seed: spec.seed,
            version: VERSION.to_string(),
            fidelity: "packet".to_string(),
            service: spec.fabric.switch.service.word().to_string(),
            topology: self.numbers(),
            collective: collective(&plan.workload),
            classes: plan.classes.clone(),
            switch_ports: plan.topology.ports.iter().map(|port| plan.topology.is_switch(port.node)).collect(),
            records: plan.run.sample.is_some(),
            warnings: warnings.collect(),
        }
    }

    /// Runs it. `watch` is called now and then and may stop it.
    pub(crate) fn run(&self, watch: &mut dyn FnMut(&Progress) -> Control) -> Ran {
        let meter = Meter::start();
        let outcome = sim::run::<LogQueue>(&self.planned.plan, watch);
        let scenario = self.scenario.effective();
        let mut record = RunRecord::new(&outcome, VERSION);
        record.wall_s = meter.wall().as_secs_f64();
        (record.cpu_s, record.peak_memory_bytes) = Meter::process();
        record.scenario_sha256 = sha256([scenario.as_str()]);
        record.preset_sha256 = self.preset_sha256();
        Ran { results: Results::new(outcome, self.context()), record, scenario }
    }

    /// Hash over the presets it is based on, in the order in which it names them.
    fn preset_sha256(&self) -> Option<String> {
        let presets: Vec<&str> =
            self.scenario.sources.iter().filter(|source| source.is_ours).map(|source| source.text.as_str()).collect();
        (!presets.is_empty()).then(|| sha256(presets))
    }
}

impl Ran {
    /// Writes the files of the run.
    pub(crate) fn write(&self, folder: &Path) -> std::io::Result<()> {
        self.results.write(folder, &self.scenario, &self.record)
    }
}

/// Where the results of a scenario go: as asked, else `results/NAME`.
pub(crate) fn folder(asked: Option<&Path>, name: &str) -> PathBuf {
    asked.map_or_else(|| Path::new("results").join(name), Path::to_path_buf)
}

fn collective(workload: &Workload) -> Option<CollectiveFacts> {
    let Workload::Collective(spec) = workload else { return None };
    Some(CollectiveFacts {
        kind: spec.kind.clone(),
        algorithm: spec.algorithm.clone(),
        ranks: spec.ranks.len() as u64,
        size: spec.size.get(),
        bus_factor: spec.bus_factor,
        analytic: spec.analytic.map(|time| time.as_secs_f64()),
    })
}

fn sha256<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut hash = Sha256::new();
    texts.into_iter().for_each(|text| hash.update(text));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

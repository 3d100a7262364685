use serde::Serialize;

/// What a summary says about a run beside its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// Of the scenario.
    pub name: String,
    /// Master seed.
    pub seed: u64,
    /// Of this program.
    pub version: String,
    /// How finely packets were modelled: `packet`.
    pub fidelity: String,
    /// How switches serve their inputs: `fifo`, `round-robin` or `input-fifo`.
    pub service: String,
    /// What was cabled.
    pub topology: TopologyNumbers,
    /// What ran, if a collective did.
    pub collective: Option<CollectiveFacts>,
    /// What users call each class in use (a priority or virtual lane); index 0 is control.
    pub classes: Vec<u8>,
    /// For each port in the order of the outcome, whether a switch owns it.
    pub switch_ports: Vec<bool>,
    /// Whether something was to be sampled, so that `series.csv` is written even when it is empty.
    pub records: bool,
    /// Doubts about the scenario and deviations from it.
    pub warnings: Vec<String>,
}

/// A topology in six numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TopologyNumbers {
    /// Servers.
    pub hosts: u64,
    /// GPUs in all servers.
    pub gpus: u64,
    /// Switches of all tiers.
    pub switches: u64,
    /// Cables, each counted once.
    pub links: u64,
    /// Host-facing over uplink bandwidth of the leaves; `None` where there are no leaves.
    pub oversubscription: Option<f64>,
    /// Bandwidth between two halves of the hosts, one direction.
    pub bisection_bps: Option<u64>,
}

/// A collective as its user named it.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveFacts {
    /// Such as `all-reduce`.
    pub kind: String,
    /// Such as `ring`.
    pub algorithm: String,
    /// Number of ranks.
    pub ranks: u64,
    /// What nccl-tests calls size, in bytes.
    pub size: u64,
    /// Bus bandwidth is algorithm bandwidth times this.
    pub bus_factor: f64,
    /// Time of the closed form, in seconds, if there is one.
    pub analytic: Option<f64>,
}

impl Context {
    /// What users call a class in use: `control`, or its number.
    pub fn class_name(&self, class: usize) -> String {
        match (class, self.classes.get(class)) {
            (0, _) => "control".to_string(),
            (_, Some(name)) => name.to_string(),
            (_, None) => class.to_string(),
        }
    }
}

use collective::Schedule;
use fabric::{FabricConfig, Policy};
use topology::{Routes, Topology};
use transport::{Spacing, TransportConfig};
use units::{Bytes, PortId, Rate, Time};

/// Everything a run needs, checked and inert: building it into a network cannot fail.
pub struct Plan {
    /// Of the scenario.
    pub name: String,
    /// Seeds of the random streams.
    pub seeds: Seeds,
    /// What is cabled.
    pub topology: Topology,
    /// Which ways lead where.
    pub routes: Routes,
    /// How switches and links behave.
    pub fabric: FabricConfig,
    /// How switches choose among equal ways.
    pub policy: Policy,
    /// Whether every switch hashes with a seed of its own; equal seeds polarise.
    pub seed_per_switch: bool,
    /// How packets pass a switch.
    pub switching: Switching,
    /// How connections behave.
    pub transport: TransportConfig,
    /// Whether acknowledgements travel in the class of the data instead of the control class.
    pub ack_in_data_class: bool,
    /// What users call each class in use (a priority or virtual lane); index 0 is control.
    pub classes: Vec<u8>,
    /// What is in a server.
    pub host: HostConfig,
    /// What runs.
    pub workload: Workload,
    /// What goes wrong, in order of time.
    pub faults: Vec<TimedFault>,
    /// When to stop and what to record.
    pub run: RunConfig,
}

/// Seeds by purpose, so that one can be varied while the others stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// Of the hashes of switches and the entropy of connections.
    pub routing: u64,
    /// Of compute jitter.
    pub jitter: u64,
    /// Of loss on links and of marking.
    pub loss: u64,
    /// Of arrival times.
    pub arrivals: u64,
}

/// How packets pass a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switching {
    /// Bytes to have before a packet is forwarded; `None`: all of them (store-and-forward).
    pub cut_through: Option<u16>,
    /// Latency of the pipeline.
    pub latency: Time,
}

/// A server. Times are those of an undisturbed one.
#[derive(Clone, Debug, PartialEq)]
pub struct HostConfig {
    /// Rate of a GPU into and out of the NVLink domain.
    pub nvlink_rate: Rate,
    /// Latency of a transfer within the NVLink domain.
    pub nvlink_latency: Time,
    /// Latency of a NIC, on the way out and on the way in.
    pub nic_latency: Time,
    /// Time from a message being ready to send until the NIC has it.
    pub software_latency: Time,
    /// Sigma of the lognormal factor (mean 1) on compute times; zero for none.
    pub jitter_sigma: f64,
    /// Ranks that compute slower, and by what factor.
    pub stragglers: Vec<(u32, f64)>,
}

/// What runs.
pub enum Workload {
    /// Point-to-point flows.
    Flows(Vec<FlowSpec>),
    /// A collective, step after step.
    Collective(CollectiveSpec),
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Stable and readable.
    pub name: String,
    /// Source and destination NIC.
    pub src: u32,
    /// See `src`.
    pub dst: u32,
    /// Payload to send; `None`: as much as time allows.
    pub size: Option<Bytes>,
    /// When it begins.
    pub start: Time,
    /// When it stops sending.
    pub stop: Option<Time>,
    /// Wire rate it is held to.
    pub rate: Option<Rate>,
    /// How the packets of an open-loop source follow each other.
    pub arrival: Spacing,
    /// Class in use (0 is control).
    pub class: u8,
    /// Inter-switch links a packet may cross.
    pub ttl: u8,
    /// Egress ports from the source NIC to the last switch; `None`: by the routing tables.
    pub path: Option<Vec<PortId>>,
}

/// A collective, repeated.
pub struct CollectiveSpec {
    /// Who sends what to whom after what.
    pub schedule: Box<dyn Schedule>,
    /// Word for `kind` in results, such as `all-reduce`.
    pub kind: String,
    /// Word for `algorithm` in results, such as `ring`.
    pub algorithm: String,
    /// What nccl-tests calls size.
    pub size: Bytes,
    /// Payload bytes that all ranks together receive in one step (for progress).
    pub traffic: u128,
    /// Bus bandwidth is algorithm bandwidth times this.
    pub bus_factor: f64,
    /// Time of the closed form, if there is one.
    pub analytic: Option<Time>,
    /// Host and GPU of each rank.
    pub ranks: Vec<RankPlace>,
    /// Compute before the collective of each step.
    pub compute: Time,
    /// Steps that count, and steps before them that do not.
    pub steps: u32,
    /// See `steps`.
    pub warmup: u32,
    /// Class of its data.
    pub class: u8,
}

/// Where a rank sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankPlace {
    /// Index of the host.
    pub host: u32,
    /// GPU within it.
    pub gpu: u16,
    /// NIC nearest to the GPU, within the host.
    pub nic: u16,
    /// When the rank begins its first step.
    pub start: Time,
}

/// One change of the world from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedFault {
    /// When.
    pub at: Time,
    /// What.
    pub change: Change,
}

/// What a fault does. Ends of faults are changes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The link that leaves a port runs at another rate; zero freezes it.
    Rate(PortId, Rate),
    /// The link that leaves a port damages packets with this probability, in units of 2^-32.
    Loss(PortId, u32),
    /// The link that leaves a port damages every n-th data packet; 0: none.
    DropEvery(PortId, u32),
    /// The NIC at a port keeps its peer paused in a class, or stops doing so.
    Pause(PortId, u8, bool),
    /// The host behind a port consumes at this rate only; `None`: at line rate.
    Consume(PortId, Option<Rate>),
}

/// When to stop and what to record.
#[derive(Clone, Debug, PartialEq)]
pub struct RunConfig {
    /// Stop here at the latest.
    pub until: Option<Time>,
    /// Goodput counts from here.
    pub measure_from: Time,
    /// Whether the run ends when a deadlock is proven.
    pub stop_on_deadlock: bool,
    /// No payload anywhere for this long while some is outstanding: the run has stalled.
    pub stall_after: Time,
    /// Interval of samples, when something is sampled.
    pub sample: Option<Time>,
    /// Sample queue lengths.
    pub record_queue: bool,
    /// Sample pauses.
    pub record_pause: bool,
    /// Sample rates.
    pub record_rate: bool,
}

impl Change {
    /// The port it concerns.
    pub fn port(&self) -> PortId {
        match *self {
            Change::Rate(port, _)
            | Change::Loss(port, _)
            | Change::DropEvery(port, _)
            | Change::Pause(port, _, _)
            | Change::Consume(port, _) => port,
        }
    }
}

//! The checked file, typed. It is still what was asked for: names are unresolved and nothing is built.

mod expect;
mod fabric;
mod faults;
mod host;
mod read;
mod run;
mod topology;
mod word;
mod workload;

use crate::item::Item;

pub(crate) use expect::MetricUnit;
pub use expect::{Bound, Expect, Expected};
pub use fabric::{
    AckClass, AckEvery, AlphaOrder, Buffer, CongestionControl, Credit, Dcqcn, DcqcnPreset, Dctcp, Ecn, Fabric,
    FlowControl, Forwarding, HashSeeds, Headroom, Link, MarkAt, Pfc, Rc, Refresh, Retransmit, Routing, RoutingKind,
    Service, StageOrder, Switch, Technology, Transport, Xoff,
};
pub use faults::{Fault, FaultKind};
pub use host::{Host, Jitter, Straggler};
pub use run::{Fidelity, OnDeadlock, Record, Run};
pub use topology::{
    Attachment, Cables, CustomHost, CustomLink, Distance, FatTree, Generated, Leaf, RailOnly, Size, Spine, SpineLeaf,
    Topology,
};
pub use workload::{
    Algorithm, Arrival, Collective, CollectiveKind, Flow, FlowSize, Format, Moe, MoeExchange, Pattern, PatternKind,
    Placement, Skew, Work, Workload,
};

/// Everything a scenario says.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Name of the scenario.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// Seeds of the purposes; each is `seed` unless it was set apart.
    pub streams: Streams,
    /// What is cabled.
    pub topology: Topology,
    /// Which technology.
    pub fabric: Fabric,
    /// What is in a server.
    pub host: Host,
    /// What runs.
    pub workload: Workload,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// How to simulate.
    pub run: Run,
    /// What must come out.
    pub expect: Vec<Expect>,
    /// Whether the file has a sweep, of which this is the base point.
    pub has_sweep: bool,
}

/// A seed for each purpose, so that one can change while the others stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Hash of ECMP.
    pub routing: u64,
    /// Random placement.
    pub placement: u64,
    /// Compute jitter.
    pub jitter: u64,
    /// Packet loss and marking.
    pub loss: u64,
    /// Random arrivals and traffic patterns.
    pub arrivals: u64,
}

impl Spec {
    /// From a tree that the table of keys has accepted.
    pub(crate) fn of(root: &Item) -> Spec {
        let seed = root.count("seed");
        let stream = |name| root.group("streams").opt_count(name).unwrap_or(seed);
        Spec {
            name: root.string("name"),
            description: root.opt_string("description"),
            seed,
            streams: Streams {
                routing: stream("routing"),
                placement: stream("placement"),
                jitter: stream("jitter"),
                loss: stream("loss"),
                arrivals: stream("arrivals"),
            },
            topology: Topology::of(root.group("topology")),
            fabric: Fabric::of(root.group("fabric")),
            host: Host::of(root.group("host")),
            workload: Workload::of(root.group("workload")),
            faults: root.list("faults").iter().map(Fault::of).collect(),
            run: Run::of(root.group("run")),
            expect: root.list("expect").iter().filter_map(Expect::of).collect(),
            has_sweep: root.get("sweep").is_some(),
        }
    }
}

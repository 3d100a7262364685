use sim::{Purpose, Stream};
use topology::{
    Analysis, Attachment, Buildable, Built, Cables, Custom, CustomHost, CustomLink, FatTree, Leaf, LinkDefaults,
    RailOnly, Ring, Routes, Size, Spec, Spine, SpineLeaf, Topology, Torus,
};
use units::{Rate, Time};

use super::workload::CLOCK_STREAM;
use super::{Planned, Planner};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::Scenario;
use crate::spec;
use crate::suggest::nearest;

/// The most devices with clocks of their own: every rate is a kind of link, and kinds are numbered in 16 bits.
const CLOCK_LIMIT: usize = 3_000;

/// What is cabled and which ways lead where.
pub(super) struct Shaped {
    pub(super) topology: Topology,
    pub(super) routes: Routes,
    pub(super) oversubscription: Option<f64>,
}

impl Planner<'_> {
    pub(super) fn topology(&mut self) -> Option<Shaped> {
        let fabric = &self.scenario.spec.fabric;
        let wanted = self.wanted();
        let Built { topology, notes, built, .. } = match topology::build(&wanted, &self.defaults()) {
            Ok(built) => built,
            Err(errors) => {
                errors.into_iter().for_each(|error| self.refuse_topology(error));
                return None;
            }
        };
        let topology = self.with_clocks(topology)?;
        for note in notes {
            self.warn(Code::NearestBuild, "topology.oversubscription", note);
        }
        let kind = match fabric.routing.kind {
            spec::RoutingKind::UpDown => topology::RoutingKind::UpDown { roots: Vec::new() },
            spec::RoutingKind::DModK => topology::RoutingKind::DModK,
            _ => topology::RoutingKind::MinHop,
        };
        match Routes::new(&topology, kind) {
            Ok(routes) => Some(Shaped { topology, routes, oversubscription: built.map(|b| b.ratio()) }),
            Err(error) => {
                self.refuse(Code::Impossible, "fabric.routing", error.to_string(), "");
                None
            }
        }
    }

    /// Clocks differ from device to device: all ports of one run fast or slow together.
    fn with_clocks(&mut self, mut topology: Topology) -> Option<Topology> {
        let spec = &self.scenario.spec;
        let ppm = u64::from(spec.fabric.link.ppm);
        if ppm == 0 {
            return Some(topology);
        }
        if topology.nodes.len() > CLOCK_LIMIT {
            let text = format!("{} devices with clocks of their own are more than {CLOCK_LIMIT}", topology.nodes.len());
            self.refuse(Code::Impossible, "fabric.link.ppm", text, "leave `ppm` out for large networks");
            return None;
        }
        let mut stream = Stream::new(spec.streams.jitter, Purpose::Jitter, CLOCK_STREAM);
        let Topology { nodes, ports, .. } = &mut topology;
        for node in nodes {
            // Within ppm either way, in steps of a thousandth of a millionth.
            let billionths = 1_000_000_000 - 1_000 * ppm + stream.below(2_000 * ppm + 1);
            let first = node.first_port as usize;
            for port in &mut ports[first..first + usize::from(node.ports)] {
                let bps = u128::from(port.rate.bps()) * u128::from(billionths) / 1_000_000_000;
                port.rate = Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX).max(1));
            }
        }
        Some(topology)
    }

    fn refuse_topology(&mut self, error: topology::TopologyError) {
        let path = format!("topology.{}", error.field.replace('[', ".").replace(']', ""));
        let mut diagnostic = Diagnostic::new(Code::Impossible, error.reason);
        if let Some(unknown) = &error.unknown
            && let spec::Topology::Custom { switches, hosts, .. } = &self.scenario.spec.topology
        {
            let names: Vec<&str> =
                hosts.iter().map(|h| h.name.as_str()).chain(switches.iter().map(String::as_str)).collect();
            if let Some(near) = nearest(unknown, names.iter().copied()) {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            }
        }
        if !error.fix.is_empty() {
            diagnostic = diagnostic.help(error.fix);
        }
        self.faults.push(self.scenario.at(&path, diagnostic));
    }

    fn defaults(&self) -> LinkDefaults {
        let link = &self.scenario.spec.fabric.link;
        LinkDefaults { rate: link.rate, delay: link.distance.delay(), loss: loss(link.loss) }
    }

    /// The settings in the words of the generators.
    fn wanted(&self) -> Spec {
        match &self.scenario.spec.topology {
            spec::Topology::SpineLeaf(wanted) => Spec::SpineLeaf(SpineLeaf {
                size: self.size(&wanted.hosts),
                attachment: attachment(wanted.attachment),
                leaf: self.leaf(&wanted.leaf),
                spine: Spine {
                    ports: wanted.spine.ports.map(u64::from),
                    count: wanted.spine.count.map(u64::from),
                    rate: wanted.spine.rate,
                },
                oversubscription: wanted.oversubscription,
                cables: cables(&wanted.hosts.cables),
            }),
            spec::Topology::FatTree(wanted) => Spec::FatTree(FatTree {
                size: self.size(&wanted.hosts),
                attachment: attachment(wanted.attachment),
                tiers: u64::from(wanted.tiers),
                radix: wanted.radix.map(u64::from),
                oversubscription: wanted.oversubscription,
                cables: cables(&wanted.hosts.cables),
            }),
            spec::Topology::RailOnly(wanted) => Spec::RailOnly(RailOnly {
                size: self.size(&wanted.hosts),
                leaf: self.leaf(&wanted.leaf),
                cables: cables(&wanted.hosts.cables),
            }),
            spec::Topology::Torus { hosts, dims, hosts_per_switch } => Spec::Torus(Torus {
                dims: dims.iter().map(|d| u64::from(*d)).collect(),
                hosts_per_switch: u64::from(*hosts_per_switch),
                size: self.size(hosts),
                cables: cables(&hosts.cables),
            }),
            spec::Topology::Ring { hosts, switches, hosts_per_switch } => Spec::Ring(Ring {
                switches: u64::from(*switches),
                hosts_per_switch: u64::from(*hosts_per_switch),
                size: self.size(hosts),
                cables: cables(&hosts.cables),
            }),
            spec::Topology::Custom { switches, hosts, links } => Spec::Custom(Custom {
                switches: switches.clone(),
                hosts: hosts.iter().map(custom_host).collect(),
                links: links.iter().map(custom_link).collect(),
            }),
        }
    }

    fn size(&self, wanted: &spec::Generated) -> Size {
        Size {
            gpus: wanted.gpus.map(u64::from),
            hosts: wanted.hosts.map(u64::from),
            gpus_per_host: wanted.gpus_per_host.or(self.scenario.spec.host.gpus).map(u64::from),
            nics_per_host: wanted.nics_per_host.map(u64::from),
        }
    }

    /// A NIC slower than its link holds the link to its own rate.
    fn leaf(&self, wanted: &spec::Leaf) -> Leaf {
        let link = wanted.rate.unwrap_or(self.scenario.spec.fabric.link.rate);
        Leaf {
            ports: wanted.ports.map(u64::from),
            hosts: wanted.hosts.map(u64::from),
            count: None,
            uplinks: wanted.uplinks.map(u64::from),
            rate: self.scenario.spec.host.nic_rate.map(|nic: Rate| nic.min(link)).or(wanted.rate),
        }
    }
}

impl Planned {
    /// Counts, tiers and bisection of what is cabled. A custom graph costs a maximum flow.
    pub fn analysis(&self) -> Analysis {
        Analysis::new(&self.plan.topology)
    }
}

impl Scenario {
    /// Ratios near the one that is built, with what they take; empty where there is no ratio to choose.
    pub fn nearby_ratios(&self) -> Vec<Buildable> {
        let planner = Planner { scenario: self, faults: Vec::new(), warnings: Vec::new(), classes: Vec::new() };
        match planner.wanted() {
            Spec::SpineLeaf(wanted) => topology::neighbours(&wanted, &planner.defaults()).unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

fn attachment(wanted: spec::Attachment) -> Attachment {
    match wanted {
        spec::Attachment::Rail => Attachment::Rail,
        spec::Attachment::Packed => Attachment::Packed,
    }
}

fn cables(wanted: &spec::Cables) -> Cables {
    let delay = |length: Option<units::text::Length>| -> Option<Time> { length.map(|length| length.delay()) };
    Cables { host: delay(wanted.host), uplink: delay(wanted.uplink) }
}

fn custom_host(host: &spec::CustomHost) -> CustomHost {
    CustomHost { name: host.name.clone(), nics: host.nics.map(u64::from), gpus: u64::from(host.gpus) }
}

fn custom_link(link: &spec::CustomLink) -> CustomLink {
    CustomLink {
        a: link.a.clone(),
        b: link.b.clone(),
        rate: link.rate,
        delay: link.distance.map(spec::Distance::delay),
        loss: link.loss.map(loss),
        count: u64::from(link.count),
    }
}

/// A probability in units of 2^-32; one is as near as that gets.
pub(super) fn loss(probability: units::text::Fraction) -> u32 {
    probability.parts().map_or(u32::MAX, |parts| u32::try_from(parts).unwrap_or(u32::MAX))
}

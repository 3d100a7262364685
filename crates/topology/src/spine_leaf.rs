use units::text::Ratio;
use units::{NodeId, Rate};

use crate::build::{Built, Oversubscription, wires, within_limits};
use crate::cabling::{Cabling, Wire};
use crate::error::TopologyError;
use crate::graph::NodeKind;
use crate::leaf_plan::LeafPlan;
use crate::shape::Shape;
use crate::size::SERVER_GPUS;
use crate::spec::{Attachment, LinkDefaults, SpineLeaf};
use crate::spine_plan::SpinePlan;

/// Builds leaves and spines as asked, or as near as ports allow.
pub(crate) fn build(spec: &SpineLeaf, defaults: &LinkDefaults) -> Result<Built, TopologyError> {
    let plan = Plan::new(spec, defaults)?;
    let mut cabling = Cabling::with_capacity(plan.nodes(), plan.cables());
    plan.add_nodes(&mut cabling);
    plan.cable_hosts(&mut cabling);
    plan.cable_spines(&mut cabling);
    let pod = if plan.spines.count == 0 { 0 } else { plan.leaves.count() as u32 };
    let shape = Shape::Clos { leaves_per_pod: pod, even: plan.spines.even(), stride: plan.leaves.rails as u32 };
    Ok(Built {
        topology: cabling.finish(shape)?,
        notes: plan.notes(spec),
        asked: spec.oversubscription,
        built: Some(plan.oversubscription()),
    })
}

/// Everything decided, nothing allocated.
pub(crate) struct Plan {
    pub(crate) leaves: LeafPlan,
    pub(crate) spines: SpinePlan,
    host_wire: Wire,
    uplink: Wire,
}

impl Plan {
    pub(crate) fn new(spec: &SpineLeaf, defaults: &LinkDefaults) -> Result<Plan, TopologyError> {
        let (mut host_wire, mut uplink) = wires(defaults, &spec.cables);
        host_wire.rate = spec.leaf.rate.unwrap_or(host_wire.rate);
        uplink.rate = spec.spine.rate.unwrap_or(uplink.rate);
        for (field, rate) in [("leaf.rate", host_wire.rate), ("spine.rate", uplink.rate)] {
            if rate == Rate::ZERO {
                return Err(TopologyError::new(field, "a link of zero rate carries nothing", "give it a rate"));
            }
        }
        let counts = spec.size.settle(SERVER_GPUS, None)?;
        within_limits(u128::from(counts.hosts) * u128::from(counts.nics), 0, 0)?;
        if counts.hosts * counts.nics < 2 || counts.hosts < 2 {
            let fix = "a fabric needs at least two hosts";
            return Err(TopologyError::new("hosts", "one host has nobody to talk to", fix));
        }
        let rates = Rates { host: host_wire.rate, uplink: uplink.rate };
        let leaves = LeafPlan::new(spec, &counts, rates)?;
        let spines = SpinePlan::new(spec, &leaves, rates)?;
        let cables = u128::from(leaves.nics()) + u128::from(leaves.count()) * u128::from(spines.uplinks);
        within_limits(u128::from(leaves.nics()), u128::from(leaves.count()) + u128::from(spines.count), cables)?;
        Ok(Plan { leaves, spines, host_wire, uplink })
    }

    fn nodes(&self) -> u64 {
        self.leaves.hosts + self.leaves.count() + self.spines.count
    }

    fn cables(&self) -> u64 {
        self.leaves.nics() + self.leaves.count() * self.spines.uplinks
    }

    fn add_nodes(&self, cabling: &mut Cabling) {
        for host in 0..self.leaves.hosts {
            cabling.node(format!("h{host}"), NodeKind::Host { gpus: self.leaves.gpus });
        }
        for leaf in 0..self.leaves.count() {
            cabling.node(format!("leaf{leaf}"), NodeKind::Switch { tier: 0 });
        }
        for spine in 0..self.spines.count {
            cabling.node(format!("spine{spine}"), NodeKind::Switch { tier: 1 });
        }
    }

    fn cable_hosts(&self, cabling: &mut Cabling) {
        for host in 0..self.leaves.hosts {
            for nic in 0..self.leaves.nics_per_host {
                let leaf = self.leaves.leaf_of(host, nic);
                cabling.cable(id(host), id(self.leaves.hosts + leaf), self.host_wire);
            }
        }
    }

    /// Leaf by leaf, at each leaf spine by spine, parallel links side by side: D-mod-K relies on that order.
    fn cable_spines(&self, cabling: &mut Cabling) {
        let first = self.leaves.hosts + self.leaves.count();
        for leaf in 0..self.leaves.count() {
            for spine in 0..self.spines.count {
                for _ in 0..self.spines.links(leaf, spine) {
                    cabling.cable(id(self.leaves.hosts + leaf), id(first + spine), self.uplink);
                }
            }
        }
    }

    /// Of a full leaf.
    pub(crate) fn oversubscription(&self) -> Oversubscription {
        let (down, up) = (self.leaves.down(), self.spines.uplinks);
        let (host, uplink) = (self.host_wire.rate, self.uplink.rate);
        Oversubscription { down, up, down_bps: down * host.bps(), up_bps: up * uplink.bps() }
    }

    fn notes(&self, spec: &SpineLeaf) -> Vec<String> {
        let mut notes = Vec::new();
        let built = self.oversubscription();
        if let Some(asked) = spec.oversubscription.filter(|asked| !equals(*asked, &built)) {
            notes.push(format!(
                "asked {asked}, built {} x {} down / {} x {} up = {:.2}:1",
                built.down,
                rate_text(self.host_wire.rate),
                built.up,
                rate_text(self.uplink.rate),
                built.ratio()
            ));
        }
        notes.extend(self.leaves.notes(spec.attachment == Attachment::Rail));
        notes.extend(self.spines.notes(spec));
        notes
    }
}

/// Rates of the two tiers of links.
#[derive(Clone, Copy)]
pub(crate) struct Rates {
    pub(crate) host: Rate,
    pub(crate) uplink: Rate,
}

/// Whether what was built is what was asked.
fn equals(asked: Ratio, built: &Oversubscription) -> bool {
    u128::from(built.down_bps) * u128::from(asked.right()) == u128::from(built.up_bps) * u128::from(asked.left())
}

/// As network people write it: `400G`.
pub(crate) fn rate_text(rate: Rate) -> String {
    let bps = rate.bps();
    match (bps % 1_000_000_000, bps % 1_000_000) {
        (0, _) => format!("{}G", bps / 1_000_000_000),
        (_, 0) => format!("{}M", bps / 1_000_000),
        _ => format!("{bps} bit/s"),
    }
}

fn id(index: u64) -> NodeId {
    NodeId(index as u32)
}

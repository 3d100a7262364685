use units::{NodeId, Rate};

use crate::build::{Built, Oversubscription, at_least_two, ratio_note, wires, within_limits};
use crate::cabling::{Cabling, Wire};
use crate::error::TopologyError;
use crate::graph::NodeKind;
use crate::leaf_plan::LeafPlan;
use crate::shape::Shape;
use crate::size::SERVER_GPUS;
use crate::spec::{LinkDefaults, SpineLeaf};
use crate::spine_plan::SpinePlan;

/// Builds leaves and spines as asked, or as near as ports allow.
pub(crate) fn build(spec: &SpineLeaf, defaults: &LinkDefaults) -> Result<Built, TopologyError> {
    let plan = Plan::new(spec, defaults)?;
    let mut cabling = Cabling::with_capacity(plan.nodes(), plan.cables());
    plan.add_nodes(&mut cabling);
    plan.leaves.cable_hosts(&mut cabling, plan.host_wire);
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
        let (host_wire, uplink) = wires(defaults, &spec.cables, spec.leaf.rate, spec.spine.rate)?;
        let counts = spec.size.settle(SERVER_GPUS, None)?;
        within_limits(spec.size.key(), u128::from(counts.hosts) * u128::from(counts.nics), 0, 0)?;
        at_least_two(spec.size.key(), counts.hosts)?;
        let rates = Rates { host: host_wire.rate, uplink: uplink.rate };
        let leaves = LeafPlan::new(spec, &counts, rates)?;
        let spines = SpinePlan::new(spec, &leaves, rates)?;
        let cables = u128::from(leaves.nics()) + u128::from(leaves.count()) * u128::from(spines.uplinks);
        within_limits(
            spec.size.key(),
            u128::from(leaves.nics()),
            u128::from(leaves.count()) + u128::from(spines.count),
            cables,
        )?;
        Ok(Plan { leaves, spines, host_wire, uplink })
    }

    fn nodes(&self) -> u64 {
        self.leaves.hosts + self.leaves.count() + self.spines.count
    }

    pub(crate) fn cables(&self) -> u64 {
        self.leaves.nics() + self.leaves.count() * self.spines.uplinks
    }

    fn add_nodes(&self, cabling: &mut Cabling) {
        self.leaves.add_nodes(cabling);
        for spine in 0..self.spines.count {
            cabling.node(format!("spine{spine}"), NodeKind::Switch { tier: 1 });
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
        Oversubscription::new(self.leaves.down(), self.host_wire.rate, self.spines.uplinks, self.uplink.rate)
    }

    fn notes(&self, spec: &SpineLeaf) -> Vec<String> {
        let mut notes = Vec::new();
        let built = self.oversubscription();
        notes.extend(ratio_note(spec.oversubscription, &built, self.host_wire.rate, self.uplink.rate));
        notes.extend(self.leaves.notes(spec.oversubscription.is_some()));
        notes.extend(self.spines.notes());
        notes
    }
}

/// Rates of the two tiers of links.
#[derive(Clone, Copy)]
pub(crate) struct Rates {
    pub(crate) host: Rate,
    pub(crate) uplink: Rate,
}

fn id(index: u64) -> NodeId {
    NodeId(index as u32)
}

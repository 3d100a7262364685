use units::NodeId;

use crate::build::{Built, Oversubscription, at_least_two, ratio_note, wires, within_limits};
use crate::cabling::{Cabling, Wire};
use crate::error::TopologyError;
use crate::graph::NodeKind;
use crate::leaf_plan::{LeafPlan, link_ratio};
use crate::shape::Shape;
use crate::size::SERVER_GPUS;
use crate::spec::{FatTree, LinkDefaults};
use crate::spine_leaf::Rates;

/// Builds a fat-tree, pruned to the hosts that are asked for.
pub(crate) fn build(spec: &FatTree, defaults: &LinkDefaults) -> Result<Built, TopologyError> {
    let plan = Plan::new(spec, defaults)?;
    let mut cabling = Cabling::with_capacity(plan.leaves.hosts + plan.switches(), plan.cables());
    plan.add_nodes(&mut cabling);
    plan.leaves.cable_hosts(&mut cabling, plan.host_wire);
    plan.cable_leaves(&mut cabling);
    plan.cable_cores(&mut cabling);
    let shape =
        Shape::Clos { leaves_per_pod: plan.leaves_per_pod() as u32, even: true, stride: plan.leaves.rails as u32 };
    let built = plan.oversubscription();
    let mut notes = Vec::new();
    notes.extend(ratio_note(spec.oversubscription, &built, plan.host_wire.rate, plan.uplink.rate));
    notes.extend(plan.notes(spec));
    Ok(Built { topology: cabling.finish(shape)?, notes, asked: spec.oversubscription, built: Some(built) })
}

/// Everything decided, nothing allocated.
struct Plan {
    leaves: LeafPlan,
    radix: Radix,
    /// Pods of a tree of three tiers; 1 where two tiers suffice.
    pods: u64,
    /// Parallel links between a switch of the highest tier and each below it.
    parallel: u64,
    host_wire: Wire,
    uplink: Wire,
}

/// How many ports a switch has, and what they are for.
#[derive(Clone, Copy)]
struct Radix {
    ports: u64,
    tiers: u64,
    /// Links of a leaf to hosts.
    down: u64,
    /// Links of a leaf to the tier above.
    up: u64,
}

impl Radix {
    fn new(ports: u64, spec: &FatTree, rates: Rates) -> Radix {
        let (down, up) = link_ratio(spec.oversubscription, rates);
        let share = |part: u128| (u128::from(ports) * part / (down + up)) as u64;
        Radix { ports, tiers: spec.tiers, down: share(down), up: share(up) }
    }

    /// Leaves of a full tree.
    fn leaves(&self) -> u64 {
        if self.tiers == 2 { self.ports } else { self.ports * (self.ports / 2) }
    }
}

/// The largest radix that is built.
const MAX_RADIX: u64 = 4096;

impl Plan {
    fn new(spec: &FatTree, defaults: &LinkDefaults) -> Result<Plan, TopologyError> {
        let (host_wire, uplink) = wires(defaults, &spec.cables, None, None)?;
        if spec.tiers != 2 && spec.tiers != 3 {
            let reason = format!("a fat-tree of {} tiers is not built", spec.tiers);
            return Err(TopologyError::new("tiers", reason, "2 or 3"));
        }
        let rates = Rates { host: host_wire.rate, uplink: uplink.rate };
        let (leaves, radix) = settle(spec, rates)?;
        let mut plan = Plan { leaves, radix, pods: 1, parallel: 1, host_wire, uplink };
        let half = radix.ports / 2;
        if radix.tiers == 3 {
            plan.pods = leaves.count().div_ceil(half);
        }
        plan.parallel = if plan.pods > 1 {
            parallel(half, plan.pods, radix.ports)
        } else {
            // The middle tier of a single pod keeps half its ports for a core that may come.
            parallel(radix.up, leaves.count(), if radix.tiers == 2 { radix.ports } else { half })
        };
        let nics = u128::from(leaves.nics());
        within_limits(spec.size.key(), nics, u128::from(plan.switches()), u128::from(plan.cables()))?;
        Ok(plan)
    }

    fn leaves_per_pod(&self) -> u64 {
        if self.pods > 1 { self.radix.ports / 2 } else { self.leaves.count() }
    }

    /// Switches of the middle tier of a pod, or of the only tier above the leaves.
    fn spines_per_pod(&self) -> u64 {
        if self.pods > 1 { self.radix.up } else { self.radix.up / self.parallel }
    }

    /// Cores that one middle switch of each pod reaches.
    fn cores_per_spine(&self) -> u64 {
        if self.pods > 1 { self.radix.ports / 2 / self.parallel } else { 0 }
    }

    fn switches(&self) -> u64 {
        let spines = self.pods * self.spines_per_pod();
        self.leaves.count() + spines + self.spines_per_pod() * self.cores_per_spine()
    }

    fn cables(&self) -> u64 {
        let cores = self.pods * self.spines_per_pod() * self.cores_per_spine() * self.parallel;
        self.leaves.nics() + self.leaves.count() * self.radix.up + cores
    }

    fn add_nodes(&self, cabling: &mut Cabling) {
        self.leaves.add_nodes(cabling);
        for spine in 0..self.pods * self.spines_per_pod() {
            cabling.node(format!("spine{spine}"), NodeKind::Switch { tier: 1 });
        }
        for core in 0..self.spines_per_pod() * self.cores_per_spine() {
            cabling.node(format!("core{core}"), NodeKind::Switch { tier: 2 });
        }
    }

    /// Each leaf to every middle switch of its pod.
    fn cable_leaves(&self, cabling: &mut Cabling) {
        let (first, spines) = (self.leaves.hosts + self.leaves.count(), self.spines_per_pod());
        let parallel = if self.pods > 1 { 1 } else { self.parallel };
        for leaf in 0..self.leaves.count() {
            let pod = leaf / self.leaves_per_pod();
            for spine in 0..spines {
                for _ in 0..parallel {
                    cabling.cable(id(self.leaves.hosts + leaf), id(first + pod * spines + spine), self.uplink);
                }
            }
        }
    }

    /// The n-th middle switch of every pod to the n-th group of cores.
    fn cable_cores(&self, cabling: &mut Cabling) {
        let first = self.leaves.hosts + self.leaves.count();
        let (spines, cores) = (self.spines_per_pod(), self.cores_per_spine());
        let first_core = first + self.pods * spines;
        for spine in 0..self.pods * spines {
            for core in 0..cores {
                for _ in 0..self.parallel {
                    let group = spine % spines;
                    cabling.cable(id(first + spine), id(first_core + group * cores + core), self.uplink);
                }
            }
        }
    }

    fn oversubscription(&self) -> Oversubscription {
        Oversubscription::new(self.leaves.down(), self.host_wire.rate, self.radix.up, self.uplink.rate)
    }

    fn notes(&self, spec: &FatTree) -> Vec<String> {
        let mut notes = Vec::new();
        let (built, full) = (self.leaves.count(), self.radix.leaves());
        if spec.radix.is_none() {
            notes.push(format!("radix {}: the smallest that carries the hosts", self.radix.ports));
        }
        if built < full {
            notes.push(format!("pruned to {built} of the {full} leaves of a full tree of radix {}", self.radix.ports));
        }
        if self.parallel > 1 {
            let top = if self.pods > 1 { "core" } else { "spine" };
            notes.push(format!("each {top} has {} parallel links to each switch below it", self.parallel));
        }
        if self.radix.tiers == 3 && self.pods == 1 {
            notes.push("all leaves fit one pod, so there is no core".to_owned());
        }
        if self.pods > 1 && !built.is_multiple_of(self.leaves_per_pod()) {
            let last = built % self.leaves_per_pod();
            notes.push(format!("the last of {} pods has {last} of {} leaves", self.pods, self.leaves_per_pod()));
        }
        notes.extend(self.leaves.notes(spec.oversubscription.is_some()));
        notes
    }
}

/// The hosts on their leaves, and the radix that carries them.
fn settle(spec: &FatTree, rates: Rates) -> Result<(LeafPlan, Radix), TopologyError> {
    let stated = match spec.radix {
        Some(ports) if !(2..=MAX_RADIX).contains(&ports) || !ports.is_multiple_of(2) => {
            let reason = format!("a radix of {ports} is not built");
            return Err(TopologyError::new("radix", reason, format!("an even number from 2 to {MAX_RADIX}")));
        }
        Some(ports) => Some(Radix::new(ports, spec, rates)),
        None => None,
    };
    if let Some(Radix { ports, down, up, .. }) = stated.filter(|r| r.down == 0 || r.up == 0) {
        let reason = format!("{ports} ports cannot be divided by that ratio: {down} down and {up} up");
        return Err(TopologyError::new("oversubscription", reason, "a ratio nearer to 1:1, or a larger radix"));
    }
    let capacity = stated.map(|r| LeafPlan::capacity(&spec.size, spec.attachment, r.down, r.leaves()));
    if let (Some(0), Some(radix)) = (capacity, spec.radix) {
        let reason =
            format!("{} tiers of radix {radix} carry no host with {} NICs", spec.tiers, spec.size.nics(SERVER_GPUS));
        return Err(TopologyError::new("radix", reason, "a larger radix, or `gpus_per_host: 1`"));
    }
    let counts = spec.size.settle(SERVER_GPUS, capacity)?;
    within_limits(spec.size.key(), u128::from(counts.hosts) * u128::from(counts.nics), 0, 0)?;
    let fits = |radix: Radix| {
        let leaves = LeafPlan::filled(&counts, spec.attachment, radix.down)?;
        (radix.up > 0 && leaves.count() <= radix.leaves()).then_some((leaves, radix))
    };
    let found = match stated {
        Some(radix) => fits(radix),
        None => (1..=MAX_RADIX / 2).find_map(|half| fits(Radix::new(half * 2, spec, rates))),
    };
    let plan = found.ok_or_else(|| {
        let carried = stated.map_or(0, |r| LeafPlan::capacity(&spec.size, spec.attachment, r.down, r.leaves()));
        let radix = stated.map_or(MAX_RADIX, |r| r.ports);
        let reason = format!(
            "{} tiers of radix {radix} carry {carried} hosts of {} NICs, not {}",
            spec.tiers, counts.nics, counts.hosts
        );
        TopologyError::new("radix", reason, "a larger radix, a third tier, fewer hosts or fewer NICs in a host")
    })?;
    at_least_two(spec.size.key(), counts.hosts)?;
    Ok(plan)
}

/// The most parallel links, a divisor of `links`, with which a switch of so many ports serves `below` switches.
fn parallel(links: u64, below: u64, ports: u64) -> u64 {
    (1..=links).rev().find(|n| links.is_multiple_of(*n) && n * below <= ports).unwrap_or(1)
}

fn id(index: u64) -> NodeId {
    NodeId(index as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_links_fill_the_ports_of_the_highest_tier() {
        assert_eq!(parallel(32, 64, 64), 1);
        assert_eq!(parallel(32, 32, 64), 2);
        assert_eq!(parallel(32, 20, 64), 2);
        assert_eq!(parallel(32, 1, 64), 32);
    }
}

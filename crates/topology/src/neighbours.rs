use crate::error::TopologyError;
use crate::spec::{LinkDefaults, SpineLeaf};
use crate::spine_leaf::Plan;

/// A spine-leaf fabric that could be built.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Buildable {
    /// Links of a full leaf to hosts.
    pub down: u64,
    /// Links of a leaf to spines.
    pub up: u64,
    /// Host-facing over uplink bandwidth of a full leaf.
    pub ratio: f64,
    /// Leaves in all.
    pub leaves: u64,
    /// Spines in all.
    pub spines: u64,
    /// Cables in all.
    pub cables: u64,
    /// Whether every leaf has equally many links to each spine.
    pub even: bool,
    /// Whether this is what was asked for, as built.
    pub chosen: bool,
}

/// How many ratios are listed on either side of the one that is built.
const EACH_SIDE: usize = 4;

/// The ratios near the one that is built, with what they would take, from low to high: one leaf more or fewer uplinks,
/// and where the ports of a leaf are divided by the ratio, a host more or fewer on it.
pub fn neighbours(spec: &SpineLeaf, defaults: &LinkDefaults) -> Result<Vec<Buildable>, TopologyError> {
    let chosen = Plan::new(spec, defaults)?;
    let each = chosen.leaves.down() / chosen.leaves.full;
    let divided = spec.leaf.ports.filter(|_| spec.leaf.hosts.is_none() && spec.leaf.count.is_none());
    let mut found = vec![Buildable { chosen: true, ..Buildable::new(&chosen) }];
    for step in 1..=2 * EACH_SIDE as u64 {
        for up in [chosen.spines.uplinks.checked_sub(step), chosen.spines.uplinks.checked_add(step)] {
            found.extend(variant(spec, defaults, Some(chosen.leaves.full), up));
        }
        for full in [chosen.leaves.full.checked_sub(step), chosen.leaves.full.checked_add(step)] {
            let up = full.zip(divided).and_then(|(full, ports)| ports.checked_sub(full * each));
            found.extend(variant(spec, defaults, full, up));
        }
    }
    found.sort_by(|a, b| a.ratio.total_cmp(&b.ratio).then(b.chosen.cmp(&a.chosen)));
    found.dedup_by(|next, kept| next.ratio == kept.ratio);
    let place = found.iter().position(|b| b.chosen).expect("the chosen one sorts before its equals");
    found.truncate(place + EACH_SIDE + 1);
    Ok(found.split_off(place.saturating_sub(EACH_SIDE)))
}

/// The same fabric with other counts at the leaves, if it can be built.
fn variant(spec: &SpineLeaf, defaults: &LinkDefaults, hosts: Option<u64>, up: Option<u64>) -> Option<Buildable> {
    let mut other = spec.clone();
    other.oversubscription = None;
    other.leaf.count = None;
    other.leaf.hosts = Some(hosts.filter(|h| *h > 0)?);
    other.leaf.uplinks = Some(up.filter(|u| *u > 0)?);
    other.spine.count = None;
    Plan::new(&other, defaults).ok().map(|plan| Buildable::new(&plan))
}

impl Buildable {
    fn new(plan: &Plan) -> Buildable {
        let ratio = plan.oversubscription();
        Buildable {
            down: ratio.down,
            up: ratio.up,
            ratio: ratio.ratio(),
            leaves: plan.leaves.count(),
            spines: plan.spines.count,
            cables: plan.cables(),
            even: plan.spines.even(),
            chosen: false,
        }
    }
}

use crate::error::TopologyError;
use crate::leaf_plan::{LeafPlan, PORTS, link_ratio};
use crate::spec::SpineLeaf;
use crate::spine_leaf::Rates;

/// How leaves are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SpinePlan {
    /// Links from a leaf to all spines.
    pub(crate) uplinks: u64,
    pub(crate) count: u64,
}

impl SpinePlan {
    pub(crate) fn new(spec: &SpineLeaf, leaves: &LeafPlan, rates: Rates) -> Result<SpinePlan, TopologyError> {
        let uplinks = uplinks(spec, leaves, rates)?;
        if uplinks > u64::from(u16::MAX) {
            let reason = format!("a leaf would have {uplinks} uplinks");
            return Err(TopologyError::new("oversubscription", reason, "a node has at most 65,535 ports"));
        }
        check_leaf_ports(spec, leaves, uplinks)?;
        let count = spines(spec, leaves, uplinks)?;
        Ok(SpinePlan { uplinks, count })
    }

    /// Whether every leaf has equally many links to each spine.
    pub(crate) fn even(&self) -> bool {
        self.count == 0 || self.uplinks.is_multiple_of(self.count)
    }

    /// Parallel links between a leaf and a spine. What does not divide evenly goes round: where one leaf ends, the
    /// next begins, so spines differ by one link at most.
    pub(crate) fn links(&self, leaf: u64, spine: u64) -> u64 {
        let (each, extra) = (self.uplinks / self.count, self.uplinks % self.count);
        let first = leaf * extra % self.count;
        each + u64::from((spine + self.count - first) % self.count < extra)
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.even() {
            let each = self.uplinks / self.count;
            notes.push(format!(
                "{} uplinks do not divide evenly over {} spines: a leaf has {each} links to some spines and {} to others",
                self.uplinks,
                self.count,
                each + 1
            ));
        }
        notes
    }
}

/// Uplinks of a leaf.
fn uplinks(spec: &SpineLeaf, leaves: &LeafPlan, rates: Rates) -> Result<u64, TopologyError> {
    let ratio = link_ratio(spec.oversubscription, rates);
    let Some(asked) = spec.leaf.uplinks else {
        return match spec.oversubscription {
            Some(_) => by_ratio(spec, leaves, ratio),
            None => Ok(by_counts(spec, leaves, ratio)),
        };
    };
    if spec.oversubscription.is_some() {
        let by_ratio = by_ratio(spec, leaves, ratio)?;
        if by_ratio != asked {
            let reason =
                format!("{asked} uplinks contradict the ratio, which needs {by_ratio} for {} links", leaves.down());
            return Err(TopologyError::new("leaf.uplinks", reason, "leave out `leaf.uplinks` or `oversubscription`"));
        }
    }
    Ok(asked)
}

/// As many as the ratio asks. Where the ratio divides the ports of a leaf, both shares are rounded down; otherwise
/// the number whose ratio is nearest to what was asked.
fn by_ratio(spec: &SpineLeaf, leaves: &LeafPlan, (down, up): (u128, u128)) -> Result<u64, TopologyError> {
    let links = u128::from(leaves.down());
    if let (Some(ports), None, None) = (spec.leaf.ports, spec.leaf.hosts, spec.leaf.count) {
        let (ports, both) = (u128::from(ports), down + up);
        if links == ports * down / both && ports * up / both > 0 {
            return Ok((ports * up / both) as u64);
        }
    }
    if 2 * links * up < down {
        let reason = format!("a leaf with {links} links to hosts cannot be oversubscribed that much");
        let fix = format!("one uplink gives {:.2}:1; put more hosts on a leaf", one_uplink(links, spec, down, up));
        return Err(TopologyError::new("oversubscription", reason, fix));
    }
    Ok(u64::try_from(nearest(links, down, up)).unwrap_or(u64::MAX))
}

/// The number of uplinks whose ratio is nearest to down : up.
fn nearest(links: u128, down: u128, up: u128) -> u128 {
    let low = links * up / down;
    if low > u128::from(u16::MAX) {
        return low;
    }
    let off = |uplinks: u128| (links * up).abs_diff(uplinks * down);
    if low > 0 && off(low) * (low + 1) <= off(low + 1) * low { low } else { low + 1 }
}

/// The ratio of bandwidths that a single uplink gives.
fn one_uplink(links: u128, spec: &SpineLeaf, down: u128, up: u128) -> f64 {
    let asked = spec.oversubscription.map_or(1.0, |r| r.left() as f64 / r.right() as f64);
    links as f64 * asked * (up as f64 / down as f64)
}

/// As many as make 1:1, but no more than the stated ports of leaves and spines have room for.
fn by_counts(spec: &SpineLeaf, leaves: &LeafPlan, (down, up): (u128, u128)) -> u64 {
    let mut uplinks = u64::try_from(nearest(u128::from(leaves.down()), down, up)).unwrap_or(u64::MAX);
    if let Some(ports) = spec.leaf.ports {
        uplinks = uplinks.min(ports.saturating_sub(leaves.down()));
    }
    if let Some(count) = spec.spine.count {
        if let Some(ports) = spec.spine.ports {
            uplinks = uplinks.min((ports / leaves.count()).saturating_mul(count));
        }
        if uplinks > count {
            uplinks -= uplinks % count;
        }
    }
    uplinks.max(1)
}

fn check_leaf_ports(spec: &SpineLeaf, leaves: &LeafPlan, uplinks: u64) -> Result<(), TopologyError> {
    let (Some(ports), down) = (spec.leaf.ports, leaves.down()) else { return Ok(()) };
    if down.saturating_add(uplinks) <= ports {
        return Ok(());
    }
    let reason = format!("{down} links to hosts and {uplinks} uplinks do not fit {ports} ports");
    let fix = match ports.checked_sub(down) {
        Some(room) if room > 0 => format!("{room} uplinks fit, or fewer hosts on a leaf, or a leaf with more ports"),
        _ => "fewer hosts on a leaf, or a leaf with more ports".to_owned(),
    };
    Err(TopologyError::new("leaf.ports", reason, fix))
}

/// How many spines.
fn spines(spec: &SpineLeaf, leaves: &LeafPlan, uplinks: u64) -> Result<u64, TopologyError> {
    let joined = leaves.count();
    let ports = spec.spine.ports.unwrap_or_else(|| PORTS.max(joined.checked_next_power_of_two().unwrap_or(joined)));
    if joined > ports {
        let reason = format!("{joined} leaves, each with a link to every spine, need spines with {joined} ports");
        let fix = "larger spines, larger leaves, or a third tier (`kind: fat-tree`, `tiers: 3`)";
        return Err(TopologyError::new("spine.ports", reason, fix));
    }
    let needed = joined.saturating_mul(uplinks).div_ceil(ports);
    if let Some(count) = spec.spine.count {
        return stated_spines(spec, count, needed, joined, uplinks);
    }
    if spec.spine.ports.is_none() {
        let least = needed.max(uplinks.min(4));
        return Ok((least..=uplinks).find(|count| uplinks.is_multiple_of(*count)).unwrap_or(uplinks));
    }
    // Evenly if that takes no more than twice the spines; otherwise the imbalance is stated.
    let even = (needed..=needed.saturating_mul(2)).find(|count| uplinks.is_multiple_of(*count));
    Ok(even.unwrap_or(needed))
}

fn stated_spines(spec: &SpineLeaf, count: u64, needed: u64, joined: u64, uplinks: u64) -> Result<u64, TopologyError> {
    if count > uplinks {
        let reason = format!("a leaf with {uplinks} uplinks does not reach {count} spines");
        return Err(TopologyError::new("spine.count", reason, format!("at most {uplinks} spines, or more uplinks")));
    }
    match spec.spine.ports {
        Some(ports) if count < needed => {
            let reason = format!("{joined} leaves with {uplinks} uplinks each need {needed} spines of {ports} ports");
            Err(TopologyError::new("spine.count", reason, format!("{needed} spines, or a higher ratio")))
        }
        _ => Ok(count),
    }
}

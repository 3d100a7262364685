use units::NodeId;
use units::text::Ratio;

use crate::cabling::{Cabling, Wire};
use crate::error::TopologyError;
use crate::graph::NodeKind;
use crate::size::{Counts, SERVER_GPUS};
use crate::spec::{Attachment, Size, SpineLeaf};
use crate::spine_leaf::Rates;

/// How hosts are spread over leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LeafPlan {
    pub(crate) hosts: u64,
    pub(crate) gpus: u16,
    pub(crate) nics_per_host: u64,
    /// Rails, each with leaves of its own; 1 when packed.
    pub(crate) rails: u64,
    /// Leaves of a rail.
    pub(crate) per_rail: u64,
    /// Hosts on a full leaf.
    pub(crate) full: u64,
    /// Leaves of a rail, from the first, that are full when hosts are spread evenly; the others have one less.
    /// `None`: all are full, but the last takes what is left.
    spread: Option<u64>,
}

/// Ports of a leaf when nothing is said.
pub(crate) const PORTS: u64 = 64;

impl LeafPlan {
    pub(crate) fn new(spec: &SpineLeaf, counts: &Counts, rates: Rates) -> Result<LeafPlan, TopologyError> {
        let mut plan = LeafPlan::empty(counts, spec.attachment);
        no_zeros(spec)?;
        match (spec.leaf.hosts, spec.leaf.count, spec.leaf.ports) {
            (full, Some(count), _) => plan.by_count(count, full)?,
            (Some(full), None, _) => plan.fill(full),
            (None, None, Some(ports)) => plan.by_ports(ports, spec, rates)?,
            (None, None, None) => plan.by_default(spec, rates),
        }
        Ok(plan)
    }

    /// Leaves of so many links to hosts, filled one after the other; `None` when one host does not fit.
    pub(crate) fn filled(counts: &Counts, attachment: Attachment, down: u64) -> Option<LeafPlan> {
        let mut plan = LeafPlan::empty(counts, attachment);
        let full = down / plan.nics_of_a_host();
        (full > 0).then(|| {
            plan.fill(full);
            plan
        })
    }

    /// Hosts that so many leaves with so many links to hosts carry.
    pub(crate) fn capacity(size: &Size, attachment: Attachment, down: u64, leaves: u64) -> u64 {
        let nics = size.nics(SERVER_GPUS);
        match attachment {
            Attachment::Rail => leaves / nics * down,
            Attachment::Packed => leaves * (down / nics),
        }
    }

    fn empty(counts: &Counts, attachment: Attachment) -> LeafPlan {
        LeafPlan {
            hosts: counts.hosts,
            gpus: counts.gpus,
            nics_per_host: counts.nics,
            rails: if attachment == Attachment::Rail { counts.nics } else { 1 },
            per_rail: 0,
            full: 0,
            spread: None,
        }
    }

    /// Adds hosts and leaves.
    pub(crate) fn add_nodes(&self, cabling: &mut Cabling) {
        for host in 0..self.hosts {
            cabling.node(format!("h{host}"), NodeKind::Host { gpus: self.gpus });
        }
        for leaf in 0..self.count() {
            cabling.node(format!("leaf{leaf}"), NodeKind::Switch { tier: 0 });
        }
    }

    /// Cables hosts to leaves.
    pub(crate) fn cable_hosts(&self, cabling: &mut Cabling, wire: Wire) {
        for host in 0..self.hosts {
            for nic in 0..self.nics_per_host {
                let leaf = self.hosts + self.leaf_of(host, nic);
                cabling.cable(NodeId(host as u32), NodeId(leaf as u32), wire);
            }
        }
    }

    /// A stated number of leaves, hosts spread evenly.
    fn by_count(&mut self, count: u64, full: Option<u64>) -> Result<(), TopologyError> {
        let field = "leaf.count";
        if !count.is_multiple_of(self.rails) {
            let reason = format!("{count} leaves do not divide into {} rails", self.rails);
            return Err(TopologyError::new(field, reason, "a multiple of the rails, or `attachment: packed`"));
        }
        let per_rail = count / self.rails;
        if per_rail > self.hosts {
            let reason = format!("{per_rail} leaves a rail are more than the {} hosts", self.hosts);
            return Err(TopologyError::new(field, reason, "each leaf needs a host"));
        }
        if let Some(full) = full {
            if self.hosts.div_ceil(full) != per_rail {
                let needed = self.hosts.div_ceil(full).saturating_mul(self.rails);
                let reason = format!("{} hosts, {full} on a leaf, need {needed} leaves, not {count}", self.hosts);
                return Err(TopologyError::new(field, reason, "leave out `leaf.count` or `leaf.hosts`"));
            }
            self.fill(full);
            return Ok(());
        }
        self.spread_over(per_rail);
        Ok(())
    }

    /// A stated number of ports, divided between hosts and uplinks by the ratio.
    fn by_ports(&mut self, ports: u64, spec: &SpineLeaf, rates: Rates) -> Result<(), TopologyError> {
        let full = self.hosts_by_ports(ports, spec, rates);
        if full == 0 {
            let each = self.nics_of_a_host();
            let reason = format!("{ports} ports leave none of {each} for a host beside the uplinks");
            return Err(TopologyError::new("leaf.ports", reason, "a leaf with more ports"));
        }
        self.fill(full);
        Ok(())
    }

    /// At least two leaves a rail, or four in all, and no leaf with more than 64 ports.
    fn by_default(&mut self, spec: &SpineLeaf, rates: Rates) {
        let least = if spec.attachment == Attachment::Rail { 2 } else { 4 };
        let most = self.hosts_by_ports(PORTS, spec, rates).max(1);
        self.spread_over(self.hosts.div_ceil(most).max(least.min(self.hosts)));
    }

    /// Hosts on a leaf whose ports are divided by the ratio.
    fn hosts_by_ports(&self, ports: u64, spec: &SpineLeaf, rates: Rates) -> u64 {
        let down = match spec.leaf.uplinks {
            Some(uplinks) => ports.saturating_sub(uplinks),
            None => {
                let (down, up) = link_ratio(spec.oversubscription, rates);
                (u128::from(ports) * down / (down + up)) as u64
            }
        };
        down / self.nics_of_a_host()
    }

    /// Leaves are filled one after the other.
    fn fill(&mut self, full: u64) {
        self.full = full.min(self.hosts);
        self.per_rail = self.hosts.div_ceil(self.full);
        self.spread = None;
    }

    /// Leaves get the same number of hosts, or one less.
    fn spread_over(&mut self, per_rail: u64) {
        self.per_rail = per_rail;
        self.full = self.hosts.div_ceil(per_rail);
        self.spread = Some(self.hosts - (self.full - 1) * per_rail);
    }

    /// Leaves in all.
    pub(crate) fn count(&self) -> u64 {
        self.rails.saturating_mul(self.per_rail)
    }

    /// NICs in all.
    pub(crate) fn nics(&self) -> u64 {
        self.hosts * self.nics_per_host
    }

    /// Links from a full leaf to hosts.
    pub(crate) fn down(&self) -> u64 {
        self.full * self.nics_of_a_host()
    }

    /// NICs of one host on one leaf.
    fn nics_of_a_host(&self) -> u64 {
        self.nics_per_host / self.rails
    }

    /// The leaf of a NIC.
    pub(crate) fn leaf_of(&self, host: u64, nic: u64) -> u64 {
        let rail = if self.rails == 1 { 0 } else { nic };
        let within = match self.spread {
            Some(full) if host >= full * self.full => full + (host - full * self.full) / (self.full - 1),
            _ => host / self.full,
        };
        rail * self.per_rail + within
    }

    /// Hosts on the last leaf of a rail.
    pub(crate) fn last(&self) -> u64 {
        match self.spread {
            Some(full) if full < self.per_rail => self.full - 1,
            Some(_) => self.full,
            None => self.hosts - (self.per_rail - 1) * self.full,
        }
    }

    /// Where the hosts leave some leaves less than full, or a ratio that was `asked` for changes nothing.
    pub(crate) fn notes(&self, asked: bool) -> Vec<String> {
        let rail = self.rails > 1;
        let of = if rail { " of each rail" } else { "" };
        let mut notes = Vec::new();
        if self.per_rail == 1 && asked {
            let what = if rail { "each rail has" } else { "there is" };
            notes.push(format!("{what} a single leaf, so traffic within it uses no uplink"));
        } else if self.per_rail > 1 && self.last() != self.full {
            let notice = match self.spread {
                Some(full) => {
                    format!("the first {full} leaves{of} have {} hosts, the others {}", self.full, self.last())
                }
                None => format!("the last leaf{of} has {} of {} hosts", self.last(), self.full),
            };
            notes.push(notice);
        }
        notes
    }
}

/// Down links to up links that make a ratio of bandwidths, as a fraction of whole numbers.
pub(crate) fn link_ratio(asked: Option<Ratio>, rates: Rates) -> (u128, u128) {
    let (left, right) = asked.map_or((1, 1), |r| (r.left(), r.right()));
    let (down, up) =
        (u128::from(left) * u128::from(rates.uplink.bps()), u128::from(right) * u128::from(rates.host.bps()));
    // Small enough to be multiplied by counts of ports; bits beyond the 62nd decide nothing.
    let excess = (128 - (down | up).leading_zeros()).saturating_sub(62);
    ((down >> excess).max(1), (up >> excess).max(1))
}

fn no_zeros(spec: &SpineLeaf) -> Result<(), TopologyError> {
    let counts = [
        ("leaf.ports", spec.leaf.ports),
        ("leaf.hosts", spec.leaf.hosts),
        ("leaf.count", spec.leaf.count),
        ("leaf.uplinks", spec.leaf.uplinks),
        ("spine.ports", spec.spine.ports),
        ("spine.count", spec.spine.count),
    ];
    match counts.iter().find(|(_, count)| *count == Some(0)) {
        Some((field, _)) => Err(TopologyError::new(*field, "zero is not a fabric", "at least 1")),
        None => Ok(()),
    }
}

use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use units::NodeId;

use crate::graph::Topology;
use crate::shape::Shape;

/// The most that one half of the hosts can send to the other at once.
///
/// The halves are the hosts of lower and of higher numbers (with an odd number the middle one is in the second half);
/// in a torus or ring they are cut across the longest dimension. Paths may be divided among links at will, NICs count,
/// and hosts do not forward. This is a maximum flow between two stated halves, not the minimum over all halvings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bisection {
    /// In one direction, in bit/s.
    pub bps: u64,
    /// Of how many bits a second the NICs of the smaller half are capable.
    pub injection_bps: u64,
    /// Whether a closed form gave it, or a maximum flow.
    pub closed_form: bool,
}

impl Bisection {
    /// Of a topology.
    pub fn new(topology: &Topology) -> Bisection {
        let halves = Halves::new(topology);
        let closed = match topology.shape() {
            Shape::Clos { leaves_per_pod, even: true, .. } => Some(halves.clos(*leaves_per_pod as usize)),
            Shape::Torus { dims, .. } => halves.torus(dims),
            Shape::Clos { .. } | Shape::Custom => None,
        };
        let bps = closed.unwrap_or_else(|| halves.max_flow());
        let injection =
            |half: bool| halves.sides.iter().map(|s| if half { s.0 } else { s.1 }).fold(0, u64::saturating_add);
        Bisection {
            bps,
            injection_bps: injection(true).min(injection(false)).saturating_add(halves.direct),
            closed_form: closed.is_some(),
        }
    }
}

/// Two halves of the hosts, seen from the switches.
struct Halves<'a> {
    topology: &'a Topology,
    /// For each switch, what the first and the second half have in NICs there, in bit/s.
    sides: Vec<(u64, u64)>,
    /// Cables from one half straight to the other, in bit/s.
    direct: u64,
}

impl<'a> Halves<'a> {
    fn new(topology: &'a Topology) -> Halves<'a> {
        let first = first_half(topology);
        let mut halves = Halves { topology, sides: vec![(0, 0); topology.switches() as usize], direct: 0 };
        for nic in &topology.nics {
            let (port, to) = (&topology.ports[nic.index()], topology.neighbour(*nic));
            let own = first[port.node.index()];
            if !topology.is_switch(to) {
                if own && !first[to.index()] {
                    halves.direct += port.rate.bps();
                }
                continue;
            }
            let side = &mut halves.sides[(to.0 - topology.hosts()) as usize];
            let bps = if own { &mut side.0 } else { &mut side.1 };
            *bps += port.rate.bps();
        }
        halves
    }

    /// In tiers that are evenly joined the tier above acts as one switch: what a switch can exchange below itself it
    /// does, the rest goes up as far as the links up allow.
    fn clos(&self, leaves_per_pod: usize) -> u64 {
        let leaves: Vec<NodeId> = self.topology.switch_ids().filter(|s| self.topology.tier(*s) == Some(0)).collect();
        let mut total = self.direct;
        let mut tops = (0u64, 0u64);
        for pod in leaves.chunks(if leaves_per_pod == 0 { 1 } else { leaves_per_pod }) {
            let mut sums = (0u64, 0u64);
            for leaf in pod {
                let (here, up) = exchange(self.sides[self.row(*leaf)], self.up_bps(*leaf));
                total += here;
                sums = (sums.0 + up.0, sums.1 + up.1);
            }
            let (here, up) = exchange(sums, self.pod_up_bps(pod[0]));
            total += here;
            tops = (tops.0 + up.0, tops.1 + up.1);
        }
        total + tops.0.min(tops.1)
    }

    /// Of a torus whose longest dimension is even: two planes of links are cut, one where that dimension is 2.
    fn torus(&self, dims: &[u32]) -> Option<u64> {
        let longest = u64::from(*dims.iter().max()?);
        let uplink = self.topology.ports.last()?.rate.bps();
        if longest % 2 == 1 {
            return None;
        }
        let planes = if longest == 2 { 1 } else { 2 };
        let switches = u64::from(self.topology.switches());
        let cut = (switches / longest * planes).saturating_mul(uplink);
        let sums = self.sides.iter().fold((0u64, 0u64), |sum, side| (sum.0 + side.0, sum.1 + side.1));
        Some(cut.min(sums.0).min(sums.1))
    }

    /// By Dinic's algorithm, switches as nodes, parallel links as one.
    fn max_flow(&self) -> u64 {
        let switches = self.sides.len();
        let mut network = DiGraph::<(), u64>::new();
        for _ in 0..switches + 2 {
            network.add_node(());
        }
        let (source, sink) = (NodeIndex::new(switches), NodeIndex::new(switches + 1));
        for (index, (first, second)) in self.sides.iter().enumerate() {
            let at = NodeIndex::new(index);
            network.add_edge(source, at, *first);
            network.add_edge(at, sink, *second);
        }
        for switch in self.topology.switch_ids() {
            for (to, bps) in self.neighbours(switch) {
                network.add_edge(NodeIndex::new(self.row(switch)), NodeIndex::new(self.row(to)), bps);
            }
        }
        dinics(&network, source, sink).0 + self.direct
    }

    /// The switches that a switch is linked to, each once, and the bandwidth there.
    fn neighbours(&self, switch: NodeId) -> Vec<(NodeId, u64)> {
        let topology = self.topology;
        let links = topology.ports_of(switch).map(|p| (topology.neighbour(p), topology.ports[p.index()].rate.bps()));
        let mut links: Vec<_> = links.filter(|(to, _)| topology.is_switch(*to)).collect();
        links.sort_unstable();
        links.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        links
    }

    fn up_bps(&self, switch: NodeId) -> u64 {
        let own = self.topology.tier(switch);
        let up = self.topology.ports_of(switch).filter(|p| self.topology.tier(self.topology.neighbour(*p)) > own);
        up.map(|p| self.topology.ports[p.index()].rate.bps()).sum()
    }

    /// From the middle switches of a leaf's pod to the cores.
    fn pod_up_bps(&self, leaf: NodeId) -> u64 {
        let mut spines: Vec<NodeId> = self.topology.ports_of(leaf).map(|p| self.topology.neighbour(p)).collect();
        spines.retain(|s| self.topology.is_switch(*s));
        spines.sort_unstable();
        spines.dedup();
        spines.iter().map(|s| self.up_bps(*s)).sum()
    }

    fn row(&self, switch: NodeId) -> usize {
        (switch.0 - self.topology.hosts()) as usize
    }
}

/// What is exchanged below a switch whose links up carry `up`, and what the halves send further up.
fn exchange((first, second): (u64, u64), up: u64) -> (u64, (u64, u64)) {
    let here = first.min(second);
    (here, ((first - here).min(up), (second - here).min(up)))
}

/// For each host whether it is in the first half.
fn first_half(topology: &Topology) -> Vec<bool> {
    let hosts = topology.hosts();
    let mut order: Vec<u32> = (0..hosts).collect();
    if let Shape::Torus { dims, hosts: per_switch } = topology.shape() {
        let longest = dims.iter().copied().max().unwrap_or(1);
        let axis = dims.iter().rposition(|d| *d == longest).unwrap_or(0);
        let step: u32 = dims[..axis].iter().product();
        order.sort_by_key(|host| (host / per_switch / step % longest, *host));
    }
    let mut first = vec![false; hosts as usize];
    for host in &order[..hosts as usize / 2] {
        first[*host as usize] = true;
    }
    first
}

#[cfg(test)]
mod tests {
    use units::{Rate, Time};

    use super::*;
    use crate::{Attachment, FatTree, Leaf, LinkDefaults, RailOnly, Ratio, Ring, Size, Spec, Spine, SpineLeaf, Torus};

    const DEFAULTS: LinkDefaults = LinkDefaults { rate: Rate::from_gbps(100), delay: Time::from_ns(25), loss: 0 };

    fn both(spec: &Spec) -> (Option<u64>, u64) {
        let topology = crate::build(spec, &DEFAULTS).unwrap().topology;
        let bisection = Bisection::new(&topology);
        (bisection.closed_form.then_some(bisection.bps), Halves::new(&topology).max_flow())
    }

    fn size(hosts: u64, gpus: u64) -> Size {
        Size { hosts: Some(hosts), gpus_per_host: Some(gpus), ..Size::default() }
    }

    #[test]
    fn closed_forms_agree_with_maximum_flow() {
        let mut specs = Vec::new();
        for attachment in [Attachment::Rail, Attachment::Packed] {
            for (hosts, ratio) in [(8, 1), (8, 2), (10, 4), (13, 1), (13, 3)] {
                let (oversubscription, size) = (Ratio::new(ratio, 1), size(hosts, 4));
                let (leaf, spine) = (Leaf { hosts: Some(3), ..Leaf::default() }, Spine::default());
                let cables = crate::Cables::default();
                specs.push(Spec::SpineLeaf(SpineLeaf { size, attachment, leaf, spine, oversubscription, cables }));
            }
            for (hosts, tiers) in [(6, 2), (16, 3), (11, 3), (13, 3)] {
                let (radix, size) = (Some(8), size(hosts, 2));
                specs.push(Spec::FatTree(FatTree { size, attachment, tiers, radix, ..FatTree::default() }));
            }
        }
        specs.push(Spec::RailOnly(RailOnly { size: size(7, 4), ..RailOnly::default() }));
        let cables = crate::Cables::default();
        for dims in [vec![4, 3], vec![2, 2], vec![4, 4, 2], vec![3, 6], vec![6, 6], vec![8]] {
            let torus =
                |hosts_per_switch| Torus { dims: dims.clone(), hosts_per_switch, size: Size::default(), cables };
            specs.extend([1, 4].map(|hosts| Spec::Torus(torus(hosts))));
        }
        for spec in &specs {
            let (closed, flow) = both(spec);
            assert_eq!(closed, Some(flow), "{spec:?}");
        }
    }

    #[test]
    fn known_bisections() {
        let quickstart = SpineLeaf {
            size: Size { gpus: Some(64), ..Size::default() },
            attachment: Attachment::Packed,
            oversubscription: Ratio::new(2, 1),
            ..SpineLeaf::default()
        };
        // 32 NICs in a half, two leaves with eight uplinks each.
        assert_eq!(both(&Spec::SpineLeaf(quickstart)).0, Some(16 * DEFAULTS.rate.bps()));
        let full = FatTree {
            size: Size { gpus_per_host: Some(1), ..Size::default() },
            tiers: 3,
            radix: Some(4),
            ..FatTree::default()
        };
        assert_eq!(both(&Spec::FatTree(full)).0, Some(8 * DEFAULTS.rate.bps()));
        let ring = Ring { switches: 5, hosts_per_switch: 4, size: Size::default(), cables: crate::Cables::default() };
        assert_eq!(both(&Spec::Ring(ring)), (None, 4 * DEFAULTS.rate.bps()));
    }
}

use units::{NodeId, PortId, Rate};

use crate::bisection::Bisection;
use crate::graph::Topology;

/// What there is to say of a topology: counts, tiers, bisection.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// Servers.
    pub hosts: u64,
    /// In all servers.
    pub gpus: u64,
    /// Network ports of all servers.
    pub nics: u64,
    /// Of all tiers.
    pub switches: u64,
    /// Each counted once.
    pub cables: u64,
    /// Ends of cables, each of which takes a transceiver or a plug.
    pub cable_ends: u64,
    /// From the leaves upward.
    pub tiers: Vec<Tier>,
    /// Host-facing over uplink bandwidth of the most oversubscribed leaf; `None` without uplinks.
    pub oversubscription: Option<f64>,
    /// Between two halves of the hosts.
    pub bisection: Bisection,
}

/// The switches of one tier.
#[derive(Clone, PartialEq, Debug)]
pub struct Tier {
    /// 0: leaves.
    pub tier: u8,
    /// How many.
    pub switches: u64,
    /// The fewest and the most cabled ports of one of them.
    pub ports: (u64, u64),
    /// Towards hosts: to hosts, or to switches of a lower tier.
    pub down: Links,
    /// To switches of a higher tier.
    pub up: Links,
    /// To switches of the same tier.
    pub across: Links,
    /// Bandwidth down over bandwidth up of the most oversubscribed switch; `None` without links up.
    pub worst: Option<f64>,
    /// Bandwidth down over bandwidth up of the tier as a whole; `None` without links up.
    pub mean: Option<f64>,
}

/// Links of one kind, seen from a tier.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Links {
    /// How many.
    pub count: u64,
    /// Their bandwidth in one direction, in bit/s.
    pub bps: u64,
    /// The different rates among them, ascending.
    pub rates: Vec<Rate>,
}

impl Links {
    fn add(&mut self, rate: Rate) {
        self.count += 1;
        self.bps = self.bps.saturating_add(rate.bps());
        if let Err(place) = self.rates.binary_search(&rate) {
            self.rates.insert(place, rate);
        }
    }
}

impl Analysis {
    /// Analyses a topology.
    pub fn new(topology: &Topology) -> Analysis {
        let tiers = tiers(topology);
        Analysis {
            hosts: u64::from(topology.hosts()),
            gpus: u64::from(topology.gpus()),
            nics: topology.nics.len() as u64,
            switches: u64::from(topology.switches()),
            cables: u64::from(topology.cables()),
            cable_ends: topology.ports.len() as u64,
            oversubscription: tiers.first().and_then(|t| t.worst),
            tiers,
            bisection: Bisection::new(topology),
        }
    }
}

fn tiers(topology: &Topology) -> Vec<Tier> {
    let mut tiers: Vec<Tier> = Vec::new();
    for switch in topology.switch_ids() {
        let number = topology.tier(switch).expect("a switch has a tier");
        let place = match tiers.binary_search_by_key(&number, |t| t.tier) {
            Ok(place) => place,
            Err(place) => {
                tiers.insert(place, Tier::empty(number));
                place
            }
        };
        tiers[place].add(topology, switch);
    }
    for tier in &mut tiers {
        tier.mean = ratio(tier.down.bps, tier.up.bps);
    }
    tiers
}

impl Tier {
    fn empty(tier: u8) -> Tier {
        Tier {
            tier,
            switches: 0,
            ports: (u64::MAX, 0),
            down: Links::default(),
            up: Links::default(),
            across: Links::default(),
            worst: None,
            mean: None,
        }
    }

    fn add(&mut self, topology: &Topology, switch: NodeId) {
        let ports = u64::from(topology.nodes[switch.index()].ports);
        self.switches += 1;
        self.ports = (self.ports.0.min(ports), self.ports.1.max(ports));
        let (mut down, mut up) = (0u64, 0u64);
        for port in topology.ports_of(switch) {
            let rate = topology.ports[port.index()].rate;
            match self.direction(topology, port) {
                Direction::Down => {
                    self.down.add(rate);
                    down = down.saturating_add(rate.bps());
                }
                Direction::Up => {
                    self.up.add(rate);
                    up = up.saturating_add(rate.bps());
                }
                Direction::Across => self.across.add(rate),
            }
        }
        if let Some(own) = ratio(down, up) {
            self.worst = Some(self.worst.map_or(own, |worst| worst.max(own)));
        }
    }

    fn direction(&self, topology: &Topology, port: PortId) -> Direction {
        match topology.tier(topology.neighbour(port)) {
            Some(tier) if tier > self.tier => Direction::Up,
            Some(tier) if tier == self.tier => Direction::Across,
            _ => Direction::Down,
        }
    }
}

enum Direction {
    Down,
    Up,
    Across,
}

fn ratio(down: u64, up: u64) -> Option<f64> {
    (up > 0).then(|| down as f64 / up as f64)
}

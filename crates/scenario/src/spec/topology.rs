use units::text::{Fraction, Length, Ratio};
use units::{Rate, Time};

use super::word::words;
use crate::item::Item;

/// What is cabled.
#[derive(Clone, Debug, PartialEq)]
pub enum Topology {
    /// Two tiers of switches.
    SpineLeaf(SpineLeaf),
    /// A folded Clos of switches with one radix.
    FatTree(FatTree),
    /// Leaves without spines: one group of switches a rail.
    RailOnly(RailOnly),
    /// A torus of switches.
    Torus {
        /// Sizes and cables.
        hosts: Generated,
        /// Switches along each dimension.
        dims: Vec<u32>,
        /// Hosts on each switch.
        hosts_per_switch: u32,
    },
    /// A ring of switches.
    Ring {
        /// Sizes and cables.
        hosts: Generated,
        /// Switches in the ring.
        switches: u32,
        /// Hosts on each switch.
        hosts_per_switch: u32,
    },
    /// Nodes and cables by name.
    Custom {
        /// Names of the switches.
        switches: Vec<String>,
        /// Hosts.
        hosts: Vec<CustomHost>,
        /// Cables.
        links: Vec<CustomLink>,
    },
}

/// Sizes that generators share. What is `None` follows from the rest; see [`Generated::size`].
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// GPUs in all, as given.
    pub gpus: Option<u32>,
    /// Hosts in all, as given.
    pub hosts: Option<u32>,
    /// GPUs of a host, as given.
    pub gpus_per_host: Option<u32>,
    /// Network ports of a host, as given.
    pub nics_per_host: Option<u32>,
    /// Lengths of cables.
    pub cables: Cables,
}

/// Hosts and what each has, worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Hosts in all.
    pub hosts: u32,
    /// GPUs of each.
    pub gpus_per_host: u32,
    /// Network ports of each.
    pub nics_per_host: u32,
}

impl Generated {
    /// The size, with `default_gpus` a host where neither topology nor host says. `None` when `gpus` does not divide
    /// or nothing gives the number of hosts; `implied` is what the shape itself gives.
    pub fn size(&self, host_gpus: Option<u32>, default_gpus: u32, implied: Option<u32>) -> Option<Size> {
        let gpus_per_host = self.gpus_per_host.or(host_gpus).unwrap_or(default_gpus);
        let by_gpus = match self.gpus {
            Some(gpus) if gpus.is_multiple_of(gpus_per_host) => Some(gpus / gpus_per_host),
            Some(_) => return None,
            None => None,
        };
        let hosts = self.hosts.or(by_gpus).or(implied)?;
        Some(Size { hosts, gpus_per_host, nics_per_host: self.nics_per_host.unwrap_or(gpus_per_host) })
    }
}

/// Lengths of cables; `None` leaves them to the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cables {
    /// From hosts to switches.
    pub host: Option<Length>,
    /// Between switches.
    pub uplink: Option<Length>,
}

words! {
    /// Where the NICs of a host go.
    Attachment {
        /// NIC k to a leaf of rail k.
        Rail = "rail",
        /// All to one leaf.
        Packed = "packed",
    }
}

/// Two tiers: leaves with hosts, spines above.
#[derive(Clone, Debug, PartialEq)]
pub struct SpineLeaf {
    /// Sizes and cables.
    pub hosts: Generated,
    /// Where NICs go.
    pub attachment: Attachment,
    /// The leaves.
    pub leaf: Leaf,
    /// The spines.
    pub spine: Spine,
    /// Host-facing over uplink bandwidth of a leaf.
    pub oversubscription: Option<Ratio>,
}

/// Leaf switches; `None` follows from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Ports of each.
    pub ports: Option<u32>,
    /// Rate towards hosts.
    pub rate: Option<Rate>,
    /// Hosts on each.
    pub hosts: Option<u32>,
    /// Links up from each.
    pub uplinks: Option<u32>,
}

/// Spine switches; `None` follows from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spine {
    /// Ports of each.
    pub ports: Option<u32>,
    /// How many.
    pub count: Option<u32>,
    /// Rate towards leaves.
    pub rate: Option<Rate>,
}

/// A folded Clos of equal switches.
#[derive(Clone, Debug, PartialEq)]
pub struct FatTree {
    /// Sizes and cables.
    pub hosts: Generated,
    /// Where NICs go.
    pub attachment: Attachment,
    /// Two or three.
    pub tiers: u32,
    /// Ports of every switch.
    pub radix: Option<u32>,
    /// Of the lowest tier.
    pub oversubscription: Option<Ratio>,
}

/// Leaves only.
#[derive(Clone, Debug, PartialEq)]
pub struct RailOnly {
    /// Sizes and cables.
    pub hosts: Generated,
    /// The leaves.
    pub leaf: Leaf,
}

/// A host of a custom graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomHost {
    /// Its name.
    pub name: String,
    /// Network ports; `None`: the links that reach it.
    pub nics: Option<u32>,
    /// GPUs.
    pub gpus: u32,
}

/// Propagation of a cable, as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Directly.
    Delay(Time),
    /// By length.
    Length(Length),
}

impl Distance {
    /// The propagation delay.
    pub fn delay(self) -> Time {
        match self {
            Distance::Delay(delay) => delay,
            Distance::Length(length) => length.delay(),
        }
    }

    pub(super) fn of(item: &Item) -> Option<Distance> {
        item.opt_time("delay").map(Distance::Delay).or_else(|| item.opt_length("length").map(Distance::Length))
    }
}

/// A cable of a custom graph; `None` leaves it to the fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomLink {
    /// One end.
    pub a: String,
    /// The other end.
    pub b: String,
    /// Rate each way.
    pub rate: Option<Rate>,
    /// Propagation.
    pub distance: Option<Distance>,
    /// Probability of loss.
    pub loss: Option<Fraction>,
    /// Parallel cables.
    pub count: u32,
}

impl Topology {
    /// As written in a scenario.
    pub const fn kind(&self) -> &'static str {
        match self {
            Topology::SpineLeaf(_) => "spine-leaf",
            Topology::FatTree(_) => "fat-tree",
            Topology::RailOnly(_) => "rail-only",
            Topology::Torus { .. } => "torus",
            Topology::Ring { .. } => "ring",
            Topology::Custom { .. } => "custom",
        }
    }

    /// The sizes of generated kinds.
    pub fn generated(&self) -> Option<&Generated> {
        match self {
            Topology::SpineLeaf(SpineLeaf { hosts, .. })
            | Topology::FatTree(FatTree { hosts, .. })
            | Topology::RailOnly(RailOnly { hosts, .. })
            | Topology::Torus { hosts, .. }
            | Topology::Ring { hosts, .. } => Some(hosts),
            Topology::Custom { .. } => None,
        }
    }

    /// GPUs of a host when neither topology nor host says.
    pub const fn default_gpus(&self) -> u32 {
        match self {
            Topology::Torus { .. } | Topology::Ring { .. } => 1,
            _ => 8,
        }
    }

    /// Hosts that the shape itself gives.
    pub fn implied_hosts(&self) -> Option<u32> {
        match self {
            Topology::Torus { dims, hosts_per_switch, .. } => {
                dims.iter().try_fold(*hosts_per_switch, |product, &dim| product.checked_mul(dim))
            }
            Topology::Ring { switches, hosts_per_switch, .. } => switches.checked_mul(*hosts_per_switch),
            _ => None,
        }
    }

    pub(super) fn of(item: &Item) -> Topology {
        match item.string_or_word("kind") {
            "spine-leaf" => Topology::SpineLeaf(SpineLeaf {
                hosts: Generated::of(item),
                attachment: item.word("attachment"),
                leaf: Leaf::of(item.group("leaf")),
                spine: Spine::of(item.group("spine")),
                oversubscription: item.opt_ratio("oversubscription"),
            }),
            "fat-tree" => Topology::FatTree(FatTree {
                hosts: Generated::of(item),
                attachment: item.word("attachment"),
                tiers: item.small("tiers"),
                radix: item.opt_small("radix"),
                oversubscription: item.opt_ratio("oversubscription"),
            }),
            "rail-only" => {
                Topology::RailOnly(RailOnly { hosts: Generated::of(item), leaf: Leaf::of(item.group("leaf")) })
            }
            "torus" => Topology::Torus {
                hosts: Generated::of(item),
                dims: item.list("dims").iter().filter_map(Item::as_small).collect(),
                hosts_per_switch: item.small("hosts_per_switch"),
            },
            "ring" => Topology::Ring {
                hosts: Generated::of(item),
                switches: item.small("switches"),
                hosts_per_switch: item.small("hosts_per_switch"),
            },
            _ => Topology::Custom {
                switches: item.strings("switches"),
                hosts: item.list("hosts").iter().map(CustomHost::of).collect(),
                links: item.list("links").iter().map(CustomLink::of).collect(),
            },
        }
    }
}

impl Generated {
    fn of(item: &Item) -> Generated {
        let cables = item.group("cables");
        Generated {
            gpus: item.opt_small("gpus"),
            hosts: item.opt_small("hosts"),
            gpus_per_host: item.opt_small("gpus_per_host"),
            nics_per_host: item.opt_small("nics_per_host"),
            cables: Cables { host: cables.opt_length("host"), uplink: cables.opt_length("uplink") },
        }
    }
}

impl Leaf {
    fn of(item: &Item) -> Leaf {
        Leaf {
            ports: item.opt_small("ports"),
            rate: item.opt_rate("rate"),
            hosts: item.opt_small("hosts"),
            uplinks: item.opt_small("uplinks"),
        }
    }
}

impl Spine {
    fn of(item: &Item) -> Spine {
        Spine { ports: item.opt_small("ports"), count: item.opt_small("count"), rate: item.opt_rate("rate") }
    }
}

impl CustomHost {
    fn of(item: &Item) -> CustomHost {
        CustomHost { name: item.string("name"), nics: item.opt_small("nics"), gpus: item.small("gpus") }
    }
}

impl CustomLink {
    fn of(item: &Item) -> CustomLink {
        CustomLink {
            a: item.string("a"),
            b: item.string("b"),
            rate: item.opt_rate("rate"),
            distance: Distance::of(item),
            loss: item.opt_fraction("loss"),
            count: item.small("count"),
        }
    }
}

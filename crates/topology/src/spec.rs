use units::text::Ratio;
use units::{Rate, Time};

/// What a link is like unless its tier or the link itself says otherwise (`fabric.link`). Nearest wins: the link's
/// own, then the tier's, then these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkDefaults {
    /// In each direction.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Time,
    /// Probability of losing a packet, in units of 2^-32.
    pub loss: u32,
}

/// What is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spec {
    /// Leaves with hosts, and spines that join them.
    SpineLeaf(SpineLeaf),
    /// Two or three tiers of switches of one radix.
    FatTree(FatTree),
    /// Rails that nothing joins: NICs reach only NICs of their own rail.
    RailOnly(RailOnly),
    /// Switches in a grid of one to three dimensions that closes on itself.
    Torus(Torus),
    /// Switches in a circle.
    Ring(Ring),
    /// Written down node by node.
    Custom(Custom),
}

/// How many hosts, and what is in each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// GPUs in all; default `hosts` times `gpus_per_host`.
    pub gpus: Option<u64>,
    /// Hosts in all; default `gpus` over `gpus_per_host`.
    pub hosts: Option<u64>,
    /// GPUs in a host; default what `gpus` and `hosts` give, else 8 (torus and ring: 1).
    pub gpus_per_host: Option<u64>,
    /// Network ports of a host; default 8, or one a GPU when there are fewer GPUs.
    pub nics_per_host: Option<u64>,
}

/// Which leaves the NICs of a host go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Attachment {
    /// NIC k of every host to a leaf of rail k. The leaves of a rail are numbered together.
    #[default]
    Rail,
    /// All NICs of a host to one leaf (top of rack).
    Packed,
}

/// Propagation delays by tier; default those of [`LinkDefaults`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cables {
    /// From a host to its switch.
    pub host: Option<Time>,
    /// Between switches.
    pub uplink: Option<Time>,
}

/// The leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Leaf {
    /// Ports of a leaf. With a ratio and no `hosts` or `count` they are divided between hosts and uplinks by it.
    pub ports: Option<u64>,
    /// Hosts on a leaf; the last leaf (of each rail) takes what is left.
    pub hosts: Option<u64>,
    /// Leaves in all, hosts spread evenly over them.
    pub count: Option<u64>,
    /// Links from a leaf to all spines; default what the ratio asks.
    pub uplinks: Option<u64>,
    /// Rate of the links to hosts.
    pub rate: Option<Rate>,
}

/// The spines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spine {
    /// Ports of a spine; default 64, or as many as there are leaves.
    pub ports: Option<u64>,
    /// Spines in all; default as few as carry the uplinks and divide them evenly (at least four, where the uplinks
    /// allow, when `ports` is not given).
    pub count: Option<u64>,
    /// Rate of the links from leaves.
    pub rate: Option<Rate>,
}

/// Leaves with hosts, and spines that join them.
///
/// Without `leaf.ports`, `leaf.hosts` and `leaf.count` each rail gets at least two leaves (packed: four in all, where
/// hosts allow), so that the ratio matters, and no leaf more than a 64-port switch would carry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpineLeaf {
    /// Hosts, GPUs and NICs.
    pub size: Size,
    /// Where the NICs of a host go.
    pub attachment: Attachment,
    /// The leaves.
    pub leaf: Leaf,
    /// The spines.
    pub spine: Spine,
    /// Host-facing bandwidth of a leaf over its uplink bandwidth; default 1:1, or what explicit counts give.
    pub oversubscription: Option<Ratio>,
    /// Lengths, as delays.
    pub cables: Cables,
}

/// Two or three tiers of switches of one radix (k-ary fat-tree; Al-Fares et al., SIGCOMM 2008).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FatTree {
    /// Hosts, GPUs and NICs; without `gpus` and `hosts` as many as `radix` carries.
    pub size: Size,
    /// Where the NICs of a host go.
    pub attachment: Attachment,
    /// Tiers of switches: 2 or 3.
    pub tiers: u64,
    /// Ports of every switch, even; default the smallest that carries the hosts.
    pub radix: Option<u64>,
    /// At the leaves; default 1:1. The tiers above are not oversubscribed.
    pub oversubscription: Option<Ratio>,
    /// Lengths, as delays.
    pub cables: Cables,
}

impl Default for FatTree {
    fn default() -> FatTree {
        FatTree {
            size: Size::default(),
            attachment: Attachment::Rail,
            tiers: 2,
            radix: None,
            oversubscription: None,
            cables: Cables::default(),
        }
    }
}

/// Rails that nothing joins: one leaf a rail unless `leaf` says otherwise, and no spines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RailOnly {
    /// Hosts, GPUs and NICs.
    pub size: Size,
    /// The leaves: `ports`, `rate`. A rail is one leaf, because nothing would join two.
    pub leaf: Leaf,
    /// Lengths, as delays.
    pub cables: Cables,
}

/// Switches in a grid that closes on itself. The first dimension runs fastest in the numbering of the switches. A
/// dimension of two has one cable between its two switches, not two parallel ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torus {
    /// Switches along each of one to three dimensions.
    pub dims: Vec<u64>,
    /// Hosts on each switch; default 1.
    pub hosts_per_switch: u64,
    /// `gpus` and `hosts` may be left out: the switches decide.
    pub size: Size,
    /// Lengths, as delays.
    pub cables: Cables,
}

/// Switches in a circle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ring {
    /// How many.
    pub switches: u64,
    /// Hosts on each switch; default 1.
    pub hosts_per_switch: u64,
    /// `gpus` and `hosts` may be left out: the switches decide.
    pub size: Size,
    /// Lengths, as delays.
    pub cables: Cables,
}

/// Written down node by node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Custom {
    /// Names of the switches.
    pub switches: Vec<String>,
    /// The hosts, in the order of their numbers.
    pub hosts: Vec<CustomHost>,
    /// The cables. Those of a host are its NICs in order of appearance.
    pub links: Vec<CustomLink>,
}

/// A host of a custom graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CustomHost {
    /// Its name.
    pub name: String,
    /// NICs it must have; default the cables that reach it.
    pub nics: Option<u64>,
    /// GPUs; default 1.
    pub gpus: u64,
}

/// Cables between two nodes of a custom graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CustomLink {
    /// Name of one end.
    pub a: String,
    /// Name of the other end.
    pub b: String,
    /// Default that of [`LinkDefaults`].
    pub rate: Option<Rate>,
    /// Propagation; default that of [`LinkDefaults`].
    pub delay: Option<Time>,
    /// In units of 2^-32; default that of [`LinkDefaults`].
    pub loss: Option<u32>,
    /// Parallel cables; default 1.
    pub count: u64,
}

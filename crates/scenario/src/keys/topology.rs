use super::key::key;
use super::{Key, Type};

/// Kinds that are generated from counts.
const GENERATED: &str = "spine-leaf fat-tree rail-only torus ring";
const LEAVES: &str = "spine-leaf rail-only";

pub(super) const KEYS: &[Key] = &[
    key("topology", Type::Map, "What is cabled.").required().short("kind"),
    key("topology.kind", Type::Word, "Shape of the network.")
        .required()
        .words("spine-leaf fat-tree rail-only torus ring custom !dragonfly !import"),
    key("topology.gpus", Type::Count, "GPUs in all.")
        .of(GENERATED)
        .inherits("`hosts` times `gpus_per_host`")
        .least("1")
        .most("1M"),
    key("topology.hosts", Type::Count, "Hosts in all; may stand instead of `gpus`.")
        .of(GENERATED)
        .inherits("`gpus` over `gpus_per_host`")
        .least("1")
        .most("1M"),
    key("topology.gpus_per_host", Type::Count, "GPUs in a host.")
        .of(GENERATED)
        .inherits("`host.gpus`, else 8 (torus and ring: 1)")
        .least("1")
        .most("1024"),
    key("topology.nics_per_host", Type::Count, "Network ports of a host.")
        .of(GENERATED)
        .inherits("one a GPU")
        .least("1")
        .most("1024"),
    key(
        "topology.attachment",
        Type::Word,
        "NIC k of every host to a leaf of rail k, or all NICs of a host to one leaf.",
    )
    .of("spine-leaf fat-tree")
    .words("rail packed")
    .default("rail"),
    key("topology.leaf", Type::Map, "Leaf switches.").of(LEAVES).default("{}"),
    key("topology.leaf.ports", Type::Count, "Ports of a leaf.").least("1").most("4096"),
    key("topology.leaf.rate", Type::Rate, "Rate of the links from hosts to leaves.")
        .inherits("`fabric.link.rate`")
        .least("1bps"),
    key("topology.leaf.hosts", Type::Count, "Hosts on a leaf.")
        .inherits("at least two leaves a rail (packed: four in all)")
        .least("1"),
    key("topology.leaf.uplinks", Type::Count, "Links from a leaf to the spines.")
        .inherits("`oversubscription`")
        .least("1"),
    key("topology.spine", Type::Map, "Spine switches.").of("spine-leaf").default("{}"),
    key("topology.spine.ports", Type::Count, "Ports of a spine.").least("1").most("4096"),
    key("topology.spine.count", Type::Count, "Spines in all.").inherits("as few as carry the uplinks").least("1"),
    key("topology.spine.rate", Type::Rate, "Rate of the links from leaves to spines.")
        .inherits("`fabric.link.rate`")
        .least("1bps"),
    key("topology.tiers", Type::Count, "Tiers of switches.").of("fat-tree").default("2").least("2").most("3"),
    key("topology.radix", Type::Count, "Ports of every switch; even.")
        .of("fat-tree")
        .inherits("the smallest that carries the hosts")
        .least("2")
        .most("4096"),
    key("topology.oversubscription", Type::Ratio, "Host-facing bandwidth of a leaf over its uplink bandwidth.")
        .of("spine-leaf fat-tree")
        .inherits("1:1, or what explicit counts give"),
    key("topology.dims", Type::List, "Switches along each dimension of the torus.").of("torus").required(),
    key("topology.dims[]", Type::Count, "Switches along one dimension.").least("1").most("1M"),
    key("topology.switches", Type::Count, "Switches in the ring.").of("ring").required().least("2").most("1M"),
    key("topology.hosts_per_switch", Type::Count, "Hosts on each switch.")
        .of("torus ring")
        .default("1")
        .least("1")
        .most("4096"),
    key("topology.cables", Type::Map, "Lengths of cables, tier by tier.").of(GENERATED).default("{}"),
    key("topology.cables.host", Type::Length, "Cable from a host to its switch.")
        .inherits("`fabric.link`")
        .least("1mm"),
    key("topology.cables.uplink", Type::Length, "Cable between switches.").inherits("`fabric.link`").least("1mm"),
    key("topology.switches", Type::List, "Names of the switches.").of("custom").required(),
    key("topology.switches[]", Type::Name, "A switch."),
    key("topology.hosts", Type::List, "The hosts: a name, or a map.").of("custom").required(),
    key("topology.hosts[]", Type::Map, "A host.").short("name"),
    key("topology.hosts[].name", Type::Name, "Its name.").required(),
    key("topology.hosts[].nics", Type::Count, "Network ports.")
        .inherits("the links that reach it")
        .least("1")
        .most("1024"),
    key("topology.hosts[].gpus", Type::Count, "GPUs.").default("1").least("1").most("1024"),
    key("topology.links", Type::List, "Cables: `[a, b]`, or a map.").of("custom").required(),
    key("topology.links[]", Type::Map, "A cable between two nodes.").pair("a", "b"),
    key("topology.links[].a", Type::Name, "One end.").required(),
    key("topology.links[].b", Type::Name, "The other end.").required(),
    key("topology.links[].rate", Type::Rate, "Rate in each direction.").inherits("`fabric.link.rate`").least("1bps"),
    key("topology.links[].delay", Type::Time, "Propagation delay.")
        .inherits("`fabric.link`")
        .least("1ps")
        .instead_of("length"),
    key("topology.links[].length", Type::Length, "Length, at 5 ns a metre.")
        .inherits("`fabric.link`")
        .least("1mm")
        .instead_of("delay"),
    key("topology.links[].loss", Type::Fraction, "Probability that a packet is lost.")
        .inherits("`fabric.link.loss`")
        .most("1"),
    key("topology.links[].count", Type::Count, "Parallel cables.").default("1").least("1").most("4096"),
    key("topology.format", Type::Word, "Format of the imported file.")
        .of("import")
        .words("!ibnetdiscover !hpcc !cabling-csv"),
    key("topology.file", Type::Text, "The imported file.").of("import").later(),
    key("topology.rates", Type::Any, "Rates of imported links.").of("import").later(),
    key("topology.lengths", Type::Any, "Lengths of imported links.").of("import").later(),
];

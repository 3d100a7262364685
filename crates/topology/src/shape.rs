/// What kind of fabric a topology is: what analysis and routing can know beyond the bare graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Tiers of switches, every path up then down: spine-leaf, fat-tree, and rails without spines.
    Clos {
        /// Tier-0 switches in each pod (of one spine tier, all in one pod); 0 when nothing joins the leaves.
        leaves_per_pod: u32,
        /// Whether every switch has equally many links to each switch above it that it reaches.
        even: bool,
        /// NICs between two of one leaf in the numbering of NICs: the number of rails, 1 when packed.
        stride: u32,
    },
    /// A torus; a ring is a torus of one dimension.
    Torus {
        /// Switches along each dimension, the first running fastest.
        dims: Vec<u32>,
        /// Hosts on each switch.
        hosts: u32,
    },
    /// Written down node by node.
    Custom,
}

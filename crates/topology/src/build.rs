use units::text::Ratio;

use crate::cabling::Wire;
use crate::error::TopologyError;
use crate::graph::Topology;
use crate::spec::{Cables, LinkDefaults, Spec};
use crate::{custom, spine_leaf};

/// The most NICs that are built: four times the largest clusters of today.
pub const MAX_NICS: u64 = 262_144;
/// The most switches that are built.
pub const MAX_SWITCHES: u64 = 65_536;
/// The most cables that are built.
pub const MAX_CABLES: u64 = 1_048_576;

/// What was built, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Built {
    /// What is cabled.
    pub topology: Topology,
    /// Where it departs from what was asked, and choices that were made; each a sentence.
    pub notes: Vec<String>,
    /// The ratio that was asked, if one was.
    pub asked: Option<Ratio>,
    /// The ratio of a full leaf, where there are leaves with uplinks.
    pub built: Option<Oversubscription>,
}

/// Host-facing over uplink bandwidth of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Oversubscription {
    /// Links to hosts.
    pub down: u64,
    /// Links to spines.
    pub up: u64,
    /// Bandwidth to hosts, in bit/s.
    pub down_bps: u64,
    /// Bandwidth to spines, in bit/s.
    pub up_bps: u64,
}

impl Oversubscription {
    /// As a number, for reports.
    pub fn ratio(&self) -> f64 {
        self.down_bps as f64 / self.up_bps as f64
    }
}

/// Builds what is wanted, or says everything that stands against it. Counts are checked before anything is allocated.
pub fn build(spec: &Spec, defaults: &LinkDefaults) -> Result<Built, Vec<TopologyError>> {
    match spec {
        Spec::SpineLeaf(spec) => spine_leaf::build(spec, defaults).map_err(|e| vec![e]),
        Spec::Custom(spec) => custom::build(spec, defaults),
        _ => Err(vec![TopologyError::new("kind", "this kind is not built yet", "use spine-leaf or custom")]),
    }
}

/// Refuses counts beyond the limits.
pub(crate) fn within_limits(nics: u128, switches: u128, cables: u128) -> Result<(), TopologyError> {
    let limits = [("NICs", nics, MAX_NICS), ("switches", switches, MAX_SWITCHES), ("cables", cables, MAX_CABLES)];
    for (what, count, limit) in limits {
        if count > u128::from(limit) {
            let reason = format!("{count} {what} are more than can be simulated");
            return Err(TopologyError::new("", reason, format!("the most is {limit}; ask for fewer hosts")));
        }
    }
    Ok(())
}

/// The wires of the two kinds of cables: to hosts and between switches.
pub(crate) fn wires(defaults: &LinkDefaults, cables: &Cables) -> (Wire, Wire) {
    let wire = |delay: Option<units::Time>| Wire {
        rate: defaults.rate,
        delay: delay.unwrap_or(defaults.delay),
        loss: defaults.loss,
    };
    (wire(cables.host), wire(cables.uplink))
}

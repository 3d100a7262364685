use units::text::Ratio;
use units::{Rate, Time};

use crate::cabling::Wire;
use crate::error::TopologyError;
use crate::graph::Topology;
use crate::spec::{Cables, LinkDefaults, Spec};
use crate::{custom, fat_tree, rail_only, spine_leaf, torus};

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
    pub(crate) fn new(down: u64, down_rate: Rate, up: u64, up_rate: Rate) -> Oversubscription {
        let bps = |links: u64, rate: Rate| links.saturating_mul(rate.bps());
        Oversubscription { down, up, down_bps: bps(down, down_rate), up_bps: bps(up, up_rate) }
    }

    /// Whether it is exactly what was asked.
    fn equals(&self, asked: Ratio) -> bool {
        u128::from(self.down_bps) * u128::from(asked.right()) == u128::from(self.up_bps) * u128::from(asked.left())
    }

    /// As a number, for reports.
    pub fn ratio(&self) -> f64 {
        self.down_bps as f64 / self.up_bps as f64
    }
}

/// Builds what is wanted, or says everything that stands against it. Counts are checked before anything is allocated.
pub fn build(spec: &Spec, defaults: &LinkDefaults) -> Result<Built, Vec<TopologyError>> {
    let one = |result: Result<Built, TopologyError>| result.map_err(|e| vec![e]);
    match spec {
        Spec::SpineLeaf(spec) => one(spine_leaf::build(spec, defaults)),
        Spec::FatTree(spec) => one(fat_tree::build(spec, defaults)),
        Spec::RailOnly(spec) => one(rail_only::build(spec, defaults)),
        Spec::Torus(spec) => one(torus::build(spec, defaults)),
        Spec::Ring(spec) => one(torus::ring(spec, defaults)),
        Spec::Custom(spec) => custom::build(spec, defaults),
    }
}

/// Refuses counts beyond the limits, at the key that asks for them.
pub(crate) fn within_limits(field: &str, nics: u128, switches: u128, cables: u128) -> Result<(), TopologyError> {
    let limits = [("NICs", nics, MAX_NICS), ("switches", switches, MAX_SWITCHES), ("cables", cables, MAX_CABLES)];
    for (what, count, limit) in limits {
        if count > u128::from(limit) {
            let reason = format!("{count} {what} are more than can be simulated");
            return Err(TopologyError::new(field, reason, format!("the most is {limit}; ask for fewer hosts")));
        }
    }
    Ok(())
}

/// Refuses a fabric of one host.
pub(crate) fn at_least_two(field: &str, hosts: u64) -> Result<(), TopologyError> {
    if hosts >= 2 {
        return Ok(());
    }
    let reason = if hosts == 0 { "there is no host" } else { "one host has nobody to talk to" };
    Err(TopologyError::new(field, reason, "a fabric needs at least two hosts"))
}

/// What to say when a ratio was asked and another was built.
pub(crate) fn ratio_note(
    asked: Option<Ratio>,
    built: &Oversubscription,
    down_rate: Rate,
    up_rate: Rate,
) -> Option<String> {
    let asked = asked.filter(|asked| !built.equals(*asked))?;
    let (down, up) = (rate_text(down_rate), rate_text(up_rate));
    Some(format!("asked {asked}, built {} x {down} down / {} x {up} up = {:.2}:1", built.down, built.up, built.ratio()))
}

/// As network people write it: `400G`.
pub(crate) fn rate_text(rate: Rate) -> String {
    let bps = rate.bps();
    match (bps % 1_000_000_000, bps % 1_000_000) {
        (0, _) => format!("{}G", bps / 1_000_000_000),
        (_, 0) => format!("{}M", bps / 1_000_000),
        _ => format!("{bps} bit/s"),
    }
}

/// The wires to hosts and between switches; their rates may be given by the tier.
pub(crate) fn wires(
    defaults: &LinkDefaults,
    cables: &Cables,
    host: Option<Rate>,
    uplink: Option<Rate>,
) -> Result<(Wire, Wire), TopologyError> {
    let wire = |rate: Option<Rate>, delay: Option<Time>| Wire {
        rate: rate.unwrap_or(defaults.rate),
        delay: delay.unwrap_or(defaults.delay),
        loss: defaults.loss,
    };
    let wires = (wire(host, cables.host), wire(uplink, cables.uplink));
    wires.0.check("leaf.rate", "cables.host")?;
    wires.1.check("spine.rate", "cables.uplink")?;
    Ok(wires)
}

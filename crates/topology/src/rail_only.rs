use crate::build::{Built, at_least_two, wires, within_limits};
use crate::cabling::Cabling;
use crate::error::TopologyError;
use crate::leaf_plan::LeafPlan;
use crate::shape::Shape;
use crate::size::SERVER_GPUS;
use crate::spec::{Attachment, LinkDefaults, RailOnly};

/// Builds rails, each a leaf, that nothing joins.
pub(crate) fn build(spec: &RailOnly, defaults: &LinkDefaults) -> Result<Built, TopologyError> {
    let (wire, _) = wires(defaults, &spec.cables, spec.leaf.rate, None)?;
    let counts = spec.size.settle(SERVER_GPUS, None)?;
    let nics = u128::from(counts.hosts) * u128::from(counts.nics);
    within_limits(spec.size.key(), nics, u128::from(counts.nics), nics)?;
    at_least_two(spec.size.key(), counts.hosts)?;
    check_leaf(spec, counts.hosts, counts.nics)?;
    let leaves = LeafPlan::filled(&counts, Attachment::Rail, counts.hosts).ok_or_else(|| {
        TopologyError::new("nics_per_host", "a rail needs a NIC in every host", "at least one NIC a host")
    })?;
    let mut cabling = Cabling::with_capacity(leaves.hosts + leaves.count(), leaves.nics());
    leaves.add_nodes(&mut cabling);
    leaves.cable_hosts(&mut cabling, wire);
    let shape = Shape::Clos { leaves_per_pod: 0, even: true, stride: leaves.rails as u32 };
    let note = match counts.nics {
        1 => "a single rail joins all hosts".to_owned(),
        rails => format!("{rails} rails that nothing joins: a NIC reaches only the NICs of its own rail"),
    };
    Ok(Built { topology: cabling.finish(shape)?, notes: vec![note], asked: None, built: None })
}

/// A rail is one leaf, because nothing would join two.
fn check_leaf(spec: &RailOnly, hosts: u64, rails: u64) -> Result<(), TopologyError> {
    let fix = "rails of several leaves need spines: `kind: spine-leaf`";
    if let Some(uplinks) = spec.leaf.uplinks {
        let reason = format!("{uplinks} uplinks would lead nowhere");
        return Err(TopologyError::new("leaf.uplinks", reason, fix));
    }
    if let Some(count) = spec.leaf.count.filter(|c| *c != rails) {
        let reason = format!("{count} leaves for {rails} rails: each rail is one leaf");
        return Err(TopologyError::new("leaf.count", reason, fix));
    }
    for (field, room) in [("leaf.ports", spec.leaf.ports), ("leaf.hosts", spec.leaf.hosts)] {
        if let Some(room) = room.filter(|r| *r < hosts) {
            let reason = format!("{hosts} hosts do not fit a leaf of {room}, and each rail is one leaf");
            return Err(TopologyError::new(field, reason, fix));
        }
    }
    Ok(())
}

use units::NodeId;

use crate::build::{Built, at_least_two, wires, within_limits};
use crate::cabling::{Cabling, Wire};
use crate::error::TopologyError;
use crate::graph::NodeKind;
use crate::shape::Shape;
use crate::size::Counts;
use crate::spec::{Cables, LinkDefaults, Ring, Size, Torus};

/// GPUs in a host of a torus or ring, unless said otherwise.
const GPUS: u64 = 1;

/// Builds a torus of one to three dimensions.
pub(crate) fn build(spec: &Torus, defaults: &LinkDefaults) -> Result<Built, TopologyError> {
    if spec.dims.is_empty() || spec.dims.len() > 3 {
        let reason = format!("a torus of {} dimensions is not built", spec.dims.len());
        return Err(TopologyError::new("dims", reason, "one to three dimensions, such as `[4, 4]`"));
    }
    if let Some(index) = spec.dims.iter().position(|d| *d < 2) {
        let reason = format!("{} switches along a dimension", spec.dims[index]);
        return Err(TopologyError::new(format!("dims[{index}]"), reason, "at least 2, or leave the dimension out"));
    }
    grid(&spec.dims, spec.hosts_per_switch, &spec.size, &spec.cables, defaults, "dims")
}

/// Builds a ring: a torus of one dimension.
pub(crate) fn ring(spec: &Ring, defaults: &LinkDefaults) -> Result<Built, TopologyError> {
    if spec.switches < 2 {
        let reason = format!("a ring of {} switches", spec.switches);
        return Err(TopologyError::new("switches", reason, "at least 2"));
    }
    grid(&[spec.switches], spec.hosts_per_switch, &spec.size, &spec.cables, defaults, "switches")
}

fn grid(
    dims: &[u64],
    hosts_per_switch: u64,
    size: &Size,
    cables: &Cables,
    defaults: &LinkDefaults,
    field: &str,
) -> Result<Built, TopologyError> {
    let (host_wire, link) = wires(defaults, cables, None, None)?;
    if hosts_per_switch == 0 {
        return Err(TopologyError::new("hosts_per_switch", "switches without hosts have nothing to do", "at least 1"));
    }
    let switches = dims.iter().try_fold(1u64, |n, d| n.checked_mul(*d)).unwrap_or(u64::MAX);
    within_limits(field, 0, u128::from(switches), 0)?;
    let capacity = switches.saturating_mul(hosts_per_switch);
    let counts = size.settle(GPUS, Some(capacity))?;
    if counts.hosts != capacity {
        let reason = format!("{switches} switches with {hosts_per_switch} hosts each have {capacity} hosts");
        let fix = format!("leave out `hosts` and `gpus`: {} were asked", counts.hosts);
        return Err(TopologyError::new(if size.hosts.is_some() { "hosts" } else { "gpus" }, reason, fix));
    }
    let nics = u128::from(counts.hosts) * u128::from(counts.nics);
    within_limits("hosts_per_switch", nics, 0, nics + u128::from(links(dims, switches)))?;
    at_least_two("hosts_per_switch", counts.hosts)?;
    let mut cabling = Cabling::with_capacity(counts.hosts + switches, nics as u64 + links(dims, switches));
    add_hosts(&mut cabling, &counts, switches, hosts_per_switch, host_wire);
    add_links(&mut cabling, counts.hosts, dims, link);
    let dims_built = dims.iter().map(|d| *d as u32).collect();
    let shape = Shape::Torus { dims: dims_built, hosts: hosts_per_switch as u32 };
    let notes = match dims.contains(&2) {
        true => vec!["two switches along a dimension have one cable between them, not two in parallel".to_owned()],
        false => Vec::new(),
    };
    Ok(Built { topology: cabling.finish(shape)?, notes, asked: None, built: None })
}

/// Cables between switches: one a switch and dimension, half of it where the dimension is two.
fn links(dims: &[u64], switches: u64) -> u64 {
    dims.iter().map(|d| if *d == 2 { switches / 2 } else { switches }).sum()
}

fn add_hosts(cabling: &mut Cabling, counts: &Counts, switches: u64, per_switch: u64, wire: Wire) {
    for host in 0..counts.hosts {
        cabling.node(format!("h{host}"), NodeKind::Host { gpus: counts.gpus });
    }
    for switch in 0..switches {
        cabling.node(format!("sw{switch}"), NodeKind::Switch { tier: 0 });
    }
    for host in 0..counts.hosts {
        for _ in 0..counts.nics {
            cabling.cable(NodeId(host as u32), NodeId((counts.hosts + host / per_switch) as u32), wire);
        }
    }
}

/// From each switch to the next along each dimension.
fn add_links(cabling: &mut Cabling, hosts: u64, dims: &[u64], wire: Wire) {
    let switches: u64 = dims.iter().product();
    for switch in 0..switches {
        let mut step = 1;
        for dim in dims {
            let at = switch / step % dim;
            let next = switch - at * step + (at + 1) % dim * step;
            if *dim > 2 || at == 0 {
                cabling.cable(NodeId((hosts + switch) as u32), NodeId((hosts + next) as u32), wire);
            }
            step *= dim;
        }
    }
}

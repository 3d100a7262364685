use topology::NodeKind;
use units::{Bytes, PortId, Rate, Time};

use crate::build::pipeline;
use crate::plan::Plan;

/// Packets after which the flow has settled: from then on each takes its time on the slowest link.
const SETTLED: u64 = 64;

/// Time on an idle network from handing a flow to the NIC to its last byte at the receiver, along a path of ports.
///
/// Packet after packet passes link after link: it starts when it may be forwarded and the packet before has left. After
/// the first packets every full one adds its time on the slowest link.
pub(crate) fn ideal_time(plan: &Plan, path: &[PortId], bytes: u64) -> Time {
    let transport = &plan.transport;
    let mtu = u64::from(transport.mtu);
    let packets = bytes.div_ceil(mtu);
    let last = (bytes - (packets - 1) * mtu) as u32;
    let mut links: Vec<Link> = path.iter().map(|port| Link::of(plan, *port)).collect();
    for link in 0..links.len().saturating_sub(1) {
        links[link].cut = links[link].cut.filter(|_| links[link + 1].rate <= links[link].rate);
    }
    let full = (packets - 1).min(SETTLED);
    for packet in 0..full {
        pass(&mut links, transport.wire_size(transport.mtu, packet == 0));
    }
    let slowest = links.iter().map(|link| link.rate).min().unwrap_or(Rate::ZERO);
    let rest = time(slowest, transport.wire_size(transport.mtu, false)).saturating_mul(packets - 1 - full);
    links.iter_mut().for_each(|link| link.free = link.free.saturating_add(rest));
    plan.host.nic_latency.saturating_add(pass(&mut links, transport.wire_size(last, packets == 1)))
}

/// A link on the way, and when it is free.
struct Link {
    rate: Rate,
    delay: Time,
    pipeline: Time,
    /// Bytes after which the receiver forwards; `None`: all of them.
    cut: Option<u16>,
    free: Time,
}

impl Link {
    fn of(plan: &Plan, port: PortId) -> Link {
        let port = &plan.topology.ports[port.index()];
        let receiver = plan.topology.ports[port.peer.index()].node;
        let to_switch = matches!(plan.topology.nodes[receiver.index()].kind, NodeKind::Switch { .. });
        let (pipeline, cut) = (pipeline(plan, receiver), plan.switching.cut_through.filter(|_| to_switch));
        Link { rate: port.rate, delay: port.delay, pipeline, cut, free: Time::ZERO }
    }
}

/// Sends one packet over all links; when the receiver has it.
fn pass(links: &mut [Link], size: u16) -> Time {
    let mut ready = Time::ZERO;
    for link in links {
        let start = ready.max(link.free);
        link.free = start.saturating_add(time(link.rate, size));
        let seen = link.cut.map_or(link.free, |header| start.saturating_add(time(link.rate, header.min(size))));
        ready = seen.saturating_add(link.delay).saturating_add(link.pipeline);
    }
    ready
}

fn time(rate: Rate, size: u16) -> Time {
    rate.time_for(Bytes::new(u64::from(size)))
}

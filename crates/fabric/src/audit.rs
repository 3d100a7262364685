use std::fmt;

use units::{NodeId, PortId};

use crate::config::Credit;
use crate::fabric::Fabric;
use crate::gate::Gate;
use crate::guard::Guard;
use crate::port::HERE;

/// A conservation law that does not hold: a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditError(pub String);

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Fabric {
    /// At every event, for the node of `port`: what entered has left or is held.
    #[inline]
    pub(crate) fn check_node(&self, port: PortId) {
        if cfg!(debug_assertions) {
            let node = &self.nodes[self.ports[port.index()].node as usize];
            assert_eq!(node.entered, node.left + node.held, "bytes of a node are conserved");
        }
    }

    /// On a snapshot between events: the bytes that each guard has charged are those of the packets
    /// it admitted that are queued, on an output's line, or waiting for their tails.
    pub fn audit(&self) -> Result<(), AuditError> {
        let mut charged = vec![0u64; self.lanes.len()];
        for &(port, id) in &self.tails {
            let (class, size) = (self.packets[id].class, self.packets[id].size);
            charged[self.lane(port, class)] += self.unit(port, class, size);
        }
        for (index, port) in self.ports.iter().enumerate() {
            let node = &self.nodes[port.node as usize];
            let mut charge = |ingress: u16, class: u8, size: u16| {
                if ingress != HERE {
                    let input = PortId(node.first_port + u32::from(ingress));
                    charged[self.lane(input, class)] += self.unit(input, class, size);
                }
            };
            if port.busy {
                charge(port.sending.ingress, port.sending.class, port.sending.size);
            }
            for class in 0..self.config.classes {
                let lane = &self.lanes[self.lane(PortId(index as u32), class)];
                lane.queue.each(&self.packets, |id| {
                    let packet = &self.packets[id];
                    charge(packet.ingress, packet.class, packet.size);
                });
            }
        }
        self.compare(&charged)
    }

    fn unit(&self, port: PortId, class: u8, size: u16) -> u64 {
        match self.lanes[self.lane(port, class)].guard {
            Guard::Credit(_) => u64::from(Credit::blocks(size)),
            _ => u64::from(size),
        }
    }

    fn compare(&self, charged: &[u64]) -> Result<(), AuditError> {
        for (index, lane) in self.lanes.iter().enumerate() {
            let port = &self.ports[index / self.classes];
            if !self.nodes[port.node as usize].switch {
                continue;
            }
            let held = match &lane.guard {
                Guard::None => continue,
                Guard::Pause(guard) => guard.held,
                Guard::Credit(guard) => u64::from(guard.used),
            };
            if held != charged[index] {
                return Err(AuditError(format!(
                    "port {} class {}: the guard holds {held}, its packets are {}",
                    index / self.classes,
                    index % self.classes,
                    charged[index]
                )));
            }
        }
        Ok(())
    }

    /// On a snapshot: the credits granted to each sender are free, in flight, or used. `newest` gives
    /// the newest limit sent to a (port, class); `on_wire` the blocks under way to the peer of a port.
    pub fn audit_credits(
        &self,
        newest: impl Fn(PortId, u8) -> u32,
        on_wire: impl Fn(PortId, u8) -> u32,
    ) -> Result<(), AuditError> {
        for (index, lane) in self.lanes.iter().enumerate() {
            let (port, class) = (PortId((index / self.classes) as u32), (index % self.classes) as u8);
            let Gate::Credit(gate) = &lane.gate else { continue };
            let peer = self.ports[port.index()].peer;
            let Guard::Credit(guard) = &self.lanes[self.lane(peer, class)].guard else { continue };
            let flying = on_wire(port, class);
            if gate.sent != guard.received.wrapping_add(flying) {
                return Err(AuditError(format!(
                    "port {} class {class}: sent {} blocks, the peer has {} and {flying} are on the wire",
                    port.0, gate.sent, guard.received
                )));
            }
            if newest(port, class) != guard.limit() {
                return Err(AuditError(format!("port {} class {class}: the peer's limit was not told", port.0)));
            }
        }
        Ok(())
    }

    /// Bytes held by all switches.
    pub fn held_bytes(&self) -> u64 {
        self.nodes.iter().map(|node| node.held).sum()
    }

    /// Bytes held by one node.
    pub fn node_held(&self, node: NodeId) -> u64 {
        self.nodes[node.index()].held
    }
}

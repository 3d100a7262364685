use engine::{Engine, EventQueue};
use units::{ConnId, PortId};
use wire::{Kind, Packet};

use crate::network::Network;

impl Network<'_> {
    /// The ports that a connection's packets of a kind leave by on their way from `first` to a NIC, as the switches
    /// would choose with all queues empty. Ends early where no way leads on.
    pub(crate) fn way<Q: EventQueue>(
        &mut self,
        engine: &Engine<Q>,
        conn: ConnId,
        kind: Kind,
        first: PortId,
        dst: u32,
    ) -> Vec<PortId> {
        let record = &self.endpoints.conns[conn.index()];
        let entropy = if kind == Kind::Data { record.entropy } else { record.ack_entropy };
        let mut packet = Packet { conn, dst, entropy, kind, ..Packet::default() };
        let mut port = first;
        let mut way = vec![port];
        while way.len() <= usize::from(u8::MAX) {
            let node = self.node_of[engine.peer(port).index()];
            if !self.fabric.is_switch(node) {
                break;
            }
            let Some(local) = self.fabric.choose_way(&self.ways, node, &packet) else { break };
            packet.hop += 1;
            port = PortId(self.first_port[node.index()] + u32::from(local));
            way.push(port);
        }
        way
    }
}

use units::ConnId;

use crate::{Flags, Kind, Packet};

/// Handle of a packet in a [`Packets`] slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketId(pub u32);

impl PacketId {
    /// No packet: the end of a queue.
    pub const NONE: PacketId = PacketId(u32::MAX);

    /// Whether this is [`PacketId::NONE`].
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }

    /// As an index into arrays kept beside the slab.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All packets of a run. Freed places are reused last-in first-out, so the working set stays in
/// cache and nothing is allocated once the peak is reached.
#[derive(Debug)]
pub struct Packets {
    slots: Vec<Packet>,
    free: PacketId,
    held: usize,
}

impl Default for Packets {
    fn default() -> Packets {
        Packets { slots: Vec::new(), free: PacketId::NONE, held: 0 }
    }
}

impl Packets {
    /// Stores a packet.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        self.held += 1;
        let id = self.free;
        if id.is_none() {
            let id = PacketId(u32::try_from(self.slots.len()).expect("fewer than 2^32 packets are in flight"));
            self.slots.push(packet);
            return id;
        }
        self.free = self.slots[id.index()].next;
        self.slots[id.index()] = packet;
        id
    }

    /// Gives the place of a packet back.
    #[inline]
    pub fn remove(&mut self, id: PacketId) {
        debug_assert!(self.held > 0, "a packet is removed once");
        self.held -= 1;
        self.slots[id.index()].next = self.free;
        self.free = id;
    }

    /// Packets that exist now.
    pub fn len(&self) -> usize {
        self.held
    }

    /// Whether no packet exists now.
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// The most packets that ever existed at once.
    pub fn peak(&self) -> usize {
        self.slots.len()
    }
}

impl std::ops::Index<PacketId> for Packets {
    type Output = Packet;
    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        &self.slots[id.index()]
    }
}

impl std::ops::IndexMut<PacketId> for Packets {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slots[id.index()]
    }
}

impl Default for Packet {
    fn default() -> Packet {
        Packet {
            conn: ConnId(0),
            psn: 0,
            dst: 0,
            payload: 0,
            next: PacketId::NONE,
            size: 0,
            ingress: 0,
            entropy: 0,
            class: 0,
            kind: Kind::Data,
            flags: Flags(0),
            ttl: 0,
            hop: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_reused_and_counted() {
        let mut packets = Packets::default();
        let a = packets.insert(Packet { psn: 1, ..Packet::default() });
        let b = packets.insert(Packet { psn: 2, ..Packet::default() });
        packets.remove(a);
        let c = packets.insert(Packet { psn: 3, ..Packet::default() });
        assert_eq!((c, packets[b].psn, packets[c].psn), (a, 2, 3));
        assert_eq!((packets.len(), packets.peak()), (2, 2));
    }
}

use units::ConnId;

use crate::PacketId;

/// A packet in flight or in a queue. 32 bytes, so that two share a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The connection it belongs to; acknowledgements carry that of the data they answer.
    pub conn: ConnId,
    /// Packet sequence number (of the data, or acknowledged by the ack). PAUSE frames carry [`Pause::encode`] here.
    pub psn: u32,
    /// Index of the destination NIC.
    pub dst: u32,
    /// Payload bytes of data packets, zero for others.
    pub payload: u32,
    /// Next packet in the queue that holds this one.
    pub next: PacketId,
    /// Size on the wire in bytes, preamble and gap included where the technology has them.
    pub size: u16,
    /// Port of the node that holds it now by which it came, counted within the node.
    pub ingress: u16,
    /// What multipath hashing sees of the five-tuple.
    pub entropy: u16,
    /// Priority (PFC) or virtual lane (InfiniBand).
    pub class: u8,
    /// What it is.
    pub kind: Kind,
    /// Marks.
    pub flags: Flags,
    /// Hops it may still make.
    pub ttl: u8,
    /// Switches it has entered; indexes an explicit path.
    pub hop: u8,
}

const _: () = assert!(size_of::<Packet>() <= 32);

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Carries payload.
    Data,
    /// Cumulative acknowledgement: everything up to and including its PSN arrived.
    Ack,
    /// Negative acknowledgement: its PSN is the first one missing.
    Nak,
    /// Congestion notification packet.
    Cnp,
    /// PFC frame of one hop.
    Pause,
}

/// Marks on a packet, a small bit set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags(pub u8);

impl Flags {
    /// First packet of its message.
    pub const FIRST: Flags = Flags(1);
    /// Last packet of its message.
    pub const LAST: Flags = Flags(2);
    /// The sender asks for an acknowledgement.
    pub const ACK_REQUEST: Flags = Flags(4);
    /// Congestion experienced (ECN).
    pub const CE: Flags = Flags(8);
    /// Corrupted on the wire: the receiving port will discard it.
    pub const CORRUPT: Flags = Flags(16);

    /// Whether all marks of `other` are set.
    #[inline]
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets the marks of `other`.
    #[inline]
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// Content of a PFC frame (802.1Qbb): one time for each class whose bit is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Class-enable vector.
    pub classes: u8,
    /// Of those, the classes asked to stop; the others may resume (time zero).
    pub stop: u8,
    /// Pause time of the stopped classes in quanta of 512 bit times.
    pub quanta: u16,
}

impl Pause {
    /// Packs the frame's content into the PSN field of a packet.
    pub const fn encode(self) -> u32 {
        (self.classes as u32) << 24 | (self.stop as u32) << 16 | self.quanta as u32
    }

    /// Reads what [`Pause::encode`] packed.
    pub const fn decode(word: u32) -> Pause {
        Pause { classes: (word >> 24) as u8, stop: (word >> 16) as u8, quanta: word as u16 }
    }
}

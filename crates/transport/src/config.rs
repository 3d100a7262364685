use units::Time;

use crate::congestion::CongestionConfig;

/// What a connection speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    /// Reliable connection (InfiniBand RC, RoCEv2 RC): acknowledged, go-back-N.
    Rc,
    /// Unreliable datagrams: an open-loop source without acknowledgements.
    Ud,
}

/// How often a responder acknowledges data that arrives in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckEvery {
    /// Every n-th packet, and the last one of a message.
    Packets(u32),
    /// The last packet of a message.
    Message,
}

/// Bytes that a technology adds to what it carries, preamble and gap included where it has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overheads {
    /// On every data packet.
    pub packet: u16,
    /// On the first packet of a write besides (RETH).
    pub first: u16,
    /// A whole acknowledgement.
    pub ack: u16,
}

impl Overheads {
    /// InfiniBand in one subnet: LRH 8, BTH 12, ICRC 4, VCRC 2; RETH 16 (IBTA volume 1, chapter 5 and
    /// 9). An acknowledgement carries AETH 4.
    pub const INFINIBAND: Overheads = Overheads { packet: 26, first: 16, ack: 30 };
    /// RoCEv2: preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, gap 12 (IBTA Annex A17).
    pub const ROCE_V2: Overheads = Overheads { packet: 82, first: 16, ack: 86 };
    /// Datagram header (DETH) of an unreliable datagram.
    pub const DETH: u16 = 8;
}

/// How connections behave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransportConfig {
    /// What they speak.
    pub kind: TransportKind,
    /// Largest payload of a packet.
    pub mtu: u32,
    /// Bytes added on the wire.
    pub overheads: Overheads,
    /// Acknowledgements.
    pub ack_every: AckEvery,
    /// The most packets unacknowledged; 2^23 is what the PSN field allows.
    pub window: u32,
    /// The receiver takes packets in any order (adaptive routing and spray need it).
    pub any_order: bool,
    /// Retransmission timeout, from the last cumulative progress.
    pub timeout: Time,
    /// Timeouts in a row after which a flow fails.
    pub retries: u8,
    /// A receiver answers marked packets with at most one CNP a flow in this time; `None`: with none.
    pub cnp_interval: Option<Time>,
    /// How senders react to congestion.
    pub congestion: CongestionConfig,
}

impl TransportConfig {
    /// The largest window of a reliable connection: half of the 24-bit PSN space.
    pub const MAX_WINDOW: u32 = 1 << 23;

    /// Size on the wire of a packet.
    #[inline]
    pub fn wire_size(&self, payload: u32, first: bool) -> u16 {
        let size = payload + u32::from(self.overheads.packet) + if first { u32::from(self.overheads.first) } else { 0 };
        debug_assert!(size <= u32::from(u16::MAX), "the largest frame was checked at build");
        size as u16
    }

    /// Size on the wire of the largest packet.
    pub fn largest_frame(&self) -> u32 {
        self.mtu + u32::from(self.overheads.packet) + u32::from(self.overheads.first)
    }
}

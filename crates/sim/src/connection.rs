use fabric::Hops;
use topology::Routes;
use units::{NodeId, PortId, Time};
use wire::{Kind, Packet};

/// The immutable record of a connection that both its halves share.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// Global NIC numbers of its ends, and the host port it sends by.
    pub(crate) src: u32,
    pub(crate) dst: u32,
    pub(crate) src_port: PortId,
    pub(crate) class: u8,
    pub(crate) ack_class: u8,
    pub(crate) entropy: u16,
    pub(crate) ack_entropy: u16,
    pub(crate) ttl: u8,
    pub(crate) purpose: Use,
}

/// What a connection is used for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {
    /// The flow of this index.
    Flow(u32),
    /// A channel of a collective between two ranks; the receiver knows it by `source`.
    Channel { from: u32, to: u32, source: u32 },
}

/// Routing tables, and the explicit paths of the connections that have one.
pub(crate) struct Ways<'a> {
    pub(crate) routes: &'a Routes,
    /// By connection: where its forward and reverse path begin in `hops`, if it has them.
    pub(crate) paths: Vec<Option<[u32; 2]>>,
    /// Local egress ports at the switches on a path.
    pub(crate) hops: Vec<u16>,
}

impl Hops for Ways<'_> {
    #[inline]
    fn next_hops(&self, switch: NodeId, dst: u32) -> &[u16] {
        self.routes.next_hops(switch, dst)
    }

    #[inline]
    fn explicit(&self, packet: &Packet) -> Option<u16> {
        if self.hops.is_empty() {
            return None;
        }
        let [forward, reverse] = (*self.paths.get(packet.conn.index())?)?;
        let start = if packet.kind == Kind::Data { forward } else { reverse };
        self.hops.get(start as usize + usize::from(packet.hop)).copied()
    }
}

/// When a flow or channel did what.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Milestones {
    pub(crate) started: Option<Time>,
    pub(crate) delivered: Option<Time>,
    pub(crate) acked: Option<Time>,
}

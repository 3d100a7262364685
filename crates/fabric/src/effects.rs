use units::{NodeId, PortId, Time};
use wire::{Packet, PacketId};

/// What the fabric can make happen. Bound to the event engine in a run, to a list in a test.
///
/// The last methods are the probe: facts that observers may want, with empty defaults.
pub trait Effects {
    /// The current time.
    fn now(&self) -> Time;
    /// Starts to transmit a packet on the link that leaves `port`.
    fn transmit(&mut self, port: PortId, frame: Frame, packet: PacketId);
    /// Tells the peer of `port` a credit limit for a class.
    fn signal(&mut self, port: PortId, class: u8, limit: u32);
    /// The newest credit limit that has arrived at `port`.
    fn latest(&mut self, port: PortId, class: u8) -> u32;
    /// Asks to be called when the next credit limit arrives.
    fn await_signal(&mut self, port: PortId, class: u8);
    /// Sets a timer at the node that owns `port`.
    fn timer(&mut self, at: Time, timer: FabricTimer);
    /// Random bits for loss on the link that leaves `port`.
    fn draw_loss(&mut self, port: PortId) -> u32;
    /// Random bits for marking at `port`.
    fn draw_mark(&mut self, port: PortId) -> u32;

    /// A packet arrives at a port of `node`, PFC frames and damaged ones included.
    #[inline]
    fn arrived(&mut self, node: NodeId, port: PortId, packet: &Packet) {
        let _ = (node, port, packet);
    }
    /// A packet is discarded at the node of `port` (its input, or its output when the queue is full).
    fn dropped(&mut self, port: PortId, packet: &Packet, reason: DropReason) {
        let _ = (port, packet, reason);
    }
    /// The sender at `port` may not send a class (`stopped`) or may again.
    fn gate(&mut self, port: PortId, class: u8, stopped: bool) {
        let _ = (port, class, stopped);
    }
}

/// What decides the delays of a transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// Everything that queues, of this size.
    Packet(u16),
    /// A PFC frame: always taken in whole, acted on without the switch's pipeline.
    Pause,
}

/// Timers of the fabric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FabricTimer {
    /// The pause of (port, class) may have expired at the sender.
    PauseExpiry(PortId, u8),
    /// The guard of (port, class) may have to repeat its PAUSE.
    PauseRefresh(PortId, u8),
    /// The tail of a packet whose head arrived at this port is there: it may go on.
    Tail(PortId, PacketId),
}

/// Why a packet was discarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropReason {
    /// Damaged on the wire.
    Corrupt,
    /// No memory left in a class without flow control.
    Full,
    /// No headroom left in a class with flow control: a lossless class lost a packet.
    Headroom,
    /// No route to its destination.
    Unroutable,
    /// Its time to live is used up.
    TimeToLive,
}

/// Where a host's port finds packets that are made only when the line can take them.
pub trait Source {
    /// Size of the next packet of `class` that the host would send by `port`; `None` if there is none now.
    fn peek(&mut self, now: Time, port: PortId, class: u8) -> Option<u16>;
    /// Makes that packet.
    fn take(&mut self, now: Time, port: PortId, class: u8) -> Packet;
}

use units::{PortId, Rate, Time};

use crate::counters::ClassCounters;
use crate::gate::Gate;
use crate::guard::Guard;
use crate::queue::Queue;

/// The class of acknowledgements and notifications: strict priority, no flow control.
pub const CONTROL: u8 = 0;

/// No input: the packet began here.
pub(crate) const HERE: u16 = u16::MAX;

/// One end of a cable: the egress that sends on it.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) node: u32,
    /// Id of the node's first port.
    pub(crate) first_port: u32,
    pub(crate) peer: PortId,
    /// Whether this port, and its peer, belongs to a switch.
    pub(crate) switch: bool,
    pub(crate) peer_switch: bool,
    /// Number within the node.
    pub(crate) local: u16,
    pub(crate) busy: bool,
    /// A fault holds the line.
    pub(crate) frozen: bool,
    /// Classes with queued packets.
    pub(crate) backlog: u8,
    /// Classes for which a host has packets it has not made yet.
    pub(crate) offered: u8,
    /// Classes for which a PFC frame waits for the line, and those of them to stop.
    pub(crate) pause_due: u8,
    pub(crate) pause_stop: u8,
    /// Data class served last, for turns among data classes.
    pub(crate) last_class: u8,
    /// Copy of what is on the line: after transmission starts the packet belongs to the receiver.
    pub(crate) sending: Sending,
    pub(crate) rate: Rate,
    /// Rate of the link that arrives here.
    pub(crate) in_rate: Rate,
    /// Probability of loss on the link in units of 2^-32, and every n-th packet (0: none).
    pub(crate) loss: u32,
    pub(crate) drop_every: u32,
    pub(crate) drop_count: u32,
    /// PFC frames sent.
    pub(crate) frames: u64,
}

impl Port {
    /// Nothing wants the line: no frame, no queued packet, none that a host would make.
    #[inline]
    pub(crate) fn is_unwanted(&self) -> bool {
        self.pause_due | self.backlog | self.offered == 0
    }

    /// Takes the free line for a packet of `lane`. Returns whether the link may damage it.
    #[inline(always)]
    pub(crate) fn start(&mut self, lane: &mut Lane, sending: Sending) -> bool {
        self.busy = true;
        self.sending = sending;
        lane.counters.bytes += u64::from(sending.size);
        lane.counters.packets += 1;
        self.loss | self.drop_every != 0
    }
}

/// What the port must remember of the packet on the line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sending {
    pub(crate) ingress: u16,
    pub(crate) size: u16,
    pub(crate) class: u8,
}

/// State of one class at one port: its output queue and gate, and the guard of its input.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) queue: Queue,
    pub(crate) gate: Gate,
    pub(crate) guard: Guard,
    /// When the gate closed, while it is closed.
    pub(crate) closed_at: Option<Time>,
    /// PFC frames about this class that this port has sent, and that it has obeyed: what a peer has
    /// sent and this port has not obeyed is in flight.
    pub(crate) frames_sent: u32,
    pub(crate) frames_taken: u32,
    pub(crate) counters: ClassCounters,
}

use units::{PortId, Rate, Time};

use crate::counters::{ClassCounters, Rare, Traffic};
use crate::gate::{Gate, PauseGate};
use crate::guard::Guard;
use crate::queue::Queue;

/// The class of acknowledgements and notifications: strict priority, no flow control.
pub const CONTROL: u8 = 0;

/// No input: the packet began here.
pub(crate) const HERE: u16 = u16::MAX;

/// One end of a cable: the egress that sends on it. One cache line.
#[derive(Debug)]
#[repr(align(64))]
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
    /// What the link does to packets, unless it is sound.
    pub(crate) damage: Option<Box<Damage>>,
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
        lane.traffic.bytes += u64::from(sending.size);
        lane.traffic.packets += 1;
        self.damage.is_some()
    }
}

const _: () = assert!(size_of::<Port>() <= 64);

/// How a link damages packets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Damage {
    /// Probability in units of 2^-32.
    pub(crate) loss: u32,
    /// Every n-th data packet (0: none), and how many have passed since the last.
    pub(crate) every: u32,
    pub(crate) count: u32,
}

impl Damage {
    /// As a port keeps it: nothing for a sound link.
    pub(crate) fn boxed(self) -> Option<Box<Damage>> {
        (self.loss > 0 || self.every > 0).then(|| Box::new(self))
    }
}

/// What the port must remember of the packet on the line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sending {
    pub(crate) ingress: u16,
    pub(crate) size: u16,
    pub(crate) class: u8,
}

/// State of one class at one port. Three cache lines, in the order of the fields: what every packet of the egress
/// asks, what one counts when it leaves, and the ingress, which belongs to the node too but sees other packets.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Lane {
    pub(crate) queue: Queue,
    pub(crate) gate: Gate,
    pub(crate) traffic: Traffic,
    rare: Option<Box<Rare>>,
    pub(crate) guard: Guard,
    /// Most bytes ever charged to the guard.
    pub(crate) max_input: u64,
}

const _: () = assert!(size_of::<Lane>() == 192);

impl Lane {
    pub(crate) fn new(queue: Queue, gate: Gate, guard: Guard) -> Lane {
        Lane { queue, gate, traffic: Traffic::default(), rare: None, guard, max_input: 0 }
    }

    /// What few packets meet; made when it is first needed.
    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// The gate as one under PFC, and what few packets meet.
    pub(crate) fn pause_gate(&mut self) -> Option<(&mut PauseGate, &mut Rare)> {
        match &mut self.gate {
            Gate::Pause(gate) => Some((gate, self.rare.get_or_insert_default())),
            _ => None,
        }
    }

    /// When the gate closed, while it is closed by a PAUSE.
    pub(crate) fn closed_at(&self) -> Option<Time> {
        self.rare.as_ref()?.closed_at
    }

    /// PFC frames about this class that this port has sent, and that it has obeyed: what a peer has sent and this
    /// port has not obeyed is in flight.
    pub(crate) fn frames(&self) -> [u32; 2] {
        self.rare.as_ref().map_or([0; 2], |rare| [rare.frames_sent, rare.frames_taken])
    }

    /// Everything counted.
    pub(crate) fn counters(&self) -> ClassCounters {
        let rare = self.rare.as_ref().map_or(ClassCounters::default(), |rare| rare.counters);
        let Traffic { bytes, packets, served, waited, longest_wait, max_queue } = self.traffic;
        ClassCounters { bytes, packets, served, waited, longest_wait, max_queue, max_input: self.max_input, ..rare }
    }
}

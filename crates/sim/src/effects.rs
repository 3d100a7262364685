use engine::{Engine, EventQueue, Purpose, Stream};
use fabric::{Effects, FabricTimer, Frame};
use units::{NodeId, PortId, Time};
use wire::{Packet, PacketId};

use crate::fingerprint::Fingerprint;
use crate::lines::Lines;
use crate::timer::Timer;

/// What the links have besides the state of their ports: delays, random streams, one a port and purpose, made when
/// first needed, and the hash of what arrives.
#[derive(Debug)]
pub(crate) struct Wires {
    pub(crate) lines: Lines,
    pub(crate) fingerprint: Fingerprint,
    seed: u64,
    node_of: Vec<NodeId>,
    first_port: Vec<u32>,
    loss: Vec<Option<Box<Stream>>>,
    marks: Vec<Option<Box<Stream>>>,
}

impl Wires {
    pub(crate) fn new(lines: Lines, seed: u64, node_of: Vec<NodeId>, first_port: Vec<u32>) -> Wires {
        let ports = node_of.len();
        let fingerprint = Fingerprint::new(first_port.len());
        Wires { lines, fingerprint, seed, node_of, first_port, loss: vec![None; ports], marks: vec![None; ports] }
    }

    fn draw(seed: u64, streams: &mut [Option<Box<Stream>>], port: PortId, purpose: Purpose) -> u32 {
        let stream =
            streams[port.index()].get_or_insert_with(|| Box::new(Stream::new(seed, purpose, u64::from(port.0))));
        (stream.bits() >> 32) as u32
    }
}

/// The engine as the fabric sees it.
pub(crate) struct Fx<'a, Q> {
    pub(crate) engine: &'a mut Engine<Q>,
    pub(crate) wires: &'a mut Wires,
}

impl<Q: EventQueue> Effects for Fx<'_, Q> {
    #[inline]
    fn now(&self) -> Time {
        self.engine.now()
    }

    #[inline(always)]
    fn transmit(&mut self, port: PortId, frame: Frame, packet: PacketId) {
        self.wires.lines.transmit(self.engine, port, frame, packet.0);
    }

    #[inline]
    fn signal(&mut self, port: PortId, class: u8, limit: u32) {
        self.engine.signal(port, class, limit);
    }

    #[inline]
    fn latest(&mut self, port: PortId, class: u8) -> u32 {
        self.engine.latest(port, class)
    }

    fn await_signal(&mut self, port: PortId, class: u8) {
        self.engine.await_signal(port, class);
    }

    fn timer(&mut self, at: Time, timer: FabricTimer) {
        let (port, timer) = match timer {
            FabricTimer::PauseExpiry(port, class) => (port, Timer::PauseExpiry(self.local(port), class)),
            FabricTimer::PauseRefresh(port, class) => (port, Timer::PauseRefresh(self.local(port), class)),
            FabricTimer::Tail(port, packet) => (port, Timer::Tail(packet)),
        };
        self.engine.at(at, self.wires.node_of[port.index()], timer.encode());
    }

    #[inline(always)]
    fn arrived(&mut self, node: NodeId, port: PortId, packet: &Packet) {
        self.wires.fingerprint.arrival(node, self.engine.now(), port, packet);
    }

    fn draw_loss(&mut self, port: PortId) -> u32 {
        Wires::draw(self.wires.seed, &mut self.wires.loss, port, Purpose::Loss)
    }

    fn draw_mark(&mut self, port: PortId) -> u32 {
        Wires::draw(self.wires.seed, &mut self.wires.marks, port, Purpose::Marking)
    }
}

impl<Q> Fx<'_, Q> {
    fn local(&self, port: PortId) -> u16 {
        (port.0 - self.wires.first_port[self.wires.node_of[port.index()].index()]) as u16
    }
}

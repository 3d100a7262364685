use units::PortId;
use wire::{Flags, Kind, PacketId};

use crate::config::Credit;
use crate::effects::{Effects, Source};
use crate::fabric::Fabric;
use crate::gate::Gate;
use crate::port::{CONTROL, HERE, Lane, Sending};

impl Fabric {
    /// Starts the next transmission of a port if its line is free and something may go.
    #[inline(never)]
    pub fn try_send<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId) {
        self.send_next(fx, source, port);
    }

    /// The same where it matters: a PFC frame goes first, then control, then the data classes in turn. The line may
    /// be busy even if it was free just now: memory given back lets a sender go on, who may be told by this very line.
    #[inline(always)]
    pub(crate) fn send_next<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId) {
        let state = &self.ports[port.index()];
        if state.is_unwanted() || state.busy || state.frozen {
            return;
        }
        if state.pause_due != 0 {
            return self.send_frame(fx, port);
        }
        let (backlog, waiting) = (state.backlog, state.backlog | state.offered);
        if backlog & 1 << CONTROL != 0 && self.try_queue(fx, port, CONTROL) {
            return;
        }
        if self.config.classes > 2 || waiting & 0b10 == 0 {
            return self.try_in_turn(fx, source, port, waiting);
        }
        if backlog & 0b10 != 0 {
            self.try_queue(fx, port, 1);
        } else {
            self.try_source(fx, source, port, 1);
        }
    }

    /// Starts a packet of the first class that has one whose gate lets it pass, beginning after the class served last.
    #[inline(never)]
    fn try_in_turn<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, waiting: u8) {
        let data_classes = self.config.classes - 1;
        // At a NIC the higher class goes first (802.1Q strict priority); switches serve them in turn.
        if !self.ports[port.index()].switch {
            let ready = (1..=data_classes).rev().filter(|class| waiting & 1 << class != 0);
            for class in ready {
                if self.try_class(fx, source, port, class) {
                    return;
                }
            }
            return;
        }
        let last = self.ports[port.index()].last_class;
        for turn in 0..data_classes {
            let class = (last + turn) % data_classes + 1;
            if waiting & 1 << class != 0 && self.try_class(fx, source, port, class) {
                self.ports[port.index()].last_class = class;
                return;
            }
        }
    }

    /// Starts the next packet of one class, if there is one and its gate lets it pass.
    fn try_class<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8) -> bool {
        if self.ports[port.index()].backlog & 1 << class != 0 {
            self.try_queue(fx, port, class)
        } else {
            self.try_source(fx, source, port, class)
        }
    }

    /// Starts the packet at the head of a queue that is not empty, if the gate lets it pass.
    #[inline(always)]
    fn try_queue<F: Effects>(&mut self, fx: &mut F, out: PortId, class: u8) -> bool {
        let index = self.lane(out, class);
        let lane = &mut self.lanes[index];
        let id = lane.queue.head();
        let packet = &self.packets[id];
        if !lane.may_send(fx, out, class, packet.size) {
            return false;
        }
        let sending = Sending { ingress: packet.ingress, size: packet.size, class };
        lane.queue.pop(packet);
        lane.traffic.waited(fx.now() - self.joined.get(id));
        let port = &mut self.ports[out.index()];
        if lane.queue.packets == 0 {
            port.backlog &= !(1 << class);
        }
        let special = port.start(lane, sending) || self.marks_leavers;
        self.launch(fx, out, id, sending, special);
        true
    }

    /// Starts a packet that a host makes now, if it has one and the gate lets it pass.
    #[inline(never)]
    fn try_source<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, out: PortId, class: u8) -> bool {
        let Some(size) = source.peek(fx.now(), out, class) else {
            self.ports[out.index()].offered &= !(1 << class);
            return false;
        };
        let index = self.lane(out, class);
        let lane = &mut self.lanes[index];
        if !lane.may_send(fx, out, class, size) {
            return false;
        }
        let packet = source.take(fx.now(), out, class);
        debug_assert_eq!(packet.size, size, "a source gives what it showed");
        let id = self.packets.insert(packet);
        let sending = Sending { ingress: HERE, size, class };
        let special = self.ports[out.index()].start(lane, sending);
        self.launch(fx, out, id, sending, special);
        true
    }

    /// Decides whether a lossy link damages this packet.
    #[inline(never)]
    pub(crate) fn damage<F: Effects>(&mut self, fx: &mut F, port: PortId, index: usize, id: PacketId) {
        let Some(damage) = &mut self.ports[port.index()].damage else { return };
        let mut damaged = damage.loss > 0 && fx.draw_loss(port) < damage.loss;
        if damage.every > 0 && self.packets[id].kind == Kind::Data {
            damage.count += 1;
            if damage.count == damage.every {
                damage.count = 0;
                damaged = true;
            }
        }
        if damaged {
            self.packets[id].flags = self.packets[id].flags.with(Flags::CORRUPT);
            self.lanes[index].rare().counters.corrupted += 1;
        }
    }
}

impl Fabric {
    /// A packet that begins at a host has no input.
    pub const fn no_ingress() -> u16 {
        HERE
    }
}

impl Lane {
    /// Asks the gate, and notes what it costs when it refuses.
    #[inline(always)]
    pub(crate) fn may_send<F: Effects>(&mut self, fx: &mut F, port: PortId, class: u8, size: u16) -> bool {
        match &mut self.gate {
            Gate::Open => true,
            Gate::Pause(gate) => !gate.is_stopped(fx.now()),
            Gate::Credit(gate) => {
                let limit = fx.latest(port, class);
                let blocks = Credit::blocks(size);
                if gate.allows(limit, blocks) {
                    gate.sent = gate.sent.wrapping_add(blocks);
                    if let Some(since) = gate.starved.take() {
                        self.rare().counters.credit_stall += fx.now() - since;
                        fx.gate(port, class, false);
                    }
                    return true;
                }
                if gate.starved.is_none() {
                    gate.starved = Some(fx.now());
                    fx.gate(port, class, true);
                }
                fx.await_signal(port, class);
                false
            }
        }
    }

    /// Notes the length of the output queue.
    #[inline]
    pub(crate) fn note_queue(&mut self) {
        self.traffic.max_queue = self.traffic.max_queue.max(self.queue.bytes);
    }
}

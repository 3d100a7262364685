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
        if !self.ports[port.index()].busy {
            self.send_next(fx, source, port);
        }
    }

    /// Starts the next transmission of a port whose line is free, if something may go: a PFC frame
    /// first, then control, then the data classes in turn.
    #[inline(always)]
    pub(crate) fn send_next<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId) {
        let state = &self.ports[port.index()];
        if state.is_unwanted() || state.frozen {
            return;
        }
        if state.pause_due != 0 {
            return self.send_frame(fx, port);
        }
        let waiting = state.backlog | state.offered;
        if waiting & 1 != 0 && self.try_class(fx, source, port, CONTROL) {
            return;
        }
        self.try_data_classes(fx, source, port, waiting);
    }

    #[inline(always)]
    fn try_data_classes<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, waiting: u8) {
        let data_classes = self.config.classes - 1;
        if data_classes == 1 {
            if waiting & 0b10 != 0 {
                self.try_class(fx, source, port, 1);
            }
            return;
        }
        self.try_in_turn(fx, source, port, waiting);
    }

    #[inline(never)]
    fn try_in_turn<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, waiting: u8) {
        let data_classes = self.config.classes - 1;
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
    #[inline]
    fn try_class<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8) -> bool {
        if self.ports[port.index()].backlog & 1 << class != 0 {
            self.try_queue(fx, port, class)
        } else {
            self.try_source(fx, source, port, class)
        }
    }

    /// Starts the packet at the head of a queue that is not empty, if the gate lets it pass.
    #[inline(always)]
    fn try_queue<F: Effects>(&mut self, fx: &mut F, port: PortId, class: u8) -> bool {
        let index = self.lane(port, class);
        let lane = &mut self.lanes[index];
        let id = lane.queue.head();
        let packet = &self.packets[id];
        if !lane.may_send(fx, port, class, packet.size) {
            return false;
        }
        let sending = Sending { ingress: packet.ingress, size: packet.size, class };
        lane.queue.pop(packet);
        lane.counters.waited(fx.now() - self.joined.get(id));
        if lane.queue.packets == 0 {
            self.ports[port.index()].backlog &= !(1 << class);
        }
        self.launch(fx, port, index, id, sending);
        true
    }

    /// Starts a packet that a host makes now, if it has one and the gate lets it pass.
    #[inline]
    fn try_source<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8) -> bool {
        let Some(size) = source.peek(fx.now(), port, class) else {
            self.ports[port.index()].offered &= !(1 << class);
            return false;
        };
        let index = self.lane(port, class);
        if !self.lanes[index].may_send(fx, port, class, size) {
            return false;
        }
        let packet = source.take(fx.now(), port, class);
        debug_assert_eq!(packet.size, size, "a source gives what it showed");
        let id = self.packets.insert(packet);
        self.launch(fx, port, index, id, Sending { ingress: HERE, size, class });
        true
    }

    /// Decides whether a lossy link damages this packet.
    #[inline(never)]
    pub(crate) fn damage<F: Effects>(&mut self, fx: &mut F, port: PortId, index: usize, id: PacketId) {
        let state = &mut self.ports[port.index()];
        let mut damaged = state.loss > 0 && fx.draw_loss(port) < state.loss;
        if state.drop_every > 0 && self.packets[id].kind == Kind::Data {
            state.drop_count += 1;
            if state.drop_count == state.drop_every {
                state.drop_count = 0;
                damaged = true;
            }
        }
        if damaged {
            self.packets[id].flags = self.packets[id].flags.with(Flags::CORRUPT);
            self.lanes[index].counters.corrupted += 1;
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
                        self.counters.credit_stall += fx.now() - since;
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
        self.counters.max_queue = self.counters.max_queue.max(self.queue.bytes);
    }
}

use units::PortId;
use wire::{Flags, Kind, PacketId};

use crate::config::{Credit, MarkAt};
use crate::effects::{Effects, Frame, Source};
use crate::fabric::Fabric;
use crate::gate::Gate;
use crate::port::{CONTROL, HERE, Sending};

impl Fabric {
    /// Starts the next transmission of a port if its line is free and something may go: a PFC frame
    /// first, then control, then the data classes in turn.
    #[inline]
    pub fn try_send<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId) {
        let state = &self.ports[port.index()];
        if state.busy || state.frozen {
            return;
        }
        if state.pause_due != 0 {
            return self.send_frame(fx, port);
        }
        let waiting = state.backlog | state.offered;
        if waiting == 0 {
            return;
        }
        if waiting & 1 != 0 && self.try_class(fx, source, port, CONTROL) {
            return;
        }
        self.try_data_classes(fx, source, port, waiting);
    }

    #[inline]
    fn try_data_classes<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, waiting: u8) {
        let data_classes = self.config.classes - 1;
        if data_classes == 1 {
            if waiting & 0b10 != 0 {
                self.try_class(fx, source, port, 1);
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
    #[inline]
    fn try_class<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8) -> bool {
        let index = self.lane(port, class);
        let queued = self.ports[port.index()].backlog & 1 << class != 0;
        let size = if queued {
            self.packets[self.lanes[index].queue.head()].size
        } else {
            match source.peek(fx.now(), port, class) {
                Some(size) => size,
                None => {
                    self.ports[port.index()].offered &= !(1 << class);
                    return false;
                }
            }
        };
        if !self.pass_gate(fx, port, class, index, size) {
            return false;
        }
        let id = if queued {
            self.dequeue(fx, port, class, index)
        } else {
            let packet = source.take(fx.now(), port, class);
            debug_assert_eq!(packet.size, size, "a source gives what it showed");
            self.packets.insert(packet)
        };
        let state = &self.ports[port.index()];
        if state.loss != 0 || state.drop_every != 0 {
            self.damage(fx, port, index, id);
        }
        let ingress = self.packets[id].ingress;
        let state = &mut self.ports[port.index()];
        state.busy = true;
        state.sending = Sending { ingress, size, class };
        let counters = &mut self.lanes[index].counters;
        counters.bytes += u64::from(size);
        counters.packets += 1;
        fx.transmit(port, Frame::Packet(size), id);
        true
    }

    /// Asks the gate, and notes what it costs when it refuses.
    #[inline]
    fn pass_gate<F: Effects>(&mut self, fx: &mut F, port: PortId, class: u8, index: usize, size: u16) -> bool {
        let lane = &mut self.lanes[index];
        match &mut lane.gate {
            Gate::Open => true,
            Gate::Pause(gate) => !gate.is_stopped(fx.now()),
            Gate::Credit(gate) => {
                let limit = fx.latest(port, class);
                let blocks = Credit::blocks(size);
                if gate.allows(limit, blocks) {
                    gate.sent = gate.sent.wrapping_add(blocks);
                    if let Some(since) = gate.starved.take() {
                        lane.counters.credit_stall += fx.now() - since;
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

    #[inline]
    fn dequeue<F: Effects>(&mut self, fx: &mut F, port: PortId, class: u8, index: usize) -> PacketId {
        let lane = &mut self.lanes[index];
        let id = lane.queue.pop(&mut self.packets);
        lane.counters.waited(fx.now() - self.joined.get(id));
        if lane.queue.packets == 0 {
            self.ports[port.index()].backlog &= !(1 << class);
        }
        if self.mark_at == Some(MarkAt::Dequeue) {
            let own = u64::from(self.packets[id].size);
            self.mark(fx, port, id, index, own);
        }
        id
    }

    /// Decides whether a lossy link damages this packet.
    fn damage<F: Effects>(&mut self, fx: &mut F, port: PortId, index: usize, id: PacketId) {
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

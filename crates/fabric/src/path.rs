use units::{NodeId, PortId, Rate, Time};
use wire::{Flags, Kind, Packet, PacketId};

use crate::admission::Admission;
use crate::config::MarkAt;
use crate::effects::{DropReason, Effects, FabricTimer, Frame, Source};
use crate::fabric::{Arrived, Fabric};
use crate::forwarding::Hops;
use crate::gate::Gate;
use crate::port::{CONTROL, HERE, Sending};

/// Where a packet came in.
#[derive(Clone, Copy)]
struct Input {
    port: PortId,
    node: u32,
    /// First port of the node, and the number of this one within it.
    first: u32,
    local: u16,
    rate: Rate,
}

/// The way of a packet through a switch, by the two events of a hop: it arrives and is queued, and a
/// line is free for the next. What is rare leaves these functions for others that are not inlined, and
/// each array is indexed once where that can be had: a hop is mostly look-ups.
impl Fabric {
    /// A packet arrives at `port`; its tail `lag` later.
    #[inline(always)]
    pub fn arrival<F: Effects, S: Source, H: Hops>(
        &mut self,
        fx: &mut F,
        source: &mut S,
        hops: &H,
        port: PortId,
        id: PacketId,
        lag: Time,
    ) -> Arrived {
        let packet = &self.packets[id];
        let input = &self.ports[port.index()];
        fx.arrived(NodeId(input.node), port, packet);
        if packet.kind == Kind::Pause || packet.flags.has(Flags::CORRUPT) {
            self.odd_arrival(fx, source, port, id);
            return Arrived::Taken;
        }
        if !input.switch {
            return Arrived::Delivered(id);
        }
        let from = Input { port, node: input.node, first: input.first_port, local: input.local, rate: input.in_rate };
        match self.admit(port, from.node, packet.class, packet.size) {
            Admission::Accepted => {}
            Admission::Stop => self.ask_to_stop(fx, source, port, self.packets[id].class),
            Admission::Refused { reason, stop } => {
                if stop {
                    self.ask_to_stop(fx, source, port, self.packets[id].class);
                }
                self.discard(fx, port, id, reason);
                return Arrived::Taken;
            }
        }
        self.forward(fx, source, hops, from, id, lag);
        self.check_node(port);
        Arrived::Taken
    }

    /// A PFC frame, or a packet that was damaged on the wire.
    #[inline(never)]
    fn odd_arrival<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, id: PacketId) {
        match self.packets[id].kind {
            Kind::Pause => self.take_pause(fx, source, port, id),
            _ => self.discard_corrupt(fx, port, id),
        }
    }

    /// Finds the way of an admitted packet and queues it, now or when its tail is there.
    #[inline(always)]
    fn forward<F: Effects, S: Source, H: Hops>(
        &mut self,
        fx: &mut F,
        source: &mut S,
        hops: &H,
        from: Input,
        id: PacketId,
        lag: Time,
    ) {
        let packet = &mut self.packets[id];
        packet.ingress = from.local;
        let class = usize::from(packet.class);
        let (lanes, classes) = (&self.lanes, self.classes);
        let queued = |local: u16| lanes[(from.first as usize + usize::from(local)) * classes + class].queue.bytes;
        let choice = self.forwarding.choose(hops, NodeId(from.node), packet, queued);
        packet.hop = packet.hop.wrapping_add(1);
        let Some(choice) = choice else {
            return self.discard_admitted(fx, source, from.port, id, DropReason::Unroutable);
        };
        let out = PortId(from.first + u32::from(choice));
        let output = &self.ports[out.index()];
        if output.peer_switch {
            if packet.ttl == 0 {
                return self.discard_admitted(fx, source, from.port, id, DropReason::TimeToLive);
            }
            packet.ttl -= 1;
        }
        // Cut-through from the head only onto a line no faster than the one it comes by.
        //
        // Model: a line faster by less than 1/512, as clocks differ, counts as equal; the bytes that the elastic buffer
        // of a real port holds back for that are neglected.
        if lag > Time::ZERO && output.rate.bps() > from.rate.bps() + from.rate.bps() / 512 {
            packet.next = PacketId(out.0);
            self.tails.push((from.port, id));
            fx.timer(fx.now() + lag, FabricTimer::Tail(from.port, id));
        } else {
            let sending = Sending { ingress: from.local, size: packet.size, class: packet.class };
            self.join(fx, source, out, id, sending);
        }
    }

    /// The tail of a packet that had to wait for it is there. `next` held its output meanwhile.
    pub fn tail_arrived<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, id: PacketId) {
        let out = PortId(self.packets[id].next.0);
        self.tails.retain(|&(_, waiting)| waiting != id);
        self.enqueue(fx, source, out, id);
    }

    /// Queues a packet at an output and starts it if the line is free. Hosts queue control packets here.
    #[inline(never)]
    pub fn enqueue<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, out: PortId, id: PacketId) {
        let packet = &self.packets[id];
        let sending = Sending { ingress: packet.ingress, size: packet.size, class: packet.class };
        self.join(fx, source, out, id, sending);
    }

    #[inline(always)]
    fn join<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, out: PortId, id: PacketId, sending: Sending) {
        let Sending { size, class, .. } = sending;
        let index = self.lane(out, class);
        if self.watches_queues && !self.is_welcome(fx, source, out, index, id) {
            return;
        }
        let port = &mut self.ports[out.index()];
        let lane = &mut self.lanes[index];
        let free = !port.busy && !port.frozen;
        // A packet that finds nothing before it starts at once, or waits for its gate.
        let alone = free && port.is_unwanted();
        if alone && lane.may_send(fx, out, class, size) {
            lane.traffic.served += 1;
            let special = port.start(lane, sending) || self.marks_leavers;
            return self.launch(fx, out, id, sending, special);
        }
        port.backlog |= 1 << class;
        self.joined.set(id, fx.now());
        lane.queue.push(&mut self.packets, id, sending);
        if free && !alone {
            return self.try_send_noted(fx, source, out, index);
        }
        lane.note_queue();
    }

    /// Starts what may go now and notes what is left: a packet that starts at once never queues.
    #[inline(never)]
    fn try_send_noted<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, out: PortId, index: usize) {
        self.try_send(fx, source, out);
        self.lanes[index].note_queue();
    }

    /// Looks at the length of a queue that a packet wants to join: the packet may be marked, or find no room.
    #[inline(never)]
    fn is_welcome<F: Effects, S: Source>(
        &mut self,
        fx: &mut F,
        source: &mut S,
        out: PortId,
        index: usize,
        id: PacketId,
    ) -> bool {
        let (class, size) = (self.packets[id].class, self.packets[id].size);
        if self.config.buffer.egress_limit.is_some() && self.is_full(out, index, class, size) {
            let from = self.input_of(out, id);
            self.discard_from(fx, source, out, from, id, DropReason::Full);
            return false;
        }
        if self.config.ecn.is_some_and(|ecn| ecn.mark_at == MarkAt::Enqueue) {
            self.mark(fx, out, id, index, 0);
        }
        true
    }

    /// Whether an output queue without flow control has no room for `size` more bytes.
    fn is_full(&self, out: PortId, index: usize, class: u8, size: u16) -> bool {
        let lane = &self.lanes[index];
        let limit = self.config.buffer.egress_limit.map_or(u64::MAX, |limit| limit.get());
        matches!(lane.gate, Gate::Open)
            && class != CONTROL
            && self.ports[out.index()].switch
            && lane.queue.bytes + u64::from(size) > limit
    }

    /// The port by which a queued packet came; `None` if it began at this node.
    pub(crate) fn input_of(&self, out: PortId, id: PacketId) -> Option<PortId> {
        let ingress = self.packets[id].ingress;
        (ingress != HERE).then(|| PortId(self.ports[out.index()].first_port + u32::from(ingress)))
    }

    /// Marks a packet by the length of its queue, `leaving` bytes of which are its own.
    #[inline(never)]
    pub(crate) fn mark<F: Effects>(&mut self, fx: &mut F, port: PortId, id: PacketId, lane: usize, leaving: u64) {
        let Some(ecn) = self.config.ecn else { return };
        if self.packets[id].kind != Kind::Data || !self.ports[port.index()].switch {
            return;
        }
        let probability = ecn.probability(self.lanes[lane].queue.bytes + leaving);
        if probability > 0 && u64::from(fx.draw_mark(port)) < probability {
            self.packets[id].flags = self.packets[id].flags.with(Flags::CE);
            self.lanes[lane].rare().counters.marks += 1;
        }
    }

    /// Puts a packet, in no queue any more, on the line that [`Port::start`] has taken. `special`: it may be
    /// marked or damaged.
    #[inline(always)]
    pub(crate) fn launch<F: Effects>(
        &mut self,
        fx: &mut F,
        port: PortId,
        id: PacketId,
        sending: Sending,
        special: bool,
    ) {
        if special {
            self.mark_or_damage(fx, port, id, sending);
        }
        fx.transmit(port, Frame::Packet(sending.size), id);
    }

    #[inline(never)]
    fn mark_or_damage<F: Effects>(&mut self, fx: &mut F, port: PortId, id: PacketId, sending: Sending) {
        let index = self.lane(port, sending.class);
        if self.marks_leavers {
            self.mark(fx, port, id, index, u64::from(sending.size));
        }
        self.damage(fx, port, index, id);
    }

    /// The line that leaves `port` is free: memory of what has left is given back, the next may go.
    #[inline(always)]
    pub fn line_free<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId) {
        let state = &mut self.ports[port.index()];
        state.busy = false;
        let Sending { ingress, size, class } = state.sending;
        if ingress != HERE {
            let (node, input) = (state.node, PortId(state.first_port + u32::from(ingress)));
            self.give_back(fx, source, node as usize, input, class, size);
            self.check_node(port);
        }
        self.send_next(fx, source, port);
    }

    /// The way that a switch would choose for a packet with all queues empty.
    pub fn choose_way<H: Hops>(&mut self, hops: &H, switch: NodeId, packet: &Packet) -> Option<u16> {
        self.forwarding.choose(hops, switch, packet, |_| 0)
    }
}

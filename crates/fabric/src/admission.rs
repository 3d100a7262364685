use units::PortId;
use wire::{Kind, Packet, PacketId};

use crate::config::Credit;
use crate::effects::{DropReason, Effects, Source};
use crate::fabric::Fabric;
use crate::guard::{Admit, Guard};

/// What the memory of a switch says to an arriving packet.
pub(crate) enum Admission {
    Accepted,
    /// Accepted; the sender must be asked to stop.
    Stop,
    /// Lost; `stop`: and the sender must be asked to stop.
    Refused {
        reason: DropReason,
        stop: bool,
    },
}

impl Fabric {
    /// Charges a packet to the input it arrives at.
    #[inline(always)]
    pub(crate) fn admit(&mut self, port: PortId, node: u32, class: u8, size: u16) -> Admission {
        let index = self.lane(port, class);
        let node = &mut self.nodes[node as usize];
        let bytes = u64::from(size);
        let lane = &mut self.lanes[index];
        let mut admission = Admission::Accepted;
        match &mut lane.guard {
            Guard::None => {
                if class != crate::CONTROL
                    && self.config.buffer.size.is_some_and(|limit| node.held + bytes > limit.get())
                {
                    return Admission::Refused { reason: DropReason::Full, stop: false };
                }
            }
            Guard::Pause(guard) => {
                match guard.charge(bytes, &mut node.pool_used) {
                    Admit::Accepted => {}
                    Admit::Stop => admission = Admission::Stop,
                    Admit::Refused => return Admission::Refused { reason: DropReason::Headroom, stop: false },
                    Admit::RefusedAndStop => return Admission::Refused { reason: DropReason::Headroom, stop: true },
                }
                lane.max_input = lane.max_input.max(guard.held);
            }
            Guard::Credit(guard) => guard.charge(Credit::blocks(size)),
        }
        node.charge(bytes);
        admission
    }

    /// Gives back the memory of a packet whose tail has left, and tells the sender.
    #[inline(never)]
    pub(crate) fn release<F: Effects, S: Source>(
        &mut self,
        fx: &mut F,
        source: &mut S,
        input: PortId,
        class: u8,
        size: u16,
    ) {
        let node = self.ports[input.index()].node as usize;
        self.give_back(fx, source, node, input, class, size);
    }

    /// The same for the caller who knows the node.
    #[inline(always)]
    pub(crate) fn give_back<F: Effects, S: Source>(
        &mut self,
        fx: &mut F,
        source: &mut S,
        node_index: usize,
        input: PortId,
        class: u8,
        size: u16,
    ) {
        let index = self.lane(input, class);
        let node = &mut self.nodes[node_index];
        node.discharge(u64::from(size));
        match &mut self.lanes[index].guard {
            Guard::None => {}
            Guard::Pause(guard) => {
                let before = node.pool_used;
                guard.release(u64::from(size), &mut node.pool_used);
                let (pool_fell, any_stopped) = (node.pool_used < before, node.stopped > 0);
                if any_stopped {
                    if guard.stopped && guard.may_resume(node.pool_used) {
                        self.let_go_on(fx, source, input, class);
                    }
                    if pool_fell {
                        self.reconsider(fx, source, node_index);
                    }
                }
            }
            Guard::Credit(guard) => {
                guard.release(Credit::blocks(size));
                let limit = guard.limit();
                fx.signal(input, class, limit);
            }
        }
    }

    /// The pool has fallen, so thresholds have risen: every stopped sender of the switch may be due to
    /// go on, not only the one whose packet left.
    #[inline(never)]
    fn reconsider<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, node: usize) {
        let (first, ports) = (self.nodes[node].first_port, self.nodes[node].ports);
        for port in (first..first + u32::from(ports)).map(PortId) {
            for class in 1..self.config.classes {
                let index = self.lane(port, class);
                if let Guard::Pause(guard) = &self.lanes[index].guard
                    && guard.stopped
                    && guard.may_resume(self.nodes[node].pool_used)
                {
                    self.let_go_on(fx, source, port, class);
                }
            }
        }
    }

    /// Discards a packet that was never admitted.
    #[inline(never)]
    pub(crate) fn discard<F: Effects>(&mut self, fx: &mut F, port: PortId, id: PacketId, reason: DropReason) {
        let packet: Packet = self.packets[id];
        let index = self.lane(port, packet.class);
        let counters = &mut self.lanes[index].rare().counters;
        // Damage was counted at the port whose link did it.
        counters.drops += u64::from(reason != DropReason::Corrupt);
        if reason == DropReason::Headroom {
            counters.lossless_drops += 1;
        }
        debug_assert!(packet.kind != Kind::Pause, "PFC frames are never discarded");
        fx.dropped(port, &packet, reason);
        self.packets.remove(id);
    }

    /// Discards a packet that this input had admitted, and gives its memory back.
    pub(crate) fn discard_admitted<F: Effects, S: Source>(
        &mut self,
        fx: &mut F,
        source: &mut S,
        input: PortId,
        id: PacketId,
        reason: DropReason,
    ) {
        self.discard_from(fx, source, input, Some(input), id, reason);
    }

    /// Discards a packet at `port` that `input` had admitted.
    #[inline(never)]
    pub(crate) fn discard_from<F: Effects, S: Source>(
        &mut self,
        fx: &mut F,
        source: &mut S,
        port: PortId,
        input: Option<PortId>,
        id: PacketId,
        reason: DropReason,
    ) {
        let (class, size) = (self.packets[id].class, self.packets[id].size);
        self.discard(fx, port, id, reason);
        if let Some(input) = input {
            self.release(fx, source, input, class, size);
        }
    }

    /// A damaged packet: the receiving port discards it. Under credits its blocks count as received
    /// and free.
    ///
    /// Model: the blocks of a damaged packet are restored at its arrival, as by a flow-control packet
    /// sent right behind it, not at the next periodic one.
    #[inline(never)]
    pub(crate) fn discard_corrupt<F: Effects>(&mut self, fx: &mut F, port: PortId, id: PacketId) {
        let (class, size) = (self.packets[id].class, self.packets[id].size);
        let index = self.lane(port, class);
        if let Guard::Credit(guard) = &mut self.lanes[index].guard {
            guard.lost(Credit::blocks(size));
            let limit = guard.limit();
            fx.signal(port, class, limit);
        }
        self.discard(fx, port, id, DropReason::Corrupt);
    }

    /// A host has taken a packet in: its memory is free at once, unless the host is slow.
    pub fn consume<F: Effects>(&mut self, fx: &mut F, port: PortId, class: u8, size: u16) {
        let index = self.lane(port, class);
        if let Guard::Credit(guard) = &mut self.lanes[index].guard {
            let blocks = Credit::blocks(size);
            guard.charge(blocks);
            guard.release(blocks);
            let limit = guard.limit();
            fx.signal(port, class, limit);
        }
    }

    /// A slow host keeps a packet in its receive buffer. False when there is no room: it is lost.
    pub fn hold<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, id: PacketId) -> bool {
        let (class, size) = (self.packets[id].class, self.packets[id].size);
        let node = self.ports[port.index()].node;
        match self.admit(port, node, class, size) {
            Admission::Accepted => true,
            Admission::Stop => {
                self.ask_to_stop(fx, source, port, class);
                true
            }
            Admission::Refused { reason, stop } => {
                if stop {
                    self.ask_to_stop(fx, source, port, class);
                }
                self.discard(fx, port, id, reason);
                false
            }
        }
    }

    /// A slow host has consumed a packet that it held.
    pub fn unhold<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8, size: u16) {
        self.release(fx, source, port, class, size);
    }
}

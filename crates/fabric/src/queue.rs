use units::Time;
use wire::{Packet, PacketId, Packets};

use crate::port::Sending;

/// A chain of packets through [`wire::Packet::next`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    head: PacketId,
    tail: PacketId,
}

impl Chain {
    pub(crate) const EMPTY: Chain = Chain { head: PacketId::NONE, tail: PacketId::NONE };

    #[inline]
    pub(crate) fn head(&self) -> PacketId {
        self.head
    }

    #[inline]
    pub(crate) fn push(&mut self, packets: &mut Packets, id: PacketId) {
        packets[id].next = PacketId::NONE;
        if self.head.is_none() {
            self.head = id;
        } else {
            packets[self.tail].next = id;
        }
        self.tail = id;
    }

    #[inline]
    pub(crate) fn pop(&mut self, packet: &Packet) {
        self.head = packet.next;
    }
}

/// An output queue of one class: one chain in order of arrival, or one chain for each input with
/// the backlogged inputs in a ring.
#[derive(Debug)]
pub(crate) struct Queue {
    order: Order,
    pub(crate) bytes: u64,
    pub(crate) packets: u32,
}

#[derive(Debug)]
enum Order {
    Fifo(Chain),
    PerInput(Box<Inputs>),
}

#[derive(Debug)]
struct Inputs {
    chains: Vec<Chain>,
    /// Successor of each backlogged input in the ring of turns.
    turn: Vec<u16>,
    first: u16,
    last: u16,
}

impl Queue {
    pub(crate) fn fifo() -> Queue {
        Queue { order: Order::Fifo(Chain::EMPTY), bytes: 0, packets: 0 }
    }

    /// For a switch of `inputs` ports.
    pub(crate) fn per_input(inputs: u16) -> Queue {
        let inputs = usize::from(inputs);
        let rings = Inputs { chains: vec![Chain::EMPTY; inputs], turn: vec![0; inputs], first: 0, last: 0 };
        Queue { order: Order::PerInput(Box::new(rings)), bytes: 0, packets: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, packets: &mut Packets, id: PacketId, sending: Sending) {
        self.bytes += u64::from(sending.size);
        match &mut self.order {
            Order::Fifo(chain) => chain.push(packets, id),
            Order::PerInput(inputs) => inputs.push(packets, sending.ingress, id, self.packets == 0),
        }
        self.packets += 1;
    }

    /// The packet that would leave next.
    #[inline]
    pub(crate) fn head(&self) -> PacketId {
        match &self.order {
            Order::Fifo(chain) => chain.head(),
            Order::PerInput(inputs) => inputs.chains[usize::from(inputs.first)].head(),
        }
    }

    /// Takes the head of a queue out; `packet` is it.
    #[inline]
    pub(crate) fn pop(&mut self, packet: &Packet) {
        debug_assert!(self.packets > 0, "pop from an empty queue");
        match &mut self.order {
            Order::Fifo(chain) => chain.pop(packet),
            Order::PerInput(inputs) => inputs.pop(packet),
        }
        self.packets -= 1;
        self.bytes -= u64::from(packet.size);
    }

    /// Whether each input has a list of its own.
    pub(crate) fn is_per_input(&self) -> bool {
        matches!(self.order, Order::PerInput(_))
    }

    /// All packets, for audits.
    pub(crate) fn each(&self, packets: &Packets, mut visit: impl FnMut(PacketId)) {
        self.chains(packets, |chain| chain.iter().for_each(|id| visit(*id)));
    }

    /// The strictly ordered lists of packets, each from its head: only heads can move.
    pub(crate) fn chains(&self, packets: &Packets, mut visit: impl FnMut(&[PacketId])) {
        if self.packets == 0 {
            return;
        }
        let chains: &[Chain] = match &self.order {
            Order::Fifo(chain) => std::slice::from_ref(chain),
            Order::PerInput(inputs) => &inputs.chains,
        };
        let mut list = Vec::new();
        for chain in chains {
            list.clear();
            let mut id = chain.head();
            while !id.is_none() {
                list.push(id);
                id = packets[id].next;
            }
            if !list.is_empty() {
                visit(&list);
            }
        }
    }
}

impl Inputs {
    fn push(&mut self, packets: &mut Packets, input: u16, id: PacketId, all_empty: bool) {
        let chain = &mut self.chains[usize::from(input)];
        let joins = chain.head().is_none();
        chain.push(packets, id);
        if joins {
            if all_empty {
                self.first = input;
            } else {
                self.turn[usize::from(self.last)] = input;
            }
            self.last = input;
        }
    }

    fn pop(&mut self, packet: &Packet) {
        let input = self.first;
        let chain = &mut self.chains[usize::from(input)];
        chain.pop(packet);
        let drained = chain.head().is_none();
        // With one backlogged input the ring is that input alone, whose successor is stale.
        if input != self.last {
            self.first = self.turn[usize::from(input)];
            if !drained {
                self.turn[usize::from(self.last)] = input;
                self.last = input;
            }
        }
    }
}

/// When each queued packet joined its queue, beside the slab of packets.
#[derive(Debug, Default)]
pub(crate) struct Joined(Vec<Time>);

impl Joined {
    #[inline]
    pub(crate) fn set(&mut self, id: PacketId, now: Time) {
        if id.index() >= self.0.len() {
            self.0.resize(id.index() + 1, Time::ZERO);
        }
        self.0[id.index()] = now;
    }

    #[inline]
    pub(crate) fn get(&self, id: PacketId) -> Time {
        self.0[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(queue: &mut Queue, arrivals: &[u16], packets: &mut Packets) -> Vec<u32> {
        for (n, ingress) in arrivals.iter().enumerate() {
            let id = packets.insert(Packet { psn: n as u32, ingress: *ingress, size: 10, ..Packet::default() });
            queue.push(packets, id, Sending { ingress: *ingress, size: 10, class: 1 });
        }
        let mut order = Vec::new();
        while queue.packets > 0 {
            let id = queue.head();
            queue.pop(&packets[id]);
            order.push(packets[id].psn);
            packets.remove(id);
        }
        order
    }

    #[test]
    fn fifo_serves_in_order_of_arrival() {
        let mut packets = Packets::default();
        assert_eq!(served(&mut Queue::fifo(), &[0, 0, 0, 1, 2], &mut packets), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn per_input_service_takes_turns() {
        let mut packets = Packets::default();
        let mut queue = Queue::per_input(3);
        assert_eq!(served(&mut queue, &[0, 0, 0, 1, 2, 1], &mut packets), [0, 3, 4, 1, 5, 2]);
        assert_eq!(served(&mut queue, &[2, 2, 0], &mut packets), [0, 2, 1], "the ring starts afresh");
        assert_eq!(queue.bytes, 0);
    }
}

use units::{NodeId, PortId, Time};

use crate::due::Due;

/// Delays of one transmission, all from its start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Delays {
    /// Until the line is free again (the wire time). Positive.
    pub wire: Time,
    /// Until the arrival callback at the peer: at the item's head or its tail. Positive.
    pub arrival: Time,
    /// From the arrival callback until the tail is there: zero when the callback comes at the tail.
    /// Less than [`Delays::LAG_LIMIT`].
    pub lag: Time,
    /// Of what one link brings at one instant this comes first: for what is delayed less than what was
    /// sent before it, such as a frame that acts ahead of the receiver's pipeline.
    pub express: bool,
}

impl Delays {
    /// Every lag is shorter.
    pub const LAG_LIMIT: Time = Time::from_ps(LAG_MAX + 1);

    /// Place among the arrivals that one link brings at one instant: express, whole, head.
    pub(crate) fn rank(&self) -> u8 {
        match (self.express, self.lag > Time::ZERO) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        }
    }

    pub(crate) fn check(&self) {
        assert!(self.wire > Time::ZERO && self.arrival > Time::ZERO, "delays are positive: {self:?}");
        assert!(self.lag < Delays::LAG_LIMIT, "a lag has an end: {self:?}");
    }
}

/// Transmissions of equal delays share a lane, so a lane's records are in time order by themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lane(pub u16);

/// Something due. Ordered by `(time, key)`, which is unique among pending events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Event {
    /// When, in picoseconds.
    pub time: u64,
    /// Class, id and rank: see the constructors.
    pub key: u64,
    /// What was transmitted.
    pub item: u32,
    /// [`Delays::lag`] of an arrival, in picoseconds.
    pub lag: u64,
}

const CLASS_SHIFT: u32 = 62;
const SIGNAL: u64 = 0;
const LINE_FREE: u64 = 1;
const ARRIVAL: u64 = 2;
const TIMER: u64 = 3;

/// Bits of an arrival's rank and of its lag.
pub(crate) const RANK_BITS: u32 = 2;
pub(crate) const LAG_BITS: u32 = 60;
pub(crate) const LAG_MAX: u64 = (1 << LAG_BITS) - 1;

/// An [`Event::key`] taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Key {
    Signal { port: PortId, class: u8 },
    LineFree { port: PortId },
    Arrival { from: PortId, rank: u8 },
    Timer { node: NodeId, slot: u32 },
}

impl Event {
    /// A starved port may look at its signal again.
    pub fn signal(time: u64, port: PortId, class: u8) -> Event {
        Event { time, key: SIGNAL << CLASS_SHIFT | u64::from(port.0) << 8 | u64::from(class), item: 0, lag: 0 }
    }

    /// The line that leaves `port` is free.
    #[inline]
    pub fn line_free(time: u64, port: PortId, item: u32) -> Event {
        Event { time, key: LINE_FREE << CLASS_SHIFT | u64::from(port.0), item, lag: 0 }
    }

    /// An item sent by port `from` arrives: an express one first, a whole one (no lag) before a head.
    #[inline]
    pub fn arrival(time: u64, from: PortId, item: u32, delays: &Delays) -> Event {
        let id = u64::from(from.0) << RANK_BITS | u64::from(delays.rank());
        Event { time, key: ARRIVAL << CLASS_SHIFT | id, item, lag: delays.lag.ps() }
    }

    /// A timer of a node. Node ids stay below 2^30.
    pub fn timer(time: u64, node: NodeId, slot: u32) -> Event {
        debug_assert!(node.0 < 1 << 30, "node ids fit the key");
        Event { time, key: TIMER << CLASS_SHIFT | u64::from(node.0) << 32 | u64::from(slot), item: 0, lag: 0 }
    }

    #[inline]
    pub(crate) fn decode(self) -> Key {
        let id = self.key & ((1 << CLASS_SHIFT) - 1);
        match self.key >> CLASS_SHIFT {
            SIGNAL => Key::Signal { port: PortId((id >> 8) as u32), class: id as u8 },
            LINE_FREE => Key::LineFree { port: PortId(id as u32) },
            ARRIVAL => Key::Arrival { from: PortId((id >> RANK_BITS) as u32), rank: id as u8 & ((1 << RANK_BITS) - 1) },
            _ => Key::Timer { node: NodeId((id >> 32) as u32), slot: id as u32 },
        }
    }
}

/// A set of pending events. All insertions are later than the last time taken. An event at [`Time::MAX`]
/// never comes, and delays that lead past it end there.
pub trait EventQueue: Default {
    /// Makes (or finds) the lane of these delays.
    fn lane(&mut self, delays: Delays) -> Lane;

    /// A transmission starts at `now` in a lane: line free and arrival will come.
    fn transmit(&mut self, now: u64, lane: Lane, port: PortId, item: u32);

    /// Any other event.
    fn push(&mut self, event: Event);

    /// The earliest pending time, `None` when nothing is pending.
    fn next_time(&mut self) -> Option<u64>;

    /// Moves all events due at `time`, which must be the earliest, into `due` (empty before), in order.
    fn take(&mut self, time: u64, due: &mut Due);
}

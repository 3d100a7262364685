use units::{NodeId, PortId};

use crate::event::{Event, Key, LAG_BITS, LAG_MAX, RANK_BITS};

/// All that is due at one instant, class by class. An event is packed into one integer whose order is
/// the order of its key, so that a class is sorted as plain numbers, and most often is in order already.
#[derive(Debug, Default)]
pub struct Due {
    lines: Vec<u64>,
    arrivals: Vec<u128>,
    /// Signals, which come before all others, and timers, which come after them: few instants have any.
    rare: Vec<u128>,
    signals: usize,
}

const ITEM_BITS: u32 = 32;
const TIMER: u128 = 1 << 64;

impl Due {
    #[inline]
    pub(crate) fn line_free(&mut self, port: u32, item: u32) {
        self.lines.push(u64::from(port) << 32 | u64::from(item));
    }

    /// An arrival packed but for port and item, which [`Due::arrival`] adds.
    #[inline]
    pub(crate) fn tail(rank: u8, lag: u64) -> u128 {
        u128::from(rank) << (ITEM_BITS + LAG_BITS) | u128::from(lag)
    }

    #[inline]
    pub(crate) fn arrival(&mut self, from: u32, item: u32, tail: u128) {
        let from = u128::from(from) << (RANK_BITS + ITEM_BITS + LAG_BITS);
        self.arrivals.push(from | u128::from(item) << LAG_BITS | tail);
    }

    #[inline]
    pub(crate) fn push(&mut self, event: &Event) {
        match event.decode() {
            Key::LineFree { port } => self.line_free(port.0, event.item),
            Key::Arrival { from, rank } => self.arrival(from.0, event.item, Due::tail(rank, event.lag)),
            Key::Signal { port, class } => self.rare.push(u128::from(port.0) << 8 | u128::from(class)),
            Key::Timer { node, slot } => self.rare.push(TIMER | u128::from(node.0) << 32 | u128::from(slot)),
        }
    }

    /// Puts every class in order.
    #[inline]
    pub(crate) fn sort(&mut self) {
        sort(&mut self.lines);
        sort(&mut self.arrivals);
        if !self.rare.is_empty() {
            self.sort_rare();
        }
    }

    #[inline(never)]
    fn sort_rare(&mut self) {
        sort(&mut self.rare);
        self.signals = self.rare.partition_point(|event| *event < TIMER);
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.arrivals.clear();
        self.rare.clear();
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.lines.len() + self.arrivals.len() + self.rare.len()
    }

    /// Whether there are signals or timers.
    #[inline]
    pub(crate) fn has_rare(&self) -> bool {
        !self.rare.is_empty()
    }

    pub(crate) fn signals(&self) -> impl Iterator<Item = (PortId, u8)> {
        self.rare[..self.signals].iter().map(|&s| (PortId((s >> 8) as u32), s as u8))
    }

    #[inline]
    pub(crate) fn lines(&self) -> impl Iterator<Item = (PortId, u32)> {
        self.lines.iter().map(|&l| (PortId((l >> 32) as u32), l as u32))
    }

    /// Sending port, item and lag.
    #[inline]
    pub(crate) fn arrivals(&self) -> impl Iterator<Item = (PortId, u32, u64)> {
        self.arrivals.iter().map(|&arrival| {
            let (key, lag) = ((arrival >> LAG_BITS) as u64, arrival as u64 & LAG_MAX);
            (PortId((arrival >> (RANK_BITS + ITEM_BITS + LAG_BITS)) as u32), key as u32, lag)
        })
    }

    pub(crate) fn timers(&self) -> impl Iterator<Item = (NodeId, u32)> {
        self.rare[self.signals..].iter().map(|&t| (NodeId((t >> 32) as u32), t as u32))
    }
}

#[inline(always)]
fn sort<T: Ord + Copy>(events: &mut [T]) {
    if events.len() > 1 {
        sort_several(events);
    }
}

/// What one lane hands out is most often in order: its ports were served in order.
#[inline(never)]
fn sort_several<T: Ord + Copy>(events: &mut [T]) {
    if !events.is_sorted() {
        events.sort_unstable();
    }
}

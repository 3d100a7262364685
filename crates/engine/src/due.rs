use units::{NodeId, PortId};

use crate::event::{Event, Key};

/// All that is due at one instant, class by class. An event is packed into one integer whose order is
/// the order of its key, so that a class is sorted as plain numbers, and most often is in order already.
#[derive(Debug, Default)]
pub struct Due {
    signals: Vec<u64>,
    lines: Vec<u64>,
    arrivals: Vec<u128>,
    timers: Vec<u64>,
}

/// The longest lag that is told apart. A tail that far away never comes.
const LAG_MAX: u64 = (1 << 63) - 1;

impl Due {
    #[inline]
    pub(crate) fn line_free(&mut self, port: u32, item: u32) {
        self.lines.push(u64::from(port) << 32 | u64::from(item));
    }

    /// An arrival packed but for port and item, which [`Due::arrival`] adds.
    #[inline]
    pub(crate) fn tail(lag: u64) -> u128 {
        u128::from(lag > 0) << 95 | u128::from(lag.min(LAG_MAX))
    }

    #[inline]
    pub(crate) fn arrival(&mut self, from: u32, item: u32, tail: u128) {
        self.arrivals.push(u128::from(from) << 96 | u128::from(item) << 63 | tail);
    }

    #[inline]
    pub(crate) fn push(&mut self, event: &Event) {
        match event.decode() {
            Key::Signal { port, class } => self.signals.push(u64::from(port.0) << 8 | u64::from(class)),
            Key::LineFree { port } => self.line_free(port.0, event.item),
            Key::Arrival { from } => self.arrival(from.0, event.item, Due::tail(event.lag)),
            Key::Timer { node, slot } => self.timers.push(u64::from(node.0) << 32 | u64::from(slot)),
        }
    }

    /// Puts every class in order.
    #[inline]
    pub(crate) fn sort(&mut self) {
        sort(&mut self.signals);
        sort(&mut self.lines);
        sort(&mut self.arrivals);
        sort(&mut self.timers);
    }

    pub(crate) fn clear(&mut self) {
        self.signals.clear();
        self.lines.clear();
        self.arrivals.clear();
        self.timers.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.signals.len() + self.lines.len() + self.arrivals.len() + self.timers.len()
    }

    #[inline]
    pub(crate) fn signals(&self) -> impl Iterator<Item = (PortId, u8)> {
        self.signals.iter().map(|&s| (PortId((s >> 8) as u32), s as u8))
    }

    #[inline]
    pub(crate) fn lines(&self) -> impl Iterator<Item = (PortId, u32)> {
        self.lines.iter().map(|&l| (PortId((l >> 32) as u32), l as u32))
    }

    /// Sending port, item and lag.
    #[inline]
    pub(crate) fn arrivals(&self) -> impl Iterator<Item = (PortId, u32, u64)> {
        self.arrivals.iter().map(|&a| (PortId((a >> 96) as u32), (a >> 63) as u32, a as u64 & LAG_MAX))
    }

    #[inline]
    pub(crate) fn timers(&self) -> impl Iterator<Item = (NodeId, u32)> {
        self.timers.iter().map(|&t| (NodeId((t >> 32) as u32), t as u32))
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

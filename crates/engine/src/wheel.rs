use crate::due::Due;
use crate::event::Event;
use crate::heads::NEVER;

/// A tick is 2^10 ps, about a nanosecond: few events share one.
const TICK_BITS: u32 = 10;
/// Each level has 256 slots, each as wide as all of the level below.
const RADIX_BITS: u32 = 8;
const RADIX: usize = 1 << RADIX_BITS;
/// So that every time has a place: 7 x 8 bits cover the 54 bits of a tick.
const LEVELS: usize = 7;
const WORDS: usize = RADIX / 64;
const NIL: u32 = u32::MAX;

/// A hierarchical timing wheel. An event lies on the level of the highest digit in which its tick
/// differs from the wheel's, which is the tick of the last time taken: so lower levels are earlier,
/// nothing wraps, and an event moves down at most once a level. To ask for the next time moves nothing,
/// because something earlier may still be inserted.
#[derive(Debug)]
pub(crate) struct Wheel {
    tick: u64,
    next_time: u64,
    /// The rest of the wheel's own tick, latest first when `in_order`.
    near: Vec<Event>,
    in_order: bool,
    slots: Vec<Slot>,
    /// Which slots, which words of these bits and which levels are occupied.
    occupied: [[u64; WORDS]; LEVELS],
    occupied_words: [u8; LEVELS],
    occupied_levels: u8,
    nodes: Vec<Node>,
    free: u32,
}

/// A list of events.
#[derive(Clone, Copy, Debug)]
struct Slot {
    earliest: u64,
    first: u32,
}

/// An event in a list, or a free place.
#[derive(Clone, Copy, Debug)]
struct Node {
    time: u64,
    key: u64,
    lag: u64,
    item: u32,
    next: u32,
}

const EMPTY: Slot = Slot { earliest: NEVER, first: NIL };

impl Default for Wheel {
    fn default() -> Wheel {
        Wheel {
            tick: 0,
            next_time: NEVER,
            near: Vec::new(),
            in_order: true,
            slots: vec![EMPTY; LEVELS * RADIX],
            occupied: [[0; WORDS]; LEVELS],
            occupied_words: [0; LEVELS],
            occupied_levels: 0,
            nodes: Vec::new(),
            free: NIL,
        }
    }
}

impl Wheel {
    /// The earliest time, [`NEVER`] if there is none.
    #[inline]
    pub(crate) fn next_time(&self) -> u64 {
        self.next_time
    }

    /// Adds an event later than the last time taken.
    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        if event.time == NEVER {
            return;
        }
        self.next_time = self.next_time.min(event.time);
        if event.time >> TICK_BITS == self.tick {
            return self.push_near(event);
        }
        let Event { time, key, item, lag } = event;
        let node = Node { time, key, lag, item, next: NIL };
        let index = self.free;
        if let Some(place) = self.nodes.get_mut(index as usize) {
            self.free = place.next;
            *place = node;
            self.link(index, time);
        } else {
            let index = u32::try_from(self.nodes.len()).expect("fewer than 2^32 pending events");
            self.nodes.push(node);
            self.link(index, time);
        }
    }

    fn push_near(&mut self, event: Event) {
        self.in_order &= self.near.last().is_none_or(|last| last.time >= event.time);
        self.near.push(event);
    }

    /// Puts a node of another tick than the wheel's into its slot.
    #[inline]
    fn link(&mut self, index: u32, time: u64) {
        let tick = time >> TICK_BITS;
        debug_assert!(tick > self.tick, "events are later than the last one taken");
        let level = ((tick ^ self.tick).ilog2() / RADIX_BITS) as usize;
        let digit = (tick >> (level as u32 * RADIX_BITS)) as usize % RADIX;
        let slot = &mut self.slots[level * RADIX + digit];
        self.nodes[index as usize].next = slot.first;
        *slot = Slot { earliest: slot.earliest.min(time), first: index };
        self.occupied[level][digit / 64] |= 1 << (digit % 64);
        self.occupied_words[level] |= 1 << (digit / 64);
        self.occupied_levels |= 1 << level;
    }

    /// Takes all events of the next time, which becomes the last time taken.
    pub(crate) fn take(&mut self, due: &mut Due) {
        let time = self.next_time;
        if self.near.is_empty() {
            self.open_first(time, due);
        }
        if !self.near.is_empty() {
            self.take_near(time, due);
        }
        self.next_time = match self.near.last() {
            Some(event) => event.time,
            None => self.first().map_or(NEVER, |(level, digit)| self.slots[level * RADIX + digit].earliest),
        };
    }

    fn take_near(&mut self, time: u64, due: &mut Due) {
        if !self.in_order {
            self.near.sort_unstable_by_key(|event| std::cmp::Reverse(event.time));
        }
        self.in_order = true;
        while let Some(event) = self.near.pop_if(|event| event.time == time) {
            due.push(&event);
        }
    }

    /// Level and digit of the first occupied slot.
    #[inline]
    fn first(&self) -> Option<(usize, usize)> {
        let level = self.occupied_levels.trailing_zeros() as usize;
        let word = self.occupied_words.get(level)?.trailing_zeros() as usize % WORDS;
        Some((level, word * 64 + self.occupied[level][word].trailing_zeros() as usize % 64))
    }

    /// Empties a slot and returns its first node.
    #[inline]
    fn empty(&mut self, level: usize, digit: usize) -> u32 {
        let words = &mut self.occupied[level];
        words[digit / 64] &= !(1 << (digit % 64));
        if words[digit / 64] == 0 {
            self.occupied_words[level] &= !(1 << (digit / 64));
            if self.occupied_words[level] == 0 {
                self.occupied_levels &= !(1 << level);
            }
        }
        std::mem::replace(&mut self.slots[level * RADIX + digit], EMPTY).first
    }

    /// Moves the wheel to `time`, the earliest of all and in the first slot, and empties that slot:
    /// some of it is due, some is near, the rest moves to lower levels.
    #[inline]
    fn open_first(&mut self, time: u64, due: &mut Due) {
        let Some((level, digit)) = self.first() else { return };
        self.tick = time >> TICK_BITS;
        let mut index = self.empty(level, digit);
        while let Some(&node) = self.nodes.get(index as usize) {
            if node.time >> TICK_BITS == self.tick {
                self.nodes[index as usize].next = self.free;
                self.free = index;
                let event = Event { time: node.time, key: node.key, item: node.item, lag: node.lag };
                if node.time == time {
                    due.push(&event);
                } else {
                    self.push_near(event);
                }
            } else {
                self.link(index, node.time);
            }
            index = node.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use units::NodeId;

    use super::*;

    /// The wheel beside a sorted set of (time, slot of a timer).
    #[derive(Default)]
    struct Pair {
        wheel: Wheel,
        sorted: BTreeSet<(u64, u32)>,
        now: u64,
        made: u32,
        peak: usize,
    }

    impl Pair {
        fn push(&mut self, time: u64) {
            self.made += 1;
            // Slots not in the order of insertion.
            let slot = self.made.reverse_bits();
            self.wheel.push(Event::timer(time, NodeId(0), slot));
            if time < NEVER {
                self.sorted.insert((time, slot));
            }
            self.peak = self.peak.max(self.sorted.len());
            self.check();
        }

        fn check(&self) {
            assert_eq!(self.wheel.next_time(), self.sorted.first().map_or(NEVER, |first| first.0));
        }

        fn take(&mut self) {
            let Some(&(time, _)) = self.sorted.first() else { return };
            let mut due = Due::default();
            self.wheel.take(&mut due);
            due.sort();
            let taken: Vec<u32> = due.timers().map(|(_, slot)| slot).collect();
            let wanted: Vec<u32> = self.sorted.range(..(time + 1, 0)).map(|&(_, slot)| slot).collect();
            assert_eq!(taken, wanted, "at {time}");
            self.sorted.retain(|&(t, _)| t > time);
            self.now = time;
            self.check();
        }

        fn drain(&mut self) {
            while !self.sorted.is_empty() {
                self.take();
            }
            assert!(self.wheel.nodes.len() <= self.peak, "places are used again");
        }
    }

    #[test]
    fn an_earlier_event_may_follow_a_look_at_the_next_time() {
        let mut pair = Pair::default();
        for time in [5_000_000_000, 400_000_000, 1_000_000, 999_999, 1024, 1023, 2, 1] {
            pair.push(time);
        }
        pair.take();
        pair.push(3);
        pair.drain();
    }

    #[test]
    fn times_up_to_the_end_are_told_apart_and_the_end_never_comes() {
        let mut pair = Pair::default();
        for time in [1, u64::MAX - 1, u64::MAX - 2, u64::MAX, u64::MAX - 1025, 1 << 63, (1 << 63) - 1, u64::MAX / 3] {
            pair.push(time);
        }
        pair.drain();
        assert_eq!(pair.now, u64::MAX - 1);
        pair.push(u64::MAX);
        assert_eq!(pair.wheel.next_time(), NEVER);
    }

    #[test]
    fn each_digit_boundary_is_crossed() {
        let mut pair = Pair::default();
        for bits in 8..63 {
            for time in [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1] {
                pair.push(time);
            }
        }
        pair.drain();
    }

    #[test]
    fn far_timers_cost_nothing_while_near_events_pass() {
        let mut wheel = Wheel::default();
        for host in 0..50_000 {
            wheel.push(Event::timer(4_000_000_000 + u64::from(host), NodeId(host), 0));
        }
        let mut due = Due::default();
        for step in 1..200_000 {
            wheel.push(Event::timer(step * 1000, NodeId(0), 1));
            wheel.take(&mut due);
        }
        assert_eq!((due.len(), wheel.next_time()), (199_999, 4_000_000_000));
    }

    #[test]
    fn one_crowded_nanosecond_is_not_quadratic() {
        let mut wheel = Wheel::default();
        let mut due = Due::default();
        wheel.push(Event::timer(1024, NodeId(0), 0));
        wheel.take(&mut due);
        for instant in 1025..1030 {
            for host in 0..100_000 {
                wheel.push(Event::timer(instant, NodeId(host), 0));
            }
            wheel.push(Event::timer(instant + 1, NodeId(0), 1));
            wheel.take(&mut due);
        }
        assert_eq!(due.len(), 500_005);
    }

    proptest! {
        #[test]
        fn a_wheel_is_a_sorted_set(steps in prop::collection::vec((0u32..64, any::<u64>(), 0u8..3), 1..400)) {
            let mut pair = Pair::default();
            for (bits, random, takes) in steps {
                let delay = (random >> (63 - bits)).max(1);
                pair.push(pair.now.saturating_add(delay));
                for _ in 0..takes {
                    pair.take();
                }
            }
            pair.drain();
        }
    }
}

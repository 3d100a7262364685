use std::cmp::Reverse;
use std::collections::BinaryHeap;

use units::PortId;

use crate::due::Due;
use crate::event::{Delays, Event, EventQueue, Lane};

/// The plainest event queue: one binary heap. The oracle of the tests.
#[derive(Default)]
pub struct HeapQueue {
    heap: BinaryHeap<Reverse<Event>>,
    lanes: Vec<Delays>,
}

impl EventQueue for HeapQueue {
    fn lane(&mut self, delays: Delays) -> Lane {
        let index = self.lanes.iter().position(|d| *d == delays).unwrap_or_else(|| {
            self.lanes.push(delays);
            self.lanes.len() - 1
        });
        Lane(u16::try_from(index).expect("fewer than 65,536 delay classes"))
    }

    fn transmit(&mut self, now: u64, lane: Lane, port: PortId, item: u32) {
        let delays = self.lanes[usize::from(lane.0)];
        self.push(Event::line_free(now.saturating_add(delays.wire.ps()), port, item));
        self.push(Event::arrival(now.saturating_add(delays.arrival.ps()), port, item, &delays));
    }

    fn push(&mut self, event: Event) {
        if event.time < u64::MAX {
            self.heap.push(Reverse(event));
        }
    }

    fn next_time(&mut self) -> Option<u64> {
        self.heap.peek().map(|Reverse(event)| event.time)
    }

    fn take(&mut self, time: u64, due: &mut Due) {
        let mut last = None;
        while let Some(Reverse(event)) = self.heap.peek().copied() {
            if event.time != time {
                break;
            }
            debug_assert!(last != Some(event), "events are unique: {event:?}");
            last = Some(event);
            due.push(&event);
            self.heap.pop();
        }
        due.sort();
    }
}

use units::PortId;

use crate::due::Due;
use crate::event::{Delays, Event, EventQueue, Lane};
use crate::heads::{Heads, NEVER};
use crate::lane_log::{Cursor, LaneLog};
use crate::wheel::Wheel;

/// The fast event queue. A transmission is one record in the log of its lane, read twice, at line free
/// and at arrival; nothing is queued for it. All other events go to a timing wheel.
#[derive(Default)]
pub struct LogQueue {
    lanes: Vec<Delays>,
    logs: Vec<LaneLog>,
    /// Line free of lane n is cursor 2n, its arrival 2n + 1.
    heads: Heads,
    wheel: Wheel,
}

impl LogQueue {
    /// Hands out what `cursor` has at `time`, and says when it is due next.
    #[inline]
    fn read(log: &mut LaneLog, cursor: usize, time: u64, due: &mut Due) -> u64 {
        if cursor.is_multiple_of(2) {
            return log.read(Cursor::LineFree, time, |record| due.line_free(record.port, record.item));
        }
        let tail = log.tail;
        log.read(Cursor::Arrival, time, |record| due.arrival(record.port, record.item, tail))
    }
}

impl EventQueue for LogQueue {
    fn lane(&mut self, delays: Delays) -> Lane {
        let index = self.lanes.iter().position(|d| *d == delays).unwrap_or_else(|| {
            self.lanes.push(delays);
            self.logs.push(LaneLog::new(delays));
            self.lanes.len() - 1
        });
        Lane(u16::try_from(index).expect("fewer than 65,536 delay classes"))
    }

    #[inline(always)]
    fn transmit(&mut self, now: u64, lane: Lane, port: PortId, item: u32) {
        let lane = usize::from(lane.0);
        let [line_free, arrival] = self.logs[lane].append(now, port, item);
        if let Some(time) = line_free {
            self.heads.wake(2 * lane, time);
        }
        if let Some(time) = arrival {
            self.heads.wake(2 * lane + 1, time);
        }
    }

    #[inline]
    fn push(&mut self, event: Event) {
        self.wheel.push(event);
    }

    #[inline]
    fn next_time(&mut self) -> Option<u64> {
        let time = self.heads.first_time().min(self.wheel.next_time());
        (time != NEVER).then_some(time)
    }

    /// A cursor can rest on a record before the others of its instant are written, so the instant is
    /// put in order here, when it is complete, and not before.
    // Inlined into the main loop, whose only call it is: a tenth of the instructions of an event.
    #[inline(always)]
    fn take(&mut self, time: u64, due: &mut Due) {
        while self.heads.first_time() == time {
            let cursor = self.heads.first_cursor();
            let next = LogQueue::read(&mut self.logs[cursor / 2], cursor, time, due);
            self.heads.advance(next);
        }
        if self.wheel.next_time() == time {
            self.wheel.take(due);
        }
        due.sort();
    }
}

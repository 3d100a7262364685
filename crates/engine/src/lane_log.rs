use units::PortId;

use crate::due::Due;
use crate::event::Delays;
use crate::heads::NEVER;

/// The transmissions of one lane in the order in which they started: a ring that two cursors read, one
/// when the line is free again, one at the arrival. A record lives until both have passed it; with
/// cut-through and short cables the arrival comes first.
#[derive(Debug)]
pub(crate) struct LaneLog {
    /// A power of two of them.
    records: Vec<Record>,
    /// Transmissions so far; record `n` is at `n & (len - 1)`.
    written: u64,
    /// Where it would overwrite what a cursor had yet to read when that was last looked at.
    full: u64,
    read: [u64; 2],
    delays: [u64; 2],
    /// Of the arrivals, packed.
    pub(crate) tail: u128,
}

/// One transmission.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    start: u64,
    pub(crate) port: u32,
    pub(crate) item: u32,
}

/// Which of the two cursors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cursor {
    LineFree = 0,
    Arrival = 1,
}

const FIRST_LENGTH: usize = 16;

impl LaneLog {
    pub(crate) fn new(delays: Delays) -> LaneLog {
        LaneLog {
            records: vec![Record::default(); FIRST_LENGTH],
            written: 0,
            full: FIRST_LENGTH as u64,
            read: [0; 2],
            delays: [delays.wire.ps(), delays.arrival.ps()],
            tail: Due::tail(delays.rank(), delays.lag.ps()),
        }
    }

    /// Appends a transmission. Cursors that had nothing to read are due at the times returned.
    #[inline(always)]
    pub(crate) fn append(&mut self, now: u64, port: PortId, item: u32) -> [Option<u64>; 2] {
        let at = self.written;
        if at == self.full {
            self.make_room();
        }
        let mask = self.records.len() - 1;
        self.records[at as usize & mask] = Record { start: now, port: port.0, item };
        self.written = at + 1;
        [0, 1].map(|c| (self.read[c] == at).then(|| now.saturating_add(self.delays[c])))
    }

    /// Hands out all records due at `time`, one at least, for one cursor, and says when its next is due.
    #[inline]
    pub(crate) fn read(&mut self, cursor: Cursor, time: u64, mut emit: impl FnMut(Record)) -> u64 {
        let (c, mask) = (cursor as usize, self.records.len() - 1);
        let start = time - self.delays[c];
        let mut at = self.read[c];
        let mut record = self.records[at as usize & mask];
        debug_assert!(at < self.written && record.start == start, "the cursor is due");
        let next = loop {
            emit(record);
            at += 1;
            if at == self.written {
                break NEVER;
            }
            record = self.records[at as usize & mask];
            if record.start != start {
                break record.start.saturating_add(self.delays[c]);
            }
        };
        self.read[c] = at;
        next
    }

    /// Finds out where the ring is full by now, and doubles it if that is here.
    #[inline(never)]
    fn make_room(&mut self) {
        let old = self.records.len();
        let oldest = self.read[0].min(self.read[1]);
        self.full = oldest + old as u64;
        if self.full > self.written {
            return;
        }
        let mut records = vec![Record::default(); 2 * old];
        for n in oldest as usize..self.written as usize {
            records[n & (2 * old - 1)] = self.records[n & (old - 1)];
        }
        self.records = records;
        self.full += old as u64;
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::*;

    fn log(wire: u64, arrival: u64) -> LaneLog {
        let [wire, arrival] = [wire, arrival].map(Time::from_ps);
        LaneLog::new(Delays { wire, arrival, lag: Time::ZERO, express: false })
    }

    fn items(log: &mut LaneLog, cursor: Cursor, time: u64) -> (Vec<u32>, u64) {
        let mut items = Vec::new();
        let next = log.read(cursor, time, |record| items.push(record.item));
        (items, next)
    }

    #[test]
    fn a_record_lives_until_both_cursors_have_passed_it() {
        // Cut-through on a short cable: the head arrives long before the line is free.
        let mut log = log(1000, 10);
        for start in 0..100 {
            let due = log.append(start, PortId(7), start as u32);
            assert_eq!(due, [(start == 0).then_some(1000), Some(start + 10)]);
            assert_eq!(items(&mut log, Cursor::Arrival, start + 10), (vec![start as u32], NEVER));
        }
        assert_eq!(log.records.len(), 128, "grown, since no line is free yet");
        for start in 0..100 {
            let next = if start == 99 { NEVER } else { start + 1001 };
            assert_eq!(items(&mut log, Cursor::LineFree, start + 1000), (vec![start as u32], next));
        }
    }

    #[test]
    fn one_reading_hands_out_a_whole_instant_and_no_more() {
        let mut log = log(5, 9);
        for (start, item) in [(0, 1), (0, 2), (1, 3)] {
            log.append(start, PortId(item), item);
        }
        assert_eq!(items(&mut log, Cursor::LineFree, 5), (vec![1, 2], 6));
        log.append(5, PortId(4), 4);
        assert_eq!(items(&mut log, Cursor::LineFree, 6), (vec![3], 10));
        assert_eq!(items(&mut log, Cursor::Arrival, 9), (vec![1, 2], 10));
    }

    #[test]
    fn a_steady_lane_keeps_its_length() {
        let mut log = log(3, 4);
        for start in 0..10_000 {
            log.append(start, PortId(0), 0);
            log.append(start, PortId(1), 1);
            if start >= 3 {
                assert_eq!(items(&mut log, Cursor::LineFree, start).0, [0, 1]);
            }
            if start >= 4 {
                assert_eq!(items(&mut log, Cursor::Arrival, start).0, [0, 1]);
            }
        }
        assert_eq!(log.records.len(), FIRST_LENGTH);
    }

    #[test]
    fn a_delay_that_leads_past_the_end_of_time_never_ends() {
        let mut log = log(u64::MAX, 4);
        assert_eq!(log.append(9, PortId(0), 0), [Some(NEVER), Some(13)]);
    }
}

use std::collections::VecDeque;

use units::Time;

/// What one (port, class) has been told by its peer: absolute values of which the newest counts.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    value: u32,
    in_flight: VecDeque<(Time, u32)>,
    awaiting: bool,
    wake: Time,
}

impl Signal {
    /// A value is under way and arrives at `arrival`. Returns the time at which to wake a starved port.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, arrival: Time, value: u32) -> Option<Time> {
        self.settle(now);
        self.in_flight.push_back((arrival, value));
        if self.awaiting {
            self.awaiting = false;
            self.wake = arrival;
            return Some(arrival);
        }
        None
    }

    /// The newest value that has arrived.
    #[inline]
    pub(crate) fn latest(&mut self, now: Time) -> u32 {
        self.settle(now);
        self.value
    }

    /// A starved port waits. Returns when to wake it, if a value is already under way and no wake is set.
    pub(crate) fn wait(&mut self, now: Time) -> Option<Time> {
        if self.wake > now || self.awaiting {
            return None;
        }
        self.settle(now);
        match self.in_flight.front() {
            Some(&(arrival, _)) => {
                self.wake = arrival;
                Some(arrival)
            }
            None => {
                self.awaiting = true;
                None
            }
        }
    }

    pub(crate) fn set(&mut self, value: u32) {
        self.value = value;
    }

    /// The newest value under way or arrived.
    pub(crate) fn newest(&self) -> u32 {
        self.in_flight.back().map_or(self.value, |&(_, value)| value)
    }

    #[inline]
    fn settle(&mut self, now: Time) {
        while let Some(&(arrival, value)) = self.in_flight.front() {
            if arrival > now {
                break;
            }
            // Wrapping compare: a limit only grows, and two can arrive at one instant.
            if value.wrapping_sub(self.value) < 1 << 31 {
                self.value = value;
            }
            self.in_flight.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: fn(u64) -> Time = Time::from_ps;

    #[test]
    fn newest_arrived_value_wins_and_later_ones_wait() {
        let mut signal = Signal::default();
        signal.send(T(0), T(10), 1);
        signal.send(T(5), T(15), 2);
        assert_eq!(signal.latest(T(9)), 0);
        assert_eq!(signal.latest(T(10)), 1);
        assert_eq!(signal.latest(T(20)), 2);
    }

    #[test]
    fn a_starved_port_is_woken_once_by_the_next_value() {
        let mut signal = Signal::default();
        assert_eq!(signal.wait(T(1)), None);
        assert_eq!(signal.send(T(2), T(12), 7), Some(T(12)));
        assert_eq!(signal.send(T(3), T(13), 8), None, "one wake is enough");
        assert_eq!(signal.wait(T(4)), None, "the wake is already set");
        assert_eq!(signal.latest(T(12)), 7);
        assert_eq!(signal.wait(T(12)), Some(T(13)));
    }

    #[test]
    fn a_limit_survives_wrapping() {
        let mut signal = Signal::default();
        signal.set(u32::MAX - 1);
        signal.send(T(0), T(1), 3);
        assert_eq!(signal.latest(T(1)), 3);
    }
}

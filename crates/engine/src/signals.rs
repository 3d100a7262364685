use units::Time;

/// What one (port, class) has been told by its peer: absolute values of which the newest counts.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    value: u32,
    /// A ring, a power of two long or empty: value `n` that was sent is at `n & (len - 1)`.
    in_flight: Vec<(Time, u32)>,
    sent: u32,
    arrived: u32,
    awaiting: bool,
    wake: Time,
}

impl Signal {
    /// A value is under way and arrives at `arrival`. Returns the time at which to wake a starved port.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, arrival: Time, value: u32) -> Option<Time> {
        // What has arrived is read lazily, so that it need not be looked at here unless room is short.
        if self.pending() == self.in_flight.len() {
            self.make_room(now);
        }
        let place = self.place(self.sent);
        self.in_flight[place] = (arrival, value);
        self.sent = self.sent.wrapping_add(1);
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
        match self.next() {
            Some((arrival, _)) => {
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
        match self.pending() {
            0 => self.value,
            _ => self.in_flight[self.place(self.sent.wrapping_sub(1))].1,
        }
    }

    #[inline]
    fn pending(&self) -> usize {
        self.sent.wrapping_sub(self.arrived) as usize
    }

    #[inline]
    fn place(&self, n: u32) -> usize {
        n as usize & self.in_flight.len().wrapping_sub(1)
    }

    /// The first value that has not been read.
    #[inline]
    fn next(&self) -> Option<(Time, u32)> {
        (self.sent != self.arrived).then(|| self.in_flight[self.place(self.arrived)])
    }

    #[inline]
    fn settle(&mut self, now: Time) {
        while let Some((arrival, value)) = self.next() {
            if arrival > now {
                break;
            }
            // Wrapping compare: a limit only grows, and two can arrive at one instant.
            if value.wrapping_sub(self.value) < 1 << 31 {
                self.value = value;
            }
            self.arrived = self.arrived.wrapping_add(1);
        }
    }

    /// Takes in what has arrived, and lengthens the ring if that is not enough.
    #[cold]
    fn make_room(&mut self, now: Time) {
        self.settle(now);
        if self.pending() < self.in_flight.len() {
            return;
        }
        let length = (2 * self.in_flight.len()).max(4);
        let mut longer = vec![(Time::ZERO, 0); length];
        for k in 0..self.pending() as u32 {
            let n = self.arrived.wrapping_add(k);
            longer[n as usize & (length - 1)] = self.in_flight[self.place(n)];
        }
        self.in_flight = longer;
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
    fn a_growing_number_in_flight_arrives_in_order() {
        let mut signal = Signal::default();
        let mut sent = Vec::new();
        for step in 0..3_000u64 {
            // The cable holds ever more, and two values share every third arrival.
            let arrival = step + step / 30 - step % 3 / 2;
            sent.push((arrival, step as u32));
            signal.send(T(step), T(arrival + 5), step as u32);
            assert_eq!(signal.newest(), step as u32);
            let arrived = sent.iter().filter(|(arrival, _)| arrival + 5 <= step).map(|&(_, value)| value).max();
            if step % 7 == 0 {
                assert_eq!(signal.latest(T(step)), arrived.unwrap_or(0));
            }
        }
        assert_eq!(signal.in_flight.len(), 128);
    }

    #[test]
    fn values_that_nobody_reads_do_not_pile_up() {
        let mut signal = Signal::default();
        for step in 0..10_000 {
            signal.send(T(step), T(step + 5), step as u32);
        }
        assert!(signal.in_flight.len() <= 8);
        assert_eq!(signal.latest(T(10_000)), 9_995);
    }

    #[test]
    fn a_limit_survives_wrapping() {
        let mut signal = Signal::default();
        signal.set(u32::MAX - 1);
        signal.send(T(0), T(1), 3);
        assert_eq!(signal.latest(T(1)), 3);
    }
}

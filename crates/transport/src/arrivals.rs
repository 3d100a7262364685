use units::{Bytes, Rate, Time};

/// How the packets of an open-loop source follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// At equal intervals.
    Constant,
    /// As a Poisson process: exponential intervals of the same mean.
    Poisson,
}

/// The arrival times of an open-loop source, made one at a time. Packets that have arrived and not
/// been sent wait in the NIC; the backlog needs no memory because arrivals follow from the stream.
#[derive(Clone, Debug)]
pub struct Arrivals {
    rate: Rate,
    spacing: Spacing,
    next: Time,
    /// Remainder of a picosecond that constant spacing carries over, in units of 1/rate ps.
    carry: u128,
}

impl Arrivals {
    /// Arrivals from `start` at a mean `rate` of wire bits.
    pub fn new(rate: Rate, spacing: Spacing, start: Time) -> Arrivals {
        assert!(rate > Rate::ZERO, "an open-loop source has a rate");
        Arrivals { rate, spacing, next: start, carry: 0 }
    }

    /// When the packet that is sent next arrives, or arrived.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// That packet, of `size` bytes on the wire, has been taken. `exponential` draws from an
    /// exponential distribution of mean 1.
    pub fn take(&mut self, size: Bytes, exponential: impl FnOnce() -> f64) {
        let bits = u128::from(size.get()) * 8 * 1_000_000_000_000;
        let rate = u128::from(self.rate.bps());
        let interval = match self.spacing {
            Spacing::Constant => {
                let total = bits + self.carry;
                self.carry = total % rate;
                total / rate
            }
            // Rounded to a picosecond once, here.
            Spacing::Poisson => (bits as f64 / rate as f64 * exponential()).round() as u128,
        };
        self.next = self.next.saturating_add(Time::from_ps(u64::try_from(interval).unwrap_or(u64::MAX)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_arrivals_do_not_drift() {
        let mut arrivals = Arrivals::new(Rate::from_bps(3_000_000_000), Spacing::Constant, Time::ZERO);
        for _ in 0..3_000 {
            arrivals.take(Bytes::new(100), || unreachable!("constant arrivals draw nothing"));
        }
        assert_eq!(arrivals.next(), Time::from_us(800));
    }
}

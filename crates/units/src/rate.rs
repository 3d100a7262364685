use std::fmt;

use crate::{Bytes, Time};

const PS_PER_SECOND: u128 = 1_000_000_000_000;

/// A data rate in bits per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rate(u64);

impl Rate {
    /// Nothing moves.
    pub const ZERO: Rate = Rate(0);

    /// From bits per second.
    pub const fn from_bps(bps: u64) -> Rate {
        Rate(bps)
    }

    /// From gigabits (10^9) per second.
    pub const fn from_gbps(gbps: u64) -> Rate {
        Rate(gbps * 1_000_000_000)
    }

    /// In bits per second.
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// Time to transmit `size` at this rate, rounded up to a picosecond: the one place where
    /// transmit time is rounded. [`Time::MAX`] for a rate of zero.
    pub fn time_for(self, size: Bytes) -> Time {
        if self.0 == 0 {
            return Time::MAX;
        }
        // Frames (below 2 MiB) stay in 64 bits, which divide several times faster than 128.
        const SMALL: u64 = u64::MAX / 8_000_000_000_000;
        if size.get() <= SMALL {
            return Time::from_ps((size.get() * 8_000_000_000_000).div_ceil(self.0));
        }
        let ps = (u128::from(size.get()) * 8 * PS_PER_SECOND).div_ceil(u128::from(self.0));
        Time::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Whole bytes that pass in `span`, rounded down.
    pub fn bytes_in(self, span: Time) -> Bytes {
        let bytes = u128::from(self.0) * u128::from(span.ps()) / (8 * PS_PER_SECOND);
        Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}bps", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transmit_time_rounds_up_to_the_picosecond() {
        assert_eq!(Rate::from_gbps(400).time_for(Bytes::new(4178)), Time::from_ps(83_560));
        assert_eq!(Rate::from_bps(3).time_for(Bytes::new(1)), Time::from_ps(2_666_666_666_667));
        assert_eq!(Rate::ZERO.time_for(Bytes::new(1)), Time::MAX);
    }

    #[test]
    fn large_and_small_sizes_agree_at_the_seam() {
        for size in 2_305_840..2_305_850u64 {
            let exact = (u128::from(size) * 8_000_000_000_000).div_ceil(100_000_000_000);
            assert_eq!(u128::from(Rate::from_gbps(100).time_for(Bytes::new(size)).ps()), exact);
        }
    }

    #[test]
    fn bytes_in_a_span_round_down() {
        assert_eq!(Rate::from_gbps(400).bytes_in(Time::from_us(1)), Bytes::new(50_000));
        assert_eq!(Rate::from_gbps(400).bytes_in(Time::from_ps(19)), Bytes::ZERO);
    }
}

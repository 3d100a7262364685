use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A point in simulated time, or a span of it, in whole picoseconds (u64: 213 days).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The start of the run; an empty span.
    pub const ZERO: Time = Time(0);
    /// Later than every event: "never".
    pub const MAX: Time = Time(u64::MAX);

    /// From picoseconds.
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }

    /// From nanoseconds.
    pub const fn from_ns(ns: u64) -> Time {
        Time(ns * 1_000)
    }

    /// From microseconds.
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    /// From milliseconds.
    pub const fn from_ms(ms: u64) -> Time {
        Time(ms * 1_000_000_000)
    }

    /// In picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// In seconds, rounded to the nearest double. For reports only.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// From seconds, rounded once to the nearest picosecond; `None` when negative, not finite or too large.
    pub fn from_secs_f64(seconds: f64) -> Option<Time> {
        let ps = (seconds * 1e12).round();
        (ps >= 0.0 && ps < u64::MAX as f64).then_some(Time(ps as u64))
    }

    /// The sum, or `None` past the end of representable time.
    pub fn checked_add(self, other: Time) -> Option<Time> {
        self.0.checked_add(other.0).map(Time)
    }

    /// The sum, held at [`Time::MAX`].
    pub const fn saturating_add(self, other: Time) -> Time {
        Time(self.0.saturating_add(other.0))
    }

    /// The difference, held at zero.
    pub const fn saturating_sub(self, other: Time) -> Time {
        Time(self.0.saturating_sub(other.0))
    }

    /// This span `factor` times, held at [`Time::MAX`].
    pub const fn saturating_mul(self, factor: u64) -> Time {
        Time(self.0.saturating_mul(factor))
    }
}

impl Add for Time {
    type Output = Time;
    #[inline]
    fn add(self, other: Time) -> Time {
        Time(self.0 + other.0)
    }
}

impl AddAssign for Time {
    #[inline]
    fn add_assign(&mut self, other: Time) {
        self.0 += other.0;
    }
}

impl Sub for Time {
    type Output = Time;
    #[inline]
    fn sub(self, other: Time) -> Time {
        Time(self.0 - other.0)
    }
}

impl Mul<u64> for Time {
    type Output = Time;
    fn mul(self, factor: u64) -> Time {
        Time(self.0 * factor)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ps", self.0)
    }
}

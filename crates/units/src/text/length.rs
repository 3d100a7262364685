use crate::Time;

/// The length of a cable, in whole micrometres.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Length(u64);

impl Length {
    /// From micrometres.
    pub const fn from_um(um: u64) -> Length {
        Length(um)
    }

    /// From metres.
    pub const fn from_metres(metres: u64) -> Length {
        Length(metres * 1_000_000)
    }

    /// In micrometres.
    pub const fn um(self) -> u64 {
        self.0
    }

    /// How long a signal takes, at 5 ns a metre (the usual rule for fibre and copper), rounded up to a picosecond.
    pub const fn delay(self) -> Time {
        Time::from_ps(self.0.div_ceil(200))
    }
}

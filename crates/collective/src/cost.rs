use units::{Rate, Time};

/// The two numbers of the alpha-beta model: a message of S bytes takes alpha + S / rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// What a message takes beyond its bytes: software at both ends and the way through the fabric.
    pub alpha: Time,
    /// The rate of one NIC.
    pub rate: Rate,
}

impl Cost {
    /// `messages` one after another, with `bytes` in all through one NIC. Held at [`Time::MAX`].
    ///
    /// Model: closed forms know no contention, no headers, no rounding of packets and no time inside a host.
    pub(crate) fn time(self, messages: u64, bytes: u128) -> Time {
        let wire = (bytes * 8_000_000_000_000).checked_div(u128::from(self.rate.bps())).unwrap_or(u128::MAX);
        self.alpha.saturating_mul(messages).saturating_add(Time::from_ps(u64::try_from(wire).unwrap_or(u64::MAX)))
    }
}

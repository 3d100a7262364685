use units::Time;

/// The sender's half of flow control: may a class send now?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Always.
    Open,
    /// Unless paused.
    Pause(PauseGate),
    /// While the peer's limit covers what was sent.
    Credit(CreditGate),
}

/// A sender under PFC: stopped in `[from, until)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseGate {
    pub(crate) from: Time,
    pub(crate) until: Time,
    /// Whether an expiry timer is pending (there is never more than one).
    pub(crate) armed: bool,
}

impl PauseGate {
    pub(crate) const OPEN: PauseGate = PauseGate { from: Time::ZERO, until: Time::ZERO, armed: false };

    /// Whether the class may not send at `now`. Acts between frames only: a begun frame is completed.
    #[inline]
    pub fn is_stopped(&self, now: Time) -> bool {
        self.from <= now && now < self.until
    }

    /// A PAUSE arrived. The timer is overwritten, never accumulated (802.3 Annex 31B); the reaction
    /// time counts from the first frame that stops a running sender.
    pub(crate) fn stop(&mut self, now: Time, response: Time, span: Time) {
        if now >= self.until {
            self.from = now + response;
        }
        self.until = now.saturating_add(span);
    }

    /// A frame with time zero arrived: go on at once. Returns for how long the class was stopped.
    pub(crate) fn resume(&mut self, now: Time) {
        self.until = now;
    }
}

/// A sender under credits, in blocks, counting modulo 2^32 (the wire's 12 bits are an encoding).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditGate {
    /// Total blocks sent (FCTBS).
    pub(crate) sent: u32,
    /// Since when packets wait for credits on a free line.
    pub(crate) starved: Option<Time>,
}

impl CreditGate {
    /// Whether `limit` lets `blocks` more be sent.
    #[inline]
    pub fn allows(&self, limit: u32, blocks: u32) -> bool {
        limit.wrapping_sub(self.sent.wrapping_add(blocks)) < 1 << 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: fn(u64) -> Time = Time::from_ps;

    #[test]
    fn a_second_pause_overwrites_the_first() {
        let mut gate = PauseGate::OPEN;
        gate.stop(T(100), T(0), T(1000));
        gate.stop(T(200), T(0), T(50));
        assert!(gate.is_stopped(T(249)) && !gate.is_stopped(T(250)));
    }

    #[test]
    fn reaction_time_delays_the_stop_but_not_a_refresh() {
        let mut gate = PauseGate::OPEN;
        gate.stop(T(100), T(30), T(1000));
        assert!(!gate.is_stopped(T(129)) && gate.is_stopped(T(130)));
        gate.stop(T(500), T(30), T(1000));
        assert!(gate.is_stopped(T(501)), "a refresh does not open the gate");
    }

    #[test]
    fn credits_allow_up_to_the_limit_across_the_wrap() {
        let gate = CreditGate { sent: u32::MAX - 1, starved: None };
        assert!(gate.allows(2, 4));
        assert!(!gate.allows(2, 5));
    }
}

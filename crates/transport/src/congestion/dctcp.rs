use units::{Bytes, Time};

use super::{Allowance, CongestionControl};

/// Settings of DCTCP's window rule (Alizadeh et al., SIGCOMM 2010), in packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DctcpConfig {
    /// Window at the start.
    pub initial_window: u32,
    /// Gain g of the marked share, as 1 / `gain`.
    pub gain: u32,
    /// Whether the window grows exponentially until the first mark.
    pub slow_start: bool,
}

/// Fixed point of windows and shares: 16 fractional bits.
const ONE: u64 = 1 << 16;

/// DCTCP's window of one connection: additive increase, and once a window a cut by half the marked share.
#[derive(Clone, Debug)]
pub struct Dctcp {
    config: DctcpConfig,
    window: u64,
    alpha: u64,
    acked: u64,
    marked: u64,
    /// The observation window ends when this sequence number is acknowledged.
    round_ends: u64,
    slow_start: bool,
    /// A window is cut at most once a round.
    cut_until: u64,
}

impl Dctcp {
    /// A sender at its initial window.
    pub fn new(config: DctcpConfig) -> Dctcp {
        Dctcp {
            config,
            window: u64::from(config.initial_window.max(1)) * ONE,
            alpha: ONE,
            acked: 0,
            marked: 0,
            round_ends: 0,
            slow_start: config.slow_start,
            cut_until: 0,
        }
    }

    fn end_round(&mut self, next: u64) {
        let share = (self.marked * ONE).checked_div(self.acked).unwrap_or(0);
        let gain = u64::from(self.config.gain);
        self.alpha = self.alpha - self.alpha / gain + share / gain;
        (self.acked, self.marked) = (0, 0);
        self.round_ends = next;
    }

    fn cut(&mut self, next: u64) {
        self.window = (self.window - self.window * self.alpha / (2 * ONE)).max(ONE);
        self.slow_start = false;
        self.cut_until = next;
    }

    fn grow(&mut self, packets: u32) {
        if self.slow_start {
            self.window += u64::from(packets) * ONE;
        } else {
            self.window += u64::from(packets) * ONE * ONE / self.window;
        }
    }
}

impl CongestionControl for Dctcp {
    fn allowance(&mut self, _now: Time) -> Allowance {
        Allowance { window: Some((self.window / ONE) as u32), rate: None }
    }

    fn on_sent(&mut self, _now: Time, _size: Bytes) {}

    fn on_ack(&mut self, _now: Time, packets: u32, echo: bool, acked: u64, next: u64) {
        self.acked += u64::from(packets);
        if echo {
            self.marked += u64::from(packets);
        }
        if acked >= self.round_ends {
            self.end_round(next);
        }
        if echo && acked > self.cut_until {
            self.cut(next);
        } else if !echo {
            self.grow(packets);
        }
    }

    fn on_cnp(&mut self, _now: Time) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: DctcpConfig = DctcpConfig { initial_window: 10, gain: 16, slow_start: false };

    #[test]
    fn grows_by_one_packet_a_round_without_marks() {
        let mut dctcp = Dctcp::new(CONFIG);
        let mut acked = 0;
        for _ in 0..10 {
            acked += 1;
            dctcp.on_ack(Time::ZERO, 1, false, acked, acked + 10);
        }
        let window = dctcp.window as f64 / ONE as f64;
        assert!((window - 11.0).abs() < 0.1, "{window}");
    }

    #[test]
    fn a_fully_marked_round_halves_the_window_once() {
        let mut dctcp = Dctcp::new(CONFIG);
        for acked in 1..=10 {
            dctcp.on_ack(Time::ZERO, 1, true, acked, 20);
        }
        assert_eq!(dctcp.allowance(Time::ZERO).window, Some(5));
    }
}

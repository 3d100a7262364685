use units::{Bytes, Rate, Time};

use super::{Allowance, CongestionControl};

/// Settings of DCQCN (Zhu et al., SIGCOMM 2015): the reaction point at a sender, and the pace of
/// notifications at a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DcqcnConfig {
    /// At most one CNP a flow in this time (N).
    pub cnp_interval: Time,
    /// Without a CNP for this long, alpha decays (K).
    pub alpha_timer: Time,
    /// Time between increase events (T).
    pub increase_timer: Time,
    /// Bytes between increase events (B); `None`: timer only.
    pub byte_counter: Option<Bytes>,
    /// Increase events of a kind before its stage ends fast recovery (F).
    pub fast_recovery: u32,
    /// Additive increase.
    pub additive: Rate,
    /// Hyper increase.
    pub hyper: Rate,
    /// No slower than this.
    pub min_rate: Rate,
    /// Gain g of alpha, as 1 / `gain`.
    pub gain: u32,
    /// Which alpha a cut uses.
    pub alpha_order: AlphaOrder,
    /// Whether a stage counts before or after it is compared with F.
    pub stage_order: StageOrder,
}

/// Whether a CNP cuts by the alpha before or after its own update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaOrder {
    /// Cut by the old alpha, then update (the paper's text).
    CutFirst,
    /// Update, then cut by the new alpha (the ns-3 RDMA code).
    UpdateFirst,
}

/// Whether an increase event counts its stage before or after the comparison with F.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageOrder {
    /// Count, then compare: F - 1 halvings of the gap (the ns-3 RDMA code).
    IncrementFirst,
    /// Compare, then count: F halvings (the HPCC copy).
    CompareFirst,
}

/// Alpha in units of 2^-32.
const ONE: u64 = 1 << 32;

/// The reaction point of one connection.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    config: DcqcnConfig,
    line: u64,
    current: u64,
    target: u64,
    alpha: u64,
    /// False until the first CNP: the flow runs at line rate and no timer does.
    limited: bool,
    alpha_due: Time,
    increase_due: Time,
    bytes: u64,
    timer_stage: u32,
    byte_stage: u32,
}

impl Dcqcn {
    /// At line rate, with alpha 1.
    pub fn new(config: DcqcnConfig, line: Rate) -> Dcqcn {
        Dcqcn {
            config,
            line: line.bps(),
            current: line.bps(),
            target: line.bps(),
            alpha: ONE,
            limited: false,
            alpha_due: Time::MAX,
            increase_due: Time::MAX,
            bytes: 0,
            timer_stage: 0,
            byte_stage: 0,
        }
    }

    /// Current rate R_C.
    pub fn rate(&self) -> Rate {
        Rate::from_bps(self.current)
    }

    /// Target rate R_T.
    pub fn target(&self) -> Rate {
        Rate::from_bps(self.target)
    }

    /// Alpha, in units of 2^-32.
    pub fn alpha(&self) -> u64 {
        self.alpha
    }

    /// Does everything that timers would have done up to `now`, in order of time.
    pub fn catch_up(&mut self, now: Time) {
        while self.limited {
            let due = self.alpha_due.min(self.increase_due);
            if due > now {
                break;
            }
            if self.alpha_due <= self.increase_due {
                self.alpha -= self.alpha / u64::from(self.config.gain);
                self.alpha_due = self.alpha_due.saturating_add(self.config.alpha_timer);
            } else {
                self.timer_stage += self.count_first();
                self.increase();
                self.timer_stage += 1 - self.count_first();
                let period = self.period(self.config.increase_timer.ps());
                self.increase_due = self.increase_due.saturating_add(Time::from_ps(period));
            }
            // Back at line rate with a target there: nothing changes until the next CNP but alpha.
            if self.current == self.line && self.target == self.line && self.alpha < u64::from(self.config.gain) {
                self.limited = false;
            }
        }
    }

    fn count_first(&self) -> u32 {
        u32::from(self.config.stage_order == StageOrder::IncrementFirst)
    }

    /// Periods are halved while both stages are past fast recovery.
    fn period(&self, full: u64) -> u64 {
        if self.timer_stage.min(self.byte_stage) >= self.config.fast_recovery { full / 2 } else { full }
    }

    fn increase(&mut self) {
        let f = self.config.fast_recovery;
        let (low, high) = (self.timer_stage.min(self.byte_stage), self.timer_stage.max(self.byte_stage));
        if low >= f {
            let step = self.config.hyper.bps().saturating_mul(u64::from(low - f + 1));
            self.target = self.target.saturating_add(step);
        } else if high >= f {
            self.target = self.target.saturating_add(self.config.additive.bps());
        }
        self.target = self.target.min(self.line);
        self.current = ((self.current + self.target) / 2).min(self.line);
        // Halving the gap forever would stop one bit per second short.
        if self.target - self.current <= 1 {
            self.current = self.target;
        }
    }
}

impl CongestionControl for Dcqcn {
    fn allowance(&mut self, now: Time) -> Allowance {
        self.catch_up(now);
        Allowance { window: None, rate: (self.current < self.line).then(|| Rate::from_bps(self.current)) }
    }

    fn on_sent(&mut self, now: Time, size: Bytes) {
        self.catch_up(now);
        let Some(counter) = self.config.byte_counter else { return };
        if !self.limited {
            return;
        }
        self.bytes += size.get();
        if self.bytes >= self.period(counter.get()) {
            self.bytes = 0;
            self.byte_stage += self.count_first();
            self.increase();
            self.byte_stage += 1 - self.count_first();
        }
    }

    fn on_ack(&mut self, _now: Time, _packets: u32, _echo: bool, _acked: u64, _next: u64) {}

    fn on_cnp(&mut self, now: Time) {
        self.catch_up(now);
        let updated = self.alpha - self.alpha / u64::from(self.config.gain) + ONE / u64::from(self.config.gain);
        let updated = updated.min(ONE);
        let cut = match self.config.alpha_order {
            AlphaOrder::CutFirst => self.alpha,
            AlphaOrder::UpdateFirst => updated,
        };
        self.alpha = updated;
        self.target = self.current;
        let loss = (u128::from(self.current) * u128::from(cut) / u128::from(2 * ONE)) as u64;
        self.current = (self.current - loss).max(self.config.min_rate.bps().min(self.line));
        self.limited = true;
        self.alpha_due = now.saturating_add(self.config.alpha_timer);
        self.increase_due = now.saturating_add(self.config.increase_timer);
        (self.bytes, self.timer_stage, self.byte_stage) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(stage_order: StageOrder) -> DcqcnConfig {
        DcqcnConfig {
            cnp_interval: Time::from_us(50),
            alpha_timer: Time::from_us(55),
            increase_timer: Time::from_us(55),
            byte_counter: Some(Bytes::new(10_000_000)),
            fast_recovery: 5,
            additive: Rate::from_bps(40_000_000),
            hyper: Rate::from_bps(200_000_000),
            min_rate: Rate::from_bps(100_000_000),
            gain: 256,
            alpha_order: AlphaOrder::CutFirst,
            stage_order,
        }
    }

    /// V34: first CNP halves the rate; silence then closes the gap by halves, 4 or 5 times, after which
    /// the target rises by R_AI an event, clamped at the line.
    #[test]
    fn recovery_follows_the_paper_in_both_orders_of_stages() {
        for (order, halvings) in [(StageOrder::IncrementFirst, 4), (StageOrder::CompareFirst, 5)] {
            let mut rp = Dcqcn::new(config(order), Rate::from_gbps(100));
            rp.on_cnp(Time::ZERO);
            assert_eq!((rp.target().bps(), rp.rate().bps()), (100_000_000_000, 50_000_000_000));
            let mut expected = 50e9;
            for event in 1..=halvings {
                rp.catch_up(Time::from_us(55 * event));
                expected += (100e9 - expected) / 2.0;
                assert_eq!(rp.rate().bps() as f64, expected, "event {event}");
            }
        }
    }

    #[test]
    fn additive_increase_begins_after_fast_recovery_from_a_lower_target() {
        let mut rp = Dcqcn::new(config(StageOrder::CompareFirst), Rate::from_gbps(100));
        rp.on_cnp(Time::ZERO);
        rp.on_cnp(Time::from_us(1));
        assert_eq!(rp.target().bps(), 50_000_000_000, "a second CNP takes the current rate as target");
        rp.catch_up(Time::from_us(1 + 55 * 5));
        assert_eq!(rp.target().bps(), 50_000_000_000);
        rp.catch_up(Time::from_us(1 + 55 * 6));
        assert_eq!(rp.target().bps(), 50_040_000_000);
        rp.catch_up(Time::from_us(1 + 55 * 8));
        assert_eq!(rp.target().bps(), 50_120_000_000);
    }

    #[test]
    fn alpha_decays_geometrically_without_notifications() {
        let mut rp = Dcqcn::new(config(StageOrder::CompareFirst), Rate::from_gbps(100));
        rp.on_cnp(Time::ZERO);
        for k in 1..200u64 {
            rp.catch_up(Time::from_us(55 * k));
            let expected = (1.0f64 - 1.0 / 256.0).powi(k as i32);
            let alpha = rp.alpha() as f64 / ONE as f64;
            assert!((alpha - expected).abs() < 1e-6, "{k}: {alpha} against {expected}");
        }
    }

    #[test]
    fn the_order_of_alpha_and_cut_differs_from_the_second_notification_on() {
        let run = |alpha_order| {
            let mut rp =
                Dcqcn::new(DcqcnConfig { alpha_order, ..config(StageOrder::CompareFirst) }, Rate::from_gbps(100));
            rp.on_cnp(Time::ZERO);
            rp.on_cnp(Time::from_us(550));
            rp.rate().bps()
        };
        let (cut_first, update_first) = (run(AlphaOrder::CutFirst), run(AlphaOrder::UpdateFirst));
        assert!(update_first < cut_first, "the updated alpha is larger: {update_first} against {cut_first}");
    }

    #[test]
    fn bytes_and_time_both_past_fast_recovery_make_hyper_increase() {
        let mut rp = Dcqcn::new(config(StageOrder::CompareFirst), Rate::from_gbps(100));
        for us in 0..20 {
            rp.on_cnp(Time::from_us(us));
        }
        let start = Time::from_us(19);
        let floor = rp.target().bps();
        for event in 1..=5u64 {
            rp.on_sent(start + Time::from_us(50 * event), Bytes::new(10_000_000));
        }
        rp.catch_up(start + Time::from_us(55 * 5));
        assert_eq!(rp.target().bps(), floor + 40_000_000, "one stage past fast recovery: additive");
        // Both past: hyper, times min(stages) - F + 1 = 1, and the period is halved.
        rp.catch_up(start + Time::from_us(55 * 5 + 28));
        assert_eq!(rp.target().bps(), floor + 240_000_000);
    }

    #[test]
    fn the_rate_never_falls_below_the_minimum() {
        let mut rp = Dcqcn::new(config(StageOrder::CompareFirst), Rate::from_gbps(100));
        for us in 0..100 {
            rp.on_cnp(Time::from_us(us));
        }
        assert_eq!(rp.rate().bps(), 100_000_000);
    }
}

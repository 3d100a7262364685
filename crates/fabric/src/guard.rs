use std::sync::Arc;

use units::Time;

use crate::config::{Credit, Pool};

/// The receiver's half of flow control: what must it tell its peer about its memory?
#[derive(Clone, Debug)]
pub enum Guard {
    /// Nothing.
    None,
    /// Stop and go on (PFC).
    Pause(PauseGuard),
    /// How much more may be sent (credits).
    Credit(CreditGuard),
}

/// Bytes of one input and class, and whether its sender has been asked to stop.
#[derive(Clone, Debug)]
pub struct PauseGuard {
    /// Those of all guards of a fabric, kept once.
    pub(crate) limits: Arc<Limits>,
    /// Bytes charged, in reserve, shared pool and headroom together.
    pub(crate) held: u64,
    /// Of those, the bytes in the headroom (dynamic thresholds only).
    pub(crate) in_headroom: u64,
    /// Bytes of private headroom.
    pub(crate) headroom: u64,
    /// The last frame decided on asks to stop.
    pub(crate) stopped: bool,
    /// A fault keeps the sender stopped whatever the memory says.
    pub(crate) forced: bool,
    /// When to repeat the PAUSE, and whether the timer for it is pending.
    pub(crate) refresh_at: Time,
    pub(crate) armed: bool,
}

/// What a guard compares with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limits {
    Static { xoff: u64, xon: u64 },
    Dynamic(Pool),
}

/// What admission found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Admit {
    Accepted,
    /// Accepted, and the sender must stop now.
    Stop,
    /// No memory: the packet is lost.
    Refused,
    /// The packet is lost, and the sender must stop now.
    RefusedAndStop,
}

impl PauseGuard {
    pub(crate) fn new(limits: &Arc<Limits>, headroom: u64) -> PauseGuard {
        PauseGuard {
            limits: Arc::clone(limits),
            held: 0,
            in_headroom: 0,
            headroom,
            stopped: false,
            forced: false,
            refresh_at: Time::ZERO,
            armed: false,
        }
    }

    /// Charges a packet. `pool_used` is the shared memory in use at this switch and is updated.
    #[inline]
    pub(crate) fn charge(&mut self, size: u64, pool_used: &mut u64) -> Admit {
        let fits = match *self.limits {
            Limits::Static { xoff, .. } => self.charge_static(xoff, size),
            Limits::Dynamic(pool) => self.charge_dynamic(&pool, size, pool_used),
        };
        if !fits {
            // A packet too large for what is left never makes the count reach the threshold; without this
            // its sender would lose packet after packet and never be asked to stop.
            if self.stopped || self.may_resume(*pool_used) {
                return Admit::Refused;
            }
            self.stopped = true;
            return Admit::RefusedAndStop;
        }
        if !self.stopped && self.wants_stop(*pool_used) {
            self.stopped = true;
            return Admit::Stop;
        }
        Admit::Accepted
    }

    fn charge_static(&mut self, xoff: u64, size: u64) -> bool {
        let fits = self.held + size <= xoff.saturating_add(self.headroom);
        if fits {
            self.held += size;
        }
        fits
    }

    /// Order of charges: own reserve, then the shared pool up to the threshold, then headroom.
    fn charge_dynamic(&mut self, pool: &Pool, size: u64, pool_used: &mut u64) -> bool {
        let reserve = pool.reserve.get();
        let ordinary = self.held - self.in_headroom;
        let wanted = ordinary + size;
        if wanted <= reserve {
            self.held += size;
            return true;
        }
        let from_pool = size.min(wanted - reserve);
        if wanted - reserve > threshold(pool, *pool_used) || *pool_used + from_pool > pool.size.get() {
            if self.in_headroom + size > self.headroom {
                return false;
            }
            self.in_headroom += size;
        } else {
            *pool_used += from_pool;
        }
        self.held += size;
        true
    }

    /// Gives memory back, headroom first, then the pool.
    pub(crate) fn release(&mut self, size: u64, pool_used: &mut u64) {
        if let Limits::Dynamic(pool) = *self.limits {
            let from_headroom = self.in_headroom.min(size);
            let ordinary = self.held - self.in_headroom;
            let from_pool = (size - from_headroom).min(ordinary.saturating_sub(pool.reserve.get()));
            self.in_headroom -= from_headroom;
            *pool_used -= from_pool;
        }
        self.held -= size;
    }

    fn wants_stop(&self, pool_used: u64) -> bool {
        match *self.limits {
            Limits::Static { xoff, .. } => self.held >= xoff,
            Limits::Dynamic(pool) => {
                let shared = (self.held - self.in_headroom).saturating_sub(pool.reserve.get());
                self.in_headroom > 0 || (shared > 0 && shared >= threshold(&pool, pool_used))
            }
        }
    }

    /// Whether a stopped sender may go on, with `pool_used` of the shared memory in use.
    pub(crate) fn may_resume(&self, pool_used: u64) -> bool {
        if self.forced {
            return false;
        }
        match *self.limits {
            Limits::Static { xon, .. } => self.held <= xon,
            Limits::Dynamic(pool) => {
                let shared = (self.held - self.in_headroom).saturating_sub(pool.reserve.get());
                self.in_headroom == 0
                    && (shared == 0 || shared + pool.resume_offset.get() <= threshold(&pool, pool_used))
            }
        }
    }
}

/// Bytes that one input may hold of the pool now (Choudhury and Hahne: alpha times what is free).
pub(crate) fn threshold(pool: &Pool, used: u64) -> u64 {
    let free = u128::from(pool.size.get().saturating_sub(used));
    u64::try_from(free * u128::from(pool.alpha_num) / u128::from(pool.alpha_den)).unwrap_or(u64::MAX)
}

/// Blocks of one input and class under credits, counting modulo 2^32.
///
/// Model: limits travel beside the data and take no time on the line, where flow-control packets of some 8 bytes do.
#[derive(Clone, Copy, Debug)]
pub struct CreditGuard {
    /// Size of the buffer.
    pub(crate) buffer: u32,
    pub(crate) window: u32,
    /// Total blocks received (ABR).
    pub(crate) received: u32,
    /// Blocks in the buffer.
    pub(crate) used: u32,
}

impl CreditGuard {
    pub(crate) fn new(credit: Credit) -> CreditGuard {
        let window = credit.window.unwrap_or(u32::MAX >> 1);
        CreditGuard { buffer: credit.buffer, window, received: 0, used: 0 }
    }

    /// The limit to tell the sender (FCCL): what was received plus what is free, capped by the window.
    pub(crate) fn limit(&self) -> u32 {
        self.received.wrapping_add((self.buffer - self.used).min(self.window))
    }

    /// A packet that the gate allowed always fits.
    pub(crate) fn charge(&mut self, blocks: u32) {
        self.received = self.received.wrapping_add(blocks);
        self.used += blocks;
        assert!(self.used <= self.buffer, "a sender with credits cannot overrun the buffer");
    }

    pub(crate) fn release(&mut self, blocks: u32) {
        self.used -= blocks;
    }

    /// A packet was damaged on the wire: its blocks count as received and are free at once.
    pub(crate) fn lost(&mut self, blocks: u32) {
        self.received = self.received.wrapping_add(blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Bytes;

    fn pool(size: u64, num: u64, den: u64) -> Pool {
        let (reserve, resume_offset) = (Bytes::ZERO, Bytes::ZERO);
        Pool { size: Bytes::new(size), alpha_num: num, alpha_den: den, reserve, resume_offset }
    }

    #[test]
    fn static_guard_stops_at_xoff_and_loses_past_the_headroom() {
        let mut guard = PauseGuard::new(&Arc::new(Limits::Static { xoff: 100, xon: 50 }), 60);
        let mut used = 0;
        assert_eq!(guard.charge(60, &mut used), Admit::Accepted);
        assert_eq!(guard.charge(40, &mut used), Admit::Stop);
        assert_eq!(guard.charge(60, &mut used), Admit::Accepted);
        assert_eq!(guard.charge(1, &mut used), Admit::Refused);
        guard.release(100, &mut used);
        assert!(!guard.may_resume(0));
        guard.release(10, &mut used);
        assert!(guard.may_resume(0));
    }

    #[test]
    fn a_packet_lost_below_xoff_still_stops_its_sender() {
        let mut guard = PauseGuard::new(&Arc::new(Limits::Static { xoff: 100, xon: 50 }), 10);
        let mut used = 0;
        assert_eq!(guard.charge(90, &mut used), Admit::Accepted);
        assert_eq!(guard.charge(90, &mut used), Admit::RefusedAndStop);
        assert_eq!(guard.charge(90, &mut used), Admit::Refused, "it has been asked");
        guard.release(90, &mut used);
        assert!(guard.may_resume(used));
    }

    #[test]
    fn an_empty_input_never_stops_its_sender() {
        let mut guard = PauseGuard::new(&Arc::new(Limits::Static { xoff: 100, xon: 50 }), 10);
        assert_eq!(guard.charge(200, &mut 0), Admit::Refused, "nothing here could ever let it go on");
    }

    /// V19: n inputs that fill together each hold alpha P / (1 + alpha n).
    #[test]
    fn dynamic_thresholds_settle_at_the_closed_form() {
        for (n, num, den) in [(1u64, 1u64, 1u64), (8, 1, 8), (4, 1, 2), (16, 2, 1)] {
            let size = 1_000_000;
            let pool = pool(size, num, den);
            let mut guards = vec![PauseGuard::new(&Arc::new(Limits::Dynamic(pool)), 64); n as usize];
            let mut used = 0;
            while guards.iter().any(|g| !g.stopped) {
                for guard in guards.iter_mut().filter(|g| !g.stopped) {
                    guard.charge(64, &mut used);
                }
            }
            let expected = size as f64 * num as f64 / (den as f64 + (num * n) as f64);
            for guard in &guards {
                assert!((guard.held as f64 - expected).abs() <= 128.0, "n {n}: {} against {expected}", guard.held);
            }
        }
    }

    #[test]
    fn dynamic_release_returns_exactly_what_was_charged() {
        let pool = Pool { reserve: Bytes::new(100), ..pool(1000, 1, 1) };
        let mut guard = PauseGuard::new(&Arc::new(Limits::Dynamic(pool)), 500);
        let mut used = 0;
        let mut sizes = Vec::new();
        while guard.charge(90, &mut used) != Admit::Refused {
            sizes.push(90);
        }
        assert!(guard.in_headroom > 400 && used >= 400);
        for size in sizes {
            guard.release(size, &mut used);
        }
        assert_eq!((guard.held, guard.in_headroom, used), (0, 0, 0));
        assert!(guard.may_resume(used));
    }
}

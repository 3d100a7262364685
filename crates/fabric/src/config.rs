use units::{Bytes, Rate, Time};

use crate::fabric::PAUSE_SIZE;

/// How every switch and link of a fabric behaves. Per-port quantities that depend on rate or cable
/// (headroom) are worked out for each port at build.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricConfig {
    /// Classes in use: one for control and one or more for data.
    pub classes: u8,
    /// How a receiver keeps a sender from overrunning its memory.
    pub flow_control: FlowControl,
    /// Which input is served next within a class.
    pub service: Service,
    /// Memory of a switch.
    pub buffer: Buffer,
    /// Marking, if any.
    pub ecn: Option<Ecn>,
    /// Bytes of the largest frame of any class on any link.
    pub largest_frame: Bytes,
}

/// Flow control of a link; both ends agree.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowControl {
    /// None: full memory drops.
    None,
    /// Priority flow control (IEEE 802.1Qbb).
    Pfc(Pfc),
    /// Credits (InfiniBand architecture, volume 1, 7.9).
    Credit(Credit),
}

/// Settings of priority flow control.
#[derive(Clone, Debug, PartialEq)]
pub struct Pfc {
    /// When to pause and to resume.
    pub thresholds: Thresholds,
    /// Memory beyond the threshold that takes what arrives after the PAUSE was decided;
    /// `None`: enough for the worst case of each port.
    pub headroom: Option<Bytes>,
    /// Reaction time of a paused sender, after the frame has arrived.
    pub response: Time,
    /// Pause time of a frame.
    pub quanta: Quanta,
    /// Repeat a PAUSE before it expires while the pressure lasts.
    pub refresh: bool,
}

impl Pfc {
    /// Bytes beyond the threshold of an input. If not given, they suffice in the worst case: everything sent during
    /// the PAUSE's way back, the sender's reaction and the data's way here, a frame that crosses the threshold at its
    /// tail, one just begun at the peer, one in progress on the reverse link ahead of the PAUSE, and the PAUSE.
    pub fn headroom_of(&self, rate: Rate, propagation: Time, pipeline: Time, largest_frame: Bytes) -> Bytes {
        self.headroom.unwrap_or_else(|| {
            let span = propagation * 2 + pipeline + self.response;
            let in_flight = rate.bytes_in(span).get() + 1;
            Bytes::new(in_flight + 3 * largest_frame.get() + u64::from(PAUSE_SIZE))
        })
    }
}

/// Pause time in quanta of 512 bit times (802.3 Annex 31B).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quanta(pub u16);

impl Quanta {
    /// How long a pause lasts at a line rate.
    pub fn span(self, rate: Rate) -> Time {
        rate.time_for(Bytes::new(u64::from(self.0) * 64))
    }
}

/// When a guard pauses its sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Thresholds {
    /// Pause when the bytes of an input reach `xoff`, resume when they have fallen to `xon`.
    Static {
        /// Pause at or above.
        xoff: Bytes,
        /// Resume at or below.
        xon: Bytes,
    },
    /// Thresholds that follow the free part of a shared pool (Choudhury and Hahne, 1998).
    Dynamic(Pool),
}

/// The shared memory of a switch. Headroom and reserves are outside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pool {
    /// Shared bytes.
    pub size: Bytes,
    /// An input may hold `alpha_num / alpha_den` times the free part of the pool.
    pub alpha_num: u64,
    /// See `alpha_num`.
    pub alpha_den: u64,
    /// Bytes of each input and class that are its own before it draws on the pool.
    pub reserve: Bytes,
    /// Resume when the threshold exceeds the use by this much.
    pub resume_offset: Bytes,
}

/// Settings of credit flow control, in blocks of 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Receive buffer of a port and class.
    pub buffer: u32,
    /// The most blocks a receiver may have outstanding; `None` lifts the limit of the 12-bit fields.
    pub window: Option<u32>,
}

impl Credit {
    /// Bytes of a block.
    pub const BLOCK: u32 = 64;

    /// Blocks that a packet takes.
    #[inline]
    pub fn blocks(size: u16) -> u32 {
        u32::from(size).div_ceil(Credit::BLOCK)
    }
}

/// Service among the inputs that want one output, within a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// One queue an output and class, in order of arrival.
    Fifo,
    /// One queue for each input, served packet by packet in turn.
    RoundRobin,
}

/// Memory limits of a switch apart from flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Buffer {
    /// The most bytes a switch holds in all; more are dropped.
    pub size: Option<Bytes>,
    /// The most bytes one output queue holds; more are dropped (drop-tail).
    pub egress_limit: Option<Bytes>,
}

/// Random early marking on the instantaneous length of an output queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecn {
    /// No marks below.
    pub kmin: Bytes,
    /// All marked above.
    pub kmax: Bytes,
    /// Marking probability at `kmax`, in units of 2^-32.
    pub pmax: u32,
    /// When the queue is looked at.
    pub mark_at: MarkAt,
}

impl Ecn {
    /// Marking probability at a queue length, in units of 2^-32 (2^32 is certain).
    pub fn probability(&self, queue: u64) -> u64 {
        let (kmin, kmax) = (self.kmin.get(), self.kmax.get());
        if queue <= kmin {
            0
        } else if queue >= kmax {
            1 << 32
        } else {
            (u128::from(self.pmax) * u128::from(queue - kmin) / u128::from(kmax - kmin)) as u64
        }
    }
}

/// Where a packet meets the marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkAt {
    /// As it joins the queue.
    Enqueue,
    /// As it leaves the queue.
    Dequeue,
}

use units::Time;

/// What a port has done, all classes together.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortCounters {
    /// Bytes sent, PAUSE frames included.
    pub bytes: u64,
    /// Packets sent, PAUSE frames included.
    pub packets: u64,
}

/// What a port has done in one class.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClassCounters {
    /// Bytes sent.
    pub bytes: u64,
    /// Packets sent.
    pub packets: u64,
    /// Packets whose wait is known: those that were queued, and those of open-loop sources.
    pub served: u64,
    /// Sum of their waits, from joining the queue to the start of transmission, in picoseconds.
    pub waited: u64,
    /// The longest of them.
    pub longest_wait: Time,
    /// Longest output queue, in bytes, without the packet on the line.
    pub max_queue: u64,
    /// Most bytes ever charged to the input of this port.
    pub max_input: u64,
    /// PAUSE frames sent that ask this class to stop, refreshes included.
    pub pause_sent: u64,
    /// Frames sent that let it go on.
    pub resume_sent: u64,
    /// PAUSE frames received that stop this class.
    pub pause_received: u64,
    /// Time for which the sender was paused.
    pub paused: Time,
    /// Time for which packets waited on a free line for credits.
    pub credit_stall: Time,
    /// Packets discarded at this port.
    pub drops: u64,
    /// Those of them that a lossless class lost for lack of headroom.
    pub lossless_drops: u64,
    /// Packets damaged on the link that leaves this port.
    pub corrupted: u64,
    /// Packets marked.
    pub marks: u64,
}

/// What every packet that leaves changes: the first counters of [`ClassCounters`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) bytes: u64,
    pub(crate) packets: u64,
    pub(crate) served: u64,
    pub(crate) waited: u64,
    pub(crate) longest_wait: Time,
    pub(crate) max_queue: u64,
}

impl Traffic {
    #[inline]
    pub(crate) fn waited(&mut self, wait: Time) {
        self.served += 1;
        self.waited += wait.ps();
        self.longest_wait = self.longest_wait.max(wait);
    }
}

/// What most classes of most ports never see: pauses, loss, marks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rare {
    /// When the gate closed, while it is closed by a PAUSE.
    pub(crate) closed_at: Option<Time>,
    /// See [`crate::port::Lane::frames`].
    pub(crate) frames_sent: u32,
    pub(crate) frames_taken: u32,
    /// Those that [`Traffic`] counts stay zero here.
    pub(crate) counters: ClassCounters,
}

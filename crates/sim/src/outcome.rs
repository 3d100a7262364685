use fabric::{ClassCounters, PortCounters};
use units::{Bytes, Rate, Time};

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Everything was sent, delivered and acknowledged.
    Finished,
    /// The time given was up.
    TimeLimit,
    /// Queues were proven to be deadlocked, and nothing dissolved that.
    Deadlocked,
    /// No payload arrived anywhere for too long while some was outstanding, or a flow gave up.
    Stalled,
    /// The caller asked to stop.
    Interrupted,
}

/// Everything a run found out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Time simulated.
    pub simulated: Time,
    /// When payload was last delivered; `None` if none ever was.
    pub last_progress: Option<Time>,
    /// Goodput was measured from here.
    pub measured_from: Time,
    /// Steps that count, in order; empty without a collective. Unfinished steps are left out.
    pub steps: Vec<Step>,
    /// One row a connection or explicit flow.
    pub flows: Vec<Flow>,
    /// One entry a port, in the order of the topology.
    pub ports: Vec<PortReport>,
    /// Samples over time, when recorded.
    pub series: Vec<Sample>,
    /// The first deadlock that was proven.
    pub deadlock: Option<DeadlockReport>,
    /// Totals.
    pub totals: Totals,
    /// Hash over all packet arrivals: equal results, equal fingerprint.
    pub fingerprint: u64,
    /// Engine events handled.
    pub events: u64,
}

/// One step of a collective job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Number among all steps, warm-up included.
    pub number: u32,
    /// End of the step before.
    pub start: Time,
    /// When the last rank was done.
    pub end: Time,
    /// The longest compute phase.
    pub compute: Time,
    /// From the entry of the last rank to the end: the time of the collective.
    pub communication: Time,
    /// The part of the step that the longest compute phase does not cover.
    pub exposed: Time,
    /// The rank that the others waited for: the last to enter with compute, else the last to end.
    pub slowest_rank: u32,
    /// Where on its way the last message of the step over the network waited longest; `None`: nowhere, or its way is
    /// not one.
    pub waited: Option<Waited>,
}

/// A place where packets waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// Index of the port in [`Outcome::ports`].
    pub port: u32,
    /// What for.
    pub cause: Cause,
    /// Mean wait of a packet in its queue, or how long it was stopped, within the step.
    pub time: Time,
}

/// What packets waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Other packets in the same queue.
    Queue,
    /// The end of a PAUSE.
    Pause,
    /// Credits.
    Credits,
}

/// One connection or explicit flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Stable and readable.
    pub name: String,
    /// Names of its hosts.
    pub src: String,
    /// See `src`.
    pub dst: String,
    /// Payload asked for; `None`: unlimited.
    pub size: Option<Bytes>,
    /// First post.
    pub start: Option<Time>,
    /// Last byte at the receiver, when complete.
    pub delivered: Option<Time>,
    /// Last acknowledgement, when complete (datagrams: none).
    pub acked: Option<Time>,
    /// Given up.
    pub failed: bool,
    /// Payload delivered, in all and within the measured time.
    pub bytes: Bytes,
    /// See `bytes`.
    pub measured_bytes: Bytes,
    /// Time over which `measured_bytes` were delivered.
    pub measured: Time,
    /// Completion time on an idle network, when there is a size.
    pub ideal: Option<Time>,
    /// Packets sent again.
    pub retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Marked packets that arrived.
    pub marks: u64,
}

/// What a port did.
#[derive(Clone, Debug)]
pub struct PortReport {
    /// Such as `leaf0->spine1`.
    pub name: String,
    /// Rate of the link that leaves it.
    pub rate: Rate,
    /// All classes together.
    pub all: PortCounters,
    /// By class in use; index 0 is control.
    pub classes: Vec<ClassCounters>,
}

/// A deadlock: the proof on a snapshot, told in names.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadlockReport {
    /// When its cycle closed.
    pub onset: Time,
    /// Time of the snapshot that proved it.
    pub detected: Time,
    /// Every queue that can never move again, in the order in which their gates closed: how the
    /// stop spread.
    pub queues: Vec<BlockedQueue>,
    /// Indices in `queues` of the first cycle to close, each waiting for the next.
    pub cycle: Vec<usize>,
    /// Index in `queues` of the member of the cycle that stopped first.
    pub root: usize,
    /// Names of connections with packets in those queues.
    pub flows: Vec<String>,
}

/// A queue that can never move again.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockedQueue {
    /// The output it waits for, such as `leaf0->spine1`.
    pub port: String,
    /// The input whose packets it holds, where each input has a queue of its own.
    pub input: Option<String>,
    /// Class in use.
    pub class: u8,
    /// When the gate of its output closed.
    pub closed: Time,
    /// Bytes in it.
    pub bytes: u64,
    /// Indices of the queues that hold the memory it waits for.
    pub waits_for: Vec<usize>,
}

/// One value at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub time: Time,
    /// Index of the port in [`Outcome::ports`].
    pub port: u32,
    /// Class in use.
    pub class: u8,
    /// What.
    pub quantity: Quantity,
    /// How much: bytes, 0 or 1, or bits per second.
    pub value: u64,
}

/// What a sample measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// Bytes in the output queue.
    Queue,
    /// Bytes charged to the input.
    Input,
    /// Whether the sender is paused.
    Paused,
    /// Wire bits per second over the last interval.
    Rate,
}

/// Sums over the whole network.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Data packets delivered in order.
    pub packets_delivered: u64,
    /// Every packet once per link it crosses.
    pub packet_hops: u64,
    /// Payload bytes delivered over the network (not within NVLink domains).
    pub bytes_delivered: u64,
    /// Congestion notification packets that reached their senders.
    pub cnps: u64,
    /// The most packets in flight at once.
    pub peak_packets: u64,
}

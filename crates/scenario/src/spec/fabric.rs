use units::text::Fraction;
use units::{Bytes, Rate, Time};

use super::topology::Distance;
use super::word::words;
use crate::item::{Item, Value};

/// Which technology, and how each part of it is set.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// The preset it began with.
    pub preset: Option<String>,
    /// Whose headers.
    pub technology: Technology,
    /// Every link.
    pub link: Link,
    /// How a full receiver holds its sender.
    pub flow_control: FlowControl,
    /// Every switch.
    pub switch: Switch,
    /// Memory of a switch.
    pub buffer: Buffer,
    /// Marking.
    pub ecn: Option<Ecn>,
    /// How paths are chosen.
    pub routing: Routing,
    /// What connections speak.
    pub transport: Transport,
    /// How senders react to congestion.
    pub congestion_control: CongestionControl,
}

words! {
    /// Whose headers and conventions.
    Technology {
        /// InfiniBand within a subnet.
        Infiniband = "infiniband",
        /// RoCEv2.
        Roce = "roce",
    }
}

/// A link, unless its tier or cable says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Each way.
    pub rate: Rate,
    /// Propagation; 5 m when nothing says.
    pub distance: Distance,
    /// Largest payload of a packet.
    pub mtu: Bytes,
    /// Probability of loss.
    pub loss: Fraction,
    /// Bytes of a packet beside its payload, in place of the technology's.
    pub overhead: Option<Bytes>,
    /// Clock tolerance in millionths.
    pub ppm: u32,
}

/// How a full receiver holds its sender.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowControl {
    /// It does not.
    None,
    /// With PAUSE frames.
    Pfc(Pfc),
    /// With credits.
    Credit(Credit),
}

/// Priority flow control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pfc {
    /// When to pause.
    pub xoff: Xoff,
    /// Beyond `xoff`.
    pub headroom: Headroom,
    /// Of a paused sender.
    pub response: Time,
    /// Pause time of a frame.
    pub quanta: u16,
    /// Whether PAUSE is repeated.
    pub refresh: Refresh,
}

/// When an input is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Xoff {
    /// By `buffer.alpha` and the free memory.
    Dynamic,
    /// At a fixed count.
    Static {
        /// Pause here.
        xoff: Bytes,
        /// Resume here; `None`: two largest frames below.
        xon: Option<Bytes>,
    },
}

/// Memory of an input beyond its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headroom {
    /// The worst case of the port.
    Auto,
    /// So much.
    Fixed(Bytes),
}

words! {
    /// Whether PAUSE is repeated before it expires.
    Refresh {
        /// In time.
        Auto = "auto",
        /// Never.
        None = "none",
    }
}

/// Credit flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Receive buffer of a port and lane.
    pub buffer: Bytes,
    /// Data lanes.
    pub vls: u8,
    /// Blocks outstanding at most; `None`: no limit.
    pub window: Option<u64>,
}

/// A switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// From the head or the tail.
    pub forwarding: Forwarding,
    /// To the output queue.
    pub latency: Time,
    /// Which input is next.
    pub service: Service,
}

words! {
    /// When a switch passes a packet on.
    Forwarding {
        /// When all of it is in.
        StoreAndForward = "store-and-forward",
        /// From its head.
        CutThrough = "cut-through",
    }
}

words! {
    /// Service among inputs.
    Service {
        /// In order of arrival.
        Fifo = "fifo",
        /// One by one.
        RoundRobin = "round-robin",
    }
}

/// Packet memory of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// `None`: unlimited.
    pub size: Option<Bytes>,
    /// Share of the free memory that an input may take.
    pub alpha: Fraction,
    /// Of each input and class.
    pub reserve: Bytes,
    /// Below the dynamic threshold.
    pub resume_offset: Bytes,
    /// Of an output queue; `None`: no limit.
    pub egress_limit: Option<Bytes>,
}

/// Marking by queue length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecn {
    /// None up to here.
    pub kmin: Bytes,
    /// All from here.
    pub kmax: Bytes,
    /// Just below `kmax`.
    pub pmax: Fraction,
    /// When.
    pub mark_at: MarkAt,
}

words! {
    /// When the queue is looked at.
    MarkAt {
        /// As a packet leaves.
        Dequeue = "dequeue",
        /// As it joins.
        Enqueue = "enqueue",
    }
}

/// How a path is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routing {
    /// The rule.
    pub kind: RoutingKind,
    /// Of hashes.
    pub seeds: HashSeeds,
}

words! {
    /// Seeds of the hashes of switches.
    HashSeeds {
        /// Every switch has its own.
        PerSwitch = "per-switch",
        /// One for all.
        One = "one",
    }
}

words! {
    /// The rule by which a path is chosen.
    RoutingKind {
        /// Hash of the flow over all shortest paths.
        Ecmp = "ecmp",
        /// By destination number.
        DModK = "d-mod-k",
        /// Shortest paths that never turn up again.
        UpDown = "up-down",
        /// One shortest path for each destination.
        MinHop = "min-hop",
        /// Packet by packet, all shortest paths in turn.
        Spray = "spray",
        /// Packet by packet, the shortest queue.
        Adaptive = "adaptive",
        /// Every flow has its `path`.
        Explicit = "explicit",
    }
}

/// What connections speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A reliable connection.
    Rc(Rc),
    /// Unreliable datagrams.
    Ud,
}

/// A reliable connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rc {
    /// After a loss.
    pub retransmit: Retransmit,
    /// How often.
    pub ack_every: AckEvery,
    /// Packets unacknowledged; `None`: 2^23.
    pub window: Option<u32>,
    /// Without progress.
    pub timeout: Time,
    /// Before the flow fails.
    pub retries: u8,
    /// Of acknowledgements.
    pub ack_class: AckClass,
}

words! {
    /// Class of acknowledgements and notifications.
    AckClass {
        /// That of control.
        Control = "control",
        /// That of the data.
        Same = "same",
    }
}

words! {
    /// What is sent again.
    Retransmit {
        /// From the gap on.
        GoBackN = "go-back-n",
    }
}

/// How often data is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckEvery {
    /// Every n-th packet.
    Packets(u32),
    /// Each message.
    Message,
}

/// How senders react to congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionControl {
    /// Not at all.
    None,
    /// With a fixed number of packets in flight.
    Window {
        /// How many.
        packets: u32,
    },
    /// DCQCN.
    Dcqcn(Dcqcn),
    /// DCTCP's window rule.
    Dctcp(Dctcp),
}

/// Parameters of DCQCN (Zhu et al., SIGCOMM 2015).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dcqcn {
    /// The preset they began with.
    pub preset: DcqcnPreset,
    /// Of notifications of a flow, at least.
    pub cnp_interval: Time,
    /// Of the decay of alpha.
    pub alpha_timer: Time,
    /// Of increase events by time.
    pub increase_timer: Time,
    /// Of increase events by bytes; `None`: there are none.
    pub byte_counter: Option<Bytes>,
    /// Events of a kind until fast recovery is over.
    pub fast_recovery: u32,
    /// Additive increase.
    pub additive: Rate,
    /// Hyper increase.
    pub hyper: Rate,
    /// No slower.
    pub min_rate: Rate,
    /// Of alpha.
    pub gain: Fraction,
    /// Of cut and update.
    pub alpha_order: AlphaOrder,
    /// Of comparison and count.
    pub stage_order: StageOrder,
}

words! {
    /// Published sets of parameters.
    DcqcnPreset {
        /// Zhu et al., SIGCOMM 2015.
        Paper = "paper",
        /// The ns-3 code of its authors.
        Ns3Rdma = "ns3-rdma",
        /// The ns-3 code of HPCC, scaled to 400 Gb/s as its scripts do.
        Hpcc400g = "hpcc-400g",
    }
}

words! {
    /// Which alpha a notification cuts by.
    AlphaOrder {
        /// The one before its own update.
        CutFirst = "cut-first",
        /// The one after it.
        UpdateFirst = "update-first",
    }
}

words! {
    /// When an increase event counts its stage.
    StageOrder {
        /// After the comparison.
        CompareFirst = "compare-first",
        /// Before it.
        IncrementFirst = "increment-first",
    }
}

/// Parameters of DCTCP's window rule (Alizadeh et al., SIGCOMM 2010).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dctcp {
    /// Packets at the start.
    pub initial_window: u32,
    /// Of the marked share.
    pub gain: Fraction,
    /// Until the first mark.
    pub slow_start: bool,
}

impl Fabric {
    pub(super) fn of(item: &Item) -> Fabric {
        let flow_control = match item.string_or_word("flow_control") {
            "pfc" => FlowControl::Pfc(Pfc::of(item.group("pfc"))),
            "credit" => FlowControl::Credit(Credit::of(item.group("credit"))),
            _ => FlowControl::None,
        };
        Fabric {
            preset: item.opt_string("preset"),
            technology: item.word("technology"),
            link: Link::of(item.group("link")),
            flow_control,
            switch: Switch::of(item.group("switch")),
            buffer: Buffer::of(item.group("buffer")),
            ecn: item.opt_group("ecn").map(Ecn::of),
            routing: Routing::of(item.group("routing")),
            transport: Transport::of(item.group("transport")),
            congestion_control: CongestionControl::of(item.group("congestion_control")),
        }
    }
}

impl Link {
    fn of(item: &Item) -> Link {
        let mtu = item.opt_bytes("mtu").or_else(|| item.opt_bytes("ip_mtu").map(fitting_mtu));
        Link {
            rate: item.rate("rate"),
            distance: Distance::of(item).unwrap_or(Distance::Length(units::text::Length::from_metres(5))),
            mtu: mtu.unwrap_or(Bytes::new(4096)),
            loss: item.fraction("loss"),
            overhead: item.opt_bytes("overhead"),
            ppm: item.small("ppm"),
        }
    }
}

/// The largest InfiniBand MTU whose packets fit an IP MTU: beside the payload a packet has IPv4 20, UDP 8, BTH 12,
/// RETH 16 and ICRC 4 (IBTA annex A17).
fn fitting_mtu(ip_mtu: Bytes) -> Bytes {
    let fits = |mtu: &&u64| **mtu + 60 <= ip_mtu.get();
    Bytes::new(*[4096, 2048, 1024, 512, 256].iter().find(fits).unwrap_or(&256))
}

impl Pfc {
    fn of(item: &Item) -> Pfc {
        Pfc {
            xoff: match item.opt_bytes("xoff") {
                Some(xoff) => Xoff::Static { xoff, xon: item.opt_bytes("xon") },
                None => Xoff::Dynamic,
            },
            headroom: item.opt_bytes("headroom").map_or(Headroom::Auto, Headroom::Fixed),
            response: item.time("response"),
            quanta: u16::try_from(item.count("quanta")).unwrap_or(u16::MAX),
            refresh: item.word("refresh"),
        }
    }
}

impl Credit {
    fn of(item: &Item) -> Credit {
        let window = match item.group("window").value {
            Value::Blocks(blocks) => Some(blocks.0),
            _ => None,
        };
        Credit { buffer: item.bytes("buffer"), vls: u8::try_from(item.count("vls")).unwrap_or(1), window }
    }
}

impl Switch {
    fn of(item: &Item) -> Switch {
        Switch { forwarding: item.word("forwarding"), latency: item.time("latency"), service: item.word("service") }
    }
}

impl Buffer {
    fn of(item: &Item) -> Buffer {
        Buffer {
            size: item.opt_bytes("size"),
            alpha: item.fraction("alpha"),
            reserve: item.bytes("reserve"),
            resume_offset: item.bytes("resume_offset"),
            egress_limit: item.opt_bytes("egress_limit"),
        }
    }
}

impl Ecn {
    fn of(item: &Item) -> Ecn {
        Ecn {
            kmin: item.bytes("kmin"),
            kmax: item.bytes("kmax"),
            pmax: item.fraction("pmax"),
            mark_at: item.word("mark_at"),
        }
    }
}

impl Transport {
    fn of(item: &Item) -> Transport {
        if item.string_or_word("kind") == "ud" {
            return Transport::Ud;
        }
        Transport::Rc(Rc {
            retransmit: item.word("retransmit"),
            ack_every: item.opt_small("ack_every").map_or(AckEvery::Message, AckEvery::Packets),
            window: item.opt_small("window"),
            timeout: item.time("timeout"),
            retries: u8::try_from(item.count("retries")).unwrap_or(u8::MAX),
            ack_class: item.word("ack_class"),
        })
    }
}

impl Routing {
    fn of(item: &Item) -> Routing {
        Routing { kind: item.word("kind"), seeds: item.opt_word("seeds").unwrap_or(HashSeeds::PerSwitch) }
    }
}

impl CongestionControl {
    fn of(item: &Item) -> CongestionControl {
        match item.string_or_word("kind") {
            "window" => CongestionControl::Window { packets: item.small("packets") },
            "dcqcn" => CongestionControl::Dcqcn(Dcqcn::of(item)),
            "dctcp" => CongestionControl::Dctcp(Dctcp {
                initial_window: item.small("initial_window"),
                gain: item.fraction("gain"),
                slow_start: item.bool("slow_start"),
            }),
            _ => CongestionControl::None,
        }
    }

    /// Whether it reacts to marks.
    pub const fn listens_to_marks(&self) -> bool {
        matches!(self, CongestionControl::Dcqcn(_) | CongestionControl::Dctcp(_))
    }
}

impl Dcqcn {
    fn of(item: &Item) -> Dcqcn {
        Dcqcn {
            preset: item.word("preset"),
            cnp_interval: item.time("cnp_interval"),
            alpha_timer: item.time("alpha_timer"),
            increase_timer: item.time("increase_timer"),
            byte_counter: item.opt_bytes("byte_counter"),
            fast_recovery: item.small("fast_recovery"),
            additive: item.rate("additive"),
            hyper: item.rate("hyper"),
            min_rate: item.rate("min_rate"),
            gain: item.fraction("gain"),
            alpha_order: item.word("alpha_order"),
            stage_order: item.word("stage_order"),
        }
    }
}

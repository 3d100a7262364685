use super::key::key;
use super::{Key, Type};

/// A parameter of DCQCN; its preset has it.
const fn parameter(path: &'static str, ty: Type, meaning: &'static str) -> Key {
    key(path, ty, meaning).of("dcqcn").required().inherits("`preset`")
}

pub(super) const KEYS: &[Key] = &[
    key("fabric", Type::Map, "Which technology: a preset, with or without overrides.").required().short("preset"),
    key("fabric.preset", Type::Name, "Preset that the other keys override.")
        .inherits("without a preset, keys without default are required"),
    key("fabric.technology", Type::Word, "Whose headers and conventions.")
        .required()
        .words("infiniband roce !ethernet"),
    key("fabric.link", Type::Map, "Every link, unless its tier or cable says otherwise.").default("{}"),
    key("fabric.link.rate", Type::Rate, "Data rate in each direction.").required().least("1bps"),
    key("fabric.link.delay", Type::Time, "Propagation delay.")
        .inherits("25ns (5 m), or `length`")
        .least("1ps")
        .instead_of("length"),
    key("fabric.link.length", Type::Length, "Cable length, at 5 ns a metre.")
        .inherits("5m, or `delay`")
        .least("1mm")
        .instead_of("delay"),
    key("fabric.link.mtu", Type::Bytes, "Largest payload of a packet.")
        .inherits("`ip_mtu`, else 4096B")
        .least("1B")
        .most("65000B")
        .instead_of("ip_mtu"),
    key(
        "fabric.link.ip_mtu",
        Type::Bytes,
        "Largest IP packet; RoCE takes the largest of 256, 512, 1024, 2048, 4096 that fits.",
    )
    .inherits("`mtu`")
    .least("332B")
    .most("65000B")
    .instead_of("mtu"),
    key("fabric.link.loss", Type::Fraction, "Probability that a packet is lost, each way.").default("0").most("1"),
    key("fabric.link.loss_control", Type::Bool, "Loss also hits PAUSE frames and credits.").default("false").later(),
    key("fabric.link.overhead", Type::Bytes, "Bytes that every packet has beside its payload.")
        .inherits("the headers of the technology")
        .most("4096B"),
    key("fabric.link.ppm", Type::Count, "Clocks of devices differ: each drives its ports at a rate drawn evenly within so many millionths.")
        .default("0")
        .most("1000"),
    key("fabric.flow_control", Type::Word, "How a full receiver holds its sender.").required().words("pfc credit none"),
    key("fabric.switch", Type::Map, "Every switch.").default("{}"),
    key("fabric.switch.forwarding", Type::Word, "Forward when the whole packet is in, or from its head.")
        .default("store-and-forward")
        .words("store-and-forward cut-through"),
    key("fabric.switch.latency", Type::Time, "Time from arrival to the output queue.").default("0ns"),
    key(
        "fabric.switch.service",
        Type::Word,
        "Which input is next: in order of arrival, one by one, or one queue an input.",
    )
    .default("fifo")
    .words("fifo round-robin !input-fifo"),
    key("fabric.buffer", Type::Map, "Packet memory of a switch.").default("{}").short("size"),
    key("fabric.buffer.size", Type::Bytes, "Bytes that the inputs of a switch share; headroom and reserves are beside them.")
        .default("unlimited")
        .words("unlimited")
        .least("1B"),
    key(
        "fabric.buffer.alpha",
        Type::Fraction,
        "An input may take this times the free part of the memory, before PFC pauses it.",
    )
    .default("1/8"),
    key("fabric.buffer.reserve", Type::Bytes, "Bytes of each input and class that are its own.").default("4KiB"),
    key("fabric.buffer.resume_offset", Type::Bytes, "Resume when the use is this far below the dynamic threshold.")
        .default("3KB"),
    key("fabric.buffer.egress_limit", Type::Bytes, "The most bytes an output queue holds; more are dropped.")
        .inherits("no limit")
        .least("1B"),
    key("fabric.pfc", Type::Map, "Priority flow control (802.1Qbb).").default("{}").when("flow_control", "pfc"),
    key("fabric.pfc.xoff", Type::Bytes, "Pause an input at this many bytes; `dynamic` follows `buffer.alpha`.")
        .default("dynamic")
        .words("dynamic")
        .least("1B")
        .most("1000000TB"),
    key("fabric.pfc.xon", Type::Bytes, "Resume at this many bytes or fewer.")
        .inherits("`xoff` less two largest frames")
        .most("1000000TB"),
    key(
        "fabric.pfc.headroom",
        Type::Bytes,
        "Bytes of an input beyond `xoff`; `auto` covers the worst case of each port.",
    )
    .default("auto")
    .words("auto"),
    key("fabric.pfc.response", Type::Time, "Time a paused sender takes to stop.").default("0ns"),
    key("fabric.pfc.quanta", Type::Count, "Pause time of a frame, in 512 bit times.")
        .default("65535")
        .least("1")
        .most("65535"),
    key("fabric.pfc.refresh", Type::Word, "Repeat PAUSE before it expires.").default("auto").words("auto none"),
    key("fabric.pfc.priorities", Type::Count, "Priorities that exist.").default("8").later(),
    key("fabric.pfc.watchdog", Type::Map, "Frees a queue that is paused for too long.").inherits("no watchdog").later(),
    key("fabric.pfc.watchdog.poll", Type::Time, "Time between looks.").default("100ms"),
    key("fabric.pfc.watchdog.detect", Type::Time, "Paused for so long.").default("200ms"),
    key("fabric.pfc.watchdog.restore", Type::Time, "Back to normal after.").default("200ms"),
    key("fabric.pfc.watchdog.action", Type::Word, "What happens to the queue.").default("drop").words("drop forward"),
    key("fabric.credit", Type::Map, "Credit flow control (InfiniBand).").default("{}").when("flow_control", "credit"),
    key("fabric.credit.buffer", Type::Bytes, "Receive buffer of a port and virtual lane.")
        .default("64KiB")
        .least("64B"),
    key("fabric.credit.vls", Type::Count, "Data virtual lanes; a class is the lane of its number modulo this.")
        .default("1")
        .least("1")
        .most("15"),
    key("fabric.credit.window", Type::Blocks, "The most blocks a receiver may have outstanding.")
        .default("2048 blocks")
        .words("none")
        .least("1 blocks"),
    key("fabric.ecn", Type::Map, "Marking by queue length.").inherits("no marking").words("none"),
    key("fabric.ecn.kmin", Type::Bytes, "No marks up to this queue.").required(),
    key("fabric.ecn.kmax", Type::Bytes, "All marked from this queue on.").required(),
    key("fabric.ecn.pmax", Type::Fraction, "Marking probability just below `kmax`.").default("1").most("1"),
    key("fabric.ecn.mark_at", Type::Word, "When the queue is looked at.").default("dequeue").words("dequeue enqueue"),
    key("fabric.routing", Type::Map, "How a path is chosen.").default("ecmp").short("kind"),
    key("fabric.routing.kind", Type::Word, "The rule.")
        .default("ecmp")
        .words("ecmp d-mod-k up-down min-hop spray adaptive explicit !flowlet"),
    key(
        "fabric.routing.seeds",
        Type::Word,
        "Whether every switch hashes with a seed of its own; with one for all, switches in a row choose alike (polarization).",
    )
    .of("ecmp up-down")
    .default("per-switch")
    .words("per-switch one"),
    key("fabric.transport", Type::Map, "What connections speak.").default("{}").short("kind"),
    key("fabric.transport.kind", Type::Word, "Reliable connection, or unreliable datagrams (an open-loop source).")
        .default("rc")
        .words("rc ud !tcp !srd"),
    key("fabric.transport.retransmit", Type::Word, "What is sent again after a loss.")
        .of("rc")
        .default("go-back-n")
        .words("go-back-n !go-back-0 !selective"),
    key("fabric.transport.ack_every", Type::Count, "Packets for one acknowledgement; `message`: one for a message.")
        .of("rc")
        .default("1")
        .words("message")
        .least("1")
        .most("1M"),
    key(
        "fabric.transport.window",
        Type::Count,
        "The most packets unacknowledged; `unlimited` is 2^23, what the PSN allows.",
    )
    .of("rc")
    .default("unlimited")
    .words("unlimited")
    .least("1")
    .most("8388608"),
    key("fabric.transport.timeout", Type::Time, "Send again after so long without progress.")
        .of("rc")
        .default("4ms")
        .least("1ns"),
    key("fabric.transport.retries", Type::Count, "Timeouts in a row after which a flow fails.")
        .of("rc")
        .default("7")
        .most("255"),
    key("fabric.transport.ack_class", Type::Word, "Class of acknowledgements and notifications: the control class, or that of their data.")
        .of("rc")
        .default("control")
        .words("control same"),
    key("fabric.congestion_control", Type::Map, "How senders react to congestion.").default("none").short("kind"),
    key("fabric.congestion_control.kind", Type::Word, "The algorithm.")
        .default("none")
        .words("none window dcqcn dctcp !hpcc !timely !swift !ib-cc !reno !cubic"),
    key("fabric.congestion_control.packets", Type::Count, "Packets in flight at most.")
        .of("window")
        .required()
        .least("1")
        .most("8388608"),
    key("fabric.congestion_control.preset", Type::Word, "Parameters that the other keys override.")
        .of("dcqcn")
        .default("paper")
        .words("paper ns3-rdma hpcc-400g"),
    parameter("fabric.congestion_control.cnp_interval", Type::Time, "A receiver notifies a flow at most once in this time (N).")
        .least("1ns"),
    parameter("fabric.congestion_control.alpha_timer", Type::Time, "Without a notification for so long, alpha decays (K).")
        .least("100ns"),
    parameter("fabric.congestion_control.increase_timer", Type::Time, "Time between increase events (T).")
        .least("100ns"),
    parameter("fabric.congestion_control.byte_counter", Type::Bytes, "Bytes between increase events (B); `none`: only time counts.")
        .words("none")
        .least("1KB"),
    parameter("fabric.congestion_control.fast_recovery", Type::Count, "Increase events of a kind until fast recovery is over (F).")
        .least("1")
        .most("1K"),
    parameter("fabric.congestion_control.additive", Type::Rate, "Additive increase of the target rate (R_AI)."),
    parameter("fabric.congestion_control.hyper", Type::Rate, "Hyper increase of the target rate (R_HAI)."),
    parameter("fabric.congestion_control.min_rate", Type::Rate, "A flow is not slowed down below this.").least("1Kbps"),
    parameter("fabric.congestion_control.gain", Type::Fraction, "Gain g of alpha, 1 over a whole number.").most("1"),
    parameter(
        "fabric.congestion_control.alpha_order",
        Type::Word,
        "Whether a notification cuts by the alpha before its update (the paper) or after it (the ns-3 code).",
    )
    .words("cut-first update-first"),
    parameter(
        "fabric.congestion_control.stage_order",
        Type::Word,
        "Whether an increase event is compared with F before it is counted (F halvings) or after (F - 1).",
    )
    .words("compare-first increment-first"),
    key("fabric.congestion_control.initial_window", Type::Count, "Packets in flight at the start.")
        .of("dctcp")
        .default("10")
        .least("1")
        .most("8388608"),
    key("fabric.congestion_control.gain", Type::Fraction, "Gain g of the marked share, 1 over a whole number.")
        .of("dctcp")
        .default("1/16")
        .most("1"),
    key("fabric.congestion_control.slow_start", Type::Bool, "Whether the window doubles each round until the first mark.")
        .of("dctcp")
        .default("true"),
];

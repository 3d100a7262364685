use super::key::key;
use super::{Key, Type};

pub(super) const KEYS: &[Key] = &[
    key("faults", Type::List, "What goes wrong, and when.").default("[]"),
    key("faults[]", Type::Map, "One fault."),
    key("faults[].kind", Type::Word, "What goes wrong.")
        .required()
        .words("loss drop nic-pause degrade slow-receiver straggler !link-down !switch-down !route"),
    key("faults[].name", Type::Name, "Its name.").inherits("its index"),
    key("faults[].at", Type::Time, "When it begins.").default("0s"),
    key("faults[].until", Type::Time, "When it ends.").inherits("the end of the run").least("1ps"),
    key("faults[].link", Type::Link, "The link: `\"A->B\"` for one direction, `[A, B]` for both.")
        .of("loss drop degrade link-down")
        .required(),
    key("faults[].rate", Type::Fraction, "Probability that a packet is lost.").of("loss").required().most("1"),
    key("faults[].every", Type::Count, "Every n-th packet is lost.").of("drop").required().least("1"),
    key("faults[].rate", Type::Rate, "Rate while it lasts; `0bps` stops the port.").of("degrade").required(),
    key("faults[].rate", Type::Rate, "Rate at which the host takes packets.")
        .of("slow-receiver")
        .required()
        .least("1bps"),
    key("faults[].loss_control", Type::Bool, "Also PAUSE frames and credits are lost.")
        .of("loss drop")
        .default("false")
        .later(),
    key("faults[].node", Type::Name, "The host or switch.").of("nic-pause slow-receiver switch-down route").required(),
    key("faults[].nic", Type::Count, "Which of its network ports.").of("nic-pause slow-receiver").default("0"),
    key("faults[].class", Type::Count, "Class that is paused.").of("nic-pause").inherits("`workload.class`").most("14"),
    key("faults[].duty", Type::Fraction, "Share of the time that it pauses.").of("nic-pause").default("1").most("1"),
    key("faults[].period", Type::Time, "Time from one of its pauses to the next, where `duty` is below one.")
        .of("nic-pause")
        .default("1ms")
        .least("1us"),
    key("faults[].rank", Type::Count, "The rank that is slow.").of("straggler").required(),
    key("faults[].slowdown", Type::Fraction, "Its compute time over that of the others.")
        .of("straggler")
        .required()
        .least("1")
        .most("1000"),
    key("faults[].to", Type::Any, "Where a changed route leads.").of("route").later(),
];

use super::key::key;
use super::{Key, Type};

pub(super) const KEYS: &[Key] = &[
    key("host", Type::Map, "What is in a server.").default("{}").short("preset"),
    key("host.preset", Type::Name, "Preset that the other keys override.")
        .inherits("no preset: no latency anywhere, no jitter"),
    key("host.gpus", Type::Count, "GPUs in a host.").inherits("`topology.gpus_per_host`").least("1").most("1024"),
    key("host.nvlink", Type::Map, "Links between the GPUs of a host.").default("{}"),
    key("host.nvlink.rate", Type::Rate, "Rate of one GPU, each way.").default("450GB/s").least("1bps"),
    key("host.nvlink.latency", Type::Time, "Time of an empty message.").default("1us"),
    key("host.nic", Type::Map, "Network ports.").default("{}"),
    key("host.nic.latency", Type::Time, "Time through the NIC, each way.").default("0ns"),
    key("host.nic.rate", Type::Rate, "Most that a NIC sends.").inherits("the rate of its link").least("1bps"),
    key("host.pcie", Type::Map, "PCI Express between GPU and NIC.").inherits("no limit").later(),
    key("host.pcie.rate", Type::Rate, "Rate, each way.").required(),
    key("host.pcie.latency", Type::Time, "Latency.").default("0ns"),
    key("host.software_latency", Type::Time, "Time from the decision to send a message to its post.").default("0ns"),
    key("host.jitter", Type::Map, "Randomness of compute phases.").default("none").words("none"),
    key("host.jitter.lognormal", Type::Map, "Lognormal, with mean one.").required(),
    key("host.jitter.lognormal.sigma", Type::Fraction, "Standard deviation of the logarithm.").required().most("10"),
    key("host.straggler", Type::Map, "One rank that computes slowly.").inherits("none"),
    key("host.straggler.rank", Type::Count, "The rank.").required(),
    key("host.straggler.slowdown", Type::Fraction, "Its compute time over that of the others.")
        .required()
        .least("1")
        .most("1000"),
    key("host.nccl", Type::Any, "Settings of the collective library.").inherits("its defaults").later(),
];

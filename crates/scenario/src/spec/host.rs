use units::text::Fraction;
use units::{Rate, Time};

use crate::item::Item;

/// What is in a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// The preset it began with.
    pub preset: Option<String>,
    /// GPUs, as given.
    pub gpus: Option<u32>,
    /// Rate of one GPU to the others, each way.
    pub nvlink_rate: Rate,
    /// Time of an empty message between GPUs.
    pub nvlink_latency: Time,
    /// Time through a NIC, each way.
    pub nic_latency: Time,
    /// Most that a NIC sends; `None`: the rate of its link.
    pub nic_rate: Option<Rate>,
    /// From the decision to send a message to its post.
    pub software_latency: Time,
    /// Randomness of compute phases.
    pub jitter: Jitter,
    /// One slow rank.
    pub straggler: Option<Straggler>,
}

/// Randomness of compute phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// None.
    None,
    /// Lognormal with mean one.
    Lognormal {
        /// Standard deviation of the logarithm.
        sigma: Fraction,
    },
}

/// A rank that computes slowly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Straggler {
    /// Which.
    pub rank: u32,
    /// Its compute time over that of the others.
    pub slowdown: Fraction,
}

impl Host {
    pub(super) fn of(item: &Item) -> Host {
        let (nvlink, nic) = (item.group("nvlink"), item.group("nic"));
        let lognormal = item.opt_group("jitter").map(|jitter| jitter.group("lognormal"));
        Host {
            preset: item.opt_string("preset"),
            gpus: item.opt_small("gpus"),
            nvlink_rate: nvlink.rate("rate"),
            nvlink_latency: nvlink.time("latency"),
            nic_latency: nic.time("latency"),
            nic_rate: nic.opt_rate("rate"),
            software_latency: item.time("software_latency"),
            jitter: lognormal.map_or(Jitter::None, |l| Jitter::Lognormal { sigma: l.fraction("sigma") }),
            straggler: item.opt_group("straggler").map(Straggler::of),
        }
    }
}

impl Straggler {
    pub(super) fn of(item: &Item) -> Straggler {
        Straggler { rank: item.small("rank"), slowdown: item.fraction("slowdown") }
    }
}

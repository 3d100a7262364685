use units::text::Fraction;
use units::{Rate, Time};

use super::host::Straggler;
use crate::item::{Item, LinkName, Value};

/// Something that goes wrong for a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Its name.
    pub name: Option<String>,
    /// When it begins.
    pub at: Time,
    /// When it ends; `None`: with the run.
    pub until: Option<Time>,
    /// What goes wrong.
    pub kind: FaultKind,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// Packets are lost at random.
    Loss {
        /// Where.
        link: LinkName,
        /// Probability.
        rate: Fraction,
    },
    /// Every n-th packet is lost.
    Drop {
        /// Where.
        link: LinkName,
        /// n.
        every: u64,
    },
    /// A NIC sends PAUSE.
    NicPause {
        /// The host.
        node: String,
        /// Which of its ports.
        nic: u32,
        /// Which class; `None`: that of the workload.
        class: Option<u8>,
        /// Share of the time.
        duty: Fraction,
        /// From one pause to the next.
        period: Time,
    },
    /// A link is slow or stopped.
    Degrade {
        /// Where.
        link: LinkName,
        /// Zero stops it.
        rate: Rate,
    },
    /// A host takes packets slowly.
    SlowReceiver {
        /// The host.
        node: String,
        /// Which of its ports.
        nic: u32,
        /// How fast it takes them.
        rate: Rate,
    },
    /// A rank computes slowly.
    Straggler(Straggler),
}

impl Fault {
    pub(super) fn of(item: &Item) -> Fault {
        let link = || match item.get("link").map(|link| &link.value) {
            Some(Value::Link(link)) => link.clone(),
            _ => unreachable!("the table of keys requires a link for these kinds"),
        };
        let kind = match item.string_or_word("kind") {
            "loss" => FaultKind::Loss { link: link(), rate: item.fraction("rate") },
            "drop" => FaultKind::Drop { link: link(), every: item.count("every") },
            "nic-pause" => FaultKind::NicPause {
                node: item.string("node"),
                nic: item.small("nic"),
                class: item.opt_count("class").map(|class| u8::try_from(class).unwrap_or(u8::MAX)),
                duty: item.fraction("duty"),
                period: item.time("period"),
            },
            "degrade" => FaultKind::Degrade { link: link(), rate: item.rate("rate") },
            "slow-receiver" => {
                FaultKind::SlowReceiver { node: item.string("node"), nic: item.small("nic"), rate: item.rate("rate") }
            }
            _ => FaultKind::Straggler(Straggler::of(item)),
        };
        Fault { name: item.opt_string("name"), at: item.time("at"), until: item.opt_time("until"), kind }
    }
}

use super::key::key;
use super::{Key, Type};

pub(super) const KEYS: &[Key] = &[
    key("version", Type::Count, "Version of this format.").default("1").least("1").most("1"),
    key("name", Type::Name, "Name of the scenario and of its folder of results.").required(),
    key("description", Type::Text, "What the scenario is about."),
    key("seed", Type::Count, "Seed of everything random.").default("1"),
    key("streams", Type::Map, "Seeds of single purposes, where they differ from `seed`.").default("{}"),
    key("streams.routing", Type::Count, "Seed of the routing hash.").inherits("`seed`"),
    key("streams.placement", Type::Count, "Seed of random placement.").inherits("`seed`"),
    key("streams.jitter", Type::Count, "Seed of compute jitter.").inherits("`seed`"),
    key("streams.loss", Type::Count, "Seed of packet loss and marking.").inherits("`seed`"),
    key("streams.arrivals", Type::Count, "Seed of random arrivals and traffic patterns.").inherits("`seed`"),
];

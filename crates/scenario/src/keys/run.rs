use super::key::key;
use super::{Key, Type};

pub(super) const KEYS: &[Key] = &[
    key("run", Type::Map, "How to simulate.").default("{}"),
    key("run.fidelity", Type::Word, "How fine the model is.").default("packet").words("packet !train !fluid !auto"),
    key("run.steps", Type::Count, "Measured steps of a collective.").default("1").least("1").most("1M"),
    key("run.warmup", Type::Count, "Steps before them that are not measured.").default("0").most("1M"),
    key("run.until", Type::Time, "Simulated time at which the run ends.")
        .inherits("when the work is done")
        .least("1ps"),
    key("run.measure_from", Type::Time, "Start of the measurement of unlimited flows.").default("0s"),
    key("run.on_deadlock", Type::Word, "What a proven deadlock does.").default("stop").words("stop continue"),
    key("run.stall_after", Type::Time, "A run without any delivery for so long has stalled.")
        .default("10ms")
        .least("1ps"),
    key("run.record", Type::List, "What goes into `series.csv`.").default("[]"),
    key("run.record[]", Type::Word, "A quantity.").words("queue pause rate !messages"),
    key("run.sample", Type::Time, "Time between samples.").default("1us").least("1ps"),
];

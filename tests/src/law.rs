use std::fmt::Write;

use crate::{
    Check, balance, collectives, congestion, cross, deadlock, determinism, infiniband, loops, loss, pfc, topology,
    trees, truths,
};

/// Something that must hold, with the cases it is tried on.
pub struct Law {
    /// Short name.
    pub name: &'static str,
    /// The law in words or as a formula.
    pub says: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Runs the cases.
    pub checks: fn() -> Vec<Check>,
}

/// Laws about one thing.
pub struct Group {
    /// What they are about.
    pub title: &'static str,
    /// The laws.
    pub laws: &'static [&'static Law],
}

/// All laws.
pub fn groups() -> [Group; 13] {
    [
        Group { title: "Engine truths", laws: truths::LAWS },
        Group { title: "Determinism", laws: determinism::LAWS },
        Group { title: "InfiniBand credits", laws: infiniband::LAWS },
        Group { title: "Priority flow control", laws: pfc::LAWS },
        Group { title: "Deadlock", laws: deadlock::LAWS },
        Group { title: "Loops, phases and persistence of deadlock", laws: loops::LAWS },
        Group { title: "ECN and DCQCN", laws: congestion::LAWS },
        Group { title: "Shared memory, and other simulators", laws: cross::LAWS },
        Group { title: "Trees", laws: trees::LAWS },
        Group { title: "Load balancing", laws: balance::LAWS },
        Group { title: "Loss recovery", laws: loss::LAWS },
        Group { title: "Collectives", laws: collectives::LAWS },
        Group { title: "Topology and routing", laws: topology::LAWS },
    ]
}

impl Law {
    /// Panics with every case that fails.
    pub fn assert(&self) {
        let checks = (self.checks)();
        assert!(!checks.is_empty(), "{}: no case was tried", self.name);
        let mut failures = String::new();
        for check in checks.iter().filter(|check| !check.pass) {
            let Check { case, expected, measured, tolerance, .. } = check;
            let _ = writeln!(failures, "  {case}: expected {expected} ({tolerance}), measured {measured}");
        }
        assert!(failures.is_empty(), "{}: {} [{}]\n{failures}", self.name, self.says, self.source);
    }
}

/// Makes a test of every law of a group, and one that sees that none is forgotten.
#[macro_export]
macro_rules! law_tests {
    ($group:ident: $($test:ident $law:ident,)+) => {
        $(
            #[test]
            fn $test() {
                validation::$group::$law.assert();
            }
        )+

        #[test]
        fn no_law_is_forgotten() {
            let tested = [$(validation::$group::$law.name),+];
            let listed: Vec<&str> = validation::$group::LAWS.iter().map(|law| law.name).collect();
            assert_eq!(tested.as_slice(), listed.as_slice());
        }
    };
}

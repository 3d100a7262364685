use std::collections::BTreeSet;

use super::Planner;
use crate::diagnostic::Code;
use crate::spec::{FlowControl, Technology, Work};

/// Data of RoCE travels in this priority by default, as the lossless traffic class of common configurations.
const ROCE_PRIORITY: u8 = 3;

/// What results call the class of control packets of each technology.
const MANAGEMENT_LANE: u8 = 15;
const CNP_PRIORITY: u8 = 6;

/// The most classes of data in use at once.
const DATA_CLASSES: usize = 7;

impl Planner<'_> {
    /// What users call the classes in use: control first, then those of data in ascending order.
    pub(super) fn number_classes(&mut self) -> Option<()> {
        let spec = &self.scenario.spec;
        let asked: Vec<Option<u8>> = match &spec.workload.work {
            Work::Flows(flows) => flows.iter().map(|flow| flow.class).collect(),
            Work::Pattern(_) | Work::Collective(_) => vec![None],
        };
        let data: BTreeSet<u8> = asked.into_iter().map(|class| self.label(class)).collect();
        if data.len() > DATA_CLASSES {
            let text = format!("the flows use {} classes, and {DATA_CLASSES} can be in use at once", data.len());
            self.refuse(Code::Impossible, "workload.flows", text, "let flows share classes");
            return None;
        }
        let control = match spec.fabric.technology {
            Technology::Infiniband => MANAGEMENT_LANE,
            Technology::Roce => CNP_PRIORITY,
        };
        self.classes = std::iter::once(control).chain(data).collect();
        Some(())
    }

    /// The priority or lane of data that asked for a class, or left it to the workload.
    pub(super) fn label(&self, asked: Option<u8>) -> u8 {
        let spec = &self.scenario.spec;
        let usual = match spec.fabric.technology {
            Technology::Infiniband => 0,
            Technology::Roce => ROCE_PRIORITY,
        };
        let class = asked.or(spec.workload.class).unwrap_or(usual);
        match &spec.fabric.flow_control {
            FlowControl::Credit(credit) => class % credit.vls.max(1),
            FlowControl::Pfc(_) | FlowControl::None => class,
        }
    }

    /// Its number among the classes in use; `None` when no data has it.
    pub(super) fn class(&self, asked: Option<u8>) -> Option<u8> {
        let label = self.label(asked);
        let at = self.classes.iter().skip(1).position(|class| *class == label)?;
        u8::try_from(at + 1).ok()
    }
}

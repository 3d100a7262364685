use units::Time;

use super::Rules;
use crate::diagnostic::Code;
use crate::spec::Work;

impl Rules<'_> {
    pub(super) fn run(&mut self) {
        let run = &self.spec.run;
        if let Some(until) = run.until {
            if run.measure_from >= until {
                let text = format!("`run.measure_from` ({}) is not before `run.until` ({until})", run.measure_from);
                self.add(Code::Contradiction, "run.measure_from", text);
            }
            if self.spec.workload.start >= until {
                self.add(Code::Contradiction, "workload.start", "the workload begins after the end of the run");
            }
        }
        if !matches!(self.spec.workload.work, Work::Collective(_)) {
            self.without_effect("run.steps", "flows have no steps");
            self.without_effect("run.warmup", "flows have no steps");
        } else if run.measure_from != Time::ZERO {
            self.without_effect("run.measure_from", "it is for unlimited flows; `run.warmup` leaves steps out");
        }
        if let Some(until) = run.until
            && !run.record.is_empty()
        {
            let (samples, most) = (until.ps() / run.sample.ps().max(1), 1_000_000);
            if samples > most {
                let text = format!("{samples} samples of every port are more than the {most} that are kept");
                self.refuse(Code::Impossible, "run.sample", text, "sample less often, or end the run earlier");
            }
        }
        if run.record.is_empty() {
            self.without_effect("run.sample", "nothing is recorded (`run.record`)");
        }
    }
}

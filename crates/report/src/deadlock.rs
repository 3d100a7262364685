use serde::Serialize;
use sim::{BlockedQueue, DeadlockReport};

use crate::context::Context;
use crate::summary::DeadlockSummary;

/// `deadlock.json`: which queues wait for which, in the order in which they stopped.
#[derive(Clone, Debug, Serialize)]
pub struct DeadlockGraph {
    /// When the cycle closed.
    pub onset_s: f64,
    /// Time of the snapshot that proved it.
    pub detected_s: f64,
    /// Links of the cycle, each waiting for the next, such as `A->B class 3`.
    pub cycle: Vec<String>,
    /// Member of the cycle that stopped first.
    pub root: String,
    /// Connections with packets in the queues.
    pub blocked_flows: Vec<String>,
    /// Every queue that can never move again.
    pub queues: Vec<QueueNode>,
}

/// A queue that can never move again.
#[derive(Clone, Debug, Serialize)]
pub struct QueueNode {
    /// The output it waits for, such as `A->B class 3`.
    pub queue: String,
    /// The input whose packets it holds, where each input has a queue of its own.
    pub input: Option<String>,
    /// When the gate of its output closed.
    pub closed_s: f64,
    /// Bytes in it.
    pub bytes: u64,
    /// Indices of the queues it waits for.
    pub waits_for: Vec<usize>,
}

impl DeadlockGraph {
    /// Of a proof.
    pub fn new(report: &DeadlockReport, context: &Context) -> DeadlockGraph {
        let name = |index: usize| queue_name(&report.queues[index], context);
        let node = |queue: &BlockedQueue| QueueNode {
            queue: queue_name(queue, context),
            input: queue.input.clone(),
            closed_s: queue.closed.as_secs_f64(),
            bytes: queue.bytes,
            waits_for: queue.waits_for.clone(),
        };
        DeadlockGraph {
            onset_s: report.onset.as_secs_f64(),
            detected_s: report.detected.as_secs_f64(),
            cycle: report.cycle.iter().map(|&index| name(index)).collect(),
            root: name(report.root),
            blocked_flows: report.flows.clone(),
            queues: report.queues.iter().map(node).collect(),
        }
    }
}

impl DeadlockSummary {
    pub(crate) fn new(report: Option<&DeadlockReport>, context: &Context) -> DeadlockSummary {
        let Some(report) = report else { return DeadlockSummary::default() };
        let graph = DeadlockGraph::new(report, context);
        let waits: Vec<&[usize]> = report.queues.iter().map(|queue| queue.waits_for.as_slice()).collect();
        DeadlockSummary {
            detected: true,
            onset_s: Some(graph.onset_s),
            detected_s: Some(graph.detected_s),
            cycle: Some(graph.cycle),
            cycles: Some(knots(&waits)),
            root: Some(graph.root),
            cleared_s: None,
            cleared_by: None,
            blocked_flows: Some(report.flows.len() as u64),
            blocked_bytes: Some(report.queues.iter().map(|queue| queue.bytes).sum()),
        }
    }
}

fn queue_name(queue: &BlockedQueue, context: &Context) -> String {
    format!("{} class {}", queue.port, context.class_name(usize::from(queue.class)))
}

/// Groups of queues that wait for each other in a circle: strongly connected components that hold a
/// cycle (Kosaraju's two passes, without recursion).
fn knots(waits: &[&[usize]]) -> u64 {
    let mut waited = vec![Vec::new(); waits.len()];
    for (from, targets) in waits.iter().enumerate() {
        targets.iter().for_each(|&to| waited[to].push(from));
    }
    let backward: Vec<&[usize]> = waited.iter().map(Vec::as_slice).collect();
    let mut seen = vec![false; waits.len()];
    let mut order = Vec::new();
    (0..waits.len()).for_each(|start| finish(start, waits, &mut seen, &mut order));
    seen.fill(false);
    let mut knots = 0;
    for &start in order.iter().rev() {
        let mut members = Vec::new();
        finish(start, &backward, &mut seen, &mut members);
        let is_knot = members.len() > 1 || members.first().is_some_and(|&only| waits[only].contains(&only));
        knots += u64::from(is_knot);
    }
    knots
}

/// Appends what can be reached from `start` and was not seen, in the order in which a depth-first search leaves it.
fn finish(start: usize, edges: &[&[usize]], seen: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut stack = vec![(start, 0)];
    while let Some((vertex, next)) = stack.last_mut() {
        match edges[*vertex].get(*next) {
            Some(&target) => {
                *next += 1;
                if !std::mem::replace(&mut seen[target], true) {
                    stack.push((target, 0));
                }
            }
            None => {
                order.push(*vertex);
                stack.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_counted_and_what_waits_behind_them_is_not() {
        // 0 -> 1 -> 2 -> 0 and 5 <-> 6; 3 and 4 wait for the first, 7 for itself.
        let waits: [&[usize]; 8] = [&[1], &[2], &[0], &[0], &[3], &[6], &[5], &[7]];
        assert_eq!(knots(&waits), 3);
        assert_eq!(knots(&[&[1], &[2], &[]]), 0);
        assert_eq!(knots(&[]), 0);
    }
}

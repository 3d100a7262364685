use sim::Flow;
use units::Time;

use crate::flow_row::{completion, goodput, slowdown};
use crate::statistics::{jain, mean, percentile, sorted};
use crate::summary::{FlowsSummary, SizeBin, Spread};

/// Slices of `by_size`, as in the plots of HPCC (SIGCOMM 2019): each has 5 % of the flows.
const SLICES: u32 = 20;

impl FlowsSummary {
    pub(crate) fn new(flows: &[Flow]) -> FlowsSummary {
        let goodputs: Vec<f64> = flows.iter().filter_map(goodput).collect();
        let times = sorted(flows.iter().filter_map(completion));
        let failed = flows.iter().filter(|flow| flow.failed).count();
        let unfinished = |flow: &&Flow| flow.size.is_some() && flow.delivered.is_none() && !flow.failed;
        FlowsSummary {
            count: flows.len() as u64,
            completed: times.len() as u64,
            unfinished: flows.iter().filter(unfinished).count() as u64,
            failed: failed as u64,
            goodput_bps: (!goodputs.is_empty()).then(|| goodputs.iter().sum()),
            jain: jain(&goodputs),
            fct_s: Spread::new(&times),
            by_size: by_size(flows),
        }
    }
}

impl Spread {
    fn new(sorted: &[Time]) -> Spread {
        let at = |percent| percentile(sorted, percent).map(Time::as_secs_f64);
        Spread { mean: mean(sorted), p50: at(50), p99: at(99), max: at(100) }
    }
}

/// Completed flows in slices of equal count in order of size; slices that end at one size are one bin,
/// so that flows of one size stay together.
fn by_size(flows: &[Flow]) -> Vec<SizeBin> {
    let with_size = |flow: &Flow| {
        completion(flow)?;
        Some((flow.size?.get(), slowdown(flow)))
    };
    let mut completed: Vec<(u64, Option<f64>)> = flows.iter().filter_map(with_size).collect();
    completed.sort_by_key(|(size, _)| *size);
    let sizes: Vec<u64> = completed.iter().map(|(size, _)| *size).collect();
    let mut edges: Vec<u64> = (1..=SLICES).filter_map(|slice| percentile(&sizes, slice * 100 / SLICES)).collect();
    edges.dedup();
    let mut rest = completed.as_slice();
    let mut bins = Vec::new();
    for edge in edges {
        let (bin, others) = rest.split_at(rest.partition_point(|(size, _)| *size <= edge));
        rest = others;
        let mut slowdowns: Vec<f64> = bin.iter().filter_map(|(_, slowdown)| *slowdown).collect();
        slowdowns.sort_by(f64::total_cmp);
        bins.push(SizeBin {
            to_bytes: edge,
            count: bin.len() as u64,
            slowdown_p50: percentile(&slowdowns, 50),
            slowdown_p95: percentile(&slowdowns, 95),
            slowdown_p99: percentile(&slowdowns, 99),
        });
    }
    bins
}

#[cfg(test)]
mod tests {
    use units::Bytes;

    use super::*;

    fn flow(size: u64, took: u64, ideal: u64) -> Flow {
        Flow {
            name: String::new(),
            src: String::new(),
            dst: String::new(),
            size: Some(Bytes::new(size)),
            start: Some(Time::from_us(1)),
            delivered: Some(Time::from_us(1 + took)),
            acked: None,
            failed: false,
            bytes: Bytes::new(size),
            measured_bytes: Bytes::new(size),
            measured: Time::from_us(took),
            ideal: Some(Time::from_us(ideal)),
            retransmitted: 0,
            timeouts: 0,
            marks: 0,
        }
    }

    #[test]
    fn flows_of_one_size_share_a_bin() {
        let flows: Vec<Flow> = (1..=100).map(|took| flow(4096, took, 1)).collect();
        let bins = by_size(&flows);
        let expected = SizeBin {
            to_bytes: 4096,
            count: 100,
            slowdown_p50: Some(50.0),
            slowdown_p95: Some(95.0),
            slowdown_p99: Some(99.0),
        };
        assert_eq!(bins, [expected]);
    }

    #[test]
    fn bins_hold_every_completed_flow_once() {
        let mut flows: Vec<Flow> = (1..=37).map(|n| flow(n * n, 4, 2)).collect();
        flows[3].delivered = None;
        let bins = by_size(&flows);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 36);
        assert!(bins.windows(2).all(|pair| pair[0].to_bytes < pair[1].to_bytes));
        assert_eq!(bins.last().unwrap().to_bytes, 37 * 37);
    }

    #[test]
    fn every_flow_is_completed_unfinished_failed_or_unlimited() {
        let mut flows: Vec<Flow> = (0..4).map(|_| flow(1000, 10, 5)).collect();
        flows[1].delivered = None;
        flows[2].delivered = None;
        flows[2].failed = true;
        (flows[3].size, flows[3].delivered, flows[3].ideal) = (None, None, None);
        let summary = FlowsSummary::new(&flows);
        assert_eq!((summary.count, summary.completed, summary.unfinished, summary.failed), (4, 1, 1, 1));
        assert_eq!(summary.goodput_bps, Some(3.2e9));
        assert_eq!(summary.fct_s.max, Some(10e-6));
    }
}

//! A small outcome made by hand: two flows through one switch, in one data class.

use report::{CollectiveFacts, Context, TopologyNumbers};
use sim::{Ending, Flow, Outcome, PortReport, Quantity, Sample, Step, Totals};
use units::{Bytes, Rate, Time};

pub(crate) fn context() -> Context {
    Context {
        name: "sample".to_string(),
        seed: 7,
        version: "0.1.0".to_string(),
        fidelity: "packet".to_string(),
        service: "fifo".to_string(),
        topology: TopologyNumbers {
            hosts: 2,
            gpus: 2,
            switches: 1,
            links: 2,
            oversubscription: None,
            bisection_bps: Some(40_000_000_000),
        },
        collective: None,
        classes: vec![7, 3],
        switch_ports: vec![false, false, true, true],
        records: false,
        warnings: vec!["a doubt".to_string()],
    }
}

pub(crate) fn collective() -> CollectiveFacts {
    CollectiveFacts {
        kind: "all-reduce".to_string(),
        algorithm: "ring".to_string(),
        ranks: 4,
        size: 1_000_000,
        bus_factor: 1.5,
        analytic: Some(90e-6),
    }
}

pub(crate) fn outcome() -> Outcome {
    Outcome {
        ending: Ending::TimeLimit,
        simulated: Time::from_us(100),
        last_progress: Some(Time::from_us(99)),
        measured_from: Time::ZERO,
        steps: Vec::new(),
        flows: vec![flow("f1", Some(10_000), Some(11)), flow("f.2", None, None)],
        ports: vec![port("h0->s", 0), port("h1->s", 0), port("s->h0", 2_000), port("s->h1", 30_000)],
        series: Vec::new(),
        deadlock: None,
        totals: Totals { packets_delivered: 30, packet_hops: 100, bytes_delivered: 30_000, ..Totals::default() },
        fingerprint: 0xabc,
        events: 250,
    }
}

pub(crate) fn flow(name: &str, size: Option<u64>, delivered: Option<u64>) -> Flow {
    let bytes = size.unwrap_or(25_000);
    Flow {
        name: name.to_string(),
        src: "h0".to_string(),
        dst: "h1".to_string(),
        size: size.map(Bytes::new),
        start: Some(Time::from_us(1)),
        delivered: delivered.map(Time::from_us),
        acked: delivered.map(|us| Time::from_us(us + 2)),
        failed: false,
        bytes: Bytes::new(bytes),
        measured_bytes: Bytes::new(bytes),
        measured: Time::from_us(if size.is_some() { 10 } else { 100 }),
        ideal: size.map(|_| Time::from_us(5)),
        retransmitted: 2,
        timeouts: 1,
        marks: 0,
    }
}

pub(crate) fn port(name: &str, longest_queue: u64) -> PortReport {
    let mut port = PortReport {
        name: name.to_string(),
        rate: Rate::from_gbps(40),
        all: Default::default(),
        classes: vec![Default::default(); 2],
    };
    (port.all.bytes, port.all.packets) = (250_084, 251);
    let (control, data) = port.classes.split_at_mut(1);
    (control[0].bytes, control[0].packets) = (50_000, 50);
    (control[0].served, control[0].waited) = (1, 1_000_000);
    (data[0].bytes, data[0].packets) = (200_000, 200);
    (data[0].served, data[0].waited, data[0].longest_wait) = (4, 40_000_000, Time::from_us(20));
    (data[0].max_queue, data[0].pause_sent, data[0].resume_sent) = (longest_queue, 3, 2);
    (data[0].drops, data[0].lossless_drops, data[0].corrupted) = (4, 1, 5);
    (data[0].paused, data[0].credit_stall) = (Time::from_us(6), Time::from_us(7));
    port
}

pub(crate) fn steps(count: u32) -> Vec<Step> {
    let step = |number: u32| {
        let start = Time::from_us(u64::from(number) * 1000);
        Step {
            number,
            start,
            end: start + Time::from_us(100 + u64::from(number)),
            compute: Time::from_us(5),
            communication: Time::from_us(100),
            exposed: Time::from_us(100),
            waited: None,
            slowest_rank: number % 4,
        }
    };
    (0..count).map(step).collect()
}

pub(crate) fn sample() -> Sample {
    Sample { time: Time::from_us(1), port: 3, class: 1, quantity: Quantity::Queue, value: 4096 }
}

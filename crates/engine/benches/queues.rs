//! Cost of the event queues: `cargo bench -p engine`, or `-- log pipeline-4 2000000` for one case alone,
//! for instance under `valgrind --tool=callgrind`.
#![allow(clippy::print_stdout)]

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Instant;

use engine::{Delays, Engine, EventQueue, HeapQueue, Lane, Link, LogQueue, Purpose, Stream, World};
use units::{NodeId, PortId, Time};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    if let [queue, case, events] = arguments.as_slice() {
        let events = events.parse().expect("a number of events");
        match queue.as_str() {
            "log" => run::<LogQueue>(queue, case, events),
            _ => run::<HeapQueue>(queue, case, events),
        }
        return;
    }
    for case in ["hold-100", "hold-10000", "hold-1000000", "pipeline-2", "pipeline-64", "mixed-2", "mixed-64"] {
        run::<HeapQueue>("heap", case, 4_000_000);
        run::<LogQueue>("log", case, 4_000_000);
    }
}

fn run<Q: EventQueue>(queue: &str, case: &str, events: u64) {
    let (kind, size) = case.split_once('-').expect("a case is kind-size");
    let size = size.parse().expect("a case is kind-size");
    let (spent, handled) = match kind {
        "hold" => hold::<Q>(size, events),
        "pipeline" => pipeline::<Q>(size, 0, events),
        _ => pipeline::<Q>(size, 1, events),
    };
    let nanoseconds = spent * 1e9 / handled as f64;
    println!("{queue:5} {case:14} {nanoseconds:7.1} ns/event {:7.2} M events/s", 1e3 / nanoseconds);
}

fn timed<Q: EventQueue, W: World<Q>>(engine: &mut Engine<Q>, world: &mut W, events: u64) -> (f64, u64) {
    engine.run(world, Time::MAX, events / 4);
    let (start, before) = (Instant::now(), engine.events());
    black_box(engine.run(world, Time::MAX, events));
    (start.elapsed().as_secs_f64(), engine.events() - before)
}

/// Every event sets one timer: packet times, round trips and retransmission timers mixed.
struct Hold(Stream);

fn hold<Q: EventQueue>(pending: u32, events: u64) -> (f64, u64) {
    let mut engine = Engine::<Q>::new(Vec::new(), 0);
    let mut world = Hold(Stream::new(1, Purpose::Jitter, 0));
    for node in 0..pending {
        engine.at(Time::from_ps(1 + world.0.below(4_000_000_000)), NodeId(node), 0);
    }
    timed(&mut engine, &mut world, events)
}

impl<Q: EventQueue> World<Q> for Hold {
    fn line_free(&mut self, _: &mut Engine<Q>, _: PortId, _: u32) {}
    fn arrival(&mut self, _: &mut Engine<Q>, _: PortId, _: u32, _: Time) {}
    fn signal(&mut self, _: &mut Engine<Q>, _: PortId, _: u8) {}

    fn timer(&mut self, engine: &mut Engine<Q>, node: NodeId, slot: u32) {
        let delay = match self.0.bits() {
            x if x & 31 == 0 => 4_000_000_000,
            x if x & 3 == 0 => 500_000 + (x >> 45),
            x => 83_560 + (x >> 48),
        };
        engine.at(engine.now() + Time::from_ps(delay), node, slot);
    }
}

/// 1,024 cables in a random arrangement, always with packets to forward: data on the ports 2n, an ack
/// for each on its way back through the ports 2n + 1.
struct Pipeline {
    next: Vec<u32>,
    lanes: Vec<[Lane; 2]>,
    busy: Vec<bool>,
    queues: Vec<VecDeque<u32>>,
}

const CABLES: u32 = 1024;

/// `jitter` 0: all packets start together; 1: each at its own time.
fn pipeline<Q: EventQueue>(lengths: u32, jitter: u64, events: u64) -> (f64, u64) {
    let propagation = |cable: u64| Time::from_ps(500_000 + cable % u64::from(lengths) * 5_000);
    let links = (0..2 * CABLES).map(|p| Link { peer: PortId(p ^ 1), propagation: propagation(u64::from(p / 2)) });
    let mut engine = Engine::<Q>::new(links.collect(), 0);
    let mut lane = |cable: u64, wire: u64| {
        let wire = Time::from_ps(wire);
        engine.lane(Delays { wire, arrival: wire + propagation(cable), lag: Time::ZERO, express: false })
    };
    let lanes = (0..u64::from(CABLES)).map(|cable| [lane(cable, 83_560), lane(cable, 1_680)]).collect();
    let mut stream = Stream::new(1, Purpose::Placement, 0);
    let mut next: Vec<u32> = (0..CABLES).collect();
    for i in (1..CABLES as usize).rev() {
        next.swap(i, stream.below(i as u64 + 1) as usize);
    }
    let ports = 2 * CABLES as usize;
    let mut world = Pipeline { next, lanes, busy: vec![false; ports], queues: vec![VecDeque::new(); ports] };
    for item in 0..16 * CABLES {
        let time = Time::from_ps(1 + jitter * stream.below(2_000_000));
        engine.at(time, NodeId(item % CABLES), item);
    }
    timed(&mut engine, &mut world, events)
}

impl Pipeline {
    fn offer<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, port: PortId, item: u32) {
        if self.busy[port.index()] {
            self.queues[port.index()].push_back(item);
        } else {
            self.busy[port.index()] = true;
            engine.transmit(port, self.lanes[port.index() / 2][port.index() % 2], item);
        }
    }
}

impl<Q: EventQueue> World<Q> for Pipeline {
    fn line_free(&mut self, engine: &mut Engine<Q>, port: PortId, _: u32) {
        self.busy[port.index()] = false;
        if let Some(item) = self.queues[port.index()].pop_front() {
            self.offer(engine, port, item);
        }
    }

    /// Data (at an odd port) goes on and is acknowledged; an ack ends.
    fn arrival(&mut self, engine: &mut Engine<Q>, port: PortId, item: u32, _: Time) {
        if port.0 % 2 == 1 {
            self.offer(engine, port, item);
            let on = self.next[port.index() / 2];
            self.offer(engine, PortId(2 * on), item);
        }
    }

    fn signal(&mut self, _: &mut Engine<Q>, _: PortId, _: u8) {}

    fn timer(&mut self, engine: &mut Engine<Q>, node: NodeId, slot: u32) {
        self.offer(engine, PortId(2 * node.0), slot);
    }
}

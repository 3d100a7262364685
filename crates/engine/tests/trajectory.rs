//! The log gives the trajectory of the heap, event by event, above all where times tie.

use engine::{Delays, Engine, EventQueue, HeapQueue, Lane, Link, LogQueue, Purpose, Status, Stream, World};
use proptest::prelude::*;
use units::{NodeId, PortId, Time};

/// One callback, as the world saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    LineFree { port: u32, item: u32 },
    Arrival { port: u32, item: u32, lag: u64 },
    Signal { port: u32, class: u8, latest: u32 },
    Timer { node: u32, slot: u32 },
}

impl Call {
    /// Class, id, and of one link an express item before a whole one before a head, as the engine promises.
    fn key(self, links: &[Link]) -> (u8, u32, u32) {
        match self {
            Call::Signal { port, class, .. } => (0, port, u32::from(class)),
            Call::LineFree { port, .. } => (1, port, 0),
            Call::Arrival { port, item, lag } => {
                let rank = if item % 2 == EXPRESS { 0 } else { 1 + u32::from(lag > 0) };
                (2, links[port as usize].peer.0, rank)
            }
            Call::Timer { node, slot } => (3, node, slot),
        }
    }
}

/// A world of random nodes in a ring, with a tiny set of delays so that events tie.
#[derive(Clone, Debug)]
struct Case {
    nodes: u32,
    /// Cables from each node to the next.
    cables: u32,
    propagations: Vec<u64>,
    /// Wire, arrival and lag.
    lanes: Vec<[u64; 3]>,
    /// Of 16 transmissions so many take no lane.
    odd: u64,
    /// Of 16 callbacks so many set a timer, or await a signal.
    timers: u64,
    awaits: u64,
    /// Of 16 callbacks so many transmit.
    sends: u64,
    seed: u64,
}

const CLASSES: u8 = 2;

/// Last bit of the number of an express item.
const EXPRESS: u32 = 1;

struct Nodes {
    case: Case,
    lanes: Vec<Lane>,
    busy: Vec<bool>,
    streams: Vec<Stream>,
    sent: Vec<u32>,
    items: u32,
    slots: u32,
    calls: Vec<(u64, Call)>,
}

impl Case {
    fn ports(&self) -> u32 {
        2 * self.nodes * self.cables
    }

    /// Ports of node n: `cables` to the next node, then `cables` to the one before.
    fn links(&self) -> Vec<Link> {
        let link = |port: u32| {
            let (node, local) = (port / (2 * self.cables), port % (2 * self.cables));
            let (cable, peer) = if local < self.cables {
                let next = (node + 1) % self.nodes;
                (node * self.cables + local, next * 2 * self.cables + self.cables + local)
            } else {
                let before = (node + self.nodes - 1) % self.nodes;
                let local = local - self.cables;
                (before * self.cables + local, before * 2 * self.cables + local)
            };
            let propagation = self.propagations[cable as usize % self.propagations.len()];
            Link { peer: PortId(peer), propagation: Time::from_ps(propagation) }
        };
        (0..self.ports()).map(link).collect()
    }

    fn delays(&self, index: usize) -> Delays {
        let [wire, arrival, lag] = self.lanes[index].map(Time::from_ps);
        Delays { wire, arrival, lag, express: index % 3 == 1 }
    }

    fn nodes(&self, lanes: Vec<Lane>) -> Nodes {
        let stream = |node| Stream::new(self.seed, Purpose::Jitter, u64::from(node));
        Nodes {
            lanes,
            busy: vec![false; self.ports() as usize],
            streams: (0..self.nodes).map(stream).collect(),
            sent: vec![0; self.ports() as usize],
            items: 0,
            slots: 0,
            calls: Vec::new(),
            case: self.clone(),
        }
    }

    fn trajectory<Q: EventQueue>(&self, events: u64) -> (Vec<(u64, Call)>, Vec<Status>) {
        let mut engine = Engine::<Q>::new(self.links(), CLASSES);
        let lanes = (0..self.lanes.len()).map(|index| engine.lane(self.delays(index))).collect();
        let mut nodes = self.nodes(lanes);
        // All nodes start at one instant.
        for node in 0..self.nodes {
            engine.at(Time::from_ps(1), NodeId(node), 0);
        }
        let mut outside = Stream::new(self.seed, Purpose::Arrivals, 0);
        let mut statuses = Vec::new();
        while engine.events() < events && statuses.len() < 10_000 {
            let until = engine.now() + Time::from_ps(outside.below(3 * self.lanes[0][1]));
            statuses.push(engine.run(&mut nodes, until, 1 + outside.below(40)));
            // Something new before what was already looked at.
            if engine.next_time().is_none_or(|next| next > engine.now() + Time::from_ps(1)) && outside.below(4) == 0 {
                nodes.slots += 1;
                engine.at(engine.now() + Time::from_ps(1), NodeId(nodes.slots % self.nodes), nodes.slots);
            }
        }
        (nodes.calls, statuses)
    }

    fn check(&self, events: u64) -> Vec<(u64, Call)> {
        let (heap, heap_statuses) = self.trajectory::<HeapQueue>(events);
        let (log, log_statuses) = self.trajectory::<LogQueue>(events);
        if let Some(at) = heap.iter().zip(&log).position(|(a, b)| a != b) {
            panic!("call {at}: {:?} from the heap, {:?} from the log, of {self:?}", heap[at], log[at]);
        }
        assert_eq!(heap.len(), log.len());
        assert_eq!(heap_statuses, log_statuses);
        let links = self.links();
        for instant in heap.chunk_by(|a, b| a.0 == b.0) {
            assert!(instant.is_sorted_by_key(|(_, call)| call.key(&links)), "{instant:?} of {self:?}");
        }
        assert!(heap.is_sorted_by_key(|(time, _)| *time));
        heap
    }
}

impl Nodes {
    fn node(&self, port: PortId) -> u32 {
        port.0 / (2 * self.case.cables)
    }

    fn chance(&mut self, node: u32, of_16: u64) -> bool {
        self.streams[node as usize].below(16) < of_16
    }

    fn any_port(&mut self, node: u32) -> PortId {
        let ports = 2 * self.case.cables;
        PortId(node * ports + self.streams[node as usize].below(u64::from(ports)) as u32)
    }

    fn send<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, node: u32, port: PortId) {
        if self.busy[port.index()] || !self.chance(node, self.case.sends) {
            return;
        }
        self.busy[port.index()] = true;
        self.items += 1;
        let lane = self.streams[node as usize].below(self.lanes.len() as u64) as usize;
        let delays = self.case.delays(lane);
        let item = self.items << 1 | if delays.express { EXPRESS } else { 0 };
        if self.chance(node, self.case.odd) {
            engine.transmit_odd(port, delays, item);
        } else {
            engine.transmit(port, self.lanes[lane], item);
        }
    }

    fn act<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, node: u32, port: PortId) {
        self.send(engine, node, port);
        if self.chance(node, self.case.timers) {
            self.slots += 1;
            let steps = 1 + self.streams[node as usize].below(4);
            let time = engine.now() + self.case.delays(0).wire * steps;
            engine.at(time, NodeId(node), self.slots.reverse_bits());
        }
        if self.chance(node, self.case.awaits) {
            let class = self.streams[node as usize].below(u64::from(CLASSES)) as u8;
            engine.await_signal(port, class);
            let port = self.any_port(node);
            self.sent[port.index()] += 1;
            engine.signal(port, class, self.sent[port.index()]);
        }
    }
}

impl<Q: EventQueue> World<Q> for Nodes {
    fn line_free(&mut self, engine: &mut Engine<Q>, port: PortId, item: u32) {
        self.calls.push((engine.now().ps(), Call::LineFree { port: port.0, item }));
        self.busy[port.index()] = false;
        self.act(engine, self.node(port), port);
    }

    fn arrival(&mut self, engine: &mut Engine<Q>, port: PortId, item: u32, lag: Time) {
        self.calls.push((engine.now().ps(), Call::Arrival { port: port.0, item, lag: lag.ps() }));
        let node = self.node(port);
        let egress = self.any_port(node);
        self.act(engine, node, egress);
    }

    fn signal(&mut self, engine: &mut Engine<Q>, port: PortId, class: u8) {
        let latest = engine.latest(port, class);
        self.calls.push((engine.now().ps(), Call::Signal { port: port.0, class, latest }));
        self.act(engine, self.node(port), port);
    }

    fn timer(&mut self, engine: &mut Engine<Q>, node: NodeId, slot: u32) {
        self.calls.push((engine.now().ps(), Call::Timer { node: node.0, slot }));
        for _ in 0..2 {
            let port = self.any_port(node.0);
            self.act(engine, node.0, port);
        }
    }
}

const BASE: Case = Case {
    nodes: 40,
    cables: 2,
    propagations: Vec::new(),
    lanes: Vec::new(),
    odd: 0,
    timers: 0,
    awaits: 0,
    sends: 16,
    seed: 1,
};

/// Instants at which a line-free call and an arrival tie.
fn ties(calls: &[(u64, Call)]) -> usize {
    let instants = calls.chunk_by(|a, b| a.0 == b.0);
    let kind = |calls: &[(u64, Call)], want: fn(&Call) -> bool| calls.iter().any(|(_, call)| want(call));
    instants
        .filter(|c| kind(c, |x| matches!(x, Call::LineFree { .. })) && kind(c, |x| matches!(x, Call::Arrival { .. })))
        .count()
}

#[test]
fn lockstep_starts_on_links_of_one_packet_time() {
    // The line is free when the packet before arrives: every hop ties.
    let case = Case { propagations: vec![83_560], lanes: vec![[83_560, 167_120, 0]], ..BASE };
    assert!(ties(&case.check(20_000)) > 50);
}

#[test]
fn cut_through_on_short_cables() {
    let case = Case { propagations: vec![5_000], lanes: vec![[83_560, 6_200, 82_360], [1_680, 6_680, 0]], ..BASE };
    case.check(20_000);
}

#[test]
fn mixed_lanes_odd_sizes_and_timers() {
    let lanes = vec![[300, 500, 0], [100, 300, 0], [200, 300, 100], [300, 300, 300], [100, 200, 0]];
    let case = Case { propagations: vec![200, 100], lanes, odd: 5, timers: 3, ..BASE };
    assert!(ties(&case.check(40_000)) > 50);
}

#[test]
fn starved_ports_that_await_signals() {
    let lanes = vec![[2_000, 3_000, 0], [1_000, 2_000, 0]];
    let case = Case { propagations: vec![1_000, 2_000], lanes, odd: 2, awaits: 6, sends: 12, ..BASE };
    let calls = case.check(40_000);
    let signals = calls.iter().filter(|(_, call)| matches!(call, Call::Signal { .. })).count();
    assert!(signals > 1_000, "{signals} signals");
}

#[test]
fn an_express_item_that_catches_up_with_one_sent_before_it_comes_first() {
    fn arrivals<Q: EventQueue>(odd: bool) -> Vec<(u64, Call)> {
        // The pipeline holds the first for as long as the second is on the wire; a head ties as well.
        let lanes = vec![[100, 400, 0], [200, 300, 0], [50, 100, 50]];
        let case = Case { propagations: vec![100], lanes, sends: 0, ..BASE };
        let mut engine = Engine::<Q>::new(case.links(), CLASSES);
        let lanes: Vec<Lane> = (0..3).map(|index| engine.lane(case.delays(index))).collect();
        let mut nodes = case.nodes(lanes.clone());
        for (start, item, lane) in [(0, 2, 0), (100, 5, 1), (300, 0, 2)] {
            // Timers move the clock to the start of each.
            engine.at(Time::from_ps(start + 1), NodeId(0), start as u32);
            engine.run(&mut nodes, Time::from_ps(start + 1), u64::MAX);
            if odd {
                engine.transmit_odd(PortId(0), case.delays(lane), item);
            } else {
                engine.transmit(PortId(0), lanes[lane], item);
            }
        }
        engine.run(&mut nodes, Time::MAX, u64::MAX);
        nodes.calls.into_iter().filter(|(_, call)| matches!(call, Call::Arrival { .. })).collect()
    }
    let calls = [false, true].map(|odd| [arrivals::<LogQueue>(odd), arrivals::<HeapQueue>(odd)]);
    for calls in calls.into_iter().flatten() {
        let items = calls.iter().map(|(time, call)| match call {
            Call::Arrival { item, lag, .. } => (*time, *item, *lag),
            _ => unreachable!("only arrivals were kept"),
        });
        assert_eq!(items.collect::<Vec<_>>(), [(401, 5, 0), (401, 2, 0), (401, 0, 50)]);
    }
}

#[test]
fn a_lane_for_every_cable_length() {
    let lanes = (0..64).map(|n| [1_000 + n % 3 * 500, 2_000 + n * 250, n % 2 * 700]).collect();
    let case = Case { propagations: vec![1_000], lanes, odd: 1, timers: 1, awaits: 1, ..BASE };
    assert!(ties(&case.check(40_000)) > 50);
}

#[test]
fn delays_past_the_end_of_time_never_end() {
    fn idle_after<Q: EventQueue>() -> Vec<(u64, Call)> {
        let case = Case { propagations: vec![1], lanes: vec![[u64::MAX, 5, 0]], sends: 0, ..BASE };
        let mut engine = Engine::<Q>::new(case.links(), CLASSES);
        let lane = engine.lane(case.delays(0));
        let mut nodes = case.nodes(vec![lane]);
        engine.at(Time::from_ps(7), NodeId(0), 0);
        assert_eq!(engine.run(&mut nodes, Time::MAX, 100), Status::Idle);
        engine.transmit(PortId(0), lane, 1);
        engine.transmit_odd(PortId(1), case.delays(0), 2);
        engine.at(Time::MAX, NodeId(0), 1);
        assert_eq!(engine.run(&mut nodes, Time::MAX, 100), Status::Idle);
        nodes.calls
    }
    assert_eq!(idle_after::<LogQueue>(), idle_after::<HeapQueue>());
    assert_eq!(idle_after::<LogQueue>().len(), 3, "one timer and two arrivals");
}

fn cases() -> impl Strategy<Value = Case> {
    let scale = prop_oneof![Just(1u64), Just(500), Just(1024), Just(83_560)];
    let lanes = prop::collection::vec((1u64..4, 1u64..6, 0u64..3), 1..14);
    let shape = (2u32..12, 1u32..4, prop::collection::vec(1u64..4, 1..3));
    (scale, lanes, shape, 0u64..16, 0u64..4, 0u64..8, 8u64..17, any::<u64>()).prop_map(
        |(scale, lanes, (nodes, cables, propagations), odd, timers, awaits, sends, seed)| Case {
            nodes,
            cables,
            propagations: propagations.into_iter().map(|p| p * scale).collect(),
            lanes: lanes.into_iter().map(|(wire, arrival, lag)| [wire, arrival, lag].map(|x| x * scale)).collect(),
            odd,
            timers,
            awaits,
            sends,
            seed,
        },
    )
}

proptest! {
    #[test]
    fn any_world_runs_the_same_on_log_and_heap(case in cases()) {
        case.check(2_000);
    }
}

//! A switch between two hosts, a script, and the list of what it makes happen.

use units::{Bytes, ConnId, NodeId, PortId, Rate, Time};
use wire::{Kind, Packet, PacketId};

use crate::{
    Arrived, Buffer, Credit, DropReason, Ecn, Effects, Fabric, FabricConfig, FabricTimer, FlowControl, Forwarding,
    Frame, Hops, MarkAt, NodeSetup, Pfc, Policy, PortSetup, Quanta, Service, Source, Thresholds,
};

/// Host 0 has port 0; the switch (node 1) has port 1 to it and port 2 to host 2, which has port 3.
const IN: PortId = PortId(1);
const OUT: PortId = PortId(2);

#[derive(Debug, PartialEq, Eq)]
enum Did {
    Sent(PortId, Frame),
    Limit(PortId, u32),
    Awaits(PortId),
    Timer(Time, FabricTimer),
    Dropped(PortId, DropReason),
}

#[derive(Default)]
struct Tape {
    now: Time,
    limit: u32,
    did: Vec<Did>,
    last: Option<PacketId>,
}

impl Effects for Tape {
    fn now(&self) -> Time {
        self.now
    }
    fn transmit(&mut self, port: PortId, frame: Frame, packet: PacketId) {
        self.last = Some(packet);
        self.did.push(Did::Sent(port, frame));
    }
    fn signal(&mut self, port: PortId, _class: u8, limit: u32) {
        self.did.push(Did::Limit(port, limit));
    }
    fn latest(&mut self, _port: PortId, _class: u8) -> u32 {
        self.limit
    }
    fn await_signal(&mut self, port: PortId, _class: u8) {
        self.did.push(Did::Awaits(port));
    }
    fn timer(&mut self, at: Time, timer: FabricTimer) {
        self.did.push(Did::Timer(at, timer));
    }
    fn draw_loss(&mut self, _port: PortId) -> u32 {
        0
    }
    fn draw_mark(&mut self, _port: PortId) -> u32 {
        u32::MAX
    }
    fn dropped(&mut self, port: PortId, _packet: &Packet, reason: DropReason) {
        self.did.push(Did::Dropped(port, reason));
    }
}

struct Silent;

impl Source for Silent {
    fn peek(&mut self, _now: Time, _port: PortId, _class: u8) -> Option<u16> {
        None
    }
    fn take(&mut self, _now: Time, _port: PortId, _class: u8) -> Packet {
        unreachable!("peek showed nothing")
    }
}

struct ToTheRight;

impl Hops for ToTheRight {
    fn next_hops(&self, _switch: NodeId, dst: u32) -> &[u16] {
        if dst == 9 { &[] } else { &[1] }
    }
    fn explicit(&self, _packet: &Packet) -> Option<u16> {
        None
    }
}

struct Bench {
    fabric: Fabric,
    tape: Tape,
}

impl Bench {
    fn new(flow_control: FlowControl, ecn: Option<Ecn>, buffer: Buffer, rates: [u64; 2]) -> Bench {
        let node = |first_port, ports, switch| NodeSetup { first_port, ports, switch };
        let port = |peer, rate| PortSetup {
            peer: PortId(peer),
            rate: Rate::from_gbps(rate),
            propagation: Time::from_ns(100),
            pipeline: Time::ZERO,
            loss: 0,
        };
        let largest_frame = Bytes::new(1000);
        let config = FabricConfig { classes: 2, flow_control, service: Service::Fifo, buffer, ecn, largest_frame };
        let forwarding =
            Forwarding { policy: Policy::Ecmp, seeds: vec![0; 3], divisors: vec![1; 3], turns: vec![0; 3] };
        let nodes = [node(0, 1, false), node(1, 2, true), node(3, 1, false)];
        let ports = [port(1, rates[0]), port(0, rates[0]), port(3, rates[1]), port(2, rates[1])];
        Bench { fabric: Fabric::new(config, &nodes, &ports, forwarding), tape: Tape::default() }
    }

    fn arrive(&mut self, size: u16, dst: u32, lag: Time) -> Vec<Did> {
        let packet = Packet { conn: ConnId(0), dst, size, class: 1, ttl: 9, ..Packet::default() };
        let id = self.fabric.packets.insert(packet);
        let arrived = self.fabric.arrival(&mut self.tape, &mut Silent, &ToTheRight, IN, id, lag);
        assert_eq!(arrived, Arrived::Taken);
        std::mem::take(&mut self.tape.did)
    }

    fn line_free(&mut self, port: PortId) -> Vec<Did> {
        self.fabric.line_free(&mut self.tape, &mut Silent, port);
        std::mem::take(&mut self.tape.did)
    }

    /// The frame that the last transmission put on the line arrives at the other end of `port`.
    fn deliver_frame(&mut self, port: PortId) -> Vec<Did> {
        let id = self.tape.last.unwrap();
        self.fabric.arrival(&mut self.tape, &mut Silent, &ToTheRight, port, id, Time::ZERO);
        std::mem::take(&mut self.tape.did)
    }
}

fn pfc() -> FlowControl {
    FlowControl::Pfc(Pfc {
        thresholds: Thresholds::Static { xoff: Bytes::new(2000), xon: Bytes::new(1000) },
        headroom: Some(Bytes::new(1000)),
        response: Time::ZERO,
        quanta: Quanta(65535),
        refresh: true,
    })
}

#[test]
fn a_packet_to_an_idle_output_starts_at_once_and_the_next_waits() {
    let mut bench = Bench::new(FlowControl::None, None, Buffer::default(), [100, 100]);
    assert_eq!(bench.arrive(1000, 0, Time::ZERO), [Did::Sent(OUT, Frame::Packet(1000))]);
    assert_eq!(bench.arrive(500, 0, Time::ZERO), []);
    assert_eq!(bench.fabric.queue_bytes(OUT, 1), 500);
    assert_eq!(bench.line_free(OUT), [Did::Sent(OUT, Frame::Packet(500))]);
    assert_eq!(bench.line_free(OUT), []);
    assert_eq!(bench.fabric.held_bytes(), 0);
}

#[test]
fn pause_goes_out_at_xoff_resume_at_xon_and_the_headroom_takes_what_was_under_way() {
    let mut bench = Bench::new(pfc(), None, Buffer::default(), [100, 100]);
    bench.arrive(1000, 0, Time::ZERO);
    let refresh = Time::from_ps(Quanta(65535).span(Rate::from_gbps(100)).ps() / 2);
    assert_eq!(
        bench.arrive(1000, 0, Time::ZERO),
        [Did::Timer(refresh, FabricTimer::PauseRefresh(IN, 1)), Did::Sent(IN, Frame::Pause)],
        "the count reaches xoff: PAUSE on the reverse link"
    );
    assert_eq!(bench.arrive(1000, 0, Time::ZERO), [], "headroom");
    assert_eq!(bench.arrive(1000, 0, Time::ZERO), [Did::Dropped(IN, DropReason::Headroom)]);
    assert_eq!(bench.line_free(IN), [], "the PAUSE has left");
    assert_eq!(bench.line_free(OUT), [Did::Sent(OUT, Frame::Packet(1000))], "2000 held: above xon");
    let did = bench.line_free(OUT);
    assert_eq!(did, [Did::Sent(IN, Frame::Pause), Did::Sent(OUT, Frame::Packet(1000))], "1000 held: resume");
    let counters = bench.fabric.class_counters(IN, 1, Time::ZERO);
    assert_eq!((counters.pause_sent, counters.resume_sent, counters.lossless_drops), (1, 1, 1));
}

#[test]
fn a_pause_waits_for_the_frame_on_the_line_and_is_overtaken_by_newer_words() {
    let mut bench = Bench::new(pfc(), None, Buffer::default(), [100, 100]);
    // The reverse line is busy with an acknowledgement.
    let ack = bench.fabric.packets.insert(Packet { size: 86, kind: Kind::Ack, ..Packet::default() });
    bench.fabric.enqueue(&mut bench.tape, &mut Silent, IN, ack);
    bench.tape.did.clear();
    bench.arrive(1000, 0, Time::ZERO);
    assert_eq!(bench.arrive(1000, 0, Time::ZERO), [], "the line is busy: the PAUSE waits");
    assert_eq!(bench.line_free(OUT), [Did::Sent(OUT, Frame::Packet(1000))], "back at xon: the word is now resume");
    assert_eq!(bench.line_free(IN), [Did::Sent(IN, Frame::Pause)]);
    let counters = bench.fabric.class_counters(IN, 1, Time::ZERO);
    assert_eq!((counters.pause_sent, counters.resume_sent), (0, 1), "one frame, with the newest word");
}

#[test]
fn a_paused_output_stops_between_frames_and_goes_on_when_the_pause_expires() {
    let mut bench = Bench::new(pfc(), None, Buffer::default(), [100, 100]);
    // The far host pauses the output: its guard is made to.
    bench.fabric.force_stop(&mut bench.tape, &mut Silent, PortId(3), 1, true);
    let span = Quanta(65535).span(Rate::from_gbps(100));
    bench.tape.did.clear();
    let expiry = Did::Timer(span, FabricTimer::PauseExpiry(OUT, 1));
    assert_eq!(bench.deliver_frame(OUT), [expiry]);
    assert_eq!(bench.arrive(500, 0, Time::ZERO), [], "paused");
    bench.tape.now = span;
    bench.fabric.pause_expired(&mut bench.tape, &mut Silent, OUT, 1);
    assert_eq!(std::mem::take(&mut bench.tape.did), [Did::Sent(OUT, Frame::Packet(500))]);
    assert_eq!(bench.fabric.class_counters(OUT, 1, span).paused, span);
}

#[test]
fn credits_stop_a_sender_until_the_limit_rises_and_are_returned_when_the_tail_has_left() {
    let credit = FlowControl::Credit(Credit { buffer: 64, window: Some(2048) });
    let mut bench = Bench::new(credit, None, Buffer::default(), [100, 100]);
    bench.tape.limit = 16;
    assert_eq!(bench.arrive(1000, 0, Time::ZERO), [Did::Sent(OUT, Frame::Packet(1000))], "16 blocks of 16");
    assert_eq!(bench.arrive(1000, 0, Time::ZERO), []);
    assert_eq!(bench.line_free(OUT), [Did::Limit(IN, 32 + 48), Did::Awaits(OUT)], "32 received, 48 free");
    bench.tape.limit = 32;
    bench.fabric.try_send(&mut bench.tape, &mut Silent, OUT);
    assert_eq!(std::mem::take(&mut bench.tape.did), [Did::Sent(OUT, Frame::Packet(1000))]);
}

#[test]
fn a_head_waits_for_its_tail_only_before_a_faster_line() {
    let lag = Time::from_ns(80);
    let mut equal = Bench::new(FlowControl::None, None, Buffer::default(), [100, 100]);
    assert_eq!(equal.arrive(1000, 0, lag), [Did::Sent(OUT, Frame::Packet(1000))], "cut-through");
    let mut faster = Bench::new(FlowControl::None, None, Buffer::default(), [100, 400]);
    let did = faster.arrive(1000, 0, lag);
    let Did::Timer(at, FabricTimer::Tail(port, id)) = did[0] else { panic!("{did:?}") };
    assert_eq!((at, port, did.len()), (lag, IN, 1));
    faster.fabric.audit().unwrap();
    faster.fabric.tail_arrived(&mut faster.tape, &mut Silent, id);
    assert_eq!(std::mem::take(&mut faster.tape.did), [Did::Sent(OUT, Frame::Packet(1000))]);
}

#[test]
fn what_cannot_be_kept_or_routed_is_dropped_and_its_memory_given_back() {
    let egress_limit = Some(Bytes::new(1200));
    let mut bench = Bench::new(FlowControl::None, None, Buffer { egress_limit, ..Buffer::default() }, [100, 100]);
    assert_eq!(bench.arrive(1000, 9, Time::ZERO), [Did::Dropped(IN, DropReason::Unroutable)]);
    bench.arrive(1000, 0, Time::ZERO);
    bench.arrive(1000, 0, Time::ZERO);
    assert_eq!(bench.arrive(1000, 0, Time::ZERO), [Did::Dropped(OUT, DropReason::Full)], "drop-tail");
    bench.line_free(OUT);
    bench.line_free(OUT);
    assert_eq!(bench.fabric.held_bytes(), 0);
}

#[test]
fn marks_begin_above_kmin_and_are_certain_at_kmax() {
    let (kmin, kmax) = (Bytes::new(1000), Bytes::new(2000));
    let ecn = Ecn { kmin, kmax, pmax: u32::MAX / 5, mark_at: MarkAt::Enqueue };
    let mut bench = Bench::new(FlowControl::None, Some(ecn), Buffer::default(), [100, 100]);
    for _ in 0..4 {
        bench.arrive(1000, 0, Time::ZERO);
    }
    // The first is on the line; queues of 0, 1000 and 2000 are met by the others. The draw is the
    // largest there is, so only certainty marks.
    assert_eq!(bench.fabric.class_counters(OUT, 1, Time::ZERO).marks, 1);
    assert_eq!((ecn.probability(1000), ecn.probability(2000)), (0, 1 << 32));
    let middle = ecn.probability(1500) as f64 / 2f64.powi(32);
    assert!((middle - 0.1).abs() < 1e-6, "pmax 20 %, halfway: {middle}");
}

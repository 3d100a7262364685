//! A requester and a responder joined by a list of packets, with a script that says what is lost.

use std::collections::VecDeque;

use units::Time;
use wire::Flags;

use crate::{
    AckEvery, CongestionConfig, Controller, Next, Overheads, Reply, Requester, Responder, Segment, TransportConfig,
    TransportKind,
};

fn config() -> TransportConfig {
    TransportConfig {
        kind: TransportKind::Rc,
        mtu: 1000,
        overheads: Overheads::ROCE_V2,
        ack_every: AckEvery::Packets(1),
        window: 8,
        timeout: Time::from_us(100),
        retries: 7,
        any_order: false,
        cnp_interval: None,
        congestion: CongestionConfig::None,
    }
}

struct Pair {
    config: TransportConfig,
    requester: Requester,
    responder: Responder,
    now: Time,
    sent: u64,
    delivered: u64,
    done: u32,
    naks: u32,
}

impl Pair {
    fn new(config: TransportConfig) -> Pair {
        let (requester, responder) = (Requester::new(&config, None, Controller::None), Responder::default());
        Pair { config, requester, responder, now: Time::ZERO, sent: 0, delivered: 0, done: 0, naks: 0 }
    }

    /// Runs until idle or failed; `lose` says which transmissions (counted from 0) never arrive.
    fn run(&mut self, lose: impl Fn(u64, &Segment) -> bool) {
        let mut wire: VecDeque<Segment> = VecDeque::new();
        while !self.requester.is_idle() && !self.requester.is_failed() {
            self.now += Time::from_us(1);
            if let Next::Packet(size) = self.requester.peek(self.now, &self.config) {
                let segment = self.requester.take(self.now, &self.config);
                assert_eq!(segment.size, size);
                self.requester.arm(self.now, &self.config);
                if !lose(self.sent, &segment) {
                    wire.push_back(segment);
                }
                self.sent += 1;
            }
            if wire.len() > 3 || self.requester.peek(self.now, &self.config) == Next::Nothing {
                match wire.pop_front() {
                    Some(segment) => self.deliver(segment),
                    None if !self.requester.is_idle() => self.expire(),
                    None => {}
                }
            }
        }
    }

    fn deliver(&mut self, segment: Segment) {
        let received = self.responder.on_data(segment.psn, segment.payload, segment.flags, self.now, &self.config);
        self.delivered += u64::from(received.bytes);
        let progress = match received.reply {
            Some(Reply::Ack(psn)) => self.requester.on_ack(psn, received.echo, self.now, &self.config),
            Some(Reply::Nak(psn)) => {
                self.naks += 1;
                self.requester.on_nak(psn, self.now, &self.config)
            }
            None => return,
        };
        self.done += progress.messages;
    }

    fn expire(&mut self) {
        self.now = self.now.max(self.requester.deadline().unwrap());
        self.requester.on_timer(self.now, &self.config);
    }
}

#[test]
fn messages_of_odd_sizes_arrive_once_and_complete_in_order() {
    let mut pair = Pair::new(config());
    for bytes in [1, 999, 1000, 1001, 12_345] {
        pair.requester.post(bytes, &pair.config);
    }
    pair.run(|_, _| false);
    assert_eq!((pair.delivered, pair.done, pair.sent), (1 + 999 + 1000 + 1001 + 12_345, 5, 1 + 1 + 1 + 2 + 13));
}

#[test]
fn a_lost_packet_is_asked_for_once_and_everything_behind_it_sent_again() {
    let mut pair = Pair::new(config());
    pair.requester.post(20_000, &pair.config);
    pair.run(|n, _| n == 3);
    assert_eq!((pair.delivered, pair.done, pair.naks), (20_000, 1, 1));
    assert!(pair.requester.retransmitted() > 0 && pair.requester.timeouts() == 0);
}

#[test]
fn a_lost_last_packet_waits_for_the_timeout() {
    let mut pair = Pair::new(config());
    pair.requester.post(5_000, &pair.config);
    pair.run(|n, _| n == 4);
    assert_eq!((pair.delivered, pair.requester.timeouts(), pair.naks), (5_000, 1, 0));
}

#[test]
fn a_retransmission_lost_too_needs_the_timeout_because_a_gap_has_one_nak() {
    let mut pair = Pair::new(config());
    pair.requester.post(30_000, &pair.config);
    pair.run(|_, s| s.psn == 3 && pair_attempt(s) < 2);
    fn pair_attempt(_: &Segment) -> u32 {
        use std::cell::Cell;
        thread_local!(static ATTEMPT: Cell<u32> = const { Cell::new(0) });
        ATTEMPT.with(|a| a.replace(a.get() + 1))
    }
    assert_eq!((pair.delivered, pair.naks, pair.requester.timeouts()), (30_000, 1, 1));
}

#[test]
fn a_flow_that_never_gets_through_fails_after_its_retries() {
    let mut pair = Pair::new(config());
    pair.requester.post(5_000, &pair.config);
    pair.run(|_, _| true);
    assert!(pair.requester.is_failed());
    assert_eq!(pair.requester.timeouts(), 7);
}

#[test]
fn acknowledgements_can_be_one_a_message() {
    let config = TransportConfig { ack_every: AckEvery::Message, window: TransportConfig::MAX_WINDOW, ..config() };
    let mut responder = Responder::default();
    let mut requester = Requester::new(&config, None, Controller::None);
    requester.post(1, &config);
    requester.post(50_000, &config);
    let mut acks = 0;
    while let Next::Packet(_) = requester.peek(Time::ZERO, &config) {
        let s = requester.take(Time::ZERO, &config);
        acks += u32::from(responder.on_data(s.psn, s.payload, s.flags, Time::ZERO, &config).reply.is_some());
    }
    assert_eq!(acks, 2);
}

#[test]
fn a_stopped_source_ends_where_it_has_got_to() {
    let mut pair = Pair::new(config());
    pair.requester.post(u64::MAX, &pair.config);
    for _ in 0..5 {
        pair.requester.take(Time::ZERO, &pair.config);
    }
    pair.requester.stop(&pair.config);
    assert_eq!(pair.requester.peek(Time::ZERO, &pair.config), Next::Nothing);
    assert!(!pair.requester.is_idle());
    pair.requester.on_ack(4, false, Time::ZERO, &pair.config);
    assert!(pair.requester.is_idle());
}

#[test]
fn only_the_first_packet_of_a_write_carries_its_address() {
    let config = config();
    let mut requester = Requester::new(&config, None, Controller::None);
    requester.post(2_500, &config);
    let sizes: Vec<u16> = (0..3).map(|_| requester.take(Time::ZERO, &config).size).collect();
    assert_eq!(sizes, [1098, 1082, 582]);
    assert!(requester.peek(Time::ZERO, &config) == Next::Nothing);
    assert!(Flags(3).has(Flags::FIRST) && Flags(3).has(Flags::LAST));
}

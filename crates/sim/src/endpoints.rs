use std::collections::VecDeque;

use engine::Stream;
use fabric::{Fabric, Source};
use rand_distr::{Distribution, Exp1};
use transport::{Arrivals, Next, Requester, Responder, TransportConfig};
use units::{Bytes, ConnId, PortId, Time};
use wire::{Flags, Kind, Packet, PacketId};

use crate::connection::{Connection, Milestones};
use crate::timer::Timer;

/// Both halves of every connection, and the NICs' turns among those that have something to send.
///
/// A requester's state belongs to the host at its source, a responder's to the host at its destination.
pub(crate) struct Endpoints {
    pub(crate) config: TransportConfig,
    classes: usize,
    pub(crate) conns: Vec<Connection>,
    pub(crate) requesters: Vec<Requester>,
    pub(crate) responders: Vec<Responder>,
    pub(crate) milestones: Vec<Milestones>,
    open_loops: Vec<Option<Box<OpenLoop>>>,
    /// By (host port, class): connections that may have a packet, in turn.
    ready: Vec<VecDeque<u32>>,
    queued: Vec<bool>,
    paced: Vec<bool>,
    /// What was asked for while the fabric was pulling; the network does it right after.
    pub(crate) asked: Vec<Asked>,
    /// Requesters that are not idle.
    pub(crate) busy: u32,
}

/// What endpoints want from the network.
pub(crate) enum Asked {
    /// A timer of a connection, at the host it sends from.
    Timer(Time, u32, Timer),
    /// A connection has the last packet of a message on the line.
    Sent(u32),
    /// How long a packet of an open-loop source waited, by port and class.
    Wait(PortId, u8, Time),
}

/// An open-loop source: its arrivals and the stream they are drawn from.
pub(crate) struct OpenLoop {
    pub(crate) arrivals: Arrivals,
    pub(crate) stream: Stream,
}

impl Endpoints {
    /// No connections yet. Host ports come first among all ports; there are `host_ports` of them.
    pub(crate) fn new(config: TransportConfig, classes: u8, host_ports: usize) -> Endpoints {
        let classes = usize::from(classes);
        Endpoints {
            config,
            classes,
            conns: Vec::new(),
            requesters: Vec::new(),
            responders: Vec::new(),
            milestones: Vec::new(),
            open_loops: Vec::new(),
            ready: vec![VecDeque::new(); host_ports * classes],
            queued: Vec::new(),
            paced: Vec::new(),
            asked: Vec::new(),
            busy: 0,
        }
    }

    pub(crate) fn add(&mut self, conn: Connection, requester: Requester, open_loop: Option<OpenLoop>) -> ConnId {
        self.conns.push(conn);
        self.requesters.push(requester);
        self.responders.push(Responder::default());
        self.milestones.push(Milestones::default());
        self.open_loops.push(open_loop.map(Box::new));
        self.queued.push(false);
        self.paced.push(false);
        ConnId(u32::try_from(self.conns.len() - 1).expect("fewer than 2^32 connections"))
    }

    /// Posts a message and lets the connection take its turn.
    pub(crate) fn post(&mut self, conn: ConnId, bytes: u64, now: Time) {
        let requester = &mut self.requesters[conn.index()];
        if requester.is_idle() && !requester.is_failed() {
            self.busy += 1;
        }
        requester.post(bytes, &self.config);
        self.milestones[conn.index()].started.get_or_insert(now);
        self.make_ready(conn);
    }

    /// Gives a connection a place in its port's turns, if it has none.
    #[inline]
    pub(crate) fn make_ready(&mut self, conn: ConnId) {
        if !std::mem::replace(&mut self.queued[conn.index()], true) {
            let record = &self.conns[conn.index()];
            let slot = record.src_port.index() * self.classes + usize::from(record.class);
            self.ready[slot].push_back(conn.0);
        }
    }

    /// A pacing timer fired.
    pub(crate) fn pace_over(&mut self, conn: ConnId) {
        self.paced[conn.index()] = false;
        self.make_ready(conn);
    }

    #[inline]
    fn next_of(&self, conn: usize, now: Time) -> Next {
        let next = self.requesters[conn].peek(now, &self.config);
        match (&self.open_loops[conn], next) {
            (Some(open), Next::Packet(_)) if open.arrivals.next() > now => Next::At(open.arrivals.next()),
            _ => next,
        }
    }

    /// Whether a busy connection merely waits for its pace.
    pub(crate) fn waits_for_pace(&self, conn: usize, now: Time) -> bool {
        matches!(self.next_of(conn, now), Next::At(_)) && self.requesters[conn].in_flight() == 0
    }

    /// An acknowledgement packet from the destination of `conn`.
    pub(crate) fn acknowledgement(&self, conn: ConnId, kind: Kind, psn: u32) -> Packet {
        let record = &self.conns[conn.index()];
        Packet {
            conn,
            psn,
            dst: record.src,
            payload: 0,
            next: PacketId::NONE,
            size: self.config.overheads.ack,
            ingress: Fabric::no_ingress(),
            entropy: record.ack_entropy,
            class: record.ack_class,
            kind,
            ttl: record.ttl,
            ..Packet::default()
        }
    }
}

impl Source for Endpoints {
    #[inline]
    fn peek(&mut self, now: Time, port: PortId, class: u8) -> Option<u16> {
        let slot = port.index() * self.classes + usize::from(class);
        while let Some(&conn) = self.ready[slot].front() {
            match self.next_of(conn as usize, now) {
                Next::Packet(size) => return Some(size),
                Next::At(time) => {
                    if !std::mem::replace(&mut self.paced[conn as usize], true) {
                        self.asked.push(Asked::Timer(time, conn, Timer::Paced(conn)));
                    }
                }
                Next::Nothing => {}
            }
            self.queued[conn as usize] = false;
            self.ready[slot].pop_front();
        }
        None
    }

    #[inline]
    fn take(&mut self, now: Time, port: PortId, class: u8) -> Packet {
        let slot = port.index() * self.classes + usize::from(class);
        let conn = self.ready[slot].pop_front().expect("take follows a peek that found a packet");
        self.ready[slot].push_back(conn);
        let requester = &mut self.requesters[conn as usize];
        let segment = requester.take(now, &self.config);
        if let Some(deadline) = requester.arm(now, &self.config) {
            self.asked.push(Asked::Timer(deadline, conn, Timer::Retransmit(conn)));
        }
        if segment.flags.has(Flags::LAST) && !segment.again {
            self.asked.push(Asked::Sent(conn));
        }
        if requester.is_idle() {
            // Only a datagram source is idle with its last packet sent.
            self.busy -= 1;
        }
        if let Some(open) = &mut self.open_loops[conn as usize] {
            self.asked.push(Asked::Wait(port, class, now - open.arrivals.next()));
            let stream = &mut open.stream;
            open.arrivals.take(Bytes::new(u64::from(segment.size)), || Exp1.sample(stream.generator()));
        }
        let record = &self.conns[conn as usize];
        Packet {
            conn: ConnId(conn),
            psn: segment.psn,
            dst: record.dst,
            payload: segment.payload,
            next: PacketId::NONE,
            size: segment.size,
            ingress: Fabric::no_ingress(),
            entropy: record.entropy,
            class,
            kind: Kind::Data,
            flags: segment.flags,
            ttl: record.ttl,
            hop: 0,
        }
    }
}

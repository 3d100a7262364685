use std::collections::VecDeque;

use collective::Action;
use engine::{Engine, EventQueue, World};
use fabric::{Arrived, Fabric};
use transport::{Progress, Reply};
use units::{Bytes, ConnId, NodeId, PortId, Rate, Time};
use wire::{Flags, Kind, Packet, PacketId};

use crate::connection::{Use, Ways};
use crate::effects::{Fx, Wires};
use crate::endpoints::{Asked, Endpoints};
use crate::plan::{Change, HostConfig, TimedFault};
use crate::ranks::{Channel, Ranks};
use crate::reason::Counted;
use crate::tasks::{Task, Tasks, Waiting};
use crate::timer::Timer;

/// A running plan: all nodes, joined to the engine.
pub(crate) struct Network<'a> {
    pub(crate) fabric: Fabric,
    pub(crate) endpoints: Endpoints,
    pub(crate) ranks: Option<Ranks<'a>>,
    pub(crate) wires: Wires,
    pub(crate) ways: Ways<'a>,
    pub(crate) host: &'a HostConfig,
    pub(crate) faults: &'a [TimedFault],
    pub(crate) faults_done: usize,
    pub(crate) tasks: Tasks,
    pub(crate) slow: Vec<Option<SlowHost>>,
    pub(crate) first_port: Vec<u32>,
    pub(crate) node_of: Vec<NodeId>,
    pub(crate) progress: Marks,
    /// Sizes of flows by flow index, and their connections.
    pub(crate) flow_sizes: Vec<Option<u64>>,
    actions: Vec<Action>,
    /// Connection of the last message that came over the network.
    arriving: Option<ConnId>,
    /// By port: what was counted when the last step ended.
    pub(crate) counted: Vec<Counted>,
}

/// What the runner watches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    /// Payload bytes delivered, over the network and within NVLink domains, and over the network alone.
    pub(crate) payload: u64,
    pub(crate) delivered: u64,
    /// Data packets delivered in order.
    pub(crate) packets: u64,
    /// When payload was last delivered.
    pub(crate) last_payload: Time,
    /// When a message was last posted, or a fault began or ended.
    pub(crate) last_post: Time,
    /// When payload or an acknowledgement that mattered was last delivered.
    pub(crate) last_useful: Time,
    pub(crate) failed: u32,
    /// Congestion notification packets that reached their senders.
    pub(crate) cnps: u64,
}

/// A host port that consumes slowly: what it has yet to consume, and until when it is at it.
#[derive(Debug)]
pub(crate) struct SlowHost {
    rate: Rate,
    busy_until: Time,
    held: VecDeque<(Time, PacketId)>,
}

/// Parts of a network that the constructor hands over.
pub(crate) struct Parts<'a> {
    pub(crate) fabric: Fabric,
    pub(crate) endpoints: Endpoints,
    pub(crate) ranks: Option<Ranks<'a>>,
    pub(crate) wires: Wires,
    pub(crate) ways: Ways<'a>,
    pub(crate) host: &'a HostConfig,
    pub(crate) faults: &'a [TimedFault],
    pub(crate) first_port: Vec<u32>,
    pub(crate) node_of: Vec<NodeId>,
    pub(crate) flow_sizes: Vec<Option<u64>>,
}

impl<'a> Network<'a> {
    pub(crate) fn new(parts: Parts<'a>, host_ports: usize) -> Network<'a> {
        Network {
            fabric: parts.fabric,
            endpoints: parts.endpoints,
            ranks: parts.ranks,
            wires: parts.wires,
            ways: parts.ways,
            host: parts.host,
            faults: parts.faults,
            faults_done: 0,
            tasks: Tasks::default(),
            slow: std::iter::repeat_with(|| None).take(host_ports).collect(),
            first_port: parts.first_port,
            node_of: parts.node_of,
            progress: Marks::default(),
            flow_sizes: parts.flow_sizes,
            actions: Vec::new(),
            arriving: None,
            counted: Vec::new(),
        }
    }

    /// Nothing is left to do and nothing is under way.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.endpoints.busy == 0
            && self.fabric.packets.is_empty()
            && self.tasks.pending() == 0
            && self.ranks.as_ref().is_none_or(|ranks| ranks.unfinished == 0)
    }

    /// Runs a fabric method with the engine bound, then does what endpoints asked for meanwhile.
    #[inline(always)]
    fn with_fabric<Q: EventQueue, R>(
        &mut self,
        engine: &mut Engine<Q>,
        act: impl FnOnce(&mut Fabric, &mut Fx<'_, Q>, &mut Endpoints, &Ways<'a>) -> R,
    ) -> R {
        let mut fx = Fx { engine, wires: &mut self.wires };
        let result = act(&mut self.fabric, &mut fx, &mut self.endpoints, &self.ways);
        if !self.endpoints.asked.is_empty() {
            self.follow_up(engine);
        }
        result
    }

    #[inline(never)]
    fn follow_up<Q: EventQueue>(&mut self, engine: &mut Engine<Q>) {
        let mut asked = std::mem::take(&mut self.endpoints.asked);
        for ask in asked.drain(..) {
            match ask {
                Asked::Timer(time, conn, timer) => {
                    let node = self.node_of[self.endpoints.conns[conn as usize].src_port.index()];
                    engine.at(time, node, timer.encode());
                }
                Asked::Sent(conn) => self.message_sent(engine, conn),
                Asked::Wait(port, class, wait) => self.fabric.note_wait(port, class, wait),
            }
        }
        // What was asked meanwhile has been dealt with by the calls inside; the space is kept.
        if self.endpoints.asked.is_empty() {
            self.endpoints.asked = asked;
        }
    }

    /// The last packet of a message is on the line: an operation that ends with that ends.
    ///
    /// Model: such a send is over as its last packet begins to leave; the acknowledgement is not waited for.
    fn message_sent<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, conn: u32) {
        let Some(ranks) = &mut self.ranks else { return };
        let waiting = ranks.posted[conn as usize].unsent.pop_front().flatten();
        if let (Some((stream, index)), Use::Channel { from, .. }) =
            (waiting, self.endpoints.conns[conn as usize].purpose)
        {
            self.rank_event(engine, from, |ranks, out| ranks.finished(from, stream, index, out));
        }
    }

    /// Lets a connection that may have something to send take its turn.
    fn kick<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, conn: ConnId) {
        let record = &self.endpoints.conns[conn.index()];
        let (port, class) = (record.src_port, record.class);
        self.fabric.offer(port, class, true);
        self.with_fabric(engine, |fabric, fx, endpoints, _| fabric.try_send(fx, endpoints, port));
    }

    /// Does something at `after` from now: at once if that is zero.
    pub(crate) fn schedule<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, node: NodeId, after: Time, task: Task) {
        if after == Time::ZERO {
            return self.perform(engine, task);
        }
        let slot = self.tasks.add(task);
        engine.at(engine.now() + after, node, Timer::Task(slot).encode());
    }

    fn perform<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, task: Task) {
        match task {
            Task::Post { conn, bytes, waiting } => {
                if let Some(ranks) = &mut self.ranks {
                    let (sent, acked) = match waiting {
                        Waiting::Nobody => (None, None),
                        Waiting::Sent(stream, index) => (Some((stream, index)), None),
                        Waiting::Acked(stream, index) => (None, Some((stream, index))),
                    };
                    ranks.posted[conn.index()].unsent.push_back(sent);
                    ranks.posted[conn.index()].unacked.push_back(acked);
                }
                self.progress.last_post = engine.now();
                self.endpoints.post(conn, bytes, engine.now());
                self.kick(engine, conn);
            }
            Task::StopFlow(conn) => self.stop_flow(engine.now(), conn),
            Task::LocalArrived { from, to, source, bytes, waiting } => {
                self.note_payload(engine.now(), bytes);
                if let Some((stream, index)) = waiting {
                    self.rank_event(engine, from, |ranks, out| ranks.finished(from, stream, index, out));
                }
                self.rank_event(engine, to, |ranks, out| ranks.received(to, source, out));
            }
            Task::Computed { rank, stream, index } => {
                self.rank_event(engine, rank, |ranks, out| ranks.finished(rank, stream, index, out));
            }
            Task::Enter { rank } => {
                let now = engine.now();
                self.rank_event(engine, rank, |ranks, out| ranks.enter(rank, now, out));
            }
        }
    }

    fn stop_flow(&mut self, now: Time, conn: ConnId) {
        let requester = &mut self.endpoints.requesters[conn.index()];
        let was_busy = !requester.is_idle() && !requester.is_failed();
        requester.stop(&self.endpoints.config);
        if was_busy && requester.is_idle() {
            self.endpoints.busy -= 1;
            self.endpoints.milestones[conn.index()].acked = Some(now);
        }
    }

    fn note_payload(&mut self, now: Time, bytes: u64) {
        self.progress.payload += bytes;
        self.progress.last_payload = now;
        self.progress.last_useful = now;
    }

    /// Starts a rank's next step, `after` from now: compute, then the collective.
    pub(crate) fn start_step<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, rank: u32, after: Time) {
        let Some(ranks) = &mut self.ranks else { return };
        let compute = ranks.compute(rank);
        let node = NodeId(ranks.spec.ranks[rank as usize].host);
        self.schedule(engine, node, after.saturating_add(compute), Task::Enter { rank });
    }

    /// Tells a rank's interpreter something and does what it answers.
    fn rank_event<Q: EventQueue>(
        &mut self,
        engine: &mut Engine<Q>,
        rank: u32,
        tell: impl FnOnce(&mut Ranks<'a>, &mut Vec<Action>),
    ) {
        let Some(ranks) = &mut self.ranks else { return };
        let mut actions = std::mem::take(&mut self.actions);
        tell(ranks, &mut actions);
        let mut done = Vec::new();
        std::mem::swap(&mut done, &mut actions);
        for action in done.drain(..) {
            self.act(engine, rank, action);
        }
        self.actions = done;
    }

    fn act<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, rank: u32, action: Action) {
        let Some(ranks) = &mut self.ranks else { return };
        let node = NodeId(ranks.spec.ranks[rank as usize].host);
        match action {
            Action::Send { stream, index, to, tag, size, detached, local } => {
                let waiting = match (detached, local) {
                    (true, _) => Waiting::Nobody,
                    (false, true) => Waiting::Sent(stream, index),
                    (false, false) => Waiting::Acked(stream, index),
                };
                match ranks.channel(rank, to, tag) {
                    Channel::Wire(conn) => {
                        let latency = self.host.software_latency + self.host.nic_latency;
                        self.schedule(engine, node, latency, Task::Post { conn, bytes: size, waiting });
                    }
                    Channel::Local { to, source } => {
                        let span = self.host.nvlink_rate.time_for(Bytes::new(size));
                        let now = engine.now();
                        let left = ranks.reserve_nvlink(rank, to, now, span);
                        let arrival = left + self.host.nvlink_latency;
                        let acked = match waiting {
                            Waiting::Acked(stream, index) => Some((stream, index)),
                            _ => None,
                        };
                        if let Waiting::Sent(stream, index) = waiting {
                            self.schedule(engine, node, left - now, Task::Computed { rank, stream, index });
                        }
                        let task = Task::LocalArrived { from: rank, to, source, bytes: size, waiting: acked };
                        self.schedule(engine, node, arrival - now, task);
                    }
                }
            }
            Action::Compute { stream, index, time } => {
                let time = ranks.scaled(rank, time);
                self.schedule(engine, node, time, Task::Computed { rank, stream, index });
            }
            // Model: reductions take no time of their own; they overlap with the transfer of the next part.
            Action::Reduce { stream, index, .. } => {
                self.schedule(engine, node, Time::ZERO, Task::Computed { rank, stream, index });
            }
            Action::Finished => {
                self.note_reason(engine, rank);
                let Some(ranks) = &mut self.ranks else { return };
                if ranks.leave(rank, engine.now()) {
                    self.start_step(engine, rank, Time::ZERO);
                }
            }
        }
    }

    /// The last rank of a step is done: remember what the last message over the network met.
    fn note_reason<Q: EventQueue>(&mut self, engine: &Engine<Q>, rank: u32) {
        let ends = self.ranks.as_mut().is_some_and(|ranks| ranks.last_of_step(rank).is_some());
        if !ends {
            return;
        }
        let reason = self.arriving.and_then(|conn| self.explain(engine, conn));
        if let Some(step) = self.ranks.as_mut().and_then(|ranks| ranks.last_of_step(rank)) {
            step.reason = reason;
        }
    }

    /// A packet has reached a host.
    fn deliver<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, port: PortId, id: PacketId) {
        if self.slow[port.index()].is_some() {
            return self.hold(engine, port, id);
        }
        let packet = self.fabric.packets[id];
        self.fabric.packets.remove(id);
        let mut fx = Fx { engine, wires: &mut self.wires };
        self.fabric.consume(&mut fx, port, packet.class, packet.size);
        self.take_packet(engine, port, &packet);
    }

    /// A slow host queues a packet in its receive buffer.
    fn hold<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, port: PortId, id: PacketId) {
        let (size, now) = (self.fabric.packets[id].size, engine.now());
        if !self.with_fabric(engine, |fabric, fx, endpoints, _| fabric.hold(fx, endpoints, port, id)) {
            return;
        }
        let Some(slow) = &mut self.slow[port.index()] else { return };
        slow.busy_until = slow.busy_until.max(now) + slow.rate.time_for(Bytes::new(u64::from(size)));
        slow.held.push_back((slow.busy_until, id));
        if slow.held.len() == 1 {
            self.set_consumed_timer(engine, port);
        }
    }

    fn set_consumed_timer<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, port: PortId) {
        let Some(slow) = &self.slow[port.index()] else { return };
        if let Some(&(time, _)) = slow.held.front() {
            let node = self.node_of[port.index()];
            let local = (port.0 - self.first_port[node.index()]) as u16;
            engine.at(time.max(engine.now() + Time::from_ps(1)), node, Timer::Consumed(local).encode());
        }
    }

    /// A slow host has consumed the packet at the head of its receive buffer.
    fn consumed<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, port: PortId) {
        let Some((_, id)) = self.slow[port.index()].as_mut().and_then(|slow| slow.held.pop_front()) else { return };
        let packet = self.fabric.packets[id];
        self.fabric.packets.remove(id);
        let (class, size) = (packet.class, packet.size);
        self.with_fabric(engine, |fabric, fx, endpoints, _| fabric.unhold(fx, endpoints, port, class, size));
        self.take_packet(engine, port, &packet);
        self.set_consumed_timer(engine, port);
    }

    fn take_packet<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, port: PortId, packet: &Packet) {
        match packet.kind {
            Kind::Data => self.take_data(engine, port, packet),
            Kind::Ack | Kind::Nak => {
                let requester = &mut self.endpoints.requesters[packet.conn.index()];
                let (now, config) = (engine.now(), &self.endpoints.config);
                let progress = match packet.kind {
                    Kind::Ack => requester.on_ack(packet.psn, packet.flags.has(Flags::CE), now, config),
                    _ => requester.on_nak(packet.psn, now, config),
                };
                self.progressed(engine, packet.conn, progress);
            }
            Kind::Cnp => {
                self.progress.cnps += 1;
                self.endpoints.requesters[packet.conn.index()].on_cnp(engine.now());
            }
            Kind::Pause => {}
        }
    }

    fn take_data<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, port: PortId, packet: &Packet) {
        let conn = packet.conn;
        let config = &self.endpoints.config;
        let responder = &mut self.endpoints.responders[conn.index()];
        let received = responder.on_data(packet.psn, packet.payload, packet.flags, engine.now(), config);
        if received.bytes > 0 {
            self.progress.packets += 1;
            self.progress.delivered += u64::from(received.bytes);
            self.note_payload(engine.now(), u64::from(received.bytes));
            self.note_delivery(engine.now(), conn);
        }
        if let Some(reply) = received.reply {
            let (kind, psn) = match reply {
                Reply::Ack(psn) => (Kind::Ack, psn),
                Reply::Nak(psn) => (Kind::Nak, psn),
            };
            let flags = if received.echo { Flags::CE } else { Flags::default() };
            self.answer(engine, port, conn, kind, psn, flags);
        }
        if received.notify {
            self.answer(engine, port, conn, Kind::Cnp, packet.psn, Flags::default());
        }
        if let Use::Channel { to, source, .. } = self.endpoints.conns[conn.index()].purpose {
            self.arriving = Some(conn);
            for _ in 0..received.messages {
                self.rank_event(engine, to, |ranks, out| ranks.received(to, source, out));
            }
        }
    }

    /// Queues an acknowledgement or notification at the NIC that data came to.
    fn answer<Q: EventQueue>(
        &mut self,
        engine: &mut Engine<Q>,
        port: PortId,
        conn: ConnId,
        kind: Kind,
        psn: u32,
        flags: Flags,
    ) {
        let packet = Packet { flags, ..self.endpoints.acknowledgement(conn, kind, psn) };
        self.with_fabric(engine, |fabric, fx, endpoints, _| {
            let id = fabric.packets.insert(packet);
            fabric.enqueue(fx, endpoints, port, id);
        });
    }

    fn note_delivery(&mut self, now: Time, conn: ConnId) {
        let whole = match self.endpoints.conns[conn.index()].purpose {
            Use::Flow(flow) => {
                self.flow_sizes[flow as usize].is_some_and(|s| s == self.endpoints.responders[conn.index()].bytes())
            }
            Use::Channel { .. } => true,
        };
        if whole {
            self.endpoints.milestones[conn.index()].delivered = Some(now);
        }
    }

    /// Deals with what an acknowledgement or a timer did to a requester.
    fn progressed<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, conn: ConnId, progress: Progress) {
        if progress.failed {
            self.progress.failed += 1;
            self.endpoints.busy -= 1;
            return;
        }
        if progress.messages > 0 {
            self.progress.last_useful = engine.now();
            self.endpoints.milestones[conn.index()].acked = Some(engine.now());
            if self.endpoints.requesters[conn.index()].is_idle() {
                self.endpoints.busy -= 1;
            }
            self.messages_acked(engine, conn, progress.messages);
        }
        if progress.sendable {
            self.endpoints.make_ready(conn);
            self.kick(engine, conn);
        }
    }

    fn messages_acked<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, conn: ConnId, messages: u32) {
        for _ in 0..messages {
            let Some(ranks) = &mut self.ranks else { return };
            let waiting = ranks.posted[conn.index()].unacked.pop_front().flatten();
            if let (Some((stream, index)), Use::Channel { from, .. }) =
                (waiting, self.endpoints.conns[conn.index()].purpose)
            {
                self.rank_event(engine, from, |ranks, out| ranks.finished(from, stream, index, out));
            }
        }
    }

    fn retransmission_timer<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, node: NodeId, conn: ConnId) {
        let config = &self.endpoints.config;
        let (progress, again) = self.endpoints.requesters[conn.index()].on_timer(engine.now(), config);
        if let Some(time) = again {
            engine.at(time, node, Timer::Retransmit(conn.0).encode());
        }
        self.progressed(engine, conn, progress);
    }

    /// A fault begins or ends.
    pub(crate) fn fault<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, index: usize) {
        self.faults_done += 1;
        self.progress.last_post = engine.now();
        match self.faults[index].change {
            Change::Rate(port, rate) => {
                if rate > Rate::ZERO {
                    self.wires.lines.set_rate(engine, port, rate);
                }
                self.with_fabric(engine, |fabric, fx, endpoints, _| fabric.set_rate(fx, endpoints, port, rate));
            }
            Change::Loss(port, loss) => self.fabric.set_loss(port, loss),
            Change::DropEvery(port, every) => self.fabric.set_drop_every(port, every),
            Change::Pause(port, class, stop) => self.with_fabric(engine, |fabric, fx, endpoints, _| {
                fabric.force_stop(fx, endpoints, port, class, stop);
            }),
            Change::Consume(port, rate) => self.set_consumption(port, rate),
        }
    }

    fn set_consumption(&mut self, port: PortId, rate: Option<Rate>) {
        let slot = &mut self.slow[port.index()];
        match (slot.as_mut(), rate) {
            (Some(slow), Some(rate)) => slow.rate = rate,
            // At line rate what is held drains in no time that matters; new packets follow behind it.
            (Some(slow), None) => slow.rate = Rate::from_bps(u64::MAX),
            (None, Some(rate)) => *slot = Some(SlowHost { rate, busy_until: Time::ZERO, held: VecDeque::new() }),
            (None, None) => {}
        }
    }
}

impl<Q: EventQueue> World<Q> for Network<'_> {
    #[inline]
    fn line_free(&mut self, engine: &mut Engine<Q>, port: PortId, _item: u32) {
        self.with_fabric(engine, |fabric, fx, endpoints, _| fabric.line_free(fx, endpoints, port));
    }

    #[inline]
    fn arrival(&mut self, engine: &mut Engine<Q>, port: PortId, item: u32, lag: Time) {
        let id = PacketId(item);
        let arrived =
            self.with_fabric(engine, |fabric, fx, endpoints, ways| fabric.arrival(fx, endpoints, ways, port, id, lag));
        if let Arrived::Delivered(id) = arrived {
            self.deliver(engine, port, id);
        }
    }

    fn signal(&mut self, engine: &mut Engine<Q>, port: PortId, _class: u8) {
        self.with_fabric(engine, |fabric, fx, endpoints, _| fabric.try_send(fx, endpoints, port));
    }

    fn timer(&mut self, engine: &mut Engine<Q>, node: NodeId, slot: u32) {
        let port = |local: u16| PortId(self.first_port[node.index()] + u32::from(local));
        match Timer::decode(slot) {
            Timer::PauseExpiry(local, class) => {
                let port = port(local);
                self.with_fabric(engine, |fabric, fx, source, _| fabric.pause_expired(fx, source, port, class));
            }
            Timer::PauseRefresh(local, class) => {
                let port = port(local);
                self.with_fabric(engine, |fabric, fx, source, _| fabric.refresh_pause(fx, source, port, class));
            }
            Timer::Tail(packet) => {
                self.with_fabric(engine, |fabric, fx, source, _| fabric.tail_arrived(fx, source, packet));
            }
            Timer::Retransmit(conn) => self.retransmission_timer(engine, node, ConnId(conn)),
            Timer::Paced(conn) => {
                self.endpoints.pace_over(ConnId(conn));
                self.kick(engine, ConnId(conn));
            }
            Timer::Task(slot) => {
                let task = self.tasks.take(slot);
                self.perform(engine, task);
            }
            Timer::Fault(index) => self.fault(engine, index as usize),
            Timer::Consumed(local) => self.consumed(engine, port(local)),
        }
    }

    #[inline]
    fn halt(&self) -> bool {
        self.is_done()
    }
}

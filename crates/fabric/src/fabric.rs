use std::sync::Arc;

use units::{NodeId, PortId, Rate, Time};
use wire::{PacketId, Packets};

use crate::config::{Credit, FabricConfig, FlowControl, MarkAt, Service, Thresholds};
use crate::counters::{ClassCounters, PortCounters};
use crate::effects::{Effects, Source};
use crate::forwarding::{Forwarding, Policy};
use crate::gate::{CreditGate, Gate, PauseGate};
use crate::guard::{CreditGuard, Guard, Limits, PauseGuard};
use crate::port::{CONTROL, Damage, Lane, Port, Sending};
use crate::queue::{Joined, Queue};

/// A node as the fabric sees it.
#[derive(Clone, Copy, Debug)]
pub struct NodeSetup {
    /// Id of its first port; a node's ports are consecutive.
    pub first_port: u32,
    /// How many ports it has.
    pub ports: u16,
    /// Switches forward; hosts consume.
    pub switch: bool,
}

/// A port as the fabric sees it.
#[derive(Clone, Copy, Debug)]
pub struct PortSetup {
    /// The other end of the cable.
    pub peer: PortId,
    /// Rate of the link that leaves the port.
    pub rate: Rate,
    /// Propagation delay of the cable.
    pub propagation: Time,
    /// Latency of the pipeline that data meets after arriving here.
    pub pipeline: Time,
    /// Loss on the link that leaves the port, in units of 2^-32.
    pub loss: u32,
}

/// A node's share of what must be conserved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Node {
    pub(crate) first_port: u32,
    pub(crate) ports: u16,
    pub(crate) switch: bool,
    /// Bytes of the shared pool in use.
    pub(crate) pool_used: u64,
    /// Bytes in the switch: charged at arrival, released when the tail has left.
    pub(crate) held: u64,
    /// What has entered and left, counted where the law is checked.
    pub(crate) entered: u64,
    pub(crate) left: u64,
    /// Inputs and classes whose senders are stopped.
    pub(crate) stopped: u32,
}

impl Node {
    /// The node holds a packet more.
    #[inline]
    pub(crate) fn charge(&mut self, bytes: u64) {
        self.held += bytes;
        if cfg!(debug_assertions) {
            self.entered += bytes;
        }
    }

    /// A packet has left.
    #[inline]
    pub(crate) fn discharge(&mut self, bytes: u64) {
        self.held -= bytes;
        if cfg!(debug_assertions) {
            self.left += bytes;
        }
    }
}

/// What became of an arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrived {
    /// The fabric has dealt with it.
    Taken,
    /// It has reached a host: the caller handles and removes it.
    Delivered(PacketId),
}

/// All ports, switches and packets of a run.
#[derive(Debug)]
pub struct Fabric {
    pub(crate) config: FabricConfig,
    pub(crate) classes: usize,
    pub(crate) nodes: Vec<Node>,
    pub(crate) ports: Vec<Port>,
    pub(crate) lanes: Vec<Lane>,
    /// What all guards compare with, under PFC.
    limits: Option<Arc<Limits>>,
    pub(crate) joined: Joined,
    /// Packets whose heads are here and that wait for their tails, with the port they came by.
    pub(crate) tails: Vec<(PortId, PacketId)>,
    pub(crate) forwarding: Forwarding,
    /// Whether a packet that joins a queue must look at its length first.
    pub(crate) watches_queues: bool,
    /// Whether packets that leave queues may be marked.
    pub(crate) marks_leavers: bool,
    /// The packets that exist.
    pub packets: Packets,
}

impl Fabric {
    /// Builds ports and switches, all empty, all gates open.
    pub fn new(config: FabricConfig, nodes: &[NodeSetup], ports: &[PortSetup], forwarding: Forwarding) -> Fabric {
        assert!((2..=8).contains(&config.classes), "one control class and one to seven data classes");
        let classes = usize::from(config.classes);
        let mut fabric = Fabric {
            classes,
            nodes: Vec::with_capacity(nodes.len()),
            ports: Vec::with_capacity(ports.len()),
            lanes: Vec::with_capacity(ports.len() * classes),
            limits: limits_of(&config),
            joined: Joined::default(),
            tails: Vec::new(),
            forwarding,
            watches_queues: config.buffer.egress_limit.is_some()
                || config.ecn.is_some_and(|ecn| ecn.mark_at == MarkAt::Enqueue),
            marks_leavers: config.ecn.is_some_and(|ecn| ecn.mark_at == MarkAt::Dequeue),
            packets: Packets::default(),
            config,
        };
        for (index, node) in nodes.iter().enumerate() {
            fabric.add_node(index as u32, node, ports);
        }
        assert_eq!(fabric.ports.len(), ports.len(), "every port belongs to a node");
        for port in 0..ports.len() {
            let peer = fabric.ports[port].peer.index();
            fabric.ports[port].peer_switch = fabric.ports[peer].switch;
            fabric.ports[port].in_rate = fabric.ports[peer].rate;
        }
        fabric
    }

    fn add_node(&mut self, index: u32, node: &NodeSetup, ports: &[PortSetup]) {
        assert_eq!(node.first_port as usize, self.ports.len(), "ports are numbered node by node");
        let NodeSetup { first_port, ports: count, switch } = *node;
        self.nodes.push(Node { first_port, ports: count, switch, ..Node::default() });
        for local in 0..count {
            let setup = &ports[first_port as usize + usize::from(local)];
            self.ports.push(Port::new(index, local, first_port, switch, setup));
            for class in 0..self.config.classes {
                let queue = match self.config.service {
                    Service::RoundRobin if switch => Queue::per_input(count),
                    _ => Queue::fifo(),
                };
                let (gate, guard) = self.link_halves(class, setup);
                self.lanes.push(Lane::new(queue, gate, guard));
            }
        }
    }

    fn link_halves(&self, class: u8, setup: &PortSetup) -> (Gate, Guard) {
        if class == CONTROL {
            return (Gate::Open, Guard::None);
        }
        match &self.config.flow_control {
            FlowControl::None => (Gate::Open, Guard::None),
            FlowControl::Pfc(pfc) => {
                let PortSetup { rate, propagation, pipeline, .. } = *setup;
                let headroom = pfc.headroom_of(rate, propagation, pipeline, self.config.largest_frame).get();
                let limits = self.limits.as_ref().expect("limits are made with PFC");
                (Gate::Pause(PauseGate::OPEN), Guard::Pause(PauseGuard::new(limits, headroom)))
            }
            FlowControl::Credit(credit) => {
                let gate = CreditGate { sent: 0, starved: None };
                (Gate::Credit(gate), Guard::Credit(CreditGuard::new(*credit)))
            }
        }
    }

    /// The credit limit that every data class of every port starts with; `None` without credits.
    pub fn initial_credit(&self) -> Option<u32> {
        match self.config.flow_control {
            FlowControl::Credit(credit) => Some(CreditGuard::new(credit).limit()),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn lane(&self, port: PortId, class: u8) -> usize {
        port.index() * self.classes + usize::from(class)
    }

    /// Says whether a host has unmade packets of a class for a port.
    #[inline]
    pub fn offer(&mut self, port: PortId, class: u8, has: bool) {
        debug_assert!(class != CONTROL, "no host offers control packets before they are made");
        let offered = &mut self.ports[port.index()].offered;
        *offered = if has { *offered | 1 << class } else { *offered & !(1 << class) };
    }

    /// How switches choose among equal ways.
    pub fn policy(&self) -> Policy {
        self.forwarding.policy
    }

    /// Whether a node forwards.
    pub fn is_switch(&self, node: NodeId) -> bool {
        self.nodes[node.index()].switch
    }

    /// Whether the line that leaves `port` is busy.
    #[inline]
    pub fn is_busy(&self, port: PortId) -> bool {
        self.ports[port.index()].busy
    }

    /// Changes the rate of the link that leaves `port`; zero holds it after the frame in progress.
    pub fn set_rate<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, rate: Rate) {
        let state = &mut self.ports[port.index()];
        state.frozen = rate == Rate::ZERO;
        state.rate = rate;
        let peer = state.peer;
        self.ports[peer.index()].in_rate = rate;
        self.try_send(fx, source, port);
    }

    /// Sets random loss (in units of 2^-32) on the link that leaves `port`.
    pub fn set_loss(&mut self, port: PortId, loss: u32) {
        let port = &mut self.ports[port.index()];
        port.damage = Damage { loss, ..port.damage.as_deref().copied().unwrap_or_default() }.boxed();
    }

    /// Damages every `every`-th data packet on the link that leaves `port`; zero stops that.
    pub fn set_drop_every(&mut self, port: PortId, every: u32) {
        let port = &mut self.ports[port.index()];
        port.damage = Damage { every, count: 0, ..port.damage.as_deref().copied().unwrap_or_default() }.boxed();
    }

    /// Rate of the link that leaves `port` now.
    pub fn rate(&self, port: PortId) -> Rate {
        self.ports[port.index()].rate
    }

    /// What a port has done.
    pub fn port_counters(&self, port: PortId) -> PortCounters {
        let frames = self.ports[port.index()].frames;
        let mut sum = PortCounters { bytes: frames * u64::from(PAUSE_SIZE), packets: frames };
        for lane in &self.lanes[self.lane(port, 0)..self.lane(port, self.config.classes)] {
            sum.bytes += lane.traffic.bytes;
            sum.packets += lane.traffic.packets;
        }
        sum
    }

    /// What a port has done in a class, with what is still going on counted up to `now`.
    pub fn class_counters(&self, port: PortId, class: u8, now: Time) -> ClassCounters {
        let lane = &self.lanes[self.lane(port, class)];
        let mut counters = lane.counters();
        if let (Some(since), Gate::Pause(gate)) = (lane.closed_at(), &lane.gate) {
            counters.paused += now.min(gate.until).saturating_sub(since);
        }
        if let Gate::Credit(CreditGate { starved: Some(since), .. }) = lane.gate {
            counters.credit_stall += now.saturating_sub(since);
        }
        counters
    }

    /// Bytes in the output queue of a class.
    pub fn queue_bytes(&self, port: PortId, class: u8) -> u64 {
        self.lanes[self.lane(port, class)].queue.bytes
    }

    /// Bytes charged to the input of a port in a class.
    pub fn input_bytes(&self, port: PortId, class: u8) -> u64 {
        match &self.lanes[self.lane(port, class)].guard {
            Guard::None => 0,
            Guard::Pause(guard) => guard.held,
            Guard::Credit(guard) => u64::from(guard.used) * u64::from(Credit::BLOCK),
        }
    }

    /// Whether the sender at `port` is stopped by a PAUSE now.
    pub fn is_paused(&self, port: PortId, class: u8, now: Time) -> bool {
        matches!(self.lanes[self.lane(port, class)].gate, Gate::Pause(gate) if gate.is_stopped(now))
    }

    /// Notes the wait of a packet that a host made at once from an open-loop arrival.
    pub fn note_wait(&mut self, port: PortId, class: u8, wait: Time) {
        let index = self.lane(port, class);
        self.lanes[index].traffic.waited(wait);
    }
}

fn limits_of(config: &FabricConfig) -> Option<Arc<Limits>> {
    let FlowControl::Pfc(pfc) = &config.flow_control else { return None };
    Some(Arc::new(match pfc.thresholds {
        Thresholds::Static { xoff, xon } => Limits::Static { xoff: xoff.get(), xon: xon.get() },
        Thresholds::Dynamic(pool) => Limits::Dynamic(pool),
    }))
}

/// A PFC frame: 64 bytes, preamble and gap.
pub(crate) const PAUSE_SIZE: u16 = 84;

impl Port {
    fn new(node: u32, local: u16, first_port: u32, switch: bool, setup: &PortSetup) -> Port {
        Port {
            node,
            first_port,
            peer: setup.peer,
            switch,
            peer_switch: false,
            local,
            busy: false,
            frozen: false,
            backlog: 0,
            offered: 0,
            pause_due: 0,
            pause_stop: 0,
            last_class: 0,
            sending: Sending::default(),
            rate: setup.rate,
            in_rate: setup.rate,
            damage: Damage { loss: setup.loss, ..Damage::default() }.boxed(),
            frames: 0,
        }
    }
}

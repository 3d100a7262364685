use units::{NodeId, PortId, Time};

use crate::due::Due;
use crate::event::{Delays, Event, EventQueue, Lane};
use crate::signals::Signal;

/// What the engine must know of a port.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The port at the other end of the cable.
    pub peer: PortId,
    /// Propagation delay of the cable, positive; what a signal takes.
    pub propagation: Time,
}

/// All nodes. The engine calls back; a callback may change only the state of the node it is for.
pub trait World<Q: EventQueue> {
    /// The line that leaves `port` is free again; `item` has left.
    fn line_free(&mut self, engine: &mut Engine<Q>, port: PortId, item: u32);
    /// `item` arrives at `port`; its tail `lag` later.
    fn arrival(&mut self, engine: &mut Engine<Q>, port: PortId, item: u32, lag: Time);
    /// A value that starved `port` awaited for `class` is there.
    fn signal(&mut self, engine: &mut Engine<Q>, port: PortId, class: u8);
    /// A timer of `node` fires.
    fn timer(&mut self, engine: &mut Engine<Q>, node: NodeId, slot: u32);
    /// Asked after every instant: whether the run may end here, whatever is pending.
    fn halt(&self) -> bool {
        false
    }
}

/// Why [`Engine::run`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Nothing is pending any more.
    Idle,
    /// Everything up to the asked time is done; more is pending.
    TimeReached,
    /// The budget of events is used up (at the end of an instant).
    BudgetUsed,
    /// The world asked to halt.
    Halted,
}

/// The clock, the pending events and the signals on their way.
pub struct Engine<Q> {
    now: Time,
    queue: Q,
    links: Vec<Link>,
    signals: Vec<Signal>,
    classes: usize,
    events: u64,
    due: Due,
}

impl<Q: EventQueue> Engine<Q> {
    /// An engine for these ports (`links[p]` is port p), each with `classes` signal classes.
    pub fn new(links: Vec<Link>, classes: u8) -> Engine<Q> {
        for (port, link) in links.iter().enumerate() {
            assert!(link.propagation > Time::ZERO, "port {port}: a link has a positive delay");
            assert_eq!(links[link.peer.index()].peer.index(), port, "port {port}: a cable has two ends");
        }
        let classes = usize::from(classes);
        let signals = std::iter::repeat_with(Signal::default).take(links.len() * classes).collect();
        Engine { now: Time::ZERO, queue: Q::default(), links, signals, classes, events: 0, due: Due::default() }
    }

    /// The current time.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The other end of a port's cable.
    #[inline]
    pub fn peer(&self, port: PortId) -> PortId {
        self.links[port.index()].peer
    }

    /// Propagation delay of a port's cable.
    #[inline]
    pub fn propagation(&self, port: PortId) -> Time {
        self.links[port.index()].propagation
    }

    /// Makes (or finds) the lane for transmissions with these delays. For delays that recur.
    pub fn lane(&mut self, delays: Delays) -> Lane {
        delays.check();
        self.queue.lane(delays)
    }

    /// Starts to transmit `item` on the link that leaves `port`, with the delays of `lane`.
    #[inline(always)]
    pub fn transmit(&mut self, port: PortId, lane: Lane, item: u32) {
        self.queue.transmit(self.now.ps(), lane, port, item);
    }

    /// Starts to transmit `item` with delays that do not recur often enough for a lane.
    pub fn transmit_odd(&mut self, port: PortId, delays: Delays, item: u32) {
        if cfg!(debug_assertions) {
            delays.check();
        }
        self.queue.push(Event::line_free(self.now.saturating_add(delays.wire).ps(), port, item));
        self.queue.push(Event::arrival(self.now.saturating_add(delays.arrival).ps(), port, item, &delays));
    }

    /// Sends `value` to the peer of `port`, where [`Engine::latest`] sees it one propagation delay later.
    #[inline]
    pub fn signal(&mut self, port: PortId, class: u8, value: u32) {
        let link = self.links[port.index()];
        let arrival = self.now + link.propagation;
        let signal = &mut self.signals[link.peer.index() * self.classes + usize::from(class)];
        if let Some(wake) = signal.send(self.now, arrival, value) {
            self.queue.push(Event::signal(wake.ps(), link.peer, class));
        }
    }

    /// The newest value that has arrived at `port` for `class`.
    #[inline]
    pub fn latest(&mut self, port: PortId, class: u8) -> u32 {
        let now = self.now;
        self.signals[port.index() * self.classes + usize::from(class)].latest(now)
    }

    /// The newest value sent to `port` for `class`, arrived or under way (for audits).
    pub fn newest(&self, port: PortId, class: u8) -> u32 {
        self.signals[port.index() * self.classes + usize::from(class)].newest()
    }

    /// Sets the value that `port` starts with, before the run.
    pub fn preset_signal(&mut self, port: PortId, class: u8, value: u32) {
        self.signals[port.index() * self.classes + usize::from(class)].set(value);
    }

    /// A starved port asks to be called by [`World::signal`] when the next value arrives.
    pub fn await_signal(&mut self, port: PortId, class: u8) {
        let now = self.now;
        if let Some(wake) = self.signals[port.index() * self.classes + usize::from(class)].wait(now) {
            self.queue.push(Event::signal(wake.ps(), port, class));
        }
    }

    /// Sets a timer of `node`. It cannot be cancelled: one that may move compares with the deadline in
    /// the node's state when it fires. Fires later than now, and at most once per `(time, node, slot)`:
    /// the caller keeps one timer a slot.
    pub fn at(&mut self, time: Time, node: NodeId, slot: u32) {
        debug_assert!(time > self.now, "timers fire later: {time:?} at {:?}", self.now);
        self.queue.push(Event::timer(time.ps(), node, slot));
    }

    /// The earliest pending time.
    pub fn next_time(&mut self) -> Option<Time> {
        self.queue.next_time().map(Time::from_ps)
    }

    /// Handles events up to and including time `until`, about `budget` of them at most.
    pub fn run<W: World<Q>>(&mut self, world: &mut W, until: Time, budget: u64) -> Status {
        let stop = self.events.saturating_add(budget);
        let mut due = std::mem::take(&mut self.due);
        let status = loop {
            let Some(time) = self.queue.next_time() else { break Status::Idle };
            if time > until.ps() {
                break Status::TimeReached;
            }
            if self.events >= stop {
                break Status::BudgetUsed;
            }
            debug_assert!(time > self.now.ps() || self.events == 0, "every delay is positive");
            self.now = Time::from_ps(time);
            due.clear();
            self.queue.take(time, &mut due);
            self.events += due.len() as u64;
            self.dispatch(world, &due);
            if world.halt() {
                break Status::Halted;
            }
        };
        self.due = due;
        status
    }

    #[inline(always)]
    fn dispatch<W: World<Q>>(&mut self, world: &mut W, due: &Due) {
        if due.has_rare() {
            self.dispatch_signals(world, due);
        }
        for (port, item) in due.lines() {
            world.line_free(self, port, item);
        }
        for (from, item, lag) in due.arrivals() {
            let port = self.peer(from);
            world.arrival(self, port, item, Time::from_ps(lag));
        }
        if due.has_rare() {
            self.dispatch_timers(world, due);
        }
    }

    #[inline(never)]
    fn dispatch_signals<W: World<Q>>(&mut self, world: &mut W, due: &Due) {
        for (port, class) in due.signals() {
            world.signal(self, port, class);
        }
    }

    #[inline(never)]
    fn dispatch_timers<W: World<Q>>(&mut self, world: &mut W, due: &Due) {
        for (node, slot) in due.timers() {
            world.timer(self, node, slot);
        }
    }
}

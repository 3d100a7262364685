use std::collections::VecDeque;

use units::Time;

use crate::{Dep, Edge, MAX_DEPS, Op, OpKind, Schedule, Source};

/// One rank's execution of a schedule: which operations wait, run or are done.
///
/// A value without I/O: events go in ([`received`](RankRun::received), [`finished_op`](RankRun::finished_op)), actions
/// come out. An operation is issued as soon as its dependencies hold. Memory is one small slot per stream and window
/// place, whatever the number of operations; work is constant per operation and dependency.
#[derive(Debug)]
pub struct RankRun {
    rank: u32,
    /// Slots per stream minus one; a power of two minus one.
    mask: u64,
    streams: Vec<Stream>,
    /// Operation `i` of stream `s` is at `s * (mask + 1) + (i & mask)` while in the window.
    slots: Vec<Slot>,
    sources: Vec<Source>,
    /// Beside `sources`.
    inboxes: Vec<Inbox>,
    /// Slots whose dependencies hold, oldest first.
    ready: VecDeque<u32>,
    /// Streams that have not come to their end.
    open: u32,
    running: bool,
    /// For the oracle: the moments of all operations in their order.
    log: Option<Vec<Moment>>,
}

/// Operation `index` of `stream` has started or finished.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) stream: u32,
    pub(crate) index: u64,
    pub(crate) edge: Edge,
}

/// What the rank's host must do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Post a message of `size` bytes (never zero) on channel (`to`, `tag`). When it is acknowledged call
    /// [`RankRun::finished_op`], unless it is detached.
    Send {
        /// Stream of the operation.
        stream: u32,
        /// Index of the operation.
        index: u64,
        /// The receiving rank.
        to: u32,
        /// The channel to that rank.
        tag: u32,
        /// Bytes of payload.
        size: u64,
        /// Nobody waits for the acknowledgement.
        detached: bool,
        /// Call [`RankRun::finished_op`] when the last byte has left, not when it is acknowledged.
        local: bool,
    },
    /// Compute for `time`, then call [`RankRun::finished_op`].
    Compute {
        /// Stream of the operation.
        stream: u32,
        /// Index of the operation.
        index: u64,
        /// How long on an undisturbed machine.
        time: Time,
    },
    /// Reduce `size` bytes (never zero), then call [`RankRun::finished_op`].
    Reduce {
        /// Stream of the operation.
        stream: u32,
        /// Index of the operation.
        index: u64,
        /// Bytes to reduce.
        size: u64,
    },
    /// Everything this rank has to do is done. Once per start, always last.
    Finished,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    /// The oldest operation not finished.
    head: u64,
    /// The first operation not looked at.
    next: u64,
    /// There is no operation at `next`.
    at_end: bool,
    /// All is finished and that has been counted.
    closed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    kind: OpKind,
    state: State,
    detached: bool,
    local: bool,
    /// Dependencies that do not hold yet.
    pending: u8,
    /// Waiters for the start and for the end: each a circular list, named by its last link.
    on_start: u32,
    on_finish: u32,
    /// The next link of the list in which this slot waits by its dependency `d`.
    next: [u32; MAX_DEPS],
    /// The next receive posted on the same channel.
    next_posted: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Waiting,
    Started,
    Finished,
}

/// Messages of one incoming channel against receives of it; one of the two is empty.
#[derive(Clone, Copy, Debug)]
struct Inbox {
    arrived: u32,
    first_posted: u32,
    last_posted: u32,
}

/// No slot, no link.
const NONE: u32 = u32::MAX;

const EMPTY: Slot = Slot {
    kind: OpKind::Reduce { size: 0 },
    state: State::Finished,
    detached: false,
    local: false,
    pending: 0,
    on_start: NONE,
    on_finish: NONE,
    next: [NONE; MAX_DEPS],
    next_posted: NONE,
};

impl RankRun {
    /// The execution of `rank`'s part of a schedule, not started.
    pub fn new(schedule: &dyn Schedule, rank: u32) -> RankRun {
        let streams = schedule.streams(rank) as usize;
        let window = u64::from(schedule.window().max(1)).next_power_of_two();
        let mut sources = schedule.sources(rank);
        sources.sort_unstable();
        RankRun {
            rank,
            mask: window - 1,
            streams: vec![Stream::default(); streams],
            slots: vec![EMPTY; streams * window as usize],
            inboxes: vec![Inbox { arrived: 0, first_posted: NONE, last_posted: NONE }; sources.len()],
            sources,
            ready: VecDeque::new(),
            open: 0,
            running: false,
            log: None,
        }
    }

    /// The same, keeping a log of all moments.
    pub(crate) fn with_log(self) -> RankRun {
        RankRun { log: Some(Vec::new()), ..self }
    }

    /// What was logged since the last call.
    pub(crate) fn take_log(&mut self) -> Vec<Moment> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn note(&mut self, slot: u32, edge: Edge) {
        if self.log.is_some() {
            let (stream, index) = self.operation(slot);
            let moment = Moment { stream: stream as u32, index, edge };
            self.log.iter_mut().for_each(|log| log.push(moment));
        }
    }

    /// Begin, for the first time or again after [`Action::Finished`] (the next step of a job). Messages that have
    /// come early stay counted.
    pub fn start(&mut self, schedule: &dyn Schedule, out: &mut Vec<Action>) {
        assert!(!self.running, "a run is started again only when finished");
        self.running = true;
        self.open = self.streams.len() as u32;
        self.streams.fill(Stream::default());
        for stream in 0..self.streams.len() {
            self.advance(schedule, stream);
        }
        self.drain(schedule, out);
    }

    /// The next message of channel (`from`, `tag`) has arrived whole. It may come before the schedule asks for it,
    /// and before [`start`](RankRun::start).
    ///
    /// # Panics
    /// When the schedule has no such channel.
    pub fn received(&mut self, schedule: &dyn Schedule, from: u32, tag: u32, out: &mut Vec<Action>) {
        let source = self.source(from, tag).expect("messages come only over channels of the schedule");
        self.received_on(schedule, source, out);
    }

    /// A short name for the incoming channel (`from`, `tag`), to be found once and given to
    /// [`received_on`](RankRun::received_on); `None` when there is no such channel.
    pub fn source(&self, from: u32, tag: u32) -> Option<u32> {
        self.sources.binary_search(&Source { from, tag }).ok().map(|source| source as u32)
    }

    /// As [`received`](RankRun::received), without the search.
    pub fn received_on(&mut self, schedule: &dyn Schedule, source: u32, out: &mut Vec<Action>) {
        let inbox = &mut self.inboxes[source as usize];
        let slot = inbox.first_posted;
        if slot == NONE {
            inbox.arrived += 1;
            return;
        }
        inbox.first_posted = self.slots[slot as usize].next_posted;
        self.finish(schedule, slot);
        self.drain(schedule, out);
    }

    /// What an action asked for is done: a send that is not detached is acknowledged, a reduction or computation has
    /// ended.
    pub fn finished_op(&mut self, schedule: &dyn Schedule, stream: u32, index: u64, out: &mut Vec<Action>) {
        let in_window = &self.streams[stream as usize];
        assert!((in_window.head..in_window.next).contains(&index), "only operations in the window finish");
        let slot = self.slot(stream as usize, index);
        assert!(self.slots[slot as usize].state == State::Started, "only started operations finish");
        self.finish(schedule, slot);
        self.drain(schedule, out);
    }

    /// Whether it was started and all operations are finished; detached ones count when started.
    pub fn is_finished(&self) -> bool {
        !self.running && self.streams.iter().all(|stream| stream.closed)
    }

    /// The rank whose run it is.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// For diagnosis: the oldest unfinished operation of a stream and its index, `None` when there is none.
    pub fn oldest(&self, stream: u32) -> Option<(u64, OpKind)> {
        let Stream { head, next, .. } = *self.streams.get(stream as usize)?;
        (head < next).then(|| (head, self.slots[self.slot(stream as usize, head) as usize].kind))
    }

    fn slot(&self, stream: usize, index: u64) -> u32 {
        (stream as u64 * (self.mask + 1) + (index & self.mask)) as u32
    }

    /// Which operation is in a slot.
    fn operation(&self, slot: u32) -> (usize, u64) {
        let (stream, place) = (u64::from(slot) / (self.mask + 1), u64::from(slot) & self.mask);
        let head = self.streams[stream as usize].head;
        (stream as usize, head + (place.wrapping_sub(head) & self.mask))
    }

    /// Start what is ready until nothing is.
    fn drain(&mut self, schedule: &dyn Schedule, out: &mut Vec<Action>) {
        while let Some(slot) = self.ready.pop_front() {
            self.begin(schedule, slot, out);
        }
        if self.running && self.open == 0 {
            self.running = false;
            out.push(Action::Finished);
        }
    }

    fn begin(&mut self, schedule: &dyn Schedule, slot: u32, out: &mut Vec<Action>) {
        let (stream, index) = self.operation(slot);
        let Slot { kind, detached, local, .. } = self.slots[slot as usize];
        self.slots[slot as usize].state = State::Started;
        self.note(slot, Edge::Started);
        self.wake(slot, Edge::Started);
        let stream = stream as u32;
        let finished = match kind {
            OpKind::Send { size: 0, .. } | OpKind::Recv { size: 0, .. } | OpKind::Reduce { size: 0 } => true,
            OpKind::Send { to, size, tag, .. } => {
                out.push(Action::Send { stream, index, to, tag, size, detached, local });
                detached
            }
            OpKind::Recv { from, tag, .. } => self.post(slot, from, tag),
            OpKind::Reduce { size } => {
                out.push(Action::Reduce { stream, index, size });
                false
            }
            OpKind::Compute { time: Time::ZERO } => true,
            OpKind::Compute { time } => {
                out.push(Action::Compute { stream, index, time });
                false
            }
        };
        if finished {
            self.finish(schedule, slot);
        }
    }

    /// Post a receive; true when its message is already here.
    fn post(&mut self, slot: u32, from: u32, tag: u32) -> bool {
        let source = self.source(from, tag).expect("a receive names a channel of the schedule");
        let inbox = &mut self.inboxes[source as usize];
        if inbox.arrived > 0 {
            inbox.arrived -= 1;
            return true;
        }
        self.slots[slot as usize].next_posted = NONE;
        if inbox.first_posted == NONE {
            inbox.first_posted = slot;
        } else {
            self.slots[inbox.last_posted as usize].next_posted = slot;
        }
        inbox.last_posted = slot;
        false
    }

    fn finish(&mut self, schedule: &dyn Schedule, slot: u32) {
        self.slots[slot as usize].state = State::Finished;
        self.note(slot, Edge::Finished);
        self.wake(slot, Edge::Finished);
        self.advance(schedule, slot as usize / (self.mask as usize + 1));
    }

    /// Tell those that wait for a moment of an operation, in the order of their indices.
    fn wake(&mut self, slot: u32, edge: Edge) {
        let last = std::mem::replace(self.waiters(slot, edge), NONE);
        if last == NONE {
            return;
        }
        let mut link = last;
        loop {
            let (waiter, dep) = unlink(link);
            link = self.slots[waiter].next[dep];
            let (waiter, _) = unlink(link);
            self.slots[waiter].pending -= 1;
            if self.slots[waiter].pending == 0 {
                self.ready.push_back(waiter as u32);
            }
            if link == last {
                return;
            }
        }
    }

    fn waiters(&mut self, slot: u32, edge: Edge) -> &mut u32 {
        match edge {
            Edge::Started => &mut self.slots[slot as usize].on_start,
            Edge::Finished => &mut self.slots[slot as usize].on_finish,
        }
    }

    /// Move a stream's window over what is finished and look at the operations that come into it.
    fn advance(&mut self, schedule: &dyn Schedule, s: usize) {
        loop {
            let Stream { head, next, at_end, closed } = self.streams[s];
            if head < next && self.slots[self.slot(s, head) as usize].state == State::Finished {
                self.streams[s].head += 1;
            } else if !at_end && next - head <= self.mask {
                match schedule.op(self.rank, s as u32, next) {
                    Some(op) => self.load(s, next, &op),
                    None => self.streams[s].at_end = true,
                }
            } else {
                if at_end && head == next && !closed {
                    self.streams[s].closed = true;
                    self.open -= 1;
                }
                return;
            }
        }
    }

    fn load(&mut self, s: usize, index: u64, op: &Op) {
        let slot = self.slot(s, index);
        self.streams[s].next = index + 1;
        self.slots[slot as usize] =
            Slot { kind: op.kind, state: State::Waiting, detached: op.detached, local: op.local, ..EMPTY };
        for (d, dep) in op.deps.iter().enumerate() {
            if let Some(dep) = dep {
                self.wait(s, index, d, *dep);
            }
        }
        if self.slots[slot as usize].pending == 0 {
            self.ready.push_back(slot);
        }
    }

    /// Put operation `index` into the list of what it waits for, unless that has happened.
    fn wait(&mut self, s: usize, index: u64, d: usize, dep: Dep) {
        let target = index.checked_sub(u64::from(dep.back)).expect("a dependency refers to an operation that exists");
        assert!(target < index, "a dependency refers to an earlier operation");
        if target < self.streams[s].head {
            return;
        }
        let (slot, target) = (self.slot(s, index), self.slot(s, target));
        let state = self.slots[target as usize].state;
        if state == State::Finished || (dep.edge == Edge::Started && state == State::Started) {
            return;
        }
        let link = slot * MAX_DEPS as u32 + d as u32;
        let last = std::mem::replace(self.waiters(target, dep.edge), link);
        let first = if last == NONE {
            link
        } else {
            let (waiter, dep) = unlink(last);
            std::mem::replace(&mut self.slots[waiter].next[dep], link)
        };
        self.slots[slot as usize].next[d] = first;
        self.slots[slot as usize].pending += 1;
    }
}

/// The slot and the number of its dependency that a link stands for.
fn unlink(link: u32) -> (usize, usize) {
    (link as usize / MAX_DEPS, link as usize % MAX_DEPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, Channel, Collective, Part};

    /// One rank with the streams of operations given; everything goes to and comes from rank 1.
    struct Script(Vec<Vec<Op>>);

    impl Schedule for Script {
        fn collective(&self) -> Collective {
            Collective::Custom
        }
        fn algorithm(&self) -> Algorithm {
            Algorithm::Custom
        }
        fn size(&self) -> u64 {
            0
        }
        fn ranks(&self) -> u32 {
            2
        }
        fn streams(&self, _rank: u32) -> u32 {
            self.0.len() as u32
        }
        fn window(&self) -> u32 {
            4
        }
        fn op(&self, _rank: u32, stream: u32, index: u64) -> Option<Op> {
            self.0[stream as usize].get(index as usize).copied()
        }
        fn channels(&self, _rank: u32) -> Vec<Channel> {
            (0..3).map(|tag| Channel { to: 1, tag, nic: None }).collect()
        }
        fn sources(&self, _rank: u32) -> Vec<Source> {
            (0..3).map(|tag| Source { from: 1, tag }).collect()
        }
    }

    const PART: Part = Part(0);

    fn send(size: u64) -> Op {
        Op::send(1, size, 0, PART)
    }

    fn recv(tag: u32) -> Op {
        Op::recv(1, 8, tag, PART, false)
    }

    fn compute() -> Op {
        Op::new(OpKind::Compute { time: Time::from_us(1) })
    }

    /// The actions as short text: what and index.
    fn text(out: &mut Vec<Action>) -> String {
        let short = out.drain(..).map(|action| match action {
            Action::Send { index, .. } => format!("send {index}"),
            Action::Compute { index, .. } => format!("compute {index}"),
            Action::Reduce { index, .. } => format!("reduce {index}"),
            Action::Finished => "finished".into(),
        });
        short.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn operations_start_when_the_last_dependency_holds() {
        let script = Script(vec![vec![recv(0), recv(1), send(8).after(1).after(2).detach()]]);
        let (mut run, mut out) = (RankRun::new(&script, 0), vec![]);
        run.start(&script, &mut out);
        run.received(&script, 1, 1, &mut out);
        assert_eq!(text(&mut out), "");
        run.received(&script, 1, 0, &mut out);
        assert_eq!(text(&mut out), "send 2, finished");
        assert!(run.is_finished());
    }

    #[test]
    fn a_start_edge_does_not_wait_for_the_end() {
        let script = Script(vec![vec![compute(), send(8).after_start(1), compute().after(1).after(2)]]);
        let (mut run, mut out) = (RankRun::new(&script, 0), vec![]);
        run.start(&script, &mut out);
        assert_eq!(text(&mut out), "compute 0, send 1");
        run.finished_op(&script, 0, 1, &mut out);
        assert_eq!(text(&mut out), "");
        run.finished_op(&script, 0, 0, &mut out);
        assert_eq!(text(&mut out), "compute 2");
        run.finished_op(&script, 0, 2, &mut out);
        assert_eq!(text(&mut out), "finished");
    }

    #[test]
    fn waiters_wake_in_the_order_of_their_indices() {
        let script = Script(vec![vec![recv(0), send(1).after(1), send(2).after(2), send(3).after(3)]]);
        let (mut run, mut out) = (RankRun::new(&script, 0), vec![]);
        run.start(&script, &mut out);
        run.received(&script, 1, 0, &mut out);
        assert_eq!(text(&mut out), "send 1, send 2, send 3");
    }

    #[test]
    fn nothing_past_the_window_starts() {
        let script = Script(vec![vec![recv(0), compute(), compute(), compute(), compute()]]);
        let (mut run, mut out) = (RankRun::new(&script, 0), vec![]);
        run.start(&script, &mut out);
        assert_eq!(text(&mut out), "compute 1, compute 2, compute 3");
        assert_eq!(run.oldest(0), Some((0, recv(0).kind)));
        run.received(&script, 1, 0, &mut out);
        assert_eq!(text(&mut out), "compute 4");
    }

    #[test]
    fn messages_that_come_early_are_kept_even_for_the_next_start() {
        let script = Script(vec![vec![recv(0), send(8).after(1).detach()]]);
        let (mut run, mut out) = (RankRun::new(&script, 0), vec![]);
        run.received(&script, 1, 0, &mut out);
        run.received(&script, 1, 0, &mut out);
        assert!(out.is_empty() && !run.is_finished());
        run.start(&script, &mut out);
        assert_eq!(text(&mut out), "send 1, finished");
        run.start(&script, &mut out);
        assert_eq!(text(&mut out), "send 1, finished");
        run.start(&script, &mut out);
        assert_eq!(text(&mut out), "");
        assert!(!run.is_finished());
    }

    #[test]
    fn operations_without_bytes_or_time_pass_at_once() {
        let nothing = Op::new(OpKind::Compute { time: Time::ZERO });
        let reduce = Op::new(OpKind::Reduce { size: 0 });
        let empty = Op::recv(1, 0, 0, PART, true);
        let script = Script(vec![vec![send(0), empty.after(1), reduce.after(1), nothing.after(1), send(8).after(1)]]);
        let (mut run, mut out) = (RankRun::new(&script, 0), vec![]);
        run.start(&script, &mut out);
        assert_eq!(text(&mut out), "send 4");
    }

    #[test]
    fn streams_do_not_wait_for_each_other_and_empty_ones_are_finished() {
        let script = Script(vec![vec![recv(0), send(8).after(1).detach()], vec![], vec![send(8).detach()]]);
        let (mut run, mut out) = (RankRun::new(&script, 0), vec![]);
        run.start(&script, &mut out);
        assert_eq!(text(&mut out), "send 0");
        run.received(&script, 1, 0, &mut out);
        assert_eq!(text(&mut out), "send 1, finished");
        let mut idle = RankRun::new(&Script(vec![]), 0);
        idle.start(&Script(vec![]), &mut out);
        assert_eq!(text(&mut out), "finished");
    }

    #[test]
    fn a_slot_is_one_cache_line() {
        assert!(size_of::<Slot>() <= 64, "{}", size_of::<Slot>());
    }
}

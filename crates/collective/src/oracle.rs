//! Proof by execution: a schedule is run over sets of contributions instead of bytes.
//!
//! Every byte of every rank's buffer holds the set of ranks whose data is in it. A message carries the sets of its
//! bytes as they are when it is sent; a combining receive unites disjoint sets, any other receive replaces them. What
//! the collective promises is then a statement about sets, and a contribution counted twice cannot hide.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::ops::Range;

use crate::run::Moment;
use crate::{Action, Collective, Edge, OpKind, Part, RankRun, Schedule};

/// What an execution did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Messages in all.
    pub messages: u64,
    /// Payload bytes that each rank sent.
    pub sent: Vec<u64>,
}

/// How a schedule fails its promise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The channels a rank declares are not the sources its peers declare, or one is declared twice.
    Channels {
        /// The sending or receiving rank.
        rank: u32,
    },
    /// An operation uses a channel that is not declared.
    Undeclared(Place),
    /// A dependency reaches outside the window or before the first operation.
    Window(Place),
    /// A receive got other bytes than it expected.
    Mismatch {
        /// The receive.
        at: Place,
        /// First byte and size it expected.
        expected: (u64, u64),
        /// First byte and size it got.
        got: (u64, u64),
    },
    /// A receive would add a contribution that is already there.
    Twice(Place),
    /// The bytes of a message changed at the sender before it had arrived.
    Overwritten {
        /// The sending rank.
        rank: u32,
        /// First byte of the message.
        part: u64,
    },
    /// Nothing can happen any more and this operation, the oldest of its stream, is not finished.
    Deadlock(Place),
    /// A message was sent that nobody received.
    Unreceived {
        /// The sending rank.
        from: u32,
        /// The receiving rank.
        to: u32,
        /// The channel between them.
        tag: u32,
    },
    /// At the end a rank does not hold what the collective promises.
    Result {
        /// The rank.
        rank: u32,
        /// The first byte that is wrong.
        byte: u64,
    },
}

/// An operation of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its rank.
    pub rank: u32,
    /// Its stream.
    pub stream: u32,
    /// Its index in the stream.
    pub index: u64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Violation {}

/// Execute a schedule and check everything it promises. Whenever several events are possible (a rank starts, a message
/// arrives, an operation ends), `choose(n)` picks the next one out of `n`: always 0 is the first come, random numbers
/// try other timings.
///
/// # Errors
/// The first violation found.
pub fn prove(schedule: &dyn Schedule, choose: &mut dyn FnMut(usize) -> usize) -> Result<Proof, Violation> {
    check_channels(schedule)?;
    let segments = Segments::of(schedule)?;
    let mut world = World::new(schedule, segments);
    while !world.pending.is_empty() {
        let event = world.pending.remove(choose(world.pending.len())).expect("the choice is one of those offered");
        world.happen(event)?;
    }
    world.check_end()?;
    Ok(Proof { messages: world.messages, sent: world.sent })
}

/// Every channel is declared once at each end.
fn check_channels(schedule: &dyn Schedule) -> Result<(), Violation> {
    let ranks = schedule.ranks();
    let mut sent: Vec<(u32, u32, u32)> =
        (0..ranks).flat_map(|r| schedule.channels(r).into_iter().map(move |c| (r, c.to, c.tag))).collect();
    let mut received: Vec<(u32, u32, u32)> =
        (0..ranks).flat_map(|r| schedule.sources(r).into_iter().map(move |s| (s.from, r, s.tag))).collect();
    sent.sort_unstable();
    received.sort_unstable();
    if let Some(twice) = sent.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Violation::Channels { rank: twice[0].0 });
    }
    match sent.iter().zip(&received).find(|(a, b)| a != b) {
        Some((a, _)) => Err(Violation::Channels { rank: a.0 }),
        None if sent.len() != received.len() => Err(Violation::Channels { rank: 0 }),
        None => Ok(()),
    }
}

/// The buffer cut at every byte where some message begins or ends.
struct Segments {
    /// Sorted; segment i is from `cuts[i]` to `cuts[i + 1]`.
    cuts: Vec<u64>,
}

impl Segments {
    fn of(schedule: &dyn Schedule) -> Result<Segments, Violation> {
        let (size, ranks) = (schedule.size(), schedule.ranks());
        let mut cuts = vec![0, size];
        for rank in 0..ranks {
            let block = Collective::block(size, ranks, rank);
            cuts.extend([block.start, block.end]);
            for dst in 0..ranks {
                cuts.extend(schedule.exchange(rank, dst).iter().flat_map(|range| [range.start, range.end]));
            }
            for stream in 0..schedule.streams(rank) {
                cut_stream(schedule, rank, stream, &mut cuts)?;
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        Ok(Segments { cuts })
    }

    fn count(&self) -> usize {
        self.cuts.len() - 1
    }

    /// The segments that make up some bytes. Both ends are cuts.
    fn within(&self, bytes: &Range<u64>) -> Range<usize> {
        let at = |byte| self.cuts.partition_point(|&cut| cut < byte);
        at(bytes.start)..at(bytes.end)
    }
}

/// Check the operations of one stream on paper and note where their messages begin and end.
fn cut_stream(schedule: &dyn Schedule, rank: u32, stream: u32, cuts: &mut Vec<u64>) -> Result<(), Violation> {
    let (channels, sources) = (schedule.channels(rank), schedule.sources(rank));
    let mut index = 0;
    while let Some(op) = schedule.op(rank, stream, index) {
        let place = Place { rank, stream, index };
        let in_window = |back: u32| (1..=schedule.window()).contains(&back) && u64::from(back) <= index;
        if !op.deps.iter().flatten().all(|dep| in_window(dep.back)) {
            return Err(Violation::Window(place));
        }
        let (declared, part, size) = match op.kind {
            OpKind::Send { to, tag, part, size } => (channels.iter().any(|c| (c.to, c.tag) == (to, tag)), part, size),
            OpKind::Recv { from, tag, part, size, .. } => {
                (sources.iter().any(|s| (s.from, s.tag) == (from, tag)), part, size)
            }
            OpKind::Reduce { .. } | OpKind::Compute { .. } => (true, Part(0), 0),
        };
        // An operation without bytes uses no channel.
        if size > 0 && !declared {
            return Err(Violation::Undeclared(place));
        }
        if size > 0 {
            cuts.extend([part.0, part.0 + size]);
        }
        index += 1;
    }
    Ok(())
}

/// Something that can happen next.
#[derive(Clone, Copy)]
enum Event {
    Start { rank: u32 },
    Arrive { channel: Key },
    Acknowledge { channel: Key },
    Finish(Place),
}

/// Sender, receiver, tag.
type Key = (u32, u32, u32);

struct Message {
    part: u64,
    size: u64,
    /// The sets of its segments, one after another.
    sets: Vec<u64>,
    /// The send to acknowledge.
    acknowledge: Option<Place>,
}

#[derive(Default)]
struct Wire {
    flying: VecDeque<Message>,
    /// Arrived and not yet asked for.
    waiting: VecDeque<Message>,
    /// Sends whose messages have arrived and that wait to hear of it.
    unacknowledged: VecDeque<Place>,
}

struct World<'a> {
    schedule: &'a dyn Schedule,
    segments: Segments,
    /// Words of one set.
    words: usize,
    /// Per rank the sets of all segments.
    buffers: Vec<Vec<u64>>,
    runs: Vec<RankRun>,
    wires: BTreeMap<Key, Wire>,
    pending: VecDeque<Event>,
    messages: u64,
    sent: Vec<u64>,
}

impl<'a> World<'a> {
    fn new(schedule: &'a dyn Schedule, segments: Segments) -> World<'a> {
        let ranks = schedule.ranks();
        let words = (ranks as usize).div_ceil(64);
        let mut world = World {
            schedule,
            words,
            buffers: vec![vec![0; words * segments.count()]; ranks as usize],
            segments,
            runs: (0..ranks).map(|rank| RankRun::new(schedule, rank).with_log()).collect(),
            wires: BTreeMap::new(),
            pending: (0..ranks).map(|rank| Event::Start { rank }).collect(),
            messages: 0,
            sent: vec![0; ranks as usize],
        };
        for rank in 0..ranks {
            for bytes in world.own(rank) {
                for segment in world.segments.within(&bytes) {
                    world.buffers[rank as usize][segment * words + rank as usize / 64] |= 1 << (rank % 64);
                }
            }
        }
        world
    }

    /// The bytes that a rank contributes.
    fn own(&self, rank: u32) -> Vec<Range<u64>> {
        let (size, ranks) = (self.schedule.size(), self.schedule.ranks());
        let bytes = match self.schedule.collective() {
            Collective::AllToAll | Collective::SendRecv => {
                return (0..ranks).flat_map(|dst| self.schedule.exchange(rank, dst)).collect();
            }
            Collective::AllGather => Collective::block(size, ranks, rank),
            Collective::Broadcast { root } if rank != root => 0..0,
            Collective::Custom => 0..0,
            _ => 0..size,
        };
        Vec::from([bytes])
    }

    /// What a rank must hold at the end: bytes, and the ranks whose contributions are in them (`None`: all).
    fn promised(&self, rank: u32) -> Vec<(Range<u64>, Option<u32>)> {
        let (size, ranks) = (self.schedule.size(), self.schedule.ranks());
        match self.schedule.collective() {
            Collective::AllReduce | Collective::Barrier => vec![(0..size, None)],
            Collective::ReduceScatter => vec![(Collective::block(size, ranks, rank), None)],
            Collective::AllGather => (0..ranks).map(|r| (Collective::block(size, ranks, r), Some(r))).collect(),
            Collective::Broadcast { root } => vec![(0..size, Some(root))],
            Collective::Reduce { root } if rank == root => vec![(0..size, None)],
            Collective::Reduce { .. } | Collective::Custom => vec![],
            Collective::AllToAll | Collective::SendRecv => {
                let from = |src| self.schedule.exchange(src, rank).map(|bytes| (bytes, Some(src)));
                (0..ranks).flat_map(from).collect()
            }
        }
    }

    fn happen(&mut self, event: Event) -> Result<(), Violation> {
        let mut out = Vec::new();
        let rank = match event {
            Event::Start { rank } => {
                self.runs[rank as usize].start(self.schedule, &mut out);
                rank
            }
            Event::Arrive { channel } => {
                let (from, to, tag) = channel;
                self.arrive(channel)?;
                self.runs[to as usize].received(self.schedule, from, tag, &mut out);
                to
            }
            Event::Acknowledge { channel } => {
                let wire = self.wires.get_mut(&channel).expect("an acknowledgement follows an arrival");
                let send = wire.unacknowledged.pop_front().expect("an acknowledgement follows an arrival");
                self.runs[send.rank as usize].finished_op(self.schedule, send.stream, send.index, &mut out);
                send.rank
            }
            Event::Finish(Place { rank, stream, index }) => {
                self.runs[rank as usize].finished_op(self.schedule, stream, index, &mut out);
                rank
            }
        };
        for Moment { stream, index, edge } in self.runs[rank as usize].take_log() {
            self.follow(Place { rank, stream, index }, edge)?;
        }
        for action in out {
            if let Action::Compute { stream, index, .. } | Action::Reduce { stream, index, .. } = action {
                self.pending.push_back(Event::Finish(Place { rank, stream, index }));
            }
        }
        Ok(())
    }

    /// A message reaches its rank, which may not have asked for it yet.
    fn arrive(&mut self, channel: Key) -> Result<(), Violation> {
        let wire = self.wires.get_mut(&channel).expect("an arrival follows a send");
        let message = wire.flying.pop_front().expect("an arrival follows a send");
        let changed = self.read(channel.0, message.part, message.size) != message.sets;
        if changed && self.schedule.collective() != Collective::Barrier {
            return Err(Violation::Overwritten { rank: channel.0, part: message.part });
        }
        let wire = self.wires.entry(channel).or_default();
        if let Some(send) = message.acknowledge {
            wire.unacknowledged.push_back(send);
            self.pending.push_back(Event::Acknowledge { channel });
        }
        wire.waiting.push_back(message);
        Ok(())
    }

    /// An operation has started or finished: move the sets as it moves bytes.
    fn follow(&mut self, at: Place, edge: Edge) -> Result<(), Violation> {
        let op = self.schedule.op(at.rank, at.stream, at.index).expect("only operations that exist are run");
        match (op.kind, edge) {
            (OpKind::Send { to, size, tag, part }, Edge::Started) if size > 0 => {
                let sets = self.read(at.rank, part.0, size);
                let acknowledge = (!op.detached).then_some(at);
                let channel = (at.rank, to, tag);
                let message = Message { part: part.0, size, sets, acknowledge };
                self.wires.entry(channel).or_default().flying.push_back(message);
                self.pending.push_back(Event::Arrive { channel });
                self.messages += 1;
                self.sent[at.rank as usize] += size;
                Ok(())
            }
            (OpKind::Recv { from, size, tag, part, combine }, Edge::Finished) if size > 0 => {
                let wire = self.wires.get_mut(&(from, at.rank, tag)).expect("a receive follows an arrival");
                let message = wire.waiting.pop_front().expect("a receive follows an arrival");
                if (message.part, message.size) != (part.0, size) {
                    let (expected, got) = ((part.0, size), (message.part, message.size));
                    return Err(Violation::Mismatch { at, expected, got });
                }
                self.write(at, &message, combine)
            }
            _ => Ok(()),
        }
    }

    fn read(&self, rank: u32, part: u64, size: u64) -> Vec<u64> {
        let segments = self.segments.within(&(part..part + size));
        self.buffers[rank as usize][segments.start * self.words..segments.end * self.words].to_vec()
    }

    fn write(&mut self, at: Place, message: &Message, combine: bool) -> Result<(), Violation> {
        let segments = self.segments.within(&(message.part..message.part + message.size));
        let bytes = &mut self.buffers[at.rank as usize][segments.start * self.words..segments.end * self.words];
        // Barriers spread knowledge, which may come twice.
        let once = combine && self.schedule.collective() != Collective::Barrier;
        for (have, come) in bytes.iter_mut().zip(&message.sets) {
            if once && *have & come != 0 {
                return Err(Violation::Twice(at));
            }
            *have = if combine { *have | come } else { *come };
        }
        Ok(())
    }

    fn check_end(&self) -> Result<(), Violation> {
        for (run, rank) in self.runs.iter().zip(0..) {
            let stuck = (0..self.schedule.streams(rank)).find_map(|s| run.oldest(s).map(|(index, _)| (s, index)));
            if let Some((stream, index)) = stuck {
                return Err(Violation::Deadlock(Place { rank, stream, index }));
            }
            assert!(run.is_finished(), "a run without unfinished operations is finished");
        }
        if let Some((&(from, to, tag), _)) = self.wires.iter().find(|(_, wire)| !wire.waiting.is_empty()) {
            return Err(Violation::Unreceived { from, to, tag });
        }
        (0..self.schedule.ranks()).try_for_each(|rank| self.check_result(rank))
    }

    fn check_result(&self, rank: u32) -> Result<(), Violation> {
        for (bytes, whose) in self.promised(rank) {
            let expected = self.set(whose);
            for segment in self.segments.within(&bytes) {
                let held = &self.buffers[rank as usize][segment * self.words..(segment + 1) * self.words];
                if held != expected {
                    return Err(Violation::Result { rank, byte: self.segments.cuts[segment] });
                }
            }
        }
        Ok(())
    }

    /// The set of one rank, or of all.
    fn set(&self, whose: Option<u32>) -> Vec<u64> {
        let mut set = vec![0; self.words];
        for rank in 0..self.schedule.ranks() {
            if whose.is_none_or(|only| only == rank) {
                set[rank as usize / 64] |= 1 << (rank % 64);
            }
        }
        set
    }
}

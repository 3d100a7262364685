use units::Time;

/// How many operations one operation can wait for.
pub const MAX_DEPS: usize = 4;

/// One step of one rank: what it does, and what must have happened before.
///
/// An operation whose size (or time) is zero does nothing: it is finished as soon as its dependencies hold, and a
/// send or receive of zero bytes is no message. Both ends compute the same size, so both skip it. This is how uneven
/// splits leave parts empty without disturbing the numbering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op {
    /// What is done.
    pub kind: OpKind,
    /// What must have happened before; all of them.
    pub deps: [Option<Dep>; MAX_DEPS],
    /// Nobody waits for the end of this operation (a send whose acknowledgement means nothing to the schedule): it
    /// counts as finished once started, and its end is not reported.
    pub detached: bool,
    /// Of a send: it ends when its last byte has left, not when it is acknowledged (the completion of a blocking send).
    pub local: bool,
}

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpKind {
    /// Post a message. Finished when it is acknowledged.
    Send {
        /// The receiving rank.
        to: u32,
        /// Bytes of payload.
        size: u64,
        /// Names the channel together with `to`.
        tag: u32,
        /// Which bytes of the collective's buffer these are.
        part: Part,
    },
    /// Wait for the next message of a channel. Finished when all of it has arrived.
    Recv {
        /// The sending rank.
        from: u32,
        /// Bytes of payload.
        size: u64,
        /// Names the channel together with `from`.
        tag: u32,
        /// Which bytes of the collective's buffer these are.
        part: Part,
        /// Whether the bytes are added to what is there (a reduction) or replace it.
        combine: bool,
    },
    /// Local work on bytes that have arrived, at the rate of the machine.
    Reduce {
        /// Bytes to reduce.
        size: u64,
    },
    /// Local work of a fixed time.
    Compute {
        /// How long it takes on an undisturbed machine.
        time: Time,
    },
}

/// Where the bytes of a message begin in the collective's logical buffer (they are contiguous).
///
/// Only the oracle reads it; to a network it means nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part(pub u64);

/// A reference to an earlier operation of the same stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dep {
    /// How many operations back it is; at least 1, at most [`Schedule::window`](crate::Schedule::window).
    pub back: u32,
    /// Which of its two moments is meant.
    pub edge: Edge,
}

/// The two moments of an operation that another can wait for (the two edges of the GOAL language).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// It has ended.
    Finished,
    /// It has begun.
    Started,
}

impl Op {
    /// An operation that waits for nothing.
    pub const fn new(kind: OpKind) -> Op {
        Op { kind, deps: [None; MAX_DEPS], detached: false, local: false }
    }

    /// A send that waits for nothing.
    pub const fn send(to: u32, size: u64, tag: u32, part: Part) -> Op {
        Op::new(OpKind::Send { to, size, tag, part })
    }

    /// A receive that waits for nothing.
    pub const fn recv(from: u32, size: u64, tag: u32, part: Part, combine: bool) -> Op {
        Op::new(OpKind::Recv { from, size, tag, part, combine })
    }

    /// The same, also waiting for the end of the operation `back` places earlier.
    pub const fn after(self, back: u32) -> Op {
        self.with(Dep { back, edge: Edge::Finished })
    }

    /// The same, also waiting for the start of the operation `back` places earlier.
    pub const fn after_start(self, back: u32) -> Op {
        self.with(Dep { back, edge: Edge::Started })
    }

    /// The same, ending when its last byte has left.
    pub const fn until_sent(mut self) -> Op {
        self.local = true;
        self
    }

    /// The same, detached.
    pub const fn detach(mut self) -> Op {
        self.detached = true;
        self
    }

    const fn with(mut self, dep: Dep) -> Op {
        let mut free = 0;
        while self.deps[free].is_some() {
            free += 1;
        }
        self.deps[free] = Some(dep);
        self
    }
}

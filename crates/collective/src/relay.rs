use crate::{Op, OpKind, Part};

/// How the data of a chain or tree is cut into messages, and how many of them may be under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pipeline {
    /// Bytes of one message, at least 1.
    pub slice: u64,
    /// Messages of a channel that may be posted and not acknowledged, 1 to 4096.
    pub depth: u32,
}

impl Pipeline {
    /// NCCL's Simple protocol for chains and trees: slices of 512 KiB, one in each of the eight slots of a connection.
    ///
    /// Model: a slot is free again when its message is acknowledged; NCCL's receiver frees it when it has consumed the
    /// data, which is the same moment unless the receiving GPU falls behind.
    pub const NCCL: Pipeline = Pipeline { slice: 512 << 10, depth: 8 };

    pub(crate) fn checked(self) -> Pipeline {
        assert!(self.slice > 0 && (1..=4096).contains(&self.depth), "a slice has bytes and the depth is 1 to 4096");
        self
    }
}

/// What one rank does in one direction of a tree: every message comes from all inputs and goes to all outputs.
#[derive(Clone, Debug)]
pub(crate) struct Relay {
    pub(crate) inputs: Peers,
    pub(crate) outputs: Peers,
    pub(crate) tag: u32,
    /// Whether what comes in is added to what is there.
    pub(crate) combine: bool,
    /// Whether adding it is an operation of its own.
    pub(crate) reduce: bool,
}

/// The neighbours of a rank in one direction, at most three: two children on other hosts and the next in the chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Peers {
    ranks: [u32; 3],
    count: usize,
}

impl Peers {
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.ranks[..self.count]
    }
}

impl FromIterator<u32> for Peers {
    fn from_iter<I: IntoIterator<Item = u32>>(ranks: I) -> Peers {
        let mut peers = Peers::default();
        for rank in ranks {
            peers.ranks[peers.count] = rank;
            peers.count += 1;
        }
        peers
    }
}

impl Relay {
    /// The window for relays of at most `widest` operations a message.
    pub(crate) const fn window(pipeline: Pipeline, widest: u32) -> u32 {
        (pipeline.depth + 1) * widest
    }

    /// The operation at `index`, where the bytes `first..last` go through.
    pub(crate) fn op(&self, index: u64, first: u64, last: u64, pipeline: Pipeline) -> Option<Op> {
        let (inputs, outputs) = (self.inputs.count as u32, self.outputs.count as u32);
        let reductions = u32::from(self.reduce && self.combine && inputs > 0);
        let stride = inputs + reductions + outputs;
        if stride == 0 {
            return None;
        }
        let (message, place) = (index / u64::from(stride), (index % u64::from(stride)) as u32);
        let messages = (last - first).div_ceil(pipeline.slice);
        if message >= messages {
            return None;
        }
        let start = first + message * pipeline.slice;
        let size = pipeline.slice.min(last - start);
        if place < inputs {
            return Some(Op::recv(self.inputs.ranks[place as usize], size, self.tag, Part(start), self.combine));
        }
        if place < inputs + reductions {
            let reduce = Op::new(OpKind::Reduce { size: size * u64::from(inputs) });
            let reduce = (1..=inputs).fold(reduce, Op::after);
            return Some(if message == 0 { reduce } else { reduce.after(stride) });
        }
        let send = Op::send(self.outputs.ranks[(place - inputs - reductions) as usize], size, self.tag, Part(start));
        let awaited = if reductions > 0 { inputs..inputs + 1 } else { 0..inputs };
        let send = awaited.fold(send, |send, at| send.after(place - at));
        // The last messages free their slots for nobody.
        let send = if message + u64::from(pipeline.depth) >= messages { send.detach() } else { send };
        Some(if message < u64::from(pipeline.depth) { send } else { send.after(pipeline.depth * stride) })
    }
}

use units::ConnId;

/// Which operation (stream and index) ends with a message, and at which of its moments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waiting {
    /// None does.
    Nobody,
    /// When its last byte has left.
    Sent(u32, u64),
    /// When it is acknowledged.
    Acked(u32, u64),
}

/// Something a host does later by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    /// Post a message whose software latency is over.
    Post { conn: ConnId, bytes: u64, waiting: Waiting },
    /// End an unlimited flow.
    StopFlow(ConnId),
    /// A message within the NVLink domain has arrived at a rank that knows its channel by `source`.
    LocalArrived { from: u32, to: u32, source: u32, bytes: u64, waiting: Option<(u32, u64)> },
    /// A rank's operation has been computed.
    Computed { rank: u32, stream: u32, index: u64 },
    /// A rank has computed and enters the collective.
    Enter { rank: u32 },
}

/// Pending tasks by number.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    slots: Vec<Option<Task>>,
    free: Vec<u32>,
}

impl Tasks {
    pub(crate) fn add(&mut self, task: Task) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(task);
                slot
            }
            None => {
                self.slots.push(Some(task));
                u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 tasks")
            }
        }
    }

    pub(crate) fn take(&mut self, slot: u32) -> Task {
        self.free.push(slot);
        self.slots[slot as usize].take().expect("a task is done once")
    }

    pub(crate) fn pending(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

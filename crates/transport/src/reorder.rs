use std::collections::VecDeque;

/// Packets that have arrived ahead of the expected one: one entry a sequence number behind it.
#[derive(Debug, Default)]
pub(crate) struct Reorder {
    /// Entry i is for the packet i places behind the expected one.
    ahead: VecDeque<Slot>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    Missing,
    Here,
    /// Here, and the last packet of its message.
    Last,
}

impl Reorder {
    /// Notes a packet `ahead` places behind the expected one. False if it was there already.
    pub(crate) fn insert(&mut self, ahead: usize, last: bool) -> bool {
        if self.ahead.len() <= ahead {
            self.ahead.resize(ahead + 1, Slot::Missing);
        }
        let slot = &mut self.ahead[ahead];
        let new = *slot == Slot::Missing;
        *slot = if last { Slot::Last } else { Slot::Here };
        new
    }

    /// Takes the packets that are now in order; returns how many, and how many messages end in them.
    pub(crate) fn take(&mut self) -> (u64, u32) {
        let (mut packets, mut messages) = (0, 0);
        while let Some(&slot) = self.ahead.front().filter(|slot| **slot != Slot::Missing) {
            self.ahead.pop_front();
            packets += 1;
            messages += u32::from(slot == Slot::Last);
        }
        (packets, messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_holds_back_what_came_behind_it() {
        let mut reorder = Reorder::default();
        assert!(reorder.insert(2, true) && reorder.insert(1, false) && !reorder.insert(1, false));
        assert_eq!(reorder.take(), (0, 0));
        assert!(reorder.insert(0, true));
        assert_eq!(reorder.take(), (3, 2));
        assert!(reorder.insert(0, false));
        assert_eq!(reorder.take(), (1, 0));
    }
}

/// The time of a cursor that has nothing to read: later than every event.
pub(crate) const NEVER: u64 = u64::MAX;

/// When the next record of each cursor is due, earliest first: a heap of four children a place, without
/// the cursors that have nothing to read. The children of the root are group 0, those of place `i` group
/// `i + 1`; unused places say "never", so that there are always four children to compare.
#[derive(Debug)]
pub(crate) struct Heads {
    root: Head,
    groups: Vec<[Head; 4]>,
    /// Places in use below the root.
    used: usize,
}

/// A cursor and when it is due.
#[derive(Clone, Copy, Debug)]
struct Head {
    time: u64,
    cursor: usize,
}

const NOBODY: Head = Head { time: NEVER, cursor: 0 };

impl Default for Heads {
    fn default() -> Heads {
        Heads { root: NOBODY, groups: Vec::new(), used: 0 }
    }
}

impl Heads {
    /// The earliest time of all cursors.
    #[inline]
    pub(crate) fn first_time(&self) -> u64 {
        self.root.time
    }

    /// The cursor that is due then.
    #[inline]
    pub(crate) fn first_cursor(&self) -> usize {
        self.root.cursor
    }

    /// The first cursor has been read and is due at a later time, or never.
    #[inline]
    pub(crate) fn advance(&mut self, time: u64) {
        let head = if time == NEVER { self.remove_last() } else { Head { time, ..self.root } };
        self.sift(head);
    }

    /// Takes the last place out of the heap, to replace the root.
    fn remove_last(&mut self) -> Head {
        match self.used.checked_sub(1) {
            None => NOBODY,
            Some(last) => {
                self.used = last;
                std::mem::replace(self.place(last), NOBODY)
            }
        }
    }

    #[inline]
    fn place(&mut self, place: usize) -> &mut Head {
        &mut self.groups[place / 4][place % 4]
    }

    /// The earliest place of a group, if it is earlier than `time`.
    #[inline]
    fn earlier(&self, group: usize, time: u64) -> Option<usize> {
        let places = self.groups.get(group)?;
        let left = usize::from(places[1].time < places[0].time);
        let right = 2 + usize::from(places[3].time < places[2].time);
        let least = if places[right].time < places[left].time { right } else { left };
        (places[least].time < time).then_some(4 * group + least)
    }

    /// Finds the place of `head`, from the root down.
    #[inline]
    fn sift(&mut self, head: Head) {
        let Some(mut hole) = self.earlier(0, head.time) else {
            self.root = head;
            return;
        };
        self.root = *self.place(hole);
        while let Some(child) = self.earlier(hole + 1, head.time) {
            *self.place(hole) = *self.place(child);
            hole = child;
        }
        *self.place(hole) = head;
    }

    /// A cursor that had nothing to read is due at `time`.
    #[inline]
    pub(crate) fn wake(&mut self, cursor: usize, time: u64) {
        let mut head = Head { time, cursor };
        if self.root.time == NEVER {
            self.root = head;
        } else if time != NEVER {
            if time < self.root.time {
                head = std::mem::replace(&mut self.root, head);
            }
            self.insert(head);
        }
    }

    /// Adds a head that is no earlier than the root.
    fn insert(&mut self, head: Head) {
        let mut hole = self.used;
        self.used += 1;
        if hole / 4 == self.groups.len() {
            self.groups.push([NOBODY; 4]);
        }
        while hole >= 4 {
            let parent = hole / 4 - 1;
            if self.place(parent).time <= head.time {
                break;
            }
            *self.place(hole) = *self.place(parent);
            hole = parent;
        }
        *self.place(hole) = head;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_follows_every_change_at_any_width() {
        let mut heads = Heads::default();
        let mut plain: Vec<u64> = Vec::new();
        for round in 0..4000u64 {
            if round % 8 == 0 {
                plain.push(NEVER);
            }
            let random = round * 104_729 % 1009;
            let cursor = (round * 7919 % plain.len() as u64) as usize;
            if plain[cursor] == NEVER {
                plain[cursor] = random;
                heads.wake(cursor, random);
            } else {
                let first = heads.first_cursor();
                plain[first] = if round % 5 == 0 { NEVER } else { plain[first] + random };
                heads.advance(plain[first]);
            }
            let least = *plain.iter().min().unwrap();
            assert_eq!(heads.first_time(), least);
            assert!(least == NEVER || plain[heads.first_cursor()] == least);
        }
        assert!(heads.groups.len() > 16);
    }
}

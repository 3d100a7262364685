/// The time of a cursor that has nothing to read: later than every event.
pub(crate) const NEVER: u64 = u64::MAX;

/// When the next record of each cursor is due, earliest first: a heap of four children a place. The
/// root is place 3, the children of place `i` are group `i - 2`, and unused places say "never", so that
/// there are always four children to compare.
#[derive(Debug)]
pub(crate) struct Heads {
    groups: Vec<[Head; 4]>,
    /// One past the last place in use.
    end: usize,
}

/// A cursor and when it is due.
#[derive(Clone, Copy, Debug)]
struct Head {
    time: u64,
    cursor: usize,
}

const NOBODY: Head = Head { time: NEVER, cursor: 0 };
const ROOT: usize = 3;

impl Default for Heads {
    fn default() -> Heads {
        Heads { groups: vec![[NOBODY; 4]], end: ROOT }
    }
}

impl Heads {
    /// The earliest time of all cursors.
    #[inline]
    pub(crate) fn first_time(&self) -> u64 {
        self.groups[0][ROOT].time
    }

    /// The cursor that is due then.
    #[inline]
    pub(crate) fn first_cursor(&self) -> usize {
        self.groups[0][ROOT].cursor
    }

    /// The first cursor has been read and is due at a later time, or never.
    #[inline]
    pub(crate) fn advance(&mut self, time: u64) {
        if time == NEVER {
            return self.retire();
        }
        let cursor = self.first_cursor();
        self.sift(Head { time, cursor });
    }

    /// The first cursor has nothing to read any more.
    fn retire(&mut self) {
        self.end -= 1;
        let last = std::mem::replace(self.place(self.end), NOBODY);
        if self.end > ROOT {
            self.sift(last);
        }
    }

    #[inline]
    fn place(&mut self, place: usize) -> &mut Head {
        &mut self.groups[place / 4][place % 4]
    }

    /// Finds the place of `head`, from the root down.
    #[inline]
    fn sift(&mut self, head: Head) {
        let mut hole = ROOT;
        while let Some(group) = self.groups.get(hole - 2) {
            let left = usize::from(group[1].time < group[0].time);
            let right = 2 + usize::from(group[3].time < group[2].time);
            let least = if group[right].time < group[left].time { right } else { left };
            let child = group[least];
            if child.time >= head.time {
                break;
            }
            *self.place(hole) = child;
            hole = 4 * (hole - 2) + least;
        }
        *self.place(hole) = head;
    }

    /// A cursor that had nothing to read is due at `time`.
    #[inline]
    pub(crate) fn wake(&mut self, cursor: usize, time: u64) {
        if time == NEVER {
            return;
        }
        let mut hole = self.end;
        self.end += 1;
        if hole / 4 == self.groups.len() {
            self.groups.push([NOBODY; 4]);
        }
        while hole > ROOT {
            let parent = *self.place(hole / 4 + 2);
            if parent.time <= time {
                break;
            }
            *self.place(hole) = parent;
            hole = hole / 4 + 2;
        }
        *self.place(hole) = Head { time, cursor };
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

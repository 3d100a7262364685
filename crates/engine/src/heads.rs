/// The time of a cursor that has nothing to read: later than every event.
pub(crate) const NEVER: u64 = u64::MAX;

/// Up to so many cursors are scanned; more are played off in a tree.
const FLAT: usize = 16;

/// When each cursor's next record is due, and which is first: a tree of minimums, root at 1, the
/// children of `i` at `2i` and `2i + 1`, the cursors at `width..`. Few cursors need no inner nodes.
#[derive(Debug)]
pub(crate) struct Heads {
    tree: Vec<u64>,
    width: usize,
    used: usize,
}

impl Default for Heads {
    fn default() -> Heads {
        Heads { tree: vec![NEVER; 4], width: 2, used: 0 }
    }
}

impl Heads {
    /// One more cursor, with nothing to read.
    pub(crate) fn add(&mut self) -> usize {
        if self.used == self.width {
            self.widen();
        }
        self.used += 1;
        self.used - 1
    }

    fn widen(&mut self) {
        let mut tree = vec![NEVER; 4 * self.width];
        tree[2 * self.width..][..self.used].copy_from_slice(&self.tree[self.width..]);
        self.width *= 2;
        for i in (1..self.width).rev() {
            tree[i] = tree[2 * i].min(tree[2 * i + 1]);
        }
        self.tree = tree;
    }

    #[inline]
    pub(crate) fn is_flat(&self) -> bool {
        self.width <= FLAT
    }

    #[inline]
    pub(crate) fn set(&mut self, cursor: usize, time: u64) {
        let mut i = self.width + cursor;
        self.tree[i] = time;
        if self.is_flat() {
            return;
        }
        let mut least = time;
        while i > 1 {
            least = least.min(self.tree[i ^ 1]);
            i /= 2;
            if self.tree[i] == least {
                break;
            }
            self.tree[i] = least;
        }
    }

    /// The earliest time of all cursors.
    #[inline]
    pub(crate) fn min(&self) -> u64 {
        if self.is_flat() {
            return self.tree[self.width..].iter().fold(NEVER, |least, &time| least.min(time));
        }
        self.tree[1]
    }

    /// The cursors, when flat.
    #[inline]
    pub(crate) fn flat(&mut self) -> &mut [u64] {
        &mut self.tree[self.width..]
    }

    /// A cursor that is due at `time`, the minimum, in a tree.
    #[inline]
    pub(crate) fn first(&self, time: u64) -> usize {
        let mut i = 1;
        while i < self.width {
            i = 2 * i + usize::from(self.tree[2 * i] != time);
        }
        i - self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_follows_every_change_at_any_width() {
        let mut heads = Heads::default();
        let mut plain = Vec::new();
        for round in 0..400u64 {
            if round % 4 == 0 {
                assert_eq!(heads.add(), plain.len());
                plain.push(NEVER);
            }
            let cursor = (round * 7919 % plain.len() as u64) as usize;
            plain[cursor] = if round % 5 == 0 { NEVER } else { round * 104_729 % 1009 };
            heads.set(cursor, plain[cursor]);
            let least = *plain.iter().min().unwrap();
            assert_eq!(heads.min(), least);
            if !heads.is_flat() && least < NEVER {
                assert_eq!(plain[heads.first(least)], least);
            }
        }
        assert!(!heads.is_flat());
    }
}

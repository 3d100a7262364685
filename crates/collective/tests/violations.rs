//! The oracle refuses schedules that are wrong, and says how.

use collective::oracle::{Place, Violation, prove};
use collective::{Algorithm, Channel, Collective, Layout, Op, OpKind, Part, Ring, Schedule, SendRecv, Source};

/// A schedule with one thing changed.
struct Broken<S, F> {
    schedule: S,
    change: F,
}

impl<S: Schedule, F: Fn(Place, Op) -> Op + Send + Sync> Schedule for Broken<S, F> {
    fn collective(&self) -> Collective {
        self.schedule.collective()
    }
    fn algorithm(&self) -> Algorithm {
        self.schedule.algorithm()
    }
    fn size(&self) -> u64 {
        self.schedule.size()
    }
    fn ranks(&self) -> u32 {
        self.schedule.ranks()
    }
    fn streams(&self, rank: u32) -> u32 {
        self.schedule.streams(rank)
    }
    fn window(&self) -> u32 {
        self.schedule.window()
    }
    fn op(&self, rank: u32, stream: u32, index: u64) -> Option<Op> {
        self.schedule.op(rank, stream, index).map(|op| (self.change)(Place { rank, stream, index }, op))
    }
    fn channels(&self, rank: u32) -> Vec<Channel> {
        self.schedule.channels(rank)
    }
    fn sources(&self, rank: u32) -> Vec<Source> {
        self.schedule.sources(rank)
    }
    fn exchange(&self, src: u32, dst: u32) -> [std::ops::Range<u64>; 2] {
        self.schedule.exchange(src, dst)
    }
}

fn ring() -> Ring {
    Ring::all_reduce(Layout::flat(4), 400)
}

const PLACE: Place = Place { rank: 1, stream: 0, index: 4 };

/// The violation when the operation at [`PLACE`] of a ring over four ranks is changed.
fn violation(change: impl Fn(Op) -> Op + Send + Sync) -> Violation {
    let change = |place, op| if place == PLACE { change(op) } else { op };
    let broken = Broken { schedule: ring(), change };
    prove(&broken, &mut |n| n - 1).expect_err("a broken schedule is refused")
}

#[test]
fn a_send_that_does_not_wait_for_its_data_is_found() {
    assert!(prove(&ring(), &mut |_| 0).is_ok());
    let found = violation(|op| Op { deps: Default::default(), ..op });
    assert!(matches!(found, Violation::Mismatch { .. } | Violation::Overwritten { .. }), "{found:?}");
}

#[test]
fn a_contribution_that_is_replaced_instead_of_added_is_found() {
    let change = |place: Place, op: Op| match op.kind {
        OpKind::Recv { from, size, tag, part, .. } if place == (Place { index: 1, ..PLACE }) => {
            Op::recv(from, size, tag, part, false)
        }
        _ => op,
    };
    let found = prove(&Broken { schedule: ring(), change }, &mut |_| 0);
    assert!(matches!(found, Err(Violation::Result { .. })), "{found:?}");
}

#[test]
fn a_contribution_that_is_added_twice_is_found() {
    let change = |_: Place, op: Op| match op.kind {
        OpKind::Recv { from, size, tag, part, .. } => Op { kind: Op::recv(from, size, tag, part, true).kind, ..op },
        _ => op,
    };
    let found = prove(&Broken { schedule: ring(), change }, &mut |_| 0);
    assert!(matches!(found, Err(Violation::Twice(_))), "{found:?}");
}

#[test]
fn other_bytes_than_expected_are_found() {
    let found = violation(|op| Op { kind: Op::send(2, 100, 0, Part(7)).kind, ..op });
    assert!(matches!(found, Violation::Mismatch { got: (7, 100), .. }), "{found:?}");
}

#[test]
fn a_message_that_is_not_sent_is_a_deadlock() {
    let found = violation(|op| Op { kind: OpKind::Reduce { size: 0 }, ..op });
    assert!(matches!(found, Violation::Mismatch { .. } | Violation::Deadlock(_)), "{found:?}");
}

#[test]
fn ranks_that_all_receive_first_are_a_deadlock() {
    // Every rank sends only after its receive, so nobody begins.
    let change =
        |place: Place, op: Op| if place.index == 1 { op } else { Op { kind: OpKind::Reduce { size: 0 }, ..op } };
    let found = prove(&Broken { schedule: SendRecv::new(Layout::flat(3), 8), change }, &mut |_| 0);
    assert_eq!(found, Err(Violation::Deadlock(Place { rank: 0, stream: 0, index: 1 })));
}

#[test]
fn a_message_that_nobody_asks_for_is_found() {
    let change = |place: Place, op: Op| {
        if place.index == 1 && place.rank == 2 { Op { kind: OpKind::Reduce { size: 0 }, ..op } } else { op }
    };
    let found = prove(&Broken { schedule: SendRecv::new(Layout::flat(3), 8), change }, &mut |_| 0);
    assert_eq!(found, Err(Violation::Unreceived { from: 1, to: 2, tag: 0 }));
}

#[test]
fn undeclared_channels_and_far_dependencies_are_found_on_paper() {
    assert_eq!(violation(|op| Op { kind: Op::send(3, 100, 0, Part(0)).kind, ..op }), Violation::Undeclared(PLACE));
    assert_eq!(violation(|op| op.after(5)), Violation::Window(PLACE));
}

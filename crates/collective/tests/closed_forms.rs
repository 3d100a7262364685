//! Schedules on an ideal network (one NIC a rank, its rate both ways, a fixed latency, no contention elsewhere) take
//! the time their closed forms say. This also shows that no window is so small that it holds an operation back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use collective::{
    Action, AllToAll, Barrier, Chain, Collective, Cost, Exchange, HalvingDoubling, Layout, Moe, Pipeline, RankRun,
    Ring, Routing, Schedule, SendRecv, Slicing, Tree,
};
use units::{Bytes, Rate, Time};

const COST: Cost = Cost { alpha: Time::from_us(5), rate: Rate::from_gbps(400) };

/// What happens at a time, in the order of the numbers given out.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The first bit of a message reaches its rank.
    Head {
        from: u32,
        to: u32,
        tag: u32,
        size: u64,
        sender: Option<(u32, u64)>,
    },
    Tail {
        from: u32,
        to: u32,
        tag: u32,
        sender: Option<(u32, u64)>,
    },
    Finish {
        rank: u32,
        stream: u32,
        index: u64,
    },
}

struct Ideal<'a> {
    schedule: &'a dyn Schedule,
    runs: Vec<RankRun>,
    /// When the sending and receiving side of each rank's NIC is free.
    free: Vec<[Time; 2]>,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    count: u64,
}

impl Ideal<'_> {
    /// The time until the last rank has finished.
    fn run(schedule: &dyn Schedule) -> Time {
        let ranks = schedule.ranks();
        let runs = (0..ranks).map(|rank| RankRun::new(schedule, rank)).collect();
        let free = vec![[Time::ZERO; 2]; ranks as usize];
        let mut ideal = Ideal { schedule, runs, free, events: BinaryHeap::new(), count: 0 };
        let mut out = Vec::new();
        let mut end = Time::ZERO;
        for rank in 0..ranks {
            ideal.runs[rank as usize].start(schedule, &mut out);
            ideal.act(rank, Time::ZERO, &mut out);
        }
        while let Some(Reverse((now, _, event))) = ideal.events.pop() {
            ideal.happen(now, event);
            end = now;
        }
        assert!(ideal.runs.iter().all(RankRun::is_finished));
        end
    }

    fn happen(&mut self, now: Time, event: Event) {
        let mut out = Vec::new();
        let rank = match event {
            Event::Head { from, to, tag, size, sender } => {
                let free = &mut self.free[to as usize][1];
                *free = now.max(*free) + COST.rate.time_for(Bytes::new(size));
                let tail = *free;
                return self.push(tail, Event::Tail { from, to, tag, sender });
            }
            Event::Tail { from, to, tag, sender } => {
                if let Some((stream, index)) = sender {
                    self.push(now + COST.alpha, Event::Finish { rank: from, stream, index });
                }
                self.runs[to as usize].received(self.schedule, from, tag, &mut out);
                to
            }
            Event::Finish { rank, stream, index } => {
                self.runs[rank as usize].finished_op(self.schedule, stream, index, &mut out);
                rank
            }
        };
        self.act(rank, now, &mut out);
    }

    fn act(&mut self, rank: u32, now: Time, out: &mut Vec<Action>) {
        for action in out.drain(..) {
            match action {
                Action::Send { stream, index, to, tag, size, detached, local } => {
                    let free = &mut self.free[rank as usize][0];
                    let begin = now.max(*free);
                    *free = begin + COST.rate.time_for(Bytes::new(size));
                    let end = *free;
                    if local {
                        self.push(end, Event::Finish { rank, stream, index });
                    }
                    let sender = (!detached && !local).then_some((stream, index));
                    self.push(begin + COST.alpha, Event::Head { from: rank, to, tag, size, sender });
                }
                Action::Compute { stream, index, time } => {
                    self.push(now + time, Event::Finish { rank, stream, index });
                }
                Action::Reduce { stream, index, .. } => self.push(now, Event::Finish { rank, stream, index }),
                Action::Finished => {}
            }
        }
    }

    fn push(&mut self, time: Time, event: Event) {
        self.count += 1;
        self.events.push(Reverse((time, self.count, event)));
    }
}

/// Simulated over closed form.
fn ratio(schedule: &dyn Schedule) -> f64 {
    let closed = schedule.analytic(COST).expect("this schedule has a closed form");
    Ideal::run(schedule).as_secs_f64() / closed.as_secs_f64()
}

fn assert_near(ratio: f64, tolerance: f64, what: &str) {
    assert!((ratio - 1.0).abs() <= tolerance, "{what}: simulated / closed form = {ratio}");
}

#[test]
fn ring_closed_form_gives_the_known_milliseconds() {
    let known = [(8, 35.07, 0.105), (64, 40.01, 0.669), (512, 45.03, 5.150)];
    for (n, giga, mega) in known {
        for (size, expected) in [(1_000_000_000, giga), (1_000_000, mega)] {
            let time = Ring::all_reduce(Layout::flat(n), size).analytic(COST).unwrap().as_secs_f64() * 1e3;
            assert!((time / expected - 1.0).abs() < 0.001, "{n} ranks, {size} B: {time} ms, not {expected}");
        }
    }
}

#[test]
fn rings_take_their_closed_form() {
    for (n, size) in [(1, 1000), (2, 1000), (8, 1_000_000_000), (64, 1_000_000), (200, 4_000_000)] {
        let layout = Layout::flat(n);
        for ring in [Ring::all_reduce(layout, size), Ring::reduce_scatter(layout, size), Ring::all_gather(layout, size)]
        {
            let closed = ring.analytic(COST).unwrap();
            let simulated = Ideal::run(&ring);
            assert!(simulated >= closed && simulated.as_secs_f64() <= closed.as_secs_f64() * 1.001, "{n} ranks");
            assert_eq!(Ideal::run(&ring.clone().with_reduce()), simulated, "a reduction without time changes nothing");
        }
    }
}

#[test]
fn slices_hide_the_latency_of_a_ring() {
    let plain = Ring::all_reduce(Layout::flat(8), 64 << 20).with_slicing(Slicing { slice: 1 << 20, per_chunk: 1 });
    let sliced = plain.clone().with_slicing(Slicing::of(512 << 10));
    // 8 loops of 14 steps; two slices of 10.5 us each, so the latency of 5 us is hidden but for the last step.
    let (plain, sliced) = (Ideal::run(&plain), Ideal::run(&sliced));
    assert_near(plain.as_secs_f64() / (112.0 * (5e-6 + (1 << 20) as f64 / 50e9)), 1e-6, "one slice a chunk");
    assert_near(sliced.as_secs_f64() / (112.0 * (1 << 20) as f64 / 50e9), 0.01, "two slices a chunk");
}

#[test]
fn chains_take_their_closed_form() {
    for (n, size) in [(2, 8 << 20), (9, 64 << 20), (64, 256 << 10), (64, 64 << 20)] {
        assert_near(ratio(&Chain::broadcast(Layout::flat(n), size, n / 2)), 0.001, "broadcast");
        assert_near(ratio(&Chain::reduce(Layout::flat(n), size, n / 2)), 0.001, "reduce");
    }
}

#[test]
fn double_tree_has_the_bandwidth_of_a_ring_and_the_latency_of_a_tree() {
    let pipeline = Pipeline { slice: 128 << 10, depth: 32 };
    for n in [2, 4, 16, 64, 100] {
        let (large, layout) = (256 << 20, Layout::flat(n));
        let double = Tree::double(layout, large).with_pipeline(pipeline);
        let single = Tree::single(layout, large).with_pipeline(pipeline);
        assert_near(ratio(&double), 0.1, "double tree");
        assert_near(ratio(&single), 0.1, "single tree");
        let (double, single) = (Ideal::run(&double).as_secs_f64(), Ideal::run(&single).as_secs_f64());
        let ring = Ideal::run(&Ring::all_reduce(layout, large)).as_secs_f64();
        // Two hosts send everything once either way; from four on one tree sends three copies and two trees send two.
        let expected = if n == 2 { [1.0, 1.0] } else { [n as f64 / (n - 1) as f64, 1.5 * n as f64 / (n - 1) as f64] };
        assert_near(double / ring / expected[0], 0.1, "double tree against ring");
        assert_near(single / ring / expected[1], 0.1, "single tree against ring");
    }
    let small = Tree::double(Layout::flat(64), 1024);
    assert_near(Ideal::run(&small).as_secs_f64() / (12.0 * 5e-6), 0.02, "latency of 64 hosts");
}

#[test]
fn halving_doubling_takes_its_closed_form() {
    for (n, size) in [(2, 1 << 20), (64, 1 << 20), (256, 1024)] {
        assert_near(ratio(&HalvingDoubling::new(Layout::flat(n), size)), 0.001, "halving-doubling");
    }
    for n in [3, 6, 65] {
        assert_near(ratio(&HalvingDoubling::new(Layout::flat(n), 64 << 20)), 0.08, "halving-doubling with folding");
    }
}

#[test]
fn exchanges_take_their_closed_form() {
    for (n, size) in [(2, 1 << 20), (64, 64 << 20), (100, 100_000)] {
        let uniform = AllToAll::uniform(Layout::flat(n), size);
        assert_near(ratio(&uniform), 0.001, "pairwise");
        assert_near(ratio(&uniform.clone().with_exchange(Exchange::Direct)), 0.001, "direct");
        let bus = uniform.analytic(Cost { alpha: Time::ZERO, ..COST }).unwrap();
        let busbw = size as f64 / bus.as_secs_f64() * Collective::AllToAll.bus_factor(n);
        assert_near(busbw / 50e9, 1e-6, "busbw is the rate of the NIC");
    }
    assert_near(ratio(&SendRecv::new(Layout::flat(5), 1 << 20)), 1e-6, "send-recv");
    assert_near(ratio(&Barrier::new(100)), 0.001, "barrier");
}

#[test]
fn low_latency_dispatch_of_128_tokens_is_bound_by_its_bytes() {
    // 128 tokens, top 8: copies of 7392 B are 151 us of wire time at 400 Gb/s, those of 14336 B on the way back 294 us;
    // one in 256 stays where it is.
    let routing = Routing::balanced(256, 128, 8);
    let moe = Moe::new(Layout::flat(256), &routing, 7392, 14_336).with_compute(Time::from_us(100));
    let expected = (151.0 + 294.0) * 255.0 / 256.0 + 100.0 + 2.0 * 5.0;
    assert_near(moe.analytic(COST).unwrap().as_secs_f64() * 1e6 / expected, 0.01, "closed form");
    assert_near(ratio(&moe), 0.001, "simulated");
}

#[test]
fn all_to_all_on_hosts_counts_only_what_leaves_them() {
    // algbw = B N / (N - 1) for N hosts of eight GPUs with a NIC each.
    let time = AllToAll::uniform(Layout::new(4, 8, 8), 64 << 20).analytic(Cost { alpha: Time::ZERO, ..COST }).unwrap();
    assert_near((64 << 20) as f64 / time.as_secs_f64() / (50e9 * 4.0 / 3.0), 1e-6, "algbw");
}

#[test]
fn a_ring_over_rails_uses_all_nics() {
    let free = Cost { alpha: Time::ZERO, ..COST };
    let time = Ring::all_reduce(Layout::new(8, 8, 8), 1 << 30).analytic(free).unwrap();
    let busbw = (1u64 << 30) as f64 / time.as_secs_f64() * Collective::AllReduce.bus_factor(64);
    assert_near(busbw / 400e9, 1e-6, "busbw");
    // Two hosts: each is the root of one tree, so every byte crosses once a direction.
    let tree = Tree::double(Layout::new(2, 8, 8), 1 << 40).analytic(free).unwrap();
    assert_near(tree.as_secs_f64() / ((1u64 << 40) as f64 / 400e9), 1e-3, "double tree on two hosts");
}

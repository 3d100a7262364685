use engine::{Delays, Engine, EventQueue, Lane};
use fabric::Frame;
use units::{Bytes, PortId, Rate, Time};

/// The delays of every link: which lane a frame of a given size takes.
#[derive(Debug)]
pub(crate) struct Lines {
    profile_of: Vec<u16>,
    profiles: Vec<Profile>,
    /// Sizes frequent enough to have a lane of their own.
    common: Vec<u16>,
}

/// What decides delays on a directed link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LineKind {
    pub(crate) rate: Rate,
    pub(crate) propagation: Time,
    /// Latency of the pipeline that data meets at the receiver.
    pub(crate) pipeline: Time,
    /// Bytes after which a cut-through receiver acts; `None`: at the tail.
    pub(crate) cut: Option<u16>,
}

#[derive(Debug)]
struct Profile {
    kind: LineKind,
    /// Of the common sizes; unused places have size zero, which no frame has.
    lanes: [(u16, Lane); COMMON],
    pause: Lane,
}

/// The most sizes that are common: full packets, first packets, last packets of messages, acks.
pub(crate) const COMMON: usize = 4;

/// A PFC frame on the wire.
const PAUSE_BYTES: u64 = 84;

impl Lines {
    pub(crate) fn new<Q: EventQueue>(engine: &mut Engine<Q>, kinds: &[LineKind], common: &[u16]) -> Lines {
        assert!(common.len() <= COMMON, "a lane for each common size");
        let mut lines = Lines { profile_of: Vec::new(), profiles: Vec::new(), common: common.to_vec() };
        for kind in kinds {
            let profile = lines.profile(engine, *kind);
            lines.profile_of.push(profile);
        }
        lines
    }

    fn profile<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, kind: LineKind) -> u16 {
        if let Some(index) = self.profiles.iter().position(|p| p.kind == kind) {
            return index as u16;
        }
        let mut lanes = [(0, Lane(0)); COMMON];
        for (place, &size) in lanes.iter_mut().zip(&self.common) {
            *place = (size, engine.lane(kind.delays(size)));
        }
        let pause = engine.lane(kind.pause_delays());
        self.profiles.push(Profile { kind, lanes, pause });
        u16::try_from(self.profiles.len() - 1).expect("fewer than 65,536 kinds of links")
    }

    /// The link that leaves `port` runs at another (positive) rate from now on.
    pub(crate) fn set_rate<Q: EventQueue>(&mut self, engine: &mut Engine<Q>, port: PortId, rate: Rate) {
        let kind = self.profiles[usize::from(self.profile_of[port.index()])].kind;
        self.profile_of[port.index()] = self.profile(engine, LineKind { rate, ..kind });
    }

    #[inline(always)]
    pub(crate) fn transmit<Q: EventQueue>(&self, engine: &mut Engine<Q>, port: PortId, frame: Frame, item: u32) {
        let profile = &self.profiles[usize::from(self.profile_of[port.index()])];
        match frame {
            Frame::Pause => engine.transmit(port, profile.pause, item),
            Frame::Packet(size) => {
                for &(common, lane) in &profile.lanes {
                    if common == size {
                        return engine.transmit(port, lane, item);
                    }
                }
                engine.transmit_odd(port, profile.kind.delays(size), item);
            }
        }
    }
}

impl LineKind {
    fn delays(&self, size: u16) -> Delays {
        let wire = self.rate.time_for(Bytes::new(u64::from(size)));
        let seen = match self.cut {
            Some(header) => self.rate.time_for(Bytes::new(u64::from(header.min(size)))),
            None => wire,
        };
        Delays { wire, arrival: seen + self.propagation + self.pipeline, lag: wire - seen, express: false }
    }

    /// PFC frames are taken whole and act before the pipeline.
    fn pause_delays(&self) -> Delays {
        let wire = self.rate.time_for(Bytes::new(PAUSE_BYTES));
        Delays { wire, arrival: wire + self.propagation, lag: Time::ZERO, express: true }
    }
}

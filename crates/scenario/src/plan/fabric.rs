use fabric::{Buffer, Credit, Ecn, FabricConfig, FlowControl, MarkAt, Pfc, Policy, Pool, Quanta, Service, Thresholds};
use sim::Switching;
use transport::{AckEvery, CongestionConfig, Overheads, TransportConfig, TransportKind};
use units::{Bytes, Time};

use super::Planner;
use super::topology::loss;
use crate::spec;

/// Bytes that a switch must have of a packet before it forwards it: headers up to the transport's.
const CUT_THROUGH_HEADER: u16 = 64;

/// Data of RoCE travels in this priority by default, as the lossless traffic class of common configurations.
const ROCE_PRIORITY: u8 = 3;

impl Planner<'_> {
    pub(super) fn transport(&self) -> TransportConfig {
        let fabric = &self.scenario.spec.fabric;
        let mut overheads = match fabric.technology {
            spec::Technology::Infiniband => Overheads::INFINIBAND,
            spec::Technology::Roce => Overheads::ROCE_V2,
        };
        if fabric.transport == spec::Transport::Ud {
            overheads.packet += Overheads::DETH;
            overheads.first = 0;
        }
        if let Some(overhead) = fabric.link.overhead {
            (overheads.packet, overheads.first) = (overhead.get() as u16, 0);
        }
        let base = TransportConfig {
            kind: TransportKind::Ud,
            mtu: fabric.link.mtu.get() as u32,
            overheads,
            ack_every: AckEvery::Message,
            window: TransportConfig::MAX_WINDOW,
            any_order: false,
            timeout: Time::from_ms(4),
            retries: 7,
            cnp_interval: None,
            congestion: CongestionConfig::None,
        };
        match fabric.transport {
            spec::Transport::Ud => base,
            spec::Transport::Rc(rc) => TransportConfig {
                kind: TransportKind::Rc,
                ack_every: match rc.ack_every {
                    spec::AckEvery::Packets(n) => AckEvery::Packets(n),
                    spec::AckEvery::Message => AckEvery::Message,
                },
                window: rc.window.unwrap_or(TransportConfig::MAX_WINDOW).min(TransportConfig::MAX_WINDOW),
                timeout: rc.timeout,
                retries: rc.retries,
                ..base
            },
        }
    }

    pub(super) fn fabric(&self, transport: &TransportConfig) -> (FabricConfig, Policy) {
        let fabric = &self.scenario.spec.fabric;
        let largest = Bytes::new(u64::from(transport.largest_frame()));
        let flow_control = match &fabric.flow_control {
            spec::FlowControl::None => FlowControl::None,
            spec::FlowControl::Pfc(pfc) => FlowControl::Pfc(self.pfc(pfc, largest)),
            spec::FlowControl::Credit(credit) => FlowControl::Credit(Credit {
                buffer: (credit.buffer.get() / u64::from(Credit::BLOCK)) as u32,
                window: credit.window.map(|window| window.min(u64::from(u32::MAX >> 1)) as u32),
            }),
        };
        let lossy = matches!(flow_control, FlowControl::None);
        let config = FabricConfig {
            classes: 2,
            flow_control,
            service: match fabric.switch.service {
                spec::Service::Fifo => Service::Fifo,
                spec::Service::RoundRobin => Service::RoundRobin,
            },
            buffer: Buffer { size: fabric.buffer.size.filter(|_| lossy), egress_limit: fabric.buffer.egress_limit },
            ecn: fabric.ecn.map(ecn),
            largest_frame: largest,
        };
        let policy = match fabric.routing {
            spec::Routing::Ecmp | spec::Routing::Explicit | spec::Routing::UpDown => Policy::Ecmp,
            spec::Routing::DModK | spec::Routing::MinHop => Policy::DModK,
        };
        (config, policy)
    }

    fn pfc(&self, pfc: &spec::Pfc, largest: Bytes) -> Pfc {
        let buffer = &self.scenario.spec.fabric.buffer;
        let thresholds = match pfc.xoff {
            spec::Xoff::Static { xoff, xon } => {
                let default = Bytes::new(xoff.get().saturating_sub(2 * largest.get()));
                Thresholds::Static { xoff, xon: xon.unwrap_or(default) }
            }
            spec::Xoff::Dynamic => Thresholds::Dynamic(Pool {
                size: buffer.size.unwrap_or(Bytes::new(u64::MAX / 4)),
                alpha_num: buffer.alpha.numerator(),
                alpha_den: buffer.alpha.denominator(),
                reserve: buffer.reserve,
                resume_offset: buffer.resume_offset,
            }),
        };
        Pfc {
            thresholds,
            headroom: match pfc.headroom {
                spec::Headroom::Auto => None,
                spec::Headroom::Fixed(bytes) => Some(bytes),
            },
            response: pfc.response,
            quanta: Quanta(pfc.quanta),
            refresh: pfc.refresh == spec::Refresh::Auto,
        }
    }

    pub(super) fn switching(&self) -> Switching {
        let switch = &self.scenario.spec.fabric.switch;
        Switching {
            cut_through: (switch.forwarding == spec::Forwarding::CutThrough).then_some(CUT_THROUGH_HEADER),
            latency: switch.latency,
        }
    }

    /// What users call the classes in use; the first is control.
    pub(super) fn class_labels(&self) -> Vec<u8> {
        match self.scenario.spec.fabric.technology {
            spec::Technology::Infiniband => vec![15, 0],
            spec::Technology::Roce => vec![6, ROCE_PRIORITY],
        }
    }
}

fn ecn(ecn: spec::Ecn) -> Ecn {
    Ecn {
        kmin: ecn.kmin,
        kmax: ecn.kmax,
        pmax: loss(ecn.pmax),
        mark_at: match ecn.mark_at {
            spec::MarkAt::Dequeue => MarkAt::Dequeue,
            spec::MarkAt::Enqueue => MarkAt::Enqueue,
        },
    }
}

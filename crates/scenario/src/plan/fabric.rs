use fabric::{Buffer, Credit, Ecn, FabricConfig, FlowControl, MarkAt, Pfc, Policy, Pool, Quanta, Service, Thresholds};
use sim::Switching;
use topology::{NodeKind, Topology};
use transport::{AckEvery, CongestionConfig, DcqcnConfig, DctcpConfig, Overheads, TransportConfig, TransportKind};
use units::{Bytes, Time};

use super::Planner;
use super::topology::loss;
use crate::diagnostic::Code;
use crate::spec;

/// Bytes that a switch must have of a packet before it forwards it: headers up to the transport's.
const CUT_THROUGH_HEADER: u16 = 64;

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
            cnp_interval: match &fabric.congestion_control {
                spec::CongestionControl::Dcqcn(dcqcn) => Some(dcqcn.cnp_interval),
                _ => None,
            },
            congestion: congestion(&fabric.congestion_control),
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
                any_order: matches!(fabric.routing.kind, spec::RoutingKind::Spray | spec::RoutingKind::Adaptive),
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
            classes: self.classes.len() as u8,
            flow_control,
            service: match fabric.switch.service {
                spec::Service::Fifo => Service::Fifo,
                spec::Service::RoundRobin => Service::RoundRobin,
            },
            buffer: Buffer { size: fabric.buffer.size.filter(|_| lossy), egress_limit: fabric.buffer.egress_limit },
            ecn: fabric.ecn.map(ecn),
            largest_frame: largest,
        };
        let policy = match fabric.routing.kind {
            spec::RoutingKind::Ecmp | spec::RoutingKind::Explicit | spec::RoutingKind::UpDown => Policy::Ecmp,
            spec::RoutingKind::DModK | spec::RoutingKind::MinHop => Policy::DModK,
            spec::RoutingKind::Spray => Policy::Spray,
            spec::RoutingKind::Adaptive => Policy::Adaptive,
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

    pub(super) fn acks_with_data(&self) -> bool {
        matches!(
            self.scenario.spec.fabric.transport,
            spec::Transport::Rc(spec::Rc { ack_class: spec::AckClass::Same, .. })
        )
    }

    pub(super) fn switching(&self) -> Switching {
        let switch = &self.scenario.spec.fabric.switch;
        Switching {
            cut_through: (switch.forwarding == spec::Forwarding::CutThrough).then_some(CUT_THROUGH_HEADER),
            latency: switch.latency,
        }
    }

    /// Static thresholds promise every input its memory, so all of it must be there.
    pub(super) fn memory_holds_thresholds(&mut self, topology: &Topology, config: &FabricConfig) {
        let (Some(size), FlowControl::Pfc(pfc)) = (self.scenario.spec.fabric.buffer.size, &config.flow_control) else {
            return;
        };
        let Thresholds::Static { xoff, .. } = pfc.thresholds else { return };
        let latency = self.switching().latency;
        let classes = u128::from(config.classes - 1);
        for node in topology.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Switch { .. })) {
            let ports = node.first_port as usize..node.first_port as usize + usize::from(node.ports);
            let input = |port: &topology::Port| {
                let headroom = pfc.headroom_of(port.rate, port.delay, latency, config.largest_frame);
                u128::from(xoff.get()) + u128::from(headroom.get())
            };
            let needed = topology.ports[ports].iter().map(input).sum::<u128>() * classes;
            if needed > u128::from(size.get()) {
                let text = format!(
                    "the inputs of `{}` may hold {needed} B in all (`pfc.xoff` and headroom), more than `buffer.size` ({size})",
                    node.name
                );
                let help = "lower `pfc.xoff`, take `pfc.xoff: dynamic`, or a larger buffer";
                self.refuse(Code::Impossible, "fabric.pfc.xoff", text, help);
                return;
            }
        }
    }
}

fn congestion(control: &spec::CongestionControl) -> CongestionConfig {
    match control {
        spec::CongestionControl::None => CongestionConfig::None,
        spec::CongestionControl::Window { packets } => CongestionConfig::Window(*packets),
        spec::CongestionControl::Dcqcn(dcqcn) => CongestionConfig::Dcqcn(DcqcnConfig {
            cnp_interval: dcqcn.cnp_interval,
            alpha_timer: dcqcn.alpha_timer,
            increase_timer: dcqcn.increase_timer,
            byte_counter: dcqcn.byte_counter,
            fast_recovery: dcqcn.fast_recovery,
            additive: dcqcn.additive,
            hyper: dcqcn.hyper,
            min_rate: dcqcn.min_rate,
            gain: dcqcn.gain.denominator() as u32,
            alpha_order: match dcqcn.alpha_order {
                spec::AlphaOrder::CutFirst => transport::AlphaOrder::CutFirst,
                spec::AlphaOrder::UpdateFirst => transport::AlphaOrder::UpdateFirst,
            },
            stage_order: match dcqcn.stage_order {
                spec::StageOrder::CompareFirst => transport::StageOrder::CompareFirst,
                spec::StageOrder::IncrementFirst => transport::StageOrder::IncrementFirst,
            },
        }),
        spec::CongestionControl::Dctcp(dctcp) => CongestionConfig::Dctcp(DctcpConfig {
            initial_window: dctcp.initial_window,
            gain: dctcp.gain.denominator() as u32,
            slow_start: dctcp.slow_start,
        }),
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

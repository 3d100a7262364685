use units::Bytes;
use units::text::Fraction;

use super::Rules;
use crate::diagnostic::Code;
use crate::spec::{
    AckEvery, Buffer, CongestionControl, Credit, Ecn, FlowControl, Headroom, Pfc, Rc, Technology, Transport, Work, Xoff,
};

/// MTUs of InfiniBand and RoCE (IBTA volume 1, 5.2).
const MTUS: [u64; 5] = [256, 512, 1024, 2048, 4096];

impl Rules<'_> {
    pub(super) fn fabric(&mut self) {
        let fabric = &self.spec.fabric;
        self.mtu();
        match &fabric.flow_control {
            FlowControl::Pfc(pfc) => self.pfc(pfc, &fabric.buffer),
            FlowControl::Credit(credit) => self.credit(credit),
            FlowControl::None => {}
        }
        let is_dynamic = matches!(&fabric.flow_control, FlowControl::Pfc(Pfc { xoff: Xoff::Dynamic, .. }));
        if !is_dynamic {
            let why = "thresholds are not dynamic (`pfc.xoff: dynamic`)";
            ["fabric.buffer.alpha", "fabric.buffer.reserve", "fabric.buffer.resume_offset"]
                .iter()
                .for_each(|path| self.without_effect(path, why));
        }
        if let Some(ecn) = fabric.ecn {
            if ecn.kmin > ecn.kmax {
                let text = format!("`ecn.kmin` ({}) is above `ecn.kmax` ({})", ecn.kmin, ecn.kmax);
                self.add(Code::Contradiction, "fabric.ecn.kmin", text);
            }
            self.marks_before_pauses(&ecn);
        }
        self.congestion();
        if let Transport::Rc(Rc { ack_every: AckEvery::Packets(every), window: Some(window), .. }) = fabric.transport
            && every > window
        {
            let text = format!("an acknowledgement every {every} packets never comes within a window of {window}");
            self.refuse(Code::Contradiction, "fabric.transport.ack_every", text, "acknowledge at least once a window");
        }
        if fabric.transport == Transport::Ud && matches!(self.spec.workload.work, Work::Collective(_)) {
            let text = "a collective needs acknowledgements, and `transport.kind: ud` has none";
            self.refuse(Code::Contradiction, "fabric.transport.kind", text, "take `rc`, or flows as the workload");
        }
        if fabric.link.loss == Fraction::ONE {
            self.add(Code::Impossible, "fabric.link.loss", "every packet of every link would be lost");
        }
    }

    /// Marks need a sender that listens, and the other way round.
    fn congestion(&mut self) {
        let fabric = &self.spec.fabric;
        let control = fabric.congestion_control;
        match (fabric.ecn.is_some(), control.listens_to_marks()) {
            (true, false) => {
                let kind = if control == CongestionControl::None { "none" } else { "window" };
                self.without_effect("fabric.ecn", &format!("senders ignore marks (`congestion_control: {kind}`)"));
            }
            (false, true) => {
                self.without_effect("fabric.congestion_control", "no switch marks packets (`fabric.ecn` is not set)");
            }
            _ => {}
        }
        let windowed = matches!(control, CongestionControl::Window { .. } | CongestionControl::Dctcp(_));
        if windowed && fabric.transport == Transport::Ud {
            self.without_effect("fabric.congestion_control", "`transport.kind: ud` has no acknowledgements");
        }
        let gain = match control {
            CongestionControl::Dcqcn(dcqcn) => dcqcn.gain,
            CongestionControl::Dctcp(dctcp) => dctcp.gain,
            _ => return,
        };
        if gain.numerator() != 1 || gain.denominator() > 1 << 20 {
            let text = format!("a gain of {gain} is not 1 over a whole number up to 2^20");
            let help = "write for example `1/256`";
            self.refuse(Code::Impossible, "fabric.congestion_control.gain", text, help);
        }
    }

    /// One congested input is paused at this queue at the latest; marking has to begin earlier to be of use.
    fn marks_before_pauses(&mut self, ecn: &Ecn) {
        let fabric = &self.spec.fabric;
        let xoff = match &fabric.flow_control {
            FlowControl::Pfc(Pfc { xoff: Xoff::Static { xoff, .. }, .. }) => Some(*xoff),
            FlowControl::Pfc(_) => fabric.buffer.size.map(|size| {
                // The one saturated input has alpha of what it leaves free: alpha B / (1 + alpha).
                let (num, den) = (fabric.buffer.alpha.numerator(), fabric.buffer.alpha.denominator());
                let part = u128::from(size.get()) * u128::from(num) / (u128::from(num) + u128::from(den)).max(1);
                Bytes::new(u64::try_from(part).unwrap_or(u64::MAX))
            }),
            _ => None,
        };
        if let Some(xoff) = xoff.filter(|xoff| ecn.kmin >= *xoff && fabric.congestion_control.listens_to_marks()) {
            let text = format!(
                "marking begins at {}, and one input is paused at {xoff} already: PFC acts before ECN",
                ecn.kmin
            );
            self.refuse(Code::Suspicious, "fabric.ecn.kmin", text, "take `ecn.kmin` well below the threshold of PFC");
        }
    }

    fn mtu(&mut self) {
        let link = &self.spec.fabric.link;
        if self.root.at("fabric.link.ip_mtu").is_some() {
            if self.spec.fabric.technology == Technology::Infiniband {
                let text = "InfiniBand packets are not in IP packets, so `ip_mtu` means nothing here";
                self.refuse(Code::Contradiction, "fabric.link.ip_mtu", text, "give `mtu`");
            }
        } else if !MTUS.contains(&link.mtu.get()) {
            let text = format!("{} is no MTU of {}", link.mtu, self.spec.fabric.technology.word());
            let help = "it has 256, 512, 1024, 2048 and 4096 bytes; this one is simulated as written";
            self.refuse(Code::OddMtu, "fabric.link.mtu", text, help);
        }
    }

    fn pfc(&mut self, pfc: &Pfc, buffer: &Buffer) {
        if pfc.headroom == Headroom::Fixed(Bytes::ZERO) {
            let text = "without headroom, what is on its way when PAUSE is sent is lost";
            self.refuse(Code::Suspicious, "fabric.pfc.headroom", text, "`headroom: auto` covers the worst case");
        }
        match pfc.xoff {
            Xoff::Static { xoff, xon } => {
                if let Some(xon) = xon.filter(|xon| *xon > xoff) {
                    let text =
                        format!("`pfc.xon` ({xon}) is above `pfc.xoff` ({xoff}): it would resume before it pauses");
                    self.refuse(Code::Contradiction, "fabric.pfc.xon", text, "take xon below xoff");
                }
                if let Some(size) = buffer.size.filter(|size| xoff > *size) {
                    let text = format!("`pfc.xoff` ({xoff}) is more than the whole buffer ({size})");
                    self.add(Code::Impossible, "fabric.pfc.xoff", text);
                }
            }
            Xoff::Dynamic => {
                if buffer.size.is_none() {
                    let text = "dynamic thresholds need a `buffer.size`, and the buffer is unlimited";
                    let help = "give `buffer: {size: 32MB}`, or a static `pfc.xoff`";
                    self.refuse(Code::Contradiction, "fabric.pfc.xoff", text, help);
                }
                if buffer.alpha == Fraction::ZERO {
                    self.add(
                        Code::Impossible,
                        "fabric.buffer.alpha",
                        "`buffer.alpha` of 0 would pause every input for ever",
                    );
                }
                self.without_effect(
                    "fabric.pfc.xon",
                    "`pfc.xoff` is dynamic; `buffer.resume_offset` sets the distance",
                );
            }
        }
    }

    /// A buffer that holds no packet would never grant enough to send one.
    fn credit(&mut self, credit: &Credit) {
        let fabric = &self.spec.fabric;
        // The longest headers: those of every packet, and RETH 16 or DETH 8; `overhead` stands in the place of all.
        let technology = match fabric.technology {
            Technology::Infiniband => 26,
            Technology::Roce => 82,
        };
        let first = if fabric.transport == Transport::Ud { 8 } else { 16 };
        let overhead = fabric.link.overhead.map_or(technology + first, Bytes::get);
        let largest = (self.spec.fabric.link.mtu.get() + overhead).div_ceil(64);
        if credit.buffer.get() / 64 < largest {
            let text =
                format!("a packet takes {}, more than `credit.buffer` ({})", Bytes::new(largest * 64), credit.buffer);
            self.refuse(Code::Impossible, "fabric.credit.buffer", text, "make the buffer larger or the MTU smaller");
        } else if credit.window.is_some_and(|window| window < largest) {
            let text = format!("a packet takes {largest} blocks, more than `credit.window`");
            self.add(Code::Impossible, "fabric.credit.window", text);
        }
    }
}

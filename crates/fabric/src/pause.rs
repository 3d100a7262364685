use units::{ConnId, PortId};
use wire::{Kind, Packet, PacketId, Pause};

use crate::config::{FlowControl, Pfc};
use crate::effects::{Effects, FabricTimer, Frame, Source};
use crate::fabric::{Fabric, PAUSE_SIZE};
use crate::guard::Guard;
use crate::port::{HERE, Sending};

impl Fabric {
    fn pfc(&self) -> &Pfc {
        match &self.config.flow_control {
            FlowControl::Pfc(pfc) => pfc,
            other => unreachable!("only PFC sends PAUSE frames, not {other:?}"),
        }
    }

    /// The guard of `port` has decided to stop its sender.
    #[inline(never)]
    pub(crate) fn ask_to_stop<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8) {
        let node = self.ports[port.index()].node as usize;
        self.nodes[node].stopped += 1;
        self.queue_frame(fx, source, port, class, true);
    }

    /// The guard of `port` lets its sender go on.
    #[inline(never)]
    pub(crate) fn let_go_on<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8) {
        let node = self.ports[port.index()].node as usize;
        let index = self.lane(port, class);
        if let Guard::Pause(guard) = &mut self.lanes[index].guard {
            guard.stopped = false;
        }
        self.nodes[node].stopped -= 1;
        self.queue_frame(fx, source, port, class, false);
    }

    /// A frame for `class` waits for the line; what waits already is overtaken by the newest word.
    fn queue_frame<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8, stop: bool) {
        let state = &mut self.ports[port.index()];
        state.pause_due |= 1 << class;
        state.pause_stop = if stop { state.pause_stop | 1 << class } else { state.pause_stop & !(1 << class) };
        self.try_send(fx, source, port);
    }

    /// Sends the waiting PFC frame of a port whose line is free. It goes ahead of all queues.
    #[inline(never)]
    pub(crate) fn send_frame<F: Effects>(&mut self, fx: &mut F, port: PortId) {
        let (quanta, refresh) = (self.pfc().quanta, self.pfc().refresh);
        let state = &mut self.ports[port.index()];
        let (classes, stop) = (state.pause_due, state.pause_stop & state.pause_due);
        (state.pause_due, state.pause_stop) = (0, 0);
        state.busy = true;
        state.sending = Sending { ingress: HERE, size: PAUSE_SIZE, class: crate::CONTROL };
        state.frames += 1;
        let rate = self.ports[self.ports[port.index()].peer.index()].rate;
        for class in (1..self.config.classes).filter(|class| classes & 1 << class != 0) {
            let index = self.lane(port, class);
            let lane = &mut self.lanes[index];
            let rare = lane.rare();
            rare.frames_sent = rare.frames_sent.wrapping_add(1);
            if stop & 1 << class == 0 {
                rare.counters.resume_sent += 1;
                continue;
            }
            rare.counters.pause_sent += 1;
            // Repeated at half the pause time, so that one refresh is always in time.
            if refresh && let Guard::Pause(guard) = &mut lane.guard {
                let span = quanta.span(rate);
                guard.refresh_at = fx.now().saturating_add(units::Time::from_ps(span.ps() / 2));
                if !guard.armed && guard.refresh_at > fx.now() {
                    guard.armed = true;
                    fx.timer(guard.refresh_at, FabricTimer::PauseRefresh(port, class));
                }
            }
        }
        let pause = Pause { classes, stop, quanta: quanta.0 };
        let packet = Packet {
            conn: ConnId(u32::MAX),
            psn: pause.encode(),
            size: PAUSE_SIZE,
            ingress: HERE,
            kind: Kind::Pause,
            ..Packet::default()
        };
        let id = self.packets.insert(packet);
        fx.transmit(port, Frame::Pause, id);
    }

    /// A PFC frame arrives at `port`, whose sender half obeys.
    pub(crate) fn take_pause<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, id: PacketId) {
        let pause = Pause::decode(self.packets[id].psn);
        self.packets.remove(id);
        let now = fx.now();
        let response = self.pfc().response;
        let span = crate::Quanta(pause.quanta).span(self.ports[port.index()].rate);
        for class in (1..self.config.classes).filter(|class| pause.classes & 1 << class != 0) {
            let index = self.lane(port, class);
            let Some((gate, rare)) = self.lanes[index].pause_gate() else { continue };
            rare.frames_taken = rare.frames_taken.wrapping_add(1);
            let stop = pause.stop & 1 << class != 0;
            // A refresh prolongs a pause; anything else ends it first.
            if let Some(since) = rare.closed_at.take_if(|_| !stop || gate.until <= now) {
                rare.counters.paused += now.min(gate.until).saturating_sub(since);
            }
            if !stop {
                gate.resume(now);
                fx.gate(port, class, false);
                continue;
            }
            rare.counters.pause_received += 1;
            gate.stop(now, response, span);
            rare.closed_at.get_or_insert(gate.from.max(now));
            if !gate.armed && gate.until > now {
                gate.armed = true;
                fx.timer(gate.until, FabricTimer::PauseExpiry(port, class));
            }
            fx.gate(port, class, true);
        }
        self.try_send(fx, source, port);
    }

    /// The expiry timer of a paused class fires.
    pub fn pause_expired<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8) {
        let now = fx.now();
        let index = self.lane(port, class);
        let Some((gate, rare)) = self.lanes[index].pause_gate() else { return };
        if gate.until > now {
            fx.timer(gate.until, FabricTimer::PauseExpiry(port, class));
            return;
        }
        gate.armed = false;
        if let Some(since) = rare.closed_at.take() {
            rare.counters.paused += gate.until.saturating_sub(since);
            fx.gate(port, class, false);
        }
        self.try_send(fx, source, port);
    }

    /// The refresh timer of a guard fires: repeat the PAUSE while the sender should stay stopped.
    pub fn refresh_pause<F: Effects, S: Source>(&mut self, fx: &mut F, source: &mut S, port: PortId, class: u8) {
        let now = fx.now();
        let index = self.lane(port, class);
        let Guard::Pause(guard) = &mut self.lanes[index].guard else { return };
        if !guard.stopped {
            guard.armed = false;
        } else if guard.refresh_at > now {
            fx.timer(guard.refresh_at, FabricTimer::PauseRefresh(port, class));
        } else {
            guard.armed = false;
            self.queue_frame(fx, source, port, class, true);
        }
    }

    /// A fault makes the guard of `port` stop its sender whatever its memory says, or ends that.
    pub fn force_stop<F: Effects, S: Source>(
        &mut self,
        fx: &mut F,
        source: &mut S,
        port: PortId,
        class: u8,
        stop: bool,
    ) {
        let pool_used = self.nodes[self.ports[port.index()].node as usize].pool_used;
        let index = self.lane(port, class);
        let Guard::Pause(guard) = &mut self.lanes[index].guard else { return };
        guard.forced = stop;
        if stop && !guard.stopped {
            guard.stopped = true;
            self.ask_to_stop(fx, source, port, class);
        } else if !stop && guard.stopped && guard.may_resume(pool_used) {
            self.let_go_on(fx, source, port, class);
        }
    }
}

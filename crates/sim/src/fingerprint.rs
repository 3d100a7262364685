use units::{NodeId, PortId, Time};
use wire::Packet;

/// One hash chain a node over the packets that arrive there, folded in node order at the end. It
/// counts no engine events, so merging or skipping events cannot change it.
#[derive(Debug)]
pub(crate) struct Fingerprint(Vec<u64>);

impl Fingerprint {
    pub(crate) fn new(nodes: usize) -> Fingerprint {
        Fingerprint(vec![0; nodes])
    }

    #[inline]
    pub(crate) fn arrival(&mut self, node: NodeId, time: Time, port: PortId, packet: &Packet) {
        let what = u64::from(packet.conn.0) << 32 | u64::from(packet.psn);
        let how = u64::from(port.0) << 32
            | u64::from(packet.size) << 16
            | u64::from(packet.kind as u8) << 8
            | u64::from(packet.flags.0);
        let chain = &mut self.0[node.index()];
        *chain = step(step(*chain ^ time.ps()) ^ what.rotate_left(17) ^ how);
    }

    pub(crate) fn fold(&self) -> u64 {
        self.0.iter().fold(0x0F1E_2D3C_4B5A_6978, |hash, chain| step(step(hash ^ chain)))
    }
}

#[inline]
fn step(value: u64) -> u64 {
    let value = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    value ^ value >> 29
}

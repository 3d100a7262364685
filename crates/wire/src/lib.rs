//! What travels: the packet and the kinds of control it may be. Knows neither engine, fabric nor
//! transport.

mod packet;
mod slab;

pub use packet::{Flags, Kind, Packet, Pause};
pub use slab::{PacketId, Packets};

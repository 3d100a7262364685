use wire::PacketId;

/// What a node's timer is for. Encoded in the 32 bits of a timer slot: four for the kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Timer {
    /// A pause may have expired at (port of the node, class).
    PauseExpiry(u16, u8),
    /// A PAUSE may have to be repeated at (port of the node, class).
    PauseRefresh(u16, u8),
    /// The tail of a packet is there.
    Tail(PacketId),
    /// The retransmission timer of a connection.
    Retransmit(u32),
    /// A paced connection may send again.
    Paced(u32),
    /// A task of a host.
    Task(u32),
    /// A fault begins or ends.
    Fault(u32),
    /// A slow host has consumed a packet that came by this port of it.
    Consumed(u16),
}

const KIND_SHIFT: u32 = 28;
const VALUE: u32 = (1 << KIND_SHIFT) - 1;

impl Timer {
    pub(crate) fn encode(self) -> u32 {
        let of_class = |port: u16, class: u8| u32::from(port) << 3 | u32::from(class);
        let (kind, value) = match self {
            Timer::PauseExpiry(port, class) => (0, of_class(port, class)),
            Timer::PauseRefresh(port, class) => (1, of_class(port, class)),
            Timer::Tail(packet) => (2, packet.0),
            Timer::Retransmit(conn) => (3, conn),
            Timer::Paced(conn) => (4, conn),
            Timer::Task(task) => (5, task),
            Timer::Fault(fault) => (6, fault),
            Timer::Consumed(port) => (7, u32::from(port)),
        };
        assert!(value <= VALUE, "fewer than 2^28 of a kind");
        kind << KIND_SHIFT | value
    }

    pub(crate) fn decode(slot: u32) -> Timer {
        let value = slot & VALUE;
        let (port, class) = ((value >> 3) as u16, (value & 7) as u8);
        match slot >> KIND_SHIFT {
            0 => Timer::PauseExpiry(port, class),
            1 => Timer::PauseRefresh(port, class),
            2 => Timer::Tail(PacketId(value)),
            3 => Timer::Retransmit(value),
            4 => Timer::Paced(value),
            5 => Timer::Task(value),
            6 => Timer::Fault(value),
            _ => Timer::Consumed(value as u16),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_survive_encoding() {
        for timer in [
            Timer::PauseExpiry(511, 7),
            Timer::PauseRefresh(0, 1),
            Timer::Tail(PacketId(VALUE)),
            Timer::Retransmit(9),
            Timer::Paced(9),
            Timer::Task(9),
            Timer::Fault(9),
            Timer::Consumed(7),
        ] {
            assert_eq!(Timer::decode(timer.encode()), timer);
        }
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into a flat array.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A host or a switch.
    NodeId
);
id!(
    /// One end of a cable. Ports are numbered node by node; the directed link that leaves a port
    /// has the port's id.
    PortId
);
id!(
    /// A connection: a requester at its source, a responder at its destination.
    ConnId
);

use crate::connection::Use;
use crate::network::Network;

impl Network<'_> {
    /// Name of a collective's connection: ranks and rail.
    pub(crate) fn channel_name(&self, conn: usize) -> String {
        let record = &self.endpoints.conns[conn];
        match record.purpose {
            Use::Channel { from, to, .. } => format!("rank{from}->rank{to}#{}", record.src),
            Use::Flow(index) => format!("flow{index}"),
        }
    }
}

//! Discrete events. Knows no network: ports joined by cables, three verbs and an order.
//!
//! The three verbs are the only way to make something happen:
//! - [`Engine::transmit`] gives two callbacks: the line is free (here) and the item arrives (at the peer);
//! - [`Engine::signal`] carries a small absolute value to the peer; the newest wins and it is read lazily;
//! - [`Engine::at`] sets a timer for a node itself.
//!
//! Events are ordered by `(time, class, id, rank)` with the classes signal, line free, arrival, timer. The id
//! is the sending port, or the node and slot of a timer. The rank tells apart what one link brings at one
//! instant: an express item before a whole one before a head. The key is unique and follows from what the event
//! is, never from when it was inserted. Every delay is positive, so an event never causes another at its own
//! instant and all events of an instant can be taken at once. Should two arrivals share a key all the same (a
//! link whose rate changes can catch up with itself), the item decides.
//!
//! [`LogQueue`] is the queue to use; [`HeapQueue`] is its oracle in tests.

mod due;
mod engine;
mod event;
mod heads;
mod heap;
mod lane_log;
mod log;
mod random;
mod signals;
mod wheel;

pub use due::Due;
pub use engine::{Engine, Link, Status, World};
pub use event::{Delays, Event, EventQueue, Lane};
pub use heap::HeapQueue;
pub use log::LogQueue;
pub use random::{Purpose, Stream};

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::console;
use crate::ending::Ending;

static STOP: AtomicBool = AtomicBool::new(false);

/// Takes the first Ctrl-C (or SIGTERM, SIGHUP) as a request to end cleanly, and the second as one to end now.
/// Files are written under other names first, so even that leaves none in pieces.
pub(crate) fn listen() {
    let handled = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            process::exit(Ending::Failed as i32);
        }
    });
    if handled.is_err() {
        console::message("note: Ctrl-C will end this at once, without results");
    }
}

/// Set once the user wants to stop.
pub(crate) fn flag() -> &'static AtomicBool {
    &STOP
}

/// Whether the user wants to stop.
pub(crate) fn is_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

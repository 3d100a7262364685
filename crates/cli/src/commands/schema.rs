use crate::console;
use crate::ending::{Ending, Failure};

/// Prints the JSON Schema of scenario files.
pub(crate) fn run() -> Result<Ending, Failure> {
    console::results(&format!("{:#}\n", scenario::json_schema()))?;
    Ok(Ending::Done)
}

//! Arguments, progress, diagnostics, exit codes.
fn main() {}

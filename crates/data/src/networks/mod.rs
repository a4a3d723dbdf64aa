//! Networks that come with fedcdi, by name.

mod builtin;

pub use builtin::{Builtin, BuiltinError};

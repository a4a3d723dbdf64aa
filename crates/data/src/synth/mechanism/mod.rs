//! True conditionals: how a variable depends on its parents.

mod cpt;
mod law;
mod neural;
mod real;

pub use cpt::{Cpt, CptError};
pub use law::Mechanism;
pub(crate) use law::Parents;
pub use neural::NeuralConditional;
pub use real::{RealFamily, RealMechanism};

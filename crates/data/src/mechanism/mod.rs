//! True conditionals: how a variable depends on its parents.

mod cpt;
mod law;
mod neural;

pub use cpt::{Cpt, CptError};
pub use law::Mechanism;
pub use neural::NeuralConditional;

//! Variables predicted from others by networks, for methods that train networks and a graph together
//! (DCDI, FedDAG).
//!
//! | module | holds |
//! |---|---|
//! | `inputs` | a dataset as the networks want it, and which variables each regime left alone |
//! | `head` | from outputs to a loss |
//! | `predictor` | one variable's network, its gradients and its optimiser |
//! | [`SoftNetworks`] | networks under a soft mask |

pub(crate) mod head;
pub(crate) mod inputs;
pub(crate) mod predictor;
mod soft;
#[cfg(test)]
pub(crate) mod test_data;

pub use inputs::HeadChoice;
pub(crate) use inputs::Inputs;
pub(crate) use predictor::{Predictor, PredictorScratch};
pub use soft::SoftNetworks;

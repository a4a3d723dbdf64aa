//! Variables predicted from others by networks, for methods that train networks and a graph together
//! (DCDI, FedDAG).
//!
//! | module | holds |
//! |---|---|
//! | [`inputs`] | a dataset as the networks want it, and which variables each regime left alone |
//! | [`head`] | from outputs to a loss |
//! | [`predictor`] | one variable's network, its gradients and its optimiser |

pub mod head;
pub mod inputs;
pub mod predictor;
#[cfg(test)]
pub(crate) mod test_data;

pub use head::Head;
pub use inputs::{HeadChoice, Inputs};
pub use predictor::{Predictor, PredictorScratch};

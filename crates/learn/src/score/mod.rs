//! Decomposable scores: a graph's score is the sum over variables of a local score of the variable
//! with its parents, on the samples that leave the variable alone.
//!
//! | score | file | equal within a class |
//! |---|---|---|
//! | multinomial BIC | [`multinomial`] | yes |
//! | BDeu | [`bdeu`] | yes |
//! | Gaussian BIC, of real values or of category codes | [`gaussian`] | yes |
//! | additive multinomial logistic BIC | [`logistic`] | no: adding logits is not symmetric |

pub mod bdeu;
#[cfg(test)]
mod equivalence;
pub mod gaussian;
mod local_score;
pub mod logistic;
pub mod multinomial;
mod params;
#[cfg(test)]
pub(crate) mod sample_data;

pub use bdeu::Bdeu;
pub use gaussian::GaussianBic;
pub use local_score::{LocalScore, score_of};
pub use logistic::LogisticBic;
pub use multinomial::MultinomialBic;
pub use params::{Penalty, ScoreParams};

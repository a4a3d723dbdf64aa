//! Decomposable scores: a graph's score is the sum over variables of a local score of the variable
//! with its parents, on the samples that leave the variable alone.
//!
//! | score | file | equal within a class |
//! |---|---|---|
//! | the better of a table and additive log-odds | `best` | no: see the last line |
//! | multinomial BIC | `multinomial` | yes |
//! | BDeu | `bdeu` | yes |
//! | Gaussian BIC, of real values or of category codes | `gaussian` | yes |
//! | additive multinomial logistic BIC | `logistic` | no: adding logits is not symmetric |

mod bdeu;
mod best;
mod gaussian;
mod local_score;
mod logistic;
mod multinomial;
mod registry;
mod rows;
#[cfg(test)]
pub(crate) mod test_data;
#[cfg(test)]
mod tests;

use bdeu::Bdeu;
use best::BestOfClasses;
use gaussian::GaussianBic;
pub use local_score::{LocalScore, score_of};
use logistic::LogisticBic;
use multinomial::MultinomialBic;
pub use registry::{Penalty, Score, ScoreParams, Scores, priced, standard};
pub use rows::rows;

//! Choice of a score and its settings.

use fedcdi_core::{Dataset, ParamsError};
use serde::{Deserialize, Serialize};

use super::{Bdeu, GaussianBic, LocalScore, LogisticBic, MultinomialBic};
use crate::independence::Counted;
use crate::learn_error::LearnError;

/// What a parameter costs, in nats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Penalty {
    /// Half the logarithm of the number of samples of all regimes.
    Bic,
    /// This number; >= 0. Some comparisons ran GIES with 1, which keeps far too many edges.
    Fixed(f64),
}

impl Penalty {
    /// Cost of one parameter with this many samples.
    pub fn per_parameter(self, n_samples: usize) -> f64 {
        match self {
            Self::Bic => 0.5 * (n_samples.max(1) as f64).ln(),
            Self::Fixed(cost) => cost,
        }
    }
}

/// A score by name, with its setting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreParams {
    /// A table per variable: a parent multiplies the parameters.
    Multinomial(Penalty),
    /// Bayesian Dirichlet score with this equivalent sample size; > 0.
    Bdeu(f64),
    /// Additive log-odds: a parent adds parameters.
    Logistic(Penalty),
    /// Linear Gaussian, on real variables and on category codes.
    Gaussian(Penalty),
}

impl ScoreParams {
    /// # Errors
    /// [`ParamsError`] naming the setting that is out of range.
    pub fn check(&self) -> Result<(), ParamsError> {
        match *self {
            Self::Bdeu(size) => ParamsError::positive("score.bdeu", size),
            Self::Multinomial(Penalty::Fixed(cost))
            | Self::Logistic(Penalty::Fixed(cost))
            | Self::Gaussian(Penalty::Fixed(cost)) => {
                ParamsError::not_negative("score.fixed", cost)
            }
            _ => Ok(()),
        }
    }

    /// Counting scores take categories alone.
    fn refuse_reals(&self, data: &Dataset) -> Result<(), LearnError> {
        let what = match self {
            Self::Multinomial(_) => "the score multinomial",
            Self::Bdeu(_) => "the score bdeu",
            Self::Logistic(_) => "the score logistic",
            Self::Gaussian(_) => return Ok(()),
        };
        let remedy = "set score = { gaussian = \"bic\" }";
        LearnError::refuse_reals(data, what, remedy)
    }

    /// The score of this data.
    ///
    /// # Errors
    /// [`LearnError`] if the data has no such score.
    pub fn of(&self, data: &Dataset) -> Result<Box<dyn LocalScore>, LearnError> {
        self.refuse_reals(data)?;
        let counted = || Counted::new(data);
        Ok(match *self {
            Self::Multinomial(penalty) => Box::new(MultinomialBic::new(counted(), penalty)),
            Self::Bdeu(size) => Box::new(Bdeu::new(counted(), size)),
            Self::Logistic(penalty) => Box::new(LogisticBic::new(counted(), penalty)),
            Self::Gaussian(penalty) => Box::new(GaussianBic::new(data, penalty)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_read_as_they_are_written() {
        #[derive(Deserialize)]
        struct File {
            score: ScoreParams,
        }
        let read = |text: &str| toml::from_str::<File>(text).unwrap().score;
        assert_eq!(read("score = { bdeu = 2.0 }"), ScoreParams::Bdeu(2.0));
        let bic = ScoreParams::Multinomial(Penalty::Bic);
        assert_eq!(read("score = { multinomial = \"bic\" }"), bic);
        let fixed = ScoreParams::Gaussian(Penalty::Fixed(1.0));
        assert_eq!(read("score = { gaussian = { fixed = 1.0 } }"), fixed);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        assert!(ScoreParams::Bdeu(0.0).check().is_err());
        assert!(ScoreParams::Logistic(Penalty::Fixed(-1.0)).check().is_err());
        assert!(
            ScoreParams::Logistic(Penalty::Fixed(f64::NAN))
                .check()
                .is_err()
        );
        assert!(ScoreParams::Gaussian(Penalty::Bic).check().is_ok());
    }
}

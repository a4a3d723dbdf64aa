//! The scores by name.
//!
//! A new one is a file with [`LocalScore`] and one line in [`standard`].

use fedcdi_core::choice::{Choice, ChoiceError, Kind, Registry, Settings, read};
use fedcdi_core::{Dataset, ParamsError};
use serde::{Deserialize, Serialize};

use super::{Bdeu, BestOfClasses, GaussianBic, LocalScore, LogisticBic, MultinomialBic};
use crate::independence::counts::Counted;
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
    pub(super) fn per_parameter(self, n_samples: usize) -> f64 {
        match self {
            Self::Bic => 0.5 * (n_samples.max(1) as f64).ln(),
            Self::Fixed(cost) => cost,
        }
    }
}

type Local = Result<Box<dyn LocalScore>, LearnError>;

/// A score that was chosen, its setting in range: what it is of some data.
pub type Score = Box<dyn Fn(&Dataset) -> Local + Send + Sync>;

/// What scores can be chosen from.
pub type Scores = Registry<Score>;

/// The scores of this crate; [`Registry::with`] adds others.
pub fn standard() -> Scores {
    Scores::new(
        "score",
        vec![
            of_setting(
                "best",
                "a table or added log-odds, at this level",
                |level| {
                    let in_range = level > 0.0 && level < 1.0;
                    ParamsError::require("score.best", level, "> 0 and below 1", in_range)?;
                    Ok(Box::new(move |data| {
                        let counted = counted("the score best", data)?;
                        Ok(Box::new(BestOfClasses::new(counted, level)))
                    }))
                },
            ),
            priced("multinomial", "a table per variable", |data, penalty| {
                let counted = counted("the score multinomial", data)?;
                Ok(Box::new(MultinomialBic::new(counted, penalty)))
            }),
            of_setting("bdeu", "Bayesian, of this equivalent size", |sample_size| {
                ParamsError::positive("score.bdeu", sample_size)?;
                Ok(Box::new(move |data| {
                    let samples = counted("the score bdeu", data)?;
                    Ok(Box::new(Bdeu {
                        samples,
                        sample_size,
                    }))
                }))
            }),
            priced("logistic", "log-odds of parents add up", |data, penalty| {
                let counted = counted("the score logistic", data)?;
                Ok(Box::new(LogisticBic::new(counted, penalty)))
            }),
            priced(
                "gaussian",
                "linear, of real numbers or codes",
                |data, penalty| Ok(Box::new(GaussianBic::new(data, penalty)?)),
            ),
        ],
    )
}

/// Rows for a score that counts, which takes categories alone.
fn counted(what: &'static str, data: &Dataset) -> Result<Counted, LearnError> {
    LearnError::refuse_reals(data, what, "set score = { gaussian = \"bic\" }")?;
    Ok(Counted::new(data))
}

/// A likelihood less a price per parameter.
pub fn priced(
    name: &'static str,
    summary: &str,
    make: impl Fn(&Dataset, Penalty) -> Local + Copy + Send + Sync + 'static,
) -> Kind<Score> {
    of_setting(name, summary, move |penalty: Penalty| {
        if let Penalty::Fixed(cost) = penalty {
            ParamsError::not_negative("score.fixed", cost)?;
        }
        Ok(Box::new(move |data: &Dataset| make(data, penalty)))
    })
}

fn of_setting<T: for<'de> Deserialize<'de>>(
    name: &'static str,
    summary: &str,
    make: impl Fn(T) -> Result<Score, ParamsError> + Send + Sync + 'static,
) -> Kind<Score> {
    #[derive(Deserialize)]
    struct Written<T> {
        setting: T,
    }
    Kind::dynamic(name, summary, move |settings| {
        Ok(make(read::<Written<T>>(name, settings)?.setting)?)
    })
}

/// A score by name, with its setting: `{ gaussian = "bic" }`, `{ bdeu = 2.0 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScoreParams(Settings);

impl ScoreParams {
    /// The score of this name, with this setting.
    ///
    /// # Panics
    /// If the setting cannot be written as JSON.
    pub fn new(name: &str, setting: impl Serialize) -> Self {
        let setting = serde_json::to_value(setting).expect("a setting can be written");
        Self([(name.to_owned(), setting)].into_iter().collect())
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.0.keys().next().map_or("", String::as_str)
    }

    /// The score among these.
    ///
    /// # Errors
    /// [`ChoiceError`] if there is no such score or its setting is not what it should be.
    pub fn among(&self, scores: &Scores) -> Result<Score, ChoiceError> {
        let [(name, setting)] = self.0.iter().collect::<Vec<_>>()[..] else {
            let message = "write one score with its setting, such as { gaussian = \"bic\" }";
            return Err(ChoiceError::Settings {
                name: "score".to_owned(),
                field: ".".to_owned(),
                message: message.to_owned(),
            });
        };
        let settings = [("setting".to_owned(), setting.clone())];
        scores.build(&Choice {
            name: name.clone(),
            settings: settings.into_iter().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct File {
        score: ScoreParams,
    }

    fn read(text: &str) -> ScoreParams {
        toml::from_str::<File>(text).unwrap().score
    }

    #[test]
    fn settings_read_as_they_are_written() {
        let bdeu = read("score = { bdeu = 2.0 }");
        assert_eq!(bdeu, ScoreParams::new("bdeu", 2.0));
        let bic = ScoreParams::new("multinomial", Penalty::Bic);
        assert_eq!(read("score = { multinomial = \"bic\" }"), bic);
        let fixed = ScoreParams::new("gaussian", Penalty::Fixed(1.0));
        assert_eq!(read("score = { gaussian = { fixed = 1.0 } }"), fixed);
    }

    #[test]
    fn what_is_no_score_is_refused_by_name() {
        let refused = |text: &str| {
            let made = read(&format!("score = {{ {text} }}")).among(&standard());
            made.err()
                .map(|error| error.to_string())
                .unwrap_or_default()
        };
        assert!(refused("best = 1.0").contains("score.best is 1"));
        assert!(refused("best = 0.0").contains("score.best is 0"));
        assert!(refused("bdeu = 0.0").contains("score.bdeu is 0"));
        assert!(refused("logistic = { fixed = -1.0 }").contains("score.fixed is -1"));
        assert!(refused("logistic = { fixed = nan }").contains("setting"));
        assert!(refused("gaussian = \"aic\"").contains("settings of gaussian"));
        assert!(refused("gausian = \"bic\"").contains("did you mean \"gaussian\""));
        assert!(refused("").contains("write one score"));
        assert_eq!(refused("gaussian = \"bic\""), "");
        assert_eq!(refused("best = 0.05"), "");
    }
}

//! The privacy boundary: what a client sends after a round. A value that is not a field of
//! [`ClientReport`] does not leave a client.
//!
//! Paper: FedCDI section 3 (the server knows which variables each client intervened on) and
//! section 4 (clients share beliefs, never samples or network parameters).
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | psi^k, the client's belief | [`ClientReport::belief`] | `[cause, effect]` |
//! | size(D^k) | [`SampleCounts::n_samples`] | > 0 |
//! | `X_I^k` and its sample counts | [`SampleCounts::n_interventional`] | `[variable]` |
//!
//! Deviations: the paper sends psi alone. [`Exchange::Logits`] sends both matrices behind it, which
//! was measured to be better and reveals, per pair, one number more. [`ClientReport::tests`] are two
//! numbers more per tested pair.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::belief::{Belief, BeliefError};
use crate::edge_test::EdgeTest;
use crate::round::{ClientId, Round};
use crate::sample_counts::SampleCounts;
use crate::schema_hash::SchemaHash;

/// All that leaves a client after one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientReport {
    /// Who reports. Needed to count every client once; reveals that it took part.
    pub client: ClientId,
    /// The round that the belief belongs to. Needed to keep late reports out; reveals nothing.
    pub round: Round,
    /// Fingerprint of the variables and categories. Needed so that `[cause, effect]` means the
    /// same everywhere; reveals whether the client uses the study's schema, not what another
    /// schema would be.
    pub schema: SchemaHash,
    /// What the client believes about every edge. This is what is learned together; it reveals a
    /// summary of how the client's variables depend on each other.
    pub belief: SharedBelief,
    /// How much data stands behind the belief. Needed to weight the clients; reveals the size of
    /// the client's data and which variables it intervened on, and which together, how often.
    pub samples: SampleCounts,
    /// Independence tests of the edges of the belief that was sent, and of the pairs without one,
    /// sorted, each pair once; empty if the study neither prunes nor grafts. Needed to take back
    /// edges that no client's rows show, and to bring in those that they do; reveals how strongly
    /// two variables depend on each other in the client's rows, as two numbers per pair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<EdgeTest>,
}

/// Which numbers of a belief travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exchange {
    /// Edge probabilities alone, as in the paper.
    Psi,
    /// Existence and orientation logits: says also whether an unlikely edge is absent or reversed.
    #[default]
    Logits,
}

/// A belief as it travels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharedBelief {
    /// Edge probabilities, `[cause, effect]`, 0..=1; the diagonal means nothing.
    Psi(#[serde(with = "crate::matrix")] Array2<f64>),
    /// Both matrices of logits.
    Logits(Belief),
}

impl SharedBelief {
    /// Largest logit that is believed, either way: probabilities saturate in f64 long before, and
    /// sums over clients stay finite.
    pub const MAX_LOGIT: f64 = 1e3;

    /// Number of variables; for a matrix that is not square, its rows.
    pub fn n_vars(&self) -> usize {
        match self {
            Self::Psi(psi) => psi.nrows(),
            Self::Logits(belief) => belief.n_vars(),
        }
    }

    /// The belief that arrived; psi alone becomes one by factorisation ([`Belief::from_psi`]).
    ///
    /// # Errors
    /// [`BeliefError`] if psi is not square or holds a value outside 0..=1.
    pub fn to_belief(&self) -> Result<Belief, BeliefError> {
        match self {
            Self::Psi(psi) => Belief::from_psi(psi),
            Self::Logits(belief) => Ok(belief.clone()),
        }
    }

    fn largest_logit(&self) -> f64 {
        match self {
            Self::Psi(_) => 0.0,
            Self::Logits(belief) => {
                let logits = belief.existence().iter().chain(belief.orientation());
                logits.fold(0.0, |largest: f64, logit| largest.max(logit.abs()))
            }
        }
    }
}

/// Why the content of a report cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReportError {
    /// Other variables or categories.
    #[error("its variables or categories are not those of the study; compare the schema files")]
    Schema,
    /// Another number of variables.
    #[error("its {what} over {found} variables, the study has {expected}; compare the variables")]
    Size {
        /// `belief is` or `sample counts are`.
        what: &'static str,
        /// Variables of the report.
        found: usize,
        /// Variables of the study.
        expected: usize,
    },
    /// Not a belief.
    #[error(transparent)]
    Belief(#[from] BeliefError),
    /// A logit that no training gives.
    #[error("its largest logit is {0}, the limit is {limit}; check its training", limit = SharedBelief::MAX_LOGIT)]
    Logit(f64),
    /// Numbers of samples that contradict each other.
    #[error("its sample counts contradict each other; count them again")]
    Counts,
    /// Tests of no edges, or of one edge twice.
    #[error(
        "its independence tests are not one per edge, of no more degrees of freedom than samples; check how they were made"
    )]
    Tests,
    /// No samples.
    #[error("it has no samples; give it data or leave it out")]
    NoSamples,
}

impl ClientReport {
    /// Whether the content can be used in a study of this schema with `n_vars` variables.
    ///
    /// # Errors
    /// [`ReportError`] saying what is wrong first.
    pub fn check(&self, schema: SchemaHash, n_vars: usize) -> Result<(), ReportError> {
        let sizes = [
            ("belief is", self.belief.n_vars()),
            ("sample counts are", self.samples.n_interventional.len()),
        ];
        let wrong = sizes.into_iter().find(|(_, found)| *found != n_vars);
        if let Some((what, found)) = wrong {
            let expected = n_vars;
            return Err(ReportError::Size {
                what,
                found,
                expected,
            });
        }
        if self.schema != schema {
            return Err(ReportError::Schema);
        }
        self.belief.to_belief()?;
        let largest = self.belief.largest_logit();
        if largest > SharedBelief::MAX_LOGIT {
            return Err(ReportError::Logit(largest));
        }
        if self.samples.n_samples == 0 {
            return Err(ReportError::NoSamples);
        }
        if self.samples.contradict() {
            return Err(ReportError::Counts);
        }
        let ascending = self.tests.is_sorted_by(|a, b| a.edge() < b.edge());
        let n_samples = self.samples.n_samples;
        let sound = |test: &EdgeTest| test.is_sound(n_vars, n_samples);
        if !ascending || !self.tests.iter().all(sound) {
            return Err(ReportError::Tests);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::{Schema, VarId, Variable};
    use ndarray::array;

    fn schema(n_vars: usize) -> Schema {
        let variables = (0..n_vars).map(|v| Variable::with_codes(format!("v{v}"), 2));
        Schema::new(variables.collect()).unwrap()
    }

    fn psi() -> SharedBelief {
        SharedBelief::Psi(Belief::uninformed(2).psi())
    }

    fn report(belief: SharedBelief) -> ClientReport {
        ClientReport {
            client: ClientId(3),
            round: Round(2),
            schema: schema(2).hash(),
            belief,
            samples: SampleCounts {
                n_samples: 10,
                n_observational: 6,
                n_interventional: vec![4, 0],
                n_joint: Vec::new(),
            },
            tests: Vec::new(),
        }
    }

    fn check(report: &ClientReport) -> Result<(), ReportError> {
        report.check(schema(2).hash(), 2)
    }

    #[test]
    fn a_sound_report_passes_and_round_trips() {
        let logits = SharedBelief::Logits(Belief::uninformed(2));
        for belief in [psi(), logits] {
            let report = report(belief);
            assert_eq!(check(&report), Ok(()));
            let text = serde_json::to_string(&report).unwrap();
            let back: ClientReport = serde_json::from_str(&text).unwrap();
            assert_eq!(back, report);
        }
    }

    #[test]
    fn only_the_documented_fields_travel() {
        let value = serde_json::to_value(report(psi())).unwrap();
        let fields: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["belief", "client", "round", "samples", "schema"]);
        let mut tested = report(psi());
        tested.tests.push(EdgeTest {
            cause: VarId(0),
            effect: VarId(1),
            statistic: 3.0,
            degrees: 1.0,
        });
        let value = serde_json::to_value(tested).unwrap();
        let fields: Vec<&String> = value["tests"][0].as_object().unwrap().keys().collect();
        assert_eq!(fields, ["cause", "degrees", "effect", "statistic"]);
        assert_eq!(value["belief"]["psi"][0][1], 0.25);
    }

    #[test]
    fn each_fault_is_named() {
        let with = |change: fn(&mut ClientReport)| {
            let mut report = report(psi());
            change(&mut report);
            check(&report).unwrap_err()
        };
        let with_psi = |value: f64| SharedBelief::Psi(array![[0.0, value], [0.0, 0.0]]);
        for value in [f64::NAN, 1.5, -0.1] {
            let found = check(&report(with_psi(value)));
            let named = matches!(
                found,
                Err(ReportError::Belief(BeliefError::NotProbability { .. }))
            );
            assert!(named, "{found:?}");
        }
        let size = with(|r| r.belief = SharedBelief::Logits(Belief::uninformed(3)));
        assert!(matches!(size, ReportError::Size { found: 3, .. }));
        let wide = with(|r| r.belief = SharedBelief::Psi(Array2::zeros((2, 3))));
        assert!(matches!(
            wide,
            ReportError::Belief(BeliefError::Shape { .. })
        ));
        assert_eq!(with(|r| r.schema = schema(3).hash()), ReportError::Schema);
        let huge = with(|r| {
            let belief = Belief::new(array![[0.0, 1e300], [0.0, 0.0]], Array2::zeros((2, 2)));
            r.belief = SharedBelief::Logits(belief.unwrap());
        });
        assert_eq!(huge, ReportError::Logit(1e300));
        assert_eq!(with(|r| r.samples.n_samples = 0), ReportError::NoSamples);
        assert_eq!(with(|r| r.samples.n_samples = 9), ReportError::Counts);
        assert_eq!(
            with(|r| r.samples.n_observational = 11),
            ReportError::Counts
        );
        let test = EdgeTest {
            cause: VarId(0),
            effect: VarId(1),
            statistic: 3.0,
            degrees: 1.0,
        };
        let with_tests = |tests: Vec<EdgeTest>| {
            let mut report = report(psi());
            report.tests = tests;
            check(&report)
        };
        assert_eq!(with_tests(vec![test]), Ok(()));
        assert_eq!(with_tests(vec![test, test]), Err(ReportError::Tests));
        let elsewhere = EdgeTest {
            effect: VarId(2),
            ..test
        };
        assert_eq!(with_tests(vec![elsewhere]), Err(ReportError::Tests));
    }
}

//! Choice of tests.

use fedcdi_core::{Dataset, ParamsError, Regime, Seed};
use serde::{Deserialize, Serialize};

use super::IndependenceTests;
use super::g_test::{Contexts, GTest};
use super::gaussian::GaussianTest;
use super::hsic::Hsic;
use super::logistic::LogisticTest;
use crate::learn_error::LearnError;

/// Tests by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestParams {
    /// A table per combination of the given variables.
    G,
    /// Likelihood ratio of additive log-odds.
    Logistic,
    /// Partial correlation and regression, on real variables and on category codes.
    Gaussian,
    /// Kernel test on real variables or category codes, of at most this many rows; > 9.
    Hsic(usize),
}

impl TestParams {
    /// # Errors
    /// [`ParamsError`] naming the setting that is out of range.
    pub fn check(&self) -> Result<(), ParamsError> {
        match *self {
            Self::Hsic(rows) => ParamsError::require("test.hsic", rows, "> 9", rows > 9),
            _ => Ok(()),
        }
    }

    /// The tests of this data.
    ///
    /// # Errors
    /// [`LearnError`] if the data cannot be tested so.
    pub fn of(
        &self,
        data: &Dataset,
        seed: &Seed,
    ) -> Result<Box<dyn IndependenceTests>, LearnError> {
        if !data.regimes().iter().any(Regime::is_observational) {
            return Err(LearnError::NoObservationalRows);
        }
        // Counting tests take categories alone.
        let contexts = |test| {
            let remedy = "set test = \"gaussian\" or test = { hsic = 500 }";
            LearnError::refuse_reals(data, test, remedy).map(|()| Contexts::new(data))
        };
        Ok(match *self {
            Self::G => Box::new(GTest(contexts("the test g")?)),
            Self::Logistic => Box::new(LogisticTest::new(contexts("the test logistic")?)),
            Self::Gaussian => Box::new(GaussianTest::new(data)?),
            Self::Hsic(rows) => Box::new(Hsic::new(data, rows, seed)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::test_data;
    use fedcdi_core::{Digraph, VarId, VarSet};

    const ALL: [TestParams; 4] = [
        TestParams::G,
        TestParams::Logistic,
        TestParams::Gaussian,
        TestParams::Hsic(400),
    ];

    const LEVEL: f64 = -6.9;

    fn set(members: &[usize]) -> VarSet {
        VarSet::from_members(3, members.iter().copied().map(VarId))
    }

    /// 0 -> 1 -> 2, with an intervention on 1.
    fn chain(seed: u64) -> Dataset {
        let edges = [(VarId(0), VarId(1)), (VarId(1), VarId(2))];
        let graph = Digraph::from_edges(3, edges);
        test_data::copies(&[3, 3, 3], &graph, (2000, 1000), &[1], seed)
    }

    #[test]
    fn every_test_sees_the_chain() {
        for params in ALL {
            let tests = params.of(&chain(1), &Seed::new(1)).unwrap();
            let p = |a, b, given: &[usize]| {
                tests
                    .independence(VarId(a), VarId(b), &set(given), LEVEL)
                    .exp()
            };
            assert!(p(0, 1, &[]) < 1e-3 && p(0, 2, &[]) < 1e-3, "{params:?}");
            assert!(p(0, 1, &[2]) < 1e-3, "{params:?}");
            // Residuals on 1 have spreads that depend on 1, which HSIC takes for dependence.
            let residual_based = matches!(params, TestParams::Hsic(_));
            assert!(residual_based || p(0, 2, &[1]) > 1e-3, "{params:?}");
        }
    }

    #[test]
    fn who_is_tested_first_is_the_neighbour() {
        let tests = TestParams::Logistic.of(&chain(1), &Seed::new(1)).unwrap();
        let likeliest = |var, given: &[usize]| tests.likeliest(VarId(var), &set(given));
        assert_eq!(likeliest(2, &[]), Some(vec![VarId(1), VarId(0)]));
        assert_eq!(likeliest(0, &[2]), Some(vec![VarId(1)]));
    }

    #[test]
    fn every_test_sees_the_broken_mechanism_and_no_other() {
        for params in ALL {
            let tests = params.of(&chain(2), &Seed::new(1)).unwrap();
            assert_eq!(tests.regimes(), [set(&[1])]);
            let p =
                |var, given: &[usize]| tests.invariance(VarId(var), 0, &set(given), LEVEL).exp();
            assert!(p(1, &[0]) < 1e-3, "{params:?} {}", p(1, &[0]));
            assert!(p(2, &[1]) > 1e-3 && p(0, &[]) > 1e-3, "{params:?}");
        }
    }

    #[test]
    fn p_values_are_uniform_where_nothing_depends() {
        // 200 datasets each; a share of 0.1 has a standard error of 0.02. HSIC is left out: its
        // gamma null is an approximation.
        for params in &ALL[..3] {
            let below = (0..200).filter(|seed| {
                let data =
                    test_data::copies(&[3, 3, 3], &Digraph::empty(3), (300, 100), &[1], *seed);
                let tests = params.of(&data, &Seed::new(1)).unwrap();
                let level = 0.1f64.ln();
                tests.independence(VarId(0), VarId(2), &set(&[1]), level) < level
            });
            let share = below.count() as f64 / 200.0;
            assert!((0.03..0.19).contains(&share), "{params:?} {share}");
        }
    }

    #[test]
    fn observational_rows_are_needed() {
        let data = chain(1);
        let regimes = data.samples_by_regime();
        let error = TestParams::G
            .of(&data.select(&regimes[1]), &Seed::new(1))
            .err();
        assert_eq!(error, Some(LearnError::NoObservationalRows));
    }
}

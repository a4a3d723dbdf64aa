//! Independence tests of single edges, and what they are used for: taking back edges that the
//! counted rows do not show.
//!
//! Ours. G and its degrees of freedom both add over disjoint sets of rows, so a federation can
//! judge an edge from sums over clients without anyone sending a count.
//!
//! | statistic | code |
//! |---|---|
//! | `G = 2 sum n_zxy ln(n_zxy n_z / (n_zx n_zy))`, x the cause, y the effect, z its other parents; less what its mean in such tables exceeds df by | [`EdgeTest::statistic`] |
//! | df, degrees of freedom, over the values seen: `sum_z (x seen with z - 1) (y seen with z - 1)` | [`EdgeTest::degrees`] |
//! | `(G - df) / sqrt(2 df)`, mean 0 and deviation about 1 if independent | [`EdgeTest::deviations`] |
//! | P(chi-square with df > G) | [`EdgeTest::chance`] |

use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::belief::Belief;
use crate::graph::{Dag, Digraph, VarSet, extract};
use crate::knowledge::Knowledge;
use crate::params::ParamsError;
use crate::variable::VarId;

/// Which edges are taken back because counted rows do not show them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pruning {
    /// None.
    Never,
    /// Those whose effect is independent of the cause given its other parents, where rows are
    /// enough to count: G exceeds its expectation by at most this many standard deviations; >= 0.
    Independence(f64),
}

impl Pruning {
    /// Beyond this many deviations an edge is shown. On generated networks of 36 variables with
    /// skewed tables (25000 observational rows, 250 per target) the eight false edges of six runs
    /// had between -0.9 and 1.6, the 246 true ones at least 13 (all but one at least 150).
    pub const USUAL: Self = Self::Independence(5.0);

    /// Whether an edge with this test goes.
    pub fn takes(self, test: &EdgeTest) -> bool {
        match self {
            Self::Never => false,
            Self::Independence(most) => test.deviations() <= most,
        }
    }

    /// Whether the setting is in range.
    ///
    /// # Errors
    /// [`ParamsError`] naming `field` if it is not.
    pub fn check(self, field: &'static str) -> Result<(), ParamsError> {
        match self {
            Self::Never => Ok(()),
            Self::Independence(most) => ParamsError::not_negative(field, most),
        }
    }
}

/// The graphs of a belief that tests are about: edges that are believed in, and the acyclic graph
/// among them, whose parents the tests are given. Parents of the raw graph would mislead: where it
/// has a cycle, one of them is an effect.
#[derive(Clone, Debug)]
pub struct TestedGraph {
    raw: Digraph,
    dag: Dag,
}

impl TestedGraph {
    /// Of a belief.
    pub fn of(belief: &Belief) -> Self {
        Self {
            raw: extract::raw(belief),
            dag: extract::dag(belief, &Knowledge::none(belief.n_vars())),
        }
    }

    /// Whether an edge is to be tested as such.
    pub fn has_edge(&self, (cause, effect): (VarId, VarId)) -> bool {
        self.raw.has_edge(cause, effect) || self.dag.has_edge(cause, effect)
    }

    /// Whether the pair is connected in either direction.
    pub fn connects(&self, a: VarId, b: VarId) -> bool {
        self.has_edge((a, b)) || self.has_edge((b, a))
    }

    /// Causes of the edges into `effect` that are to be tested.
    pub fn causes(&self, effect: VarId) -> VarSet {
        self.raw.parents(effect).union(self.dag.parents(effect))
    }

    /// What the tests of the edges into `effect` are given.
    pub fn parents(&self, effect: VarId) -> &VarSet {
        self.dag.parents(effect)
    }

    /// Whether the acyclic graph has a path.
    pub fn has_path(&self, from: VarId, to: VarId) -> bool {
        self.dag.reachable_from(from).contains(to)
    }
}

/// What some rows say about one edge, given the other parents that its effect is thought to have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeTest {
    /// Start of the edge.
    pub cause: VarId,
    /// End of the edge.
    pub effect: VarId,
    /// G, centred: its mean is `degrees` if cause and effect are independent.
    pub statistic: f64,
    /// Its degrees of freedom; 0 or more.
    pub degrees: f64,
}

impl EdgeTest {
    /// The edge.
    pub fn edge(&self) -> (VarId, VarId) {
        (self.cause, self.effect)
    }

    /// By how many standard deviations G exceeds what independence would show.
    pub fn deviations(&self) -> f64 {
        (self.statistic - self.degrees) / (2.0 * self.degrees.max(1.0)).sqrt()
    }

    /// Probability that independence shows at least this much; 1 where nothing could be compared.
    pub fn chance(&self) -> f64 {
        match ChiSquared::new(self.degrees) {
            Ok(law) => law.sf(self.statistic.max(0.0)),
            Err(_) => 1.0,
        }
    }

    /// The test on these rows and on others that another test of the same edge has seen.
    #[must_use]
    pub fn with(self, other: &Self) -> Self {
        Self {
            statistic: self.statistic + other.statistic,
            degrees: self.degrees + other.degrees,
            ..self
        }
    }

    /// Whether this can be the test of an edge between `n_vars` variables on `n_samples` samples. A
    /// table that can be tested has more samples than degrees of freedom, G is at least 0 and its
    /// mean at most about a fifth above them, and a sample adds at most twice the logarithm of their
    /// number to G, so nobody can claim so much that all other clients' evidence drowns. (Who lies
    /// about its samples too can; see docs/simulate.md.)
    pub fn is_sound(&self, n_vars: usize, n_samples: u64) -> bool {
        let inside = self.cause.0 < n_vars && self.effect.0 < n_vars && self.cause != self.effect;
        let n_samples = n_samples as f64;
        let most = 2.0 * n_samples * n_samples.max(2.0).ln() + self.degrees;
        let counted = (-self.degrees..=most).contains(&self.statistic);
        inside && counted && (0.0..=n_samples).contains(&self.degrees)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    fn test(statistic: f64, degrees: f64) -> EdgeTest {
        EdgeTest {
            cause: VarId(0),
            effect: VarId(1),
            statistic,
            degrees,
        }
    }

    #[test]
    fn parents_are_those_of_the_acyclic_graph() {
        // 0 -> 1 -> 2 -> 0, of which 2 -> 0 is the weakest; turned round it would close no cycle,
        // but nothing supports 0 -> 2.
        let mut existence = Array2::from_elem((3, 3), -4.0);
        let mut orientation = Array2::zeros((3, 3));
        for (cause, effect, weight) in [(0, 1, 4.0), (1, 2, 4.0), (2, 0, 1.0)] {
            existence[(cause, effect)] = weight;
            orientation[(cause, effect)] = weight;
            orientation[(effect, cause)] = -weight;
        }
        let graph = TestedGraph::of(&Belief::new(existence, orientation).unwrap());
        let members = |set: &VarSet| set.iter().map(VarId::index).collect::<Vec<_>>();
        assert!(members(graph.parents(VarId(0))).is_empty());
        assert_eq!(members(&graph.causes(VarId(0))), [2]);
        assert_eq!(members(graph.parents(VarId(2))), [1]);
        assert!(graph.has_path(VarId(0), VarId(2)) && !graph.has_path(VarId(2), VarId(0)));
        assert!(graph.connects(VarId(0), VarId(2)));
    }

    #[test]
    fn sums_tell_what_parts_cannot() {
        // Two sites with (12 - 8) / 4 = 1 deviation each: together (24 - 16) / sqrt(32) = sqrt 2.
        let site = test(12.0, 8.0);
        assert_eq!(site.deviations(), 1.0);
        let both = site.with(&site);
        assert!((both.deviations() - 2f64.sqrt()).abs() < 1e-12);
        let limit = Pruning::Independence(1.2);
        assert!(limit.takes(&site) && !limit.takes(&both));
        assert!(!Pruning::Never.takes(&site));
    }

    #[test]
    fn what_no_table_gives_is_unsound() {
        assert!(test(3.0, 1.0).is_sound(2, 10));
        assert!(test(-0.2, 1.0).is_sound(2, 10));
        assert!(!test(f64::NAN, 1.0).is_sound(2, 10));
        assert!(!test(-5.0, 1.0).is_sound(2, 10));
        assert!(!test(3.0, -1.0).is_sound(2, 10));
        assert!(!test(3.0, 11.0).is_sound(2, 10));
        assert!(!test(48.0, 1.0).is_sound(2, 10));
        assert!(!test(3.0, f64::NAN).is_sound(2, 10));
        assert!(!test(3.0, 1.0).is_sound(1, 10));
        let loops = EdgeTest {
            effect: VarId(0),
            ..test(3.0, 1.0)
        };
        assert!(!loops.is_sound(2, 10));
    }
}

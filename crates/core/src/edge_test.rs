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
//! | the same, as a chi-square of other degrees of freedom (Wilson and Hilferty's cube root) | [`EdgeTest::at_degrees`] |

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

    /// The pairs that such tests are about, in a fixed order: everybody who knows the belief knows
    /// it.
    pub fn pairs(&self, which: Tested) -> Vec<(VarId, VarId)> {
        let n_vars = self.raw.n_vars();
        let all = (0..n_vars).flat_map(|c| (0..n_vars).map(move |e| (VarId(c), VarId(e))));
        let is_tested = |&(cause, effect): &(VarId, VarId)| {
            let edge = self.has_edge((cause, effect));
            let absent = cause != effect && !self.connects(cause, effect);
            (which.edges && edge) || (which.absent && absent)
        };
        all.filter(is_tested).collect()
    }

    pub(crate) fn has_path(&self, from: VarId, to: VarId) -> bool {
        self.dag.reachable_from(from).contains(to)
    }
}

/// Which independence tests are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tested {
    /// Those of edges.
    pub edges: bool,
    /// Those of pairs without an edge.
    pub absent: bool,
}

impl Tested {
    /// None at all.
    pub const NOTHING: Self = Self {
        edges: false,
        absent: false,
    };

    /// Whether there are any.
    pub fn is_nothing(self) -> bool {
        self == Self::NOTHING
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

    /// The test with as much evidence and other degrees of freedom: G and df of some rows tell how
    /// many values occur in them, G at degrees that everybody knows does not. By the cube root of
    /// Wilson and Hilferty, which is near to normal for any degrees.
    #[must_use]
    pub fn at_degrees(self, degrees: f64) -> Self {
        let spread = |degrees: f64| (2.0 / (9.0 * degrees)).sqrt();
        let centre = |degrees: f64| 1.0 - 2.0 / (9.0 * degrees);
        let root = (self.statistic.max(0.0) / self.degrees).cbrt();
        let normal = (root - centre(self.degrees)) / spread(self.degrees);
        let root = (normal * spread(degrees) + centre(degrees)).max(0.0);
        Self {
            statistic: degrees * root * root * root,
            degrees,
            ..self
        }
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
    fn evidence_is_kept_at_other_degrees() {
        // P(chi-square with 1 > 10.83) = P(chi-square with 4 > 18.47) = 0.001 (tables).
        let moved = test(10.83, 1.0).at_degrees(4.0);
        assert!((moved.statistic - 18.47).abs() < 0.5, "{moved:?}");
        let same = test(7.3, 3.0).at_degrees(3.0);
        assert!((same.statistic - 7.3).abs() < 1e-9);
        assert!(test(0.0, 2.0).at_degrees(50.0).deviations() < 0.0);
    }

    #[test]
    fn pairs_are_edges_or_unconnected() {
        let mut existence = Array2::from_elem((3, 3), -4.0);
        existence[(0, 1)] = 4.0;
        let direction = |(i, j): (usize, usize)| j as f64 - i as f64;
        let orientation = Array2::from_shape_fn((3, 3), direction);
        let graph = TestedGraph::of(&Belief::new(existence, orientation).unwrap());
        let pairs = |edges, absent| {
            let pairs = graph.pairs(Tested { edges, absent });
            pairs.iter().map(|(c, e)| (c.0, e.0)).collect::<Vec<_>>()
        };
        assert_eq!(pairs(true, false), [(0, 1)]);
        assert_eq!(pairs(false, true), [(0, 2), (1, 2), (2, 0), (2, 1)]);
        assert_eq!(pairs(true, true).len(), 5);
        assert!(pairs(false, false).is_empty());
    }
}

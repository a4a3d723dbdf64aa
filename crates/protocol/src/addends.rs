//! The addends of a round: which number stands where, and what their sum says.
//!
//! | block | number | scale | sum over sites |
//! |---|---|---|---|
//! | 1 | 1 | whole | how many answered |
//! | 1 if existence was split from psi | 1 | whole | whether the aggregate knows directions of existence |
//! | terms of the rule ([`crate::rules`]) | by the rule | by the rule | the next belief |
//! | 1 if the site's own graph has the edge | N (N - 1) | whole | how far the sites agree |
//! | G of a tested pair at the plan's degrees of freedom, 0 if not told; 1 if told | 2 per tested pair | whole | which edges the rows show |
//!
//! The number of addends follows from plan and question alone: it reveals nothing. G is rounded to whole
//! numbers and bounded by [`MOST_DEVIATIONS`]; degrees of freedom are those of all categories of the
//! plan, so neither says which values occur at a site ([`EdgeTest::at_degrees`]).

use fedcdi_core::{Belief, Digraph, EdgeTest, Origin, SampleCounts, TestedGraph, VarId};

use crate::codec::{edges, n_edges};
use crate::fixed::{Overflow, Scale};
use crate::plan::{Exchange, Study};
use crate::question::Believe;
use crate::rules::{MAX_LOGIT, Opinion};

/// Tests say no more than this many standard deviations: so one site cannot drown the others, and a
/// strong dependence is not told more exactly than needed.
pub const MOST_DEVIATIONS: f64 = 50.0;

/// Numbers before the terms of the rule.
const HEAD: usize = 2;

/// Which number stands where in the answers to one question.
pub(crate) struct Layout<'a> {
    study: &'a Study,
    scale: Scale,
    whole: Scale,
    n_terms: usize,
    tests: &'a [PlannedTest],
}

/// The tests that follow from a question, in the order of their edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlannedTests(Vec<PlannedTest>);

impl PlannedTests {
    pub(crate) fn of(study: &Study, ask: &Believe) -> Self {
        if ask.tested.is_nothing() {
            return Self::default();
        }
        let graph = TestedGraph::of(&ask.prior);
        let tests = graph.pairs(ask.tested).into_iter().filter_map(|edge| {
            let parents: Vec<VarId> = graph.parents(edge.1).iter().collect();
            let degrees = study.degrees(edge.0, edge.1, &parents)?;
            Some(PlannedTest { edge, degrees })
        });
        Self(tests.collect())
    }
}

/// A test that everybody knows is asked for.
#[derive(Clone, Copy, Debug)]
struct PlannedTest {
    edge: (VarId, VarId),
    degrees: f64,
}

impl PlannedTest {
    fn largest(&self) -> f64 {
        (self.degrees + MOST_DEVIATIONS * (2.0 * self.degrees).sqrt()).floor()
    }
}

/// What a site has to say, before it becomes addends.
pub(crate) struct Said<'a> {
    pub(crate) posterior: &'a Belief,
    pub(crate) counts: &'a SampleCounts,
    /// Sorted by edge.
    pub(crate) tests: &'a [EdgeTest],
}

/// What the sum of a round says.
pub(crate) struct Pooled {
    pub(crate) aggregate: Belief,
    /// Of every ordered pair: how many sites' graphs have the edge.
    pub(crate) votes: Vec<u64>,
    pub(crate) n_answers: u64,
    pub(crate) tests: Vec<EdgeTest>,
}

/// Why addends cannot be what a site of the study sends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsound {
    /// Too few or too many.
    #[error("{found} addends, where plan and question have {expected}")]
    Number {
        /// That came.
        found: usize,
        /// That should have come.
        expected: usize,
    },
    /// A number beyond what one site may add.
    #[error("addend {0} is larger than one site may add")]
    Large(usize),
    /// Something else than 0 or 1, or G out of range.
    #[error("addend {0} is none that its place can have")]
    Place(usize),
    /// Terms that no belief gives under the rule.
    #[error("its terms are none that the rule gives")]
    Terms,
}

impl<'a> Layout<'a> {
    pub(crate) fn new(study: &'a Study, tests: &'a PlannedTests) -> Self {
        let n_sites = study.n_sites();
        Self {
            study,
            scale: Scale::new(study.rule.fraction_bits(), n_sites),
            whole: Scale::new(0, n_sites),
            n_terms: study.rule.n_terms(study.n_vars()),
            tests: &tests.0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        HEAD + self.n_terms + n_edges(self.study.n_vars()) + 2 * self.tests.len()
    }

    /// Where votes and tests begin.
    fn starts(&self) -> [usize; 2] {
        let votes = HEAD + self.n_terms;
        [votes, votes + n_edges(self.study.n_vars())]
    }

    /// The addends of one site.
    pub(crate) fn addends(&self, ask: &Believe, said: &Said<'_>) -> Result<Vec<i64>, Overflow> {
        let posterior = clipped(told(said.posterior, self.study.plan.exchange));
        let terms = self.study.rule.terms(&Opinion {
            prior: &ask.prior,
            posterior: &posterior,
            counts: said.counts,
            reference: ask.reference.max(1),
        });
        let mut addends = vec![1, i64::from(posterior.origin() == Origin::Psi)];
        for term in terms {
            addends.push(self.scale.encode(term)?);
        }
        let graph = self.study.raw_graph(&posterior);
        let votes = edges(self.study.n_vars())
            .map(|(cause, effect)| i64::from(graph.has_edge(VarId(cause), VarId(effect))));
        addends.extend(votes);
        for planned in self.tests {
            let made = said
                .tests
                .binary_search_by_key(&planned.edge, EdgeTest::edge);
            let made = made.ok().map(|at| said.tests[at]);
            match made.filter(|test| test.degrees > 0.0) {
                None => addends.extend([0, 0]),
                Some(test) => {
                    let g = test.at_degrees(planned.degrees).statistic.round();
                    addends.push(self.whole.encode(g.clamp(0.0, planned.largest()))?);
                    addends.push(1);
                }
            }
        }
        Ok(addends)
    }

    /// Whether a site that follows plan and question can have sent these.
    pub(crate) fn check(&self, addends: &[i64]) -> Result<(), Unsound> {
        let (found, expected) = (addends.len(), self.len());
        if found != expected {
            return Err(Unsound::Number { found, expected });
        }
        let [votes, tests] = self.starts();
        let is_bit = |at: usize| (0..=1).contains(&addends[at]);
        let bits = (1..HEAD).chain(votes..tests);
        let out_of_place = |at: &usize| !is_bit(*at);
        if addends[0] != 1 {
            return Err(Unsound::Place(0));
        }
        if let Some(at) = bits.into_iter().find(out_of_place) {
            return Err(Unsound::Place(at));
        }
        for (at, planned) in (tests..).step_by(2).zip(self.tests) {
            let most = match addends[at + 1] {
                0 => 0,
                1 => planned.largest() as i64,
                _ => return Err(Unsound::Place(at + 1)),
            };
            if !(0..=most).contains(&addends[at]) {
                return Err(Unsound::Place(at));
            }
        }
        let terms = &addends[HEAD..votes];
        if let Some(at) = terms.iter().position(|term| !self.scale.fits(*term)) {
            return Err(Unsound::Large(HEAD + at));
        }
        let sound = self
            .study
            .rule
            .is_sound(self.study.n_vars(), &self.terms(addends));
        if sound { Ok(()) } else { Err(Unsound::Terms) }
    }

    /// The terms of the rule.
    pub(crate) fn terms(&self, addends: &[i64]) -> Vec<f64> {
        let terms = &addends[HEAD..HEAD + self.n_terms];
        terms.iter().map(|term| self.scale.decode(*term)).collect()
    }

    /// The graph that one site voted for.
    pub(crate) fn vote(&self, addends: &[i64]) -> Digraph {
        let [votes, tests] = self.starts();
        let n_vars = self.study.n_vars();
        let edges = edges(n_vars).zip(&addends[votes..tests]);
        let edges = edges.filter(|(_, vote)| **vote == 1);
        Digraph::from_edges(n_vars, edges.map(|((c, e), _)| (VarId(c), VarId(e))))
    }

    /// What the answers of a round come to; at least one.
    pub(crate) fn pool<'b>(
        &self,
        answers: impl Iterator<Item = &'b Vec<i64>> + Clone,
    ) -> Result<Pooled, fedcdi_core::BeliefError> {
        let mut sum = vec![0i64; self.len()];
        for addends in answers.clone() {
            for (sum, addend) in sum.iter_mut().zip(addends) {
                *sum += addend;
            }
        }
        let terms = if self.study.rule.is_additive() {
            vec![self.terms(&sum)]
        } else {
            answers.map(|addends| self.terms(addends)).collect()
        };
        let aggregate = self.study.rule.finish(self.study.n_vars(), &terms)?;
        let origin = match sum[1] {
            0 => aggregate.origin(),
            _ => Origin::Psi,
        };
        let [votes, tests] = self.starts();
        Ok(Pooled {
            aggregate: aggregate.with_origin(origin),
            votes: sum[votes..tests].iter().map(|n| *n as u64).collect(),
            n_answers: sum[0] as u64,
            tests: self.summed_tests(&sum[tests..]),
        })
    }

    fn summed_tests(&self, sums: &[i64]) -> Vec<EdgeTest> {
        let (sums, _) = sums.as_chunks::<2>();
        let tests = self.tests.iter().zip(sums);
        let told = tests.filter(|(_, [_, n_told])| *n_told > 0);
        told.map(|(planned, [g, n_told])| EdgeTest {
            cause: planned.edge.0,
            effect: planned.edge.1,
            statistic: *g as f64,
            degrees: planned.degrees * *n_told as f64,
        })
        .collect()
    }
}

/// The belief that everything which leaves is made from.
fn told(posterior: &Belief, exchange: Exchange) -> Belief {
    match exchange {
        Exchange::Logits => posterior.clone(),
        Exchange::Psi => Belief::from_psi(&posterior.psi()).expect("psi of a belief is one of psi"),
    }
}

fn clipped(belief: Belief) -> Belief {
    let within = |logits: &ndarray::Array2<f64>| logits.mapv(|x| x.clamp(-MAX_LOGIT, MAX_LOGIT));
    let (existence, orientation) = (within(belief.existence()), within(belief.orientation()));
    let clipped = Belief::new(existence, orientation).expect("clipped logits are logits");
    clipped.with_origin(belief.origin())
}

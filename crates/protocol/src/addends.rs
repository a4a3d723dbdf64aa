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

use fedcdi_core::{
    Belief, BeliefError, Digraph, EdgeTest, Origin, SampleCounts, TestedGraph, VarId,
};

use crate::codec::{edges, n_edges};
use crate::fixed::{Overflow, Scale};
use crate::plan::{CheckedPlan, Exchange};
use crate::question::Believe;
use crate::rules::{MAX_LOGIT, Opinion};

/// Tests say no more than this many standard deviations: so one site cannot drown the others, and a
/// strong dependence is not told more exactly than needed.
pub const MOST_DEVIATIONS: f64 = 50.0;

/// Numbers before the terms of the rule.
const HEAD: usize = 2;

/// A test that everybody knows is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedTest {
    edge: (VarId, VarId),
    degrees: f64,
}

impl PlannedTest {
    /// The tests that follow from a question, in the order of their edges.
    pub(crate) fn all(study: &CheckedPlan, ask: &Believe) -> Vec<Self> {
        let graph = TestedGraph::of(&ask.prior);
        let planned = |edge: (VarId, VarId)| {
            let degrees = study.degrees(edge, graph.parents(edge.1))?;
            Some(Self { edge, degrees })
        };
        let pairs = graph.pairs(ask.tested).into_iter();
        pairs.filter_map(planned).collect()
    }

    /// The largest G that is told.
    fn largest(&self) -> i64 {
        (self.degrees + MOST_DEVIATIONS * (2.0 * self.degrees).sqrt()) as i64
    }

    /// What a site tells of it, of all tests that it made, sorted by edge.
    fn addends(&self, made: &[EdgeTest], whole: Scale) -> Result<[i64; 2], Overflow> {
        let made = (made.binary_search_by_key(&self.edge, EdgeTest::edge)).map(|at| made[at]);
        match made {
            Ok(test) if test.degrees > 0.0 => {
                let g = test.at_degrees(self.degrees).statistic.round();
                Ok([whole.encode(g.clamp(0.0, self.largest() as f64))?, 1])
            }
            _ => Ok([0, 0]),
        }
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsound {
    /// Too few or too many.
    #[error("{found} addends, where plan and question have {expected}")]
    Number {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// One that could let the sum overflow.
    #[error("addend {0} is larger than one site may add")]
    Large(usize),
    /// Something else than 0 or 1, or G out of range.
    #[error("addend {0} is none that its place can have")]
    Place(usize),
    /// Terms that the rule cannot have made.
    #[error("its terms are none that the rule gives")]
    Terms,
}

/// Which number stands where in the answers to one question.
pub(crate) struct Layout<'a> {
    study: &'a CheckedPlan,
    scale: Scale,
    /// Where votes begin, after the terms of the rule.
    votes: usize,
    /// Where tests begin.
    tests: usize,
    planned: &'a [PlannedTest],
}

impl<'a> Layout<'a> {
    pub(crate) fn new(study: &'a CheckedPlan, planned: &'a [PlannedTest]) -> Self {
        let votes = HEAD + study.rule.n_terms(study.n_vars());
        Self {
            study,
            scale: Scale::new(study.rule.fraction_bits(), study.n_sites()),
            votes,
            tests: votes + n_edges(study.n_vars()),
            planned,
        }
    }

    /// What a term of 1 stands for.
    pub(crate) fn step(&self) -> f64 {
        self.scale.decode(1)
    }

    fn len(&self) -> usize {
        self.tests + 2 * self.planned.len()
    }

    /// The addends of a site with this posterior, these numbers of rows and these tests.
    pub(crate) fn addends(
        &self,
        ask: &Believe,
        posterior: &Belief,
        counts: &SampleCounts,
        tests: &[EdgeTest],
    ) -> Result<Vec<i64>, Overflow> {
        let posterior = told(posterior, self.study.plan.exchange);
        let terms = self.study.rule.terms(&Opinion {
            prior: &ask.prior,
            posterior: &posterior,
            counts,
            reference: ask.reference.max(1),
        });
        let mut addends = vec![1, i64::from(posterior.origin() == Origin::Psi)];
        for term in terms {
            addends.push(self.scale.encode(term)?);
        }
        let graph = self.study.raw_graph(&posterior);
        let vote = |(cause, effect)| i64::from(graph.has_edge(VarId(cause), VarId(effect)));
        addends.extend(edges(self.study.n_vars()).map(vote));
        let whole = Scale::new(0, self.study.n_sites());
        for planned in self.planned {
            addends.extend(planned.addends(tests, whole)?);
        }
        Ok(addends)
    }

    /// Whether a site that follows plan and question can have sent these.
    pub(crate) fn check(&self, addends: &[i64]) -> Result<(), Unsound> {
        let (found, expected) = (addends.len(), self.len());
        if found != expected {
            return Err(Unsound::Number { found, expected });
        }
        let is_bit = |at: &usize| (0..=1).contains(&addends[*at]);
        let mut bits = (1..HEAD).chain(self.votes..self.tests);
        let odd = bits.find(|at| !is_bit(at));
        if let Some(at) = (addends[0] != 1).then_some(0).or(odd) {
            return Err(Unsound::Place(at));
        }
        for (at, planned) in (self.tests..).step_by(2).zip(self.planned) {
            if !is_bit(&(at + 1)) {
                return Err(Unsound::Place(at + 1));
            }
            if !(0..=planned.largest() * addends[at + 1]).contains(&addends[at]) {
                return Err(Unsound::Place(at));
            }
        }
        if let Some(at) = (HEAD..self.votes).find(|at| !self.scale.fits(addends[*at])) {
            return Err(Unsound::Large(at));
        }
        let rule = &self.study.rule;
        let sound = rule.is_sound(self.study.n_vars(), &self.terms(addends));
        sound.then_some(()).ok_or(Unsound::Terms)
    }

    /// The terms of the rule.
    pub(crate) fn terms(&self, addends: &[i64]) -> Vec<f64> {
        let terms = addends[HEAD..self.votes].iter();
        terms.map(|term| self.scale.decode(*term)).collect()
    }

    /// The graph that one site voted for.
    pub(crate) fn vote(&self, addends: &[i64]) -> Digraph {
        let n_vars = self.study.n_vars();
        let votes = edges(n_vars).zip(&addends[self.votes..self.tests]);
        let edges = votes.filter(|(_, vote)| **vote == 1);
        Digraph::from_edges(n_vars, edges.map(|((c, e), _)| (VarId(c), VarId(e))))
    }

    /// Whether a sum is not enough.
    pub(crate) fn needs_single(&self) -> bool {
        !self.study.rule.is_additive()
    }

    pub(crate) fn n_sites(&self) -> usize {
        self.study.n_sites()
    }

    /// What the answers of a round come to, at least one: from their sum, and from each of them where a
    /// sum is not enough.
    pub(crate) fn pool<'b>(
        &self,
        sum: &[i64],
        each: impl Iterator<Item = &'b Vec<i64>>,
    ) -> Result<Pooled, BeliefError> {
        let terms = if self.needs_single() {
            each.map(|addends| self.terms(addends)).collect()
        } else {
            vec![self.terms(sum)]
        };
        let aggregate = self.study.rule.finish(self.study.n_vars(), &terms)?;
        let origin = match sum[1] {
            0 => aggregate.origin(),
            _ => Origin::Psi,
        };
        let votes = sum[self.votes..self.tests].iter();
        Ok(Pooled {
            aggregate: aggregate.with_origin(origin),
            votes: votes.map(|n| *n as u64).collect(),
            n_answers: sum[0] as u64,
            tests: self.summed_tests(&sum[self.tests..]),
        })
    }

    fn summed_tests(&self, sums: &[i64]) -> Vec<EdgeTest> {
        let tests = self.planned.iter().zip(sums.as_chunks::<2>().0);
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

/// The belief that everything which leaves is made from: without what is not exchanged, and clipped.
fn told(posterior: &Belief, exchange: Exchange) -> Belief {
    let told = match exchange {
        Exchange::Logits => posterior.clone(),
        Exchange::Psi => Belief::from_psi(&posterior.psi()).expect("psi of a belief is one of psi"),
    };
    let within = |logits: &ndarray::Array2<f64>| logits.mapv(|x| x.clamp(-MAX_LOGIT, MAX_LOGIT));
    let clipped = Belief::new(within(told.existence()), within(told.orientation()));
    (clipped.expect("clipped logits are logits")).with_origin(told.origin())
}

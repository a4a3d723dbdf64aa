//! How sure a result is of every pair of variables, and of which directions.
//!
//! Ours. Every pair gets three probabilities that sum to one, and the graph, its class and everything that
//! people read agree with them ([`Posterior::settle`]). They come from one of two places:
//!
//! | method | P(a -> b), P(b -> a), P(none) |
//! |---|---|
//! | with scores of all rows ([`by_odds`]) | in proportion to `exp(-loss)`: what the score loses if the pair is changed to this ([`fedcdi_score::Odds`]) |
//! | with a belief alone ([`by_belief`]) | as the belief has them, given that the graph has no cycle ([`confidence`]) |
//!
//! Without scores, between several sites, nobody but the coordinator knows who set what. There the belief alone
//! says which directions are told, and no class does.
//!
//! Both take most of the graph for granted. It may be wrong, and then a direction that follows from it is
//! worth little however many nats speak for it. So a share of P(edge) goes to either direction alike:
//! [`DOUBT_SET`] where some row sets exactly one of the two, [`DOUBT_FOLLOWS`] where the direction follows
//! from other edges alone. `scripts/calibration` measures what the numbers are worth.

use fedcdi_core::graph::{Posterior, Settled, confidence};
use fedcdi_core::{Belief, Dag, Knowledge, VarId};
use fedcdi_protocol::{Outcome, Scored};
use ndarray::Array2;

use crate::arms::Arm;
use crate::result::SiteResult;

/// Share of P(edge) that a direction gives up where rows set one end.
const DOUBT_SET: f64 = 0.02;
/// The same where the direction follows from other edges.
const DOUBT_FOLLOWS: f64 = 0.04;

/// That there is an edge which the graph has, and the belief makes less likely: 61 % of 18 in
/// `docs/lab/results.md`.
const DRAWN: f64 = 0.6;

/// Who set what: which pairs of variables interventions tell apart.
pub(crate) enum Separated<'a> {
    /// As the sums over rows say.
    Sums(&'a Array2<u32>),
    /// As the one site says in its profile.
    Arms(&'a [Arm]),
    /// Not every party of the study knows it, and all must come to the same.
    Unknown,
}

impl<'a> Separated<'a> {
    /// As far as the parties of a study know it.
    pub(crate) fn of(outcome: &'a Outcome, sites: &'a [SiteResult]) -> Self {
        let profile = |site: &'a SiteResult| site.profile.as_ref();
        match (&outcome.scored, sites) {
            (Some(scored), _) => Self::Sums(&scored.set),
            (None, [site]) => profile(site).map_or(Self::Unknown, |p| Self::Arms(&p.arms)),
            (None, _) => Self::Unknown,
        }
    }

    pub(crate) fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// Whether some rows are known to set the first and leave the second alone.
    pub(crate) fn sets(&self, set: VarId, free: VarId) -> bool {
        match self {
            Self::Sums(sites) => sites[(set.index(), free.index())] > 0,
            Self::Arms(arms) => arms.iter().any(|arm| arm.separates(set, free)),
            Self::Unknown => false,
        }
    }

    /// Whether some rows set exactly one of the two.
    pub(crate) fn either(&self, a: VarId, b: VarId) -> bool {
        self.sets(a, b) || self.sets(b, a)
    }
}

/// What a study came to, as it is told.
pub(crate) fn settled(
    outcome: &Outcome,
    knowledge: &Knowledge,
    separated: &Separated<'_>,
) -> Settled {
    let found = match &outcome.scored {
        Some(scored) => by_odds(&outcome.dag, scored),
        None => by_belief(&outcome.dag, &outcome.belief, knowledge),
    };
    let doubted = doubted(found, &outcome.dag, separated);
    // What is not known to be open is as likely as the belief says.
    let is_told = |a, b| !separated.is_known() || separated.either(a, b);
    Posterior::new(doubted).settle(&outcome.dag, knowledge, is_told)
}

/// From the belief. An edge of the graph may be less likely than not, given that there is no cycle; as such edges
/// are true more often than not, its pair is told as [`DRAWN`].
fn by_belief(dag: &Dag, belief: &Belief, knowledge: &Knowledge) -> Array2<f64> {
    let mut found = confidence(belief, knowledge);
    for (cause, effect) in dag.edges() {
        let places = [(cause, effect), (effect, cause)].map(|(c, e)| (c.index(), e.index()));
        let joined: f64 = places.iter().map(|place| found[*place]).sum();
        if joined > 0.0 && joined < DRAWN {
            places
                .iter()
                .for_each(|place| found[*place] *= DRAWN / joined);
        }
    }
    found
}

/// From what the score loses.
fn by_odds(dag: &Dag, scored: &Scored) -> Array2<f64> {
    let n_vars = dag.n_vars();
    let weight = |nats: f64| (-nats).exp();
    let mut found = Array2::zeros((n_vars, n_vars));
    for (((cause, effect), gain), turn) in scored.gains_of(dag).zip(&scored.odds.turns) {
        let (none, turned) = (weight(gain), weight(*turn));
        found[(cause.index(), effect.index())] = 1.0 / (1.0 + turned + none);
        found[(effect.index(), cause.index())] = turned / (1.0 + turned + none);
    }
    for (&(cause, effect), loss) in &scored.odds.near {
        let (this, other) = (weight(*loss), scored.odds.near.get(&(effect, cause)));
        let other = other.map_or(0.0, |loss| weight(*loss));
        // Two directions are two ways to be joined, not twice the evidence for it.
        let joined = this.max(other) / (1.0 + this.max(other));
        found[(cause.index(), effect.index())] = joined * this / (this + other);
    }
    found
}

/// With the doubt about directions that rest on the rest of the graph.
fn doubted(mut found: Array2<f64>, dag: &Dag, separated: &Separated<'_>) -> Array2<f64> {
    for (cause, effect) in dag.edges() {
        let doubt = if separated.either(cause, effect) {
            DOUBT_SET
        } else {
            DOUBT_FOLLOWS
        };
        let places = [(cause, effect), (effect, cause)].map(|(c, e)| (c.index(), e.index()));
        let half = 0.5 * (found[places[0]] + found[places[1]]);
        for place in places {
            found[place] = (1.0 - doubt) * found[place] + doubt * half;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{Cpdag, Digraph};
    use fedcdi_protocol::Changes;
    use fedcdi_score::Odds;

    use super::*;

    fn dag(edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
        Dag::try_from(Digraph::from_edges(3, edges)).unwrap()
    }

    /// 0 -> 1 with a gain of ln 4 nats and a turn of ln 2; 2 is nearly an effect of 0.
    fn scored(dag: &Dag) -> Scored {
        Scored {
            class: Cpdag::of(dag),
            gains: vec![4f64.ln()],
            odds: Odds {
                turns: vec![2f64.ln()],
                near: [((VarId(0), VarId(2)), 3f64.ln())].into(),
            },
            set: Array2::zeros((3, 3)),
            score: 0.0,
            n_questions: 1,
            n_numbers: 1,
            n_sites: 1,
            changes: Changes::default(),
            has_ended: true,
        }
    }

    #[test]
    fn a_pair_is_as_likely_as_its_score_is_high() {
        let dag = dag(&[(0, 1)]);
        let found = by_odds(&dag, &scored(&dag));
        // As found, turned and left out are as 1 to 1/2 to 1/4; the edge that is not there as 1/3 to 1.
        for (place, expected) in [((0, 1), 4.0 / 7.0), ((1, 0), 2.0 / 7.0), ((0, 2), 0.25)] {
            assert!((found[place] - expected).abs() < 1e-12, "{found}");
        }
        assert_eq!(found[(2, 0)] + found[(1, 2)] + found[(2, 1)], 0.0);
    }

    #[test]
    fn directions_that_follow_are_doubted_more_than_those_that_rows_tell() {
        let dag = dag(&[(0, 1), (1, 2)]);
        let mut sure = Array2::zeros((3, 3));
        (sure[(0, 1)], sure[(1, 2)]) = (1.0, 1.0);
        let mut set = Array2::zeros((3, 3));
        set[(0, 1)] = 1;
        let doubted = doubted(sure, &dag, &Separated::Sums(&set));
        for (place, expected) in [
            ((0, 1), 0.99),
            ((1, 0), 0.01),
            ((1, 2), 0.98),
            ((2, 1), 0.02),
        ] {
            assert!((doubted[place] - expected).abs() < 1e-12, "{doubted}");
        }
    }

    #[test]
    fn an_edge_that_is_drawn_without_scores_is_likelier_than_not() {
        let (dag, knowledge) = (dag(&[(0, 1)]), Knowledge::none(3));
        let belief = Belief::uninformed(3);
        let found = by_belief(&dag, &belief, &knowledge);
        let joined = |a: usize, b: usize| found[(a, b)] + found[(b, a)];
        assert!(
            (joined(0, 1).max(DRAWN) - joined(0, 1)).abs() < 1e-12,
            "{found}"
        );
        assert_eq!(joined(0, 2), {
            let given = confidence(&belief, &knowledge);
            given[(0, 2)] + given[(2, 0)]
        });
    }
}

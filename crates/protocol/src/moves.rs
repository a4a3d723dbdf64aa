//! What moves what: which edges interventions rule out.
//!
//! Ours. Every site tells one number for every ordered pair: log-odds that the effect moves when the cause is
//! set, from its own rows. The numbers are summed over sites.
//!
//! | what | how |
//! |---|---|
//! | a site's number | twice the log-odds, rounded to a whole one, at most [`MOST`] nats in size: as exact as the G of a test. 0 where no row sets the cause |
//! | i -> j is ruled out ([`Moved::ruled_out`]) | their sum says less than `-ln((N - 1) / 0.05)` nats: of all effects of a cause about 0.05 are expected to be lost |
//! | a ruled-out edge | is not in the graph: extraction and search treat it as forbidden, and the belief that is sent has it at [`RULED_OUT`]. An edge that knowledge requires stays |
//!
//! **Paths that cancel.** What does not move is usually no effect. But an edge i -> j and a path i -> k -> j of
//! opposite effect may cancel: then j rests when i is set, though the edge is there. Without a path there is
//! nothing to cancel an edge. So i -> j is not ruled out if some k leans to be on such a path:
//!
//! - i moves k, by more than [`LEANS`] nats or by knowledge that requires the edge, and
//! - k moves j, in the same sense; or nobody set k, so nobody knows.
//!
//! One k is enough for longer paths, because whatever comes first on it moves j, too. Where nothing cancels the
//! guard costs little: if i moves k and k moves j, then i moves j, and i -> j is not ruled out anyway. What is
//! left is a path in which two edges cancel before the end.
//!
//! **What does not depend on how rows are divided.** The order in which sites answer. Who has the rows under an
//! intervention, as long as all of them are at one site and the observational rows beside them are the same:
//! sites that set nothing add 0. What does depend on it: rows under one intervention that are divided over sites
//! say a little less than together, because every site judges them by its own observational rows.

use fedcdi_core::{Belief, Knowledge, VarId};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::addends::Unsound;
use crate::codec::{DecodeError, edges, matrix, n_edges, wire};

/// Whether interventions rule out edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moves {
    /// Sites are asked once, before all else.
    Use,
    /// They are not asked.
    Ignore,
}

impl Moves {
    /// What a face may offer by one word.
    pub const WORDS: [&str; 2] = ["use", "ignore"];

    /// One of [`Self::WORDS`].
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "use" => Some(Self::Use),
            "ignore" => Some(Self::Ignore),
            _ => None,
        }
    }
}

/// Log-odds beyond these are not told, in nats.
pub const MOST: f64 = 64.0;
/// Steps of a nat that are told.
const STEPS: f64 = 2.0;
/// Expected number of a cause's effects that are lost: the usual 5 %.
const ERROR: f64 = 0.05;
/// Log-odds from which a variable counts as moved where that speaks against ruling an edge out, in nats.
pub const LEANS: f64 = 1.0;
/// Existence of an edge that is ruled out, in the belief: as good as 0, and a method can still learn.
pub const RULED_OUT: f64 = -16.0;

/// What moves what, over all sites that told.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// `[cause, effect]`: log-odds that the effect moves when the cause is set, in nats; 0 where no row sets
    /// the cause.
    pub odds: Array2<f64>,
    /// Sites that told.
    pub n_sites: usize,
}

/// What a site tells of its log-odds.
pub(crate) fn told(odds: &Array2<f64>) -> Vec<i64> {
    let number = |at| (odds[at].clamp(-MOST, MOST) * STEPS).round() as i64;
    edges(odds.nrows()).map(number).collect()
}

/// Whether one of the sites can have sent these numbers.
pub(crate) fn check(numbers: &[i64], n_vars: usize) -> Result<(), Unsound> {
    let (found, expected) = (numbers.len(), n_edges(n_vars));
    if found != expected {
        return Err(Unsound::Number { found, expected });
    }
    let most = (MOST * STEPS) as u64;
    let large = numbers.iter().position(|n| n.unsigned_abs() > most);
    large.map_or(Ok(()), |at| Err(Unsound::Place(at)))
}

impl Moved {
    /// From the sum of what so many sites told.
    pub(crate) fn of(sum: &[i64], n_vars: usize, n_sites: usize) -> Self {
        let nats: Vec<f64> = sum.iter().map(|n| *n as f64 / STEPS).collect();
        Self {
            odds: matrix(n_vars, edges(n_vars), &nats),
            n_sites,
        }
    }

    /// Log-odds that decide, in nats.
    pub fn needed(&self) -> f64 {
        let n_others = self.odds.nrows().saturating_sub(1).max(1);
        (n_others as f64 / ERROR).ln()
    }

    /// The edges that interventions rule out, in order.
    ///
    /// Complexity: O(N^3).
    pub fn ruled_out(&self, knowledge: &Knowledge) -> Vec<(VarId, VarId)> {
        let (n_vars, needed) = (self.odds.nrows(), self.needed());
        let vars = || (0..n_vars).map(VarId);
        let is_set: Vec<bool> = self
            .odds
            .outer_iter()
            .map(|of| of.iter().any(|odds| *odds != 0.0))
            .collect();
        let leans = |cause: VarId, effect: VarId| {
            let odds = self.odds[(cause.index(), effect.index())];
            odds > LEANS || knowledge.is_required(cause, effect)
        };
        let passes = |via: VarId, effect| leans(via, effect) || !is_set[via.index()];
        let is_out = |(cause, effect): &(VarId, VarId)| {
            let mut between = vars().filter(|via| via != cause && via != effect);
            self.odds[(cause.index(), effect.index())] < -needed
                && !knowledge.is_required(*cause, *effect)
                && !between.any(|via| leans(*cause, via) && passes(via, *effect))
        };
        let all = edges(n_vars).map(|(cause, effect)| (VarId(cause), VarId(effect)));
        all.filter(is_out).collect()
    }

    /// Knowledge, and what interventions rule out.
    #[must_use]
    pub fn narrowed(&self, knowledge: &Knowledge) -> Knowledge {
        knowledge.without(self.ruled_out(knowledge))
    }

    pub(crate) fn to_wire(&self) -> wire::MovedSum {
        let steps = edges(self.odds.nrows()).map(|at| (self.odds[at] * STEPS).round() as i64);
        wire::MovedSum {
            n_sites: self.n_sites as u32,
            numbers: steps.collect(),
        }
    }

    pub(crate) fn heard(sent: &wire::MovedSum, n_vars: usize) -> Result<Self, DecodeError> {
        let most = (MOST * STEPS) as u64 * u64::from(sent.n_sites);
        let fits = sent.numbers.iter().all(|n| n.unsigned_abs() <= most);
        (fits && sent.numbers.len() == n_edges(n_vars))
            .then(|| Self::of(&sent.numbers, n_vars, sent.n_sites as usize))
            .ok_or(DecodeError::Field("moves"))
    }
}

/// The belief without what is ruled out, as far as it is.
pub(crate) fn weighed(belief: &Belief, ruled_out: &[(VarId, VarId)]) -> Belief {
    if ruled_out.is_empty() {
        return belief.clone();
    }
    let mut existence = belief.existence().clone();
    for (cause, effect) in ruled_out {
        let logit = &mut existence[(cause.index(), effect.index())];
        *logit = logit.min(RULED_OUT);
    }
    let weighed = belief.with_existence(existence);
    weighed.expect("finite logits stay finite")
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{KnowledgeFile, Schema, Variable};
    use ndarray::array;

    use super::*;

    /// Log-odds over variables v0, v1, ..
    fn moved<const N: usize>(odds: [[f64; N]; N]) -> Moved {
        let odds: Vec<f64> = odds.concat();
        Moved {
            odds: Array2::from_shape_vec((N, N), odds).unwrap(),
            n_sites: 1,
        }
    }

    fn out(moved: &Moved, knowledge: &Knowledge) -> Vec<(usize, usize)> {
        let out = moved.ruled_out(knowledge).into_iter();
        out.map(|(cause, effect)| (cause.0, effect.0)).collect()
    }

    fn required(n_vars: usize, edges: &[[&str; 2]]) -> Knowledge {
        let variables = (0..n_vars).map(|v| Variable::with_codes(format!("v{v}"), 2));
        let file = KnowledgeFile {
            required: edges.iter().map(|edge| edge.map(str::to_owned)).collect(),
            ..KnowledgeFile::default()
        };
        file.check(&Schema::new(variables.collect()).unwrap())
            .unwrap()
    }

    #[test]
    fn an_effect_that_rests_is_ruled_out_unless_it_is_required() {
        // ln(2 / 0.05) = 3.69.
        let moved = moved([[0.0, -3.5, -4.0], [-9.0, 0.0, 20.0], [0.0, 0.0, 0.0]]);
        assert!((moved.needed() - 3.688_879).abs() < 1e-6);
        assert_eq!(out(&moved, &Knowledge::none(3)), [(0, 2)]);
        // v1 moves v2, which nobody set: v1 -> v0 may cancel a path through it.
        let set = Moved {
            odds: &moved.odds + &array![[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-0.5, -9.0, 0.0]],
            n_sites: 1,
        };
        assert_eq!(out(&set, &Knowledge::none(3)), [(0, 2), (1, 0), (2, 1)]);
        let knowledge = required(3, &[["v0", "v2"]]);
        assert_eq!(out(&set, &knowledge), [(1, 0), (2, 1)]);
        assert!(set.narrowed(&knowledge).allows(VarId(0), VarId(2)));
        assert!(!set.narrowed(&knowledge).allows(VarId(2), VarId(1)));
    }

    #[test]
    fn an_edge_beside_a_path_is_not_ruled_out() {
        let with = |first: f64, second: f64| {
            out(
                &moved([[0.0, first, -50.0], [-2.0, 0.0, second], [-2.0, -2.0, 0.0]]),
                &Knowledge::none(3),
            )
        };
        assert_eq!(with(9.0, 9.0), []);
        assert_eq!(with(1.5, 1.5), []);
        assert_eq!(with(-2.0, 9.0), [(0, 2)]);
        assert_eq!(with(9.0, 0.5), [(0, 2)]);
        // A path that is known.
        let rests = moved([[0.0, -2.0, -50.0], [-2.0, 0.0, -2.0], [-2.0, -2.0, 0.0]]);
        let path = required(3, &[["v0", "v1"], ["v1", "v2"]]);
        assert_eq!(out(&rests, &path), []);
        assert_eq!(out(&rests, &Knowledge::none(3)), [(0, 2)]);
    }

    #[test]
    fn numbers_are_halves_of_a_nat_and_none_is_beyond_the_most() {
        let odds = array![[0.0, 0.3, -0.2], [-1e9, 0.0, 1e9], [7.75, -7.75, 0.0]];
        let numbers = told(&odds);
        assert_eq!(numbers, [1, 0, -128, 128, 16, -16]);
        assert_eq!(check(&numbers, 3), Ok(()));
        assert!(check(&numbers[1..], 3).is_err());
        let mut large = numbers.clone();
        large[2] = i64::MIN;
        assert_eq!(check(&large, 3), Err(Unsound::Place(2)));
        let sum = Moved::of(&numbers, 3, 2);
        assert_eq!(
            sum.odds,
            array![[0.0, 0.5, 0.0], [-64.0, 0.0, 64.0], [8.0, -8.0, 0.0]]
        );
        assert_eq!(Moved::heard(&sum.to_wire(), 3).unwrap(), sum);
        assert!(Moved::heard(&sum.to_wire(), 4).is_err());
        let none = wire::MovedSum {
            n_sites: 0,
            ..sum.to_wire()
        };
        assert!(Moved::heard(&none, 3).is_err());
    }

    #[test]
    fn a_belief_has_ruled_out_edges_at_zero_and_keeps_the_others() {
        let belief = Belief::uninformed(3);
        let weighed = weighed(&belief, &[(VarId(0), VarId(2))]);
        assert!(weighed.probability(VarId(0), VarId(2)) < 1e-6);
        assert_eq!(weighed.existence()[(2, 0)], belief.existence()[(2, 0)]);
    }
}

//! What the coordinator asks.

use fedcdi_core::{Belief, Round, Tested, VarId};

use crate::codec::{Coded as _, DecodeError, Digest, VERSION, check_version, decode, encode, wire};
use crate::event::{RoundRecord, StopReason};
use crate::moves::Moved;
use crate::scored::Scored;

/// The same question to every site.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The study.
    pub plan: Digest,
    /// 0 to join, then one for what moves what, one for every round, one for every question about sums, then the last.
    pub number: u32,
    /// What is asked.
    pub ask: Ask,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum Ask {
    /// Take part.
    Join,
    /// What moves when something is set?
    Moves,
    /// Learn from your rows, starting from this belief.
    Believe(Believe),
    /// Add these up over your rows.
    Sum(fedcdi_score::Ask),
    /// Here is the result.
    Finish(Finish),
}

/// A round.
#[derive(Clone, Debug, PartialEq)]
pub struct Believe {
    /// Which.
    pub round: Round,
    /// The belief to start from.
    pub prior: Belief,
    /// Independence tests to make on it.
    pub tested: Tested,
    /// Rows that make a mass of 1, where the rule has masses; else 0.
    pub reference: u64,
}

/// The result of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Finish {
    /// The belief.
    pub belief: Belief,
    /// The edges of its graph.
    pub edges: Vec<(VarId, VarId)>,
    /// Why the study ended.
    pub stop: StopReason,
    /// What every round came to.
    pub rounds: Vec<RoundRecord>,
    /// What the search over sums came to, if there was one.
    pub scored: Option<Scored>,
    /// What moves what, if the sites were asked.
    pub moved: Option<Moved>,
}

impl Ask {
    /// What a question of this number is about, for people.
    pub(crate) fn words(&self, number: u32) -> String {
        match self {
            Self::Join => "the question who takes part".to_owned(),
            Self::Moves => "the question what moves what".to_owned(),
            Self::Believe(asked) => format!("round {}", asked.round),
            Self::Sum(_) => format!("question {number}, which asks for sums,"),
            Self::Finish(_) => "the result".to_owned(),
        }
    }
}

impl Question {
    /// Its one encoding.
    pub fn encode(&self) -> Vec<u8> {
        use wire::question::Ask as Wire;
        let ask = match &self.ask {
            Ask::Join => Wire::Join(wire::Join {}),
            Ask::Moves => Wire::Moves(wire::Moves {}),
            Ask::Believe(believe) => Wire::Believe(wire::Believe {
                round: believe.round.0,
                prior: Some((&believe.prior).into()),
                test_edges: believe.tested.edges,
                test_absent: believe.tested.absent,
                reference: believe.reference,
            }),
            Ask::Sum(asked) => Wire::Sum(asked.into()),
            Ask::Finish(finish) => {
                let ends = |(cause, effect): &(VarId, VarId)| [cause.0 as u32, effect.0 as u32];
                Wire::Finish(wire::Finish {
                    belief: Some((&finish.belief).into()),
                    edges: finish.edges.iter().flat_map(ends).collect(),
                    stop: finish.stop.code(),
                    rounds: finish.rounds.iter().map(told).collect(),
                    scored: finish
                        .scored
                        .as_ref()
                        .map(|scored| scored.told(&finish.edges)),
                    moved: finish.moved.as_ref().map(Moved::to_wire),
                })
            }
        };
        encode(&wire::Question {
            version: VERSION,
            plan: self.plan.0.to_vec(),
            number: self.number,
            ask: Some(ask),
        })
    }

    /// The question of these bytes, of at most `limit`.
    ///
    /// # Errors
    /// [`DecodeError`] saying what is wrong first.
    pub fn decode(bytes: &[u8], limit: usize) -> Result<Self, DecodeError> {
        use wire::question::Ask as Wire;
        let sent: wire::Question = decode(bytes, limit)?;
        check_version(sent.version)?;
        let ask = match sent.ask.ok_or(DecodeError::Field("question"))? {
            Wire::Join(_) => Ask::Join,
            Wire::Moves(_) => Ask::Moves,
            Wire::Believe(sent) => Ask::Believe(believe(&sent)?),
            Wire::Sum(sent) => Ask::Sum(sent.try_into()?),
            Wire::Finish(sent) => Ask::Finish(finish(&sent)?),
        };
        Ok(Self {
            plan: Digest::read(&sent.plan, "plan")?,
            number: sent.number,
            ask,
        })
    }
}

fn believe(sent: &wire::Believe) -> Result<Believe, DecodeError> {
    let prior = sent.prior.as_ref().ok_or(DecodeError::Field("prior"))?;
    if sent.round == 0 {
        return Err(DecodeError::Field("round"));
    }
    Ok(Believe {
        round: Round(sent.round),
        prior: prior.try_into()?,
        tested: Tested {
            edges: sent.test_edges,
            absent: sent.test_absent,
        },
        reference: sent.reference,
    })
}

fn finish(sent: &wire::Finish) -> Result<Finish, DecodeError> {
    let belief = sent.belief.as_ref().ok_or(DecodeError::Field("belief"))?;
    let belief = Belief::try_from(belief)?;
    let (ends, rest) = sent.edges.as_chunks::<2>();
    let inside = |end: &u32| (*end as usize) < belief.n_vars();
    let is_loop = |[cause, effect]: &[u32; 2]| cause == effect;
    if !rest.is_empty() || !sent.edges.iter().all(inside) || ends.iter().any(is_loop) {
        return Err(DecodeError::Field("edges"));
    }
    let edge = |&[cause, effect]: &[u32; 2]| (VarId(cause as usize), VarId(effect as usize));
    let edges: Vec<(VarId, VarId)> = ends.iter().map(edge).collect();
    let scored = sent.scored.as_ref();
    let scored = scored.map(|scored| Scored::heard(scored, belief.n_vars(), &edges));
    let moved = sent.moved.as_ref();
    let moved = moved.map(|moved| Moved::heard(moved, belief.n_vars()));
    Ok(Finish {
        moved: moved.transpose()?,
        scored: scored.transpose()?,
        edges,
        belief,
        stop: StopReason::from_code(sent.stop)?,
        rounds: sent.rounds.iter().map(heard).collect::<Result<_, _>>()?,
    })
}

fn told(record: &RoundRecord) -> wire::RoundRecord {
    wire::RoundRecord {
        round: record.round.0,
        n_answers: record.n_answers as u32,
        n_absent: record.n_absent as u32,
        belief_change: record.belief_change,
        consensus_entropy: record.consensus_entropy,
        n_edges_raw: record.n_edges_raw as u32,
        n_edges: record.n_edges as u32,
        n_pruned: record.n_pruned as u32,
        n_grafted: record.n_grafted as u32,
    }
}

fn heard(sent: &wire::RoundRecord) -> Result<RoundRecord, DecodeError> {
    let is_finite = sent.belief_change.is_finite() && sent.consensus_entropy.is_finite();
    let record = RoundRecord {
        round: Round(sent.round),
        n_answers: sent.n_answers as usize,
        n_absent: sent.n_absent as usize,
        belief_change: sent.belief_change,
        consensus_entropy: sent.consensus_entropy,
        n_edges_raw: sent.n_edges_raw as usize,
        n_edges: sent.n_edges as usize,
        n_pruned: sent.n_pruned as usize,
        n_grafted: sent.n_grafted as usize,
    };
    let is_sound = is_finite && sent.round > 0;
    is_sound
        .then_some(record)
        .ok_or(DecodeError::Field("rounds"))
}

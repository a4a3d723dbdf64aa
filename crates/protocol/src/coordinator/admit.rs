//! What an input changes, if anything, and why an answer is not taken.

use fedcdi_core::{ClientId, SampleCounts};
use serde::Serialize;

use super::Input;
use super::state::{Asked, State};
use super::step::Change;
use crate::addends::Layout;
use crate::answer::{Answer, Reply};
use crate::codec::Digest;
use crate::event::Absence;
use crate::moves;
use crate::plan::CheckedPlan;
use crate::question::Ask;
use crate::sums;

/// An answer that is not taken: who sent it, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("site {site} {kind}{detail}")]
pub struct Refusal {
    site: ClientId,
    /// Why, for counting.
    pub kind: RefusalKind,
    detail: String,
}

/// A reason to refuse an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// Not a site of the study.
    #[error("is not in the study; compare its number with the study's list")]
    UnknownSite,
    /// The message cannot be read.
    #[error("sent a message that cannot be read: ")]
    Unreadable,
    /// The message names another sender than the one it came from.
    #[error("sent a message that says it is from site ")]
    OtherSite,
    /// Of another study, or of another plan for this one.
    #[error("answers by another plan; give it the plan of this study")]
    OtherPlan,
    /// Nothing is being asked.
    #[error("answers, but nothing is asked at the moment")]
    NotAsking,
    /// The answer to a question that is closed, or was never asked.
    #[error("answers a question that is closed or was never asked")]
    OtherQuestion,
    /// Another answer to a question that was answered.
    #[error("sent another answer before; the first one counts")]
    Conflict,
    /// An answer of a site that has not joined.
    #[error("has not joined the study")]
    NotJoined,
    /// An answer of another kind than the question.
    #[error("answered something else than it was asked")]
    OtherKind,
    /// Other variables or categories.
    #[error("has other variables or categories than the study; compare the schema files")]
    Schema,
    /// A profile where the plan has none, or one that is too long.
    #[error("sent a profile that the plan does not ask for, or one that is too long")]
    Profile,
    /// Numbers that no site of the study sends.
    #[error("sent numbers that cannot be used: ")]
    Addends,
}

impl RefusalKind {
    fn of(self, site: ClientId, detail: &dyn ToString) -> Refusal {
        Refusal {
            site,
            kind: self,
            detail: detail.to_string(),
        }
    }
}

impl CheckedPlan {
    /// What an input changes; nothing if it says nothing new. Only what changes something is kept.
    pub(super) fn admit(&self, state: &State, input: &Input) -> Result<Option<Change>, Refusal> {
        let open = |number: &u32| (state.open.as_ref()).filter(|open| open.number() == *number);
        Ok(match input {
            Input::Start => state.is_ready().then_some(Change::Start),
            Input::Received { site, answer } => self.admit_answer(state, *site, answer)?,
            // A stale or repeated notice changes nothing and is nobody's fault.
            Input::Absent { site, number, why } => open(number)
                .filter(|open| open.waiting().any(|waiting| waiting == *site))
                .map(|_| Change::Absent(vec![*site], *why)),
            Input::Close { number } => {
                open(number).map(|open| Change::Absent(open.waiting().collect(), Absence::Late))
            }
            Input::Cancel => (!state.cancelled && !state.is_over()).then_some(Change::Cancel),
        })
    }

    fn admit_answer(
        &self,
        state: &State,
        from: ClientId,
        bytes: &[u8],
    ) -> Result<Option<Change>, Refusal> {
        let refused = |kind: RefusalKind| Err(kind.of(from, &""));
        if !self.sites().any(|site| site == from) {
            return refused(RefusalKind::UnknownSite);
        }
        let answer = Answer::decode(bytes, self.longest_message());
        let answer = answer.map_err(|why| RefusalKind::Unreadable.of(from, &why))?;
        if answer.site != from {
            return Err(RefusalKind::OtherSite.of(from, &answer.site));
        }
        if answer.plan != self.digest {
            return refused(RefusalKind::OtherPlan);
        }
        let digest = Digest::of(bytes);
        match state.accepted.get(&(from, answer.question)) {
            Some(before) if *before == digest => return Ok(None),
            Some(_) => return refused(RefusalKind::Conflict),
            None => {}
        }
        let Some(open) = &state.open else {
            return refused(RefusalKind::NotAsking);
        };
        let mut asked = std::iter::once(&open.asked).chain(&state.join);
        let Some(asked) = asked.find(|asked| asked.digest == answer.question) else {
            return refused(RefusalKind::OtherQuestion);
        };
        self.check_reply(state, asked, &answer)?;
        // Of a site that nobody waits for, a refusal is no news: the journal must not grow by it.
        let is_refusal = matches!(answer.reply, Reply::Refused(_));
        let is_news = !is_refusal || open.waiting().any(|site| site == from);
        Ok(is_news.then_some(Change::Answer(answer, digest)))
    }

    fn check_reply(&self, state: &State, asked: &Asked, answer: &Answer) -> Result<(), Refusal> {
        let from = answer.site;
        let has_joined = state.joined.contains_key(&from);
        let is_member = (state.open.as_ref()).is_some_and(|open| open.members.contains(&from));
        let kind = match (&asked.question.ask, &answer.reply) {
            (Ask::Join, Reply::Joined(joined)) => {
                let nothing = SampleCounts::none(self.n_vars());
                let has_masses = self.rule.largest(&nothing).is_some();
                if joined.schema != self.plan.schema {
                    RefusalKind::Schema
                } else if joined.largest > 0 && !has_masses {
                    RefusalKind::OtherKind
                } else if joined.profile.len() > self.longest_profile() {
                    RefusalKind::Profile
                } else {
                    return Ok(());
                }
            }
            (Ask::Moves | Ask::Believe(_) | Ask::Sum(_) | Ask::Finish(_), _) if !has_joined => {
                RefusalKind::NotJoined
            }
            // Rows that are in no other sum of the search.
            (Ask::Sum(_), _) if !is_member => RefusalKind::OtherQuestion,
            (_, Reply::Refused(_)) | (Ask::Finish(_), Reply::Finished) => return Ok(()),
            (Ask::Moves, Reply::Moved(numbers)) => {
                let sound = moves::check(numbers, self.n_vars());
                return sound.map_err(|why| RefusalKind::Addends.of(from, &why));
            }
            (Ask::Believe(_), Reply::Believed(addends)) => {
                let sound = Layout::new(self, &asked.tests).check(addends);
                return sound.map_err(|why| RefusalKind::Addends.of(from, &why));
            }
            (Ask::Sum(ask), Reply::Summed(numbers)) => {
                let sound = sums::check(ask, &self.outline, self.n_sites(), numbers);
                return sound.map_err(|why| RefusalKind::Addends.of(from, &why));
            }
            _ => RefusalKind::OtherKind,
        };
        Err(kind.of(from, &""))
    }
}

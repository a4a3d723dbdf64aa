//! Why an answer is not taken.

use fedcdi_core::{ClientId, SampleCounts};
use serde::Serialize;

use super::state::{Asked, State};
use crate::addends::{Layout, Unsound};
use crate::answer::{Answer, Joined, Reply};
use crate::codec::{DecodeError, Digest};
use crate::plan::Study;
use crate::question::Ask;

/// A reason to refuse an answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// Not a site of the study.
    #[error("site {0} is not in the study; compare its number with the study's list")]
    UnknownSite(ClientId),
    /// The message cannot be read.
    #[error("site {site} sent a message that cannot be read: {source}")]
    Unreadable {
        /// Who.
        site: ClientId,
        /// Why.
        source: DecodeError,
    },
    /// The message names another sender than the one it came from.
    #[error("a message from site {from} says that it is from site {claimed}")]
    OtherSite {
        /// From whom it came.
        from: ClientId,
        /// Whom it names.
        claimed: ClientId,
    },
    /// Of another study, or of another plan for this one.
    #[error("site {0} answers by another plan; give it the plan of this study")]
    OtherPlan(ClientId),
    /// Nothing is being asked.
    #[error("nothing is asked at the moment")]
    NotAsking,
    /// The answer to a question that is closed, or was never asked.
    #[error("site {0} answers a question that is closed or was never asked")]
    OtherQuestion(ClientId),
    /// Another answer to a question that was answered.
    #[error("site {0} sent another answer before; the first one counts")]
    Conflict(ClientId),
    /// An answer of a site that has not joined.
    #[error("site {0} has not joined the study")]
    NotJoined(ClientId),
    /// An answer of another kind than the question.
    #[error("site {0} answered something else than it was asked")]
    OtherKind(ClientId),
    /// Other variables or categories.
    #[error("site {0} has other variables or categories than the study; compare the schema files")]
    Schema(ClientId),
    /// A profile where the plan has none, or one that is too long.
    #[error("site {0} sent a profile that the plan does not ask for, or one that is too long")]
    Profile(ClientId),
    /// Numbers that no site of the study sends.
    #[error("site {site} sent numbers that cannot be used: {source}")]
    Addends {
        /// Who.
        site: ClientId,
        /// Why.
        source: Unsound,
    },
}

/// A reason to refuse an answer, for counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// Not a site of the study.
    UnknownSite,
    /// Cannot be read.
    Unreadable,
    /// Names another sender.
    OtherSite,
    /// Another study or plan.
    OtherPlan,
    /// Nothing is asked.
    NotAsking,
    /// A question that is closed or was never asked.
    OtherQuestion,
    /// Another answer before.
    Conflict,
    /// Has not joined.
    NotJoined,
    /// Something else than was asked.
    OtherKind,
    /// Other variables or categories.
    Schema,
    /// A profile that nobody asked for.
    Profile,
    /// Numbers that cannot be used.
    Addends,
}

impl Refusal {
    /// For counting.
    pub fn kind(&self) -> RefusalKind {
        match self {
            Self::UnknownSite(_) => RefusalKind::UnknownSite,
            Self::Unreadable { .. } => RefusalKind::Unreadable,
            Self::OtherSite { .. } => RefusalKind::OtherSite,
            Self::OtherPlan(_) => RefusalKind::OtherPlan,
            Self::NotAsking => RefusalKind::NotAsking,
            Self::OtherQuestion(_) => RefusalKind::OtherQuestion,
            Self::Conflict(_) => RefusalKind::Conflict,
            Self::NotJoined(_) => RefusalKind::NotJoined,
            Self::OtherKind(_) => RefusalKind::OtherKind,
            Self::Schema(_) => RefusalKind::Schema,
            Self::Profile(_) => RefusalKind::Profile,
            Self::Addends { .. } => RefusalKind::Addends,
        }
    }
}

/// An answer that is not refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Admitted {
    /// It changes the state.
    New(Answer),
    /// The same bytes were taken before, or it says nothing that is not known.
    Repeated,
}

impl Study {
    /// Whether an answer can be taken now.
    pub(super) fn admit(
        &self,
        state: &State,
        from: ClientId,
        bytes: &[u8],
    ) -> Result<Admitted, Refusal> {
        if from.0 == 0 || from.0 as usize > self.n_sites() {
            return Err(Refusal::UnknownSite(from));
        }
        let answer = Answer::decode(bytes, self.longest_message());
        let answer = answer.map_err(|source| Refusal::Unreadable { site: from, source })?;
        if answer.site != from {
            let claimed = answer.site;
            return Err(Refusal::OtherSite { from, claimed });
        }
        if answer.plan != self.digest {
            return Err(Refusal::OtherPlan(from));
        }
        if let Some(before) = state.accepted.get(&(from, answer.question)) {
            return if *before == Digest::of(bytes) {
                Ok(Admitted::Repeated)
            } else {
                Err(Refusal::Conflict(from))
            };
        }
        let asked = state.asked_for(answer.question);
        let Some(asked) = asked else {
            return Err(match state.asked() {
                None => Refusal::NotAsking,
                Some(_) => Refusal::OtherQuestion(from),
            });
        };
        self.check_reply(state, asked, from, &answer.reply)?;
        // Of a site that nobody waits for, a refusal is no news: the journal must not grow by it.
        let is_refusal = matches!(answer.reply, Reply::Refused(_));
        if is_refusal && !state.waiting_for(self.n_sites()).contains(&from) {
            return Ok(Admitted::Repeated);
        }
        Ok(Admitted::New(answer))
    }

    fn check_reply(
        &self,
        state: &State,
        asked: &Asked,
        from: ClientId,
        reply: &Reply,
    ) -> Result<(), Refusal> {
        let has_joined = state.joined.contains_key(&from);
        match (&asked.question.ask, reply) {
            (Ask::Join, Reply::Joined(joined)) => self.check_joined(from, joined),
            (Ask::Believe(_) | Ask::Finish(_), _) if !has_joined => Err(Refusal::NotJoined(from)),
            (_, Reply::Refused(_)) | (Ask::Finish(_), Reply::Finished) => Ok(()),
            (Ask::Believe(_), Reply::Believed(addends)) => {
                let sound = Layout::new(self, &asked.tests).check(addends);
                sound.map_err(|source| Refusal::Addends { site: from, source })
            }
            _ => Err(Refusal::OtherKind(from)),
        }
    }

    fn check_joined(&self, from: ClientId, joined: &Joined) -> Result<(), Refusal> {
        let has_masses = self
            .rule
            .largest(&SampleCounts::none(self.n_vars()))
            .is_some();
        if joined.schema != self.plan.schema {
            Err(Refusal::Schema(from))
        } else if joined.largest > 0 && !has_masses {
            Err(Refusal::OtherKind(from))
        } else if joined.profile.len() > self.longest_profile() {
            Err(Refusal::Profile(from))
        } else {
            Ok(())
        }
    }
}

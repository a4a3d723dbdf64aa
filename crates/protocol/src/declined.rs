//! Why a site does not answer a question.

use fedcdi_core::{LocalMethodError, Round};

use crate::addends::Unsound;
use crate::answer::Refused;
use crate::codec::DecodeError;
use crate::fixed::Overflow;
use crate::sums::Beyond;

/// Why a question was not answered, in words for those who look after the site.
#[derive(Debug, thiserror::Error)]
pub enum Declined {
    /// Not a question.
    #[error("the question cannot be read: {0}")]
    Unreadable(#[from] DecodeError),
    /// Of another study.
    #[error("the question is of another study, or of another plan for this one")]
    OtherPlan,
    /// A number that such a question does not have.
    #[error("the question has number {0}, which is not that of such a question")]
    Number(u32),
    /// The study is over.
    #[error("the study has ended here")]
    Over,
    /// A round that is over, or not of the plan: asked for, answered last, rounds of the plan.
    #[error("round {0} was asked for; the last one answered is {1}, the plan has {2}")]
    Round(Round, u32, u32),
    /// A round after questions about sums.
    #[error("round {0} was asked for, and sums were told already: rounds come first")]
    AfterSums(Round),
    /// Other variables: in the belief, in the study.
    #[error("the belief is over {0} variables, the study has {1}")]
    Size(usize, usize),
    /// Tests that the plan does not have.
    #[error("tests were asked for that the plan does not have in round {0}")]
    Tests(Round),
    /// Sums that the plan does not have.
    #[error("{0}")]
    Sums(#[from] Beyond),
    /// What moves what, where plan or policy do not have it.
    #[error("it was asked what moves what, which the plan or this site's policy does not allow")]
    Moves,
    /// The method failed.
    #[error("{0}")]
    Method(#[from] LocalMethodError),
    /// A number too large for a sum.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// Sums that no site can have.
    #[error("the sums over this site's rows cannot be told: {0}")]
    Unsound(#[from] Unsound),
}

impl Declined {
    pub(crate) fn code(&self) -> Refused {
        match self {
            Self::Unreadable(_)
            | Self::OtherPlan
            | Self::Number(_)
            | Self::Size(..)
            | Self::Sums(Beyond::Unsound) => Refused::Question,
            Self::Over
            | Self::Round(..)
            | Self::AfterSums(_)
            | Self::Tests(_)
            | Self::Sums(_)
            | Self::Moves => Refused::NotAllowed,
            Self::Method(_) | Self::Overflow(_) | Self::Unsound(_) => Refused::Failed,
        }
    }
}

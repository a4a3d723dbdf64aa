//! What a site may be asked for.

use fedcdi_score::Ask;

use super::MOST_NUMBERS;
use crate::plan::CheckedPlan;
use crate::score_plan::ScorePlan;

/// Why a site does not give sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Beyond {
    /// The plan has no scores.
    #[error("sums over rows were asked for, and the plan has none")]
    Unplanned,
    /// The site's policy does not allow sums.
    #[error("sums over rows were asked for, and this site's policy does not allow them")]
    Forbidden,
    /// The question is about something else than the study's variables, or of another size than it says.
    #[error("sums were asked for that the study's variables do not have")]
    Unsound,
    /// A table: its cells, cells of the plan.
    #[error("a table of {0} cells was asked for, the plan allows {1}")]
    Table(usize, usize),
    /// More numbers than a question may ask for, or hold.
    #[error("{0} numbers were asked for or sent, a question has at most {MOST_NUMBERS}")]
    Numbers(usize),
    /// Answered before, by the plan.
    #[error("{0} questions about sums were answered, the plan has {1}")]
    Questions(u32, u32),
    /// Number of the question, and that of the last one answered.
    #[error("question {0} about sums was asked after question {1}")]
    Order(u32, u32),
}

/// A question about sums, for people.
pub fn words(ask: &Ask) -> String {
    match ask {
        Ask::Begin => "sums: rows, and what was set".to_owned(),
        Ask::Moments(_) => "sums: means and spread".to_owned(),
        Ask::Sums(sums) => {
            let (tables, models) = (sums.counts.len(), sums.slopes.len());
            format!("sums: {tables} tables, {models} models")
        }
    }
}

impl CheckedPlan {
    /// Whether a site may answer this, which has answered so many questions about sums.
    pub(crate) fn check_sums(&self, ask: &Ask, n_answered: u32) -> Result<(), Beyond> {
        let ScorePlan { search, .. } = self.plan.score.as_ref().ok_or(Beyond::Unplanned)?;
        if !ask.is_sound(&self.outline) {
            return Err(Beyond::Unsound);
        }
        let cells = ask.largest_table(&self.outline);
        if cells > search.largest_table {
            return Err(Beyond::Table(cells, search.largest_table));
        }
        let numbers = ask.n_numbers(&self.outline).max(ask.n_held());
        if numbers > MOST_NUMBERS {
            return Err(Beyond::Numbers(numbers));
        }
        if n_answered >= search.questions {
            return Err(Beyond::Questions(n_answered, search.questions));
        }
        Ok(())
    }
}

//! What a site allows: its own limits, which a plan must keep to before anything is read or sent.

use fedcdi_core::{Grafting, Pruning};
use serde::{Deserialize, Serialize};

use crate::plan::StudyPlan;
use crate::score_plan::{ScorePlan, Start};

/// The limits of a site. What is left out has a careful default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a yes or no per kind of question"
)]
pub struct Policy {
    /// Local methods that may run here; all if there are none.
    pub methods: Vec<String>,
    /// Most rounds: every round says a little more about the rows.
    pub rounds: u32,
    /// Cells of independence tests must have at least this many expected rows.
    pub smallest_cell: f64,
    /// Rows of groups with fewer rows than this take no part: the site neither learns from them nor
    /// counts them. A group is the observational rows, or the rows of one intervention.
    pub smallest_group: usize,
    /// Seconds that one answer may take; a study has at most [`Self::rounds`] long ones.
    pub longest_answer: u64,
    /// Numbers of rows are told no finer than in multiples of this.
    pub row_band: u64,
    /// Whether independence tests of this site's rows may be asked for.
    pub tests: bool,
    /// Whether the site may be asked to describe its data: rows in bands, targets, and whether they
    /// are enough.
    pub profile: bool,
    /// Whether sums over this site's rows may be asked for: counts of values that occur together, and
    /// slopes of models. They say more than a belief does.
    pub count: bool,
    /// Whether the site may be asked what moves what: one number for every ordered pair, in halves of a nat.
    pub moves: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            methods: Vec::new(),
            rounds: 100,
            smallest_cell: 5.0,
            smallest_group: 10,
            longest_answer: 24 * 3600,
            row_band: 5,
            tests: true,
            profile: true,
            count: false,
            moves: true,
        }
    }
}

/// A plan that asks for more than a site allows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the plan asks for more than this site's policy allows: {}. Agree on another plan, or change the policy",
    .0.join("; ")
)]
pub struct NotAllowed(pub Vec<String>);

impl Policy {
    /// The limits in words, for those who look after a site.
    pub fn words(&self) -> String {
        let may = |is_allowed: bool| if is_allowed { "may" } else { "may not" };
        let methods = match &self.methods[..] {
            [] => "any method".to_owned(),
            methods => methods.join(" or "),
        };
        format!(
            "{methods} in at most {} rounds; groups of fewer than {} rows take no part; cells of tests have at \
             least {} expected rows; numbers of rows are multiples of {}; an answer takes at most {} s; tests {} \
             be asked for, a description of the data {}, sums over rows {}, what moves what {}",
            self.rounds,
            self.smallest_group,
            self.smallest_cell,
            self.row_band,
            self.longest_answer,
            may(self.tests),
            may(self.profile),
            may(self.count),
            may(self.moves),
        )
    }

    /// # Errors
    /// [`NotAllowed`] with everything in which the plan goes too far.
    pub fn check(&self, plan: &StudyPlan) -> Result<(), NotAllowed> {
        let (asked, method) = (plan.disclosure, &plan.local.name);
        let tests = plan.tests() != (Pruning::Never, Grafting::Never);
        let tested = plan.has_rounds() && tests;
        let mut wrong = Vec::new();
        let mut refuse_if = |is_wrong: bool, text: String| wrong.extend(is_wrong.then_some(text));
        let unknown = !self.methods.is_empty() && !self.methods.contains(method);
        let allowed = self.methods.join(", ");
        refuse_if(unknown, format!("method {method}, allowed are {allowed}"));
        let (rounds, most) = (plan.most_rounds(), self.rounds);
        let too_many = plan.has_rounds() && rounds > most;
        refuse_if(too_many, format!("{rounds} rounds, at most {most}"));
        let tests = "independence tests, which are not allowed".to_owned();
        refuse_if(tested && !self.tests, tests);
        let (cell, least) = (asked.smallest_cell, self.smallest_cell);
        let text = format!("smallest_cell {cell}, at least {least}");
        refuse_if(tested && self.tests && cell < least, text);
        let (band, least) = (asked.row_band, self.row_band);
        // A finer band that is no multiple would tell more in combination.
        let text = format!("row_band {band}, a multiple of {least}");
        refuse_if(!band.is_multiple_of(least.max(1)), text);
        let text = "a description of the data, which is not allowed".to_owned();
        refuse_if(asked.profile && !self.profile, text);
        let text = "sums over rows (counts and slopes), which are not allowed".to_owned();
        // After rounds, a site that does not allow sums declines them and takes part in the rest.
        let is_all = |plan: ScorePlan| plan.start == Start::Nothing;
        refuse_if(plan.score.is_some_and(is_all) && !self.count, text);
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(NotAllowed(wrong))
        }
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{Choice, RoundParams, SchemaHash};

    use super::*;
    use crate::plan::{Disclosure, Exchange};
    use crate::score_plan::{ScorePlan, Start};

    fn plan() -> StudyPlan {
        StudyPlan {
            protocol: crate::VERSION,
            name: "s".to_owned(),
            sites: vec!["a".to_owned()],
            variables: Vec::new(),
            schema: SchemaHash::from_bytes([0; 32]),
            seed: 0,
            local: Choice::named("enco"),
            rule: Choice::named("naive"),
            exchange: Exchange::default(),
            rounds: RoundParams::default(),
            knowledge: fedcdi_core::KnowledgeFile::default(),
            disclosure: Disclosure::default(),
            score: None,
            moves: crate::Moves::Use,
        }
    }

    #[test]
    fn the_usual_plan_keeps_to_the_usual_policy() {
        assert_eq!(Policy::default().check(&plan()), Ok(()));
    }

    #[test]
    fn limits_are_told_in_words() {
        let policy = Policy {
            methods: vec!["sdi".to_owned(), "enco".to_owned()],
            profile: false,
            ..Policy::default()
        };
        let expected = "sdi or enco in at most 100 rounds; groups of fewer than 10 rows take no part; cells of \
                        tests have at least 5 expected rows; numbers of rows are multiples of 5; an answer takes \
                        at most 86400 s; tests may be asked for, a description of the data may not, sums over rows may not, \
                        what moves what may";
        assert_eq!(policy.words(), expected);
    }

    #[test]
    fn everything_that_goes_too_far_is_named() {
        let mut plan = plan();
        plan.disclosure.smallest_cell = 1.0;
        plan.disclosure.row_band = 7;
        plan.rounds.rounds = Some(500);
        let policy = Policy {
            methods: vec!["sdi".to_owned(), "dcdi".to_owned()],
            profile: false,
            ..Policy::default()
        };
        let NotAllowed(wrong) = policy.check(&plan).unwrap_err();
        let expected = [
            "method enco, allowed are sdi, dcdi",
            "500 rounds, at most 100",
            "smallest_cell 1, at least 5",
            "row_band 7, a multiple of 5",
            "a description of the data, which is not allowed",
        ];
        assert_eq!(wrong, expected);
    }

    #[test]
    fn sums_over_rows_are_refused_unless_they_are_allowed() {
        let mut plan = plan();
        let search = fedcdi_score::SearchParams::default();
        plan.score = Some(ScorePlan {
            start: Start::Belief,
            search,
        });
        // The site declines sums and takes part in the rounds.
        assert_eq!(Policy::default().check(&plan), Ok(()));
        plan.score = Some(ScorePlan {
            start: Start::Nothing,
            search,
        });
        let NotAllowed(wrong) = Policy::default().check(&plan).unwrap_err();
        assert_eq!(
            wrong,
            ["sums over rows (counts and slopes), which are not allowed"]
        );
        let policy = Policy {
            count: true,
            ..Policy::default()
        };
        assert_eq!(policy.check(&plan), Ok(()));
        // Without rounds there are no tests, and a limit for rounds has nothing to say.
        plan.rounds.rounds = Some(500);
        let policy = Policy {
            tests: false,
            ..policy
        };
        assert_eq!(policy.check(&plan), Ok(()));
    }

    #[test]
    fn tests_can_be_forbidden_and_coarser_bands_are_welcome() {
        let mut plan = plan();
        plan.disclosure.row_band = 10;
        let policy = Policy {
            tests: false,
            ..Policy::default()
        };
        let NotAllowed(wrong) = policy.check(&plan).unwrap_err();
        assert_eq!(wrong, ["independence tests, which are not allowed"]);
        plan.rounds.pruning = Some(Pruning::Never);
        plan.rounds.grafting = Some(Grafting::Never);
        assert_eq!(policy.check(&plan), Ok(()));
    }
}

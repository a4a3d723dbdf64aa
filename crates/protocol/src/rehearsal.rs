//! A rehearsal: what a site would be asked, and what would leave it, if it were alone in its study.
//!
//! The plan is the study's own, so questions and answers have their real form and length. Only the quorum
//! is not kept, and the other sites are absent: later questions hold the belief of this site alone.

use fedcdi_core::{Belief, Digraph, EdgeTest, Round};

use crate::addends::Layout;
use crate::answer::{Answer, Joined, Refused, Reply};
use crate::coordinator::{Coordinator, Input};
use crate::journal::JournalError;
use crate::plan::{OpenError, StudyPlan};
use crate::question::Ask;
use crate::rules::Rules;
use crate::site::Site;
use crate::store::Memory;

/// A study with one site and a coordinator on the same machine.
pub struct Rehearsal {
    coordinator: Coordinator,
    site: Site,
}

/// A question, its answer, and what anybody can tell from the answer.
#[derive(Clone, Debug)]
pub struct Exchanged {
    /// Number of the question.
    pub number: u32,
    /// The question.
    pub question: Vec<u8>,
    /// The answer, to the byte.
    pub answer: Vec<u8>,
    /// What it says.
    pub told: Told,
}

/// What an answer says to somebody who sees it alone.
#[derive(Clone, Debug)]
pub enum Told {
    /// That the site takes part.
    Joined(Joined),
    /// What moves what in its rows, in halves of a nat of log-odds.
    Moved(Vec<i64>),
    /// What it believes.
    Believed(Believed),
    /// Sums over its rows, and what was asked for.
    Summed(fedcdi_score::Ask, Vec<i64>),
    /// That it has the result.
    Finished,
    /// A code, and the words that stay at the site.
    Refused(Refused, String),
}

/// What a list of addends says.
#[derive(Clone, Debug)]
pub struct Believed {
    /// In which round.
    pub round: Round,
    /// The numbers.
    pub addends: Vec<i64>,
    /// How many of them are terms of the rule; they follow the first two.
    pub n_terms: usize,
    /// What a term of 1 stands for: terms travel in steps of it.
    pub term_step: f64,
    /// The belief that follows from these terms alone.
    pub belief: Belief,
    /// The graph that it votes for.
    pub votes: Digraph,
    /// Tests that the question asks for.
    pub n_asked: usize,
    /// Those that are told.
    pub tests: Vec<EdgeTest>,
}

impl Rehearsal {
    /// A rehearsal of the study of a site, whose journal should be one in memory.
    ///
    /// # Errors
    /// [`OpenError`] if the plan is none.
    pub fn of(plan: StudyPlan, rules: &Rules, site: Site) -> Result<Self, OpenError> {
        let mut study = plan.check(rules)?;
        // The digest is still that of the plan as all parties have it.
        study.plan.rounds.quorum = 0.0;
        let mut coordinator = Coordinator::of_study(study, Box::new(Memory::default()))?;
        coordinator.apply(&Input::Start)?;
        Ok(Self { coordinator, site })
    }

    /// The site.
    pub fn into_site(self) -> Site {
        self.site
    }

    /// One more question and its answer; nothing after the last.
    ///
    /// # Errors
    /// [`JournalError`] if a journal cannot be written.
    pub fn step(&mut self) -> Result<Option<Exchanged>, JournalError> {
        let id = self.site.id();
        let number = self.coordinator.number();
        let (Some(number), Some(question)) = (number, self.coordinator.question_to(id)) else {
            return Ok(None);
        };
        let answered = self.site.answer(&question)?;
        let words = answered.declined.map(|why| why.to_string());
        let told = self.told(&answered.bytes, words.unwrap_or_default());
        self.coordinator.receive(id, &answered.bytes)?;
        self.coordinator.apply(&Input::Close { number })?;
        Ok(Some(Exchanged {
            number,
            question: question.to_vec(),
            answer: answered.bytes,
            told,
        }))
    }

    fn told(&self, answer: &[u8], words: String) -> Told {
        let answer = Answer::decode(answer, answer.len()).expect("a site's own answer is one");
        match answer.reply {
            Reply::Joined(joined) => Told::Joined(joined),
            Reply::Summed(numbers) => match self.coordinator.question().map(|asked| &asked.ask) {
                Some(Ask::Sum(ask)) => Told::Summed(ask.clone(), numbers),
                _ => unreachable!("sums answer a question about sums"),
            },
            Reply::Moved(numbers) => Told::Moved(numbers),
            Reply::Finished => Told::Finished,
            Reply::Refused(why) => Told::Refused(why, words),
            Reply::Believed(addends) => {
                let (study, planned) = self.coordinator.asked();
                let layout = Layout::new(study, planned);
                let pooled = layout.pool(&addends, std::iter::once(&addends));
                let pooled = pooled.expect("a site's own terms have a belief");
                let round = match self.coordinator.question().map(|asked| &asked.ask) {
                    Some(Ask::Believe(asked)) => asked.round,
                    _ => unreachable!("beliefs answer a question about one"),
                };
                Told::Believed(Believed {
                    round,
                    n_terms: layout.terms(&addends).len(),
                    term_step: layout.step(),
                    votes: layout.vote(&addends),
                    belief: pooled.aggregate,
                    n_asked: planned.len(),
                    tests: pooled.tests,
                    addends,
                })
            }
        }
    }
}

//! A site's part in a study, as its page shows it.

use std::sync::Arc;
use std::time::Duration;

use fedcdi_core::{Dag, Digraph};
use fedcdi_protocol::answer::{Answer, Reply};
use fedcdi_protocol::question::{Ask, Question};
use fedcdi_protocol::{Digest, Site, StudyPlan, sums};
use time::OffsetDateTime;

use super::study::{Ending, SoFar};
use crate::site::Event;

/// A site's part in a study.
#[derive(Clone, Default)]
pub struct Part {
    pub(super) plan: Option<Arc<StudyPlan>>,
    pub(super) digest: String,
    pub(super) name: String,
    pub(super) connection: Connection,
    /// The question that is being answered, and since when.
    pub(super) at_work: Option<(String, Duration)>,
    /// The last question, in words, and when it came.
    pub(super) last_question: Option<(String, Duration)>,
    pub(super) left: Vec<Left>,
    /// Questions that were declined: when, and why.
    pub(super) declined: Vec<(Duration, String)>,
    pub(super) n_questions: u64,
    pub(super) n_acknowledged: u64,
    pub(super) n_refused: u64,
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
    pub(super) last_answer: Option<Duration>,
    pub(super) result: Option<Arc<SoFar>>,
    pub(super) n_rounds: u32,
    pub(super) ending: Option<Ending>,
}

/// The way to the coordinator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Connection {
    /// Not tried yet.
    #[default]
    New,
    Up,
    /// Lost: why, since when, and when it is tried again.
    Lost(String, Duration, Duration),
}

/// An answer that left this site, or is about to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Left {
    /// When it was first sent; unknown if that was before this process started.
    pub(super) at: Option<OffsetDateTime>,
    pub(super) question: String,
    pub(super) what: String,
    pub(super) n_bytes: usize,
    pub(super) digest: Digest,
    pub(super) acknowledged: bool,
}

impl Left {
    fn of(question: String, answer: &[u8], at: Option<OffsetDateTime>) -> Self {
        Self {
            at,
            question,
            what: what(answer),
            n_bytes: answer.len(),
            digest: Digest::of(answer),
            acknowledged: false,
        }
    }
}

impl Part {
    /// What there is before anything happens; answers of earlier processes included.
    pub(crate) fn begin(&mut self, name: &str, site: &Site) {
        let plan = site.plan();
        name.clone_into(&mut self.name);
        self.digest = plan.digest().to_string();
        let rounds = plan.most_rounds();
        let earlier = site.answers().map(|(number, answer)| {
            let question = match number {
                0 => "join".to_owned(),
                round if round <= rounds && site.result().is_none() => format!("round {round}"),
                round => format!("question {round}"),
            };
            Left::of(question, answer, None)
        });
        self.left = earlier.collect();
        self.plan = Some(Arc::new(plan.clone()));
        self.take_result(site);
    }

    /// A question came.
    pub(crate) fn asked(&mut self, question: &[u8], now: Duration) {
        let words = words(question);
        self.connection = Connection::Up;
        self.n_questions += 1;
        self.bytes_in += question.len() as u64;
        self.at_work = Some((words.clone(), now));
        self.last_question = Some((words, now));
    }

    /// These bytes are about to leave.
    pub(crate) fn leaves(&mut self, answer: &[u8], site: &Site) {
        self.bytes_out += answer.len() as u64;
        let digest = Digest::of(answer);
        if !self.left.iter().any(|left| left.digest == digest) {
            let question = self.last_question.as_ref();
            let question = question.map_or(String::new(), |(words, _)| words.clone());
            let left = Left::of(question, answer, Some(OffsetDateTime::now_utc()));
            self.left.push(left);
        }
        self.at_work = None;
        self.take_result(site);
    }

    /// The coordinator has these bytes on its disk.
    pub(crate) fn acknowledged(&mut self, answer: Digest, now: Duration) {
        self.n_acknowledged += 1;
        self.last_answer = Some(now);
        let left = self.left.iter_mut().find(|left| left.digest == answer);
        if let Some(left) = left {
            left.acknowledged = true;
        }
    }

    /// Something else happened.
    pub(crate) fn happened(&mut self, event: &Event, now: Duration) {
        match event {
            Event::Connected => self.connection = Connection::Up,
            Event::Away(why, wait) => {
                self.at_work = None;
                let since = match self.connection {
                    Connection::Lost(_, since, _) => since,
                    _ => now,
                };
                self.connection = Connection::Lost(why.clone(), since, now + *wait);
            }
            Event::Declined(why) => self.declined.push((now, why.to_string())),
            Event::Refused => self.n_refused += 1,
            // Told with their bytes.
            Event::Asked(_) | Event::Answered(_) => {}
        }
    }

    /// The program ends.
    pub fn end(&mut self, ending: Ending) {
        self.ending = Some(ending);
    }

    fn take_result(&mut self, site: &Site) {
        let Some((result, plan)) = site.result().zip(self.plan.as_ref()) else {
            return;
        };
        let edges = result.edges.iter().copied();
        let graph = Digraph::from_edges(result.belief.n_vars(), edges);
        self.n_rounds = result.rounds.len() as u32;
        self.result = Dag::try_from(graph)
            .ok()
            .map(|dag| SoFar::new(plan, &result.belief, &dag));
    }
}

/// A question in words.
fn words(question: &[u8]) -> String {
    match Question::decode(question, question.len()) {
        Ok(question) => match question.ask {
            Ask::Join => "join".to_owned(),
            Ask::Moves => "what moves what".to_owned(),
            Ask::Believe(believe) => format!("round {}", believe.round),
            Ask::Sum(asked) => sums::words(&asked),
            Ask::Finish(_) => "take the result".to_owned(),
        },
        Err(_) => "something that cannot be read".to_owned(),
    }
}

/// What an answer is, in words.
fn what(answer: &[u8]) -> String {
    match Answer::decode(answer, answer.len()).map(|answer| answer.reply) {
        Ok(Reply::Joined(joined)) if joined.profile.is_empty() => "it takes part".to_owned(),
        Ok(Reply::Joined(_)) => "it takes part, with a description of its data".to_owned(),
        Ok(Reply::Moved(numbers) | Reply::Believed(numbers) | Reply::Summed(numbers)) => {
            format!("{} numbers to add up", numbers.len())
        }
        Ok(Reply::Finished) => "it has the result".to_owned(),
        Ok(Reply::Refused(_)) => "it declines the question, as a code".to_owned(),
        Err(_) => "something that cannot be read".to_owned(),
    }
}

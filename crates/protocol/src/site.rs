//! One site: its rows stay, its answers leave.
//!
//! Paper: FedCDI Algorithm 1, a client's part of a round: `Site::believed`.
//!
//! A site is asked by bytes and answers by bytes. The same question gives the same bytes, after a
//! restart too: question and answer are in its journal before the answer leaves, and a question that
//! was answered is answered from there. It answers one question per round, so nobody can ask a second
//! time about another belief, and only what the plan allows.
//!
//! | question | answered if |
//! |---|---|
//! | join | always, under the number 0 |
//! | what moves what | the plan has it and the site tells it, under the number 1 |
//! | round | it is later than the last one answered, before any sums, within the plan's rounds, over the plan's variables, and asks for no test that the plan does not have in that round |
//! | sums | the plan has scores, its number is higher than any that was answered, it is about the study's variables, and no larger or later than the plan allows |
//! | finish | always; after it only what was answered before |
//!
//! Whatever else is asked gets a code ([`Refused`]); the words are for those who look after the site
//! ([`Declined`]).

use std::collections::{BTreeMap, VecDeque};

use fedcdi_core::{
    Belief, ClientId, Dag, Digraph, LocalMethod, LocalMethodError, Round, SampleCounts, SchemaHash,
    Tested,
};
use fedcdi_score::Rows;
use ndarray::Array2;

use crate::addends::{Layout, PlannedTest};
use crate::answer::{Answer, Joined, Reply};
use crate::codec::{DecodeError, Digest, decode, encode, wire};
use crate::coordinator::Outcome;
use crate::declined::Declined;
use crate::journal::{Journal, JournalError};
use crate::moves::{self, Moves};
use crate::plan::{CheckedPlan, OpenError, StudyPlan};
use crate::question::{Ask, Believe, Finish, Question};
use crate::rules::Rules;
use crate::score_plan::{ScorePlan, Start};
use crate::store::Store;
use crate::sums::{self, Beyond};

/// What a site brings to a study.
pub struct SiteData {
    /// Its number in the plan's list, from 1.
    pub id: ClientId,
    /// Fingerprint of its variables and labels, with the study's name and secret.
    pub schema: SchemaHash,
    /// Sizes of its data.
    pub counts: SampleCounts,
    /// A description of its data as JSON, for plans that ask for it.
    pub profile: Vec<u8>,
    /// The method that holds its rows, for plans with rounds.
    pub method: Option<Box<dyn LocalMethod>>,
    /// Its rows, for plans with scores.
    pub rows: Option<Box<dyn Rows>>,
    /// `[cause, effect]`: log-odds that the effect moves when the cause is set, for plans that ask; none if
    /// the site does not tell.
    pub moves: Option<Array2<f64>>,
}

/// A site in a study.
pub struct Site {
    study: CheckedPlan,
    data: SiteData,
    /// Sizes of its data as they may be told.
    told: SampleCounts,
    journal: Journal,
    outbox: BTreeMap<Digest, Vec<u8>>,
    /// Numbers and digests of the questions in the outbox, as they came.
    asked: Vec<(u32, Digest)>,
    /// Rounds that were answered before this process, for a method that keeps state.
    earlier: VecDeque<(Round, Belief)>,
    last_round: u32,
    /// Number of the last question about sums, and how many there were.
    last_sums: u32,
    n_sums: u32,
    result: Option<Finish>,
}

/// What a question led to.
#[derive(Debug)]
pub struct Answered {
    /// The bytes that leave.
    pub bytes: Vec<u8>,
    /// Why there is no better answer; for those who look after the site.
    pub declined: Option<Declined>,
}

impl Site {
    /// A site of a study, as it was when its journal was last written.
    ///
    /// # Errors
    /// [`OpenError`] if plan, data and journal do not fit together.
    pub fn open(
        plan: StudyPlan,
        rules: &Rules,
        data: SiteData,
        store: Box<dyn Store>,
    ) -> Result<Self, OpenError> {
        let study = plan.check(rules)?;
        let site = data.id;
        if !study.sites().any(|known| known == site) {
            return Err(OpenError::Number(site, study.n_sites()));
        }
        if data.schema != study.plan.schema {
            return Err(OpenError::Schema);
        }
        if study.plan.has_rounds() && data.method.is_none() {
            return Err(OpenError::Lacks("a local method"));
        }
        let is_searched = |plan: ScorePlan| plan.start == Start::Nothing;
        if study.plan.score.is_some_and(is_searched) && data.rows.is_none() {
            return Err(OpenError::Lacks("rows to sum over"));
        }
        let owner = study.site_journal(site);
        let (journal, records) = Journal::open(store, &owner)?;
        let mut site = Self {
            told: data.counts.in_bands(study.plan.disclosure.row_band),
            study,
            data,
            journal,
            outbox: BTreeMap::new(),
            asked: Vec::new(),
            earlier: VecDeque::new(),
            last_round: 0,
            last_sums: 0,
            n_sums: 0,
            result: None,
        };
        for (at, record) in records.iter().enumerate() {
            let restored = site.restore(record);
            restored.map_err(|_| JournalError::Record(at + 1))?;
        }
        Ok(site)
    }

    /// What one record of the journal says.
    fn restore(&mut self, record: &[u8]) -> Result<(), DecodeError> {
        let exchange: wire::Exchange = decode(record, record.len())?;
        let question = Question::decode(&exchange.question, exchange.question.len())?;
        let answer = Answer::decode(&exchange.answer, exchange.answer.len())?;
        if let (Ask::Believe(asked), Reply::Believed(_)) = (&question.ask, &answer.reply) {
            self.earlier.push_back((asked.round, asked.prior.clone()));
        }
        let digest = Digest::of(&exchange.question);
        self.remember(question, digest, exchange.answer);
        Ok(())
    }

    fn remember(&mut self, question: Question, digest: Digest, answer: Vec<u8>) {
        let Question { number, ask, .. } = question;
        match ask {
            Ask::Join | Ask::Moves => {}
            Ask::Believe(believe) => self.last_round = self.last_round.max(believe.round.0),
            Ask::Sum(_) => {
                self.last_sums = number;
                self.n_sums += 1;
            }
            Ask::Finish(finish) => self.result = Some(finish),
        }
        self.asked.push((number, digest));
        self.outbox.insert(digest, answer);
    }

    /// Its number in the study.
    pub fn id(&self) -> ClientId {
        self.data.id
    }

    /// The study.
    pub fn plan(&self) -> &StudyPlan {
        &self.study.plan
    }

    /// The longest message that the study has.
    pub fn longest_message(&self) -> usize {
        self.study.longest_message()
    }

    /// Every answer it gave that is not a refusal, with the number of its question, as they were asked.
    pub fn answers(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let asked = self.asked.iter();
        asked
            .filter_map(|(number, question)| Some((*number, self.outbox.get(question)?.as_slice())))
    }

    /// The result, once it was sent.
    pub fn result(&self) -> Option<&Finish> {
        self.result.as_ref()
    }

    /// What the study came to, as far as sites are told: without what single sites said.
    pub fn outcome(&self) -> Option<Outcome> {
        let told = self.result.as_ref()?;
        let graph = Digraph::from_edges(self.study.n_vars(), told.edges.iter().copied());
        let raw = match told.scored {
            Some(_) => graph.clone(),
            None => self.study.raw_graph(&told.belief),
        };
        Some(Outcome {
            dag: Dag::try_from(graph).ok()?,
            raw,
            belief: told.belief.clone(),
            stop: told.stop,
            rounds: told.rounds.clone(),
            scored: told.scored.clone(),
            moved: told.moved.clone(),
            dags: Vec::new(),
            raws: Vec::new(),
            voices: Vec::new(),
            shares: None,
            profiles: BTreeMap::new(),
        })
    }

    /// Sizes of its data as they may be told.
    pub fn told(&self) -> &SampleCounts {
        &self.told
    }

    /// What its journal names as owner, how many records it has, and the hash of the last.
    pub fn journal(&self) -> (String, u64, Digest) {
        let owner = self.study.site_journal(self.data.id);
        (owner, self.journal.n_records(), self.journal.head())
    }

    /// Its method, for those who look after the site: what it knows is not reported. None where the plan
    /// has no rounds.
    pub fn method(&self) -> Option<&dyn LocalMethod> {
        self.data.method.as_deref()
    }

    /// The answer to a question: the same bytes to the same question, always.
    ///
    /// # Errors
    /// [`JournalError`] if the answer is not safe in the journal; nothing may leave then.
    pub fn answer(&mut self, question: &[u8]) -> Result<Answered, JournalError> {
        let digest = Digest::of(question);
        let (bytes, declined) = match self.outbox.get(&digest) {
            Some(bytes) => (bytes.clone(), None),
            None => match self.reply(question) {
                Ok((asked, reply)) => {
                    let bytes = self.encoded(digest, reply);
                    let record = wire::Exchange {
                        question: question.to_vec(),
                        answer: bytes.clone(),
                    };
                    self.journal.append(&encode(&record))?;
                    self.remember(asked, digest, bytes.clone());
                    (bytes, None)
                }
                // A code, which is not kept: the question may be a good one later.
                Err(why) => (self.encoded(digest, Reply::Refused(why.code())), Some(why)),
            },
        };
        Ok(Answered { bytes, declined })
    }

    fn encoded(&self, question: Digest, reply: Reply) -> Vec<u8> {
        let answer = Answer {
            plan: self.study.digest,
            question,
            site: self.data.id,
            reply,
        };
        answer.encode()
    }

    /// What a question that was not answered before asks, and the reply to it.
    fn reply(&mut self, question: &[u8]) -> Result<(Question, Reply), Declined> {
        let asked = Question::decode(question, self.study.longest_message())?;
        if asked.plan != self.study.digest {
            return Err(Declined::OtherPlan);
        }
        if self.result.is_some() {
            return Err(Declined::Over);
        }
        let before = self.study.plan.before_rounds();
        let (fits, belief) = match &asked.ask {
            Ask::Join => (asked.number == 0, None),
            Ask::Moves => (asked.number == 1, None),
            Ask::Believe(believe) => {
                let number = believe.round.0.checked_add(before);
                (number == Some(asked.number), Some(&believe.prior))
            }
            Ask::Sum(_) => (asked.number > 0, None),
            Ask::Finish(finish) => {
                let first = finish.rounds.len() as u32 + 1;
                let last = if self.study.plan.score.is_some() {
                    u32::MAX
                } else {
                    first + before
                };
                let fits = (first..=last).contains(&asked.number) && asked.number > self.last_sums;
                (fits, Some(&finish.belief))
            }
        };
        if !fits {
            return Err(Declined::Number(asked.number));
        }
        let expected = self.study.n_vars();
        if let Some(found) = belief
            .map(Belief::n_vars)
            .filter(|found| *found != expected)
        {
            return Err(Declined::Size(found, expected));
        }
        let reply = match &asked.ask {
            Ask::Join => Reply::Joined(self.joined()),
            Ask::Moves => Reply::Moved(self.moved()?),
            Ask::Believe(believe) => Reply::Believed(self.believed(believe)?),
            Ask::Sum(ask) => Reply::Summed(self.summed(asked.number, ask)?),
            Ask::Finish(_) => Reply::Finished,
        };
        Ok((asked, reply))
    }

    /// What moves what in its rows. There is one such question in a study.
    fn moved(&self) -> Result<Vec<i64>, Declined> {
        let is_planned = self.study.plan.moves == Moves::Use;
        let odds = self.data.moves.as_ref().filter(|_| is_planned);
        let numbers = moves::told(odds.ok_or(Declined::Moves)?);
        moves::check(&numbers, self.study.n_vars())?;
        Ok(numbers)
    }

    /// Sums over its rows. A question that was answered is answered from the journal, so a number that is
    /// not new is that of another question.
    fn summed(&mut self, number: u32, ask: &fedcdi_score::Ask) -> Result<Vec<i64>, Declined> {
        self.study.check_sums(ask, self.n_sums)?;
        let rounds = self.last_round + self.study.plan.before_rounds();
        let last = rounds.max(self.last_sums);
        if number <= last {
            return Err(Beyond::Order(number, last).into());
        }
        let rows = self.data.rows.as_mut().ok_or(Beyond::Forbidden)?;
        let numbers = rows.sums(ask);
        sums::check(ask, &self.study.outline, self.study.n_sites(), &numbers)?;
        Ok(numbers)
    }

    fn check_round(&self, asked: &Believe) -> Result<(), Declined> {
        let (round, last) = (asked.round, self.last_round);
        if self.n_sums > 0 {
            return Err(Declined::AfterSums(round));
        }
        let most = if self.study.plan.has_rounds() {
            self.study.plan.most_rounds()
        } else {
            0
        };
        if round.0 <= last || round.0 > most {
            return Err(Declined::Round(round, last, most));
        }
        let allowed = self.study.plan.tests_in(round.0);
        let Tested { edges, absent } = asked.tested;
        if (edges && !allowed.edges) || (absent && !allowed.absent) {
            return Err(Declined::Tests(round));
        }
        Ok(())
    }

    fn joined(&self) -> Joined {
        let asks_for_it = self.study.plan.disclosure.profile;
        let profile = asks_for_it.then(|| self.data.profile.clone());
        Joined {
            schema: self.data.schema,
            largest: self.study.rule.largest(&self.told).unwrap_or(0),
            profile: profile.unwrap_or_default(),
        }
    }

    fn believed(&mut self, asked: &Believe) -> Result<Vec<i64>, Declined> {
        self.check_round(asked)?;
        self.repeat_earlier_rounds()?;
        let method = self.data.method.as_mut();
        let method = method.expect("a site opens with what its plan needs");
        let posterior = method.update(asked.round, &asked.prior)?;
        let planned = PlannedTest::all(&self.study, asked);
        let tests = if asked.tested.is_nothing() {
            Vec::new()
        } else {
            let smallest = self.study.plan.disclosure.smallest_cell;
            method.tests(&asked.prior, asked.tested, smallest)
        };
        let layout = Layout::new(&self.study, &planned);
        Ok(layout.addends(asked, &posterior, &self.told, &tests)?)
    }

    /// Brings a method that keeps state to where it was when the journal was last written. Where a
    /// round fails, it and those after it are left for the next question.
    fn repeat_earlier_rounds(&mut self) -> Result<(), LocalMethodError> {
        let Some(method) = (self.data.method.as_mut()).filter(|method| method.keeps_state()) else {
            self.earlier.clear();
            return Ok(());
        };
        while let Some((round, prior)) = self.earlier.front() {
            method.update(*round, prior)?;
            self.earlier.pop_front();
        }
        Ok(())
    }
}

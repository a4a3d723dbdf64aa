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
//! | round | it is later than the last one answered, within the plan's rounds, over the plan's variables, and asks for no test that the plan does not have in that round |
//! | finish | always; after it only what was answered before |
//!
//! Whatever else is asked gets a code ([`Refused`]); the words are for those who look after the site
//! ([`Declined`]).

use std::collections::{BTreeMap, VecDeque};

use fedcdi_core::{
    Belief, ClientId, Dag, Digraph, LocalMethod, LocalMethodError, Round, SampleCounts, SchemaHash,
    Tested,
};

use crate::addends::{Layout, PlannedTest};
use crate::answer::{Answer, Joined, Refused, Reply};
use crate::codec::{DecodeError, Digest, decode, encode, wire};
use crate::coordinator::Outcome;
use crate::fixed::Overflow;
use crate::journal::{Journal, JournalError};
use crate::plan::{CheckedPlan, OpenError, StudyPlan};
use crate::question::{Ask, Believe, Finish, Question};
use crate::rules::Rules;
use crate::store::Store;

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
    /// The method that holds its rows.
    pub method: Box<dyn LocalMethod>,
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
    result: Option<Finish>,
}

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
    /// Other variables: in the belief, in the study.
    #[error("the belief is over {0} variables, the study has {1}")]
    Size(usize, usize),
    /// Tests that the plan does not have.
    #[error("tests were asked for that the plan does not have in round {0}")]
    Tests(Round),
    /// The method failed.
    #[error("{0}")]
    Method(#[from] LocalMethodError),
    /// A number too large for a sum.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

impl Declined {
    fn code(&self) -> Refused {
        match self {
            Self::Unreadable(_) | Self::OtherPlan | Self::Number(_) | Self::Size(..) => {
                Refused::Question
            }
            Self::Over | Self::Round(..) | Self::Tests(_) => Refused::NotAllowed,
            Self::Method(_) | Self::Overflow(_) => Refused::Failed,
        }
    }
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
        self.remember(
            question.ask,
            Digest::of(&exchange.question),
            exchange.answer,
        );
        Ok(())
    }

    fn remember(&mut self, ask: Ask, question: Digest, answer: Vec<u8>) {
        let number = match ask {
            Ask::Join => 0,
            Ask::Believe(believe) => {
                self.last_round = self.last_round.max(believe.round.0);
                believe.round.0
            }
            Ask::Finish(finish) => {
                let number = finish.rounds.len() as u32 + 1;
                self.result = Some(finish);
                number
            }
        };
        self.asked.push((number, question));
        self.outbox.insert(question, answer);
    }

    /// Its number in the study.
    pub fn id(&self) -> ClientId {
        self.data.id
    }

    /// The study.
    pub fn plan(&self) -> &StudyPlan {
        &self.study.plan
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
        Some(Outcome {
            dag: Dag::try_from(graph).ok()?,
            raw: self.study.raw_graph(&told.belief),
            belief: told.belief.clone(),
            stop: told.stop,
            rounds: told.rounds.clone(),
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

    /// Its method, for those who look after the site: what it knows is not reported.
    pub fn method(&self) -> &dyn LocalMethod {
        self.data.method.as_ref()
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
                Ok((ask, reply)) => {
                    let bytes = self.encoded(digest, reply);
                    let record = wire::Exchange {
                        question: question.to_vec(),
                        answer: bytes.clone(),
                    };
                    self.journal.append(&encode(&record))?;
                    self.remember(ask, digest, bytes.clone());
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
    fn reply(&mut self, question: &[u8]) -> Result<(Ask, Reply), Declined> {
        let asked = Question::decode(question, self.study.longest_message())?;
        if asked.plan != self.study.digest {
            return Err(Declined::OtherPlan);
        }
        if self.result.is_some() {
            return Err(Declined::Over);
        }
        let (number, belief) = match &asked.ask {
            Ask::Join => (0, None),
            Ask::Believe(believe) => (believe.round.0, Some(&believe.prior)),
            Ask::Finish(finish) => (finish.rounds.len() as u32 + 1, Some(&finish.belief)),
        };
        if asked.number != number {
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
            Ask::Believe(believe) => Reply::Believed(self.believed(believe)?),
            Ask::Finish(_) => Reply::Finished,
        };
        Ok((asked.ask, reply))
    }

    fn check_round(&self, asked: &Believe) -> Result<(), Declined> {
        let (round, last) = (asked.round, self.last_round);
        let most = self.study.plan.rounds.rounds;
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
        let posterior = self.data.method.update(asked.round, &asked.prior)?;
        let planned = PlannedTest::all(&self.study, asked);
        let tests = if asked.tested.is_nothing() {
            Vec::new()
        } else {
            let smallest = self.study.plan.disclosure.smallest_cell;
            (self.data.method).tests(&asked.prior, asked.tested, smallest)
        };
        let layout = Layout::new(&self.study, &planned);
        Ok(layout.addends(asked, &posterior, &self.told, &tests)?)
    }

    /// Brings a method that keeps state to where it was when the journal was last written. Where a
    /// round fails, it and those after it are left for the next question.
    fn repeat_earlier_rounds(&mut self) -> Result<(), LocalMethodError> {
        if !self.data.method.keeps_state() {
            self.earlier.clear();
        }
        while let Some((round, prior)) = self.earlier.front() {
            self.data.method.update(*round, prior)?;
            self.earlier.pop_front();
        }
        Ok(())
    }
}

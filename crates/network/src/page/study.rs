//! A coordinator's study, as its page shows it.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use fedcdi_core::{Belief, ClientId, Dag};
use fedcdi_protocol::coordinator::RefusalKind;
use fedcdi_protocol::question::Ask;
use fedcdi_protocol::{Absence, Coordinator, Digest, Moves, RoundRecord, StudyError, StudyPlan};
use fedcdi_study::report::so_far;
use maud::Markup;

/// A study, as a coordinator sees it.
#[derive(Clone, Default)]
pub struct Study {
    pub(super) plan: Option<Arc<StudyPlan>>,
    pub(super) digest: String,
    /// Time that sites have for a question.
    pub(super) deadline: Duration,
    /// Answers that a question needs.
    pub(super) quorum: usize,
    pub(super) sites: Vec<SiteRow>,
    pub(super) running: Option<Running>,
    pub(super) rounds: Vec<RoundRecord>,
    pub(super) so_far: Option<Arc<SoFar>>,
    pub(super) refused: BTreeMap<Reason, u64>,
    pub(super) traffic: Traffic,
    /// When the last answer was taken.
    pub(super) last_answer: Option<Duration>,
    pub(super) n_records: u64,
    pub(super) head: String,
    /// The time for the question is over, and too few have answered.
    pub(super) overdue: bool,
    pub(super) ending: Option<Ending>,
}

/// How a program ends, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Well; where its result is.
    Result(String),
    /// Not well; why.
    Failed(String),
}

/// A site of the plan.
#[derive(Clone)]
pub(super) struct SiteRow {
    pub(super) name: String,
    pub(super) joined: bool,
    pub(super) part: PartIn,
    /// When it was last heard.
    pub(super) heard: Option<Duration>,
    /// Gone when its last connection is.
    alive: Weak<dyn Any + Send + Sync>,
    pub(super) connected: bool,
    pub(super) bytes_in: u64,
}

/// What a site has to do with the running question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartIn {
    /// It was not asked.
    None,
    Waiting,
    Answered,
    Absent(Absence),
}

/// The running question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Running {
    pub(super) number: u32,
    pub(super) asked: Asked,
    pub(super) since: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Join,
    Moves,
    Round(u32),
    Sums,
    Finish,
}

impl From<&Ask> for Asked {
    fn from(ask: &Ask) -> Self {
        match ask {
            Ask::Join => Self::Join,
            Ask::Moves => Self::Moves,
            Ask::Believe(believe) => Self::Round(believe.round.0),
            Ask::Sum(_) => Self::Sums,
            Ask::Finish(_) => Self::Finish,
        }
    }
}

/// Why something was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    Door(Door),
    Answer(RefusalKind),
}

/// Why somebody was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Door {
    /// No handshake: another authority, an old version, not TLS at all.
    Handshake,
    /// A handshake that took too long.
    Slow,
    /// A site that has all its connections.
    Crowd,
    /// A certificate of the study that is not in the roster.
    Stranger,
    /// A second process of a site.
    Second,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Taken,
    Repeated,
    Refused,
}

/// Messages since the program began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traffic {
    pub(super) taken: u64,
    pub(super) repeated: u64,
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
}

impl Study {
    /// What there is before anything happens.
    pub(crate) fn begin(&mut self, coordinator: &Coordinator, deadline: Duration, now: Duration) {
        let plan = coordinator.plan();
        self.sites = plan.sites.iter().map(|name| SiteRow::new(name)).collect();
        self.digest = plan.digest().to_string();
        self.plan = Some(Arc::new(plan.clone()));
        self.deadline = deadline;
        self.quorum = coordinator.quorum();
        self.sync(coordinator, now);
    }

    /// Takes over where the study is.
    pub(crate) fn sync(&mut self, coordinator: &Coordinator, now: Duration) {
        let question = coordinator.question();
        let number = question.map(|question| question.number);
        if number != self.running.map(|running| running.number) {
            self.overdue = false;
            self.running = question.map(|question| Running {
                number: question.number,
                asked: (&question.ask).into(),
                since: now,
            });
        }
        self.sync_sites(coordinator);
        if self.rounds.len() != coordinator.rounds().len() {
            self.rounds = coordinator.rounds().to_vec();
            let so_far = coordinator.so_far().zip(self.plan.as_ref());
            self.so_far = so_far.map(|((belief, dag), plan)| SoFar::new(plan, belief, dag));
        }
        for (kind, n) in coordinator.refusals() {
            self.refused.insert(Reason::Answer(*kind), *n as u64);
        }
        self.n_records = coordinator.n_records();
        self.head = coordinator.head().to_string();
        if let Some(Err(error)) = coordinator.end() {
            self.ending = Some(Ending::Failed(self.in_words(error)));
        }
    }

    fn sync_sites(&mut self, coordinator: &Coordinator) {
        if self.running.is_none() {
            // The last question is closed: who did not answer it is reported as absent.
            let well = matches!(coordinator.end(), Some(Ok(_)));
            for row in self.sites.iter_mut().filter(|_| well) {
                if row.part == PartIn::Waiting {
                    row.part = PartIn::Answered;
                }
            }
            return;
        }
        for row in &mut self.sites {
            (row.joined, row.part) = (false, PartIn::None);
        }
        let parts = (coordinator.waiting().map(|site| (site, PartIn::Waiting)))
            .chain((coordinator.answered().into_iter()).map(|site| (site, PartIn::Answered)))
            .chain((coordinator.absent()).map(|(site, why)| (site, PartIn::Absent(why))));
        for (site, part) in parts {
            if let Some(row) = self.row(site) {
                row.part = part;
            }
        }
        for site in coordinator.joined() {
            if let Some(row) = self.row(site) {
                row.joined = true;
            }
        }
    }

    fn row(&mut self, site: ClientId) -> Option<&mut SiteRow> {
        self.sites.get_mut((site.0 as usize).checked_sub(1)?)
    }

    /// A site was heard, over a connection that lives as long as this.
    pub(crate) fn heard<T: Any + Send + Sync>(
        &mut self,
        site: ClientId,
        alive: &Weak<T>,
        now: Duration,
    ) {
        if let Some(row) = self.row(site) {
            row.heard = Some(now);
            row.alive = alive.clone();
            row.connected = true;
        }
    }

    /// A question of so many bytes was given to a site.
    pub(crate) fn asked(&mut self, n_bytes: usize) {
        self.traffic.bytes_out += n_bytes as u64;
    }

    /// An answer of so many bytes came from a site.
    pub(crate) fn answer(
        &mut self,
        site: ClientId,
        n_bytes: usize,
        outcome: Outcome,
        now: Duration,
    ) {
        self.traffic.bytes_in += n_bytes as u64;
        if let Some(row) = self.row(site) {
            row.bytes_in += n_bytes as u64;
        }
        match outcome {
            Outcome::Taken => {
                self.traffic.taken += 1;
                self.last_answer = Some(now);
            }
            Outcome::Repeated => self.traffic.repeated += 1,
            // Counted by reason: the coordinator knows it.
            Outcome::Refused => {}
        }
    }

    /// Somebody was not let in.
    pub(crate) fn turned_away(&mut self, why: Door) {
        *self.refused.entry(Reason::Door(why)).or_default() += 1;
    }

    /// The time for the question is over, and too few have answered.
    pub(crate) fn no_quorum(&mut self) {
        self.overdue = true;
    }

    /// A site did not answer a question; the only report of it where it was the last one.
    pub(crate) fn absent(&mut self, site: ClientId, number: u32, why: Absence) {
        let asks = |plan: &Arc<StudyPlan>| plan.moves == Moves::Use;
        let before = usize::from(self.plan.as_ref().is_some_and(asks));
        let last = before + self.rounds.len() + 1;
        let is_last = self.running.is_none() && number as usize == last;
        if let Some(row) = self.row(site).filter(|_| is_last) {
            row.part = PartIn::Absent(why);
        }
    }

    /// The program ends.
    pub fn end(&mut self, ending: Ending) {
        // What the study itself says names the sites.
        if !matches!(self.ending, Some(Ending::Failed(_))) {
            self.ending = Some(ending);
        }
    }

    pub(super) fn look_again(&mut self) -> bool {
        let mut changed = false;
        for row in &mut self.sites {
            let connected = row.alive.strong_count() > 0;
            changed |= std::mem::replace(&mut row.connected, connected) != connected;
        }
        changed
    }

    /// Why a study failed, with the names of the sites.
    fn in_words(&self, error: &StudyError) -> String {
        let StudyError::Quorum {
            asked,
            found,
            needed,
            missing,
            ..
        } = error
        else {
            return error.to_string();
        };
        let name = |site: &ClientId| {
            let row = self.sites.get((site.0 as usize).wrapping_sub(1));
            row.map_or_else(|| format!("site {site}"), |row| row.name.clone())
        };
        let missing: Vec<String> = (missing.iter())
            .map(|(site, why)| format!("{}: {why}", name(site)))
            .collect();
        format!(
            "{} has {found} usable answers, {needed} are needed; {}",
            capitalised(asked),
            missing.join("; ")
        )
    }
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(rest).collect()
}

impl SiteRow {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            joined: false,
            part: PartIn::None,
            heard: None,
            alive: Weak::<()>::new(),
            connected: false,
            bytes_in: 0,
        }
    }
}

/// Belief and graph of a study, drawn when somebody looks at them.
pub(super) struct SoFar {
    plan: Arc<StudyPlan>,
    belief: Belief,
    dag: Dag,
    drawn: OnceLock<Option<String>>,
}

impl SoFar {
    pub(super) fn new(plan: &Arc<StudyPlan>, belief: &Belief, dag: &Dag) -> Arc<Self> {
        Arc::new(Self {
            plan: Arc::clone(plan),
            belief: belief.clone(),
            dag: dag.clone(),
            drawn: OnceLock::new(),
        })
    }

    pub(super) fn n_edges(&self) -> usize {
        self.dag.n_edges()
    }

    /// The drawing; the same text for as long as the graph is the same.
    pub(super) fn drawn(&self) -> Option<&str> {
        let draw = || so_far(&self.plan, &self.belief, &self.dag).map(Markup::into_string);
        self.drawn.get_or_init(draw).as_deref()
    }
}

/// The first digits of a digest.
pub(super) fn short(digest: &Digest) -> String {
    digest.to_string()[..16].to_owned()
}

//! A study by bytes alone, under bad luck.
//!
//! Messages are repeated, reordered, delayed, lost, and sent again rounds later. Sites and
//! coordinator stop after any message, or in the middle of writing a record, and are opened again
//! from their disks. Some of them have lost power, and with it what was not safe.

use std::collections::BTreeSet;
use std::sync::Arc;

use fedcdi_core::{ClientId, Seed};
use fedcdi_protocol::coordinator::{Input, RefusalKind};
use fedcdi_protocol::{Absence, Coordinator, JournalError, Outcome, Receipt, Site};
use rand::{Rng, RngExt};

use super::disk::Disk;
use super::parties::World;
use super::plans::before_rounds;

/// A message on its way.
#[derive(Clone, Debug)]
struct Mail {
    /// From whom, or to whom.
    site: ClientId,
    /// The question.
    number: u32,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Question(Arc<[u8]>),
    Answer(Vec<u8>),
}

/// A study and what is on its way.
pub(crate) struct Network<'a> {
    world: &'a World,
    /// Sites that are not reached while these questions run.
    dropped: &'a BTreeSet<(u32, ClientId)>,
    rng: Box<dyn Rng>,
    coordinator: Coordinator,
    disk: Disk,
    sites: Vec<(Site, Disk)>,
    mail: Vec<Mail>,
    /// Everything that was ever sent.
    sent: Vec<Mail>,
    pub(crate) luck: Luck,
}

/// How often what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Luck {
    /// A machine stopped within a record.
    pub(crate) torn: usize,
    /// A site was opened again.
    pub(crate) sites_again: usize,
    /// The coordinator was opened again.
    pub(crate) coordinators_again: usize,
    /// One of them had lost power, and something that was not safe.
    pub(crate) cut: usize,
    /// An answer came again.
    pub(crate) repeated: usize,
    /// An answer came too late.
    pub(crate) late: usize,
    /// A site was given up and answered after all.
    pub(crate) doubted: usize,
}

impl std::ops::AddAssign for Luck {
    fn add_assign(&mut self, other: Self) {
        self.torn += other.torn;
        self.sites_again += other.sites_again;
        self.coordinators_again += other.coordinators_again;
        self.cut += other.cut;
        self.repeated += other.repeated;
        self.late += other.late;
        self.doubted += other.doubted;
    }
}

impl<'a> Network<'a> {
    /// More than any study needs, however unlucky.
    const MOST_STEPS: usize = 50_000;

    /// On its way at once; a network that holds on to more comes to nothing.
    const MOST_MAIL: usize = 20;

    pub(crate) fn new(
        world: &'a World,
        dropped: &'a BTreeSet<(u32, ClientId)>,
        seed: Seed,
    ) -> Self {
        let disk = Disk::default();
        let site = |id| {
            let disk = Disk::default();
            (world.site(id, &disk), disk)
        };
        Self {
            world,
            dropped,
            rng: Box::new(seed.rng()),
            coordinator: world.coordinator(&disk),
            disk,
            sites: world.ids().map(site).collect(),
            mail: Vec::new(),
            sent: Vec::new(),
            luck: Luck::default(),
        }
    }

    /// Runs the study to its end, and what is still on its way after it.
    pub(crate) fn run(&mut self) -> Outcome {
        for _ in 0..Self::MOST_STEPS {
            if self.coordinator.state().is_over() {
                let outcome = self.outcome();
                self.deliver_the_rest();
                assert_eq!(self.outcome(), outcome, "after the end");
                return outcome;
            }
            self.step();
        }
        panic!("no end in sight: {:?}", self.coordinator.state());
    }

    fn outcome(&self) -> Outcome {
        let outcome = self.coordinator.state().outcome();
        outcome.expect("the quorum holds").clone()
    }

    pub(crate) fn sites(&self) -> impl Iterator<Item = &Site> {
        self.sites.iter().map(|(site, _)| site)
    }

    /// Something happens.
    fn step(&mut self) {
        match self.rng.random_range(0..100) {
            0..20 => self.ask(),
            20..78 => self.deliver(),
            78..83 => self.repeat_old_mail(),
            83..86 => self.lose(),
            86..92 => {
                let at = self.rng.random_range(0..self.sites.len());
                self.reopen_site(at);
            }
            92..94 => self.reopen_coordinator(),
            94..96 => self.give_up(),
            96..98 => self.doubt(),
            _ => self.say_what_is_over(),
        }
    }

    fn send(&mut self, mail: Mail) {
        self.sent.push(mail.clone());
        self.mail.push(mail);
        if self.mail.len() > Self::MOST_MAIL {
            self.lose();
        }
    }

    /// Sends every question that is open.
    fn ask(&mut self) {
        if self.coordinator.state().is_ready() {
            self.coordinator.apply(&Input::Start).unwrap();
        }
        let number = self.coordinator.number().unwrap_or(0);
        for (site, question) in self.coordinator.questions() {
            // A method that keeps state would notice that it was asked.
            let notices = self.world.habits.keeps_state;
            if !(notices && self.dropped.contains(&(number, site))) {
                let content = Content::Question(question);
                self.send(Mail {
                    site,
                    number,
                    content,
                });
            }
        }
    }

    /// Delivers something, whatever it is; it may arrive again.
    fn deliver(&mut self) {
        if self.mail.is_empty() {
            return self.ask();
        }
        let at = self.rng.random_range(0..self.mail.len());
        let mail = if self.rng.random_bool(0.2) {
            self.mail[at].clone()
        } else {
            self.mail.swap_remove(at)
        };
        match &mail.content {
            Content::Question(question) => self.deliver_question(&mail, question),
            Content::Answer(_) if self.is_cut_off(&mail) => self.mail.push(mail),
            Content::Answer(answer) => self.deliver_answer(mail.site, answer),
        }
    }

    /// What a dropped site says arrives when its question is over.
    fn is_cut_off(&self, mail: &Mail) -> bool {
        let is_running = self.coordinator.number() == Some(mail.number);
        is_running && self.dropped.contains(&(mail.number, mail.site))
    }

    /// A share of the next record, if the machine is to stop in it.
    fn fuse(&mut self) -> Option<u8> {
        let stops = self.rng.random_bool(0.05);
        // Every fifth time all of the record can be read, and it is not safe.
        stops.then(|| self.rng.random_range(0..320_u16).min(255) as u8)
    }

    fn deliver_question(&mut self, mail: &Mail, question: &[u8]) {
        let (fuse, at) = (self.fuse(), mail.site.0 as usize - 1);
        let (site, disk) = &mut self.sites[at];
        disk.set_fuse(fuse);
        let answer = site.answer(question);
        disk.set_fuse(None);
        match answer {
            Err(_) => {
                self.luck.torn += 1;
                self.reopen_site(at);
            }
            // The machine stops when the answer is safe and before it leaves.
            Ok(_) if self.rng.random_bool(0.05) => self.reopen_site(at),
            Ok(answer) => self.send(Mail {
                content: Content::Answer(answer.bytes),
                ..*mail
            }),
        }
    }

    fn deliver_answer(&mut self, id: ClientId, answer: &[u8]) {
        let fuse = self.fuse();
        self.disk.set_fuse(fuse);
        let receipt = self.coordinator.receive(id, answer);
        self.disk.set_fuse(None);
        self.check_receipt(id, answer, receipt);
        if self.rng.random_bool(0.05) {
            self.reopen_coordinator();
        }
    }

    /// What was acknowledged is acknowledged again, also by a coordinator that was opened again.
    fn check_receipt(
        &mut self,
        id: ClientId,
        answer: &[u8],
        receipt: Result<Receipt, JournalError>,
    ) {
        match receipt {
            Err(_) => {
                self.luck.torn += 1;
                self.reopen_coordinator();
            }
            Ok(Receipt::Repeated) => {
                self.luck.repeated += 1;
                if self.rng.random_bool(0.1) {
                    self.reopen_coordinator();
                    let again = self.coordinator.receive(id, answer).unwrap();
                    assert_eq!(again, Receipt::Repeated);
                }
            }
            Ok(Receipt::Refused(refusal)) => {
                let is_late = refusal.kind == RefusalKind::OtherQuestion;
                assert!(is_late, "an honest answer was refused: {refusal}");
                self.luck.late += 1;
            }
            Ok(Receipt::Taken(_)) => {}
        }
    }

    fn repeat_old_mail(&mut self) {
        if !self.sent.is_empty() {
            let at = self.rng.random_range(0..self.sent.len());
            self.mail.push(self.sent[at].clone());
        }
    }

    fn lose(&mut self) {
        if !self.mail.is_empty() {
            let at = self.rng.random_range(0..self.mail.len());
            self.mail.swap_remove(at);
        }
    }

    fn reopen_site(&mut self, at: usize) {
        self.luck.sites_again += 1;
        let disk = self.sites[at].1.clone();
        self.lose_power(&disk);
        let site = self.world.site(ClientId(at as u32 + 1), &disk);
        self.sites[at] = (site, disk);
    }

    fn reopen_coordinator(&mut self) {
        self.luck.coordinators_again += 1;
        self.lose_power(&self.disk.clone());
        self.coordinator = self.world.coordinator(&self.disk);
    }

    /// Every second time, a process ends with its machine.
    fn lose_power(&mut self, disk: &Disk) {
        if self.rng.random_bool(0.5) {
            let before = disk.content().len();
            disk.cut_power(self.rng.random_range(0..=255));
            self.luck.cut += usize::from(disk.content().len() < before);
        }
    }

    /// The carrier does not reach the sites that are dropped from the running question.
    fn give_up(&mut self) {
        let Some(number) = self.coordinator.number() else {
            return;
        };
        for (at, site) in self.dropped {
            if *at == number {
                let why = Absence::Unreachable;
                let site = *site;
                (self.coordinator.apply(&Input::Absent { site, number, why })).unwrap();
            }
        }
    }

    /// The carrier gives up a site that it does reach after all, while others are waited for.
    fn doubt(&mut self) {
        let Some(number) = self.coordinator.number() else {
            return;
        };
        let questions = self.coordinator.questions();
        let (id, question) = match &questions[..] {
            [_, .., (id, question)] if !self.dropped.contains(&(number, *id)) => (*id, question),
            _ => return,
        };
        let why = Absence::Late;
        let site = id;
        (self.coordinator.apply(&Input::Absent { site, number, why })).unwrap();
        let answer = self.sites[id.0 as usize - 1].0.answer(question).unwrap();
        let receipt = self.coordinator.receive(id, &answer.bytes).unwrap();
        // One that cannot answer says nothing new.
        let round = number.checked_sub(before_rounds(&self.world.plan));
        let fails = round.is_some_and(|round| self.world.habits.fails.contains(&(round, id.0)));
        let taken = matches!(receipt, Receipt::Taken(_));
        assert!(taken != fails, "{receipt:?}");
        self.luck.doubted += 1;
    }

    /// Notices about a question that is over come late, and one to begin comes again.
    fn say_what_is_over(&mut self) {
        let Some(number) = self.coordinator.number().filter(|number| *number > 0) else {
            return;
        };
        let number = self.rng.random_range(0..number);
        let site = ClientId(self.rng.random_range(1..=self.sites.len() as u32));
        let why = Absence::Late;
        let head = self.coordinator.head();
        for input in [
            Input::Close { number },
            Input::Absent { site, number, why },
            Input::Start,
        ] {
            assert_eq!(self.coordinator.apply(&input).unwrap(), []);
        }
        assert_eq!(self.coordinator.head(), head);
    }

    fn deliver_the_rest(&mut self) {
        for mail in std::mem::take(&mut self.sent) {
            if let Content::Answer(answer) = mail.content {
                let receipt = self.coordinator.receive(mail.site, &answer).unwrap();
                assert!(!matches!(receipt, Receipt::Taken(_)), "{receipt:?}");
            }
        }
        self.reopen_coordinator();
    }
}

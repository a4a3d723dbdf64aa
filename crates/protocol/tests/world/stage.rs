//! A study in the middle, and what its coordinator refuses.

use fedcdi_core::{Choice, ClientId};
use fedcdi_protocol::answer::{Answer, Reply};
use fedcdi_protocol::coordinator::{Input, RefusalKind};
use fedcdi_protocol::{Absence, Coordinator, Receipt, Site};

use super::disk::Disk;
use super::parties::World;
use super::plans::{plan, with_tests};

/// A study of three variables and three sites, in its second round, the first that has tests. The
/// third site has not joined, and nobody has answered.
pub(crate) struct Stage {
    pub(crate) disk: Disk,
    pub(crate) coordinator: Coordinator,
    pub(crate) sites: Vec<Site>,
}

impl Stage {
    pub(crate) fn of(world: World) -> Self {
        let world = lenient(world);
        let disk = Disk::default();
        let sites = world.ids().map(|id| world.site(id, &Disk::default()));
        let mut stage = Self {
            coordinator: world.coordinator(&disk),
            sites: sites.collect(),
            disk,
        };
        stage.coordinator.apply(&Input::Start).unwrap();
        let third = Input::Absent {
            site: ClientId(3),
            number: 0,
            why: Absence::Unreachable,
        };
        stage.coordinator.apply(&third).unwrap();
        for site in [1, 2, 1, 2] {
            let answer = stage.honest(site).encode();
            stage.take(site, &answer);
        }
        assert_eq!(stage.coordinator.number(), Some(2));
        stage
    }

    pub(crate) fn by(rule: Choice) -> Self {
        Self::of(World::new(with_tests(plan(3, 3, rule))))
    }

    /// What a site says to what it is asked.
    pub(crate) fn honest(&mut self, site: u32) -> Answer {
        let questions = self.coordinator.questions();
        let asked = questions.iter().find(|(id, _)| id.0 == site).unwrap();
        let answer = self.sites[site as usize - 1].answer(&asked.1).unwrap();
        Answer::decode(&answer.bytes, answer.bytes.len()).unwrap()
    }

    pub(crate) fn take(&mut self, site: u32, answer: &[u8]) {
        let receipt = self.coordinator.receive(ClientId(site), answer).unwrap();
        assert!(matches!(receipt, Receipt::Taken(_)), "{receipt:?}");
    }

    /// Refuses this by this name, saying this, and is as it was.
    pub(crate) fn refuses(
        &mut self,
        name: &str,
        from: u32,
        answer: &[u8],
        why: (RefusalKind, &str),
    ) {
        let all = |stage: &Self| {
            let state = format!("{:?}", stage.coordinator.state());
            (state, stage.coordinator.head(), stage.disk.content())
        };
        let (before, n_before) = (all(self), self.n_refused(why.0));
        match self.coordinator.receive(ClientId(from), answer).unwrap() {
            Receipt::Refused(refusal) => {
                assert_eq!(refusal.kind, why.0, "{name}: {refusal}");
                let text = refusal.to_string();
                assert!(text.contains(why.1), "{name}: {text}");
            }
            other => panic!("{name}: {other:?}"),
        }
        assert!(all(self) == before, "{name}: something changed");
        assert_eq!(self.n_refused(why.0), n_before + 1, "{name}");
    }

    pub(crate) fn n_refused(&self, kind: RefusalKind) -> usize {
        let refusals = self.coordinator.refusals();
        refusals.get(&kind).copied().unwrap_or(0)
    }

    /// Refuses the first site's answer with one addend changed.
    pub(crate) fn refuses_addend(&mut self, name: &str, at: usize, addend: i64, why: &str) {
        let mut answer = self.honest(1);
        let Reply::Believed(addends) = &mut answer.reply else {
            panic!("a round asks for addends");
        };
        assert_ne!(addends[at], addend, "{name}: as it was");
        addends[at] = addend;
        self.refuses(name, 1, &answer.encode(), (RefusalKind::Addends, why));
    }

    /// The honest one is taken after all that.
    pub(crate) fn still_takes_the_honest_answer(&mut self) {
        for site in [1, 2] {
            let answer = self.honest(site).encode();
            self.take(site, &answer);
        }
        assert_eq!(self.coordinator.number(), Some(3));
    }
}

/// One of three sites is enough.
pub(crate) fn lenient(mut world: World) -> World {
    world.plan.rounds.quorum = 0.3;
    world
}

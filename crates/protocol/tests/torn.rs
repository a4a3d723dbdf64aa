//! A record that was cut off is as if it had never been begun: the study ends with the same belief.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use std::collections::BTreeSet;

use fedcdi_core::{Belief, ClientId, LocalMethod, LocalMethodError, Round, Seed, Tested};
use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::rules::Naive;
use fedcdi_protocol::store::Store as _;
use fedcdi_protocol::{Declined, InProcess, JournalError, Outcome, Receipt, Site};
use world::disk::Disk;
use world::parties::World;
use world::plans::{plan_by, with_rounds, with_tests};
use world::toy::{Habits, Toy, noise};

/// The disks of a study, the coordinator's first, just after one of them got a record.
struct Moment {
    disks: Vec<Vec<u8>>,
    /// The one with the new record.
    changed: usize,
    /// Bytes before it.
    len_before: usize,
}

fn world() -> World {
    let plan = with_rounds(with_tests(plan_by::<Naive>(2, 2)), 2);
    let habits = Habits {
        keeps_state: true,
        ..Habits::default()
    };
    World { plan, habits }
}

/// Notes every record that is written.
struct Recorder {
    disks: Vec<Disk>,
    moments: Vec<Moment>,
}

impl Recorder {
    fn note(&mut self) {
        let contents: Vec<Vec<u8>> = self.disks.iter().map(Disk::content).collect();
        let before = |at: usize| self.moments.last().map_or(0, |m| m.disks[at].len());
        let changed = (0..contents.len()).find(|at| contents[*at].len() > before(*at));
        if let Some(changed) = changed {
            let len_before = before(changed);
            self.moments.push(Moment {
                disks: contents,
                changed,
                len_before,
            });
        }
    }
}

/// Every record of a study, in order.
fn moments(world: &World) -> Vec<Moment> {
    let mut recorder = Recorder {
        disks: (0..=world.plan.sites.len())
            .map(|_| Disk::default())
            .collect(),
        moments: Vec::new(),
    };
    let mut coordinator = world.coordinator(&recorder.disks[0]);
    recorder.note();
    let mut sites: Vec<Site> = Vec::new();
    for id in world.ids() {
        sites.push(world.site(id, &recorder.disks[id.0 as usize]));
        recorder.note();
    }
    coordinator.apply(&Input::Start).unwrap();
    recorder.note();
    while !coordinator.state().is_over() {
        for (id, question) in coordinator.questions() {
            let answer = sites[id.0 as usize - 1].answer(&question).unwrap();
            recorder.note();
            let receipt = coordinator.receive(id, &answer.bytes).unwrap();
            assert!(matches!(receipt, Receipt::Taken(_)));
            recorder.note();
        }
    }
    recorder.moments
}

/// Opens everybody from these disks and runs the study to its end.
fn resumed(world: &World, disks: &[Disk]) -> Outcome {
    let mut coordinator = world.coordinator(&disks[0]);
    let sites = world.ids().map(|id| world.site(id, &disks[id.0 as usize]));
    let mut sites: Vec<Site> = sites.collect();
    if let Some(outcome) = coordinator.state().outcome() {
        return outcome.clone();
    }
    let run = InProcess::default().run(&mut coordinator, &mut sites, &mut |_| {});
    run.expect("everybody answers")
}

#[test]
fn a_record_cut_at_any_byte_changes_nothing_in_the_end() {
    let world = world();
    let expected = world.outcome(&BTreeSet::new());
    let moments = moments(&world);
    // Owners, the start, and two records per site and question: join, two rounds, finish.
    assert_eq!(moments.len(), 3 + 1 + 2 * 2 * 4);
    for (at, moment) in moments.iter().enumerate() {
        for len in moment.len_before..=moment.disks[moment.changed].len() {
            let mut contents = moment.disks.clone();
            contents[moment.changed].truncate(len);
            let disks: Vec<Disk> = contents.iter().map(|bytes| Disk::with(bytes)).collect();
            assert_eq!(
                resumed(&world, &disks),
                expected,
                "record {at}, {len} bytes"
            );
        }
    }
}

#[test]
fn what_a_site_has_answered_is_on_its_disk() {
    let world = world();
    let (disk, site_disk) = (Disk::default(), Disk::default());
    let mut coordinator = world.coordinator(&disk);
    coordinator.apply(&Input::Start).unwrap();
    let id = ClientId(1);
    let mut site = world.site(id, &site_disk);
    let (_, join) = coordinator.questions()[0].clone();
    let before = site_disk.content().len();
    let answer = site.answer(&join).unwrap();
    assert!(site_disk.content().len() > before + answer.bytes.len());
    // As it is now on the disk, without whatever a site would write when it ends.
    let copy = Disk::with(&site_disk.content());
    let written = copy.content().len();
    let again = world.site(id, &copy).answer(&join).unwrap();
    assert_eq!(
        (again.bytes, copy.content().len()),
        (answer.bytes.clone(), written)
    );
    // The same for what the coordinator has acknowledged.
    assert!(matches!(
        coordinator.receive(id, &answer.bytes),
        Ok(Receipt::Taken(_))
    ));
    let copy = Disk::with(&disk.content());
    let mut again = world.coordinator(&copy);
    assert_eq!(again.head(), coordinator.head());
    assert_eq!(again.receive(id, &answer.bytes).unwrap(), Receipt::Repeated);
}

#[test]
fn what_cannot_be_written_does_not_leave() {
    let world = world();
    let (disk, site_disk) = (Disk::default(), Disk::default());
    let mut coordinator = world.coordinator(&disk);
    coordinator.apply(&Input::Start).unwrap();
    let mut site = world.site(ClientId(1), &site_disk);
    let (id, join) = coordinator.questions()[0].clone();
    let answer = world.site(id, &Disk::default()).answer(&join).unwrap();
    site_disk.set_fuse(Some(100));
    assert!(matches!(site.answer(&join), Err(JournalError::Io(_))));
    // Not even when it is asked again: what follows a torn record would be lost.
    assert!(matches!(site.answer(&join), Err(JournalError::Broken)));
    disk.set_fuse(Some(254));
    let state = format!("{:?}", coordinator.state());
    assert!(matches!(
        coordinator.receive(id, &answer.bytes),
        Err(JournalError::Io(_))
    ));
    assert_eq!(format!("{:?}", coordinator.state()), state);
    assert!(matches!(
        coordinator.receive(id, &answer.bytes),
        Err(JournalError::Broken)
    ));
    // Whoever frees the disk goes on.
    assert_eq!(
        world.site(id, &site_disk).answer(&join).unwrap().bytes,
        answer.bytes
    );
    let receipt = world.coordinator(&disk).receive(id, &answer.bytes).unwrap();
    assert!(matches!(receipt, Receipt::Taken(_)));
}

/// The disk fails when the record is there to be read: whoever begins again finds it, and must not take
/// it for safe.
#[test]
fn what_was_written_and_is_not_safe_is_written_again_before_it_is_acknowledged() {
    let world = world();
    let (disk, site_disk) = (Disk::default(), Disk::default());
    let mut coordinator = world.coordinator(&disk);
    coordinator.apply(&Input::Start).unwrap();
    let (id, join) = coordinator.questions()[0].clone();
    let mut site = world.site(id, &site_disk);
    site_disk.set_fuse(Some(255));
    assert!(matches!(site.answer(&join), Err(JournalError::Io(_))));
    let written = site_disk.content();
    let answer = world.site(id, &site_disk).answer(&join).unwrap();
    site_disk.cut_power(0);
    assert_eq!(site_disk.content(), written);
    disk.set_fuse(Some(255));
    let failed = coordinator.receive(id, &answer.bytes);
    assert!(matches!(failed, Err(JournalError::Io(_))));
    let written = disk.content();
    let receipt = world.coordinator(&disk).receive(id, &answer.bytes).unwrap();
    assert_eq!(receipt, Receipt::Repeated);
    disk.cut_power(0);
    assert_eq!(disk.content(), written);
}

#[test]
fn journals_are_of_one_party_and_one_plan() {
    let world = world();
    let disk = Disk::default();
    drop(world.site(ClientId(1), &disk));
    let open = |world: &World, id: u32| {
        let rules = fedcdi_protocol::rules::standard();
        let data = world.data(ClientId(id));
        Site::open(world.plan.clone(), &rules, data, disk.store()).err()
    };
    assert!(open(&world, 1).is_none());
    let other_site = open(&world, 2).unwrap().to_string();
    assert!(
        other_site.contains("the journal belongs to site 1"),
        "{other_site}"
    );
    let mut other = world.clone();
    other.plan.seed += 1;
    assert!(open(&other, 1).is_some());
    // A journal that was cut to nothing is a new one.
    disk.clone().settle(0, &[]).unwrap();
    assert!(open(&other, 1).is_none());
}

/// A method whose next updates fail, before they change anything.
struct Flaky {
    toy: Toy,
    n_failures: usize,
}

impl LocalMethod for Flaky {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        if self.n_failures > 0 {
            self.n_failures -= 1;
            return Err(LocalMethodError::new("out of memory"));
        }
        self.toy.update(round, prior)
    }
}

#[test]
fn rounds_that_cannot_be_repeated_at_once_are_repeated_later() {
    let world = world();
    let [first, second] = [1, 2].map(|round| {
        let prior = noise(2, 4.0, Seed::new(round));
        let question = world.round(round as u32, Tested::NOTHING, prior);
        question.encode()
    });
    let (id, disk) = (ClientId(1), Disk::default());
    let mut site = world.site(id, &disk);
    site.answer(&first).unwrap();
    let copy = Disk::with(&disk.content());
    let expected = site.answer(&second).unwrap().bytes;
    let toy = Toy::new(id.0, world.habits.clone());
    let n_failures = 2;
    let data = world.data_with(id, Box::new(Flaky { toy, n_failures }));
    let rules = fedcdi_protocol::rules::standard();
    let mut again = Site::open(world.plan.clone(), &rules, data, copy.store()).unwrap();
    for _ in 0..n_failures {
        let answered = again.answer(&second).unwrap();
        assert!(matches!(answered.declined, Some(Declined::Method(_))));
    }
    assert_eq!(again.answer(&second).unwrap().bytes, expected);
}

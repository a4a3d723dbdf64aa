//! Messages with bits flipped, cut, spliced and with other lengths: nothing panics, and nothing is
//! read that would be written otherwise.
//!
//! Most mutations of a good message are refused by its form. So that some get further, the seeds are
//! all kinds of messages, and mutations are small.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use std::time::Instant;

use fedcdi_core::{ClientId, Seed};
use fedcdi_protocol::answer::Answer;
use fedcdi_protocol::audit::Audit;
use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::journal::{Chain, Journal};
use fedcdi_protocol::question::Question;
use fedcdi_protocol::rules::{self, Evidence};
use fedcdi_protocol::{Absence, Coordinator, InProcess, Receipt, Site, Start, StudyPlan};
use rand::{Rng, RngExt};
use world::disk::Disk;
use world::parties::World;
use world::plans::{plan_by, with_moves, with_rounds, with_scores, with_tests};

const OWNER: &str = "coordinator of nothing";

/// Good messages of every kind.
struct Seeds {
    questions: Vec<Vec<u8>>,
    answers: Vec<Vec<u8>>,
    inputs: Vec<Vec<u8>>,
    plans: Vec<Vec<u8>>,
    journals: Vec<Vec<u8>>,
}

fn world() -> World {
    let plan = with_rounds(with_tests(plan_by::<Evidence>(3, 2)), 2);
    World::new(with_moves(with_scores(plan, Start::Belief)))
}

/// All messages of a study, with a site that fails once.
fn seeds() -> Seeds {
    let mut world = world();
    world.habits.fails = [(2, 1)].into();
    let (mut questions, mut answers) = (Vec::new(), Vec::new());
    let mut coordinator = world.coordinator(&Disk::default());
    let sites = world.ids().map(|id| world.site(id, &Disk::default()));
    let mut sites: Vec<Site> = sites.collect();
    coordinator.apply(&Input::Start).unwrap();
    while !coordinator.state().is_over() {
        for (id, question) in coordinator.questions() {
            let answer = sites[id.0 as usize - 1].answer(&question).unwrap().bytes;
            coordinator.receive(id, &answer).unwrap();
            questions.push(question.to_vec());
            answers.push(answer);
        }
    }
    let inputs = inputs(&answers);
    Seeds {
        journals: vec![journal(&inputs), journal(&inputs[..2]), journal(&[])],
        plans: vec![world.plan.to_text().into_bytes()],
        questions,
        answers,
        inputs,
    }
}

fn inputs(answers: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let site = ClientId(1);
    let received = answers.iter().map(|answer| Input::Received {
        site,
        answer: answer.clone(),
    });
    let why = Absence::Failed;
    let number = 300;
    let rest = [
        Input::Start,
        Input::Absent { site, number, why },
        Input::Close { number },
        Input::Cancel,
    ];
    rest.into_iter()
        .chain(received)
        .map(|i| i.encode())
        .collect()
}

fn journal(records: &[Vec<u8>]) -> Vec<u8> {
    let disk = Disk::default();
    let (mut journal, _) = Journal::open(disk.store(), OWNER).unwrap();
    records.iter().for_each(|r| journal.append(r).unwrap());
    disk.content()
}

/// One to three small changes; `others` are what is spliced in.
fn mutated(rng: &mut impl Rng, others: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = others[rng.random_range(0..others.len())].clone();
    for _ in 0..rng.random_range(1..=3) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..7) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][rng.random_range(0..5)],
            2 => bytes.truncate(at),
            3 => {
                bytes.insert(at, rng.random_range(0..=255));
            }
            4 => splice(&mut bytes, at, rng, others),
            5 => lengthen(&mut bytes, at, rng),
            _ => {
                let end = rng.random_range(at..=bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}

/// Replaces the rest, or as much, by a part of another message.
fn splice(bytes: &mut Vec<u8>, at: usize, rng: &mut impl Rng, others: &[Vec<u8>]) {
    let other = &others[rng.random_range(0..others.len())];
    let from = rng.random_range(0..=other.len());
    let to = rng.random_range(from..=other.len());
    let end = if rng.random_bool(0.5) {
        bytes.len()
    } else {
        (at + to - from).min(bytes.len())
    };
    bytes.splice(at..end, other[from..to].iter().copied());
}

/// Makes what may be a length larger or smaller, by one or by much, in one byte or in four.
fn lengthen(bytes: &mut [u8], at: usize, rng: &mut impl Rng) {
    if let Some(four) = bytes[at..]
        .first_chunk_mut::<4>()
        .filter(|_| rng.random_bool(0.3))
    {
        *four = [0, 1, 0x7fff_ffff, u32::MAX][rng.random_range(0..4)].to_le_bytes();
        return;
    }
    let by = [1, 0xff, 8, 0xf8][rng.random_range(0..4)];
    bytes[at] = bytes[at].wrapping_add(by);
}

/// How many of some mutations were read as something else than what they were made from.
#[derive(Debug, Default)]
struct Read {
    questions: usize,
    answers: usize,
    inputs: usize,
    plans: usize,
    journals: usize,
}

/// Reads so many mutations of every kind, in turn.
fn check(n: usize, seed: u64) -> Read {
    let seeds = seeds();
    let mut rng = Seed::new(seed).rng();
    let mut read = Read::default();
    for _ in 0..n {
        read.questions += usize::from(check_question(&mutated(&mut rng, &seeds.questions)));
        read.answers += usize::from(check_answer(&mutated(&mut rng, &seeds.answers)));
        read.inputs += usize::from(check_input(&mutated(&mut rng, &seeds.inputs)));
        read.plans += usize::from(check_plan(&mutated(&mut rng, &seeds.plans)));
        read.journals += usize::from(check_journal(&mutated(&mut rng, &seeds.journals), &seeds));
    }
    let memory = peak_memory();
    assert!(memory < MOST_MEMORY, "{memory} MB");
    read
}

/// Megabytes; the longest message here has some kilobytes.
const MOST_MEMORY: usize = 100;

/// Megabytes that this process ever had, where the system says so.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    kilobytes.map_or(0, |text| text.trim().parse::<usize>().unwrap() / 1024)
}

fn check_question(bytes: &[u8]) -> bool {
    let read = Question::decode(bytes, 100_000);
    read.is_ok_and(|question| {
        assert_eq!(question.encode(), bytes);
        true
    })
}

fn check_answer(bytes: &[u8]) -> bool {
    let read = Answer::decode(bytes, 100_000);
    read.is_ok_and(|answer| {
        assert_eq!(answer.encode(), bytes);
        true
    })
}

fn check_input(bytes: &[u8]) -> bool {
    let read = Input::decode(bytes);
    read.is_ok_and(|input| {
        assert_eq!(input.encode(), bytes);
        true
    })
}

/// A plan is named by the text that it is written as, so it must be read as what it was.
fn check_plan(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else {
        return false;
    };
    let Ok(plan) = StudyPlan::from_text(text) else {
        return false;
    };
    let written = plan.to_text();
    let again = StudyPlan::from_text(&written).expect("what was written can be read");
    assert_eq!(again.to_text(), written);
    assert_eq!(again.digest(), plan.digest());
    assert!(again == plan, "{text}");
    // Whether it is a plan or not: that must not panic either.
    let _ = plan.check(&rules::standard());
    true
}

/// What is left of a journal is the beginning of one that was written, record for record.
fn check_journal(bytes: &[u8], seeds: &Seeds) -> bool {
    // What nobody can open, nobody can audit.
    let audit = Audit::of(bytes);
    let disk = Disk::with(bytes);
    let Ok((journal, records)) = Journal::open(disk.store(), OWNER) else {
        assert!(audit.is_err());
        return false;
    };
    assert!(seeds.inputs.starts_with(&records));
    drop(journal);
    assert_eq!(disk.content(), self::journal(&records));
    true
}

#[test]
fn mutated_messages_are_refused_or_read_as_they_are_written() {
    let read = check(60_000, 1);
    // Flipped bits of numbers make other good messages.
    assert!(read.questions > 100 && read.answers > 100, "{read:?}");
    assert!(read.inputs > 100 && read.plans > 100, "{read:?}");
    assert!(read.journals > 100, "{read:?}");
}

/// So many of every kind as `FEDCDI_MUTATIONS` says, and a tenth of it through the doors that messages come
/// in by.
#[test]
#[ignore = "slow: run with scripts/test-slow"]
fn a_million_mutated_messages_of_each_kind_are_refused_or_read_as_they_are_written() {
    let n = std::env::var("FEDCDI_MUTATIONS").unwrap_or("1000000".to_owned());
    let n = n.parse().expect("FEDCDI_MUTATIONS is a number");
    let start = Instant::now();
    let read = check(n, 2);
    let seconds = start.elapsed().as_secs_f64();
    println!("{n} mutated of each kind in {seconds:.0} s; taken as something else: {read:?}");
    let start = Instant::now();
    for number in [2, 4] {
        through_the_doors(number, n / 20, 6);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} of questions and of answers through the doors in {seconds:.0} s",
        n / 10
    );
    println!("peak memory {} MB", peak_memory());
}

/// Records that are well kept but say something else: whoever begins again refuses them, or goes on from
/// there; so does who checks them.
#[test]
fn mutated_records_stop_neither_coordinator_nor_site() {
    let world = world();
    let disks = [0, 1, 2].map(|_| Disk::default());
    let mut coordinator = world.coordinator(&disks[0]);
    let sites = world.ids().map(|id| world.site(id, &disks[id.0 as usize]));
    let mut sites: Vec<Site> = sites.collect();
    let carrier = InProcess::default();
    let run = carrier.run(&mut coordinator, &mut sites, &mut |_| {});
    run.expect("everybody answers");
    let mut rng = Seed::new(5).rng();
    for disk in &disks[..2] {
        let journal = disk.content();
        let records = Chain::of(&journal).unwrap().links;
        let owner = String::from_utf8(records[0].body.to_vec()).unwrap();
        let bodies: Vec<Vec<u8>> = records[1..].iter().map(|r| r.body.to_vec()).collect();
        let mut n_opened = 0;
        for _ in 0..3_000 {
            let n_good = rng.random_range(0..bodies.len());
            let other = Disk::default();
            let (mut journal, _) = Journal::open(other.store(), &owner).unwrap();
            bodies[..n_good]
                .iter()
                .for_each(|body| journal.append(body).unwrap());
            journal
                .append(&mutated(&mut rng, &bodies[n_good..=n_good]))
                .unwrap();
            drop(journal);
            let _ = Audit::of(&other.content());
            let (plan, rules) = (world.plan.clone(), rules::standard());
            let opened = if owner.starts_with("site") {
                Site::open(plan, &rules, world.data(ClientId(1)), other.store()).is_ok()
            } else {
                Coordinator::open(plan, &rules, other.store()).is_ok()
            };
            n_opened += usize::from(opened);
        }
        assert!(n_opened > 10, "{owner}: {n_opened}");
    }
}

/// The same through the doors that messages come in by, in a round and in a search.
#[test]
fn mutated_messages_stop_neither_coordinator_nor_site() {
    through_the_doors(2, 10_000, 3);
    through_the_doors(4, 10_000, 4);
}

/// So many mutated answers and questions to a coordinator and a site at this question.
fn through_the_doors(number: u32, n: usize, seed: u64) {
    let (world, seeds) = (world(), seeds());
    let mut rng = Seed::new(seed).rng();
    for _ in 0..n / 10 {
        let (mut coordinator, mut site) = at_question(&world, number);
        for _ in 0..10 {
            let answer = mutated(&mut rng, &seeds.answers);
            let before = coordinator.head();
            let receipt = coordinator.receive(ClientId(1), &answer).unwrap();
            let taken = matches!(receipt, Receipt::Taken(_));
            assert_eq!(taken, coordinator.head() != before);
            site.answer(&mutated(&mut rng, &seeds.questions)).unwrap();
        }
    }
}

/// A study at this question, and its first site.
fn at_question(world: &World, number: u32) -> (Coordinator, Site) {
    let mut coordinator = world.coordinator(&Disk::default());
    let sites = world.ids().map(|id| world.site(id, &Disk::default()));
    let mut sites: Vec<Site> = sites.collect();
    coordinator.apply(&Input::Start).unwrap();
    while coordinator.number() < Some(number) {
        for (id, question) in coordinator.questions() {
            let answer = sites[id.0 as usize - 1].answer(&question).unwrap();
            coordinator.receive(id, &answer.bytes).unwrap();
        }
    }
    (coordinator, sites.swap_remove(0))
}

//! The same belief to the bit under any schedule.
//!
//! A study by bytes alone, under bad luck (`world::network`), ends with the same belief, graphs and
//! records as the same plan on one machine. Every schedule has a plan, methods and bad luck of its
//! own, all from its number: a failure names it.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use std::collections::BTreeSet;
use std::ops::{Add as _, Range};
use std::time::Instant;

use fedcdi_core::{Belief, ClientId, Knowledge, Seed};
use fedcdi_protocol::{Exchange, Start, StudyPlan};
use ndarray::Array2;
use rand::{Rng, RngExt};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use world::network::{Luck, Network};
use world::parties::World;
use world::plans::{before_rounds, plan, rules, with_moves, with_rounds, with_scores, with_tests};
use world::toy::Habits;

/// What a schedule is about.
struct Scene {
    world: World,
    dropped: BTreeSet<(u32, ClientId)>,
}

fn scene(number: u64) -> Scene {
    let mut rng = Seed::new(number).derive("scene", 0).rng();
    let world = World {
        plan: any_plan(&mut rng, number),
        habits: Habits::default(),
    };
    let (rounds, n_sites) = (world.plan.most_rounds(), world.plan.sites.len());
    let mut absent = |share: f64| {
        let mut absent = BTreeSet::new();
        for round in 1..=rounds {
            // The quorum is half of the sites: at most one is missing, and never one of two.
            if n_sites > 2 && rng.random_bool(share) {
                absent.insert((round, rng.random_range(1..=n_sites as u32)));
            }
        }
        absent
    };
    let dropped = absent(0.2);
    let mut fails = absent(0.1);
    fails.retain(|(round, _)| dropped.iter().all(|(other, _)| other != round));
    let habits = Habits {
        seed: number,
        keeps_state: rng.random_bool(0.5),
        fails,
    };
    let dropped = dropped.into_iter();
    let before = before_rounds(&world.plan);
    let dropped = dropped.map(|(round, site)| (round + before, ClientId(site)));
    let mut dropped: BTreeSet<_> = dropped.collect();
    // What moves what needs no quorum.
    if before > 0 && rng.random_bool(0.3) {
        dropped.insert((1, ClientId(rng.random_range(1..=n_sites as u32))));
    }
    let scene = Scene {
        dropped,
        world: World { habits, ..world },
    };
    with_search(scene, &mut rng)
}

/// Three of eight studies search, after their rounds or in their place; some lose a site on the way.
fn with_search(mut scene: Scene, rng: &mut impl Rng) -> Scene {
    let n_sites = scene.world.plan.sites.len();
    let start = match rng.random_range(0..8) {
        0 | 1 => Start::Belief,
        2 => Start::Nothing,
        _ => return scene,
    };
    let first = before_rounds(&scene.world.plan);
    let mut before = first + scene.world.plan.most_rounds();
    if start == Start::Nothing {
        before = first;
        scene.dropped.clear();
        scene.world.habits.fails.clear();
    }
    if n_sites > 2 && rng.random_bool(0.5) {
        let lost = ClientId(rng.random_range(1..=n_sites as u32));
        // With edges ruled out, a search may have two questions alone.
        let question = before + rng.random_range(1..=3 - first);
        scene.dropped.insert((question, lost));
    }
    scene.world.plan = with_scores(scene.world.plan, start);
    // Few searches are left to come to an end of their own: they take most of the time.
    let questions = if rng.random_bool(0.1) { 60 } else { 8 };
    if let Some(score) = &mut scene.world.plan.score {
        score.search.questions = questions;
    }
    scene
}

fn any_plan(rng: &mut impl Rng, number: u64) -> StudyPlan {
    let rules = rules();
    let rule = rules[number as usize % rules.len()].clone();
    let plan = plan(rng.random_range(2..=4), rng.random_range(1..=4), rule);
    let plan = with_rounds(plan, rng.random_range(1..=4));
    let mut plan = if rng.random_bool(0.6) {
        with_tests(plan)
    } else {
        plan
    };
    if rng.random_bool(0.5) {
        plan.exchange = Exchange::Psi;
    }
    if rng.random_bool(0.4) {
        with_moves(plan)
    } else {
        plan
    }
}

/// What happened in some schedules.
#[derive(Default)]
struct Happened {
    luck: Luck,
    n_pruned: usize,
    n_grafted: usize,
    n_absent: usize,
    n_searched: usize,
    n_lost: usize,
    n_ruled_out: usize,
}

/// Runs one schedule, and compares it with the same study on one machine.
fn check(number: u64, happened: &mut Happened) {
    let Scene { world, dropped } = scene(number);
    let expected = world.outcome(&dropped);
    let luck = Seed::new(number).derive("luck", 0);
    let mut network = Network::new(&world, &dropped, luck);
    let found = network.run();
    assert_eq!(found, expected, "schedule {number}");
    assert_eq!(
        bits(&found.belief),
        bits(&expected.belief),
        "schedule {number}"
    );
    for site in network.sites() {
        let told = site.result();
        let told =
            told.unwrap_or_else(|| panic!("schedule {number}: site {} has no result", site.id()));
        assert_eq!(told.belief, expected.belief, "schedule {number}");
    }
    happened.luck += network.luck;
    for record in &expected.rounds {
        happened.n_pruned += record.n_pruned;
        happened.n_grafted += record.n_grafted;
        happened.n_absent += record.n_absent;
    }
    if let Some(moved) = &expected.moved {
        let beforehand = Knowledge::none(world.plan.variables.len());
        happened.n_ruled_out += moved.ruled_out(&beforehand).len();
    }
    if let Some(scored) = &expected.scored {
        happened.n_searched += 1;
        happened.n_lost += usize::from(scored.n_sites < world.plan.sites.len());
    }
}

/// Where -0 is not 0.
fn bits(belief: &Belief) -> [Array2<u64>; 2] {
    [belief.existence(), belief.orientation()].map(|logits| logits.mapv(f64::to_bits))
}

impl std::ops::Add for Happened {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.luck += other.luck;
        self.n_pruned += other.n_pruned;
        self.n_grafted += other.n_grafted;
        self.n_absent += other.n_absent;
        self.n_searched += other.n_searched;
        self.n_lost += other.n_lost;
        self.n_ruled_out += other.n_ruled_out;
        self
    }
}

/// Runs schedules on all cores, and makes sure that they are bad enough.
fn check_all(numbers: Range<u64>) {
    let n = (numbers.end - numbers.start) as usize;
    let one = |number| {
        let mut happened = Happened::default();
        check(number, &mut happened);
        happened
    };
    let all = numbers.into_par_iter().map(one);
    let Happened {
        luck,
        n_pruned,
        n_grafted,
        n_absent,
        n_searched,
        n_lost,
        n_ruled_out,
    } = all.reduce(Happened::default, Happened::add);
    assert!(luck.torn > n / 2 && luck.late > n / 2, "{luck:?}");
    assert!(luck.repeated > n && luck.doubted > n / 10, "{luck:?}");
    assert!(luck.sites_again > n && luck.coordinators_again > n);
    assert!(luck.cut > n / 10, "{luck:?}");
    assert!(
        n_searched > n / 4 && n_lost > n / 20,
        "{n_searched} {n_lost}"
    );
    assert!(n_ruled_out > n / 2, "{n_ruled_out}");
    assert!(n_pruned > n / 20 && n_grafted > n / 100 && n_absent > n / 10);
}

#[test]
fn any_schedule_ends_with_the_same_belief() {
    check_all(0..10_000);
}

/// Other schedules than those above, by their numbers: `FEDCDI_SCHEDULES=1000000..1100000`.
#[test]
#[ignore = "slow: run with scripts/test-slow"]
fn any_of_many_schedules_ends_with_the_same_belief() {
    let range = std::env::var("FEDCDI_SCHEDULES").unwrap_or("10000..30000".to_owned());
    let ends = range.split_once("..").expect("two numbers: 10000..30000");
    let [from, to] = [ends.0, ends.1].map(|end| end.parse().expect("a whole number"));
    let start = Instant::now();
    check_all(from..to);
    let seconds = start.elapsed().as_secs_f64();
    println!("schedules {from}..{to}: the same beliefs, in {seconds:.0} s");
}

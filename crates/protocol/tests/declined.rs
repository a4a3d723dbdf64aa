//! Questions that a site does not answer: each gets a code, and changes nothing.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use fedcdi_core::{Belief, ClientId, Round, SchemaHash, Seed, Tested, VarId};
use fedcdi_protocol::answer::{Answer, Refused, Reply};
use fedcdi_protocol::question::{Ask, Finish, Question};
use fedcdi_protocol::rules::{self, Evidence};
use fedcdi_protocol::{
    Declined, Digest, OpenError, RoundRecord, Site, SiteData, Start, StopReason, StudyPlan, VERSION,
};
use fedcdi_score as sums;
use world::disk::Disk;
use world::parties::World;
use world::plans::{plan_by, with_rounds, with_scores, with_tests};
use world::rows::Says;
use world::toy::{Habits, noise};
use world::wire;

const ME: ClientId = ClientId(2);
const EDGES: Tested = Tested {
    edges: true,
    absent: false,
};
const ABSENT: Tested = Tested {
    edges: false,
    absent: true,
};

/// A site of a study of three variables, five rounds, and tests in rounds 2 and 4.
struct Asked {
    world: World,
    disk: Disk,
    site: Site,
}

impl Asked {
    fn new() -> Self {
        let mut plan = with_rounds(with_tests(plan_by::<Evidence>(3, 3)), 5);
        plan.disclosure.first_tests = 2;
        plan.disclosure.tests_every = 2;
        Self::of(World {
            plan,
            habits: Habits {
                keeps_state: true,
                ..Habits::default()
            },
        })
    }

    fn of(world: World) -> Self {
        let disk = Disk::default();
        Self {
            site: world.site(ME, &disk),
            world,
            disk,
        }
    }

    /// The question of a round, about a belief that only this seed has.
    fn round(&self, round: u32, tested: Tested, seed: u64) -> Question {
        let prior = noise(3, 4.0, Seed::new(seed));
        self.world.round(round, tested, prior)
    }

    fn finish(&self, n_vars: usize) -> Question {
        let finish = Finish {
            belief: Belief::uninformed(n_vars),
            edges: (1..n_vars).map(|v| (VarId(0), VarId(v))).collect(),
            stop: StopReason::RoundLimit,
            rounds: (1..=5).map(record).collect(),
            scored: None,
            moved: None,
        };
        self.world.question(6, Ask::Finish(finish))
    }

    fn answers(&mut self, question: &Question) -> Vec<u8> {
        let answered = self.site.answer(&question.encode()).unwrap();
        assert!(answered.declined.is_none(), "{:?}", answered.declined);
        let answer = Answer::decode(&answered.bytes, answered.bytes.len()).unwrap();
        assert!(!matches!(answer.reply, Reply::Refused(_)));
        answered.bytes
    }

    /// Declines this for this reason, and is as it was.
    fn declines(&mut self, name: &str, question: &[u8], (why, code): (&str, Refused)) {
        let before = self.disk.content();
        let answered = self.site.answer(question).unwrap();
        let declined = answered.declined.expect(name);
        assert_eq!(kind(&declined), why, "{name}: {declined}");
        let answer = Answer::decode(&answered.bytes, answered.bytes.len()).unwrap();
        assert_eq!(answer.reply, Reply::Refused(code), "{name}");
        assert_eq!(answer.question, Digest::of(question), "{name}");
        assert_eq!(answer.site, ME, "{name}");
        assert_eq!(self.disk.content(), before, "{name}");
        assert!(self.site.result().is_none(), "{name}");
    }

    /// The method was not asked for anything: its next posterior is that of a new one.
    fn is_as_new(&mut self) {
        let question = self.round(2, EDGES, 77);
        let found = self.answers(&question);
        let mut other = Self::of(self.world.clone());
        assert_eq!(found, other.answers(&question));
    }
}

fn kind(declined: &Declined) -> &'static str {
    match declined {
        Declined::Unreadable(_) => "unreadable",
        Declined::OtherPlan => "other plan",
        Declined::Over => "over",
        Declined::Round { .. } => "round",
        Declined::Size { .. } => "size",
        Declined::Number(_) => "number",
        Declined::AfterSums(_) => "after sums",
        Declined::Tests(_) => "tests",
        Declined::Sums(_) => "sums",
        Declined::Moves => "moves",
        Declined::Unsound(_) => "unsound",
        Declined::Method(_) => "method",
        Declined::Overflow(_) => "overflow",
    }
}

/// A round by hand: fields of the question after version, plan and number, then of the round.
fn by_hand(asked: &Asked, parts: &[Vec<u8>]) -> Vec<u8> {
    let plan = asked.world.plan.digest();
    let head = [
        wire::uint(1, VERSION.into()),
        wire::bytes(2, plan.as_bytes()),
        wire::uint(3, 1),
    ];
    [head.concat(), wire::bytes(5, &parts.concat())].concat()
}

fn record(round: u32) -> RoundRecord {
    RoundRecord {
        round: Round(round),
        n_answers: 2,
        n_absent: 0,
        belief_change: 0.5,
        consensus_entropy: 0.25,
        n_edges_raw: 3,
        n_edges: 2,
        n_pruned: 1,
        n_grafted: 0,
    }
}

#[test]
fn bytes_that_are_no_question() {
    let mut asked = Asked::new();
    let good = asked.round(1, Tested::NOTHING, 1).encode();
    let limit = asked.world.longest_message();
    let other_version = [&wire::uint(1, u64::from(VERSION) + 1), &good[2..]].concat();
    let no_ask = &good[..2 + 34 + 2];
    let finish = [
        wire::bytes(1, &wire::belief(3, &[0.0; 6], &[0.0; 3])),
        wire::bytes(2, &[0, 3]),
        wire::uint(3, 1),
    ];
    let far_edge = [no_ask, &wire::bytes(6, &finish.concat())].concat();
    let half_edge = [&finish[0][..], &wire::bytes(2, &[0]), &finish[2]].concat();
    let half_edge = [no_ask, &wire::bytes(6, &half_edge)].concat();
    let no_reason = [no_ask, &wire::bytes(6, &finish[0])].concat();
    let answer = Answer {
        plan: asked.world.plan.digest(),
        question: Digest::of(b"?"),
        site: ME,
        reply: Reply::Finished,
    };
    for (name, question) in [
        ("nothing", &[][..]),
        ("text", b"who are you?"),
        ("cut off", &good[..good.len() - 1]),
        ("a byte too many", &[&good[..], &[0]].concat()),
        ("an unknown field", &[&good[..], &wire::uint(9, 1)].concat()),
        ("everything twice", &good.repeat(2)),
        ("a later version", &other_version),
        ("no version", &good[2..]),
        ("nothing asked", no_ask),
        ("too long", &[&good[..], &vec![0; limit]].concat()),
        ("an answer", &answer.encode()),
        ("an edge to nowhere", &far_edge),
        ("half an edge", &half_edge),
        ("no reason to stop", &no_reason),
    ] {
        asked.declines(name, question, ("unreadable", Refused::Question));
    }
    asked.is_as_new();
}

#[test]
fn beliefs_that_are_none() {
    let mut asked = Asked::new();
    let round = wire::uint(1, 1);
    let prior = |n_vars, existence: &[f64], orientation: &[f64]| {
        wire::bytes(2, &wire::belief(n_vars, existence, orientation))
    };
    let (six, three) = ([0.0; 6], [0.0; 3]);
    let with = |value| [0.0, value, 0.0, 0.0, 0.0, 0.0];
    let good = by_hand(&asked, &[round.clone(), prior(3, &six, &three)]);
    for (name, parts) in [
        ("no belief", vec![round.clone()]),
        ("no round", vec![prior(3, &six, &three)]),
        (
            "NaN",
            vec![round.clone(), prior(3, &with(f64::NAN), &three)],
        ),
        (
            "infinite",
            vec![round.clone(), prior(3, &with(f64::NEG_INFINITY), &three)],
        ),
        (
            "NaN direction",
            vec![round.clone(), prior(3, &six, &[0.0, 0.0, f64::NAN])],
        ),
        ("too few", vec![round.clone(), prior(3, &six[1..], &three)]),
        ("no directions", vec![round.clone(), prior(3, &six, &[])]),
        (
            "billions of variables",
            vec![round.clone(), prior(u64::from(u32::MAX), &six, &three)],
        ),
    ] {
        let question = by_hand(&asked, &parts);
        asked.declines(name, &question, ("unreadable", Refused::Question));
    }
    for n_vars in [0, 1, 2, 4] {
        let other = asked
            .world
            .round(1, Tested::NOTHING, Belief::uninformed(n_vars));
        let why = ("size", Refused::Question);
        asked.declines("other size", &other.encode(), why);
        let finish = asked.finish(n_vars);
        asked.declines("result of other size", &finish.encode(), why);
    }
    // What was made by hand is a question but for its fault.
    assert!(asked.site.answer(&good).unwrap().declined.is_none());
}

#[test]
fn questions_that_the_plan_does_not_have() {
    let mut asked = Asked::new();
    let mut other_plan = asked.round(1, Tested::NOTHING, 1);
    other_plan.plan = Digest::of(b"another plan");
    let why = ("other plan", Refused::Question);
    asked.declines("another plan", &other_plan.encode(), why);
    let mut other_join = asked.world.question(0, Ask::Join);
    other_join.plan = Digest::of(b"another plan");
    asked.declines("another study", &other_join.encode(), why);
    for round in [6, 7, u32::MAX] {
        let beyond = asked.round(round, Tested::NOTHING, 1);
        let why = ("round", Refused::NotAllowed);
        asked.declines("beyond the plan", &beyond.encode(), why);
    }
    for (round, tested) in [(1, EDGES), (1, ABSENT), (3, EDGES), (5, ABSENT)] {
        let unplanned = asked.round(round, tested, 1);
        let why = ("tests", Refused::NotAllowed);
        asked.declines("tests out of turn", &unplanned.encode(), why);
    }
    asked.is_as_new();
}

#[test]
fn tests_that_the_plan_turned_off() {
    use fedcdi_core::{Grafting, Pruning};
    let world = Asked::new().world;
    for (pruning, grafting, refused) in [
        (Pruning::Never, Grafting::USUAL, EDGES),
        (Pruning::USUAL, Grafting::Never, ABSENT),
    ] {
        let mut world = world.clone();
        world.plan.rounds.pruning = Some(pruning);
        world.plan.rounds.grafting = Some(grafting);
        let mut asked = Asked::of(world);
        let both = Tested {
            edges: true,
            absent: true,
        };
        for tested in [refused, both] {
            let question = asked.round(2, tested, 1).encode();
            asked.declines("turned off", &question, ("tests", Refused::NotAllowed));
        }
        let allowed = Tested {
            edges: !refused.edges,
            absent: !refused.absent,
        };
        let question = asked.round(2, allowed, 1);
        asked.answers(&question);
    }
}

#[test]
fn a_round_is_answered_once() {
    let mut asked = Asked::new();
    let first = asked.round(2, EDGES, 1);
    let answer = asked.answers(&first);
    let late = ("round", Refused::NotAllowed);
    for (name, question) in [
        ("another belief", asked.round(2, EDGES, 2)),
        (
            "the same belief, no tests",
            asked.round(2, Tested::NOTHING, 1),
        ),
        ("an earlier round", asked.round(1, Tested::NOTHING, 1)),
    ] {
        asked.declines(name, &question.encode(), late);
    }
    let renumbered = Question {
        number: 7,
        ..first.clone()
    };
    let name = "the same round by another number";
    asked.declines(name, &renumbered.encode(), ("number", Refused::Question));
    assert_eq!(asked.answers(&first), answer);
    // A restart does not help.
    asked.site = asked.world.site(ME, &asked.disk);
    let second = asked.round(2, EDGES, 2).encode();
    asked.declines("another belief after a restart", &second, late);
    assert_eq!(asked.answers(&first), answer);
}

#[test]
fn after_the_end_only_what_was_answered_before() {
    let mut asked = Asked::new();
    let (join, round) = (
        asked.world.question(0, Ask::Join),
        asked.round(1, Tested::NOTHING, 1),
    );
    let answers = [asked.answers(&join), asked.answers(&round)];
    let finish = asked.finish(3);
    let finished = asked.answers(&finish);
    for again in 0..2 {
        assert!(asked.site.result().is_some());
        let mut other_end = asked.finish(3);
        other_end.number = 9;
        for (name, question) in [
            ("a round", asked.round(2, Tested::NOTHING, 1)),
            ("another end", other_end),
            ("another join", asked.world.question(1, Ask::Join)),
        ] {
            let answered = asked.site.answer(&question.encode()).unwrap();
            let declined = answered.declined.expect(name);
            assert!(matches!(declined, Declined::Over), "{again} {name}");
        }
        assert_eq!([asked.answers(&join), asked.answers(&round)], answers);
        assert_eq!(asked.answers(&finish), finished);
        asked.site = asked.world.site(ME, &asked.disk);
    }
}

#[test]
fn sums_that_the_plan_does_not_have() {
    let mut asked = Asked::new();
    let question = asked.world.question(6, Ask::Sum(sums::Ask::Begin));
    let why = ("sums", Refused::NotAllowed);
    asked.declines("no scores", &question.encode(), why);
    let mut world = asked.world.clone();
    world.plan = with_scores(world.plan, Start::Belief);
    let search = &mut world.plan.score.as_mut().unwrap().search;
    (search.largest_table, search.questions) = (6, 3);
    let mut asked = Asked::of(world);
    let size = ("sums", Refused::Question);
    for (name, ask, why) in [
        ("a table of twelve", counts(0, &[0, 1, 2]), why),
        ("a variable too many", counts(0, &[0, 3]), size),
        ("free of nothing", counts(3, &[0, 1]), size),
        ("no variable", counts(0, &[]), size),
        ("twice the same", counts(0, &[1, 1]), size),
        (
            "a real variable",
            sums::Ask::Moments(vec![(0.0, 1.0)]),
            size,
        ),
    ] {
        let question = asked.world.question(6, Ask::Sum(ask));
        asked.declines(name, &question.encode(), why);
    }
    let zero = asked.world.question(0, Ask::Sum(sums::Ask::Begin));
    asked.declines("as a join", &zero.encode(), ("number", Refused::Question));
    let fine = asked.world.question(6, Ask::Sum(counts(0, &[0, 1])));
    asked.answers(&fine);
}

#[test]
fn sums_come_after_the_rounds_and_each_number_once() {
    let mut world = Asked::new().world;
    world.plan = with_scores(world.plan, Start::Belief);
    world.plan.score.as_mut().unwrap().search.questions = 3;
    let mut asked = Asked::of(world);
    let sum = |asked: &Asked, number, ask| asked.world.question(number, Ask::Sum(ask));
    let round = asked.round(2, EDGES, 1);
    asked.answers(&round);
    let why = ("sums", Refused::NotAllowed);
    let early = sum(&asked, 2, sums::Ask::Begin).encode();
    asked.declines("the number of a round", &early, why);
    let begin = sum(&asked, 3, sums::Ask::Begin);
    let answer = asked.answers(&begin);
    for _ in 0..2 {
        let other = sum(&asked, 3, counts(0, &[0, 1])).encode();
        asked.declines("the number again", &other, why);
        let late = asked.round(4, EDGES, 1).encode();
        let name = "a round after sums";
        asked.declines(name, &late, ("after sums", Refused::NotAllowed));
        // The same question has the same answer, after a restart too.
        assert_eq!(asked.answers(&begin), answer);
        asked.site = asked.world.site(ME, &asked.disk);
    }
    for number in [4, 9] {
        let question = sum(&asked, number, counts(0, &[0, 1]));
        asked.answers(&question);
    }
    let fourth = sum(&asked, 10, counts(0, &[0, 1])).encode();
    asked.declines("more than the plan has", &fourth, why);
    let mut finish = asked.finish(3);
    finish.number = 9;
    let number = ("number", Refused::Question);
    asked.declines("the end before its time", &finish.encode(), number);
    finish.number = 10;
    asked.answers(&finish);
}

#[test]
fn a_plan_without_rounds_has_none() {
    let mut world = Asked::new().world;
    world.plan = with_scores(world.plan, Start::Nothing);
    let mut asked = Asked::of(world);
    let round = asked.round(1, Tested::NOTHING, 1).encode();
    asked.declines("a round", &round, ("round", Refused::NotAllowed));
}

#[test]
fn sums_that_cannot_be_told_stay_at_the_site() {
    let mut world = Asked::new().world;
    world.plan = with_scores(world.plan, Start::Belief);
    let question = world.question(1, Ask::Sum(counts(0, &[0, 1]))).encode();
    for wrong in [vec![1; 5], vec![1, 1, 1, 1, 1, -1], vec![i64::MAX; 6]] {
        let mut data = world.data(ME);
        data.rows = Some(Box::new(Says(wrong)));
        let answered = world.site_of(data).answer(&question).unwrap();
        let declined = answered.declined.expect("it is not told");
        assert!(matches!(declined, Declined::Unsound(_)), "{declined}");
        let answer = Answer::decode(&answered.bytes, answered.bytes.len());
        assert_eq!(answer.unwrap().reply, Reply::Refused(Refused::Failed));
    }
}

#[test]
fn a_site_that_lacks_what_its_plan_needs_does_not_open() {
    let world = Asked::new().world;
    let lacks = |world: &World, change: fn(&mut SiteData)| {
        let mut data = world.data(ME);
        change(&mut data);
        let store = Disk::default().store();
        let site = Site::open(world.plan.clone(), &rules::standard(), data, store);
        matches!(site, Err(OpenError::Lacks(_)))
    };
    assert!(lacks(&world, |data| data.method = None));
    let scored = |start| World::new(with_scores(world.plan.clone(), start));
    for start in [Start::Nothing, Start::Belief] {
        assert!(!lacks(&scored(start), |_| ()));
        // After rounds, a site may keep its rows to itself.
        let lacks_rows = lacks(&scored(start), |data| data.rows = None);
        assert_eq!(lacks_rows, start == Start::Nothing);
    }
    assert!(lacks(&scored(Start::Belief), |data| data.method = None));
}

/// A table, of rows that do not set this variable.
fn counts(free_of: usize, variables: &[usize]) -> sums::Ask {
    let cells = sums::Cells {
        free_of: VarId(free_of),
        variables: variables.iter().copied().map(VarId).collect(),
    };
    sums::Ask::Sums(sums::Sums {
        counts: vec![cells],
        ..sums::Sums::default()
    })
}

#[test]
fn a_method_that_fails_may_be_asked_again() {
    let mut world = Asked::new().world;
    world.habits.fails = [(1, ME.0)].into();
    let mut asked = Asked::of(world);
    let question = asked.round(1, Tested::NOTHING, 1).encode();
    for _ in 0..2 {
        asked.declines("fails", &question, ("method", Refused::Failed));
    }
    let next = asked.round(2, EDGES, 1);
    asked.answers(&next);
}

#[test]
fn a_plan_that_leaves_something_open_is_none() {
    let world = Asked::new().world;
    let refused = |change: fn(&mut StudyPlan)| {
        let mut plan = world.plan.clone();
        change(&mut plan);
        let error = plan.check(&rules::standard()).err();
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(refused(|_| ()), "");
    // A default that is not written may be another one in another version.
    let text = refused(|plan| plan.rule.settings.clear());
    assert!(text.contains("write all of them"), "{text}");
    let text = refused(|plan| plan.protocol += 1);
    assert!(text.contains("update the older side"), "{text}");
    let text = refused(|plan| plan.sites[1] = plan.sites[0].clone());
    assert!(text.contains("twice"), "{text}");
    let text = refused(|plan| plan.sites.clear());
    assert!(text.contains("no site"), "{text}");
    let text = refused(|plan| plan.disclosure.row_band = 0);
    assert_eq!(text, "row_band is 0, but must be > 0");
}

#[test]
fn a_site_that_is_not_of_the_plan_does_not_open() {
    let world = Asked::new().world;
    let open = |id: u32, schema: SchemaHash| {
        let mut data = world.data(ClientId(id));
        data.schema = schema;
        let store = Disk::default().store();
        Site::open(world.plan.clone(), &rules::standard(), data, store).err()
    };
    let schema = world.plan.schema;
    assert!(open(3, schema).is_none());
    for id in [0, 4, u32::MAX] {
        assert!(matches!(open(id, schema), Some(OpenError::Number { .. })));
    }
    let other = open(1, SchemaHash::from_bytes([7; 32]));
    assert!(matches!(other, Some(OpenError::Schema)));
}

//! What leaves a site is what is documented, and nothing else.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use std::collections::BTreeSet;

use fedcdi_core::graph::extract;
use fedcdi_core::{
    Belief, Choice, ClientId, EdgeTest, LocalMethod, Origin, SampleCounts, Schema, Seed, Tested,
    VarId, Variable,
};
use fedcdi_protocol::answer::{Answer, Joined, Reply};
use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::question::Ask;
use fedcdi_protocol::rules::{Evidence, Median, Naive, Proximity};
use fedcdi_protocol::{Exchange, Receipt};
use ndarray::{Array2, array};
use rand::RngExt;
use world::disk::Disk;
use world::parties::World;
use world::plans::{plan, plan_by, rules, with_rounds, with_tests};
use world::toy::{Failing, Fixed, noise};

const ME: ClientId = ClientId(1);
const ALL_TESTS: Tested = Tested {
    edges: true,
    absent: true,
};

/// What a site with this method says in a round.
fn answer(
    world: &World,
    tested: Tested,
    prior: &Belief,
    method: impl LocalMethod + 'static,
) -> Vec<u8> {
    let question = world.round(2, tested, prior.clone()).encode();
    let mut site = world.site_of(world.data_with(ME, Box::new(method)));
    let answered = site.answer(&question).unwrap();
    assert!(answered.declined.is_none(), "{:?}", answered.declined);
    answered.bytes
}

fn addends(bytes: &[u8]) -> Vec<i64> {
    match Answer::decode(bytes, bytes.len()).unwrap().reply {
        Reply::Believed(addends) => addends,
        other => panic!("{other:?}"),
    }
}

fn fixed(posterior: Belief) -> Fixed {
    let tests = Vec::new();
    Fixed { posterior, tests }
}

fn any_prior() -> Belief {
    noise(3, 4.0, Seed::new(5))
}

fn test(cause: usize, effect: usize, statistic: f64, degrees: f64) -> EdgeTest {
    EdgeTest {
        cause: VarId(cause),
        effect: VarId(effect),
        statistic,
        degrees,
    }
}

fn counts(n_interventional: &[u64], n_observational: u64) -> SampleCounts {
    SampleCounts {
        n_samples: n_observational + n_interventional.iter().sum::<u64>(),
        n_observational,
        n_interventional: n_interventional.to_vec(),
        n_joint: Vec::new(),
    }
}

/// Data of any size and any belief, sure and unsure ones, with and without tests.
#[test]
fn the_length_of_an_answer_says_nothing() {
    for rule in rules() {
        for exchange in [Exchange::Psi, Exchange::Logits] {
            let mut world = World::new(with_tests(plan(3, 2, rule.clone())));
            world.plan.exchange = exchange;
            let question = world.round(2, ALL_TESTS, any_prior()).encode();
            let mut rng = Seed::new(9).rng();
            let mut lengths = BTreeSet::new();
            for number in 0..20 {
                let size = [0.1, 5.0, 200.0][number % 3];
                let posterior = noise(3, size, Seed::new(number as u64));
                let origin = [Origin::Logits, Origin::Psi][number % 2];
                let tests = (0..number % 6).map(|at| test(at / 3, at % 3, 1e3, 2.0));
                let tests = tests.collect();
                let posterior = posterior.with_origin(origin);
                let mut data = world.data_with(ME, Box::new(Fixed { posterior, tests }));
                let rows: Vec<u64> = (0..3).map(|_| rng.random_range(0..9_000)).collect();
                data.counts = counts(&rows, rng.random_range(1..100_000));
                let answered = world.site_of(data).answer(&question).unwrap();
                assert!(answered.declined.is_none());
                lengths.insert(answered.bytes.len());
            }
            assert_eq!(lengths.len(), 1, "{rule:?} {lengths:?}");
        }
    }
}

#[test]
fn the_length_of_a_refusal_says_nothing() {
    let world = World::new(with_rounds(plan_by::<Evidence>(3, 2), 2));
    let mut failing = world.site_of(world.data_with(ME, Box::new(Failing("short of rows"))));
    let length = |bytes: &[u8], site: &mut fedcdi_protocol::Site| {
        let answered = site.answer(bytes).unwrap();
        assert!(answered.declined.is_some());
        answered.bytes.len()
    };
    let failed = world.round(1, Tested::NOTHING, any_prior()).encode();
    let beyond = world.round(9, Tested::NOTHING, any_prior()).encode();
    let lengths = [&failed[..], &beyond, b"no question"].map(|q| length(q, &mut failing));
    assert!(lengths.iter().all(|length| *length == lengths[0]));
}

/// Two beliefs with the same psi: `sigma(x) sigma(y)` does not tell which factor was which.
fn same_psi() -> [Belief; 2] {
    let belief = |existence: [f64; 3], orientation: [f64; 3]| {
        let matrix = |[a, b, c]: [f64; 3]| array![[0.0, a, b], [-a, 0.0, c], [-b, -c, 0.0]];
        Belief::new(matrix(existence), matrix(orientation)).unwrap()
    };
    let (x, y) = ([1.5, -0.5, 2.25], [0.75, 3.0, -1.125]);
    [belief(x, y), belief(y, x)]
}

#[test]
fn under_exchange_of_psi_an_answer_is_made_from_psi_alone() {
    let [one, other] = same_psi();
    assert!(one != other && one.psi() == other.psi());
    for rule in rules() {
        for with_tests_too in [false, true] {
            let mut world = World::new(with_tests(plan(3, 2, rule.clone())));
            let tested = if with_tests_too {
                ALL_TESTS
            } else {
                Tested::NOTHING
            };
            let said = |world: &World| {
                [&one, &other].map(|b| answer(world, tested, &any_prior(), fixed(b.clone())))
            };
            world.plan.exchange = Exchange::Psi;
            let [a, b] = said(&world);
            assert_eq!(a, b, "{rule:?}");
            assert_eq!(addends(&a)[1], 1, "it says that it is made from psi");
            world.plan.exchange = Exchange::Logits;
            let [a, b] = said(&world);
            let is_of_psi = rule.settings.get("space") == Some(&"psi".into());
            // The same probabilities with other factors are another answer, where factors leave.
            assert!(is_of_psi || a != b, "{rule:?}");
        }
    }
}

#[test]
fn tests_that_were_not_asked_for_do_not_leave() {
    let world = World::new(with_tests(plan_by::<Naive>(3, 2)));
    let all: Vec<EdgeTest> = any_prior()
        .pairs()
        .map(|(cause, effect)| test(cause.0, effect.0, 40.0, 2.0))
        .collect();
    let said = |tested: Tested, tests: &[EdgeTest]| {
        let tests = tests.to_vec();
        let posterior = noise(3, 4.0, Seed::new(2));
        let method = Fixed { posterior, tests };
        addends(&answer(&world, tested, &any_prior(), method))
    };
    let untested = said(Tested::NOTHING, &all);
    assert_eq!(untested, said(Tested::NOTHING, &[]));
    let graph = fedcdi_core::TestedGraph::of(&any_prior());
    let edges = Tested {
        edges: true,
        absent: false,
    };
    for tested in [edges, ALL_TESTS] {
        let n_asked = graph.pairs(tested).len();
        assert!(n_asked > 0);
        let found = said(tested, &all);
        assert_eq!(found.len(), untested.len() + 2 * n_asked);
        assert_eq!(found[..untested.len()], untested);
        // Of what was not asked for, a site says the same as one that has not made it.
        let asked = graph.pairs(tested);
        let made = all.iter().filter(|test| asked.contains(&test.edge()));
        let made: Vec<EdgeTest> = made.copied().collect();
        assert_eq!(found, said(tested, &made));
    }
}

/// An edge 0 -> 1 alone; 2 and 3 categories make two degrees of freedom.
fn one_edge() -> Belief {
    let mut existence = Array2::from_elem((2, 2), -3.0);
    existence[(0, 1)] = 3.0;
    Belief::new(existence, array![[0.0, 3.0], [-3.0, 0.0]]).unwrap()
}

/// G and the flag that a site with one test of 0 -> 1 sends.
fn told(statistic: f64, degrees: f64) -> [i64; 2] {
    let world = World::new(with_tests(plan_by::<Naive>(2, 2)));
    let tests = vec![test(0, 1, statistic, degrees)];
    let posterior = Belief::uninformed(2);
    let method = Fixed { posterior, tests };
    let edges = Tested {
        edges: true,
        absent: false,
    };
    let addends = addends(&answer(&world, edges, &one_edge(), method));
    *addends.last_chunk::<2>().unwrap()
}

#[test]
fn a_test_is_told_in_whole_numbers_up_to_a_bound() {
    assert_eq!(told(7.0, 2.0), [7, 1]);
    for statistic in [6.51, 6.9, 7.3, 7.49] {
        assert_eq!(told(statistic, 2.0), [7, 1], "{statistic}");
    }
    assert_eq!(told(0.0, 2.0), [0, 1]);
    // 2 + 50 sqrt(4).
    for statistic in [102.0, 103.0, 1e9] {
        assert_eq!(told(statistic, 2.0), [102, 1], "{statistic}");
    }
}

#[test]
fn a_test_does_not_tell_which_values_occur() {
    // The same evidence on one degree of freedom and on two.
    for statistic in [4.0, 9.0, 25.0] {
        let both = test(0, 1, statistic, 2.0);
        let fewer = both.at_degrees(1.0);
        assert_eq!(told(fewer.statistic, 1.0), told(statistic, 2.0));
        assert_ne!(told(statistic, 1.0), told(statistic, 2.0), "{statistic}");
    }
    assert_eq!(told(10.0, 0.0), [0, 0]);
}

#[test]
fn a_vote_is_for_the_graph_of_the_sites_own_belief() {
    let world = World::new(plan_by::<Median>(3, 2));
    let (n_terms, n_edges) = (6 + 3, 6);
    for seed in 0..50 {
        let posterior = noise(3, 4.0, Seed::new(seed));
        let graph = extract::raw(&posterior);
        let method = fixed(posterior.clone());
        let addends = addends(&answer(&world, Tested::NOTHING, &any_prior(), method));
        let votes = &addends[2 + n_terms..2 + n_terms + n_edges];
        let own = posterior
            .pairs()
            .map(|(c, e)| i64::from(graph.has_edge(c, e)));
        assert_eq!(votes, own.collect::<Vec<_>>(), "{seed}");
    }
}

/// All that a site says to these questions.
fn all_said(world: &World, counts: &SampleCounts) -> Vec<Vec<u8>> {
    let mut data = world.data_with(ME, Box::new(fixed(noise(3, 4.0, Seed::new(2)))));
    data.counts = counts.clone();
    let mut site = world.site_of(data);
    let questions = [
        world.question(0, Ask::Join),
        world.round(1, Tested::NOTHING, Belief::uninformed(3)),
        world.round(2, ALL_TESTS, any_prior()),
    ];
    let said = questions.map(|question| site.answer(&question.encode()).unwrap());
    said.into_iter().map(|answered| answered.bytes).collect()
}

#[test]
fn numbers_of_rows_leave_in_bands() {
    for rule in rules() {
        for band in [5, 20] {
            let mut world = World::new(with_tests(plan(3, 2, rule.clone())));
            world.plan.disclosure.row_band = band;
            let said = |under_0: u64, observational: u64| {
                all_said(&world, &counts(&[under_0, 0, 0], observational))
            };
            // One row under a target looks like a band of them.
            assert_eq!(said(1, 100), said(band, 100), "{rule:?}");
            assert_eq!(said(0, 1), said(0, band), "{rule:?}");
            assert_eq!(said(3 * band, 100), said(3 * band + band / 2 - 1, 100));
            assert_eq!(said(1, 100), said(1, 101), "{rule:?}");
            // No rows under a target look otherwise, but for the rules that count rows alone.
            let counts_alone = ["naive", "median"].contains(&rule.name.as_str());
            assert!(counts_alone || said(0, 100) != said(1, 100), "{rule:?}");
        }
    }
}

#[test]
fn the_largest_number_of_rows_is_a_multiple_of_the_band() {
    let mut world = World::new(plan_by::<Proximity>(3, 2));
    for band in [1, 5, 7, 20] {
        world.plan.disclosure.row_band = band;
        for rows in [1, 3, 18, 49, 1001] {
            let said = all_said_on_joining(&world, &counts(&[0, rows, 2], 40));
            assert!(said.largest > 0 && said.largest.is_multiple_of(band));
            assert!(said.largest.abs_diff(rows) <= band, "{rows} {band}");
        }
    }
    // Nobody asks for it where the rule has no masses.
    let world = World::new(plan_by::<Evidence>(3, 2));
    assert_eq!(
        all_said_on_joining(&world, &counts(&[0, 9, 2], 40)).largest,
        0
    );
}

fn all_said_on_joining(world: &World, counts: &SampleCounts) -> Joined {
    let bytes = &all_said(world, counts)[0];
    match Answer::decode(bytes, bytes.len()).unwrap().reply {
        Reply::Joined(joined) => joined,
        other => panic!("{other:?}"),
    }
}

fn contains(bytes: &[u8], word: &str) -> bool {
    let word = word.as_bytes();
    bytes.windows(word.len()).any(|window| window == word)
}

#[test]
fn words_of_a_method_that_fails_stay_at_the_site() {
    const CANARY: &str = "row 17: Maria Gonzalez, hiv = yes";
    let world = World::new(plan_by::<Evidence>(3, 1));
    let disk = Disk::default();
    let mut coordinator = world.coordinator(&disk);
    let mut site = world.site_of(world.data_with(ME, Box::new(Failing(CANARY))));
    coordinator.apply(&Input::Start).unwrap();
    let mut events = Vec::new();
    let mut heard = false;
    while let Some((id, question)) = coordinator.questions().pop() {
        let answered = site.answer(&question).unwrap();
        assert!(!contains(&answered.bytes, "Maria"));
        heard |= answered
            .declined
            .is_some_and(|why| why.to_string() == CANARY);
        match coordinator.receive(id, &answered.bytes).unwrap() {
            Receipt::Taken(new) => events.extend(new),
            other => panic!("{other:?}"),
        }
    }
    assert!(heard, "whoever looks after the site is told");
    assert!(coordinator.state().error().is_some());
    let known = format!("{:?} {events:?}", coordinator.state());
    assert!(!known.contains("Maria") && !contains(&disk.content(), "Maria"));
}

/// A plan over two variables with these labels, and what its site says.
fn labelled(labels: [&str; 4], secret: &[u8]) -> (World, Vec<Answer>) {
    let variables = vec![
        Variable::new("a", [labels[0], labels[1]]),
        Variable::new("b", [labels[2], labels[3]]),
        Variable::new("c", ["0", "1"]),
    ];
    let schema = Schema::new(variables).unwrap();
    let mut world = World::new(with_tests(plan(3, 2, Choice::of(&Evidence::default()))));
    for variable in &mut world.plan.variables {
        variable.n_categories = Some(2);
    }
    world.plan.schema = schema.fingerprint(&world.plan.name, secret);
    let said = all_said(&world, &counts(&[10, 0, 0], 100));
    let said = said.iter().map(|bytes| {
        for label in labels {
            assert!(!contains(bytes, label), "{label}");
        }
        Answer::decode(bytes, bytes.len()).unwrap()
    });
    let said = said.collect();
    (world, said)
}

#[test]
fn labels_leave_as_a_fingerprint_alone() {
    let (one, said) = labelled(["north", "south", "healthy", "infected"], b"secret");
    let (two, said_too) = labelled(["inside", "outside", "never", "always"], b"secret");
    let (_, said_again) = labelled(["north", "south", "healthy", "infected"], b"other");
    assert!(!one.plan.to_text().contains("infected"));
    assert_ne!(one.plan.digest(), two.plan.digest());
    for others in [said_too, said_again] {
        for (a, b) in said.iter().zip(&others) {
            match (&a.reply, &b.reply) {
                (Reply::Joined(a), Reply::Joined(b)) => {
                    assert_ne!(a.schema, b.schema);
                    assert_eq!((a.largest, &a.profile), (b.largest, &b.profile));
                }
                (a, b) => assert_eq!(a, b),
            }
        }
    }
}

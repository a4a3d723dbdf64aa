//! A round adds up those who answered it, each once, and nobody else.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use std::collections::BTreeSet;

use fedcdi_core::{Belief, Choice, ClientId, Seed};
use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::question::{Ask, Question};
use fedcdi_protocol::rules::{Evidence, Median, Naive, Space};
use fedcdi_protocol::{InProcess, Outcome, Receipt, Site};
use world::disk::Disk;
use world::parties::{World, counts};
use world::plans::{plan, plan_by, with_rounds};
use world::toy::{Fixed, Habits, noise};

/// What a site always believes.
fn opinion(site: ClientId) -> Belief {
    noise(3, 4.0, Seed::new(u64::from(site.0)))
}

/// A study of sites that never change their minds; its result is its last aggregate.
fn outcome(rule: &Choice, n_sites: usize, rounds: u32, dropped: &[(u32, ClientId)]) -> Outcome {
    let mut plan = with_rounds(plan(3, n_sites, rule.clone()), rounds);
    plan.rounds.average = 1;
    let world = World::new(plan);
    let site = |id| {
        let (posterior, tests) = (opinion(id), Vec::new());
        world.site_of(world.data_with(id, Box::new(Fixed { posterior, tests })))
    };
    let mut sites: Vec<Site> = world.ids().map(site).collect();
    let carrier = InProcess {
        dropped: dropped.iter().copied().collect(),
        ..InProcess::default()
    };
    let mut coordinator = world.coordinator(&Disk::default());
    let outcome = carrier.run(&mut coordinator, &mut sites, &mut |_| {});
    outcome.unwrap()
}

/// Rules whose terms do not depend on other sites or on the belief that was sent.
fn rules() -> Vec<Choice> {
    let spaces = [Space::Psi, Space::Factors, Space::Logits];
    let naive = spaces.map(|space| Choice::of(&Naive { space }));
    let others = [
        Choice::of(&Evidence::default()),
        Choice::of(&Median::default()),
    ];
    naive.into_iter().chain(others).collect()
}

#[test]
fn who_is_absent_does_not_count() {
    for rule in rules() {
        // The third site answers the first round, and misses the second.
        let without_third = outcome(&rule, 3, 2, &[(2, ClientId(3))]);
        let never_there = outcome(&rule, 2, 1, &[]);
        assert_eq!(without_third.belief, never_there.belief, "{rule:?}");
        let record = without_third.rounds[1];
        assert_eq!((record.n_answers, record.n_absent), (2, 1));
        let voices = without_third.voices.iter().map(|voice| voice.site.0);
        assert_eq!(voices.collect::<BTreeSet<_>>(), [1, 2].into());
        // And counts again as soon as it is back.
        let back = outcome(&rule, 3, 3, &[(2, ClientId(3))]);
        assert_eq!(back.belief, outcome(&rule, 3, 1, &[]).belief, "{rule:?}");
        assert_ne!(back.belief, never_there.belief, "{rule:?}");
    }
}

#[test]
fn everybody_counts_once_by_the_rows_that_were_told() {
    let space = Space::Logits;
    let found = outcome(&Choice::of(&Naive { space }), 3, 1, &[]).belief;
    let ids = [1, 2, 3].map(ClientId);
    let rows = ids.map(|id| counts(id, 3).in_bands(5).n_samples as f64);
    for (cause, effect) in found.pairs() {
        let at = (cause.index(), effect.index());
        for logits in [Belief::existence, Belief::orientation] {
            let sum = ids
                .iter()
                .zip(rows)
                .map(|(id, n)| n * logits(&opinion(*id))[at]);
            let mean = sum.sum::<f64>() / rows.iter().sum::<f64>();
            assert!((logits(&found)[at] - mean).abs() < 1e-6);
        }
    }
}

/// The priors of every round, as a site sees them, and the result.
fn sent_on(world: &World) -> (Vec<Belief>, Belief) {
    let mut coordinator = world.coordinator(&Disk::default());
    let sites = world.ids().map(|id| world.site(id, &Disk::default()));
    let mut sites: Vec<_> = sites.collect();
    let mut priors = Vec::new();
    coordinator.apply(&Input::Start).unwrap();
    while !coordinator.state().is_over() {
        for (id, bytes) in coordinator.questions() {
            let question = Question::decode(&bytes, bytes.len());
            match question.unwrap().ask {
                Ask::Believe(believe) if id == ClientId(1) => priors.push(believe.prior),
                _ => {}
            }
            let answer = sites[id.0 as usize - 1].answer(&bytes).unwrap();
            let receipt = coordinator.receive(id, &answer.bytes).unwrap();
            assert!(matches!(receipt, Receipt::Taken(_)));
        }
    }
    let outcome = coordinator.state().outcome().unwrap();
    (priors, outcome.belief.clone())
}

#[test]
fn what_is_sent_on_is_the_aggregate_and_not_the_mean_of_several() {
    let world = |rounds: u32, average: u32| {
        let mut plan = with_rounds(plan_by::<Evidence>(3, 2), rounds);
        plan.rounds.average = average;
        let habits = Habits::default();
        World { plan, habits }
    };
    let (priors, mean) = sent_on(&world(6, 3));
    assert!(priors[0].is_uninformed());
    for round in 1..=6 {
        // A study that ends here, with the last aggregate as its result.
        let (_, aggregate) = sent_on(&world(round, 1));
        let (_, mean_so_far) = sent_on(&world(round, 3));
        match priors.get(round as usize) {
            Some(prior) => assert_eq!(*prior, aggregate, "{round}"),
            None => assert_eq!(mean, mean_so_far),
        }
        // Of three rounds or more, two and then three are averaged.
        assert_eq!(mean_so_far == aggregate, round < 3, "{round}");
    }
}

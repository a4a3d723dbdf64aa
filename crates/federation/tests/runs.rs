//! Whole runs on one machine, with made-up clients.

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use fedcdi_core::{Belief, ClientId, Exchange, Round, Seed};
use fedcdi_federation::{
    Absence, Client, Coordinator, CoordinatorParams, InProcess, Outcome, RoundEvent, StopReason,
};
use ndarray::Array2;
use proptest::prelude::*;
use world::{Broken, Fixed, N_VARS, add, client, coordinator, knowing, learners, noise, truth};

const AGGREGATORS: [&str; 4] = ["naive", "proximity", "evidence", "median"];

fn run(coordinator: &Coordinator, clients: &mut [Client]) -> Outcome {
    let run = InProcess::default().run(coordinator, clients, &mut |_| {});
    run.expect("the quorum holds")
}

#[test]
fn every_aggregator_finds_the_truth_that_clients_agree_on() {
    for name in AGGREGATORS {
        for exchange in [Exchange::Psi, Exchange::Logits] {
            let coordinator = coordinator(4, name, CoordinatorParams::default());
            let mut clients = learners(4, 0.5, 1);
            clients.iter_mut().for_each(|c| c.exchange = exchange);
            let outcome = run(&coordinator, &mut clients);
            assert_eq!(outcome.dag, truth(), "{name} {exchange:?}");
        }
    }
}

#[test]
fn quiet_clients_end_the_run_early() {
    let coordinator = coordinator(3, "evidence", CoordinatorParams::default());
    let mut clients: Vec<_> = (0..3)
        .map(|id| client(id, 3, Fixed(knowing(4.0))))
        .collect();
    let outcome = run(&coordinator, &mut clients);
    // Round 1 moves the belief, rounds 2 and 3 do not.
    assert_eq!(
        (outcome.stop, outcome.rounds.len()),
        (StopReason::Converged, 3)
    );
    assert_eq!(outcome.rounds[2].belief_change, 0.0);
}

#[test]
fn clients_that_disagree_for_good_run_to_the_limit() {
    let params = CoordinatorParams {
        rounds: 4,
        ..CoordinatorParams::default()
    };
    let coordinator = coordinator(2, "naive", params);
    let beliefs = [
        knowing(4.0),
        add(&Belief::uninformed(N_VARS), -1.0, &knowing(4.0)),
    ];
    let mut clients: Vec<_> = (0..)
        .zip(beliefs)
        .map(|(id, b)| client(id, 2, Fixed(b)))
        .collect();
    let outcome = run(&coordinator, &mut clients);
    assert_eq!(
        (outcome.stop, outcome.rounds.len()),
        (StopReason::RoundLimit, 4)
    );
    assert!(outcome.rounds[3].consensus_entropy > 0.3);
}

#[test]
fn consensus_entropy_falls_when_clients_converge() {
    for seed in 0..5 {
        let coordinator = coordinator(10, "evidence", CoordinatorParams::default());
        let outcome = run(&coordinator, &mut learners(10, 2.0, seed));
        let entropy = |at: usize| outcome.rounds[at].consensus_entropy;
        let last = outcome.rounds.len() - 1;
        assert!(
            entropy(0) > 0.4 && entropy(last) < 0.05,
            "{} {}",
            entropy(0),
            entropy(last)
        );
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let outcome = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("threads are there");
        let coordinator = coordinator(7, "evidence", CoordinatorParams::default());
        let mut events = Vec::new();
        let outcome = pool.install(|| {
            let mut clients = learners(7, 2.0, 3);
            let observe = &mut |event: &RoundEvent| events.push(event.clone());
            InProcess::default().run(&coordinator, &mut clients, observe)
        });
        (outcome.expect("all answer"), events)
    };
    assert_eq!(outcome(1), outcome(2));
}

#[test]
fn a_failing_client_is_absent_and_named() {
    let coordinator = coordinator(3, "evidence", CoordinatorParams::default());
    let mut clients = learners(2, 0.5, 1);
    clients.push(client(2, 3, Broken));
    let mut absent = Vec::new();
    let told = Mutex::new(Vec::new());
    let run = InProcess {
        failed: Some(&|client, _, error| {
            let text = error.to_string();
            told.lock().expect("no holder panics").push((client, text));
        }),
        ..InProcess::default()
    };
    let outcome = run.run(&coordinator, &mut clients, &mut |event| {
        if let RoundEvent::ClientAbsent { client, why, .. } = event {
            absent.push((*client, *why));
        }
    });
    let outcome = outcome.expect("two of three are enough");
    assert_eq!(outcome.dag, truth());
    // The coordinator hears that it failed; what it says of it stays where the client is.
    assert_eq!(absent[0], (ClientId(2), Absence::Failed));
    let told = told.into_inner().expect("no holder panics");
    assert_eq!(told[0], (ClientId(2), "the disk is full".to_owned()));
    assert_eq!(told.len(), absent.len());
}

#[test]
fn cancelling_ends_with_what_there_is() {
    let coordinator = coordinator(3, "evidence", CoordinatorParams::default());
    let flag = AtomicBool::new(false);
    let run = InProcess {
        cancel: Some(&flag),
        ..InProcess::default()
    };
    let outcome = run.run(&coordinator, &mut learners(3, 2.0, 1), &mut |event| {
        let second = matches!(
            event,
            RoundEvent::RoundStarted {
                round: Round(2),
                ..
            }
        );
        flag.fetch_or(second, Ordering::Relaxed);
    });
    let outcome = outcome.expect("cancelling is no error");
    assert_eq!(
        (outcome.stop, outcome.rounds.len()),
        (StopReason::Cancelled, 2)
    );
}

/// What a faulty client sends.
fn faults(seed: Seed) -> [(&'static str, Belief); 3] {
    let ones = Belief::from_psi(&Array2::ones((N_VARS, N_VARS))).expect("probabilities");
    let flipped = add(&Belief::uninformed(N_VARS), -1.0, &knowing(6.0));
    [
        ("random", noise(6.0, seed)),
        ("all ones", ones),
        ("flipped", flipped),
    ]
}

/// Mean distance of the final psi from the true graph, with a faulty sixth client or without.
fn error(aggregator: &str, fault: Option<&Belief>, seed: Seed) -> f64 {
    let n_clients = 5 + u32::from(fault.is_some());
    let honest = |id: u32| {
        add(
            &knowing(4.0),
            1.0,
            &noise(1.0, seed.derive("honest", id as usize)),
        )
    };
    let beliefs = (0..5).map(honest).chain(fault.cloned());
    let mut clients: Vec<_> = (0..)
        .zip(beliefs)
        .map(|(id, b)| client(id, 1, Fixed(b)))
        .collect();
    clients
        .iter_mut()
        .for_each(|c| c.samples = world::samples(0, 1));
    let coordinator = coordinator(n_clients, aggregator, CoordinatorParams::default());
    let psi = run(&coordinator, &mut clients).belief.psi();
    let gap = psi - truth().adjacency().mapv(f64::from);
    gap.mapv(f64::abs).sum() / (N_VARS * (N_VARS - 1)) as f64
}

#[test]
fn a_faulty_client_hurts_the_median_less_than_the_mean() {
    for at in 0..3 {
        let hurt = |aggregator: &str| -> f64 {
            let seeds = (0..10).map(Seed::new);
            let hurts = seeds.map(|seed| {
                let (_, fault) = &faults(seed)[at];
                error(aggregator, Some(fault), seed) - error(aggregator, None, seed)
            });
            hurts.sum::<f64>() / 10.0
        };
        let (naive, median) = (hurt("naive"), hurt("median"));
        let name = faults(Seed::new(0))[at].0;
        assert!(
            naive > 0.02 && median < naive / 3.0,
            "{name}: {naive} {median}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn dropping_any_client_in_any_round_still_ends_with_a_dag(
        n_clients in 2..=5u32, rounds in 1..=4u32, noise in 0.1..6.0f64, at in 0..4usize,
        seed: u64
    ) {
        let params = CoordinatorParams { rounds, patience: 99, ..CoordinatorParams::default() };
        let coordinator = coordinator(n_clients, AGGREGATORS[at], params);
        for round in 1..=rounds {
            for id in 0..n_clients {
                let run = InProcess {
                    dropped: BTreeSet::from([(Round(round), ClientId(id))]),
                    ..InProcess::default()
                };
                let mut clients = learners(n_clients, noise, seed);
                let outcome = run.run(&coordinator, &mut clients, &mut |_| {}).unwrap();
                prop_assert_eq!(outcome.rounds.len(), rounds as usize);
                let absent: usize = outcome.rounds.iter().map(|r| r.n_absent).sum();
                prop_assert_eq!(absent, 1);
            }
        }
    }
}

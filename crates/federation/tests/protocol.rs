//! The coordinator, one input at a time.

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use fedcdi_core::{Belief, ClientId, ClientReport, Round, Seed, SharedBelief};
use fedcdi_federation::{
    Absence, Coordinator, CoordinatorParams, FederationError, Input, Output, RefusalKind,
    RoundEvent, State, StopReason,
};
use ndarray::Array2;
use world::{N_VARS, coordinator, knowing, noise, report};

/// Feeds inputs one after another; gives the last state and all events.
fn feed(
    coordinator: &Coordinator,
    inputs: impl IntoIterator<Item = Input>,
) -> (State, Vec<RoundEvent>) {
    let (mut state, mut events) = (coordinator.ready(), Vec::new());
    for input in inputs {
        let (next, outputs) = coordinator.step(state, input);
        state = next;
        events.extend(outputs.into_iter().filter_map(|output| match output {
            Output::Event(event) => Some(event),
            Output::Broadcast { .. } => None,
        }));
    }
    (state, events)
}

fn refusals(events: &[RoundEvent]) -> Vec<(ClientId, RefusalKind)> {
    let refused = |event: &RoundEvent| match event {
        RoundEvent::ReportRefused { client, kind, .. } => Some((*client, *kind)),
        _ => None,
    };
    events.iter().filter_map(refused).collect()
}

fn three(rounds: u32) -> Coordinator {
    let params = CoordinatorParams {
        rounds,
        patience: 99,
        ..CoordinatorParams::default()
    };
    coordinator(3, "naive", params)
}

fn good(id: u32, round: u32) -> Input {
    Input::Report(Box::new(report(id, Round(round), 3, knowing(3.0))))
}

fn bad(change: impl Fn(&mut ClientReport)) -> Input {
    let mut report = report(2, Round(1), 3, knowing(3.0));
    change(&mut report);
    Input::Report(Box::new(report))
}

#[test]
fn a_round_closes_when_all_have_answered() {
    let coordinator = three(2);
    let (state, outputs) = coordinator.step(coordinator.ready(), Input::Start);
    let Some(Output::Broadcast { round, belief, .. }) = outputs.last() else {
        panic!("the first belief goes out");
    };
    assert_eq!((*round, belief), (Round(1), &Belief::uninformed(N_VARS)));
    let State::Collecting(collecting) = &state else {
        panic!("a round is running");
    };
    assert_eq!(collecting.waiting_for(coordinator.clients()).len(), 3);
    let inputs = [Input::Start, good(2, 1), good(0, 1), good(1, 1)];
    let (state, events) = feed(&coordinator, inputs);
    let State::Collecting(collecting) = state else {
        panic!("the second round is running");
    };
    assert_eq!(collecting.round(), Round(2));
    assert!(matches!(
        events.last(),
        Some(RoundEvent::RoundStarted {
            round: Round(2),
            ..
        })
    ));
}

#[test]
fn pairs_without_an_edge_are_asked_about_once_the_graph_rests() {
    let coordinator = three(9);
    let (mut state, mut outputs) = coordinator.step(coordinator.ready(), Input::Start);
    let mut asked = Vec::new();
    for round in 1..=3 {
        let Some(Output::Broadcast { tested, .. }) = outputs.last() else {
            panic!("a round is running");
        };
        asked.push(*tested);
        for client in 0..3 {
            (state, outputs) = coordinator.step(state, good(client, round));
        }
    }
    // The first aggregate has edges where nothing was believed before; the second has the same.
    let absent: Vec<bool> = asked.iter().map(|tested| tested.absent).collect();
    assert_eq!(absent, [false, false, true]);
    assert!(asked.iter().all(|tested| tested.edges));
}

#[test]
fn bad_reports_are_refused_and_named_and_the_round_goes_on() {
    let psi = |value: f64| SharedBelief::Psi(Array2::from_elem((N_VARS, N_VARS), value));
    let cases = [
        (bad(|r| r.belief = psi(f64::NAN)), RefusalKind::Belief),
        (bad(|r| r.belief = psi(1.5)), RefusalKind::Belief),
        (
            bad(|r| r.belief = SharedBelief::Logits(Belief::uninformed(2))),
            RefusalKind::Size,
        ),
        (
            bad(|r| r.schema = world::schema(2).hash()),
            RefusalKind::Schema,
        ),
        (bad(|r| r.samples.n_samples = 0), RefusalKind::Samples),
        (
            Input::Unreadable {
                client: ClientId(2),
                round: Round(1),
            },
            RefusalKind::Unreadable,
        ),
    ];
    for (input, kind) in cases {
        let inputs = [Input::Start, input, good(0, 1), good(1, 1)];
        let (state, events) = feed(&three(1), inputs);
        assert_eq!(refusals(&events), [(ClientId(2), kind)]);
        let State::Finished(outcome) = state else {
            panic!("two of three are enough: {state:?}");
        };
        assert_eq!(outcome.refusals[&kind], 1);
        let record = outcome.rounds[0];
        assert_eq!(
            (record.n_reports, record.n_refused, record.n_absent),
            (2, 1, 1)
        );
    }
}

#[test]
fn a_refusal_says_what_is_wrong() {
    let input = bad(|r| r.belief = SharedBelief::Logits(Belief::uninformed(5)));
    let (_, events) = feed(&three(1), [Input::Start, input]);
    let Some(RoundEvent::ReportRefused { message, .. }) = events.last() else {
        panic!("refused");
    };
    assert_eq!(
        message,
        "client 2 sent a report that cannot be used: its belief is over 5 variables, the study has 6; compare the variables"
    );
}

#[test]
fn stale_repeated_and_foreign_reports_do_not_disturb_the_round() {
    let foreign = bad(|r| r.client = ClientId(9));
    let stale = bad(|r| r.round = Round(7));
    let inputs = [
        good(0, 1),
        Input::Start,
        foreign,
        stale,
        good(0, 1),
        good(0, 1),
    ];
    let (state, events) = feed(&three(1), inputs);
    let expected = [
        (ClientId(0), RefusalKind::NotCollecting),
        (ClientId(9), RefusalKind::UnknownClient),
        (ClientId(2), RefusalKind::WrongRound),
        (ClientId(0), RefusalKind::Duplicate),
    ];
    assert_eq!(refusals(&events), expected);
    let State::Collecting(collecting) = state else {
        panic!("still waiting");
    };
    let waiting = collecting.waiting_for(&[ClientId(0), ClientId(1), ClientId(2)]);
    assert!(waiting.into_iter().eq([ClientId(1), ClientId(2)]));
}

#[test]
fn without_a_quorum_the_run_fails_and_names_the_missing() {
    let broken = bad(|r| r.samples.n_samples = 0);
    let inputs = [Input::Start, broken, good(1, 1), Input::Close(Round(1))];
    let (state, events) = feed(&three(3), inputs);
    let State::Failed(error) = state else {
        panic!("one of three is too few");
    };
    assert!(matches!(
        error,
        FederationError::Quorum {
            found: 1,
            needed: 2,
            ..
        }
    ));
    assert_eq!(
        error.to_string(),
        "round 1 has 1 usable reports, 2 are needed; client 0: no answer in time; client 2: it has no samples; give it data or leave it out"
    );
    assert!(matches!(events.last(), Some(RoundEvent::Failed { .. })));
}

#[test]
fn a_client_that_failed_is_counted_and_not_quoted() {
    let failed = Input::Absent {
        client: ClientId(2),
        round: Round(1),
        why: Absence::Failed,
    };
    let inputs = [Input::Start, failed, good(1, 1), Input::Close(Round(1))];
    let (state, events) = feed(&three(3), inputs);
    let State::Failed(error) = state else {
        panic!("one of three is too few");
    };
    let text = error.to_string();
    assert!(text.contains("client 2: it failed"), "{text}");
    // All that is known of it: there is no room for a client's own words.
    let expected = r#"{"event":"client_absent","round":1,"client":2,"why":"failed"}"#;
    let told = serde_json::to_string(&events[1]).expect("events are plain");
    assert_eq!(told, expected);
}

#[test]
fn closing_another_round_has_no_effect() {
    let (state, _) = feed(&three(3), [Input::Start, Input::Close(Round(2))]);
    assert!(!state.is_over());
}

#[test]
fn cancelling_finishes_the_round_first() {
    let inputs = [
        Input::Start,
        good(0, 1),
        Input::Cancel,
        good(1, 1),
        good(2, 1),
    ];
    let (state, _) = feed(&three(5), inputs);
    let State::Finished(outcome) = state else {
        panic!("cancelled");
    };
    assert_eq!(outcome.stop, StopReason::Cancelled);
    assert_eq!(outcome.rounds.len(), 1);
    assert_eq!(outcome.dag, world::truth());
    let (state, _) = feed(&three(5), [Input::Cancel]);
    let State::Finished(outcome) = state else {
        panic!("cancelled before it began");
    };
    assert_eq!(outcome.dag.n_edges(), 0);
}

#[test]
fn after_the_end_reports_are_refused() {
    let inputs = [Input::Start, good(0, 1), good(1, 1), good(2, 1), good(2, 2)];
    let (state, events) = feed(&three(1), inputs);
    assert!(state.is_over());
    assert_eq!(
        refusals(&events),
        [(ClientId(2), RefusalKind::NotCollecting)]
    );
}

#[test]
fn the_order_of_arrival_does_not_matter() {
    let finish = |order: [u32; 3]| {
        let belief = |id: u32| noise(3.0, Seed::new(u64::from(id)));
        let reports = order.map(|id| Input::Report(Box::new(report(id, Round(1), 3, belief(id)))));
        match feed(&three(1), [Input::Start].into_iter().chain(reports)).0 {
            State::Finished(outcome) => outcome,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(finish([0, 1, 2]), finish([2, 0, 1]));
}

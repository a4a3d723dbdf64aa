//! A search over sums: over the same sites from its first question to its last, and to the same graph
//! whoever answers first.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use std::collections::BTreeSet;

use fedcdi_core::{ClientId, Dag};
use fedcdi_protocol::answer::{Answer, Refused, Reply};
use fedcdi_protocol::coordinator::{Input, RefusalKind};
use fedcdi_protocol::question::Ask;
use fedcdi_protocol::rules::Evidence;
use fedcdi_protocol::{
    Absence, Changes, Coordinator, Outcome, Receipt, Scored, Site, Start, StopReason, StudyError,
    StudyEvent,
};
use fedcdi_score::{Outline, Rows as _, Search};
use world::disk::Disk;
use world::parties::World;
use world::plans::{plan_by, with_rounds, with_scores};
use world::rows::Table;

const SIZES: [usize; 4] = [2, 3, 2, 3];

fn world(n_sites: usize, start: Start) -> World {
    World::new(with_scores(
        with_rounds(plan_by::<Evidence>(4, n_sites), 2),
        start,
    ))
}

/// What the search comes to with these sites' rows in one place.
fn in_one_place(world: &World, sites: &[u32], start: Option<Dag>) -> (Dag, Vec<f64>) {
    let mut tables = sites.iter().map(|id| Table::of(ClientId(*id), &SIZES, 0));
    let mut tables: Vec<Table> = tables.by_ref().collect();
    let outline = Outline(SIZES.map(Some).to_vec());
    let schema = world.plan.outline().unwrap();
    let knowledge = world.plan.knowledge.check(&schema).unwrap();
    let params = world.plan.score.unwrap().search;
    let mut search = Search::new(outline, knowledge, params, start);
    while let Some(ask) = search.ask().cloned() {
        let each = tables.iter_mut().map(|table| table.sums(&ask));
        let sum = each.reduce(|sum, next| sum.iter().zip(next).map(|(a, b)| a + b).collect());
        search.take(&sum.unwrap());
    }
    let found = search.found();
    (found.dag, found.gains)
}

/// A study whose carrier is this test.
struct Run {
    coordinator: Coordinator,
    sites: Vec<Site>,
    events: Vec<StudyEvent>,
}

impl Run {
    fn of(world: &World) -> Self {
        let site = |id| world.site(id, &Disk::default());
        let mut run = Self {
            coordinator: world.coordinator(&Disk::default()),
            sites: world.ids().map(site).collect(),
            events: Vec::new(),
        };
        run.apply(&Input::Start);
        run
    }

    fn apply(&mut self, input: &Input) {
        let events = self.coordinator.apply(input).unwrap();
        self.events.extend(events);
    }

    fn is_summing(&self) -> bool {
        let question = self.coordinator.question();
        question.is_some_and(|asked| matches!(asked.ask, Ask::Sum(_)))
    }

    /// Sites that are asked now.
    fn asked(&self) -> Vec<u32> {
        self.coordinator.waiting().map(|site| site.0).collect()
    }

    fn answer_of(&mut self, id: ClientId) -> Vec<u8> {
        let question = self.coordinator.question_to(id).unwrap();
        let answered = self.sites[id.0 as usize - 1].answer(&question).unwrap();
        assert!(answered.declined.is_none(), "{:?}", answered.declined);
        answered.bytes
    }

    /// Everybody who is asked answers; the last first if it is to be the other way round. Those that are
    /// lost do not.
    fn everybody(&mut self, reversed: bool, lost: &[u32]) {
        let number = self.coordinator.number().unwrap();
        let mut asked: Vec<ClientId> = self.coordinator.waiting().collect();
        if reversed {
            asked.reverse();
        }
        for id in asked.into_iter().filter(|id| !lost.contains(&id.0)) {
            let answer = self.answer_of(id);
            match self.coordinator.receive(id, &answer).unwrap() {
                Receipt::Taken(events) => self.events.extend(events),
                other => panic!("{other:?}"),
            }
        }
        self.apply(&Input::Close { number });
    }

    fn reach_the_first_sums(&mut self) {
        while !self.is_summing() {
            self.everybody(false, &[]);
        }
    }

    fn reach_the_end(&mut self) -> Outcome {
        while self.coordinator.number().is_some() {
            self.everybody(false, &[]);
        }
        self.coordinator.end().unwrap().unwrap().clone()
    }
}

fn scored(outcome: &Outcome) -> &Scored {
    outcome.scored.as_ref().expect("there was a search")
}

#[test]
fn the_graph_is_that_of_all_rows_in_one_place() {
    for start in [Start::Nothing, Start::Belief] {
        let world = world(3, start);
        let outcome = world.outcome(&BTreeSet::new());
        let before = match start {
            Start::Nothing => None,
            Start::Belief => outcome.dags.last().cloned(),
        };
        let (dag, gains) = in_one_place(&world, &[1, 2, 3], before.clone());
        assert!(dag.n_edges() >= 3, "{dag:?}");
        assert_eq!(outcome.dag, dag);
        let found = scored(&outcome);
        assert_eq!((&found.gains, found.n_sites), (&gains, 3));
        let before = before.unwrap_or_else(|| Dag::empty(4));
        assert_eq!(found.changes, Changes::between(&before, &dag));
        assert!(found.has_ended && found.n_questions >= 2);
        assert_eq!(
            outcome.rounds.len(),
            if start == Start::Nothing { 0 } else { 2 }
        );
        // The belief agrees with the graph.
        for (cause, effect) in outcome.belief.pairs() {
            let both = [(cause, effect), (effect, cause)];
            let joined = dag.adjacent(cause, effect);
            for (c, e) in both {
                let probability = outcome.belief.probability(c, e);
                assert!(joined || probability < 0.5, "{c:?} {e:?} {probability}");
            }
        }
    }
}

#[test]
fn the_order_of_arrival_changes_nothing() {
    let world = world(4, Start::Belief);
    let [mut one, mut other] = [Run::of(&world), Run::of(&world)];
    while one.coordinator.number().is_some() {
        one.everybody(false, &[]);
        other.everybody(true, &[]);
        let questions = [&one, &other].map(|run| run.coordinator.question().cloned());
        assert_eq!(questions[0], questions[1]);
    }
    assert_eq!(one.coordinator.end(), other.coordinator.end());
}

#[test]
fn sites_are_told_graph_class_and_gains() {
    let mut run = Run::of(&world(2, Start::Nothing));
    let outcome = run.reach_the_end();
    for site in &run.sites {
        let told = site.outcome().unwrap();
        assert_eq!((&told.dag, &told.scored), (&outcome.dag, &outcome.scored));
        assert_eq!(
            (&told.belief, told.raw),
            (&outcome.belief, outcome.raw.clone())
        );
        assert!(site.method().is_none(), "nothing to run");
    }
    let started = |event: &StudyEvent| matches!(event, StudyEvent::SearchStarted { .. });
    assert_eq!(run.events.iter().filter(|event| started(event)).count(), 1);
    assert_eq!(outcome.stop, StopReason::Converged);
}

#[test]
fn a_site_that_is_lost_takes_its_rows_with_it() {
    for start in [Start::Nothing, Start::Belief] {
        let world = world(3, start);
        let mut run = Run::of(&world);
        run.reach_the_first_sums();
        run.everybody(false, &[]);
        assert_eq!(run.asked(), [1, 2, 3]);
        run.everybody(false, &[2]);
        // From the beginning, over those that remain.
        assert!(matches!(
            run.coordinator.question().unwrap().ask,
            Ask::Sum(fedcdi_score::Ask::Begin)
        ));
        assert_eq!(run.asked(), [1, 3]);
        let restarted = StudyEvent::SearchRestarted { n_sites: 2 };
        assert!(run.events.contains(&restarted));
        let outcome = run.reach_the_end();
        let before = outcome.dags.last().cloned();
        let (dag, gains) = in_one_place(&world, &[1, 3], before);
        assert_eq!((&outcome.dag, scored(&outcome).n_sites), (&dag, 2));
        assert_eq!(scored(&outcome).gains, gains);
        // It is told the result all the same.
        assert!(run.sites[1].result().is_some());
    }
}

#[test]
fn a_site_that_misses_the_beginning_is_not_asked_again() {
    let world = world(3, Start::Belief);
    let mut run = Run::of(&world);
    run.reach_the_first_sums();
    let missed = run.answer_of(ClientId(3));
    run.everybody(false, &[3]);
    assert_eq!(run.asked(), [1, 2]);
    // What it sends now is refused, and so is an answer to what the others are asked.
    let refused = |run: &mut Run, answer: &[u8]| {
        let receipt = run.coordinator.receive(ClientId(3), answer).unwrap();
        match receipt {
            Receipt::Refused(refusal) => refusal.kind,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(&mut run, &missed), RefusalKind::OtherQuestion);
    let question = run.coordinator.question_to(ClientId(1)).unwrap();
    let uninvited = run.sites[2].answer(&question).unwrap().bytes;
    assert_eq!(refused(&mut run, &uninvited), RefusalKind::OtherQuestion);
    let outcome = run.reach_the_end();
    let (dag, _) = in_one_place(&world, &[1, 2], outcome.dags.last().cloned());
    assert_eq!(outcome.dag, dag);
}

#[test]
fn without_a_quorum_the_study_fails() {
    let mut run = Run::of(&world(3, Start::Belief));
    run.reach_the_first_sums();
    run.everybody(false, &[]);
    run.everybody(false, &[1, 2]);
    let error = run.coordinator.end().unwrap().unwrap_err();
    let StudyError::Quorum { found, needed, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((*found, *needed), (1, 2));
    assert!(error.to_string().contains("which asks for sums"), "{error}");
}

#[test]
fn a_site_that_refuses_is_lost() {
    let world = world(3, Start::Belief);
    let mut run = Run::of(&world);
    run.reach_the_first_sums();
    run.everybody(false, &[]);
    let bytes = run.answer_of(ClientId(1));
    let mut answer = Answer::decode(&bytes, bytes.len()).unwrap();
    answer.reply = Reply::Refused(Refused::NotAllowed);
    let receipt = run.coordinator.receive(ClientId(1), &answer.encode());
    assert!(matches!(receipt, Ok(Receipt::Taken(_))));
    let missing: Vec<_> = run.coordinator.absent().collect();
    assert_eq!(missing, [(ClientId(1), Absence::Declined)]);
    run.everybody(false, &[]);
    assert_eq!(run.asked(), [2, 3]);
    assert_eq!(scored(&run.reach_the_end()).n_sites, 2);
}

#[test]
fn sites_may_keep_their_rows_to_themselves() {
    for n_silent in [1, 2] {
        let world = world(3, Start::Belief);
        let mut run = Run::of(&world);
        for id in 1..=n_silent {
            let mut data = world.data(ClientId(id));
            data.rows = None;
            run.sites[id as usize - 1] = world.site_of(data);
        }
        while run.coordinator.number().is_some() {
            let number = run.coordinator.number().unwrap();
            let asked: Vec<ClientId> = run.coordinator.waiting().collect();
            for id in asked {
                let question = run.coordinator.question_to(id).unwrap();
                let answered = run.sites[id.0 as usize - 1].answer(&question).unwrap();
                run.coordinator.receive(id, &answered.bytes).unwrap();
            }
            run.apply(&Input::Close { number });
        }
        let outcome = run.coordinator.end().unwrap().unwrap().clone();
        assert_eq!(outcome.rounds.len(), 2);
        // The rows of one site alone are not searched.
        let n_sites = outcome.scored.as_ref().map(|scored| scored.n_sites);
        assert_eq!(n_sites, (n_silent == 1).then_some(2));
        assert!(run.sites.iter().all(|site| site.result().is_some()));
    }
}

#[test]
fn a_study_that_is_cancelled_ends_with_the_graph_so_far() {
    // In its rounds: there is no search.
    let mut run = Run::of(&world(2, Start::Belief));
    run.everybody(false, &[]);
    run.apply(&Input::Cancel);
    let outcome = run.reach_the_end();
    assert_eq!(
        (outcome.stop, &outcome.scored),
        (StopReason::Cancelled, &None)
    );
    assert!(!outcome.is_nothing());
    // In its search, after one question.
    let mut run = Run::of(&world(2, Start::Nothing));
    run.reach_the_first_sums();
    run.apply(&Input::Cancel);
    let outcome = run.reach_the_end();
    assert_eq!(outcome.stop, StopReason::Cancelled);
    assert!(!scored(&outcome).has_ended);
    // Before anything.
    let mut run = Run::of(&world(2, Start::Nothing));
    run.apply(&Input::Cancel);
    assert!(run.reach_the_end().is_nothing());
}

#[test]
fn the_plan_limits_the_questions_of_all_searches_together() {
    let mut world = world(3, Start::Nothing);
    world.plan.score.as_mut().unwrap().search.questions = 3;
    let mut run = Run::of(&world);
    run.reach_the_first_sums();
    run.everybody(false, &[]);
    run.everybody(false, &[3]);
    run.everybody(false, &[]);
    // Sites would decline a fourth.
    let outcome = run.reach_the_end();
    let found = scored(&outcome);
    assert_eq!((found.n_questions, found.has_ended), (3, false));
    assert_eq!(outcome.stop, StopReason::RoundLimit);
}

#[test]
fn a_coordinator_that_begins_again_goes_on_with_the_search() {
    let world = world(3, Start::Belief);
    let expected = world.outcome(&BTreeSet::new());
    let disk = Disk::default();
    let mut run = Run::of(&world);
    run.coordinator = world.coordinator(&disk);
    run.apply(&Input::Start);
    while run.coordinator.number().is_some() {
        run.everybody(false, &[]);
        let before = run.coordinator.question().cloned();
        run.coordinator = world.coordinator(&disk);
        assert_eq!(run.coordinator.question(), before.as_ref());
    }
    assert_eq!(run.coordinator.end().unwrap().unwrap(), &expected);
}

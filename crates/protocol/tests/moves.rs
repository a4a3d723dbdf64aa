//! The question what moves what: asked once, added up, and what it rules out.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use std::collections::BTreeSet;

use fedcdi_core::{Belief, ClientId, Dag, Knowledge, Tested, VarId};
use fedcdi_protocol::answer::{Answer, Refused, Reply};
use fedcdi_protocol::coordinator::{Input, RefusalKind};
use fedcdi_protocol::moves::RULED_OUT;
use fedcdi_protocol::question::{Ask, Question};
use fedcdi_protocol::rules::{self, Evidence};
use fedcdi_protocol::{
    Coordinator, InProcess, Moves, Outcome, Receipt, Site, Start, StudyEvent, StudyPlan,
};
use ndarray::{Array2, array};
use world::disk::Disk;
use world::parties::World;
use world::plans::{plan_by, with_moves, with_rounds, with_scores};

fn plan(n_vars: usize) -> StudyPlan {
    with_moves(with_rounds(plan_by::<Evidence>(n_vars, 3), 3))
}

/// Sites that tell these log-odds, or nothing.
fn sites(world: &World, odds: &[Option<Array2<f64>>]) -> Vec<Site> {
    let site = |(id, odds): (ClientId, &Option<Array2<f64>>)| {
        let mut data = world.data(id);
        data.moves.clone_from(odds);
        world.site_of(data)
    };
    world.ids().zip(odds).map(site).collect()
}

fn run(world: &World, odds: &[Option<Array2<f64>>]) -> (Outcome, Vec<StudyEvent>) {
    let mut coordinator = world.coordinator(&Disk::default());
    let mut events = Vec::new();
    let mut note = |event: &StudyEvent| events.push(event.clone());
    let outcome = InProcess::default().run(&mut coordinator, &mut sites(world, odds), &mut note);
    (outcome.unwrap(), events)
}

/// v0 does not move v2, and v3 moves nothing; v1 has not been set.
fn rests() -> Array2<f64> {
    array![
        [0.0, -1.0, -9.0, 2.5],
        [0.0, 0.0, 0.0, 0.0],
        [8.0, 0.3, 0.0, 3.0],
        [-9.0, -9.0, -9.0, 0.0],
    ]
}

const RESTING: [(usize, usize); 4] = [(0, 2), (3, 0), (3, 1), (3, 2)];

fn pairs(edges: &[(usize, usize)]) -> Vec<(VarId, VarId)> {
    edges.iter().map(|(c, e)| (VarId(*c), VarId(*e))).collect()
}

#[test]
fn what_is_ruled_out_is_in_no_belief_and_no_graph() {
    for start in [None, Some(Start::Belief), Some(Start::Nothing)] {
        let plan = match start {
            None => plan(4),
            Some(start) => with_scores(plan(4), start),
        };
        let world = World::new(plan);
        let mut sites = sites(&world, &[Some(rests()), None, Some(Array2::zeros((4, 4)))]);
        let mut coordinator = world.coordinator(&Disk::default());
        coordinator.apply(&Input::Start).unwrap();
        let mut n_beliefs = 0;
        while let Some(number) = coordinator.number() {
            for (id, bytes) in coordinator.questions() {
                let question = Question::decode(&bytes, bytes.len()).unwrap();
                let belief = match &question.ask {
                    Ask::Believe(asked) => Some(&asked.prior),
                    Ask::Finish(finish) if start.is_none() => Some(&finish.belief),
                    _ => None,
                };
                for (cause, effect) in belief.iter().flat_map(|_| RESTING) {
                    let belief = belief.unwrap();
                    assert!(belief.existence()[(cause, effect)] <= RULED_OUT, "{number}");
                }
                n_beliefs += usize::from(belief.is_some());
                let answer = sites[id.0 as usize - 1].answer(&question.encode()).unwrap();
                coordinator.receive(id, &answer.bytes).unwrap();
            }
            coordinator.apply(&Input::Close { number }).unwrap();
        }
        assert!(n_beliefs >= 9 || start.is_some(), "{n_beliefs}");
        let outcome = coordinator.end().unwrap().unwrap();
        let moved = outcome.moved.as_ref().unwrap();
        assert_eq!((moved.n_sites, moved.odds[(2, 1)]), (2, 0.5));
        assert_eq!(moved.ruled_out(&Knowledge::none(4)), pairs(&RESTING));
        for dag in outcome.dags.iter().chain([&outcome.dag]) {
            assert!(
                !pairs(&RESTING).iter().any(|(c, e)| dag.has_edge(*c, *e)),
                "{dag:?}"
            );
        }
        // Who is told the result can tell the same.
        let told = sites[1].outcome().unwrap();
        assert_eq!((&told.moved, &told.dag), (&outcome.moved, &outcome.dag));
        // Who does not tell takes part in the rest.
        let n_voices = if start == Some(Start::Nothing) { 0 } else { 3 };
        assert_eq!(outcome.voices.len(), n_voices);
        assert_eq!(
            outcome.scored.as_ref().map(|scored| scored.n_sites),
            start.map(|_| 3)
        );
    }
}

#[test]
fn without_it_such_edges_come_and_where_nobody_tells_nothing_is_ruled_out() {
    let world = World::new(plan(4));
    let (nobody, events) = run(&world, &[None, None, None]);
    assert_eq!(nobody.moved, None);
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, StudyEvent::Moved { .. }))
    );
    let ignored = World::new(StudyPlan {
        moves: Moves::Ignore,
        ..world.plan.clone()
    });
    let (ignored, _) = run(&ignored, &[None, None, None]);
    assert_eq!(
        (&nobody.belief, &nobody.dag),
        (&ignored.belief, &ignored.dag)
    );
    let has = |dag: &Dag| pairs(&RESTING).iter().any(|(c, e)| dag.has_edge(*c, *e));
    assert!(ignored.dags.iter().any(has), "the test shows nothing");
    let (told, events) = run(&world, &[None, Some(rests()), None]);
    assert!(told.moved.is_some() && told.dags != ignored.dags);
    let expected = StudyEvent::Moved {
        n_sites: 1,
        n_ruled_out: 4,
    };
    assert!(events.contains(&expected), "{events:?}");
}

#[test]
fn a_required_edge_stays() {
    let mut world = World::new(plan(4));
    world.plan.knowledge.required = vec![["v3".to_owned(), "v1".to_owned()]];
    let (outcome, _) = run(&world, &[Some(rests()), None, None]);
    assert!(outcome.dag.has_edge(VarId(3), VarId(1)));
    assert!(!outcome.dag.has_edge(VarId(3), VarId(2)));
}

/// The study as far as round 1, with answers in this order.
fn asked_first(world: &World, odds: &[Option<Array2<f64>>], order: [usize; 3]) -> Question {
    let mut coordinator = world.coordinator(&Disk::default());
    let mut sites = sites(world, odds);
    coordinator.apply(&Input::Start).unwrap();
    for _ in 0..2 {
        let questions = coordinator.questions();
        for at in order {
            let answer = sites[at].answer(&questions[at].1).unwrap().bytes;
            let id = ClientId(at as u32 + 1);
            let taken = coordinator.receive(id, &answer).unwrap();
            assert!(matches!(taken, Receipt::Taken(_)), "{taken:?}");
        }
    }
    coordinator.question().unwrap().clone()
}

#[test]
fn neither_the_order_of_answers_nor_who_has_a_regime_matters() {
    let world = World::new(plan(4));
    let nothing = Array2::<f64>::zeros((4, 4));
    // All regimes at one site, or one at each.
    let mut each = vec![nothing.clone(), nothing.clone(), nothing.clone()];
    for (at, of) in [0, 2, 3].into_iter().enumerate() {
        each[at].row_mut(of).assign(&rests().row(of));
    }
    let all: Vec<_> = [rests(), nothing.clone(), nothing]
        .into_iter()
        .map(Some)
        .collect();
    let each: Vec<_> = each.into_iter().map(Some).collect();
    let expected = asked_first(&world, &all, [0, 1, 2]);
    assert!(matches!(&expected.ask, Ask::Believe(asked) if asked.round.0 == 1));
    for odds in [&all, &each] {
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            assert_eq!(asked_first(&world, odds, order).encode(), expected.encode());
        }
    }
}

#[test]
fn a_site_answers_it_once_where_the_plan_asks_and_by_its_number_alone() {
    let world = World::new(plan(3));
    let mut site = world.site(ClientId(1), &Disk::default());
    let replied = |site: &mut Site, world: &World, number: u32| {
        let question = world.question(number, Ask::Moves).encode();
        let answer = site.answer(&question).unwrap().bytes;
        (Answer::decode(&answer, answer.len()).unwrap().reply, answer)
    };
    for number in [0, 2, 7] {
        let (reply, _) = replied(&mut site, &world, number);
        assert_eq!(reply, Reply::Refused(Refused::Question), "{number}");
    }
    let (reply, bytes) = replied(&mut site, &world, 1);
    assert!(matches!(reply, Reply::Moved(numbers) if numbers.len() == 6));
    assert_eq!(replied(&mut site, &world, 1).1, bytes);
    // Round 1 is question 2, and no other.
    let prior = Belief::uninformed(3);
    let round = world.round(1, Tested::NOTHING, prior.clone());
    let answer = site.answer(&round.encode()).unwrap();
    assert!(answer.declined.is_some(), "number 1 is another question");
    let question = Question { number: 2, ..round };
    assert!(site.answer(&question.encode()).unwrap().declined.is_none());
    // Not where the plan does not ask.
    let without = World::new(StudyPlan {
        moves: Moves::Ignore,
        ..world.plan.clone()
    });
    let mut data = without.data(ClientId(1));
    data.moves = Some(Array2::zeros((3, 3)));
    let mut site = without.site_of(data);
    let (reply, _) = replied(&mut site, &without, 1);
    assert_eq!(reply, Reply::Refused(Refused::NotAllowed));
}

#[test]
fn numbers_that_no_site_tells_are_refused() {
    let world = World::new(plan(3));
    let mut coordinator = world.coordinator(&Disk::default());
    let mut sites: Vec<Site> = world
        .ids()
        .map(|id| world.site(id, &Disk::default()))
        .collect();
    coordinator.apply(&Input::Start).unwrap();
    for (id, question) in coordinator.questions() {
        let answer = sites[id.0 as usize - 1].answer(&question).unwrap();
        coordinator.receive(id, &answer.bytes).unwrap();
    }
    let (id, question) = coordinator.questions()[0].clone();
    let honest = sites[0].answer(&question).unwrap().bytes;
    let honest = Answer::decode(&honest, honest.len()).unwrap();
    let refused = |coordinator: &mut Coordinator, reply: Reply| {
        let answer = Answer {
            reply,
            ..honest.clone()
        };
        match coordinator.receive(id, &answer.encode()).unwrap() {
            Receipt::Refused(refusal) => refusal.kind,
            other => panic!("{other:?}"),
        }
    };
    for numbers in [vec![0; 5], vec![0, 0, 129, 0, 0, 0], vec![i64::MIN; 6]] {
        assert_eq!(
            refused(&mut coordinator, Reply::Moved(numbers)),
            RefusalKind::Addends
        );
    }
    for reply in [Reply::Summed(vec![0; 6]), Reply::Finished] {
        assert_eq!(refused(&mut coordinator, reply), RefusalKind::OtherKind);
    }
    let taken = coordinator.receive(id, &honest.encode()).unwrap();
    assert!(matches!(taken, Receipt::Taken(_)), "{taken:?}");
    // It needs no quorum: time is up, and the study goes on.
    assert!(coordinator.has_quorum());
    coordinator.apply(&Input::Close { number: 1 }).unwrap();
    assert_eq!(coordinator.number(), Some(2));
}

#[test]
fn who_is_late_for_it_is_in_the_rounds_and_a_restart_knows_it() {
    let world = World::new(plan(4));
    let dropped: BTreeSet<_> = [(1, ClientId(2))].into();
    let outcome = world.outcome(&dropped);
    assert_eq!(outcome.moved.as_ref().unwrap().n_sites, 2);
    assert_eq!(outcome.voices.len(), 3);
    let disk = Disk::default();
    let disks: Vec<Disk> = (0..3).map(|_| Disk::default()).collect();
    let mut coordinator = world.coordinator(&disk);
    coordinator.apply(&Input::Start).unwrap();
    while let Some(number) = coordinator.number() {
        // Everybody is killed before every question.
        coordinator =
            Coordinator::open(world.plan.clone(), &rules::standard(), disk.store()).unwrap();
        for (id, question) in coordinator.questions() {
            if number == 1 && id == ClientId(2) {
                continue;
            }
            let mut site = world.site(id, &disks[id.0 as usize - 1]);
            let answer = site.answer(&question).unwrap();
            coordinator.receive(id, &answer.bytes).unwrap();
        }
        coordinator.apply(&Input::Close { number }).unwrap();
    }
    assert_eq!(coordinator.end().unwrap().unwrap(), &outcome);
}

//! SDI and DCDI through their public API: small worlds are recovered, results do not depend on
//! threads, rules hold, bad input is refused.
#![allow(clippy::unwrap_used, reason = "test code")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{World, rounds};
use fedcdi_core::graph::extract;
use fedcdi_core::{
    Belief, Dataset, Digraph, Knowledge, KnowledgeFile, LocalMethod, Round, Seed, Tested, VarId,
};
use fedcdi_learn::dcdi::{Dcdi, DcdiParams, OptimiserChoice};
use fedcdi_learn::predict::HeadChoice;
use fedcdi_learn::sdi::{Sdi, SdiParams, Targets};
use fedcdi_learn::{LearnError, Observer, Progress, Stage};

const SINGLE: [&[usize]; 4] = [&[0], &[1], &[2], &[3]];

fn world() -> World {
    World::new(&[4, 3, 4, 3], &[(0, 1), (0, 2), (1, 3), (2, 3)], 11)
}

fn sdi_params() -> SdiParams {
    SdiParams {
        model_steps: 200,
        batch: 128,
        ..SdiParams::default()
    }
}

fn dcdi_params() -> DcdiParams {
    DcdiParams {
        max_iterations: 100_000,
        hidden: vec![16, 16],
        rate: 3e-3,
        patience: 1,
        ..DcdiParams::default()
    }
}

/// DCDI on the only table there is.
fn alone(params: DcdiParams, data: &Dataset) -> Dcdi {
    Dcdi::new(params, data, Seed::new(0)).unwrap().alone()
}

fn graph(belief: &Belief) -> Digraph {
    extract::dag(belief, &Knowledge::none(belief.n_vars())).into_digraph()
}

fn on_threads<R: Send>(threads: usize, task: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(task)
}

fn sdi(data: &Dataset, params: &SdiParams) -> Belief {
    let mut method = Sdi::new(params.clone(), data, Seed::new(0)).unwrap();
    rounds(&mut method, data.n_vars(), 2)
}

#[test]
fn sdi_recovers_a_small_world() {
    let world = world();
    let data = world.data(3000, &SINGLE, 300, 1);
    assert_eq!(graph(&sdi(&data, &sdi_params())), world.graph);
}

#[test]
fn sdi_can_do_without_being_told_the_targets() {
    // Interventions are uniform, so the target is what its own network is worst at.
    let world = World::new(&[4, 4], &[(0, 1)], 3);
    let data = world.data(3000, &[&[0], &[1]], 300, 1);
    let params = SdiParams {
        targets: Targets::Predicted(2),
        ..sdi_params()
    };
    assert_eq!(graph(&sdi(&data, &params)), world.graph);
}

#[test]
fn dcdi_recovers_a_small_world_and_says_that_it_converged() {
    let world = world();
    let data = world.data(2000, &SINGLE, 1000, 1);
    let mut method = alone(dcdi_params(), &data);
    let found = rounds(&mut method, 4, 1);
    assert!(!method.is_unfinished());
    assert_eq!(graph(&found), world.graph);
    // What tests make of it later is kept.
    let fewer = Belief::uninformed(4);
    assert_eq!(method.update(Round(2), &fewer).unwrap(), fewer);
}

#[test]
fn dcdi_that_runs_out_of_iterations_says_so_and_still_gives_a_graph() {
    let data = world().data(500, &SINGLE, 100, 1);
    for head in [HeadChoice::Categories, HeadChoice::Codes] {
        let params = DcdiParams {
            max_iterations: 700,
            iterations_per_round: 300,
            optimiser: OptimiserChoice::Adam,
            head,
            ..dcdi_params()
        };
        let mut method = alone(params, &data);
        rounds(&mut method, 4, 1);
        assert!(method.is_unfinished());
    }
}

/// Two variables: the direction is in the interventional rows alone, whichever way it points.
#[test]
fn directions_follow_the_interventions() {
    for edge in [(0, 1), (1, 0)] {
        let forward = World::new(&[3, 3], &[(0, 1)], 5);
        let data = forward.data(2000, &[&[0], &[1]], 1000, 1);
        // The same rows with the columns exchanged.
        let order = [edge.0, edge.1];
        let data = exchanged(&data, order);
        let truth = Digraph::from_edges(2, [(VarId(edge.0), VarId(edge.1))]);
        assert_eq!(graph(&sdi(&data, &sdi_params())), truth);
        let found = rounds(&mut alone(dcdi_params(), &data), 2, 1);
        assert_eq!(graph(&found), truth);
    }
}

/// Column `c` of the result is column `order[c]` of the data.
fn exchanged(data: &Dataset, order: [usize; 2]) -> Dataset {
    use fedcdi_core::{DatasetBuilder, Regime, Schema};
    let variables = order.map(|v| data.schema().variables()[v].clone());
    let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
    let mut builder = DatasetBuilder::with_capacity(schema, data.n_samples());
    let codes = order.map(|v| data.column(VarId(v)).codes().collect::<Vec<u16>>());
    for (regime, samples) in data.regimes().iter().zip(data.samples_by_regime()) {
        let targets = regime.targets().iter();
        let place = |t: &VarId| order.iter().position(|v| *v == t.0).unwrap();
        let regime = if regime.is_observational() {
            Regime::Observational
        } else {
            Regime::intervened(targets.map(|t| VarId(place(t))))
        };
        for sample in samples {
            let row = [codes[0][sample], codes[1][sample]];
            builder.push(&row, &regime).unwrap();
        }
    }
    builder.finish().unwrap()
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let data = world().data(500, &SINGLE, 50, 1);
    let run = || {
        let prior = Belief::uninformed(4);
        let mut sdi = Sdi::new(sdi_params(), &data, Seed::new(3)).unwrap();
        let mut dcdi = Dcdi::new(dcdi_params(), &data, Seed::new(3)).unwrap();
        let first = sdi.update(Round(1), &prior).unwrap();
        let second = dcdi.update(Round(1), &prior).unwrap();
        [first, second]
    };
    assert_eq!(on_threads(1, run), on_threads(2, run));
}

#[test]
fn a_round_starts_from_the_belief_that_was_sent() {
    let data = world().data(500, &SINGLE, 50, 1);
    let psi = ndarray::Array2::from_shape_fn((4, 4), |(i, j)| if i < j { 0.95 } else { 0.02 });
    let sent = Belief::from_psi(&psi).unwrap();
    let params = SdiParams {
        epochs: 1,
        episodes: 1,
        model_steps: 10,
        ..sdi_params()
    };
    let mut sdi = Sdi::new(params, &data, Seed::new(0)).unwrap();
    let mut dcdi = Dcdi::new(
        DcdiParams {
            iterations_per_round: 300,
            rate: 1e-5,
            ..dcdi_params()
        },
        &data,
        Seed::new(0),
    )
    .unwrap();
    for method in [&mut sdi as &mut dyn LocalMethod, &mut dcdi] {
        let posterior = method.update(Round(1), &sent).unwrap().psi();
        let moved = (&posterior - &sent.psi()).mapv(f64::abs);
        assert!(moved.iter().all(|m| *m < 0.1), "{posterior}");
    }
}

#[test]
fn known_edges_hold() {
    let world = world();
    let data = world.data(1000, &SINGLE, 100, 1);
    let file = KnowledgeFile {
        required: vec![["x3".to_owned(), "x0".to_owned()]],
        forbidden: vec![["x0".to_owned(), "x1".to_owned()]],
        ..KnowledgeFile::default()
    };
    let knowledge = file.check(&world.schema()).unwrap();
    let prior = Belief::uninformed(4);
    let sdi = Sdi::new(sdi_params(), &data, Seed::new(0)).unwrap();
    let dcdi = Dcdi::new(dcdi_params(), &data, Seed::new(0)).unwrap();
    let mut methods: [Box<dyn LocalMethod>; 2] = [
        Box::new(sdi.with(&knowledge, None).unwrap()),
        Box::new(dcdi.with(&knowledge, None).unwrap()),
    ];
    for method in &mut methods {
        let psi = method.update(Round(1), &prior).unwrap().psi();
        assert!(psi[(3, 0)] > 0.99 && psi[(0, 1)] < 0.01, "{psi}");
    }
}

#[test]
fn edges_can_be_tested() {
    let world = world();
    let data = world.data(2000, &SINGLE, 100, 1);
    let adjacency = world.graph.adjacency().mapv(f64::from);
    let belief = Belief::from_psi(&adjacency).unwrap();
    let sdi = Sdi::new(sdi_params(), &data, Seed::new(0)).unwrap();
    let dcdi = Dcdi::new(dcdi_params(), &data, Seed::new(0)).unwrap();
    for method in [&sdi as &dyn LocalMethod, &dcdi] {
        let which = Tested {
            edges: true,
            absent: false,
        };
        let tests = method.tests(&belief, which, 0.0);
        assert_eq!(tests.len(), world.graph.n_edges());
    }
}

#[test]
fn data_that_cannot_be_learned_from_is_refused() {
    let world = world();
    let observed = world.data(100, &[], 0, 1);
    let refused = Sdi::new(sdi_params(), &observed, Seed::new(0)).err();
    assert_eq!(refused, Some(LearnError::NoInterventionalRows));
    assert!(Dcdi::new(dcdi_params(), &observed, Seed::new(0)).is_ok());
    let forced = world.data(0, &[&[1, 2, 3], &[0, 1]], 50, 1);
    let refused = Dcdi::new(dcdi_params(), &forced, Seed::new(0)).err();
    assert!(matches!(refused, Some(LearnError::AlwaysIntervened(variable)) if variable == "x1"));
    let wrong = DcdiParams {
        rate: 0.0,
        ..dcdi_params()
    };
    let refused = Dcdi::new(wrong, &observed, Seed::new(0)).err();
    assert!(matches!(refused, Some(LearnError::Params(_))));
}

/// Counts calls, and stops after the first ones.
struct Impatient {
    calls: AtomicUsize,
    most: usize,
    stage: Stage,
}

impl Observer for Impatient {
    fn progress(&self, progress: &Progress) {
        assert!(progress.done <= progress.total);
        if progress.stage == self.stage {
            self.calls.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.calls.load(Ordering::Relaxed) >= self.most
    }
}

fn impatient(most: usize, stage: Stage) -> Arc<Impatient> {
    Arc::new(Impatient {
        calls: AtomicUsize::new(0),
        most,
        stage,
    })
}

#[test]
fn cancelling_ends_both_early() {
    let data = world().data(500, &SINGLE, 50, 1);
    let observer = impatient(3, Stage::Graph);
    let sdi = Sdi::new(sdi_params(), &data, Seed::new(0)).unwrap();
    let nothing = Knowledge::none(4);
    let watched = sdi.with(&nothing, Some(Arc::clone(&observer) as Arc<_>));
    let mut sdi = watched.unwrap();
    let error = sdi.learn(0, &Belief::uninformed(4)).unwrap_err();
    assert_eq!(error, LearnError::Cancelled);
    let observer = impatient(3, Stage::Joint);
    let dcdi = alone(dcdi_params(), &data);
    let watched = dcdi.with(&nothing, Some(Arc::clone(&observer) as Arc<_>));
    let mut dcdi = watched.unwrap();
    rounds(&mut dcdi, 4, 1);
    assert!(dcdi.is_unfinished());
    assert!(observer.calls.load(Ordering::Relaxed) < 6);
}

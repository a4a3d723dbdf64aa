//! A small study with made-up clients, for the tests of this crate.

use fedcdi_core::{
    Belief, ClientId, ClientReport, Dag, Digraph, Exchange, Knowledge, LocalMethod,
    LocalMethodError, Round, SampleCounts, Schema, Seed, SharedBelief, VarId, Variable,
};
use fedcdi_federation::{Client, Coordinator, CoordinatorParams, Study, Tested};
use fedcdi_learn::aggregate::AggregatorParams;
use ndarray::Array2;
use rand::RngExt;

pub(crate) const N_VARS: usize = 6;

pub(crate) fn schema(n_vars: usize) -> Schema {
    let variables = (0..n_vars).map(|v| Variable::with_codes(format!("v{v}"), 2));
    Schema::new(variables.collect()).expect("names differ")
}

pub(crate) fn coordinator(
    n_clients: u32,
    aggregator: &str,
    params: CoordinatorParams,
) -> Coordinator {
    let study = Study {
        clients: (0..n_clients).map(ClientId).collect(),
        schema: schema(N_VARS).hash(),
        knowledge: Knowledge::none(N_VARS),
    };
    let aggregator = AggregatorParams::named(aggregator).expect("a known name");
    let aggregator = aggregator.check().expect("defaults are in range");
    params.check(study, aggregator).expect("in range")
}

/// Each client intervened on the variables that leave its number over the number of clients.
pub(crate) fn samples(client: u32, n_clients: u32) -> SampleCounts {
    let share = |v: usize| {
        if v as u32 % n_clients == client {
            100
        } else {
            0
        }
    };
    let n_interventional: Vec<u64> = (0..N_VARS).map(share).collect();
    let n_observational = 500;
    SampleCounts {
        n_samples: n_observational + n_interventional.iter().sum::<u64>(),
        n_observational,
        n_interventional,
        n_joint: Vec::new(),
    }
}

pub(crate) fn client(id: u32, n_clients: u32, method: impl LocalMethod + 'static) -> Client {
    Client {
        id: ClientId(id),
        schema: schema(N_VARS).hash(),
        samples: samples(id, n_clients),
        exchange: Exchange::Logits,
        tested: Tested::default(),
        method: Box::new(method),
    }
}

pub(crate) fn report(id: u32, round: Round, n_clients: u32, belief: Belief) -> ClientReport {
    ClientReport {
        client: ClientId(id),
        round,
        schema: schema(N_VARS).hash(),
        belief: SharedBelief::Logits(belief),
        samples: samples(id, n_clients),
        tests: Vec::new(),
    }
}

/// 0 -> 1 -> 2 -> .. and 0 -> 2.
pub(crate) fn truth() -> Dag {
    let chain = (1..N_VARS).map(|v| (VarId(v - 1), VarId(v)));
    let graph = Digraph::from_edges(N_VARS, chain.chain([(VarId(0), VarId(2))]));
    Dag::try_from(graph).expect("edges point up")
}

/// The belief of one who knows the truth: existence and orientation of size `strength`.
pub(crate) fn knowing(strength: f64) -> Belief {
    let truth = truth();
    let sign = |edge: bool| if edge { strength } else { -strength };
    let existence = Array2::from_shape_fn((N_VARS, N_VARS), |(i, j)| {
        sign(i != j && truth.has_edge(VarId(i), VarId(j)))
    });
    let orientation = Array2::from_shape_fn((N_VARS, N_VARS), |(i, j)| match i.cmp(&j) {
        std::cmp::Ordering::Less => strength,
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Greater => -strength,
    });
    Belief::new(existence, orientation).expect("finite and antisymmetric")
}

/// Random logits of at most `size`.
pub(crate) fn noise(size: f64, seed: Seed) -> Belief {
    let mut rng = seed.rng();
    let mut draw =
        || Array2::from_shape_simple_fn((N_VARS, N_VARS), || rng.random_range(-size..size));
    let (existence, square) = (draw(), draw());
    Belief::new(existence, &square - &square.t()).expect("finite and antisymmetric")
}

/// `a + scale * b`, entry by entry.
pub(crate) fn add(a: &Belief, scale: f64, b: &Belief) -> Belief {
    let existence = a.existence() + &(b.existence() * scale);
    let orientation = a.orientation() + &(b.orientation() * scale);
    Belief::new(existence, orientation).expect("finite and antisymmetric")
}

/// A method that always returns the same belief.
pub(crate) struct Fixed(pub(crate) Belief);

impl LocalMethod for Fixed {
    fn update(&mut self, _: Round, _: &Belief) -> Result<Belief, LocalMethodError> {
        Ok(self.0.clone())
    }
}

/// A method that adds a little truth and a lot of noise to what it is sent.
pub(crate) struct Learner {
    pub(crate) seed: Seed,
    pub(crate) noise: f64,
}

impl LocalMethod for Learner {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        let noise = noise(self.noise, self.seed.derive("round", round.index()));
        Ok(add(&add(prior, 1.0, &knowing(1.0)), 1.0, &noise))
    }
}

/// A method that never has a posterior.
pub(crate) struct Broken;

impl LocalMethod for Broken {
    fn update(&mut self, _: Round, _: &Belief) -> Result<Belief, LocalMethodError> {
        Err(LocalMethodError::new("the disk is full"))
    }
}

pub(crate) fn learners(n_clients: u32, noise: f64, seed: u64) -> Vec<Client> {
    let learner = |id| Learner {
        seed: Seed::new(seed).derive("client", id as usize),
        noise,
    };
    (0..n_clients)
        .map(|id| client(id, n_clients, learner(id)))
        .collect()
}

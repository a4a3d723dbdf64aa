//! The order of columns and rows does not matter, whatever the method.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::collections::BTreeSet;
use std::sync::Arc;

use fedcdi_core::graph::extract;
use fedcdi_core::{
    Belief, Choice, Column, Cpdag, Dag, Dataset, DatasetBuilder, Knowledge, Regime, Round, Schema,
    Seed, VarId, Variable,
};
use fedcdi_learn::registry::{Inputs, standard as methods};
use fedcdi_rivals::registry::standard as rivals;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Names in another order than the causal one.
const NAMES: [&str; 5] = ["m", "b", "z", "a", "k"];

/// Causes by place in `NAMES`: m -> b -> z, m -> a, z -> k.
const CAUSE: [Option<usize>; 5] = [None, Some(0), Some(1), Some(0), Some(2)];

/// Each variable copies its cause in eight rows of ten; observational rows and some per target.
fn table(n_observed: usize, per_target: usize) -> Dataset {
    let variables = NAMES.map(|name| Variable::with_codes(name, 3));
    let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
    let mut builder = DatasetBuilder::with_capacity(schema, n_observed + 5 * per_target);
    let mut rng = Seed::new(7).rng();
    let targets = (0..5).flat_map(|target| vec![Some(VarId(target)); per_target]);
    for target in std::iter::repeat_n(None, n_observed).chain(targets) {
        let mut row = [0u16; 5];
        for var in 0..5 {
            let copied = CAUSE[var].filter(|_| target != Some(VarId(var)) && rng.random_bool(0.8));
            row[var] = copied.map_or_else(|| rng.random_range(0..3), |cause| row[cause]);
        }
        builder.push(&row, &Regime::intervened(target)).unwrap();
    }
    builder.finish().unwrap()
}

/// The same rows with columns and rows in another order.
fn shuffled(data: &Dataset, seed: u64) -> Dataset {
    let mut rng = Seed::new(seed).rng();
    let mut vars: Vec<VarId> = data.schema().ids().collect();
    vars.shuffle(&mut rng);
    let mut rows: Vec<usize> = (0..data.n_samples()).collect();
    rows.shuffle(&mut rng);
    let variables = vars.iter().map(|var| data.schema().variable(*var).clone());
    let schema = Arc::new(Schema::new(variables.collect()).unwrap());
    let place = |var: &VarId| VarId(vars.iter().position(|other| other == var).unwrap());
    let columns: Vec<Column> = vars.iter().map(|var| data.column(*var).clone()).collect();
    let regimes = data.regimes().iter();
    let regimes = regimes.map(|r| Regime::intervened(r.targets().iter().map(place)));
    let regime_of = data.regime_of().to_vec();
    let moved = Dataset::new(schema, columns, regimes.collect(), regime_of).unwrap();
    moved.select(&rows)
}

fn chosen(name: &str, settings: &str) -> Choice {
    Choice {
        name: name.to_owned(),
        settings: serde_json::from_str(settings).unwrap(),
    }
}

type Edges = BTreeSet<(String, String)>;

fn named(data: &Dataset, edges: impl Iterator<Item = (VarId, VarId)>) -> Edges {
    let name = |var| data.schema().name(var).to_owned();
    edges.map(|(c, e)| (name(c), name(e))).collect()
}

/// Belief of one round, and its graph.
fn learned(choice: &Choice, data: &Dataset) -> (Belief, Dag) {
    let knowledge = Knowledge::none(data.n_vars());
    let inputs = Inputs {
        data,
        knowledge: &knowledge,
        seed: Seed::new(1),
        alone: true,
        observer: None,
    };
    let mut method = methods().build(choice).unwrap().at(inputs).unwrap();
    let prior = Belief::uninformed(data.n_vars());
    let belief = method.update(Round(0), &prior).unwrap();
    let dag = extract::dag(&belief, &knowledge);
    (belief, dag)
}

/// Logits of every edge by name, bit for bit.
fn logits(data: &Dataset, belief: &Belief) -> BTreeSet<(String, String, [u64; 2])> {
    let pairs = belief.pairs();
    pairs
        .map(|(c, e)| {
            let at = (c.index(), e.index());
            let [cause, effect] = [c, e].map(|var| data.schema().name(var).to_owned());
            let of = [belief.existence()[at], belief.orientation()[at]];
            (cause, effect, of.map(f64::to_bits))
        })
        .collect()
}

fn found(choice: &Choice, data: &Dataset) -> (Cpdag, Dag) {
    let rival = rivals().build(choice).unwrap();
    let sites = std::slice::from_ref(data);
    let fit = rival.find(sites, Seed::new(1), None).unwrap();
    (fit.class, fit.dag)
}

fn truth() -> Edges {
    let edges = (0..5).filter_map(|var| Some((VarId(CAUSE[var]?), VarId(var))));
    named(&table(1, 0), edges)
}

#[test]
fn local_methods_draw_the_same_graph() {
    let data = table(400, 60);
    for (name, settings) in [
        ("enco", r#"{"epochs": 8}"#),
        ("sdi", r#"{"epochs": 1, "episodes": 5}"#),
        ("dcdi", r#"{"max_iterations": 1000}"#),
    ] {
        let choice = chosen(name, settings);
        let (belief, dag) = learned(&choice, &data);
        let edges = named(&data, dag.edges());
        assert!(edges == truth() || name != "enco", "{edges:?}");
        for seed in 0..2 {
            let moved = shuffled(&data, seed);
            let (other, dag) = learned(&choice, &moved);
            assert_eq!(named(&moved, dag.edges()), edges, "{name}");
            let same = logits(&moved, &other) == logits(&data, &belief);
            assert!(same || name == "enco", "{name} {seed}");
        }
    }
}

#[test]
fn rivals_draw_the_same_graph() {
    let data = table(400, 60);
    for (name, settings) in [
        ("gies", "{}"),
        ("igsp", "{}"),
        ("igsp", r#"{"test": {"hsic": 100}}"#),
        ("ut-igsp", "{}"),
        ("notears", "{}"),
        (
            "feddag",
            r#"{"hidden": [8], "steps": 400, "exchange_every": 100, "sparsity": 0.005}"#,
        ),
    ] {
        let choice = chosen(name, settings);
        let of = |data: &Dataset| {
            let (class, dag) = found(&choice, data);
            let directed = named(data, class.directed().edges());
            let both = class.undirected_edges().flat_map(|(a, b)| [(a, b), (b, a)]);
            (directed, named(data, both), named(data, dag.edges()))
        };
        let expected = of(&data);
        for seed in 0..4 {
            assert_eq!(of(&shuffled(&data, seed)), expected, "{name} {settings}");
        }
    }
}

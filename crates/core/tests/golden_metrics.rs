//! Metrics and equivalence classes agree with other people's tools; see `golden/graph_metrics`.

use fedcdi_core::graph::probability::ProbabilityScores;
use fedcdi_core::graph::{Cpdag, shd, sid};
use fedcdi_core::{Dag, Digraph, VarId, VarSet};
use ndarray::Array2;
use serde::Deserialize;

type Edges = Vec<(VarId, VarId)>;

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    n_vars: usize,
    truth: Edges,
    predicted: Edges,
    sid: usize,
    sid_back: usize,
    shd: usize,
    cpdag_directed: Edges,
    cpdag_undirected: Edges,
    cpdag_shd: usize,
    targets: Vec<Vec<VarId>>,
    interventional_directed: Edges,
    interventional_undirected: Edges,
    psi: Vec<Vec<f64>>,
    auroc: Option<f64>,
    auprc: Option<f64>,
    brier: Option<f64>,
}

impl Case {
    fn dag(&self, edges: &Edges) -> Dag {
        Dag::try_from(Digraph::from_edges(self.n_vars, edges.iter().copied())).expect("acyclic")
    }

    fn graphs(&self) -> (Dag, Dag) {
        (self.dag(&self.truth), self.dag(&self.predicted))
    }
}

fn cases() -> Vec<Case> {
    let golden: Golden =
        serde_json::from_str(include_str!("golden/graph_metrics.json")).expect("golden file");
    assert_eq!(golden.cases.len(), 40);
    golden.cases
}

fn edges(class: &Cpdag) -> (Edges, Edges) {
    let directed = class.directed().edges().collect();
    (directed, class.undirected_edges().collect())
}

#[test]
fn sid_agrees_with_gadjid() {
    for (number, case) in cases().iter().enumerate() {
        let (truth, predicted) = case.graphs();
        let found = (sid(&truth, &predicted), sid(&predicted, &truth));
        assert_eq!(found, (case.sid, case.sid_back), "case {number}");
    }
}

#[test]
fn shd_agrees_with_causal_learn() {
    for (number, case) in cases().iter().enumerate() {
        let (truth, predicted) = case.graphs();
        assert_eq!(shd(&truth, &predicted), case.shd, "case {number}");
        let classes = (Cpdag::of(&truth), Cpdag::of(&predicted));
        assert_eq!(classes.0.shd(&classes.1), case.cpdag_shd, "case {number}");
    }
}

#[test]
fn classes_agree_with_causal_learn_and_graphical_models() {
    for (number, case) in cases().iter().enumerate() {
        let truth = case.dag(&case.truth);
        let (directed, undirected) = edges(&Cpdag::of(&truth));
        assert_eq!(directed, case.cpdag_directed, "case {number}");
        assert_eq!(undirected, case.cpdag_undirected, "case {number}");
        let targets = case.targets.iter();
        let targets: Vec<VarSet> = targets
            .map(|set| VarSet::from_members(case.n_vars, set.iter().copied()))
            .collect();
        let (directed, undirected) = edges(&Cpdag::interventional(&truth, &targets));
        assert_eq!(directed, case.interventional_directed, "case {number}");
        assert_eq!(undirected, case.interventional_undirected, "case {number}");
    }
}

#[test]
fn ranking_scores_agree_with_scikit_learn() {
    let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-12,
        (a, b) => a == b,
    };
    for (number, case) in cases().iter().enumerate() {
        let psi = Array2::from_shape_fn((case.n_vars, case.n_vars), |(i, j)| case.psi[i][j]);
        let scores = ProbabilityScores::of(&case.dag(&case.truth), &psi);
        assert!(close(scores.auroc, case.auroc), "case {number}");
        assert!(close(scores.auprc, case.auprc), "case {number}");
        let brier = case
            .brier
            .is_none_or(|brier| close(Some(scores.brier), Some(brier)));
        assert!(brier, "case {number}");
    }
}

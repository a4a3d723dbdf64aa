"""Writes the cases of crates/core/tests/golden/graph_metrics.json.

Random pairs of DAGs with their distances, equivalence classes and ranking scores, each computed by
a tool that is not ours. Edges are [cause, effect]. Run as the README says.
"""

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

warnings.filterwarnings("ignore")

import gadjid
import graphical_models
from causallearn.graph.Dag import Dag
from causallearn.graph.GraphNode import GraphNode
from causallearn.graph.SHD import SHD
from causallearn.utils.DAG2CPDAG import dag2cpdag
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

OUT = Path(__file__).parents[2] / "crates" / "core" / "tests" / "golden" / "graph_metrics.json"
TOOLS = {
    "sid": "gadjid",
    "shd": "causal-learn",
    "cpdag": "causal-learn",
    "interventional": "graphical-models",
    "auroc": "scikit-learn",
}


def sid(truth, predicted):
    """gadjid takes (true, guess); [i, j] = 1 means i -> j."""
    return int(gadjid.sid(truth, predicted, edge_direction="from row to column")[1])


def check_conventions():
    """0 -> 1 against nothing: only p(0 | do 1) is wrong. The other way round: nothing is."""
    edge, none = np.array([[0, 1], [0, 0]], np.int8), np.zeros((2, 2), np.int8)
    assert (sid(edge, none), sid(none, edge), sid(edge, edge.T.copy())) == (1, 0, 2)
    assert SHD(as_dag(edge), as_dag(edge.T)).get_shd() == 1  # a reversal counts once


def random_dag(rng, n, density):
    upper = np.triu(rng.random((n, n)) < density, 1)
    order = rng.permutation(n)
    return upper[np.ix_(order, order)].astype(np.int8)


def is_acyclic(a):
    return not np.linalg.matrix_power(a.astype(np.int64), len(a)).any()


def near(rng, truth):
    """The truth with a few pairs drawn anew, as a learner's mistakes would be."""
    n, found = len(truth), truth.copy()
    for _ in range(1 + n // 3):
        i, j = rng.choice(n, 2, replace=False)
        trial = found.copy()
        trial[i, j], trial[j, i] = [(0, 0), (0, 1), (1, 0)][rng.integers(3)]
        if is_acyclic(trial):
            found = trial
    return found


def as_dag(a):
    nodes = [GraphNode(str(v)) for v in range(len(a))]
    dag = Dag(nodes)
    for i, j in np.argwhere(a):
        dag.add_directed_edge(nodes[i], nodes[j])
    return dag


def cpdag(a):
    """Directed edges, and undirected ones with the smaller id first."""
    g = dag2cpdag(as_dag(a)).graph  # [i, j] = -1 and [j, i] = 1 is i -> j; -1 and -1 is i - j
    pairs = [(i, j) for i in range(len(a)) for j in range(len(a)) if i != j]
    directed = [[i, j] for i, j in pairs if g[i, j] == -1 and g[j, i] == 1]
    undirected = [[i, j] for i, j in pairs if i < j and g[i, j] == -1 and g[j, i] == -1]
    return directed, undirected


def interventional(a, targets):
    dag = graphical_models.DAG(nodes=set(range(len(a))), arcs=set(edges(a, tuple)))
    found = dag.interventional_cpdag([set(t) for t in targets], cpdag=dag.cpdag())
    directed = sorted([int(i), int(j)] for i, j in found.arcs)
    undirected = sorted(sorted([int(i), int(j)]) for i, j in found.edges)
    return directed, undirected


def edges(a, kind=list):
    return [kind(int(v) for v in edge) for edge in np.argwhere(a)]


def case(rng, number):
    n = 3 + number % 10
    truth = random_dag(rng, n, rng.choice([0.2, 0.4, 0.7]))
    predicted = near(rng, truth) if number % 2 else random_dag(rng, n, rng.choice([0.2, 0.4, 0.7]))
    n_targets = int(rng.integers(1, 3))
    targets = [sorted(int(v) for v in rng.choice(n, rng.integers(1, 3), replace=False)) for _ in range(n_targets)]
    # Two decimals make ties.
    psi = np.clip(np.round(0.3 * truth + 0.7 * rng.random((n, n)) * rng.random((n, n)), 2), 0, 1)
    np.fill_diagonal(psi, 0)
    off = ~np.eye(n, dtype=bool)
    label, score = truth[off], psi[off]
    (directed, undirected), (i_directed, i_undirected) = cpdag(truth), interventional(truth, targets)
    return {
        "n_vars": n,
        "truth": edges(truth),
        "predicted": edges(predicted),
        "sid": sid(truth, predicted),
        "sid_back": sid(predicted, truth),
        "shd": SHD(as_dag(truth), as_dag(predicted)).get_shd(),
        "cpdag_directed": directed,
        "cpdag_undirected": undirected,
        "cpdag_shd": SHD(dag2cpdag(as_dag(truth)), dag2cpdag(as_dag(predicted))).get_shd(),
        "targets": targets,
        "interventional_directed": i_directed,
        "interventional_undirected": i_undirected,
        "psi": [[float(p) for p in row] for row in psi],
        "auroc": float(roc_auc_score(label, score)) if 0 < label.sum() < label.size else None,
        "auprc": float(average_precision_score(label, score)) if label.any() else None,
        "brier": float(brier_score_loss(label, score)) if 0 < label.sum() < label.size else None,
    }


def main():
    check_conventions()
    rng = np.random.default_rng(2024)
    cases = [case(rng, number) for number in range(40)]
    tools = {what: f"{name} {version(name)}" for what, name in TOOLS.items()}
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(f'{{"tools":{json.dumps(tools)},\n"cases":[\n{lines}\n]}}\n')
    total = {key: sum(c[key] for c in cases) for key in ("sid", "sid_back", "shd", "cpdag_shd")}
    print(len(cases), "cases;", total)


if __name__ == "__main__":
    main()

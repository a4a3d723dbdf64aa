"""Compares our linear NOTEARS (NOTEARS-ADMM with one client) with gcastle on random linear problems.

Both minimise the same loss with the same penalty and threshold, by other schedules and optimisers:
graphs may differ a little. The mean distance to the true graph must be within 1 of theirs. Run as
the README says.
"""

import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from unittest.mock import MagicMock, patch

import numpy as np



def gcastle_notears():
    """gcastle's NOTEARS from its file: the package imports torch, which is large, for its other methods."""
    stand_in = MagicMock(Tensor=type("Tensor", (), {}))  # scipy asks for the type
    path = Path(find_spec("castle").origin).parent / "algorithms/gradient/notears/linear.py"
    spec = spec_from_file_location("castle_notears", path)
    module = module_from_spec(spec)
    with patch.dict(sys.modules, {"torch": stand_in}):
        spec.loader.exec_module(module)
    logging.disable(logging.INFO)
    return module.Notears


Notears = gcastle_notears()
ROOT = Path(__file__).parents[2]
EXAMPLE = ["cargo", "build", "--release", "--locked", "-p", "fedcdi-rivals", "--example", "notears"]
SPARSITY, THRESHOLD, ROWS = 0.01, 0.3, 1000


def random_problem(rng, n, per_node):
    """The graph and rows [ROWS, n] of a linear model with unit noise."""
    order = rng.permutation(n)
    edges = np.triu(rng.random((n, n)) < 2 * per_node / (n - 1), 1)
    position = np.argsort(order)
    weights = edges * rng.uniform(0.5, 2.0, (n, n)) * rng.choice([-1, 1], (n, n))
    weights = weights[np.ix_(position, position)]
    x = np.zeros((ROWS, n))
    for v in order:
        x[:, v] = x @ weights[:, v] + rng.standard_normal(ROWS)
    return weights != 0, x


def ours(path, x):
    with open(path, "w") as out:
        out.write(",".join([f"x{v}" for v in range(x.shape[1])] + ["set"]) + "\n")
        for row in x:
            out.write(",".join([repr(float(value)) for value in row] + [""]) + "\n")
    binary = ROOT / "target" / "release" / "examples" / "notears"
    env = dict(os.environ, RAYON_NUM_THREADS="1")
    run = json.loads(subprocess.run([binary, path], check=True, capture_output=True, env=env).stdout)
    found = np.zeros((x.shape[1], x.shape[1]), dtype=bool)
    for i, j in run["edges"]:
        found[i, j] = True
    return found, run["seconds"]


def theirs(x):
    start = time.perf_counter()
    method = Notears(lambda1=SPARSITY, w_threshold=THRESHOLD)
    method.learn(x)
    return np.array(method.causal_matrix) != 0, time.perf_counter() - start


def shd(truth, found):
    """Pairs whose status differs; a reversal counts once."""
    differs = found != truth
    return int(np.triu(differs | differs.T).sum())


def main():
    subprocess.run(EXAMPLE, check=True, cwd=ROOT)
    tools = ["gcastle", "numpy", "scipy"]
    print(*(f"{tool} {version(tool)}" for tool in tools), "python", sys.version.split()[0])
    rng = np.random.default_rng(2018)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(20):
            n = 5 + number % 16
            truth, x = random_problem(rng, n, rng.choice([1.0, 2.0]))
            (a, a_seconds), (b, b_seconds) = ours(Path(folder) / "x.csv", x), theirs(x)
            rows.append((shd(truth, a), shd(truth, b), shd(b, a), a_seconds, b_seconds))
            print(
                f"{number:2} {n:2} variables, {truth.sum():2} edges: SHD ours {rows[-1][0]}, theirs {rows[-1][1]}, "
                f"between the two {rows[-1][2]}; {a_seconds:.3f} and {b_seconds:.2f} s"
            )
    mean = np.array(rows).mean(axis=0)
    print(f"mean SHD ours {mean[0]:.2f}, theirs {mean[1]:.2f}, between the two {mean[2]:.2f}; {mean[4] / mean[3]:.0f} times as fast")
    if mean[0] > mean[1] + 1:
        sys.exit("ours is worse")


if __name__ == "__main__":
    main()

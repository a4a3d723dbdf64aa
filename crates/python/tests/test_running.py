"""Long runs: progress, Ctrl-C, other threads, logging; and what happens before one, on import."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time

import fedcdi
import pandas as pd
import pytest

from conftest import QUICK

LONG = {"rounds": 500, "patience": 500, "graph_patience": 500, "epochs": 50}


def test_progress_is_told(frame: pd.DataFrame) -> None:
    told: list[tuple[float, str]] = []
    fedcdi.discover(frame, rounds=4, patience=4, epochs=10, progress=lambda *now: told.append(now))
    rounds = [at for at, _ in told]
    assert rounds == sorted(rounds) or max(rounds) <= 4.0
    assert 0.0 <= rounds[0] < rounds[-1] <= 4.0
    assert any("edges" in text for _, text in told)


def test_what_progress_raises_ends_the_run(frame: pd.DataFrame) -> None:
    class Enough(Exception):
        pass

    def stop(rounds: float, text: str) -> None:
        raise Enough

    begun = time.monotonic()
    with pytest.raises(Enough):
        fedcdi.discover(frame, progress=stop, **LONG)
    assert time.monotonic() - begun < 5


def test_a_bar_is_drawn_on_request(frame: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    fedcdi.discover(frame, progress=False, **QUICK)
    assert capsys.readouterr().err == ""
    fedcdi.discover(frame, progress=True, rounds=1)
    assert capsys.readouterr().err == "", "a run that is over at once needs no bar"
    fedcdi.discover(frame, progress=True, rounds=40, patience=40, graph_patience=40, epochs=20)
    written = capsys.readouterr().err
    assert "rounds" in written
    assert written.rsplit("\r", 2)[1].strip() == "", "the bar is gone in the end"


CTRL_C = """
import time, fedcdi
study = fedcdi.generate(seed=1)
print("ready", flush=True)
try:
    fedcdi.{call}(study, rounds=500, patience=500, {more})
except KeyboardInterrupt:
    print("interrupted", flush=True)
    result = fedcdi.discover(fedcdi.generate(vars=4, degree=1, obs=300, int=100), rounds=1)
    print("and again", flush=True)
"""


@pytest.mark.parametrize(
    ("call", "more"),
    [
        ("discover", ""),
        ("discover", 'method="dcdi"'),
        ("simulate", "clients=3"),
    ],
)
def test_ctrl_c_ends_a_run(call: str, more: str) -> None:
    code = CTRL_C.format(call=call, more=more)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    assert process.poll() is None, "the run is too short to be interrupted"
    begun = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - begun < 3
    # The next run is not interrupted by the last Ctrl-C.
    assert process.stdout.readline() == "and again\n"
    assert process.wait(timeout=30) == 0


def test_python_goes_on_while_a_run_works(frame: pd.DataFrame) -> None:
    beats: list[float] = []
    done = threading.Event()

    def beat() -> None:
        while not done.is_set():
            beats.append(time.monotonic())
            time.sleep(0.005)

    heart = threading.Thread(target=beat)
    heart.start()
    begun = time.monotonic()
    fedcdi.discover(frame, rounds=8, patience=8, epochs=20)
    ended = time.monotonic()
    done.set()
    heart.join()
    during = [at for at in beats if begun < at < ended]
    assert len(during) > 20
    assert max(b - a for a, b in zip(during, during[1:])) < 0.5


def test_runs_can_be_in_several_threads(frame: pd.DataFrame, found: fedcdi.Result) -> None:
    results: list[fedcdi.Result] = []
    threads = [
        threading.Thread(target=lambda: results.append(fedcdi.discover(frame, **QUICK))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.files == found.files for result in results] == [True] * 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_process_may_fork_after_a_run(frame: pd.DataFrame, found: fedcdi.Result) -> None:
    child = os.fork()
    if child == 0:
        same = fedcdi.discover(frame, **QUICK).files == found.files
        os._exit(0 if same else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_warnings_go_to_the_log(frame: pd.DataFrame, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="fedcdi"):
        result = fedcdi.discover(frame.drop(columns="intervention"), rounds=1)
    assert "no interventional rows" in caplog.text
    assert all(record.name == "fedcdi" for record in caplog.records)
    assert result.variables
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="fedcdi"):
        fedcdi.discover(frame.assign(X1=[None, *frame["X1"][1:]]), missing="drop", rounds=1)
    assert "1 of 700 rows have a missing value and were left out" in caplog.text


def test_import_is_quick() -> None:
    code = "import time; t = time.perf_counter(); import fedcdi; print(time.perf_counter() - t)"

    def once() -> float:
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return float(printed.stdout)

    assert min(once() for _ in range(5)) < 0.2


BARE = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"pandas", "numpy", "networkx", "tqdm", "polars", "pyarrow", "sklearn"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
import fedcdi

study = fedcdi.generate(vars=4, degree=1, categories=3, obs=300, int=200, seed=1)
table = study.table()
assert isinstance(table, dict) and set(table) == {"X1", "X2", "X3", "X4", "intervention"}
result = fedcdi.discover(table, rounds=2, seed=2, progress=True)
assert result.files == fedcdi.discover(table, rounds=2, seed=2).files
cause, effect = result.edges[0].cause, result.edges[0].effect
assert result.probabilities[cause][effect] == result.edges[0].probability
try:
    result.graph
except ModuleNotFoundError as error:
    assert "pip install networkx" in str(error)
else:
    raise AssertionError("a graph without networkx")

class Mean:
    def terms(self, site):
        return site.psi, 1
    def finish(self, sums, sites):
        return [[p / sites for p in row] for row in sums]

assert fedcdi.simulate(table, clients=2, rounds=2, rule=Mean()).variables
assert fedcdi.FedCDI(rounds=1).fit(table).edges_ is not None
assert fedcdi.evaluate(result, study)["shd"] >= 0
blocked = {"pandas", "numpy", "networkx", "tqdm", "polars", "pyarrow"} & set(sys.modules)
assert not blocked, blocked
print("works")
"""


def test_nothing_but_python_is_needed() -> None:
    printed = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True)
    assert printed.stdout == "works\n", printed.stderr


def test_import_brings_no_other_package() -> None:
    code = "import fedcdi, sys; print(sorted({'pandas', 'numpy', 'networkx', 'tqdm'} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"

"""Small tables that all tests share, and the command line to compare with."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import fedcdi
import pandas as pd
import pytest

#: Settings of a run that takes a fraction of a second and finds edges.
QUICK: dict[str, Any] = {"rounds": 3, "seed": 2}
#: The same for the command line.
QUICK_FLAGS = ["--rounds", "3", "--seed", "2"]

#: Files that say what was found, not where the data was.
FOUND = ["belief.csv", "edges.csv", "graph.csv", "graph.json", "graph.dot", "graph.dagitty", "graph.graphml"]
FOUND += ["probabilities.csv"]


@pytest.fixture(scope="session")
def study() -> fedcdi.Study:
    """A study of one site."""
    return fedcdi.generate(vars=5, categories=3, obs=400, int=300, seed=1)


@pytest.fixture(scope="session")
def sites(study: fedcdi.Study) -> fedcdi.Study:
    """The same rows at three sites."""
    return study.divide(3, "vertical")


@pytest.fixture(scope="session")
def table(study: fedcdi.Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows as a CSV file."""
    folder = tmp_path_factory.mktemp("study") / "one"
    study.save(folder)
    return folder / "data.csv"


@pytest.fixture(scope="session")
def folder(sites: fedcdi.Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sites as a study folder."""
    folder = tmp_path_factory.mktemp("study") / "three"
    sites.save(folder)
    return folder


@pytest.fixture(scope="session")
def kept_frame(table: Path) -> pd.DataFrame:
    """The rows as pandas reads them: whole numbers."""
    frame = pd.read_csv(table, keep_default_na=False)
    assert frame["X1"].dtype.kind == "i"
    return frame


@pytest.fixture
def frame(kept_frame: pd.DataFrame) -> pd.DataFrame:
    """A copy of the rows that a test may spoil."""
    return kept_frame.copy()


@pytest.fixture(scope="session")
def found(kept_frame: pd.DataFrame) -> fedcdi.Result:
    """What the rows show."""
    result = fedcdi.discover(kept_frame, **QUICK)
    assert result.edges, "an empty graph would compare nothing"
    return result


@pytest.fixture(scope="session")
def binary() -> str:
    """The command line."""
    path = os.environ.get("FEDCDI_BIN")
    if path is None:
        pytest.skip("FEDCDI_BIN names no binary of the command line; scripts/test builds one")
    return path


@pytest.fixture
def cli(binary: str, tmp_path: Path) -> Callable[..., dict[str, str]]:
    """Runs the command line, and returns the files of its run folder as text."""

    def run(*arguments: object) -> dict[str, str]:
        out = tmp_path / "cli"
        words = [str(argument) for argument in arguments]
        subprocess.run([binary, *words, "--out", out], check=True, capture_output=True)
        return {path.name: path.read_text() for path in out.iterdir()}

    return run


def same_bytes(one: Mapping[str, str], other: Mapping[str, str]) -> None:
    """Two runs found the same, byte for byte."""
    for name in FOUND:
        assert one[name] == other[name], f"{name} differs"
    assert set(one) == set(other)

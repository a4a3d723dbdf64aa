"""One small study, its kits and what it comes to: both platforms run it and must come to the same bytes."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import fedcdi
import pytest

SITES = ["basel", "bern", "chur"]
#: A label that stands in every site's rows: nothing outside a site may ever show it.
CANARY = "canary4711"
FILES = ["belief.csv", "probabilities.csv", "graph.json"]

SETTINGS = """seed = 2
[coordinator]
rounds = 3
patience = 3
"""


@dataclass
class Case:
    """A study in a folder: ``kits/PARTY``, ``SITE.csv``, ``SITE.toml`` and ``policy.toml``."""

    folder: Path

    sites = SITES
    canary = CANARY

    @property
    def kit(self) -> Path:
        """The coordinator's kit."""
        return self.folder / "kits" / "coordinator"

    def site_file(self, site: str) -> Path:
        """What the site brings."""
        return self.folder / f"{site}.toml"

    def check(self, result: Path) -> None:
        """A run folder has the bytes that a simulation of the same study has."""
        for name in FILES:
            found, expected = ((folder / name).read_bytes() for folder in (result, self.folder / "expected"))
            assert found == expected, f"{name} differs"


def make(folder: Path) -> Case:
    """Makes the study, runs it in one process, and writes the kits of its parties."""
    drawn = fedcdi.generate(vars=5, categories=3, obs=400, int=300, seed=1).divide(len(SITES), "vertical")
    drawn.save(folder / "drawn")
    study = folder / "study"
    study.mkdir()
    for site, name in zip(SITES, drawn.sites):
        header, *rows = (folder / "drawn" / f"{name}.csv").read_text().splitlines()
        # Categories have one digit; the names of variables have more.
        rows = [re.sub(r"\b(\d)(?=,)", rf"{CANARY}-\1", row) for row in rows]
        (study / f"{site}.csv").write_text("\n".join([header, *rows]) + "\n")
    schema = (folder / "drawn" / "schema.json").read_text()
    (study / "schema.json").write_text(re.sub(r'"(\d)"', rf'"{CANARY}-\1"', schema))
    (folder / "study.toml").write_text(
        f'name = "hearts"\nsites = {SITES}\nschema = "study/schema.json"\n{SETTINGS}'
    )
    (folder / "policy.toml").write_text("")
    for site in SITES:
        (folder / f"{site}.toml").write_text(
            f'name = "{site}"\nkit = "kits/{site}"\ndata = "study/{site}.csv"\n'
            f'policy = "policy.toml"\nstate = "state/{site}"\n'
        )
    fedcdi.provision(folder / "study.toml", folder / "kits")
    expected = fedcdi.simulate(study, seed=2, rounds=3, patience=3, refine="never", moves="ignore")
    assert expected.edges, "an empty graph would compare nothing"
    expected.save(folder / "expected")
    return Case(folder)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """The study, made once."""
    return make(tmp_path_factory.mktemp("made"))


@pytest.fixture
def case(made: Case, tmp_path: Path) -> Case:
    """A copy of the study, for one test alone: nobody has answered anything."""
    folder = tmp_path / "case"
    shutil.copytree(made.folder, folder)
    return Case(folder)

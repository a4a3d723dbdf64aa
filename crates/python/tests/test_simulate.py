"""Federations on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import fedcdi
import pandas as pd
import pytest

from conftest import QUICK


def test_sites_keep_their_names(frame: pd.DataFrame) -> None:
    # A dot is part of a name, not the start of a file's extension.
    names = ["St. Gallen", "St. Moritz", "Basel"]
    parts = {name: frame.iloc[at::3] for at, name in enumerate(names)}
    result = fedcdi.simulate(parts, **QUICK)
    assert result.sites == sorted(names)
    assert "St. Moritz" in result.report()


def test_the_order_of_sites_does_not_matter(sites: fedcdi.Study) -> None:
    tables = {name: sites.table(name) for name in sites.sites}
    one = fedcdi.simulate(tables, **QUICK)
    other = fedcdi.simulate(dict(reversed(tables.items())), **QUICK)
    assert one.files == other.files


def test_sites_need_not_know_all_labels() -> None:
    a = pd.DataFrame({"x": ["no", "yes"] * 60, "y": ["low", "high"] * 60})
    b = pd.DataFrame({"x": ["no", "maybe"] * 60, "y": ["low", "low", "high"] * 40})
    result = fedcdi.simulate({"a": a, "b": b}, rounds=1)
    assert result.variables == ["x", "y"]


def test_one_table_is_divided(frame: pd.DataFrame) -> None:
    horizontal = fedcdi.simulate(frame, clients=2, **QUICK)
    vertical = fedcdi.simulate(frame, clients=2, split="vertical", **QUICK)
    assert len(horizontal.sites) == len(vertical.sites) == 2
    assert horizontal.files["belief.csv"] != vertical.files["belief.csv"]
    shares = fedcdi.simulate(frame, split="3/2", **QUICK)
    assert shares.files["belief.csv"] == vertical.files["belief.csv"]


def test_a_division_may_name_the_variables(study: fedcdi.Study) -> None:
    parts = {"explicit": [["X2", "X4"], ["X1", "X3", "X5"]]}
    first, second = fedcdi.simulate(study, clients=2, split=parts, **QUICK).sites
    divided = study.divide(2, parts)
    assert divided.sites == [first, second]
    assert set(divided.table(first)["intervention"]) == {"", "X2", "X4"}


def test_divide_gives_the_sites_of_a_run(frame: pd.DataFrame, study: fedcdi.Study) -> None:
    divided = study.divide(2, "vertical", seed=2)
    one = fedcdi.simulate(divided, **QUICK)
    other = fedcdi.simulate(frame, clients=2, split="vertical", **QUICK)
    assert one.files["belief.csv"] == other.files["belief.csv"]


@pytest.mark.parametrize("rule", ["evidence", "naive", "proximity", "median"])
def test_every_rule_runs(rule: str, sites: fedcdi.Study) -> None:
    more = {"pruning": "never", "grafting": "never"} if rule == "median" else {}
    by_name = fedcdi.simulate(sites, rule=rule, **more, **QUICK)
    assert by_name.files == fedcdi.simulate(sites, rule={"kind": rule}, **more, **QUICK).files


def test_a_comparison_says_what_each_site_would_have_found(sites: fedcdi.Study) -> None:
    result = fedcdi.simulate(sites, compare=True, **QUICK)
    assert result.comparison is not None
    assert list(result.comparison["isolated"]) == sites.sites
    for run in (*result.comparison["isolated"].values(), result.comparison["centralised"]):
        assert fedcdi.evaluate(run["edges"], sites)["shd"] == run["scores"]["shd"]
    assert result.comparison["centralised"]["scores"] is not None
    assert result.scores is not None
    assert fedcdi.simulate(sites, **QUICK).comparison is None


def test_a_rival_runs_among_sites(sites: fedcdi.Study) -> None:
    result = fedcdi.simulate(sites, method="gies")
    assert result.method == "gies"
    assert any(edge.votes for edge in result.edges)


def test_rows_of_a_study_are_pooled_by_discover(sites: fedcdi.Study) -> None:
    tables = {name: sites.table(name) for name in sites.sites}
    assert fedcdi.discover(sites, **QUICK).files["belief.csv"] == (
        fedcdi.discover(tables, **QUICK).files["belief.csv"]
    )


def test_interventions_rule_out_edges_unless_that_is_ignored(tmp_path: Path) -> None:
    study = fedcdi.generate(vars=4, categories=3, obs=600, int=400, graph="chain", seed=1)
    for moves in ("use", "ignore"):
        run = fedcdi.simulate(study, clients=2, split="vertical", moves=moves, **QUICK)
        run.save(tmp_path / moves)
        record = json.loads((tmp_path / moves / "run.json").read_text())
        assert ("moves" in record) == (moves == "use")
    with pytest.raises(fedcdi.InputError, match="ignore"):
        fedcdi.simulate(study, clients=2, moves="never", **QUICK)

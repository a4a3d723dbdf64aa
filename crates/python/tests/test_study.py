"""Studies: drawn, read, divided, inspected; and scores of graphs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import fedcdi
import networkx
import numpy as np
import pandas as pd
import pytest

from conftest import QUICK


def test_a_study_is_drawn_as_the_command_line_draws_it(binary: str, tmp_path: Path) -> None:
    flags = ["--vars", "6", "--degree", "1", "--categories", "4", "--obs", "200", "--int", "60", "--seed", "7"]
    subprocess.run([binary, "generate", *flags, "--out", tmp_path / "cli"], check=True, capture_output=True)
    fedcdi.generate(vars=6, degree=1, categories=4, obs=200, int=60, seed=7).save(tmp_path / "python")
    ours, theirs = ({p.name: p.read_text() for p in (tmp_path / n).iterdir()} for n in ("python", "cli"))
    assert ours == theirs


def test_networks_and_mechanisms() -> None:
    sachs = fedcdi.generate(network="sachs", obs=100, int=50)
    assert "PKA" in sachs.variables
    assert ("PKA", "Erk") in (sachs.truth or [])
    real = fedcdi.generate(vars=4, degree=1, mechanism="additive", obs=50, int=20)
    rows = real.table()
    assert isinstance(rows, pd.DataFrame)
    assert rows["X1"].dtype.kind == "f"
    chain = fedcdi.generate(vars=4, graph="chain", obs=50, int=20)
    assert len(chain.truth or []) == 3


def test_tables_and_sites(sites: fedcdi.Study) -> None:
    assert repr(sites) == "<fedcdi.Study: 3 sites, 5 variables>"
    rows = [sites.table(name) for name in sites.sites]
    assert sum(len(table) for table in rows) == 700
    with pytest.raises(fedcdi.InputError, match="name one of them"):
        sites.table()
    with pytest.raises(fedcdi.InputError, match="the sites are"):
        sites.table("nowhere")


def test_a_study_is_saved_and_read(sites: fedcdi.Study, tmp_path: Path) -> None:
    for form in ("csv", "parquet"):
        sites.save(tmp_path / form, format=form)
        again = fedcdi.Study.read(tmp_path / form)
        assert again.sites == sites.sites
        assert again.truth == sites.truth
        for name in again.sites:
            assert pd.DataFrame(again.table(name)).equals(pd.DataFrame(sites.table(name)))
    with pytest.raises(fedcdi.InputError, match="choose csv or parquet"):
        sites.save(tmp_path / "xlsx", format="xlsx")
    with pytest.raises(fedcdi.InputError, match="overwrite=True"):
        sites.divide(2).save(tmp_path / "csv")


def test_inspect_is_what_the_command_line_prints(binary: str, table: Path, frame: pd.DataFrame) -> None:
    printed = subprocess.run([binary, "inspect", table, "--json"], check=True, capture_output=True, text=True)
    theirs = json.loads(printed.stdout)
    ours = fedcdi.inspect(frame)
    assert ours["clients"] == theirs["clients"]
    assert ours["n_samples"] == 700


def test_inspect_warns_about_identifiers(frame: pd.DataFrame) -> None:
    found = fedcdi.inspect(frame.assign(patient=np.arange(len(frame))))
    (warning,) = [text for text in found["warnings"] if "patient" in text]
    assert 'pass real=["patient"]' in warning


def test_graphs_of_all_kinds_are_scored(study: fedcdi.Study, found: fedcdi.Result) -> None:
    truth = study.truth
    assert truth is not None
    perfect = fedcdi.evaluate(truth, study)
    assert (perfect["shd"], perfect["sid"], perfect["f1"]) == (0, 0, 1.0)
    # One edge of four is missing.
    assert fedcdi.evaluate(truth[1:], study)["shd"] == 1
    graph = networkx.DiGraph(truth)
    graph.add_nodes_from(study.variables)
    assert fedcdi.evaluate(graph, study) == perfect
    ours = fedcdi.evaluate(found, study)
    assert "auroc" in ours
    assert ours["shd"] == fedcdi.evaluate(found.edges, study)["shd"]
    # Turned edges count once.
    turned = fedcdi.evaluate([("b", "a")], [("a", "b")])
    assert (turned["shd"], turned["reversed"]) == (1, 1)


def test_variables_without_edges_count(study: fedcdi.Study) -> None:
    few = fedcdi.evaluate([("a", "b")], [("a", "b")])
    many = fedcdi.evaluate([("a", "b")], [("a", "b")], variables=["a", "b", "c"])
    assert few["shd"] == many["shd"] == 0


def test_methods_list_their_settings() -> None:
    methods = {method["name"]: method for method in fedcdi.methods()}
    assert set(methods) >= {"enco", "sdi", "dcdi", "gies", "igsp", "ut-igsp", "notears", "feddag"}
    assert methods["enco"]["settings"]["batch"] > 0
    assert methods["enco"]["federated"] is True
    assert all(method["summary"] and method["needs"] for method in methods.values())


def test_settings_reach_the_method(frame: pd.DataFrame) -> None:
    result = fedcdi.discover(frame, hidden=np.array([8, 8]), sparsity=np.float64(0.002), **QUICK)
    assert "sparsity = 0.002" in result.files["spec.toml"]

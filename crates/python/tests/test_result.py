"""What a run came to, and what can be kept of it."""

from __future__ import annotations

import copy
import json
import pickle
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import fedcdi
import networkx
import pandas as pd
import pytest

from conftest import QUICK


def test_edges_are_named_and_likely(found: fedcdi.Result) -> None:
    first = found.edges[0]
    assert isinstance(first, fedcdi.Edge)
    assert {first.cause, first.effect} <= set(found.variables)
    assert repr(fedcdi.Edge("a", "b", 0.5)) == "Edge(cause='a', effect='b', probability=0.5)"
    likely = [edge.probability for edge in found.edges]
    assert all(p is not None and 0.5 <= p <= 1.0 for p in likely)
    assert likely == sorted(likely, reverse=True)


def test_the_graph_is_networkx(found: fedcdi.Result) -> None:
    graph = found.graph
    assert networkx.is_directed_acyclic_graph(graph)
    assert list(graph.nodes) == found.variables
    assert set(graph.edges) == {(edge.cause, edge.effect) for edge in found.edges}
    edge = found.edges[0]
    assert graph.edges[edge.cause, edge.effect]["probability"] == edge.probability


def test_probabilities_are_a_frame_with_causes_in_rows(found: fedcdi.Result) -> None:
    frame = found.probabilities
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.index) == list(frame.columns) == found.variables
    for edge in found.edges:
        assert frame.loc[edge.cause, edge.effect] == edge.probability
    written = pd.read_csv(_text(found.files["probabilities.csv"]), index_col=0)
    assert (written.to_numpy() == frame.to_numpy()).all()


def _text(text: str) -> object:
    import io

    return io.StringIO(text)


def test_dot_and_dagitty(found: fedcdi.Result) -> None:
    edge = found.edges[0]
    assert found.to_dot().startswith("digraph")
    assert re.search(rf'"?{edge.cause}"? -> "?{edge.effect}"?', found.to_dot())
    assert found.to_dagitty().startswith("dag {")


def test_a_run_folder_is_written_once(found: fedcdi.Result, tmp_path: Path) -> None:
    out = tmp_path / "run"
    found.save(out)
    assert {path.name: path.read_text() for path in out.iterdir()} == found.files
    found.save(str(out))  # the same again changes nothing
    other = fedcdi.Result(found._run)
    other.save(out)


def test_another_run_is_replaced_only_on_request(
    found: fedcdi.Result, frame: pd.DataFrame, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    found.save(out)
    other = fedcdi.discover(frame, rounds=1, seed=3)
    with pytest.raises(fedcdi.InputError, match="overwrite=True"):
        other.save(out)
    other.save(out, overwrite=True)
    assert (out / "belief.csv").read_text() == other.files["belief.csv"]
    (out / "mine.txt").write_text("precious")
    with pytest.raises(fedcdi.InputError):
        found.save(out, overwrite=True)
    assert (out / "mine.txt").read_text() == "precious"


def test_a_pickle_keeps_everything(found: fedcdi.Result, tmp_path: Path) -> None:
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.files == found.files
    assert again.report() == found.report()
    assert again._repr_html_() == found._repr_html_()
    assert again.to_dot() == found.to_dot()
    again.save(tmp_path / "run")
    assert (tmp_path / "run" / "graph.json").read_text() == found.files["graph.json"]
    assert pickle.loads(pickle.dumps(again)) == found
    assert copy.deepcopy(found) == found


def test_a_pickle_opens_in_another_process(found: fedcdi.Result, tmp_path: Path) -> None:
    path = tmp_path / "result.pickle"
    path.write_bytes(pickle.dumps(found))
    code = "import pickle, sys; r = pickle.load(open(sys.argv[1], 'rb')); print(r.to_dot(), end='')"
    printed = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert printed.stdout == found.to_dot()


def test_a_pickle_with_a_file_of_its_own_is_refused(found: fedcdi.Result) -> None:
    state = found.__getstate__()
    state["files"] = {**state["files"], "../escape.sh": "rm"}
    with pytest.raises(fedcdi.InputError, match="no file of a run"):
        fedcdi.Result.__new__(fedcdi.Result).__setstate__(state)


class _Parts(HTMLParser):
    """Tags and addresses of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} has {name}"
            if name in ("src", "href", "xlink:href"):
                self.addresses.append(value or "")


def test_the_drawing_needs_nothing_from_outside(found: fedcdi.Result) -> None:
    page = found._repr_html_()
    parts = _Parts(page)
    assert "svg" in parts.tags
    assert not {"script", "iframe", "link", "img", "object"} & set(parts.tags)
    assert all(address.startswith("#") for address in parts.addresses)
    assert "url(http" not in page and "@import" not in page
    for variable in found.variables:
        assert variable in page


def test_names_of_variables_cannot_smuggle_in_a_script(frame: pd.DataFrame) -> None:
    name = "<script>alert(1)</script>"
    spoiled = frame.rename(columns={"X1": name})
    spoiled["intervention"] = spoiled["intervention"].replace("X1", name)
    result = fedcdi.discover(spoiled, **QUICK)
    assert "<script>alert" not in result._repr_html_()
    assert "<script>alert" not in result.report()


def test_the_report_is_a_whole_page(found: fedcdi.Result) -> None:
    page = found.report()
    assert page.lower().startswith("<!doctype html>")
    for address in _Parts(page).addresses:
        assert not address.startswith(("http:", "//")), address
    assert page == found.files["report.html"]


def test_scores_are_there_where_the_truth_is(study: fedcdi.Study, found: fedcdi.Result) -> None:
    assert found.scores is None
    scored = fedcdi.discover(study, **QUICK)
    assert scored.scores is not None
    assert fedcdi.evaluate(scored, study)["shd"] == json.loads(scored.files["run.json"])["scores"]["shd"]


def test_methods_without_probabilities_say_so(frame: pd.DataFrame) -> None:
    result = fedcdi.discover(frame, method="gies")
    assert result.probabilities is None
    assert result.rounds == []
    assert all(edge.probability is None for edge in result.edges)
    assert isinstance(result.edges[0].directed, bool)
    assert set(result.graph.edges) == {(edge.cause, edge.effect) for edge in result.edges}


def test_what_it_says_of_itself(found: fedcdi.Result) -> None:
    assert repr(found) == f"<fedcdi.Result: {len(found.edges)} edges among 5 variables, by enco>"
    assert found.method == "enco"
    assert found.stop in ("converged", "round_limit", "stable_graph")
    assert len(found.rounds) == 3
    assert found != object()

"""What a run came to."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    import networkx
    import pandas


@dataclass(frozen=True)
class Edge:
    """A direct effect."""

    cause: str
    effect: str
    #: How likely it is, in this direction, of a method that keeps a belief.
    probability: float | None = None
    #: The share of all rows whose sites drew it, where sites voted.
    votes: float | None = None
    #: Nats that the score of all rows loses without it, where there was a search by scores.
    gain: float | None = None
    #: Nats that the score of all rows loses if it is turned, where there was a search by scores.
    turn: float | None = None
    #: How likely it is that there is an edge, in either direction.
    joined: float | None = None
    #: Whether the data shows its direction, where the method knows.
    directed: bool | None = None
    #: What is known of its direction, and from what.
    known: str | None = None

    def __repr__(self) -> str:
        known = {key: value for key, value in vars(self).items() if value is not None}
        return f"Edge({', '.join(f'{key}={value!r}' for key, value in known.items())})"


def _found(run: dict[str, Any]) -> dict[str, Any]:
    return {"edges": [Edge(**edge) for edge in run["edges"]], "scores": run["scores"]}


class Result:
    """A causal graph, how sure it is, and everything that a run leaves behind.

    It shows itself in a notebook, pickles, and saves the same folder as the command line does.
    """

    def __init__(self, run: _native.Run) -> None:
        self._run = run
        self._summary: dict[str, Any] = json.loads(run.summary() or "{}")

    # What was found.

    @property
    def edges(self) -> list[Edge]:
        """The edges, likeliest first where that is known."""
        return [Edge(**edge) for edge in self._summary["edges"]]

    @property
    def variables(self) -> list[str]:
        """All variables, in the order of the table."""
        return list(self._summary["variables"])

    @property
    def graph(self) -> networkx.DiGraph[str]:
        """The graph as a ``networkx.DiGraph``; needs networkx."""
        try:
            import networkx
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "Result.graph needs networkx: pip install networkx, or use Result.edges"
            ) from error
        graph: networkx.DiGraph[str] = networkx.DiGraph()
        graph.add_nodes_from(self.variables)
        for edge in self._summary["edges"]:
            rest = {key: value for key, value in edge.items() if key not in ("cause", "effect")}
            graph.add_edge(edge["cause"], edge["effect"], **rest)
        return graph

    @property
    def probabilities(self) -> pandas.DataFrame | dict[str, dict[str, float]] | None:
        """Probability of every edge, causes in rows: a DataFrame where pandas is installed, else nested dicts.

        None of methods that give no probabilities.
        """
        matrix = self._summary["probabilities"]
        if matrix is None:
            return None
        names = self.variables
        try:
            import pandas
        except ModuleNotFoundError:
            return {cause: dict(zip(names, row)) for cause, row in zip(names, matrix)}
        frame = pandas.DataFrame(matrix, index=names, columns=names)
        return frame.rename_axis(index="cause", columns="effect")

    @property
    def next_experiment(self) -> dict[str, Any] | None:
        """The experiment that would settle most directions, if one would.

        ``set`` is the variable, ``settles`` how many directions it is expected to settle of the ``open`` ones,
        ``rows`` how many rows should tell.
        """
        found = self._summary["next"]
        return None if found is None else dict(found)

    @property
    def method(self) -> str:
        """The method, by name."""
        return str(self._summary["method"])

    @property
    def warnings(self) -> list[str]:
        """What a reader of the graph must know first."""
        return list(self._summary["warnings"])

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """A record of every round; empty for methods without rounds."""
        return list(self._summary["rounds"])

    @property
    def stop(self) -> str:
        """Why the run ended: ``converged``, ``round_limit``, ..."""
        return str(self._summary["stop"])

    @property
    def scores(self) -> dict[str, Any] | None:
        """Scores against the truth, where it is known."""
        scores = self._summary["scores"]
        return None if scores is None else dict(scores)

    @property
    def sites(self) -> list[str]:
        """Names of the sites."""
        return [site["name"] for site in self._summary["sites"]]

    @property
    def comparison(self) -> dict[str, Any] | None:
        """What all rows in one place give (``centralised``), and every site alone (``isolated``, by name).

        Each has ``edges``, and ``scores`` where the truth is known. None without ``compare=True``.
        """
        compare = self._summary["compare"]
        if compare is None:
            return None
        isolated = zip(self.sites, compare["isolated"])
        return {
            "centralised": _found(compare["centralised"]),
            "isolated": {site: _found(run) for site, run in isolated},
        }

    # What can be kept of it.

    def to_dot(self) -> str:
        """The graph for Graphviz."""
        return self._file("graph.dot")

    def to_dagitty(self) -> str:
        """The graph for DAGitty."""
        from .errors import InputError

        try:
            return self._file("graph.dagitty")
        except KeyError:
            raise InputError(
                "a variable has a name that DAGitty cannot read; rename it to letters and digits"
            ) from None

    def report(self) -> str:
        """The whole run as one HTML page."""
        return self._file("report.html")

    @property
    def files(self) -> Mapping[str, str]:
        """Every file of the run's folder by name, as text."""
        return self._run.files()

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the folder of the run: graph, probabilities, settings and report.

        A folder that holds another run is replaced only with ``overwrite=True``, and one that holds anything
        else never.
        """
        self._run.save(os.fspath(folder), overwrite)

    def _file(self, name: str) -> str:
        return self._run.files()[name]

    def _repr_html_(self) -> str:
        return self._run.drawing()

    def __repr__(self) -> str:
        edges = len(self._summary["edges"])
        return f"<fedcdi.Result: {edges} edges among {len(self.variables)} variables, by {self.method}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._summary == other._summary

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {
            "summary": self._summary,
            "files": dict(self._run.files()),
            "drawing": self._run.drawing(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._summary = state["summary"]
        self._run = _native.Run.restored(state["files"], state["drawing"])

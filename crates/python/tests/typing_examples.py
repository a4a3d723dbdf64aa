"""What people write, for mypy --strict: every line must have the type that its author expects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fedcdi
import networkx
import numpy as np
import pandas as pd
import polars as pl


def first_graph(frame: pd.DataFrame) -> list[tuple[str, str, float | None]]:
    result: fedcdi.Result = fedcdi.discover(frame, intervention="treated", seed=1, rounds=5)
    graph: networkx.DiGraph[str] = result.graph
    names: list[str] = list(graph.nodes)
    assert names == result.variables
    result.save(Path("run"), overwrite=True)
    page: str = result.report()
    assert page and result.to_dot() and result.to_dagitty()
    return [(edge.cause, edge.effect, edge.probability) for edge in result.edges]


def every_kind_of_table(path: Path, frame: pl.DataFrame, array: Any) -> list[fedcdi.Result]:
    return [
        fedcdi.discover(path),
        fedcdi.discover(str(path), knowledge="known.toml"),
        fedcdi.discover(frame, missing="drop", real=["age"]),
        fedcdi.discover({"a": array, "b": [1, 2, 3]}, intervention=[None, "a", ("a", "b")]),
        fedcdi.discover(frame, knowledge={"required": [("a", "b")]}, progress=print),
        fedcdi.discover(frame, method="sdi", progress=False, threads=2),
    ]


def among_sites(tables: dict[str, pd.DataFrame]) -> int:
    result = fedcdi.simulate(tables, rule={"kind": "proximity", "beta": 10}, compare=True)
    comparison = result.comparison
    assert comparison is not None
    study: fedcdi.Study = fedcdi.generate(network="sachs", obs=100, int=50)
    scores: dict[str, Any] = fedcdi.evaluate(result, study)
    divided: fedcdi.Study = study.divide(4, "vertical")
    truth: list[tuple[str, str]] | None = divided.truth
    assert truth is not None
    return int(scores["shd"])


class Cautious:
    def terms(self, site: fedcdi.own.Opinion) -> tuple[Any, int]:
        return site.rows * site.psi, site.rows

    def finish(self, weighted: Any, rows: float) -> Any:
        return weighted / rows


class Mine:
    def __init__(self, table: pd.DataFrame, seed: int) -> None:
        self.n_vars = table.shape[1] - 1

    def update(self, prior: Any, round: int) -> Any:
        return np.full((self.n_vars, self.n_vars), 0.5)


def own_parts(study: fedcdi.Study) -> None:
    rule: fedcdi.own.Rule = Cautious()
    fedcdi.simulate(study, rule=rule, clients=3)
    fedcdi.simulate(study, method=Mine)


def estimator(frame: pd.DataFrame) -> fedcdi.FedCDI:
    fitted: fedcdi.FedCDI = fedcdi.FedCDI(method="enco", rounds=3).fit(frame, intervention="treated")
    params: dict[str, Any] = fitted.get_params()
    return fitted.set_params(**params)


def carrier(kit: Path, state: Path) -> fedcdi.Result:
    coordinator = fedcdi.Coordinator(kit, state)
    site = fedcdi.Site.open("site.toml")
    for name, question in coordinator.questions():
        answer: bytes = site.answer(question)
        became: str = coordinator.receive(name, answer)
        assert became in ("taken", "repeated", "refused")
    return coordinator.result()


def mistakes(frame: pd.DataFrame) -> str:
    try:
        fedcdi.discover(frame, method="enc")
    except fedcdi.InputError as error:
        return str(error)
    except (fedcdi.RunError, fedcdi.FedcdiError):
        raise
    return ""

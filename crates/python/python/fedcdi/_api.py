"""What people call."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _columns, _native, own
from ._arguments import in_json, whole
from ._progress import Callback, progress_bar
from ._result import Edge, Result
from ._study import Study, split_of, study_of
from .errors import InputError

log = logging.getLogger("fedcdi")

#: What is known beforehand: ``required`` and ``forbidden`` edges, and ``tiers``; or a TOML file with them.
Knowledge = Mapping[str, Any] | str | os.PathLike[str]


def discover(
    data: Any,
    method: str | Any = "enco",
    intervention: str | Iterable[Any] = _columns.INTERVENTION,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    *,
    missing: str = "refuse",
    real: Iterable[str] | str = (),
    schema: str | os.PathLike[str] | None = None,
    refine: str | Mapping[str, Any] | None = None,
    moves: str | None = None,
    paper: bool = False,
    progress: bool | Callback | None = None,
    threads: int = 0,
    **settings: Any,
) -> Result:
    """The causal graph behind a table.

    ``data`` is a pandas, polars or pyarrow frame, a dict of columns, a :class:`Study`, or a path to a table or
    study folder. Whole numbers, text and booleans are categories; floating-point columns are measurements.

    ``intervention`` names the column that says what was set in each row (empty: nothing), or is a list with
    one entry per row: None, a name, or several names.

    ``method`` is a name (``fedcdi.methods()`` lists all), or a class of one's own (:mod:`fedcdi.own`).

    ``knowledge`` is what is known beforehand: a dict, or a TOML file, with ``required`` and ``forbidden`` edges
    as pairs (cause, effect), and ``tiers``, lists of variables of which later ones never cause earlier ones.

    How a table is read: ``missing`` values are a mistake (``refuse``), ``drop`` their row, or are a ``category``
    of their own. ``real`` names columns that are measurements, though they hold whole numbers or text; ``all``
    for all of them. ``schema`` is a file with the variables and categories to expect.

    ``refine`` says whether scores of all rows refine the graph of the last round: ``"usual"``, ``"never"``, or
    the settings of the search as a dict, such as ``{"level": 0.01}``. ``moves`` says whether interventions rule
    out edges whose effect does not move when the cause is set: ``"use"`` or
    ``"ignore"``, and left out ``"use"``, except with ``method="score"``.

    ``paper=True`` takes every setting from the FedCDI paper. ``progress`` is True, False, or a function of the
    rounds done and a text; without it progress is shown in notebooks and terminals. ``threads`` limits the
    processor cores; 0 takes all, and the result is the same.

    ``settings`` are those of the method (``fedcdi.methods()`` lists them) and of the rounds, such as
    ``rounds=20``. The result is the same, byte for byte, as that of ``fedcdi discover`` with the same seed.
    """
    native, source = study_of(data, intervention, _reading(missing, real, schema))
    spec = {**source, **_refined(refine, moves), "clients": 1, "seed": whole(seed, "seed")}
    return _learn(native, spec, method, None, knowledge, paper, settings, progress, threads)


def simulate(
    data: Any = None,
    method: str | Any = "enco",
    intervention: str | Iterable[Any] = _columns.INTERVENTION,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    *,
    clients: int | None = None,
    split: str | Mapping[str, Any] | None = None,
    rule: str | Mapping[str, Any] | Any = None,
    compare: bool = False,
    missing: str = "refuse",
    real: Iterable[str] | str = (),
    schema: str | os.PathLike[str] | None = None,
    refine: str | Mapping[str, Any] | None = None,
    moves: str | None = None,
    paper: bool = False,
    progress: bool | Callback | None = None,
    threads: int = 0,
    **settings: Any,
) -> Result:
    """A federation on this machine: every site learns from its own rows, and only answers travel.

    ``data`` is a dict of tables by site, a study folder, a :class:`Study`, or one table that ``clients`` divides;
    without it a random study is divided. ``clients`` divides the rows of several sites anew. ``split`` says who gets which interventions: ``horizontal``, ``vertical``, or numbers such as ``"16/4"``.

    ``rule`` combines beliefs: ``evidence`` (the default), ``naive``, ``proximity``, ``median``, a dict such as
    ``{"kind": "proximity", "beta": 10}``, or an object of one's own with ``terms`` and ``finish``
    (:mod:`fedcdi.own`). ``compare=True`` also learns from all rows in one place, and at every site alone.

    All other arguments are those of :func:`discover`.
    """
    if data is None:
        source: dict[str, Any] = {"data": _drawn()}
        native = _native.Study.draw(in_json(source["data"]), whole(seed, "seed"))
    else:
        native, source = study_of(data, intervention, _reading(missing, real, schema))
    spec = {**source, **_refined(refine, moves), "seed": whole(seed, "seed"), "compare": bool(compare)}
    if split is not None:
        spec["split"] = split_of(split, native.variables())
        if clients is None and isinstance(split, str) and "/" in split:
            clients = len(split.split("/"))
    if clients is not None:
        spec["clients"] = whole(clients, "clients")
        if spec["clients"] < 2:
            raise InputError(
                f"a federation needs at least 2 sites, clients is {clients}; raise it, or use fedcdi.discover"
            )
    return _learn(native, spec, method, rule, knowledge, paper, settings, progress, threads)


def generate(
    vars: int = 20,
    categories: int | None = None,
    obs: int = 10_000,
    int: int = 2_000,
    graph: str | Mapping[str, Any] = "er",
    degree: float = 2.0,
    network: str | None = None,
    mechanism: str = "categorical",
    seed: int = 0,
) -> Study:
    """A study from a random causal graph, or from a known ``network``: asia, sachs or alarm.

    A random graph has ``vars`` variables with ``categories`` each (10), and ``degree`` edges per variable.
    ``graph`` is ``er`` (any edge is as likely), ``chain``, ``bidiag``, ``collider``, ``full`` or ``jungle``.

    ``obs`` rows are observational; ``int`` rows in all are interventional, spread evenly over all variables.
    ``mechanism`` is categorical, or linear, additive or neural for real variables. The same ``seed`` gives the
    same rows. The truth is known, so that results are scored.
    """
    if whole(obs, "obs") + whole(int, "int") == 0:
        raise InputError("a study without rows is none; raise obs or int")
    if network is not None:
        data: dict[str, Any] = {"network": {"name": network, "obs": obs, "int": int}}
    else:
        kind = _kind(graph, "graph")
        if kind["kind"] == "er":
            kind.setdefault("degree", degree)
        data = _drawn(vars=whole(vars, "vars"), obs=obs, int=int, graph=kind)
        if categories is not None:
            if whole(categories, "categories") < 2:
                raise InputError("a variable of one category has nothing to learn; raise categories to 2 or more")
            data["generated"]["categories"] = categories
        if mechanism != "categorical":
            data["generated"]["real"] = {"mechanism": mechanism}
    return Study(_native.Study.draw(in_json(data), whole(seed, "seed")))


def _drawn(**settings: Any) -> dict[str, Any]:
    """A random study as a spec has it; what is left out has its default there."""
    return {"generated": settings}


def inspect(
    data: Any,
    intervention: str | Iterable[Any] = _columns.INTERVENTION,
    *,
    missing: str = "refuse",
    real: Iterable[str] | str = (),
    schema: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """What a table or study holds, what deserves a second look, and whether it is enough to learn from."""
    native, _ = study_of(data, intervention, _reading(missing, real, schema))
    found: dict[str, Any] = json.loads(native.inspect())
    found["warnings"] = native.warnings()
    return found


def evaluate(found: Any, truth: Any, variables: Iterable[str] | None = None) -> dict[str, Any]:
    """Scores of a found graph against the true one: SHD, SID, precision, recall, and of probabilities.

    Both are a :class:`Result`, a :class:`Study` (its truth), a ``networkx.DiGraph``, or edges as pairs
    ``(cause, effect)``. ``variables`` lists all variables where edges alone do not name them.
    """
    true_names, true_edges, _ = _graph_of(truth, "truth")
    names, edges, probabilities = _graph_of(found, "found")
    if names is None and true_names is None and variables is None:
        every = dict.fromkeys(end for edge in [*true_edges, *edges] for end in edge)
        names = list(every)
    every_name = names or true_names
    if every_name is None:
        every_name = list(variables or [])
    elif variables is not None and set(variables) != set(every_name):
        raise InputError(
            f"variables must be those of the graph, which are {', '.join(every_name)}; leave them out"
        )
    graph, ranked = json.loads(_native.evaluate(every_name, true_edges, edges, probabilities))
    return {**graph, **(ranked or {})}


def methods() -> list[dict[str, Any]]:
    """Every method: what it does, needs and takes, and its settings with their defaults."""
    entries: list[dict[str, Any]] = json.loads(_native.methods())
    return entries


def _learn(
    native: _native.Study,
    spec: dict[str, Any],
    method: Any,
    rule: Any,
    knowledge: Knowledge | None,
    paper: bool,
    settings: dict[str, Any],
    progress: bool | Callback | None,
    threads: int,
) -> Result:
    own_parts: list[tuple[str, str, Any]] = []
    if isinstance(method, str):
        spec["method"] = {"name": method}
    else:
        if not callable(method):
            raise InputError(
                "method must be a name, or a class that is made with a site's table and a seed; see fedcdi.own"
            )
        spec["method"] = {"name": own._name(method)}
        own_parts.append(("method", own._name(method), own._MethodAdapter(method)))
    if isinstance(rule, (str, Mapping)):
        spec["aggregate"] = _kind(rule, "rule")
    elif rule is not None:
        has_both = all(callable(getattr(rule, part, None)) for part in ("terms", "finish"))
        if isinstance(rule, type) or not has_both:
            raise InputError(
                "rule must be a name, a dict with its settings, or an object with terms and finish; see fedcdi.own"
            )
        spec["aggregate"] = {"kind": own._name(rule)}
        own_parts.append(("rule", own._name(rule), own._RuleAdapter(rule)))
    if knowledge is not None:
        spec["knowledge"] = _knowledge(knowledge)
    if paper:
        spec["preset"] = "paper"
    for warning in native.warnings():
        log.warning(warning)
    with progress_bar(progress, "fedcdi") as show:
        run, warnings = _native.learn(
            native, in_json(spec), in_json(settings), whole(threads, "threads"), show, own_parts
        )
    for warning in warnings:
        log.warning(warning)
    return Result(run)


def _reading(
    missing: str, real: Iterable[str] | str, schema: str | os.PathLike[str] | None
) -> dict[str, Any]:
    known = {"refuse": "refuse", "drop": "drop_row", "category": "category"}
    if missing not in known:
        raise InputError(f"missing is {missing!r}; choose refuse, drop or category")
    read: dict[str, Any] = {"missing": known[missing]}
    if not isinstance(real, Iterable):
        raise InputError(f"real is {real!r}; pass names of columns, or 'all'")
    if real == "all":
        read["real"] = "all"
    else:
        names = [real] if isinstance(real, str) else [str(name) for name in real]
        read |= {"real": {"named": names}} if names else {}
    if schema is not None:
        read["schema"] = os.path.abspath(os.fspath(schema))
    return read


def _knowledge(knowledge: Knowledge) -> Any:
    if isinstance(knowledge, Mapping):
        return dict(knowledge)
    if not isinstance(knowledge, (str, os.PathLike)):
        raise InputError(
            f"knowledge is a {type(knowledge).__name__}; pass a dict with required, forbidden and tiers, "
            "or the path of a TOML file"
        )
    try:
        import tomllib
    except ModuleNotFoundError:
        raise InputError(
            "reading knowledge from a file needs Python 3.11; pass a dict with required, forbidden and tiers"
        ) from None
    try:
        with open(knowledge, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise InputError(
            f"{os.fspath(knowledge)}: {error.strerror}; pass a TOML file or a dict"
        ) from error
    except ValueError as error:
        raise InputError(
            f"{os.fspath(knowledge)}: {error}; pass a TOML file or a dict"
        ) from error


def _refined(refine: str | Mapping[str, Any] | None, moves: str | None) -> dict[str, Any]:
    said = {"refine": dict(refine) if isinstance(refine, Mapping) else refine, "moves": moves}
    return {key: value for key, value in said.items() if value is not None}


def _kind(choice: str | Mapping[str, Any], argument: str) -> dict[str, Any]:
    if isinstance(choice, str):
        return {"kind": choice}
    if isinstance(choice, Mapping) and "kind" in choice:
        return dict(choice)
    raise InputError(
        f"{argument} is {choice!r}; pass a name, or a dict with its kind and settings, as in "
        "{'kind': name, ...}"
    )


Graph = tuple[list[str] | None, list[tuple[str, str]], list[list[float]] | None]


def _graph_of(graph: Any, argument: str) -> Graph:
    if isinstance(graph, Result):
        return graph.variables, [(e.cause, e.effect) for e in graph.edges], graph._summary["probabilities"]
    if isinstance(graph, Study):
        if graph.truth is None:
            raise InputError(f"{argument}: the study has no true graph; pass one as edges")
        return graph.variables, graph.truth, None
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        names = [str(node) for node in graph.nodes]
        return names, [(str(cause), str(effect)) for cause, effect in graph.edges], None
    if isinstance(graph, Iterable) and not isinstance(graph, (str, bytes)):
        edges = [(e.cause, e.effect) if isinstance(e, Edge) else e for e in graph]
        if all(isinstance(e, (tuple, list)) and len(e) == 2 for e in edges):
            return None, [(str(cause), str(effect)) for cause, effect in edges], None
    raise InputError(
        f"{argument} must be a Result, a Study, a networkx graph, or edges as pairs (cause, effect)"
    )

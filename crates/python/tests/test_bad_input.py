"""What a caller can get wrong: every mistake has its own message, with what to do about it in Python's words."""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fedcdi
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

N = 700
Frame = pd.DataFrame
Case = tuple[str, Callable[[Frame], Any]]


def with_x(values: Any) -> Callable[[Frame], Frame]:
    """The frame with these values in column X1."""
    return lambda frame: frame.assign(X1=values)


def pair(first: Any, second: Any = (0, 1)) -> dict[str, Any]:
    """A table of two rows."""
    return {"a": first, "b": list(second), "intervention": ["", ""]}


#: What makes a table out of a good frame -> what the message says.
TABLES: dict[str, Case] = {
    "a missing number": ('pass missing="drop"', with_x([np.nan] + [0.5] * (N - 1))),
    "a missing label": ('pass missing="drop" or missing="category"', with_x([None] + ["a"] * (N - 1))),
    "a missing whole number": (
        'row 1, column "X1": the value is missing; fill it in',
        with_x(pd.array([None] + [1] * (N - 1), dtype="Int64")),
    ),
    "an infinite number": ('"inf" is not a finite number', with_x([np.inf] + [0.5] * (N - 1))),
    "columns twice": (
        'column "X1": the name occurs twice in the header; rename one of the columns',
        lambda frame: pd.concat([frame, frame[["X1"]]], axis=1),
    ),
    "columns twice as text": (
        'column "1": the name occurs twice',
        lambda _: {1: [1, 2], "1": [1, 2], "intervention": ["", ""]},
    ),
    "columns twice in Arrow": (
        'column "a": the name occurs twice',
        lambda _: pa.table([pa.array(["a", "b"])] * 2, names=["a", "a"]),
    ),
    "a column without name": ("column number 1 has no name; name it", lambda f: f.rename(columns={"X1": ""})),
    "numbers and text": ("column 'X1' mixes int and str; make it one type", with_x([1, "a"] * (N // 2))),
    "booleans and numbers": ("column 'X1' mixes bool and int", with_x(pd.Series([True, 2] * (N // 2), dtype=object))),
    "lists in a column": ("column 'X1' holds values of type list", with_x([[1]] * N)),
    "dicts in a column": ("column 'X1' holds values of type dict", with_x([{}] * N)),
    "decimals": ("column 'a' holds values of type Decimal", lambda _: pair([decimal.Decimal(1)] * 2)),
    "bytes": ("column 'a' holds bytes; decode them to text first", lambda _: pair([b"a", b"b"])),
    "bytes of numpy": ("column 'a' holds bytes; decode them", lambda _: pair(np.array([b"a", b"b"]))),
    "bytes of polars": ("store the column as text or integers", lambda _: pl.DataFrame(pair([b"a", b"b"]))),
    "times": ("holds values of type datetime64", with_x(pd.Timestamp("2020-01-01"))),
    "times with a zone": ("holds values of type Timestamp", with_x(pd.Timestamp("2020-01-01", tz="UTC"))),
    "durations": ("holds values of type timedelta64", with_x(pd.Timedelta("1 day"))),
    "dates of polars": (
        "values of type Date32 are not categories; store the column as text",
        lambda _: pl.DataFrame(pair([datetime.date(2020, 1, 1)] * 2)),
    ),
    "dates in a list": ("holds values of type date", lambda _: pair([datetime.date(2020, 1, 1)] * 2)),
    "complex numbers": ("holds values of type complex128", with_x(1j)),
    "complex numbers in a list": ("holds values of type complex", lambda _: pair([1j, 2j])),
    "intervals": ("holds values of type Interval", with_x(pd.cut(np.arange(N), 3))),
    "text that is not Unicode": ("column \"a\" holds text that is not Unicode", lambda _: pair(["\ud800", "b"])),
    "a name that is not Unicode": ("of a column is not Unicode", lambda _: {"\ud800": [1, 2]}),
    "columns of different lengths": (
        'column "b" has 3 rows, column "a" has 2; columns must be equally long',
        lambda _: pair([0, 1], [0, 1, 0]),
    ),
    "a matrix as a column": ("column 'a' has 2 dimensions", lambda _: pair(np.zeros((2, 2)))),
    "text as a column": ("column 'a' is of type str; pass a list", lambda _: pair("ab")),
    "a number as a column": ("column 'a' is of type int; pass a list", lambda _: pair(3)),
    "a frame as a column": ("column 'a' is of type DataFrame", lambda frame: pair(frame)),
    "a million categories": (
        'the column is probably continuous: pass real=["a"], bin its values, or remove it',
        lambda _: {"a": np.arange(100_000), "b": np.arange(100_000) % 2},
    ),
    "an empty frame": ("the table has no columns; pass one per variable", lambda _: pd.DataFrame()),
    "an empty dict": ("the table has no columns", lambda _: {}),
    "an empty frame of polars": ("the table has no variables; add one named column", lambda _: pl.DataFrame()),
    "an empty table of Arrow": ("the table has no variables", lambda _: pa.table({})),
    "no rows": ("the table has no rows; add one row per sample", lambda frame: frame.iloc[:0]),
    "no rows in lists": ("the table has no rows", lambda _: {"a": [], "b": []}),
    "no rows of polars": ("the table has no rows", lambda frame: pl.from_pandas(frame).head(0)),
    "a matrix": ("of type ndarray, which is no table; pass a pandas", lambda _: np.zeros((5, 5))),
    "a list": ("of type list, which is no table", lambda _: [1, 2]),
    "nothing": ("of type NoneType, which is no table", lambda _: None),
    "one column": ("of type Series, which is no table", lambda frame: frame["X1"]),
    "one column of polars": ("of type Series, which is no table", lambda _: pl.Series([1])),
    "a path that leads nowhere": ("nowhere.csv: no such file or folder; check the path", lambda _: "nowhere.csv"),
    "an intervention on no column": (
        'unknown variable "nope"; name columns of this table',
        lambda frame: frame.assign(intervention="nope"),
    ),
}


def refused(work: Callable[[], Any]) -> str:
    """The message of an InputError with a problem and a remedy, in Python's words."""
    with pytest.raises(fedcdi.InputError) as error:
        work()
    text = str(error.value)
    assert isinstance(error.value, ValueError)
    assert not re.search(r"(^|\s|`)--?[a-z]", text), f"a flag in a message: {text}"
    assert "panick" not in text and "`fedcdi " not in text, text
    return text


@pytest.mark.parametrize("mistake", TABLES)
@pytest.mark.parametrize("call", [fedcdi.discover, fedcdi.inspect])
def test_tables(mistake: str, call: Callable[..., Any], frame: Frame) -> None:
    expected, spoil = TABLES[mistake]
    data = spoil(frame)
    assert expected in refused(lambda: call(data))


#: Arguments of discover -> what the message says.
ARGUMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "no such intervention column": (
        'there is no intervention column "interventoin"; correct the argument intervention',
        {"intervention": "interventoin"},
    ),
    "too few interventions": ('column "intervention" has 1 rows', {"intervention": [None]}),
    "no interventions": ("intervention must be the name of a column, or one entry per row", {"intervention": None}),
    "interventions by number": ('unknown variable "3"', {"intervention": [3] * N}),
    "a method with a typo": ('there is no method "enc"; did you mean "enco"?', {"method": "enc"}),
    "no such method": ("choose one of enco, sdi, dcdi", {"method": "zzzz"}),
    "a method that is a number": ("method must be a name, or a class", {"method": 3}),
    "a setting with a typo": ('enco has no setting "rouns"; did you mean "rounds"?', {"rouns": 3}),
    "no such setting": ("fedcdi.methods() lists all settings", {"zzzz": 3}),
    "a setting of another type": ("a whole number, 0 or more", {"batch": "a"}),
    "a negative setting": ("a whole number, 0 or more", {"batch": -3}),
    "a setting out of range": ("batch is 0, but must be > 0", {"batch": 0}),
    "no rounds": ("rounds is 0, but must be > 0", {"rounds": 0}),
    "half a round": ("rounds: invalid type: floating point `1.5`", {"rounds": 1.5}),
    "a setting that is NaN": ("a setting is NaN or infinite", {"sparsity": float("nan")}),
    "a setting that is an object": ("a setting is of type object; pass text", {"batch": object()}),
    "a negative seed": ("seed is -1; pass a whole number, 0 or more", {"seed": -1}),
    "a seed with a point": ("seed is 1.0; pass a whole number", {"seed": 1.0}),
    "a seed that is text": ("seed is '1'; pass a whole number", {"seed": "1"}),
    "no seed": ("seed is None; pass a whole number", {"seed": None}),
    "a seed beyond measure": ("seed is 18446744073709551616; pass", {"seed": 2**64}),
    "negative threads": ("threads is -1; pass a whole number", {"threads": -1}),
    "half a thread": ("threads is 1.5; pass a whole number", {"threads": 1.5}),
    "too many threads": ("at most 1024 make sense", {"threads": 5000}),
    "an unknown way with missing values": ("missing is 'zap'; choose refuse, drop or category", {"missing": "zap"}),
    "no such real column": ('there is no column "zz", which was declared real', {"real": ["zz"]}),
    "real columns by number": ("real is 3; pass names of columns, or 'all'", {"real": 3}),
    "no such schema": ("nowhere.json: no such file or folder", {"schema": "nowhere.json"}),
    "knowledge that is a number": ("knowledge is a int; pass a dict", {"knowledge": 3}),
    "knowledge of another study": ('names "Z", which is not a variable', {"knowledge": {"required": [["X1", "Z"]]}}),
    "knowledge with a typo": ("did you mean `required`?", {"knowledge": {"requird": []}}),
    "knowledge in a circle": (
        "the required edges form a cycle",
        {"knowledge": {"required": [("X1", "X2"), ("X2", "X1")]}},
    ),
    "no such file of knowledge": ("nowhere.toml: No such file", {"knowledge": "nowhere.toml"}),
    "progress that cannot be called": ("progress is 3; pass True, False, or a function", {"progress": 3}),
}


@pytest.mark.parametrize("mistake", ARGUMENTS)
def test_arguments(mistake: str, frame: Frame) -> None:
    expected, arguments = ARGUMENTS[mistake]
    if not isinstance(arguments.get("intervention", ""), str):
        del frame["intervention"]
    text = refused(lambda: fedcdi.discover(frame, **{"rounds": 1, **arguments}))
    assert expected in text


#: Arguments of simulate -> what the message says.
FEDERATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "one site": ("a federation needs at least 2 sites, clients is 1", {"clients": 1}),
    "no site": ("a federation needs at least 2 sites, clients is 0", {"clients": 0}),
    "one table": ("pass clients=2 or more, or use fedcdi.discover", {}),
    "half a site": ("clients is 2.5; pass a whole number", {"clients": 2.5}),
    "more sites than rows": ("1000 sites cannot share 700 rows; use fewer", {"clients": 1000}),
    "no such rule": ('there is no rule "zzz"; choose one of evidence, naive', {"clients": 2, "rule": "zzz"}),
    "a rule without kind": ("pass a name, or a dict with its kind", {"clients": 2, "rule": {"beta": 1}}),
    "a setting no rule has": (
        "did you mean `beta`?",
        {"clients": 2, "rule": {"kind": "proximity", "bta": 1}},
    ),
    "a rule out of range": ("beta is -1", {"clients": 2, "rule": {"kind": "proximity", "beta": -1}}),
    "a rule that is a number": ("an object with terms and finish; see fedcdi.own", {"clients": 2, "rule": 3}),
    "a rule with half its methods": (
        "an object with terms and finish",
        {"clients": 2, "rule": type("Half", (), {"terms": lambda *_: 1})()},
    ),
    "a rule that was not made": (
        "an object with terms and finish",
        {"clients": 2, "rule": type("Rule", (), {"terms": lambda *_: 1, "finish": lambda *_: 1})},
    ),
    "rounds of a method without rounds": (
        "rounds is set, but must be left out: it does not apply to gies",
        {"clients": 2, "method": "gies"},
    ),
    "a split of other variables": (
        "split names 'Z', which is no variable",
        {"clients": 2, "split": {"explicit": [["X1"], ["Z"]]}},
    ),
    "no such split": ("expected one of `horizontal`, `vertical`", {"clients": 2, "split": "diagonal"}),
    "a split of words": ("'a/b' is no split; pass horizontal", {"split": "a/b"}),
    "a split of too few": ("sum to 4, but the data has 5 intervened variables", {"split": "3/1"}),
    "more sites than parts": ("give one part per site", {"clients": 3, "split": "3/2"}),
    "more sites than targets": ("use fewer sites or a horizontal split", {"clients": 6, "split": "vertical"}),
}


@pytest.mark.parametrize("mistake", FEDERATIONS)
def test_federations(mistake: str, frame: Frame) -> None:
    expected, arguments = FEDERATIONS[mistake]
    assert expected in refused(lambda: fedcdi.simulate(frame, rounds=1, **arguments))


def test_a_rule_does_not_apply_to_every_method(frame: Frame) -> None:
    text = refused(lambda: fedcdi.simulate(frame, clients=2, method="gies", rule="naive"))
    assert "rule is set, but must be left out: it does not apply to gies" in text
    text = refused(lambda: fedcdi.discover(frame, method="gies", paper=True))
    assert "paper is set, but must be left out" in text


def test_masked_values_are_missing(frame: Frame) -> None:
    columns = {name: frame[name].to_numpy() for name in frame}
    columns["X1"] = np.ma.masked_array(columns["X1"], mask=[True] + [False] * (N - 1))
    assert 'row 1, column "X1": the value is missing' in refused(lambda: fedcdi.discover(columns))


def test_sites_need_names(frame: Frame) -> None:
    for name in ("", "a/b", "..", "a\\b", "a\nb"):
        text = refused(lambda name=name: fedcdi.simulate({name: frame, "other": frame}))
        assert "cannot be the name of a site" in text
    assert "two sites have the same name" in refused(lambda: fedcdi.simulate({1: frame, "1": frame}))


def test_sites_need_the_same_variables(frame: Frame) -> None:
    other = frame.drop(columns="X5")
    other = other[other["intervention"] != "X5"]
    text = refused(lambda: fedcdi.simulate({"a": frame, "b": other}))
    assert '"X5"' in text


def test_interventions_are_given_once(frame: Frame, study: fedcdi.Study) -> None:
    text = refused(lambda: fedcdi.discover(frame, intervention=frame["intervention"]))
    assert "remove the column, or pass its name" in text
    text = refused(lambda: fedcdi.discover(study, missing="drop"))
    assert "was read already; leave out intervention, missing, real and schema" in text


def test_a_file_names_its_own_interventions(table: Path) -> None:
    text = refused(lambda: fedcdi.discover(table, intervention=["X1"]))
    assert "of a file, intervention must be the name of a column" in text


def test_columns_that_are_declared_real_hold_numbers(frame: Frame) -> None:
    text = refused(lambda: fedcdi.discover(frame.assign(X1="a b"), real=["X1"]))
    assert '"a b" is not a number' in text


def test_a_column_that_never_changes(frame: Frame) -> None:
    text = refused(lambda: fedcdi.discover(frame.assign(X1=1.5), rounds=1))
    assert "remove the column" in text


def test_unreadable_arrow_streams(frame: Frame) -> None:
    class Liar:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.array([1, 2]).__arrow_c_array__()[1]

    with pytest.raises((fedcdi.InputError, ValueError)):
        fedcdi.discover(Liar())


DRAWN: dict[str, tuple[str, dict[str, Any]]] = {
    "negative variables": ("vars is -1; pass a whole number", {"vars": -1}),
    "one variable": ("at least 2 variables", {"vars": 1}),
    "half a variable": ("vars is 2.5; pass a whole number", {"vars": 2.5}),
    "too many variables": ("the limit is", {"vars": 10**9}),
    "no such graph": ("expected one of `er`", {"graph": "zz"}),
    "a graph without kind": ("graph is {'a': 1}; pass a name, or a dict", {"graph": {"a": 1}}),
    "a negative degree": ("the degree is -1", {"degree": -1}),
    "a degree of text": ("expected a number", {"degree": "a"}),
    "no such network": ("choose asia, sachs or alarm", {"network": "zz"}),
    "no such mechanism": ("expected one of `linear`", {"mechanism": "zz"}),
    "one category": ("raise categories to 2 or more", {"categories": 1}),
    "no rows": ("raise obs or int", {"obs": 0, "int": 0}),
}


@pytest.mark.parametrize("mistake", DRAWN)
def test_drawn_studies(mistake: str) -> None:
    expected, arguments = DRAWN[mistake]
    assert expected in refused(lambda: fedcdi.generate(**arguments))


def test_scores(study: fedcdi.Study) -> None:
    edge = [("X1", "X2")]
    cases: dict[str, tuple[Any, Any]] = {
        "found must be a Result, a Study, a networkx graph": (3, study),
        "found must be a Result": ([("X1", "X2", "X3")], study),
        'an edge names "Z", which is no variable': ([("X1", "Z")], study),
        'an edge leads from "X1" to itself': ([("X1", "X1")], study),
        "the true graph has a cycle": (edge, [*edge, ("X2", "X1")]),
    }
    for expected, (found, truth) in cases.items():
        assert expected in refused(lambda found=found, truth=truth: fedcdi.evaluate(found, truth))
    text = refused(lambda: fedcdi.evaluate(edge, study, variables=["X1", "X2"]))
    assert "variables must be those of the graph" in text
    assert 'two variables are called "a"' in refused(lambda: fedcdi.evaluate([], [], variables=["a", "a"]))


def test_divisions(study: fedcdi.Study) -> None:
    assert "clients is 2.0" in refused(lambda: study.divide(2.0))  # type: ignore[arg-type]
    assert "0 sites" in refused(lambda: study.divide(0))
    assert "expected one of" in refused(lambda: study.divide(2, "zz"))


def test_a_mistake_is_still_an_ordinary_exception() -> None:
    assert issubclass(fedcdi.InputError, (fedcdi.FedcdiError, ValueError))
    assert issubclass(fedcdi.RunError, RuntimeError)
    assert issubclass(fedcdi.JournalError, OSError)

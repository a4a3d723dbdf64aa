"""One table, one seed: the same bytes, whatever holds the table and whoever starts the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import fedcdi
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from conftest import QUICK, QUICK_FLAGS, same_bytes

Cli = Callable[..., dict[str, str]]

#: The same rows in everything that can hold rows.
HOLDERS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "pandas, text": lambda frame: frame.astype(str),
    "pandas, object": lambda frame: frame.astype(object),
    "pandas, small integers": lambda frame: frame.astype({"X1": "int8", "X2": "uint16"}),
    "pandas, categories": lambda frame: frame.astype({"X1": "category", "X2": "category"}),
    "pandas, nullable": lambda frame: frame.convert_dtypes(),
    "pandas, of Arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "pandas, another index": lambda frame: frame.set_index(np.arange(len(frame))[::-1] * 7),
    "polars": pl.from_pandas,
    "polars, categories": lambda frame: pl.from_pandas(frame).with_columns(
        pl.col("X1").cast(pl.String).cast(pl.Categorical)
    ),
    "polars, in chunks": lambda frame: pl.concat(
        [pl.from_pandas(frame[:100]), pl.from_pandas(frame[100:])], rechunk=False
    ),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "pyarrow, dictionary": lambda frame: pa.table(
        {name: pa.array(frame[name].astype(str)).dictionary_encode() for name in frame}
    ),
    "pyarrow, a batch": lambda frame: pa.RecordBatch.from_pandas(frame, preserve_index=False),
    "numpy": lambda frame: {name: frame[name].to_numpy() for name in frame},
    "lists": lambda frame: {name: frame[name].tolist() for name in frame},
    "dict of series": lambda frame: {name: frame[name] for name in frame},
    "dict of polars series": lambda frame: pl.from_pandas(frame).to_dict(),
    "dict of Arrow arrays": lambda frame: {name: pa.array(frame[name]) for name in frame},
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_every_table_in_memory_is_the_same_table(
    holder: str, frame: pd.DataFrame, found: fedcdi.Result
) -> None:
    result = fedcdi.discover(HOLDERS[holder](frame), **QUICK)
    assert result.files == found.files


def test_interventions_may_be_a_list(frame: pd.DataFrame, found: fedcdi.Result) -> None:
    column = frame.pop("intervention")
    for intervention in (column, column.tolist(), [name or None for name in column], column.to_numpy()):
        assert fedcdi.discover(frame, intervention=intervention, **QUICK).files == found.files
    of_several = [(name,) if name else () for name in column]
    assert fedcdi.discover(frame, intervention=of_several, **QUICK).files == found.files


def test_the_column_of_interventions_may_have_another_name(
    frame: pd.DataFrame, found: fedcdi.Result
) -> None:
    renamed = frame.rename(columns={"intervention": "treated"})
    assert fedcdi.discover(renamed, intervention="treated", **QUICK).edges == found.edges


@pytest.mark.parametrize("kind", ["csv", "parquet", "npz", "folder"])
def test_a_path_is_read_as_its_rows_are(
    kind: str, table: Path, frame: pd.DataFrame, found: fedcdi.Result, tmp_path: Path
) -> None:
    path = tmp_path / f"rows.{kind}"
    if kind == "csv":
        path = table
    elif kind == "parquet":
        pa.parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    elif kind == "npz":
        rows = frame.drop(columns="intervention").to_numpy()
        set_to = np.stack([rows[frame["intervention"] == name] for name in found.variables])
        np.savez(path, data_obs=rows[frame["intervention"] == ""], data_int=set_to)
    else:
        path = table.parent
    for given in (path, str(path)):
        same_bytes(fedcdi.discover(given, **QUICK).files, found.files)


def test_discover_is_the_command_line(
    cli: Cli, table: Path, found: fedcdi.Result, tmp_path: Path
) -> None:
    theirs = cli("discover", table, *QUICK_FLAGS)
    same_bytes(theirs, found.files)
    # With the data in a file, every byte of the folder is the same.
    fedcdi.discover(table, **QUICK).save(tmp_path / "python")
    ours = {path.name: path.read_text() for path in (tmp_path / "python").iterdir()}
    assert theirs == ours


def test_no_page_says_where_the_data_is(table: Path) -> None:
    files = fedcdi.discover(table, **QUICK).files
    assert not [name for name, text in files.items() if str(table) in text]


@pytest.mark.parametrize("method", ["sdi", "gies", "igsp"])
def test_other_methods_are_the_command_line(
    cli: Cli, method: str, table: Path, frame: pd.DataFrame
) -> None:
    rounds = {"rounds": 1} if method == "sdi" else {}
    flags = ["--rounds", 1] if method == "sdi" else []
    theirs = cli("discover", table, "--method", method, "--seed", 5, *flags)
    ours = fedcdi.discover(frame, method=method, seed=5, **rounds).files
    assert set(theirs) == set(ours)
    for name in set(ours) - {"run.json", "spec.toml", "report.html"}:
        assert theirs[name] == ours[name]


def test_simulate_is_the_command_line(cli: Cli, folder: Path, sites: fedcdi.Study) -> None:
    theirs = cli("simulate", "--data", folder, *QUICK_FLAGS)
    tables = {name: sites.table(name) for name in sites.sites}
    same_bytes(theirs, fedcdi.simulate(folder, **QUICK).files)
    same_bytes(theirs, fedcdi.simulate(sites, **QUICK).files)
    same_bytes(theirs, fedcdi.simulate(tables, **QUICK).files)


def test_every_setting_has_the_same_effect(
    cli: Cli, table: Path, frame: pd.DataFrame, tmp_path: Path
) -> None:
    flags = ["--split", "3/2", "--aggregate", "proximity", "--beta", 10, "--compare", "--epochs", 1]
    theirs = cli("simulate", "--data", table, "--clients", 2, *flags, *QUICK_FLAGS)
    rule = {"kind": "proximity", "beta": 10}
    ours = fedcdi.simulate(table, split="3/2", rule=rule, compare=True, epochs=1, **QUICK)
    ours.save(tmp_path / "python")
    assert theirs == {path.name: path.read_text() for path in (tmp_path / "python").iterdir()}
    same_bytes(theirs, fedcdi.simulate(frame, split="3/2", rule=rule, compare=True, epochs=1, **QUICK).files)


def test_without_data_a_study_is_drawn_as_the_command_line_draws_it(cli: Cli) -> None:
    theirs = cli("simulate", "--clients", 2, "--rounds", 1, "--epochs", 1, "--seed", 4)
    ours = fedcdi.simulate(clients=2, rounds=1, epochs=1, seed=4)
    assert theirs == ours.files


def test_the_paper_is_the_command_lines_paper(cli: Cli, table: Path) -> None:
    flags = ["--clients", 2, "--paper", "--rounds", 1, "--seed", 2]
    theirs = cli("simulate", "--data", table, *flags)
    same_bytes(theirs, fedcdi.simulate(table, clients=2, paper=True, rounds=1, seed=2).files)


def test_knowledge_is_the_command_lines_knowledge(cli: Cli, table: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text('required = [["X1", "X3"]]\nforbidden = [["X2", "X5"]]\n')
    theirs = cli("discover", table, "--knowledge", file, *QUICK_FLAGS)
    known = {"required": [("X1", "X3")], "forbidden": [("X2", "X5")]}
    for knowledge in (known, file, str(file)):
        same_bytes(theirs, fedcdi.discover(table, knowledge=knowledge, **QUICK).files)


def test_real_columns_are_real_in_every_table() -> None:
    study = fedcdi.generate(vars=4, degree=1.0, obs=300, int=200, mechanism="linear", seed=3)
    rows = study.table()
    assert rows["X1"].dtype.kind == "f"
    one = fedcdi.discover(study, **QUICK)
    for data in (rows, pl.from_pandas(rows), {name: rows[name].to_numpy() for name in rows}):
        same_bytes(one.files, fedcdi.discover(data, **QUICK).files)


def test_the_number_of_threads_changes_nothing(frame: pd.DataFrame, found: fedcdi.Result) -> None:
    for threads in (1, 2, 5):
        assert fedcdi.discover(frame, threads=threads, **QUICK).files == found.files


def test_seeds_matter(frame: pd.DataFrame, found: fedcdi.Result) -> None:
    other = fedcdi.discover(frame, rounds=3, seed=np.int64(9))
    assert other.files["belief.csv"] != found.files["belief.csv"]

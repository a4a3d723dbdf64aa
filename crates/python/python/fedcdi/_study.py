"""The tables of one or several sites."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _columns, _native
from ._arguments import in_json, whole
from .errors import InputError

if TYPE_CHECKING:
    import pandas

#: How tables are read, as the settings of a spec have it.
Reading = dict[str, Any]


class Study:
    """The tables of one or several sites, and the true graph where it is known.

    :func:`fedcdi.generate` makes one; :meth:`read` reads a table or a study folder.
    """

    def __init__(self, native: _native.Study) -> None:
        self._native = native

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Study:
        """Reads a table (.csv, .parquet, .npz) or a study folder."""
        return cls(_native.Study.read(os.fspath(path), "{}"))

    @property
    def sites(self) -> list[str]:
        """Names of the sites."""
        return self._native.sites()

    @property
    def variables(self) -> list[str]:
        """Names of the variables."""
        return self._native.variables()

    @property
    def truth(self) -> list[tuple[str, str]] | None:
        """Edges of the true graph as (cause, effect), where it is known."""
        return self._native.truth()

    def table(self, site: str | None = None) -> pandas.DataFrame | dict[str, list[Any]]:
        """The rows of a site, or of the only one: a DataFrame where pandas is installed, else a dict.

        The column ``intervention`` names what was set; it is empty where nothing was.
        """
        if site is None and len(self.sites) > 1:
            raise InputError(f"the study has several sites, {', '.join(self.sites)}; name one of them")
        columns, targets = self._native.columns(site or self.sites[0])
        table: dict[str, list[Any]] = {name: list(values) for name, values in columns}
        table[_columns.INTERVENTION] = targets
        try:
            import pandas
        except ModuleNotFoundError:
            return table
        return pandas.DataFrame(table)

    def divide(
        self, clients: int, split: str | Mapping[str, Any] = "horizontal", seed: int = 0
    ) -> Study:
        """The rows divided over sites: ``horizontal`` gives every site all interventions, ``vertical`` each its own."""
        spec = {
            "clients": whole(clients, "clients"),
            "split": split_of(split, self.variables),
            "seed": whole(seed, "seed"),
        }
        return Study(self._native.divided(in_json(spec)))

    def save(
        self, folder: str | os.PathLike[str], format: str = "csv", overwrite: bool = False
    ) -> None:
        """Writes a study folder: schema, one table per site (``csv`` or ``parquet``), and the truth."""
        if format not in ("csv", "parquet"):
            raise InputError(f"there is no format {format!r}; choose csv or parquet")
        self._native.write(os.fspath(folder), format == "parquet", overwrite)

    def __repr__(self) -> str:
        return f"<fedcdi.Study: {len(self.sites)} sites, {len(self.variables)} variables>"


def split_of(split: str | Mapping[str, Any], variables: list[str]) -> Any:
    """A split as a spec has it: a word, targets per site such as ``16/4``, or ``{"explicit": [[name, ..], ..]}``."""
    if isinstance(split, Mapping) and "explicit" in split:
        return {**split, "explicit": [[_at(name, variables) for name in part] for part in split["explicit"]]}
    if isinstance(split, str) and "/" in split:
        try:
            return {"shares": [int(part) for part in split.split("/")]}
        except ValueError:
            raise InputError(
                f"{split!r} is no split; pass horizontal, vertical, or targets per site such as 16/4"
            ) from None
    return split


def _at(name: Any, variables: list[str]) -> Any:
    if not isinstance(name, str):
        return name
    if name not in variables:
        raise InputError(
            f"split names {name!r}, which is no variable; the variables are {', '.join(variables)}"
        )
    return variables.index(name)


def _site_names(tables: Mapping[Any, Any]) -> list[str]:
    names = [str(name) for name in tables]
    for name in names:
        # A study on disk has a file per site.
        if not name.isprintable() or not name.strip(".") or any(c in name for c in "/\\"):
            raise InputError(
                f"{name!r} cannot be the name of a site; use letters, digits and spaces, as in a file name"
            )
    if len(set(names)) < len(names):
        raise InputError("two sites have the same name; give every site its own")
    return names


def study_of(data: Any, intervention: Any, read: Reading) -> tuple[_native.Study, dict[str, Any]]:
    """The tables that were meant, and what a spec says of where they came from."""
    if isinstance(data, Study):
        if read != {"missing": "refuse"} or intervention != _columns.INTERVENTION:
            raise InputError(
                "a fedcdi.Study was read already; leave out intervention, missing, real and schema"
            )
        return data._native, {}
    if isinstance(data, (str, os.PathLike)):
        if not isinstance(intervention, str):
            raise InputError("of a file, intervention must be the name of a column")
        read = {**read, "intervention_column": intervention}
        path = os.path.abspath(os.fspath(data))
        native = _native.Study.read(path, json.dumps(read))
        return native, {"data": {"file": path}, "read": read}
    if isinstance(data, Mapping) and data and all(_columns.is_table(t) for t in data.values()):
        named = sorted(zip(_site_names(data), data.values()), key=lambda entry: entry[0])
        tables = [(name, *_columns.read(table, intervention)) for name, table in named]
    elif _columns.is_table(data):
        tables = [("data", *_columns.read(data, intervention))]
    else:
        raise InputError(
            f"the data is of type {type(data).__name__}, which is no table; pass a pandas, polars or pyarrow frame, "
            "a dict of columns, a dict of such tables by site, or a path"
        )
    columns = {column for _, _, column in tables}
    read = {**read, "intervention_column": columns.pop()}
    native = _native.Study.of([(name, table) for name, table, _ in tables], json.dumps(read))
    return native, {}

"""Tables of the caller as something that the native module reads.

A table is a pandas, polars or pyarrow frame, anything else with ``__arrow_c_stream__``, or a mapping of names
to columns. Frames with an Arrow stream are read without a copy; pandas goes column by column, because its own
stream needs pyarrow and would add the index as a variable.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .errors import InputError

Column = tuple[str, str, Any]

#: The column that names what was intervened on, unless the caller names another.
INTERVENTION = "intervention"


def is_table(data: object) -> bool:
    """Whether this is a table in memory."""
    # Single columns have an Arrow stream too.
    is_column = type(data).__name__ in ("Series", "Array", "ChunkedArray")
    has_columns = hasattr(data, "__arrow_c_stream__") and not is_column
    return has_columns or isinstance(data, Mapping) or _is_pandas(data)


def read(table: Any, intervention: Any) -> tuple[Any, str]:
    """What the native module reads, and the name of the column with the interventions."""
    named = isinstance(intervention, str)
    if hasattr(table, "__arrow_c_stream__") and not _is_pandas(table) and named:
        return table, intervention
    columns = _columns(table)
    if named:
        return columns, intervention
    if any(name == INTERVENTION for name, _, _ in columns):
        raise InputError(
            f"the table has a column {INTERVENTION!r} beside the interventions that were passed; "
            "remove the column, or pass its name"
        )
    return [*columns, (INTERVENTION, "text", _targets(intervention))], INTERVENTION


def _is_pandas(table: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, pandas.DataFrame)


def _columns(table: Any) -> list[Column]:
    if _is_pandas(table):
        series = [(name, table.iloc[:, at]) for at, name in enumerate(table.columns)]
        return [(_name(name), *_of_pandas(_name(name), values)) for name, values in series]
    if isinstance(table, Mapping):
        return [(_name(name), *_of_values(_name(name), values)) for name, values in table.items()]
    if hasattr(table, "to_dict"):  # polars
        return _columns(table.to_dict(as_series=False))
    if hasattr(table, "to_pydict"):  # pyarrow
        return _columns(table.to_pydict())
    raise InputError(
        f"the data is of type {type(table).__name__}, which is no table; pass a pandas, polars or pyarrow "
        "frame, or a dict of columns"
    )


def _name(name: object) -> str:
    text = str(name)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"the name {text!r} of a column is not Unicode; rename the column") from None
    return text


def _of_pandas(name: str, series: Any) -> tuple[str, Any]:
    kind = str(series.dtype)
    if kind == "category":
        return "text", [None if value != value else _text(name, value) for value in series.tolist()]
    if series.dtype.kind in "iufb" and not series.isna().any():
        # Extension types without gaps have a plain numpy type.
        return _of_numpy(name, series.to_numpy(dtype=getattr(series.dtype, "numpy_dtype", None)))
    if series.dtype.kind == "f":
        return _of_numpy(name, series.to_numpy(dtype="float64", na_value=float("nan")))
    if series.dtype.kind in "Mmc":
        return _of_numpy(name, series.to_numpy())
    missing = series.isna().tolist()
    return _of_list(name, [None if gone else v for v, gone in zip(series.tolist(), missing)])


def _of_values(name: str, values: Any) -> tuple[str, Any]:
    numpy = sys.modules.get("numpy")
    if _is_series(values):
        return _of_pandas(name, values)
    if numpy is not None and isinstance(values, numpy.ndarray):
        return _of_numpy(name, values)
    if hasattr(values, "to_pylist"):  # pyarrow
        return _of_list(name, values.to_pylist())
    is_one = isinstance(values, (str, bytes)) or not isinstance(values, Iterable)
    if is_one or isinstance(values, Mapping) or hasattr(values, "columns"):
        raise InputError(
            f"column {name!r} is of type {type(values).__name__}; pass a list or an array with one value per row"
        )
    return _of_list(name, list(values))


def _is_series(values: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(values, pandas.Series)


def _of_numpy(name: str, values: Any) -> tuple[str, Any]:
    if values.ndim != 1:
        raise InputError(
            f"column {name!r} has {values.ndim} dimensions; pass one value per row"
        )
    if hasattr(values, "mask"):
        return _of_list(name, values.tolist())
    kind = values.dtype.kind
    if kind == "f":
        return "float", values.astype("<f8", copy=False).tobytes()
    if kind == "i":
        return "int", values.astype("<i8", copy=False).tobytes()
    if kind == "u":
        return "uint", values.astype("<u8", copy=False).tobytes()
    if kind == "b":
        return "bool", values.astype("u1", copy=False).tobytes()
    if kind in "OUT":
        return _of_list(name, values.tolist())
    if kind == "S":
        raise InputError(f"column {name!r} holds bytes; decode them to text first")
    raise InputError(
        f"column {name!r} holds values of type {values.dtype}, which are neither numbers nor labels; "
        "turn them into numbers or bins, or leave the column out"
    )


def _of_list(name: str, values: list[Any]) -> tuple[str, Any]:
    values = [None if _is_missing(value) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    kinds = {_plain(kind) for kind in kinds}
    if kinds <= {int, float} and float in kinds:
        numbers = [float("nan") if value is None else float(value) for value in values]
        return "float", _bytes(array("d", numbers))
    if kinds == {int} and None not in values and all(-(2**63) <= v < 2**63 for v in values):
        return "int", _bytes(array("q", (int(value) for value in values)))
    if len(kinds) > 1:
        both = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise InputError(
            f"column {name!r} mixes {both}; make it one type, for example with astype(str)"
        )
    return "text", [None if value is None else _text(name, value) for value in values]


def _bytes(numbers: array[Any]) -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _plain(kind: type) -> type:
    """numpy's scalars count as what they are in Python."""
    for plain in (bool, int, float, str):
        if issubclass(kind, plain):
            return plain
    code = getattr(getattr(kind, "dtype", None), "kind", None) or kind.__name__.rstrip("0123456789_")
    names = {"int": int, "uint": int, "float": float, "bool": bool, "str": str}
    return names.get(str(code), kind)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if _plain(type(value)) in (int, bool):
        return str(value)
    if _plain(type(value)) is float:
        return str(int(value)) if value == int(value) else repr(float(value))
    if isinstance(value, (bytes, bytearray)):
        raise InputError(f"column {name!r} holds bytes; decode them to text first")
    raise InputError(
        f"column {name!r} holds values of type {type(value).__name__}, which are neither numbers nor labels; "
        "turn its values into text or numbers, or leave the column out"
    )


def _targets(intervention: Any) -> list[str | None]:
    """One entry per row: nothing, a name, or several names."""
    if intervention is None or not isinstance(intervention, Iterable):
        raise InputError(
            "intervention must be the name of a column, or one entry per row: "
            "the name of the variable that was set, or None"
        )
    return [_target(entry) for entry in intervention]


def _target(entry: Any) -> str | None:
    if _is_missing(entry):
        return None
    if isinstance(entry, str):
        return entry
    if isinstance(entry, (Sequence, set, frozenset)):
        return ";".join(str(name) for name in entry)
    return str(entry)

"""Arguments on their way to the native module."""

from __future__ import annotations

import json
from typing import Any

from .errors import InputError


def whole(value: Any, name: str) -> int:
    """A whole number, 0 or more."""
    try:
        number: int = value.__index__()
    except (AttributeError, TypeError):
        raise InputError(f"{name} is {value!r}; pass a whole number, 0 or more") from None
    if not 0 <= number < 2**64:
        raise InputError(f"{name} is {number}; pass a whole number, 0 or more")
    return number


def in_json(value: Any) -> str:
    """Settings as the native module takes them; numpy's numbers and arrays count as Python's."""
    try:
        return json.dumps(value, default=_plain, allow_nan=False)
    except InputError:
        raise
    except ValueError:
        raise InputError("a setting is NaN or infinite, or contains itself; pass finite numbers") from None
    except TypeError as error:
        raise InputError(f"{error}; pass text, numbers, lists or dicts as settings") from None


def _plain(thing: Any) -> Any:
    for method in ("tolist", "item"):
        if hasattr(thing, method):
            return getattr(thing, method)()
    if isinstance(thing, (set, frozenset)):
        return sorted(thing)
    raise InputError(
        f"a setting is of type {type(thing).__name__}; pass text, numbers, lists or dicts"
    )

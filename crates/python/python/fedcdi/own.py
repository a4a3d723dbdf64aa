"""Rules and methods of one's own, written in Python, in a simulated federation.

A rule turns what every site believes into one belief::

    class Cautious:
        def terms(self, site):              # at every site: numbers that are added up over sites
            return site.rows * site.psi, site.rows

        def finish(self, weighted, rows):   # at the coordinator: the sums become the next belief
            return weighted / rows

    fedcdi.simulate(study, rule=Cautious())

``terms`` may return numbers and arrays, as many as it likes; ``finish`` gets their sums in the same shapes and
returns the probability of every edge, causes in rows. A rule that needs every site's own terms, such as a
median, sets ``additive = False``; its ``finish`` then gets one array per term, with an entry per site.
The shapes of terms must not depend on the data: ``terms`` is first asked about a made-up opinion.

A method learns at a site::

    class Mine:
        def __init__(self, table, seed): ...
        def update(self, prior, round): return posterior

    fedcdi.simulate(study, method=Mine)

``table`` is the site's rows (:meth:`fedcdi.Study.table`), ``prior`` and what ``update`` returns are the
probability of every edge, causes in rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from . import _native
from ._study import Study
from .errors import InputError

Matrix = Any
"""A square array of numbers, ``[cause][effect]``: numpy's where numpy is installed, else nested lists."""


@dataclass(frozen=True)
class Opinion:
    """What a site has to say in a round."""

    #: Probability of every edge, as the site believes it.
    psi: Matrix
    #: Logits behind it: does the edge exist, and if so, does it point this way.
    existence: Matrix
    orientation: Matrix
    #: The same of the belief that all sites were sent.
    prior_psi: Matrix
    prior_existence: Matrix
    prior_orientation: Matrix
    #: Rows of the site, as they may be told: in bands.
    rows: int
    observational: int
    #: Rows in which each variable was set.
    interventional: Any = field(default_factory=list)


class Rule(Protocol):
    """What a rule of one's own has."""

    def terms(self, site: Opinion, /) -> Any:
        """Numbers and arrays to be added up over sites."""

    def finish(self, *sums: Any) -> Matrix:
        """The probability of every edge, from the sums."""


class Method(Protocol):
    """What a method of one's own has, once it was made with a site's table."""

    def update(self, prior: Matrix, round: int, /) -> Matrix:
        """The probability of every edge after this round."""


def _array(values: Any) -> Any:
    try:
        import numpy
    except ModuleNotFoundError:
        return values
    return numpy.asarray(values, dtype=float)


def _flat(value: Any, who: str) -> tuple[list[float], tuple[int, ...]]:
    """The numbers in what ``who`` returned, and its shape."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        try:
            return [float(value)], ()
        except (TypeError, ValueError):
            raise InputError(
                f"{who} returned a value of type {type(value).__name__} where numbers are needed"
            ) from None
    parts = [_flat(part, who) for part in value]
    shapes = {shape for _, shape in parts}
    if len(shapes) > 1:
        raise InputError(f"{who} returned an array whose rows are not equally long")
    numbers = [number for part, _ in parts for number in part]
    return numbers, (len(parts), *(shapes.pop() if shapes else ()))


def _shaped(numbers: Sequence[float], shape: tuple[int, ...]) -> Any:
    if not shape:
        return numbers[0]
    step = len(numbers) // shape[0]
    parts = [numbers[at * step : (at + 1) * step] for at in range(shape[0])]
    return [_shaped(part, shape[1:]) for part in parts]


def _psi(matrix: Any, n_vars: int, who: str) -> list[list[float]]:
    if hasattr(matrix, "to_numpy"):
        matrix = matrix.to_numpy()
    numbers, shape = _flat(matrix, who)
    if shape != (n_vars, n_vars):
        raise InputError(
            f"{who} returned {_of_shape(shape)} where a matrix of {n_vars} x {n_vars} probabilities is needed"
        )
    if not all(0.0 <= p <= 1.0 for p in numbers):
        raise InputError(f"{who} returned a number that is not a probability; keep all between 0 and 1")
    rows: list[list[float]] = _shaped(numbers, shape)
    for at in range(n_vars):
        rows[at][at] = 0.0
    return rows


def _of_shape(shape: tuple[int, ...]) -> str:
    return f"an array of {' x '.join(map(str, shape))}" if shape else "a number"


class _RuleAdapter:
    """What the native module calls."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._shapes: dict[int, list[tuple[int, ...]]] = {}
        self.additive = bool(getattr(rule, "additive", True))

    def n_terms(self, n_vars: int) -> int:
        """Found out by asking about an opinion that says nothing."""
        if n_vars not in self._shapes:
            zero = [[0.0] * n_vars for _ in range(n_vars)]
            quarter = [[0.25] * n_vars for _ in range(n_vars)]
            beliefs = {"psi": quarter, "existence": zero, "orientation": zero}
            beliefs |= {f"prior_{name}": matrix for name, matrix in beliefs.items()}
            counts = {"rows": 2, "observational": 1, "interventional": [1] * n_vars}
            self._terms({**beliefs, **counts})
        return sum(math.prod(shape) for shape in self._shapes[n_vars])

    def terms(self, told: dict[str, Any]) -> list[float]:
        return self._terms(told)

    def _terms(self, told: dict[str, Any]) -> list[float]:
        n_vars = len(told["interventional"])
        arrays = {k: v if isinstance(v, int) else _array(v) for k, v in told.items()}
        terms = self._rule.terms(Opinion(**arrays))
        terms = terms if isinstance(terms, tuple) else (terms,)
        parts = [_flat(term, "terms") for term in terms]
        shapes = [shape for _, shape in parts]
        if shapes != self._shapes.setdefault(n_vars, shapes):
            raise InputError("the shapes of a rule's terms must not depend on what a site believes")
        numbers = [number for part, _ in parts for number in part]
        if not all(math.isfinite(number) for number in numbers):
            raise InputError("a rule's terms must be finite numbers")
        return numbers

    def finish(self, n_vars: int, lists: list[list[float]]) -> list[list[float]]:
        self.n_terms(n_vars)
        sites = [self._split(numbers, n_vars) for numbers in lists]
        sums = sites[0] if self.additive else [_array(list(each)) for each in zip(*sites)]
        return _psi(self._rule.finish(*sums), n_vars, "finish")

    def _split(self, numbers: list[float], n_vars: int) -> list[Any]:
        terms, at = [], 0
        for shape in self._shapes[n_vars]:
            size = math.prod(shape)
            term = _shaped(numbers[at : at + size], shape)
            terms.append(_array(term) if shape else term)
            at += size
        return terms


class _MethodAdapter:
    """Makes the caller's method at every site."""

    def __init__(self, make: Callable[..., Method]) -> None:
        self._make = make

    def at(self, study: _native.Study, seed: int) -> _SiteAdapter:
        tables = Study(study)
        return _SiteAdapter(self._make(tables.table(), seed), len(tables.variables))


class _SiteAdapter:
    def __init__(self, method: Method, n_vars: int) -> None:
        self._method, self._n_vars = method, n_vars

    def update(self, prior: list[list[float]], round: int) -> list[list[float]]:
        return _psi(self._method.update(_array(prior), round), self._n_vars, "update")


def _name(thing: object) -> str:
    kind = thing if isinstance(thing, type) else type(thing)
    return getattr(kind, "__name__", "own")

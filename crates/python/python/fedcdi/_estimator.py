"""The face of scikit-learn: settings at the start, data in ``fit``, results with a trailing underscore."""

from __future__ import annotations

from typing import Any

from ._api import discover
from ._columns import INTERVENTION
from ._result import Result
from .errors import InputError


def _refuse_data(settings: dict[str, Any]) -> None:
    for name in ("data", "intervention"):
        if name in settings:
            raise InputError(f"{name} belongs to fit, not to the settings")


class FedCDI:
    """Causal discovery as an estimator: ``FedCDI(seed=1).fit(X, intervention=...).graph_``.

    Arguments are those of :func:`fedcdi.discover`. ``get_params``, ``set_params`` and
    ``sklearn.base.clone`` work; scikit-learn itself is not needed.
    """

    result_: Result

    def __init__(self, method: Any = "enco", seed: int = 0, **settings: Any) -> None:
        _refuse_data(settings)
        self._params: dict[str, Any] = {"method": method, "seed": seed, **settings}

    def fit(self, X: Any, y: None = None, *, intervention: Any = INTERVENTION) -> FedCDI:
        """Learns the graph behind ``X``; ``y`` is there for scikit-learn's sake and must be None."""
        if y is not None:
            raise InputError("causal discovery has no y; leave it out")
        self.result_ = discover(X, intervention=intervention, **self._params)
        self.feature_names_in_ = self.result_.variables
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    @property
    def graph_(self) -> Any:
        """The graph as a ``networkx.DiGraph``."""
        return self._fitted().graph

    @property
    def edges_(self) -> Any:
        """The edges."""
        return self._fitted().edges

    @property
    def probabilities_(self) -> Any:
        """Probability of every edge, causes in rows."""
        return self._fitted().probabilities

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, as they were given."""
        return dict(self._params)

    def set_params(self, **params: Any) -> FedCDI:
        """Changes settings; returns itself."""
        _refuse_data(params)
        self._params.update(params)
        return self

    def _fitted(self) -> Result:
        try:
            return self.result_
        except AttributeError:
            raise InputError("the estimator was not fitted; call fit first") from None

    def _repr_html_(self) -> str:
        if "result_" in self.__dict__:
            return self.result_._repr_html_()
        return f"<code>{self!r}</code>"

    def __repr__(self) -> str:
        return f"FedCDI({', '.join(f'{name}={value!r}' for name, value in self._params.items())})"

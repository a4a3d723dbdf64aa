"""The face of scikit-learn."""

from __future__ import annotations

import fedcdi
import pandas as pd
import pytest
from sklearn.base import clone

from conftest import QUICK, same_bytes


def test_fit_is_discover(frame: pd.DataFrame, found: fedcdi.Result) -> None:
    estimator = fedcdi.FedCDI(**QUICK).fit(frame)
    assert isinstance(estimator, fedcdi.FedCDI)
    same_bytes(estimator.result_.files, found.files)
    assert estimator.edges_ == found.edges
    assert set(estimator.graph_.edges) == set(found.graph.edges)
    assert estimator.probabilities_.equals(found.probabilities)
    assert estimator.n_features_in_ == 5
    assert list(estimator.feature_names_in_) == found.variables


def test_interventions_belong_to_fit(frame: pd.DataFrame, found: fedcdi.Result) -> None:
    column = frame.pop("intervention")
    estimator = fedcdi.FedCDI(**QUICK).fit(frame, intervention=column)
    assert estimator.edges_ == found.edges


def test_settings_can_be_read_and_changed() -> None:
    estimator = fedcdi.FedCDI(method="sdi", seed=3, rounds=4)
    assert estimator.get_params() == {"method": "sdi", "seed": 3, "rounds": 4}
    assert estimator.set_params(rounds=5) is estimator
    assert estimator.get_params(deep=False)["rounds"] == 5
    assert repr(estimator) == "FedCDI(method='sdi', seed=3, rounds=5)"


def test_a_clone_has_the_settings_and_not_the_result(frame: pd.DataFrame) -> None:
    estimator = fedcdi.FedCDI(rounds=1, hidden=[8, 8], knowledge={"required": [["X1", "X2"]]}).fit(frame)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert copy is not estimator
    with pytest.raises(fedcdi.InputError, match="call fit first"):
        copy.edges_
    assert copy.fit(frame).edges_ == estimator.edges_


def test_it_shows_itself(frame: pd.DataFrame) -> None:
    estimator = fedcdi.FedCDI(rounds=1)
    assert "FedCDI" in estimator._repr_html_()
    assert "<svg" in estimator.fit(frame)._repr_html_()


def test_what_does_not_belong_is_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(fedcdi.InputError, match="belongs to fit"):
        fedcdi.FedCDI(data=frame)
    with pytest.raises(fedcdi.InputError, match="belongs to fit"):
        fedcdi.FedCDI().set_params(intervention="x")
    with pytest.raises(fedcdi.InputError, match="has no y"):
        fedcdi.FedCDI().fit(frame, [1])  # type: ignore[arg-type]
    with pytest.raises(fedcdi.InputError, match="call fit first"):
        fedcdi.FedCDI().graph_

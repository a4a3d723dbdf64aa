"""Rules and methods that are written in Python."""

from __future__ import annotations

import pickle
from typing import Any

import fedcdi
import numpy as np
import pandas as pd
import pytest

from conftest import QUICK

#: Rounds that decide by the rule alone.
ALONE: dict[str, Any] = {**QUICK, "pruning": "never", "grafting": "never", "refine": "never"}


class Naive:
    """The mean of what sites believe, weighted by rows: `naive` of psi, in Python."""

    def terms(self, site: fedcdi.own.Opinion) -> Any:
        return site.rows * site.psi, site.rows

    def finish(self, weighted: Any, rows: Any) -> Any:
        return weighted / rows


def test_a_rule_decides(sites: fedcdi.Study) -> None:
    result = fedcdi.simulate(sites, rule=Naive(), **ALONE)
    builtin = fedcdi.simulate(sites, rule={"kind": "naive", "space": "psi"}, **ALONE)
    assert [(e.cause, e.effect) for e in result.edges] == [(e.cause, e.effect) for e in builtin.edges]
    assert np.allclose(result.probabilities, builtin.probabilities, atol=0.01)


def test_the_same_rule_gives_the_same_bytes(sites: fedcdi.Study) -> None:
    one = fedcdi.simulate(sites, rule=Naive(), threads=1, **QUICK)
    other = fedcdi.simulate(sites, rule=Naive(), threads=4, **QUICK)
    assert one.files == other.files


def test_a_rule_sees_every_site(sites: fedcdi.Study) -> None:
    seen: list[fedcdi.own.Opinion] = []

    class Curious(Naive):
        def terms(self, site: fedcdi.own.Opinion) -> Any:
            seen.append(site)
            return super().terms(site)

    fedcdi.simulate(sites, rule=Curious(), rounds=1)
    told = [site for site in seen if site.rows > 2]
    assert len(told) == 3
    for site in told:
        for matrix in (site.psi, site.existence, site.orientation, site.prior_psi):
            assert matrix.shape == (5, 5)
        assert np.allclose(site.prior_psi[0, 1], 0.25)
        # Rows are told in bands of five.
        assert site.rows % 5 == 0
        assert len(site.interventional) == 5
        assert site.observational + sum(site.interventional) <= site.rows + 30


def test_a_rule_that_needs_every_answer(sites: fedcdi.Study) -> None:
    class Median:
        additive = False

        def terms(self, site: fedcdi.own.Opinion) -> Any:
            return site.psi

        def finish(self, beliefs: Any) -> Any:
            assert beliefs.shape == (3, 5, 5)
            return np.median(beliefs, axis=0)

    result = fedcdi.simulate(sites, rule=Median(), **ALONE)
    assert result.variables


def test_a_rule_may_speak_in_lists_and_frames(sites: fedcdi.Study) -> None:
    class Lists(Naive):
        def terms(self, site: fedcdi.own.Opinion) -> Any:
            return (site.rows * site.psi).tolist(), [site.rows]

        def finish(self, weighted: Any, rows: Any) -> Any:
            return pd.DataFrame(weighted / rows[0])

    one = fedcdi.simulate(sites, rule=Lists(), **ALONE)
    assert one.files["belief.csv"] == fedcdi.simulate(sites, rule=Naive(), **ALONE).files["belief.csv"]


class Broken(Naive):
    """A rule with one fault."""

    def __init__(self, **faults: Any) -> None:
        self.faults = faults

    def terms(self, site: fedcdi.own.Opinion) -> Any:
        return self.faults["terms"](site) if "terms" in self.faults else super().terms(site)

    def finish(self, *sums: Any) -> Any:
        return self.faults["finish"](*sums) if "finish" in self.faults else super().finish(*sums)


REFUSED = {
    "finish returned an array of 3 x 3 where a matrix of 5 x 5": {"finish": lambda *_: np.zeros((3, 3))},
    "finish returned a number where a matrix of 5 x 5": {"finish": lambda *_: 0.5},
    "finish returned a value of type NoneType": {"finish": lambda *_: None},
    "finish returned a value of type str": {"finish": lambda *_: "graph"},
    "finish returned an array whose rows are not equally long": {"finish": lambda *_: [[1], [1, 2]]},
    "finish returned a number that is not a probability": {"finish": lambda *_: np.full((5, 5), 2.0)},
    "keep all between 0 and 1": {"finish": lambda *_: np.full((5, 5), np.nan)},
    "terms returned a value of type NoneType": {"terms": lambda _: None},
    "terms returned an array whose rows": {"terms": lambda _: [[1], [1, 2]]},
    "a rule's terms must be finite": {"terms": lambda site: (site.psi * np.inf, 1)},
    "the shapes of a rule's terms must not depend": {
        "terms": lambda site: np.zeros(site.rows % 7),
        "finish": lambda *_: np.zeros((5, 5)),
    },
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_a_rule_returns_is_checked(message: str, sites: fedcdi.Study) -> None:
    with pytest.raises(fedcdi.InputError) as error:
        fedcdi.simulate(sites, rule=Broken(**REFUSED[message]), **QUICK)
    assert message in str(error.value)


@pytest.mark.parametrize("where", ["terms", "finish"])
def test_what_a_rule_raises_is_raised(where: str, sites: fedcdi.Study) -> None:
    mine = ZeroDivisionError("of my own")

    def fault(*_: Any) -> Any:
        raise mine

    with pytest.raises(ZeroDivisionError) as error:
        fedcdi.simulate(sites, rule=Broken(**{where: fault}), **QUICK)
    assert error.value is mine


class Correlating:
    """A method: how much two columns move together, towards later variables."""

    def __init__(self, table: pd.DataFrame, seed: int) -> None:
        assert isinstance(seed, int)
        numbers = table.drop(columns="intervention").astype(int)
        self.strength = np.triu(np.abs(numbers.corr().to_numpy()), 1)
        self.rounds: list[int] = []

    def update(self, prior: Any, round: int) -> Any:
        assert prior.shape == self.strength.shape
        self.rounds.append(round)
        return np.clip((self.strength + prior) / 2, 0, 1)


def test_a_method_learns(sites: fedcdi.Study) -> None:
    result = fedcdi.simulate(sites, method=Correlating, **ALONE)
    assert result.method == "Correlating"
    assert fedcdi.simulate(sites, method=Correlating, threads=3, **ALONE).files == result.files
    alone = fedcdi.discover(sites, method=Correlating, **ALONE)
    assert alone.variables == result.variables


def test_a_method_sees_only_its_own_rows(sites: fedcdi.Study) -> None:
    rows: list[int] = []

    class Counting(Correlating):
        def __init__(self, table: pd.DataFrame, seed: int) -> None:
            super().__init__(table, seed)
            rows.append(len(table))

    fedcdi.simulate(sites, method=Counting, **ALONE)
    assert sorted(rows) == sorted(len(sites.table(name)) for name in sites.sites)


def test_what_a_method_raises_is_raised(sites: fedcdi.Study) -> None:
    class Failing(Correlating):
        def update(self, prior: Any, round: int) -> Any:
            raise LookupError("of my own")

    class Stillborn:
        def __init__(self, table: Any, seed: int) -> None:
            raise LookupError("of my own")

    for method in (Failing, Stillborn):
        with pytest.raises(LookupError, match="of my own"):
            fedcdi.simulate(sites, method=method, **QUICK)


def test_what_a_method_returns_is_checked(sites: fedcdi.Study) -> None:
    class Wide(Correlating):
        def update(self, prior: Any, round: int) -> Any:
            return np.zeros((5, 4))

    with pytest.raises(fedcdi.InputError, match="update returned an array of 5 x 4"):
        fedcdi.simulate(sites, method=Wide, **QUICK)


def test_a_method_that_cannot_be_made_says_how(sites: fedcdi.Study) -> None:
    class NoArguments:
        def update(self, prior: Any, round: int) -> Any:
            return prior

    with pytest.raises(TypeError, match="takes no arguments"):
        fedcdi.simulate(sites, method=NoArguments, **QUICK)
    with pytest.raises(fedcdi.InputError, match="made with a site's table and a seed"):
        fedcdi.simulate(sites, method=NoArguments(), **QUICK)


def test_results_of_own_rules_are_kept_as_others_are(sites: fedcdi.Study, tmp_path: Any) -> None:
    result = fedcdi.simulate(sites, rule=Naive(), **QUICK)
    assert pickle.loads(pickle.dumps(result)) == result
    result.save(tmp_path / "run")
    assert "Naive" in (tmp_path / "run" / "spec.toml").read_text()
    assert "Naive" in result.report()


def test_settings_of_methods_do_not_apply_to_own_ones(sites: fedcdi.Study) -> None:
    result = fedcdi.simulate(sites, method=Correlating, rule=Naive(), compare=True, **ALONE)
    assert result.comparison is not None


def test_ctrl_c_in_a_rule_ends_the_run(sites: fedcdi.Study) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fedcdi.simulate(sites, rule=Broken(finish=interrupt), **QUICK)

"""Sites and a coordinator in one process: the bytes of a simulation, whoever is restarted and when."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import fedcdi
import pandas as pd
import pytest

from conftest import QUICK, same_bytes

SETTINGS = "seed = 2\n[coordinator]\nrounds = 3\n"


@dataclass
class Case:
    """A study in a folder of its own."""

    folder: Path
    sites: list[str]

    def coordinator(self) -> fedcdi.Coordinator:
        return fedcdi.Coordinator(self.folder / "kits" / "coordinator", self.folder / "ledger")

    def site(self, name: str) -> fedcdi.Site:
        return fedcdi.Site.open(self.folder / f"{name}.toml")

    def kit(self, name: str) -> Path:
        return self.folder / "kits" / name


@pytest.fixture(scope="session")
def made(folder: Path, sites: fedcdi.Study, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """The study of three sites, with kits; nobody has answered anything."""
    case = Case(tmp_path_factory.mktemp("parties"), sites.sites)
    shutil.copytree(folder, case.folder / "study")
    (case.folder / "study.toml").write_text(
        f'name = "hearts"\nsites = {case.sites}\nschema = "study/schema.json"\n{SETTINGS}'
    )
    (case.folder / "policy.toml").write_text("")
    for name in case.sites:
        (case.folder / f"{name}.toml").write_text(
            f'name = "{name}"\nkit = "kits/{name}"\ndata = "study/{name}.csv"\n'
            f'policy = "policy.toml"\nstate = "state/{name}"\n'
        )
    folders = fedcdi.provision(case.folder / "study.toml", case.folder / "kits")
    assert {path.name for path in folders} == {"coordinator", *case.sites}
    return case


@pytest.fixture
def case(made: Case, tmp_path: Path) -> Case:
    shutil.copytree(made.folder, tmp_path / "case")
    return Case(tmp_path / "case", made.sites)


@pytest.fixture(scope="session")
def expected(folder: Path) -> fedcdi.Result:
    """What a simulation of the same study comes to."""
    return fedcdi.simulate(folder, **QUICK, refine="never", moves="ignore")


def test_a_study_is_its_simulation(case: Case, expected: fedcdi.Result) -> None:
    coordinator = case.coordinator()
    sites = {name: case.site(name) for name in case.sites}
    assert coordinator.study == "hearts"
    assert coordinator.sites == case.sites
    assert not coordinator.finished
    with pytest.raises(fedcdi.RunError, match="the study is not over"):
        coordinator.result()
    while questions := coordinator.questions():
        for name, question in questions:
            answer = sites[name].answer(question)
            assert coordinator.receive(name, answer) == "taken"
    assert coordinator.finished
    assert coordinator.number is None
    result = coordinator.result()
    same_bytes(result.files, expected.files)
    assert result.sites == case.sites


def test_everybody_may_restart_after_every_step(case: Case, expected: fedcdi.Result) -> None:
    steps = 0
    while questions := case.coordinator().questions():
        name, question = questions[0]
        answer = case.site(name).answer(question)
        assert case.site(name).answer(question) == answer
        assert case.coordinator().receive(name, answer) == "taken"
        assert case.coordinator().receive(name, answer) == "repeated"
        steps += 1
    assert steps >= 9
    same_bytes(case.coordinator().result().files, expected.files)


def test_a_folder_has_one_owner(case: Case) -> None:
    coordinator, site = case.coordinator(), case.site(case.sites[0])
    for again in (case.coordinator, lambda: case.site(case.sites[0])):
        with pytest.raises(fedcdi.InputError, match="another process uses this folder"):
            again()
    assert coordinator.questions() and not site.finished


def test_a_site_may_bring_its_table_in_memory(case: Case, expected: fedcdi.Result) -> None:
    coordinator = case.coordinator()

    def site(name: str) -> fedcdi.Site:
        rows = pd.read_csv(case.folder / "study" / f"{name}.csv", keep_default_na=False)
        state = case.folder / "state" / name
        return fedcdi.Site(case.kit(name), name, rows, case.folder / "policy.toml", state)

    sites = {name: site(name) for name in case.sites}
    assert [sites[name].name for name in case.sites] == case.sites
    while questions := coordinator.questions():
        for name, question in questions:
            coordinator.receive(name, sites[name].answer(question))
    same_bytes(coordinator.result().files, expected.files)


def test_status_says_who_is_waited_for(case: Case) -> None:
    coordinator = case.coordinator()
    first, *others = case.sites
    question = dict(coordinator.questions())[first]
    before = coordinator.status()
    assert before["waiting"] == case.sites
    coordinator.receive(first, case.site(first).answer(question))
    status = coordinator.status()
    assert status["answered"] == [first]
    assert status["waiting"] == others
    assert status["study"] == "hearts"
    assert status["head"] != before["head"]


def test_the_study_goes_on_without_a_silent_site(case: Case) -> None:
    coordinator = case.coordinator()
    silent, *others = case.sites
    while questions := dict(coordinator.questions()):
        for name in others:
            if name in questions:
                coordinator.receive(name, case.site(name).answer(questions[name]))
        if not coordinator.finished and set(dict(coordinator.questions())) == {silent}:
            assert coordinator.has_quorum
            coordinator.close()
    assert coordinator.result().variables


def test_without_a_quorum_the_study_fails(case: Case) -> None:
    coordinator = case.coordinator()
    assert not coordinator.has_quorum
    coordinator.close()
    with pytest.raises(fedcdi.RunError):
        coordinator.result()
    coordinator.close()  # nothing runs, nothing happens


def test_what_is_no_answer_is_refused(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    coordinator = case.coordinator()
    with caplog.at_level(logging.WARNING, logger="fedcdi"):
        assert coordinator.receive(case.sites[0], b"no answer") == "refused"
    assert "an answer was refused" in caplog.text
    assert dict(coordinator.questions()).keys() == set(case.sites)
    with pytest.raises(fedcdi.InputError, match='the plan has no site "mallory"; its sites are'):
        coordinator.receive("mallory", b"")


def test_a_question_that_is_none_is_declined_by_a_code(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    site = case.site(case.sites[0])
    with caplog.at_level(logging.WARNING, logger="fedcdi"):
        answer = site.answer(b"no question")
    assert "declined a question" in caplog.text
    assert 0 < len(answer) < 200
    assert b"question" not in answer
    assert not site.finished


def test_what_a_site_lacks_is_said(case: Case) -> None:
    name = case.sites[0]
    text = (case.folder / f"{name}.toml").read_text()
    faults = {
        'policy = "policy.toml"\n': "the key policy is missing",
        f'data = "study/{name}.csv"\n': "the key data is missing",
        f'kit = "kits/{name}"\n': "the key kit is missing",
    }
    for line, message in faults.items():
        assert line in text
        (case.folder / "site.toml").write_text(text.replace(line, ""))
        with pytest.raises(fedcdi.InputError, match=message):
            fedcdi.Site.open(case.folder / "site.toml")
    with pytest.raises(fedcdi.InputError, match="no such file"):
        fedcdi.Site.open(case.folder / "nowhere.toml")
    with pytest.raises(fedcdi.InputError, match="no such file"):
        fedcdi.Coordinator(case.folder / "nowhere", case.folder / "ledger")
    with pytest.raises(fedcdi.InputError, match="threads is -1"):
        fedcdi.Site.open(case.folder / f"{name}.toml", threads=-1)


def test_a_policy_can_forbid_a_plan(case: Case) -> None:
    (case.folder / "policy.toml").write_text("smallest_cell = 50.0\n")
    with pytest.raises(fedcdi.InputError, match="smallest_cell"):
        case.site(case.sites[0])


def test_a_table_of_another_study_is_refused(case: Case) -> None:
    name = case.sites[0]
    rows = pd.read_csv(case.folder / "study" / f"{name}.csv", keep_default_na=False)
    place = (case.folder / "policy.toml", case.folder / "elsewhere")
    with pytest.raises(fedcdi.InputError, match="X1"):
        fedcdi.Site(case.kit(name), name, rows.drop(columns="X1"), *place)
    with pytest.raises(fedcdi.InputError, match="which is no table"):
        fedcdi.Site(case.kit(name), name, 3, *place)
    with pytest.raises(fedcdi.InputError, match="mallory"):
        fedcdi.Site(case.kit(name), "mallory", rows, *place)


def test_a_study_that_cannot_be_is_not_provisioned(case: Case) -> None:
    study = case.folder / "other.toml"
    study.write_text('name = "hearts"\nsites = ["one"]\nschema = "study/schema.json"\n')
    with pytest.raises(fedcdi.InputError, match="name at least two"):
        fedcdi.provision(study, case.folder / "other")
    with pytest.raises(fedcdi.InputError, match="no such file"):
        fedcdi.provision(case.folder / "nowhere.toml", case.folder / "other")


def slow(case: Case, epochs: int) -> Case:
    """The same study, with rounds that take long."""
    text = (case.folder / "study.toml").read_text()
    text += f'[method]\nname = "enco"\n[method.settings]\nepochs = {epochs}\n'
    (case.folder / "study.toml").write_text(text)
    shutil.rmtree(case.folder / "kits")
    fedcdi.provision(case.folder / "study.toml", case.folder / "kits")
    return case


def test_others_can_look_at_a_site_that_works(case: Case) -> None:
    # To ask whether a site is done must not stop all of Python until it is.
    case = slow(case, epochs=150)
    coordinator = case.coordinator()
    sites = {name: case.site(name) for name in case.sites}
    beats: list[float] = []
    while not beats or max(beats) - min(beats) < 0.5:
        for name, question in coordinator.questions():
            answers: list[bytes] = []
            worker = threading.Thread(target=lambda: answers.append(sites[name].answer(question)))
            worker.start()
            looker = threading.Thread(target=lambda: sites[name].finished)
            looker.start()
            beats = []
            while worker.is_alive():
                beats.append(time.monotonic())
                time.sleep(0.005)
            looker.join()
            coordinator.receive(name, answers[0])
    assert max(b - a for a, b in zip(beats, beats[1:])) < 0.4


INTERRUPTED = """
import sys, fedcdi
from pathlib import Path
folder, name = Path(sys.argv[1]), sys.argv[2]
coordinator = fedcdi.Coordinator(folder / "kits" / "coordinator", folder / "ledger")
sites = {name: fedcdi.Site.open(folder / f"{name}.toml") for name in coordinator.sites}
print("ready", flush=True)
while questions := coordinator.questions():
    for name, question in questions:
        try:
            answer = sites[name].answer(question)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.exit(3)
        coordinator.receive(name, answer)
"""


def test_ctrl_c_ends_an_answer_and_keeps_nothing_of_it(case: Case) -> None:
    case = slow(case, epochs=5000)
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, case.folder, case.sites[0]], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    os.kill(process.pid, signal.SIGINT)
    begun = time.monotonic()
    output, _ = process.communicate(timeout=60)
    assert (process.returncode, output) == (3, "interrupted\n")
    assert time.monotonic() - begun < 3
    # The question is still open: an interruption is no answer.
    coordinator = case.coordinator()
    assert not coordinator.finished
    assert coordinator.questions()

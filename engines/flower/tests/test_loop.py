"""The loop and the ClientApp, in one process: what is asked when, and that the study comes to the same bytes."""

from __future__ import annotations

import fedcdi
import pytest
from fake import LOST, FakeGrid, Stopped, clock, serve  # noqa: F401
from fedcdi_flower import client_app, nodes, wire
from flwr.app import Context, Error, Message, RecordDict

QUESTIONS = 5  # join, three rounds, the result


def times_asked(grid: FakeGrid, site: str) -> int:
    return sum(name == site for _, name in grid.asked)


def test_a_study_comes_to_the_same_bytes(case, clock):
    grid = FakeGrid(case, clock)
    serve(grid)
    case.check(case.folder / "result")
    assert len(grid.asked) == QUESTIONS * len(case.sites)
    assert clock.now == 0, "nobody was waited for"


def test_late_answers_within_the_deadline_count(case, clock):
    grid = FakeGrid(case, clock)
    grid.faults["bern"] = [140.0, 99.0]
    serve(grid)
    case.check(case.folder / "result")
    assert times_asked(grid, "bern") == QUESTIONS


def test_flowers_errors_and_codes_are_asked_again_after_a_pause(case, clock, caplog):
    grid = FakeGrid(case, clock)
    grid.faults["basel"] = [Error(5, case.canary)]
    grid.faults["bern"] = [wire.pack(code="failed"), wire.pack(code=case.canary), wire.pack()]
    serve(grid)
    case.check(case.folder / "result")
    assert [at for at, site in grid.asked if site == "bern"][:4] == [0, 10, 20, 30]
    assert times_asked(grid, "basel") == QUESTIONS + 1
    assert "bern did not answer: failed" in caplog.text
    assert case.canary not in caplog.text


def test_a_node_that_connects_anew_is_asked_at_once(case, clock):
    grid = FakeGrid(case, clock)
    grid.faults["chur"] = [LOST]
    clock.events = {
        5: lambda: grid.online.discard(102),
        70: lambda: (grid.since.update({102: "second"}), grid.online.add(102)),
    }
    serve(grid)
    case.check(case.folder / "result")
    assert [at for at, site in grid.asked if site == "chur"][:2] == [0, 70]


def test_without_a_site_the_study_goes_on_after_the_deadline(case, clock, caplog):
    grid = FakeGrid(case, clock)
    grid.online.discard(101)
    serve(grid)
    with pytest.raises(AssertionError):
        case.check(case.folder / "result")
    assert "going on without bern" in caplog.text
    assert 150 < clock.now < 160, "grace and deadline once: who did not join is not waited for"


def test_a_site_that_was_lost_joins_later(case, clock):
    grid = FakeGrid(case, clock)
    grid.online.discard(101)
    grid.faults["basel"] = [0.0, 30.0]
    clock.events = {160: lambda: grid.online.add(101)}
    serve(grid)
    assert times_asked(grid, "bern") > 1, "it is asked to join, and then for the next round"
    assert fedcdi.Site.open(case.site_file("bern")).finished


def test_an_answer_after_the_deadline_does_no_harm(case, clock):
    grid = FakeGrid(case, clock)
    grid.faults["chur"] = [0.0, 120.0]
    grid.faults["basel"] = [0.0, 0.0, 50.0]
    serve(grid)
    assert (case.folder / "result" / "belief.csv").exists()
    assert times_asked(grid, "chur") == QUESTIONS


def test_without_a_quorum_it_waits_on(case, clock, caplog):
    grid = FakeGrid(case, clock)
    grid.online = {100}
    clock.events = {5000: lambda: grid.online.update({101, 102})}
    serve(grid)
    case.check(case.folder / "result")
    assert clock.now >= 5000
    assert "waiting for bern, chur" in caplog.text


@pytest.mark.parametrize("after", range(1, QUESTIONS * 3))
def test_a_server_that_is_killed_goes_on_from_its_ledger(case, clock, after):
    grid = FakeGrid(case, clock)
    messages = 0

    def push(message, push=grid.push):
        nonlocal messages
        messages += 1
        if messages == after + 1:
            raise Stopped
        return push(message)

    grid.push = push
    with pytest.raises(Stopped):
        serve(grid)
    serve(grid)
    case.check(case.folder / "result")
    assert all(len(different) == 1 for different in grid.answers.values()), "same question, same bytes"
    # Of the question that was running, what was answered but not taken is asked again: nothing else.
    assert len(grid.asked) <= (QUESTIONS + 1) * len(case.sites)


def test_a_study_that_is_over_writes_its_result_again(case, clock):
    grid = FakeGrid(case, clock)
    serve(grid)
    asked = len(grid.asked)
    (case.folder / "result" / "belief.csv").unlink()
    serve(grid)
    case.check(case.folder / "result")
    assert len(grid.asked) == asked


def test_the_result_is_there_before_every_site_has_it(case, clock):
    grid = FakeGrid(case, clock)
    grid.faults["bern"] = [0.0] * (QUESTIONS - 1) + [LOST]
    clock.events = {50: lambda: case.check(case.folder / "result")}
    serve(grid)
    assert clock.now > 100


def test_a_panic_and_a_failure_at_a_site_leave_a_code_only(case, clock, monkeypatch):
    grid = FakeGrid(case, clock)
    raised = iter([BaseException, RuntimeError])
    whole = fedcdi.Site.answer

    def answer(site, question):
        kind = next(raised, None)
        if kind is not None:
            raise kind(case.canary)
        return whole(site, question)

    monkeypatch.setattr(fedcdi.Site, "answer", answer)
    serve(grid)
    case.check(case.folder / "result")
    assert [wire.unpack(content, "code", str) for content in grid.contents[:3]] == ["failed", "failed", None]
    assert case.canary in case.site_file("basel").with_suffix(".log").read_text()


def test_stopping_the_process_is_no_answer(case, clock, monkeypatch):
    grid = FakeGrid(case, clock)

    def stop(site, question):
        raise SystemExit

    monkeypatch.setattr(fedcdi.Site, "answer", stop)
    with pytest.raises(SystemExit):
        serve(grid)


@pytest.mark.parametrize(
    ("spoilt", "words"),
    [("policy =", "the key policy is missing"), ("data =", "the key data is missing"), ("", "basel.toml: no such file")],
)
def test_a_site_that_is_not_ready_says_why_at_home(case, clock, caplog, capfd, spoilt, words):
    file = case.site_file("basel")
    whole = file.read_text()
    if spoilt:
        file.write_text("".join(line for line in whole.splitlines(True) if not line.startswith(spoilt)))
    else:
        file.unlink()
    clock.events = {15: lambda: file.write_text(whole)}
    serve(FakeGrid(case, clock))
    case.check(case.folder / "result")
    assert words in file.with_suffix(".log").read_text()
    assert f"{file.with_suffix('.log')} says why" in capfd.readouterr().err
    assert "basel did not answer: not-ready" in caplog.text
    assert words not in caplog.text


def test_a_node_without_a_site_file_says_what_to_do(case, clock, capfd):
    question = Message(wire.pack(question=b"?", site="basel"), dst_node_id=100, message_type=wire.QUERY)
    config = {"sites-folder": str(case.folder)}
    context = Context(run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config=config)
    reply = client_app.app(message=question, context=context)
    assert dict(reply.content["fedcdi"]) == {"code": "not-ready"}
    assert "--node-config" in capfd.readouterr().err
    assert not (case.folder / "state").exists(), "a folder that a server names is not used"


def test_nodes_of_other_or_double_names_take_no_part(case, clock):
    found = nodes.registered(case.sites)(FakeGrid(case, clock, ["basel", "zug", "chur", "chur", ""]).get_nodes())
    assert list(found) == ["basel"]


def test_named_nodes_are_no_simulation(case, clock):
    with pytest.raises(fedcdi.InputError, match="simulations"):
        serve(FakeGrid(case, clock), **{"sites-folder": str(case.folder)})


@pytest.mark.parametrize("key", ["kit", "ledger", "result"])
def test_a_run_without_a_folder_is_refused(case, clock, key):
    with pytest.raises(fedcdi.InputError, match=key):
        serve(FakeGrid(case, clock), **{key: ""})

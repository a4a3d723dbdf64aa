"""A deployment on this machine: TLS, keys registered by name, a process per party. Parties are killed."""

from __future__ import annotations

from pathlib import Path

import pytest
from platform_flower import Machine, Run, deploy, files_with, wait_for


def journals(folder: Path) -> dict[Path, bytes]:
    """What was made safe so far."""
    return {path: path.read_bytes() for path in folder.rglob("journal")}


def assert_kept(before: dict[Path, bytes]) -> None:
    """Nothing that was made safe is gone: journals only grow."""
    assert before
    for path, bytes_then in before.items():
        assert bytes_then and path.read_bytes().startswith(bytes_then), f"{path} has lost something"


def wait_for_words(file: Path, words: str, run: Run) -> None:
    def is_there() -> bool:
        assert run.process.poll() is None, run.text()[-4000:]
        return file.exists() and words in file.read_text()

    wait_for(f"{words!r} in {file}", is_there, 90)


def test_a_deployment_comes_to_the_same_bytes_and_sees_nothing_of_the_rows(case, tmp_path):
    """Two sites are not in order at first; the words, with a label of a row in them, stay there."""
    bern, chur = case.site_file("bern"), case.site_file("chur")
    table = case.folder / "study" / "bern.csv"
    whole = {path: path.read_text() for path in (table, chur)}
    table.write_text(whole[table].replace(f"{case.canary}-0", f"{case.canary}-oh", 1))
    chur.write_text(whole[chur].replace("policy =", "# policy ="))

    with Machine(tmp_path) as machine:
        link, nodes = deploy(machine, case)
        seen: set[Path] = set()

        def look() -> None:
            seen.update(files_with(link.folder, case.canary))

        run = link.run(case)
        run.wait_for("bern did not answer: not-ready", 90, look)
        run.wait_for("chur did not answer: not-ready", 30, look)
        assert f"{case.canary}-oh" in bern.with_suffix(".log").read_text()
        assert "the key policy is missing" in chur.with_suffix(".log").read_text()
        for path, text in whole.items():
            path.write_text(text)
        run.finish(150, look)
        case.check(run.result)
        look()
        assert not seen, "the server's side has something from the rows"
        assert files_with(link.folder, "did not answer: not-ready"), "the search finds what is there"
        assert bern.with_suffix(".log") in files_with(case.folder, case.canary)
        logs = {node.folder / "supernode.log" for node in nodes.values()}
        assert not logs & set(files_with(machine.folder / "nodes", case.canary))


@pytest.mark.slow
def test_a_supernode_that_is_killed_and_restarted_loses_nothing(case, tmp_path):
    with Machine(tmp_path) as machine:
        link, nodes = deploy(machine, case)
        run = link.run(case)
        run.wait_for("question 1 took", 120)
        before = journals(case.folder / "state") | journals(link.folder / "ledger")
        nodes["chur"].process.kill()
        nodes["chur"].process.wait()
        run.finish(400, nodes["chur"].keep_up)
        assert "chur is asked again" in run.text(), "it was killed too late"
        case.check(run.result)
        assert_kept(before)


@pytest.mark.slow
def test_a_serverapp_that_is_killed_goes_on_from_its_ledger_in_a_new_run(case, tmp_path):
    """It is killed when a site has answered, and most likely before it has heard of that."""
    with Machine(tmp_path) as machine:
        link, _ = deploy(machine, case)
        first = link.run(case)
        first.wait_for("question 1 took", 120)
        earlier = journals(case.folder / "state")
        wait_for("an answer", lambda: journals(case.folder / "state") != earlier, 60)
        assert machine.kill("flwr-serverapp")
        assert "question 2 took" not in first.text(), "it was killed too late"
        before = journals(case.folder / "state") | journals(link.folder / "ledger")
        second = link.run(case)
        second.finish(300)
        assert "begins at question 2" in second.text()
        case.check(second.result)
        assert_kept(before)


@pytest.mark.slow
def test_a_superlink_that_is_killed_and_restarted_loses_nothing(case, tmp_path):
    """The old ServerApp ends, or goes on at the new SuperLink: a matter of seconds. Another run knows what is left."""
    with Machine(tmp_path) as machine:
        link, nodes = deploy(machine, case)
        first = link.run(case)
        first.wait_for("question 1 took", 120)
        assert machine.kill(str(link.folder / "state.db"))
        before = journals(case.folder / "state") | journals(link.folder / "ledger")
        link.start()
        wait_for("the end of the old ServerApp", lambda: not machine.living("flwr-serverapp"), 200)
        second = link.run(case)
        second.finish(300, lambda: [node.keep_up() for node in nodes.values()])
        assert "begins at question 0" not in second.text()
        case.check(second.result)
        assert_kept(before)

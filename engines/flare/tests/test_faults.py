"""Parties that are killed in mid-study: what the platform does about it, and that nothing acknowledged is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from federation import CLIENT_JOB, SERVER_JOB, SITE, Federation, until


@dataclass
class Middle:
    """A running study: basel and bern have answered question 1, and chur's answer is about to leave."""

    federation: Federation
    job: str
    hold: Path
    ledger: bytes

    def check_the_end(self, job: str) -> None:
        """The job came to the end of the study: same bytes, and the ledger only grew."""
        assert self.federation.ended(job) == "FINISHED:COMPLETED"
        self.federation.case.check(self.federation.result)
        self.check_ledger()

    def check_ledger(self) -> None:
        """What was acknowledged is still there."""
        ledger = journal(self.federation)
        assert ledger.startswith(self.ledger) and len(ledger) > len(self.ledger) > 0

    def resume(self) -> str:
        """Nobody is held any longer, and the job is submitted again."""
        self.hold.unlink()
        return self.federation.submit()


def journal(federation: Federation) -> bytes:
    """The ledger."""
    return (federation.state / "journal").read_bytes()


@pytest.fixture
def middle(federation: Federation, tmp_path: Path) -> Iterator[Middle]:
    """The study up to there."""
    hold = tmp_path / "hold"
    hold.touch()
    federation.add_filter("chur", "trouble.Hold", number=2, file=str(hold))
    job = federation.submit()
    until("chur is held", hold.with_suffix(".held").exists)
    for site in ["basel", "bern"]:
        line = f"question 1: answer of {site} taken"
        until(f"{site} has answered", lambda: line in federation.out("localhost"))
    yield Middle(federation, job, hold, journal(federation))


def test_a_site_process_that_crashes_costs_nothing(middle: Middle) -> None:
    """The process that works for the site is killed: a code, asked again, the same answers."""
    assert middle.federation.kill("chur", SITE)
    middle.hold.unlink()
    middle.check_the_end(middle.job)
    assert "chur: RuntimeError: the process of this site ended with code -9" in middle.federation.words("chur")
    assert "chur has no answer now: EXECUTION_EXCEPTION" in middle.federation.out("localhost")


def test_a_job_process_killed_at_a_site_ends_the_job_and_it_resumes(middle: Middle) -> None:
    """FLARE then ends the job for everybody."""
    assert middle.federation.kill("chur", CLIENT_JOB)
    assert middle.federation.ended(middle.job) != "FINISHED:COMPLETED"
    assert not middle.federation.result.exists()
    middle.check_the_end(middle.resume())
    assert "question 1: answer of chur taken" in middle.federation.out("localhost")


def test_a_server_job_killed_resumes(middle: Middle) -> None:
    """The ledger is all that counts."""
    assert middle.federation.kill("localhost", SERVER_JOB)
    assert middle.federation.ended(middle.job) != "FINISHED:COMPLETED"
    middle.check_the_end(middle.resume())


@pytest.mark.slow
def test_a_server_killed_resumes(middle: Middle) -> None:
    """All processes of the server are killed; the server is started again, and sites come back by themselves."""
    assert middle.federation.kill("localhost")
    middle.federation.start("localhost")
    middle.check_the_end(middle.resume())


@pytest.mark.slow
def test_a_client_killed_and_restarted_takes_part_in_the_next_job(middle: Middle) -> None:
    """It does not come back to the running job. The operator ends that and submits it again."""
    assert middle.federation.kill("chur")
    middle.federation.start("chur")
    middle.federation.admin("abort", middle.job, "--force")
    middle.federation.ended(middle.job)
    middle.check_the_end(middle.resume())


def test_a_client_killed_is_left_out_after_the_deadline(middle: Middle) -> None:
    """Client and job process of chur are killed and stay away: deadline and quorum end the study without it.

    FLARE itself waits for chur for another quarter of an hour. If chur returns, FLARE calls the job a failure.
    """
    federation = middle.federation
    assert federation.kill("chur")
    federation.set_deadline(3)
    until("the study is over", lambda: "study hearts is over" in federation.out("localhost"))
    assert "question 1: time is up, going on without ['chur']" in federation.out("localhost")
    middle.check_ledger()
    assert (federation.result / "belief.csv").exists()
    with pytest.raises(AssertionError, match="differs"):
        federation.case.check(federation.result)
    federation.start("chur")
    assert federation.ended(middle.job) != "FINISHED:COMPLETED"


@pytest.mark.slow
def test_without_a_quorum_the_study_waits(middle: Middle) -> None:
    """Bern and chur are killed. Question 1 has two answers, question 2 gets one, which is too few."""
    federation = middle.federation
    assert federation.kill("chur") and federation.kill("bern")
    federation.set_deadline(3)
    until("question 2 is asked", lambda: "question 2: answer of basel taken" in federation.out("localhost"))
    time.sleep(10)
    assert "question 2: time is up" not in federation.out("localhost")
    federation.admin("abort", middle.job, "--force")
    federation.ended(middle.job)
    federation.set_deadline(3600)
    federation.start("bern", "chur")
    assert federation.ended(middle.resume()) == "FINISHED:COMPLETED"
    middle.check_ledger()
    assert (federation.result / "belief.csv").exists()

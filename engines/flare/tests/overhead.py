"""What FLARE costs per question beyond the work of the slowest site: ``python engines/flare/tests/overhead.py``.

One line per mode. The first question is left out of the median: sites start and read their tables then.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from conftest import Case, make  # engines/conftest.py
from federation import Federation, kill, run


def seconds(line: str, text: str) -> list[float]:
    """The times in all lines of this kind, in order."""
    return [float(found) for found in re.findall(line, text)]


def report(mode: str, server: str, sites: list[str]) -> None:
    """Prints what a mode costs, from what its parties logged."""
    questions = seconds(r"question \d+ took ([\d.]+) s", server)
    answers = [seconds(r"answered in ([\d.]+) s", site) for site in sites]
    if any(len(times) != len(questions) for times in answers):
        raise SystemExit(f"{mode}: some question was asked twice, so the times do not belong together; try again")
    beyond = [whole - max(work) for whole, *work in zip(questions, *answers)]
    print(
        f"{mode}: {statistics.median(beyond[1:]):.3f} s per question beyond the slowest site"
        f" (median of {len(beyond) - 1}; the first question {beyond[0]:.1f} s)"
    )


def simulator(case: Case) -> None:
    """One machine, a process for each site."""
    folder = case.folder
    try:
        run(folder, "fedcdi-flare", "simulator", "flare", case.kit, "ledger", "result", "{site}.toml")
        run(folder, "fedcdi-flare", "job", case.kit, "job")
        run(folder, "nvflare", "simulator", "job", "-w", "flare", "-c", ",".join(case.sites), "-t", "3")
    finally:
        kill(folder)
    case.check(folder / "result")
    logs = [folder / "flare" / party / "log.txt" for party in ["server", *case.sites]]
    server, *sites = (log.read_text() for log in logs)
    report("FLARE simulator", server, sites)


def kits(case: Case, folder: Path) -> None:
    """Provisioned kits with mutual TLS."""
    federation = Federation(folder, case.sites)
    try:
        federation.begin(case)
        federation.ended(federation.submit())
        case.check(federation.result)
        report("FLARE kits, mTLS", federation.out("localhost"), [federation.out(site) for site in case.sites])
    finally:
        federation.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for mode in ["simulator", "case", "flare"]:
            (Path(made) / mode).mkdir()
        simulator(make(Path(made) / "simulator"))
        kits(make(Path(made) / "case"), Path(made) / "flare")

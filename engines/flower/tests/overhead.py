"""What Flower adds to every question: ``python engines/flower/tests/overhead.py [simulation] [deployment]``.

Prints one line per mode. Measure on a quiet machine. Local work is that of the slowest site, with its table
in memory; the first question of a run is left out, because nodes and Ray are still starting.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from platform_flower import Link, Machine, Run, deploy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from conftest import Case, make  # noqa: E402
from fedcdi import Coordinator, Site  # noqa: E402


def local_work(case: Case) -> list[float]:
    """Seconds that the slowest site works on each question."""
    coordinator = Coordinator(case.kit, case.folder / "ledger")
    sites = {name: Site.open(case.site_file(name)) for name in case.sites}
    spent = []
    while not coordinator.finished:
        slowest = 0.0
        for name, question in coordinator.questions():
            start = time.perf_counter()
            answer = sites[name].answer(question)
            slowest = max(slowest, time.perf_counter() - start)
            coordinator.receive(name, answer)
        spent.append(slowest)
    return spent


def simulation(machine: Machine, case: Case) -> Run:
    run = Link(machine, simulation=True).run(case, **{"sites-folder": case.folder})
    run.finish(300)
    return run


def deployment(machine: Machine, case: Case) -> Run:
    link, _ = deploy(machine, case)
    run = link.run(case)
    run.finish(300)
    return run


MODES = {"simulation": simulation, "deployment": deployment}


def main() -> None:
    modes = sys.argv[1:] or list(MODES)
    folder = Path(tempfile.mkdtemp(prefix="overhead"))
    try:
        (folder / "made").mkdir()
        made = make(folder / "made")
        for mode in ["local", *modes]:
            shutil.copytree(made.folder, folder / mode / "case")
        local = local_work(Case(folder / "local" / "case"))[1:]
        for mode in modes:
            case = Case(folder / mode / "case")
            with Machine(folder / mode) as machine:
                run = MODES[mode](machine, case)
            case.check(run.result)
            whole = run.seconds()[1:]
            beyond = statistics.median(a - b for a, b in zip(whole, local, strict=True))
            print(
                f"Flower {mode}: {beyond:.2f} s per question beyond {statistics.median(local):.3f} s of local work"
                f" (median of {len(whole)} questions, {len(case.sites)} sites)"
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

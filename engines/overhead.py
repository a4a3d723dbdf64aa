"""What a question costs beyond local work in one process, and over fedcdi's own TLS: ``python engines/overhead.py``.

FEDCDI_BIN names the program. One line per carrier; the first question is left out, because parties start.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import fedcdi
from conftest import Case, make

PROGRAM = os.environ.get("FEDCDI_BIN", "fedcdi")


def in_process(case: Case) -> tuple[list[float], list[float]]:
    """Seconds of the slowest site, and of everything else, for each question."""
    coordinator = fedcdi.Coordinator(case.kit, case.folder / "ledger")
    sites = {name: fedcdi.Site.open(case.site_file(name)) for name in case.sites}
    local, beyond = [], []
    while not coordinator.finished:
        work, start = [], time.perf_counter()
        for name, question in coordinator.questions():
            begin = time.perf_counter()
            answer = sites[name].answer(question)
            work.append(time.perf_counter() - begin)
            coordinator.receive(name, answer)
        beyond.append(time.perf_counter() - start - sum(work))
        local.append(max(work))
    return local, beyond


def native(case: Case) -> list[float]:
    """Seconds from question to question, as the coordinator's ledger has them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = case.folder
    text = (folder / "study.toml").read_text()
    # Keys of the study itself come before its tables.
    (folder / "native.toml").write_text(f'address = "127.0.0.1:{port}"\n{text}')
    run = lambda *words: subprocess.Popen([PROGRAM, *map(str, words)], cwd=folder, stdout=-3, stderr=-3)
    assert run("provision", "native.toml", "--out", "native").wait() == 0
    parties = [run("coordinator", "native/coordinator", "--state", "native-ledger")]
    for name in case.sites:
        paths = ["--data", f"study/{name}.csv", "--policy", "policy.toml", "--state", f"native-{name}"]
        parties.append(run("site", f"native/{name}", *paths))
    try:
        assert all(party.wait(120) == 0 for party in parties)
    finally:
        for party in parties:
            party.kill()
    case.check(folder / "native-ledger" / "result")
    audit = subprocess.check_output([PROGRAM, "audit", "native-ledger", "--json"], cwd=folder)
    times = [entry["time"] / 1000 for entry in json.loads(audit)["entries"] if entry["what"] == "received"]
    ends = times[len(case.sites) - 1 :: len(case.sites)]
    return [end - before for before, end in zip(ends, ends[1:])]


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="overhead"))
    try:
        case = make(folder)
        local, beyond = in_process(case)
        print(
            f"in process: {statistics.median(beyond[1:]):.4f} s per question beyond {statistics.median(local[1:]):.3f} s"
            f" of local work (median of {len(local) - 1} questions, {len(case.sites)} sites)"
        )
        # The sites work at the same time, each as long as the slowest at most.
        spent = [whole - work for whole, work in zip(native(case), local[1:])]
        print(f"native TLS: {statistics.median(spent):.4f} s per question beyond local work (median of {len(spent)})")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

"""The simulator of FLARE: one machine, a process for each site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from federation import kill, run


def test_simulator_has_the_bytes_of_a_simulation(case: Any, tmp_path: Path) -> None:
    folder = case.folder
    try:
        run(folder, "fedcdi-flare", "simulator", "flare", case.kit, "ledger", "result", "{site}.toml")
        run(folder, "fedcdi-flare", "job", case.kit, "job")
        run(folder, "nvflare", "simulator", "job", "-w", "flare", "-c", ",".join(case.sites), "-t", "3")
    finally:
        kill(folder)
    case.check(folder / "result")

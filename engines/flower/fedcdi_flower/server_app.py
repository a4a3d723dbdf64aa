"""The server's side: the coordinator, its ledger, and the loop that carries its questions."""

from __future__ import annotations

from collections.abc import Callable
from logging import INFO
from pathlib import Path

from fedcdi import Coordinator, InputError, RunError
from flwr.app import Context
from flwr.common.logger import log
from flwr.serverapp import Grid, ServerApp

from fedcdi_flower import nodes
from fedcdi_flower.loop import Loop, Pace

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Begins a study, or goes on with it where its ledger says, and writes the result."""
    config = context.run_config
    kit, ledger, result = (folder(context, key) for key in ("kit", "ledger", "result"))
    coordinator = Coordinator(kit, ledger)
    find = nodes.simulated if config["sites-folder"] else nodes.registered
    pace = Pace(*(float(config[key]) for key in ("deadline", "grace", "retry", "poll")))
    loop = Loop(grid, coordinator, find(coordinator.sites), pace)
    loop.run(saver(coordinator, result))
    coordinator.result().save(result, overwrite=True)
    log(INFO, "study %s: over; the result is in %s", coordinator.study, result)


def folder(context: Context, key: str) -> Path:
    """A folder that the run must name."""
    path = context.run_config[key]
    if not path:
        raise InputError(f"the run names no {key}; add {key}=\"/path\" to --run-config")
    return Path(str(path))


def saver(coordinator: Coordinator, folder: Path) -> Callable[[], None]:
    """Writes the result as soon as there is one: sites that are away must not hold it up."""

    def save() -> None:
        try:
            coordinator.result().save(folder, overwrite=True)
        except RunError:
            pass  # not over, or failed; the end of the run says which

    return save

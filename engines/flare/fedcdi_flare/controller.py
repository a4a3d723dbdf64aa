"""The server's side: asks every site, one task each, and keeps the ledger.

A job may end at any moment. The same job submitted again goes on where the ledger ends.
"""

from __future__ import annotations

import math
import queue
import time

import fedcdi
from nvflare.apis.client import Client
from nvflare.apis.controller_spec import ClientTask, SendOrder, Task, TaskCompletionStatus
from nvflare.apis.fl_constant import ReturnCode
from nvflare.apis.fl_context import FLContext
from nvflare.apis.impl.controller import Controller
from nvflare.apis.shareable import Shareable
from nvflare.apis.signal import Signal

from . import TASK, own

#: Seconds until a site that could not answer is asked again; twice as long every time, up to the longest.
PAUSE, LONGEST_PAUSE = 5.0, 60.0
#: Seconds for sites that did not answer the question before: FLARE does not let a restarted one into the job.
GRACE = 30.0
#: Seconds between looks at the inbox.
TICK = 0.05


def is_late(spent: float, deadline: float, waiting: set[str], absent: set[str]) -> bool:
    """Whether the sites that have not answered had their time."""
    return spent > (min(deadline, GRACE) if waiting <= absent else deadline)


class StudyController(Controller):
    """Runs the study of this name."""

    def __init__(self, study: str) -> None:
        super().__init__(task_check_period=TICK)
        self.study = study
        self.absent: set[str] = set()
        self.inbox: queue.Queue[tuple[str, Shareable | None]] = queue.Queue()

    def start_controller(self, fl_ctx: FLContext) -> None:
        """Nothing to prepare."""

    def stop_controller(self, fl_ctx: FLContext) -> None:
        """Nothing to put away: the ledger is on the disk."""

    def process_result_of_unknown_task(
        self, client: Client, task_name: str, client_task_id: str, result: Shareable, fl_ctx: FLContext
    ) -> None:
        """A late answer. The coordinator knows whether it still wants it."""
        self.inbox.put((client.name, result))

    def control_flow(self, abort_signal: Signal, fl_ctx: FLContext) -> None:
        """The whole study."""
        kit, state, result = (own.value(fl_ctx, self.study, key) for key in ["kit", "state", "result"])
        coordinator = fedcdi.Coordinator(kit, state)
        while not coordinator.finished and not abort_signal.triggered:
            self._exchange(coordinator, abort_signal, fl_ctx)
        if coordinator.finished:
            coordinator.result().save(result, overwrite=True)
            self.log_info(fl_ctx, f"study {self.study} is over")
        else:
            self.log_info(fl_ctx, f"study {self.study} stopped; submit the job again to go on")

    def _exchange(self, coordinator: fedcdi.Coordinator, abort_signal: Signal, fl_ctx: FLContext) -> None:
        """One question to all sites, until the coordinator has another one."""
        number, began = coordinator.number, time.monotonic()
        asked: dict[str, bytes] = {}
        again: dict[str, float] = {}
        pause = dict.fromkeys(coordinator.sites, PAUSE)
        absent: set[str] = set()
        waiting = dict(coordinator.questions())
        while coordinator.number == number and not abort_signal.triggered:
            now = time.monotonic()
            for site, question in waiting.items():
                if asked.get(site) != question or again[site] <= now:
                    asked[site], again[site] = question, math.inf
                    self._ask(site, question, fl_ctx)
            site, result = self._next()
            if self._take(coordinator, site, result, fl_ctx):
                waiting = dict(coordinator.questions())
            elif site in waiting:
                again[site] = now + pause[site]
                pause[site] = min(2 * pause[site], LONGEST_PAUSE)
            if coordinator.number == number and coordinator.has_quorum:
                # Read every time: it may be changed while sites work.
                deadline = float(own.value(fl_ctx, self.study, "deadline"))
                if is_late(now - began, deadline, set(waiting), self.absent):
                    absent = set(waiting)
                    self.log_info(fl_ctx, f"question {number}: time is up, going on without {sorted(absent)}")
                    self.cancel_all_tasks()
                    coordinator.close()
        self.absent = absent
        self.log_info(fl_ctx, f"question {number} took {time.monotonic() - began:.3f} s")

    def _ask(self, site: str, question: bytes, fl_ctx: FLContext) -> None:
        data = Shareable()
        data[TASK] = question
        task = Task(TASK, data, result_received_cb=self._received, task_done_cb=self._done)
        self.send(task, fl_ctx, targets=[site], send_order=SendOrder.ANY)

    def _received(self, client_task: ClientTask, fl_ctx: FLContext) -> None:
        self.inbox.put((client_task.client.name, client_task.result))
        client_task.result = None

    def _done(self, task: Task, fl_ctx: FLContext) -> None:
        # The platform has given the site up. It may come back.
        if task.completion_status == TaskCompletionStatus.CLIENT_DEAD:
            self.inbox.put((task.targets[0], None))

    def _next(self) -> tuple[str, Shareable | None]:
        try:
            return self.inbox.get(timeout=TICK)
        except queue.Empty:
            return "", None

    def _take(
        self, coordinator: fedcdi.Coordinator, site: str, result: Shareable | None, fl_ctx: FLContext
    ) -> bool:
        """Whether the coordinator took something new."""
        if result is None or site not in coordinator.sites:
            return False
        number, code, answer = coordinator.number, result.get_return_code(), result.get(TASK)
        if code != ReturnCode.OK or not isinstance(answer, bytes):
            self.log_info(fl_ctx, f"question {number}: {site} has no answer now: {code}")
            return False
        became = coordinator.receive(site, answer)
        self.log_info(fl_ctx, f"question {number}: answer of {site} {became}")
        return became == "taken"

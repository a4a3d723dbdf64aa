"""A site's side within a job: hands questions to the site's process and answers to the server.

A site that cannot answer returns a bare code. The words go to ``local/fedcdi.log`` and nowhere else: what
FLARE logs could be sent to the server.
"""

from __future__ import annotations

import time
from pathlib import Path

from nvflare.apis.event_type import EventType
from nvflare.apis.executor import Executor
from nvflare.apis.fl_constant import ReturnCode
from nvflare.apis.fl_context import FLContext
from nvflare.apis.shareable import Shareable, make_reply
from nvflare.apis.signal import Signal

from . import TASK, own
from .process import SiteProcess, Stopped


class StudyExecutor(Executor):
    """Answers for the study of this name, if the site takes part in it."""

    def __init__(self, study: str) -> None:
        super().__init__()
        self.study = study
        self.site: SiteProcess | None = None

    def execute(
        self, task_name: str, shareable: Shareable, fl_ctx: FLContext, abort_signal: Signal
    ) -> Shareable:
        """The answer to one question, or a code."""
        began = time.monotonic()
        try:
            reply = make_reply(ReturnCode.OK)
            reply[TASK] = self._answer(shareable[TASK], fl_ctx, abort_signal)
            self.log_info(fl_ctx, f"answered in {time.monotonic() - began:.3f} s")
            return reply
        except Stopped:
            self._close()
            return make_reply(ReturnCode.TASK_ABORTED)
        except BaseException as error:  # noqa: BLE001 - whatever it is, its words must not leave
            self._close()
            note(own.log_file(fl_ctx), fl_ctx.get_identity_name(), error)
            return make_reply(ReturnCode.EXECUTION_EXCEPTION)

    def handle_event(self, event_type: str, fl_ctx: FLContext) -> None:
        """The job ends: so does the site's process."""
        if event_type == EventType.END_RUN:
            self._close()

    def _answer(self, question: bytes, fl_ctx: FLContext, abort_signal: Signal) -> bytes:
        name = fl_ctx.get_identity_name()
        if self.site is None:
            site_file = own.value(fl_ctx, self.study, "site")
            self.site = SiteProcess(Path(site_file), name, own.log_file(fl_ctx))
        return self.site.answer(question, abort_signal)

    def _close(self) -> None:
        if self.site is not None:
            self.site.close()
            self.site = None


def note(path: Path, name: str, error: BaseException) -> None:
    """Writes down what went wrong, for those who look after the site."""
    with path.open("a") as file:
        file.write(f"{time.strftime('%F %T')} {name}: {type(error).__name__}: {error}\n")

"""What a site lets out, whatever the job says: configured in ``local/privacy.json`` of the site's kit."""

from __future__ import annotations

import hashlib
import time

from nvflare.apis.filter import Filter
from nvflare.apis.fl_constant import ReturnCode
from nvflare.apis.fl_context import FLContext
from nvflare.apis.shareable import Shareable, make_reply

from . import TASK, own

AUDIT_FILE = "fedcdi-audit.log"


class Outgoing(Filter):
    """Lets out one answer of limited size, or a code, and nothing else; notes both in the site's audit."""

    def __init__(self, max_bytes: int = 10_000_000) -> None:
        super().__init__()
        self.max_bytes = max_bytes

    def process(self, shareable: Shareable, fl_ctx: FLContext) -> Shareable:
        """What leaves instead of the reply."""
        code, answer = shareable.get_return_code(), shareable.get(TASK)
        if code != ReturnCode.OK:
            self._note(fl_ctx, f"code {code}")
            return make_reply(code)
        if not isinstance(answer, bytes) or len(answer) > self.max_bytes:
            self._note(fl_ctx, f"held back: not an answer of at most {self.max_bytes} bytes")
            return make_reply(ReturnCode.TASK_RESULT_FILTER_ERROR)
        self._note(fl_ctx, f"answer of {len(answer)} bytes, sha256 {hashlib.sha256(answer).hexdigest()}")
        reply = make_reply(ReturnCode.OK)
        reply[TASK] = answer
        return reply

    def _note(self, fl_ctx: FLContext, what: str) -> None:
        line = f"{time.strftime('%F %T')} {fl_ctx.get_identity_name()} job {fl_ctx.get_job_id()}: {what}\n"
        with (own.local(fl_ctx) / AUDIT_FILE).open("a") as file:
            file.write(line)

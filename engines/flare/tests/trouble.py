"""Filters of a site that make trouble on purpose; tests put them into a site's own configuration."""

from __future__ import annotations

import time
from pathlib import Path

from nvflare.apis.filter import Filter
from nvflare.apis.fl_context import FLContext
from nvflare.apis.shareable import Shareable


class Hold(Filter):
    """Keeps back the answer of this number, counted from one, while the file exists; a second file says so."""

    def __init__(self, number: int, file: str) -> None:
        super().__init__()
        self.left, self.file = number, Path(file)

    def process(self, shareable: Shareable, fl_ctx: FLContext) -> Shareable:
        """Lets it through in the end."""
        self.left -= 1
        if self.left == 0 and self.file.exists():
            self.file.with_suffix(".held").touch()
            while self.file.exists():
                time.sleep(0.05)
        return shareable


class Loud(Filter):
    """Logs the words as an error, as a library at a site might, and then raises them, once."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words

    def process(self, shareable: Shareable, fl_ctx: FLContext) -> Shareable:
        """Lets it through from the second time on."""
        words, self.words = self.words, ""
        if words:
            self.log_error(fl_ctx, words)
            raise ValueError(words)
        return shareable

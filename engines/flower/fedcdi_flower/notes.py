"""What people at a site read when something went wrong there. None of it leaves the site."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path


def write(site_file: Path | None, words: str) -> None:
    """Adds the words to the file ``SITE.log`` beside the site file; the terminal only says that it did.

    Without a site file the terminal has the words: they cannot be about rows then.
    """
    if site_file is None:
        say(words)
        return
    path = site_file.with_suffix(".log")
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now():%Y-%m-%d %H:%M:%S} {words}\n")
        say(f"this site could not answer a question; {path} says why")
    except OSError as error:
        say(f"this site could not answer a question, and {path} cannot be written: {error.strerror}")


def say(words: str) -> None:
    """Says it on the SuperNode's terminal."""
    print(f"fedcdi: {words}", file=sys.stderr, flush=True)


@contextmanager
def of_site(site_file: Path) -> Iterator[None]:
    """While it lasts, what fedcdi logs goes to the site's file and nowhere else."""
    log = logging.getLogger("fedcdi")
    handler = ToFile(site_file)
    before = (log.handlers, log.propagate)
    log.handlers, log.propagate = [handler], False
    try:
        yield
    finally:
        log.handlers, log.propagate = before


class ToFile(logging.Handler):
    """Writes records as notes."""

    def __init__(self, site_file: Path) -> None:
        super().__init__(logging.WARNING)
        self.site_file = site_file

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one record."""
        write(self.site_file, record.getMessage())

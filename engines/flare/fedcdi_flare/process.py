"""The site itself, in a process of its own: one that runs out of memory, or crashes, costs an answer and not
everybody's job. Whatever it prints goes to the site's log.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import fedcdi
from nvflare.apis.signal import Signal


class Stopped(Exception):
    """The job was stopped while the site worked."""


class SiteProcess:
    """Runs the site that a ``site.toml`` describes, if it has the name that its certificate says."""

    def __init__(self, site_file: Path, name: str, log_file: Path) -> None:
        self.pipe, theirs = Pipe()
        command = [sys.executable, "-m", __name__, str(site_file), name, str(theirs.fileno())]
        with log_file.open("ab") as log, theirs:
            self.process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def answer(self, question: bytes, abort_signal: Signal) -> bytes:
        """The answer; raises if there is none."""
        try:
            self.pipe.send_bytes(question)
            while not self.pipe.poll(0.1):
                if abort_signal.triggered:
                    raise Stopped
            return self.pipe.recv_bytes()
        except (EOFError, OSError):
            code = self.process.wait()
            raise RuntimeError(f"the process of this site ended with code {code}") from None

    def close(self) -> None:
        """Ends the process. Its state is safe on the disk at any moment."""
        self.pipe.close()
        self.process.kill()
        self.process.wait()


def serve(site_file: str, name: str, pipe: Connection) -> None:
    """Answers questions until there is nobody to ask them."""
    site = fedcdi.Site.open(site_file)
    if site.name != name:
        remedy = "name the site as its certificate does"
        raise fedcdi.InputError(f"{site_file} is of the site {site.name!r}, this kit is of {name!r}; {remedy}")
    while True:
        try:
            question = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(site.answer(question))


def main() -> int:
    """``python -m fedcdi_flare.process SITE.toml NAME FD``"""
    site_file, name, fd = sys.argv[1:]
    logging.basicConfig(format=f"%(asctime)s {name}: %(message)s")
    try:
        serve(site_file, name, Connection(int(fd)))
    except fedcdi.FedcdiError as error:
        logging.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

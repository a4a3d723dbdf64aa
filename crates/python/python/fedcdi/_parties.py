"""Site and coordinator of a study between institutions.

Both take bytes and give bytes; whatever moves them is a carrier: Flower, FLARE, a courier. State is in a
folder, safe before a call returns, so that either side may be killed at any moment and go on.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from . import _columns, _native
from ._arguments import whole
from ._result import Result
from .errors import RunError

log = logging.getLogger("fedcdi")

StrPath = str | os.PathLike[str]


def provision(study: StrPath, out: StrPath) -> list[Path]:
    """Makes the kits of a study: a folder for the coordinator, and one for each site.

    ``study`` is a TOML file with ``name``, ``sites``, ``schema`` and any settings of a run. Give every party
    its folder, and nobody else's.
    """
    return [Path(folder) for folder in _native.provision(os.fspath(study), os.fspath(out))]


class Site:
    """A site: its rows stay, its answers leave."""

    def __init__(
        self,
        kit: StrPath,
        name: str,
        data: Any,
        policy: StrPath,
        state: StrPath,
        intervention: str = _columns.INTERVENTION,
        threads: int = 0,
    ) -> None:
        """A site with its table in memory. :meth:`open` is for one that a ``site.toml`` describes."""
        table, column = _columns.read(data, intervention)
        kit, policy, state = (os.fspath(path) for path in (kit, policy, state))
        n = whole(threads, "threads")
        self._site = _native.Site.with_table(table, kit, name, policy, state, column, n)

    @classmethod
    def open(cls, path: StrPath, threads: int = 0) -> Site:
        """The site that a ``site.toml`` describes: name, kit, data, policy and state."""
        site = cls.__new__(cls)
        site._site = _native.Site.open(os.fspath(path), whole(threads, "threads"))
        return site

    @property
    def name(self) -> str:
        """Its name in the plan."""
        return self._site.name

    @property
    def finished(self) -> bool:
        """Whether it was sent the result."""
        return self._site.finished

    def answer(self, question: bytes) -> bytes:
        """The answer to a question: the same bytes to the same question, after a restart too.

        A question that the plan does not allow is answered by a code; the words go to the log of this site.
        """
        answer, declined = self._site.answer(question)
        if declined is not None:
            log.warning("%s declined a question: %s", self.name, declined)
        return answer


class Coordinator:
    """The coordinator: asks, adds, decides."""

    def __init__(self, kit: StrPath, state: StrPath) -> None:
        """Begins a study, or goes on with the one whose ledger is in the folder ``state``."""
        self._inner = _native.Coordinator(os.fspath(kit), os.fspath(state))

    @property
    def study(self) -> str:
        """The name of the study."""
        return self._inner.study

    @property
    def sites(self) -> list[str]:
        """The names of the sites."""
        return self._inner.sites

    @property
    def number(self) -> int | None:
        """Number of the running question; none when the study is over."""
        return self._inner.number

    @property
    def finished(self) -> bool:
        """Whether the study is over."""
        return self._inner.number is None

    @property
    def has_quorum(self) -> bool:
        """Whether the study would go on if the running question were closed now."""
        return self._inner.has_quorum

    def questions(self) -> list[tuple[str, bytes]]:
        """What every site that has not answered is to be asked. Asking twice does no harm."""
        return self._inner.questions()

    def receive(self, site: str, answer: bytes) -> str:
        """Takes an answer from the site that the carrier knows it is from.

        Returns ``taken``, ``repeated`` or ``refused``; what was taken is safe on the disk.
        """
        became, why = self._inner.receive(site, answer)
        if why is not None:
            log.warning("an answer was refused: %s", why)
        return became

    def close(self) -> None:
        """Goes on without the sites that have not answered. Without a quorum the study fails."""
        self._inner.close()

    def status(self) -> dict[str, Any]:
        """Where the study is; nothing in it is from anybody's rows."""
        return {
            "study": self.study,
            "question": self.number,
            "answered": self._inner.answered,
            "waiting": [site for site, _ in self.questions()],
            "head": self._inner.head,
        }

    def result(self) -> Result:
        """What the study came to.

        Raises :class:`fedcdi.RunError` if it failed, or while it runs.
        """
        run = self._inner.result()
        if run is None:
            raise RunError("the study is not over; ask the sites again")
        return Result(run)

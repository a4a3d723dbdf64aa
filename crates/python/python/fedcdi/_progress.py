"""Progress: a line below the cell of a notebook, a bar of tqdm in a terminal, else nothing."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from .errors import InputError

#: Called now and then with the rounds that are done, and a few words.
Callback = Callable[[float, str], None]

#: Runs that are shorter are over before anybody wonders.
DELAY_SECONDS = 1.0
EVERY_SECONDS = 0.3


def progress_bar(
    wanted: bool | Callback | None, title: str
) -> AbstractContextManager[Callback | None]:
    """What is called with the progress of a run. None shows it where somebody can see it."""
    if callable(wanted):
        return nullcontext(wanted)
    if not (wanted is None or isinstance(wanted, bool)):
        raise InputError(
            f"progress is {wanted!r}; pass True, False, or a function of the rounds done and a text"
        )
    if wanted is not False and _is_notebook():
        return _notebook_line(title)
    is_watched = bool(sys.stderr and sys.stderr.isatty())
    if wanted or (wanted is None and is_watched):
        return _bar(title)
    return nullcontext(None)


def _is_notebook() -> bool:
    # Others import ipykernel too: only the kernel's own shell has a kernel.
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


@contextmanager
def _bar(title: str) -> Iterator[Callback | None]:
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        yield None
        return
    form = "{desc}: {n:.1f} rounds, {elapsed}{postfix}"
    with tqdm(
        desc=title,
        bar_format=form,
        leave=False,
        delay=DELAY_SECONDS,
        mininterval=EVERY_SECONDS,
        miniters=0,
    ) as bar:

        def show(rounds: float, text: str) -> None:
            bar.set_postfix_str(text, refresh=False)
            bar.update(rounds - bar.n)

        yield show


@contextmanager
def _notebook_line(title: str) -> Iterator[Callback]:
    # A bar of tqdm would leave every one of its states in the notebook.
    display = importlib.import_module("IPython.display").display
    begun = last = time.monotonic()
    handle: Any = None

    def show(rounds: float, text: str) -> None:
        nonlocal handle, last
        now = time.monotonic()
        if now - begun < DELAY_SECONDS or now - last < EVERY_SECONDS:
            return
        last = now
        words = [f"{rounds:.1f} rounds", f"{now - begun:.0f} s", *([text] if text else [])]
        line = {"text/plain": f"{title}: {', '.join(words)}"}
        if handle is None:
            handle = display(line, raw=True, display_id=True)
        else:
            handle.update(line, raw=True)

    try:
        yield show
    finally:
        if handle is not None:
            handle.update({}, raw=True)

"""A progress bar where tqdm is installed, else nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .errors import InputError

#: Called now and then with the rounds that are done, and a few words.
Callback = Callable[[float, str], None]


@contextmanager
def progress_bar(wanted: bool | Callback | None, title: str) -> Iterator[Callback | None]:
    """What is called with the progress of a run. None shows a bar where somebody can see it."""
    if callable(wanted):
        yield wanted
        return
    if not (wanted is None or isinstance(wanted, bool)):
        raise InputError(
            f"progress is {wanted!r}; pass True, False, or a function of the rounds done and a text"
        )
    if wanted is False or (wanted is None and not _is_watched()):
        yield None
        return
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        yield None
        return
    form = "{desc}: {n:.1f} rounds, {elapsed}{postfix}"
    with tqdm(desc=title, bar_format=form, leave=False, delay=1.0) as bar:

        def show(rounds: float, text: str) -> None:
            bar.n = rounds
            bar.set_postfix_str(text)

        yield show


def _is_watched() -> bool:
    return "ipykernel" in sys.modules or bool(sys.stderr and sys.stderr.isatty())

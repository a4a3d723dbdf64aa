"""A federation for one test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from federation import Federation


@pytest.fixture
def federation(case: Any, tmp_path: Path) -> Iterator[Federation]:
    """Kits for everybody; nobody runs yet."""
    made = Federation(case, tmp_path / "flare")
    yield made
    made.stop()

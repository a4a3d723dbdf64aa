"""A federation that runs, and a new study on it for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from federation import Federation


@pytest.fixture(scope="session")
def running(made: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Federation]:
    """Provisioned kits; processes are started by the first study."""
    federation = Federation(tmp_path_factory.mktemp("flare"), made.sites)
    yield federation
    federation.stop()


@pytest.fixture
def federation(running: Federation, case: Any) -> Federation:
    """All parties run and are configured for the study of this test."""
    running.begin(case)
    return running

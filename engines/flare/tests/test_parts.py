"""Parts of the app, without FLARE around them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nvflare.apis.signal import Signal

from fedcdi_flare import own
from fedcdi_flare.controller import GRACE, is_late
from fedcdi_flare.process import SiteProcess, Stopped


def refusal(site_file: Path, name: str, folder: Path) -> str:
    """Asks a site; returns what it wrote down about its refusal."""
    log = folder / "fedcdi.log"
    process = SiteProcess(site_file, name, log)
    try:
        with pytest.raises(RuntimeError, match="the process of this site ended with code 1"):
            process.answer(b"", Signal())
    finally:
        process.close()
    return log.read_text()


def test_a_site_has_the_name_of_its_certificate(case: Any, tmp_path: Path) -> None:
    words = refusal(case.site_file("basel"), "bern", tmp_path)
    assert "basel.toml is of the site 'basel', this kit is of 'bern'; name the site as its certificate does" in words


@pytest.mark.parametrize("key", ["data", "policy"])
def test_a_missing_key_is_named(case: Any, tmp_path: Path, key: str) -> None:
    file = case.site_file("basel")
    file.write_text(file.read_text().replace(f"{key} =", f"# {key} ="))
    assert f"basel: {file}: the key {key} is missing; name" in refusal(file, "basel", tmp_path)


def test_a_job_that_stops_does_not_wait_for_its_site(case: Any, tmp_path: Path) -> None:
    stop = Signal()
    stop.trigger(True)
    process = SiteProcess(case.site_file("basel"), "basel", tmp_path / "fedcdi.log")
    try:
        with pytest.raises(Stopped):
            process.answer(b"", stop)
    finally:
        process.close()


def test_a_site_takes_part_in_the_studies_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "fedcdi.json").write_text('{"hearts": {"site": "/data/{site}.toml"}}')
    workspace = SimpleNamespace(get_site_config_dir=lambda: tmp_path)
    context: Any = SimpleNamespace(get_workspace=lambda: workspace, get_identity_name=lambda: "basel")
    assert own.value(context, "hearts", "site") == "/data/basel.toml"
    with pytest.raises(LookupError, match="no 'site' for the study 'lungs'; name it there"):
        own.value(context, "lungs", "site")


def test_only_sites_that_were_absent_before_have_less_time() -> None:
    assert not is_late(GRACE + 1, 3600, {"basel", "chur"}, {"chur"})
    assert is_late(GRACE + 1, 3600, {"chur"}, {"basel", "chur"})
    assert not is_late(GRACE - 1, 3600, {"chur"}, {"chur"})
    assert is_late(3, 2, {"basel"}, set())

"""What the documentation shows runs as it stands there."""

from __future__ import annotations

import inspect
import re
import shutil
from pathlib import Path
from typing import Any

import fedcdi
import fedcdi.own
import pytest

ROOT = Path(__file__).parents[3]


def blocks(page: str) -> list[str]:
    """The Python code of a page."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def test_the_page_runs_from_top_to_bottom(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    code = blocks("docs/python.md")
    assert len(code) >= 5
    for block in code:
        exec(compile(block, "docs/python.md", "exec"), space)
    assert (tmp_path / "run" / "report.html").exists()
    # The last one is a function of parties.
    shutil.copytree(folder, "study")
    names = fedcdi.Study.read("study").sites
    Path("policy.toml").write_text("")
    Path("study.toml").write_text(
        f'name = "hearts"\nsites = {names}\nschema = "study/schema.json"\n[coordinator]\nrounds = 2\n'
    )
    fedcdi.provision("study.toml", "kits")
    for name in names:
        Path(f"{name}.toml").write_text(
            f'name = "{name}"\nkit = "kits/{name}"\ndata = "study/{name}.csv"\n'
            f'policy = "policy.toml"\nstate = "state/{name}"\n'
        )
    coordinator = fedcdi.Coordinator("kits/coordinator", "ledger")
    sites = {name: fedcdi.Site.open(f"{name}.toml") for name in names}
    assert space["run"](coordinator, sites).variables


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("README.md")
    exec(compile(code, "README.md", "exec"), {})


def test_the_rule_in_the_module_runs(sites: fedcdi.Study) -> None:
    doc = fedcdi.own.__doc__
    assert doc is not None
    (code,) = re.findall(r"(class Cautious:.*?)\n    fedcdi\.simulate", doc, re.DOTALL)
    space: dict[str, Any] = {}
    exec(inspect.cleandoc("\n" + "    " + code), space)
    assert fedcdi.simulate(sites, rule=space["Cautious"](), rounds=2).variables


@pytest.mark.parametrize("name", fedcdi.__all__)
def test_everything_public_says_what_it_is(name: str) -> None:
    thing = getattr(fedcdi, name)
    if name == "__version__":
        return
    assert inspect.getdoc(thing)
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        for member, value in vars(thing).items():
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_all_settings_of_a_call_are_explained() -> None:
    for call in (fedcdi.discover, fedcdi.simulate, fedcdi.generate):
        doc = inspect.getdoc(call) or ""
        text = doc + (inspect.getdoc(fedcdi.discover) or "")
        for parameter in inspect.signature(call).parameters:
            assert parameter in text, f"{call.__name__}: {parameter}"

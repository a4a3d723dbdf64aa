"""The notebooks of examples/: they run, and show what they show in the repository.

Run this file as a program to write them anew: python crates/python/tests/test_notebooks.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[3] / "examples"
NOTEBOOKS = sorted(path.stem for path in EXAMPLES.glob("*.ipynb"))
#: More would be slow to open, and to review.
MOST_BYTES = 100_000


def executed(path: Path) -> Any:
    """The notebook with new outputs, and without anything that says when and where it ran."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    notebook.metadata.language_info = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            # Lines of progress are empty in the end.
            cell.outputs = [output for output in cell.outputs if output.get("data") != {}]
    return notebook


def shown(notebook: Any) -> list[str]:
    """What the code cells show, as text."""
    texts: list[str] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text
            text = output.text if output.output_type == "stream" else output.data.get("text/plain", "")
            # Addresses and sizes of figures differ; so does the width of tables with their text.
            texts.append(" ".join(re.sub(r"0x[0-9a-f]+|\d+x\d+", "", text).split()))
    return texts


def test_there_are_three() -> None:
    assert NOTEBOOKS == ["first_graph", "five_hospitals", "own_rule"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_it_shows_what_it_shows_in_the_repository(name: str) -> None:
    path = EXAMPLES / f"{name}.ipynb"
    committed = shown(nbformat.read(path, as_version=4))
    assert len(committed) > 3, "notebooks are committed with their outputs"
    assert shown(executed(path)) == committed


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_it_is_small_and_says_nothing_of_this_machine(name: str) -> None:
    text = (EXAMPLES / f"{name}.ipynb").read_text()
    assert len(text.encode()) < MOST_BYTES
    assert "/home/" not in text and "/tmp/" not in text and "<script" not in text
    for cell in nbformat.reads(text, as_version=4).cells:
        for link in re.findall(r"\]\(([^)#]+)", cell.source):
            assert (EXAMPLES / link).exists(), link


if __name__ == "__main__":
    for name in sys.argv[1:] or NOTEBOOKS:
        nbformat.write(executed(EXAMPLES / f"{name}.ipynb"), EXAMPLES / f"{name}.ipynb")

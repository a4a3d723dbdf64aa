"""Provisioned kits with mutual TLS: same bytes, and what the server gets to see."""

from __future__ import annotations

import zipfile
from pathlib import Path

from federation import Federation, until


def holding(folder: Path, words: str) -> list[str]:
    """Files anywhere in the folder that hold these words, packed or not: FLARE packs the workspace of a job."""
    found = []
    for path in (path for path in sorted(folder.rglob("*")) if path.is_file()):
        contents = [path.read_bytes()]
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                contents += [packed.read(name) for name in packed.namelist()]
        if any(words.encode() in content for content in contents):
            found.append(str(path.relative_to(folder)))
    return found


def test_same_bytes_and_no_word_of_a_site_at_the_server(federation: Federation) -> None:
    case, logged = federation.case, "logged" + federation.case.canary
    # Basel has no policy. Bern has a label that the study does not have. Chur logs an error and raises it.
    file, table = case.site_file("basel"), case.folder / "study" / "bern.csv"
    right, rows = file.read_text(), table.read_text()
    file.write_text(right.replace("policy =", "# policy ="))
    table.write_text(rows.replace(f"{case.canary}-1", f"{case.canary}-wrong", 1))
    federation.add_filter("chur", "trouble.Loud", words=logged)

    job = federation.submit()
    until("basel says what is missing", lambda: "the key policy is missing; name" in federation.words("basel"))
    until("bern says what is wrong", lambda: f"{case.canary}-wrong" in federation.words("bern"))
    until("chur has logged it", lambda: holding(federation.kits / "chur", logged))
    # Not even the owner of the federation reads them from afar.
    refused = {
        "session.cat_target('bern', file='local/fedcdi.log')": "AuthorizationError",
        f"session.show_errors({job!r}, 'client', ['chur'])": "invalid_reply",
    }
    for call, answer in refused.items():
        seen = federation.as_owner(call)
        assert answer in seen and case.canary not in seen
    file.write_text(right)
    table.write_text(rows)
    assert federation.ended(job) == "FINISHED:COMPLETED"
    case.check(federation.result)

    # Codes are all that the server has of these errors.
    for site in ["basel", "bern"]:
        assert f"{site} has no answer now: EXECUTION_EXCEPTION" in federation.out("localhost")
    assert "chur has no answer now: TASK_RESULT_FILTER_ERROR" in federation.out("localhost")
    # The search finds the words where they belong ..
    assert "local/fedcdi.log" in holding(federation.kits / "bern", case.canary)
    assert "error_log.txt" in {Path(file).name for file in holding(federation.kits / "chur", logged)}
    # .. and nothing at the server, though it finds what the server may know.
    known = {
        federation.kits / "localhost": "StudyController",
        federation.home("localhost"): "study hearts is over",
        federation.state: "coordinator of study",
        federation.result: "X1",
    }
    for folder, word in known.items():
        assert holding(folder, word)
        assert holding(folder, case.canary) == []
    assert any("store/jobs" in file for file in holding(federation.kits / "localhost", "study hearts is over"))


def test_a_site_limits_what_leaves(federation: Federation) -> None:
    """Basel lets out 500 bytes: enough to join, too little for a belief. The study goes on without it."""
    case, limit = federation.case, federation.local("basel") / "privacy.json"
    limit.write_text(limit.read_text().replace("10000000", "500"))
    federation.set_deadline(3)
    assert federation.ended(federation.submit()) == "FINISHED:COMPLETED"
    lines = (federation.local("basel") / "fedcdi-audit.log").read_text().splitlines()
    left = [line.split(": ", 1)[1].split(",")[0] for line in lines]
    assert left[0].startswith("answer of 2"), "a profile has some 200 bytes"
    assert "held back: not an answer of at most 500 bytes" in left
    assert all(int(line.split()[2]) <= 500 for line in left if line.startswith("answer"))
    assert "going on without ['basel']" in federation.out("localhost")

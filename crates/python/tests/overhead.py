"""What a call from Python costs beside the command line on the same rows. Not a test: it takes minutes.

    FEDCDI_BIN=target/release/fedcdi target/python/bin/python crates/python/tests/overhead.py [REPEATS [ROUNDS]]

Both learn from the same table of 10000 rows and 20 variables, in turns: the command line from a CSV file, Python
from a DataFrame. Printed are seconds of processor time in user mode, of the whole process for the command line, and
of the call for Python; and the same for the whole process of Python, which also imports pandas and reads the file.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import fedcdi

CALL = """
import resource, sys
import fedcdi, pandas
frame = pandas.read_csv(sys.argv[1], keep_default_na=False)
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
result = fedcdi.discover(frame, rounds=int(sys.argv[2]), seed=1)
result.save(sys.argv[3], overwrite=True)
print(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
"""


def user_seconds(*command: object) -> tuple[float, str]:
    """Processor time of a process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    words = [str(word) for word in command]
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, printed.stdout


def main(repeats: int, rounds: int) -> None:
    binary = os.environ["FEDCDI_BIN"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fedcdi.generate(vars=20, obs=8_000, int=2_000, seed=1).save(folder / "study")
        table = folder / "study" / "data.csv"
        cli, call, process = [], [], []
        for _ in range(repeats):
            flags = ["--rounds", rounds, "--seed", 1, "--force", "--out", folder / "cli"]
            cli.append(user_seconds(binary, "discover", table, *flags)[0])
            whole, printed = user_seconds(sys.executable, "-c", CALL, table, rounds, folder / "python")
            call.append(float(printed))
            process.append(whole)
        same = all(
            (folder / "cli" / file).read_bytes() == (folder / "python" / file).read_bytes()
            for file in ("belief.csv", "probabilities.csv", "graph.json")
        )
    base = statistics.median(cli)
    print(f"the same bytes: {same}; medians of {repeats} runs with {rounds} rounds")
    for who, seconds in {"command line": cli, "call in Python": call, "process of Python": process}.items():
        median = statistics.median(seconds)
        spread = f"{min(seconds):.2f} to {max(seconds):.2f}"
        print(f"{who}: {median:.2f} s ({spread}), {100 * (median / base - 1):+.1f} %")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [5, 10][len(numbers) :]))

"""The command that measures what intervals, tests and gates promise runs, and counts its cells."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.deep
def test_promises_are_measured_by_one_command(tmp_path):
    call = ["promises.py", "99.5% right", "40% positive, areas", "100, 10% positive"]
    found = subprocess.run(
        [sys.executable, *call, "--samples", "5", "--write", str(tmp_path)],
        cwd=BENCHMARKS,
        capture_output=True,
        text=True,
        check=True,
    )
    with (tmp_path / "promises.csv").open(encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    rows = [line.split(" | ")[1] for line in found.stdout.splitlines()[2:]]

    assert {"interval", "test", "gate"} == {one["promise"] for one in cells} == {*rows}
    assert ["99.5% right"] * 6 == [
        one["population"] for one in cells if one["promise"] == "interval"
    ]
    assert (tmp_path / "promises.svg").read_text().startswith("<svg")

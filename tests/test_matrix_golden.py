"""A change of structure changes no number that is printed, and no note.

For every kind the folder `golden` contains what score, compare, rank and gate print as JSON of
groups. Where numbers are meant to change, `python tools/golden.py` writes the folder again.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from kinds import KINDS
from matrix import COMMANDS, FEATURES, ask

FOLDER = Path(__file__).parent / "golden"
PARTS = {
    "score": ("scores", "notes"),
    "compare": ("differences", "notes"),
    "rank": ("places", "differences", "notes"),
    "gate": ("checks", "regressions", "notes"),
}
PRINTED = {
    *("system", "a", "b", "group", "label", "name", "method", "example", "gold", "sentence"),
    *("value", "low", "high", "n", "difference", "p", "p_holm", "value_a", "value_b", "old"),
    *(
        *("rank", "best_rank", "worst_rank", "cluster", "letters", "best_share", "mean_rank"),
        "resolution",
    ),
    *("verdict", "limit", "needed"),
}
"""The fields that tables show; others repeat the call."""

Line = dict[str, Any] | str


def list_lines(name):
    rows = KINDS[name].rows("lang")
    return [
        _pick(line)
        for command in COMMANDS[:-1]
        if not KINDS[name].rejected(command, "by")
        for answer in [ask(command, name, rows, *FEATURES["by"])]
        for part in PARTS[command]
        for line in answer[part]
    ]


def _pick(line):
    if isinstance(line, str):
        return line
    message = {key: value for key, value in line.items() if key in PRINTED and value is not None}
    return {
        key: round(value, 6) if isinstance(value, float) else value
        for key, value in message.items()
    }


@pytest.mark.parametrize("name", KINDS)
def test_what_is_printed_is_what_was_printed(name):
    expected = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert [
        line if isinstance(line, str) else pytest.approx(line, abs=2e-6) for line in expected
    ] == list_lines(name)

"""What a kind of data refuses is a wrong call, and the sentence names the kind and the feature."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import tallystick
from kinds import KINDS, write
from matrix import COLUMNS, COMMANDS, FEATURES, phrase, phrase_files, run
from tallystick import Columns, UsageError

NAMED = {
    "weight": "weight",
    "times": "count",
    "prevalence": "prevalence",
    "segments": "segments",
    "seeds": "runs",
    "bins": "bins",
    "systems": "systems",
}
"""The word by which a sentence names a feature."""

IN_PYTHON = {
    "weight": {"weights": "weight"},
    "times": {"columns": Columns(count="times")},
    "prevalence": {"prevalence": {"1": 0.25}},
    "segments": {"segments": True},
    "bins": {"columns": Columns(bins=20)},
}

REFUSED = [
    (name, *((feature, "systems") if feature in COMMANDS else ("score", feature)))
    for name, kind in KINDS.items()
    for feature in sorted(kind.refuses)
    if feature in COMMANDS or feature in NAMED
]

OF_NUMBERS = ("annotator_labels", "means", "numbers", "rank_correlations", "soft_labels")
NAMELESS = {
    ("agreement", "seeds"),
    *(("agreement", command) for command in COMMANDS),
    *((name, "segments") for name in KINDS),
    *((name, "bins") for name in (*OF_NUMBERS, "spans", "summaries", "texts", "tries")),
    *((name, "times") for name in (*OF_NUMBERS, "overall", "spans", "summaries", "texts", "tries")),
    *((name, "weight") for name in ("spans", "summaries", "texts", "tries")),
    ("annotator_labels", "prevalence"),
}
"""Sentences that do not name the kind yet, but the metrics of others that have the feature."""

OWED_IN_PYTHON = {
    **{(name, "bins"): pytest.fail.Exception for name, feature in NAMELESS if feature == "bins"},
}
"""What Python does not refuse yet, or not as a wrong call."""


def mark(cells: Iterable[tuple[str, ...]], owed: Mapping[tuple[str, str], Any]) -> list[Any]:
    """Marks the cells of kinds and features, or commands, that are owed."""
    return [
        pytest.param(*cell, marks=[pytest.mark.xfail(raises=owed[key])] if key in owed else [])
        for cell in cells
        for key in [(cell[0], cell[1] if cell[-1] == "systems" else cell[-1])]
    ]


def refuse(folder: Path, name: str, command: str, feature: str) -> tuple[int, str]:
    """Runs a command with a feature that it refuses; returns its exit code and its words."""
    rows = KINDS[name].rows(*filter(None, [COLUMNS.get(feature)]))
    table = write(folder / "all.jsonl", rows)
    code, _, notes = run([*phrase(command, name, table), *FEATURES.get(feature, ())])
    return code, notes


@pytest.mark.parametrize(
    ("name", "command", "feature"),
    mark(
        REFUSED,
        {("agreement", "times"): AssertionError},
    ),
)
def test_a_refusal_is_a_sentence_that_names_the_feature(
    tmp_path: Path, name: str, command: str, feature: str
) -> None:
    """As the answer to a wrong call."""
    code, notes = refuse(tmp_path, name, command, feature)

    assert (2, 1, True) == (code, notes.count("\n"), NAMED[feature] in notes)


@pytest.mark.parametrize(
    ("name", "command", "feature"),
    mark(REFUSED, dict.fromkeys(NAMELESS, AssertionError)),
)
def test_a_refusal_names_the_kind(tmp_path: Path, name: str, command: str, feature: str) -> None:
    """By a word of the field."""
    _, notes = refuse(tmp_path, name, command, feature)

    assert [] != [word for word in KINDS[name].called if word in notes]


@pytest.mark.parametrize(
    ("name", "feature"),
    mark([(name, feature) for name, _, feature in REFUSED if feature in IN_PYTHON], OWED_IN_PYTHON),
)
def test_python_refuses_what_the_command_refuses(name: str, feature: str) -> None:
    """As a wrong call."""
    kind = KINDS[name]
    table = pyarrow.Table.from_pylist(kind.rows(*filter(None, [COLUMNS.get(feature)])))

    with pytest.raises(UsageError):
        tallystick.score(table, metrics=kind.metrics, **{**kind.layout, **IN_PYTHON[feature]})


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in KINDS.items()
        if "missing" in kind.refuses and "files" not in kind.refuses and name != "tries"
    ],
)
def test_a_missing_number_has_no_worth(tmp_path: Path, name: str) -> None:
    """Nor has a missing distribution: no output can stand for it."""
    gold, own = KINDS[name].apart()
    paths = [
        write(tmp_path / "gold.jsonl", gold),
        write(tmp_path / "a.jsonl", own["a"][1:]),
    ]
    code, _, notes = run([*phrase_files("score", name, *paths), *FEATURES["missing"]])

    assert (4, True) == (code, "1 of 12 examples, which cannot count as wrong" in notes)

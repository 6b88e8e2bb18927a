"""What a kind of data refuses is a wrong call, and the sentence names the kind and the feature."""

from pathlib import Path

import pyarrow
import pytest
from msgspec.structs import replace

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
    "rounding": "round",
    "systems": "systems",
}
"""The word by which a sentence names a feature."""

IN_PYTHON = {
    "weight": {"weights": "weight"},
    "prevalence": {"prevalence": {"1": 0.25}},
    "segments": {"segments": True},
}
BY_COLUMNS = {"times": {"count": "times"}, "rounding": {"round_scores": 6}}
"""Keywords of score and of Columns."""

REFUSED = [
    (name, *((feature, "systems") if feature in COMMANDS else ("score", feature)))
    for name, kind in KINDS.items()
    for feature in sorted(kind.refuses)
    if feature in COMMANDS or feature in NAMED
]


def refuse(folder: Path, name: str, command: str, feature: str) -> tuple[int, str]:
    rows = KINDS[name].rows(*filter(None, [COLUMNS.get(feature)]))
    table = write(folder / "all.jsonl", rows)
    code, _, notes = run([*phrase(command, name, table), *FEATURES.get(feature, ())])
    return code, notes


@pytest.mark.parametrize(("name", "command", "feature"), REFUSED)
def test_a_refusal_is_a_sentence_that_names_the_feature(tmp_path, name, command, feature):
    code, notes = refuse(tmp_path, name, command, feature)

    assert (2, 1, True) == (code, notes.count("\n"), NAMED[feature] in notes)


@pytest.mark.parametrize(("name", "command", "feature"), REFUSED)
def test_a_refusal_names_the_kind(tmp_path, name, command, feature):
    _, notes = refuse(tmp_path, name, command, feature)

    assert [] != [word for word in KINDS[name].called if word in notes]


@pytest.mark.parametrize(
    ("name", "feature"),
    [(name, feature) for name, _, feature in REFUSED if feature in {*IN_PYTHON, *BY_COLUMNS}],
)
def test_python_refuses_what_the_command_refuses(name, feature):
    kind = KINDS[name]
    table = pyarrow.Table.from_pylist(kind.rows(*filter(None, [COLUMNS.get(feature)])))
    layout = {**kind.layout, **IN_PYTHON.get(feature, {})}
    if feature in BY_COLUMNS:
        layout["columns"] = replace(layout.get("columns", Columns()), **BY_COLUMNS[feature])

    with pytest.raises(UsageError):
        tallystick.score(table, metrics=kind.metrics, **layout)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in KINDS.items()
        if "missing" in kind.refuses and "files" not in kind.refuses and name != "tries"
    ],
)
def test_a_missing_number_has_no_worth(tmp_path, name):
    gold, own = KINDS[name].apart()
    paths = [
        write(tmp_path / "gold.jsonl", gold),
        write(tmp_path / "a.jsonl", own["a"][1:]),
    ]
    code, _, notes = run([*phrase_files("score", name, *paths), *FEATURES["missing"]])

    assert (4, True) == (code, "1 of 12 examples, which cannot count as wrong" in notes)

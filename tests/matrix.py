"""Asks every command about every kind of data: what the matrix of both is tested with."""

import contextlib
import functools
import io
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import tallystick
from kinds import KINDS, Row, write
from tallystick import Intervals, Testing
from tallystick.cli import main
from tallystick.kinds.metrics.names import is_own, load_metric

COMMANDS = ("score", "compare", "rank", "gate", "plan")
FEATURES = {
    "by": ("--by", "lang"),
    "clusters": ("--clusters", "doc"),
    "weight": ("--weight-column", "weight"),
    "times": ("--count-column", "times"),
    "missing": ("--missing", "wrong"),
    "prevalence": ("--prevalence", "1=0.25"),
    "segments": ("--segments",),
    "seeds": ("--seeds",),
    "rounding": ("--round-scores", "6"),
}
COLUMNS = {"by": "lang", "clusters": "doc", "weight": "weight", "times": "times"}

Values = dict[tuple[Any, ...], Any]


def run(words: Sequence[str]) -> tuple[int, str, str]:
    results, notes = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(results), contextlib.redirect_stderr(notes):
        code = main(words)
    return code, results.getvalue(), notes.getvalue()


def phrase(command: str, name: str, *files: str) -> list[str]:
    kind = KINDS[name]
    chosen = kind.gated if command == "gate" else kind.both
    if command == "count":
        return ["count", *files, *kind.options, *chosen, "-m", *kind.metrics]
    sizes = ("--sizes", "24") if command == "plan" else ()
    usual = ("--resamples", "100", "--format", "json", *sizes)
    return [command, *files, *kind.options, *chosen, "-m", *kind.metrics, *usual]


def phrase_saved(command: str, name: str, *files: str) -> list[str]:
    kind = KINDS[name]
    chosen = kind.gated if command == "gate" else ()
    words = phrase(command, name, *files)
    return [command, *files, *chosen, *words[words.index("-m") :]]


def phrase_files(command: str, name: str, *files: str) -> list[str]:
    chosen = ("--systems", "a", "b", "--system-column", "model")
    return [word for word in phrase(command, name, *files) if word not in chosen]


def cells(feature: str = "", commands: Iterable[str] = COMMANDS) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("name", "command"),
        [
            pytest.param(name, command, marks=kind.marks)
            for command in commands
            for name, kind in KINDS.items()
            if not kind.rejected(command, feature)
        ],
    )


@functools.cache
def _answer(command: str, name: str, table: str, *options: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder, "all.jsonl"), json.loads(table))
        code, results, notes = run([*phrase(command, name, path), *options])
    assert code in (0, 1, 3), notes
    return json.loads(results)


def ask(command: str, name: str, rows: Sequence[Row], *options: str) -> Any:
    return _answer(command, name, json.dumps(rows), *options)


def repeat(rows: Iterable[Row], column: str) -> list[Row]:
    return [
        {key: value for key, value in row.items() if key != column} | {"id": f"{row['id']}-{again}"}
        for row in rows
        for again in range(row[column])
    ]


def read_values(answer: Any) -> Values:
    found = {}
    for one in answer if isinstance(answer, list) else _list_records(answer):
        here = one.get("group"), one["metric"], one.get("label")
        if "system" in one:
            found[here, one["system"]] = one["value"]
        if "a" in one:
            found[here, one["a"], one["b"]] = one["difference"]
        if "value_a" in one:
            found[here, one["a"]], found[here, one["b"]] = one["value_a"], one["value_b"]
    return found


def derive(scored: Values, here: Iterable[tuple[Any, ...]]) -> Values:
    return {
        (cell, *who): scored[cell, who[0]] - scored[cell, who[1]] if who[1:] else scored[cell, *who]
        for cell, *who in here
    }


def _list_records(answer: dict[str, Any]) -> list[dict[str, Any]]:
    old = answer.get("against")
    checks = answer.get("checks", [])
    return [
        *(one for part in ("scores", "differences", "places") for one in answer.get(part, [])),
        *({**one, "system": answer["system"]} for one in checks),
        *({**one, "system": old, "value": one["old"]} for one in checks if old),
    ]


def tell(answer: Any) -> Any:
    listed = {"regressions": [], "flaky": []}
    return {**answer, **listed} if isinstance(answer, dict) else answer


@functools.cache
def call(name: str, command: str) -> Any:
    kind = KINDS[name]
    metrics = [load_metric(one) if is_own(one) else one for one in kind.metrics]
    table = pyarrow.Table.from_pylist(kind.rows())
    if command == "score":
        usual = Intervals(resamples=100)
        return tallystick.score(table, metrics=metrics, intervals=usual, **kind.layout)
    testing = Testing(resamples=100)
    if command == "gate":
        counted = tallystick.count(table, metrics=metrics, **kind.layout)
        return tallystick.gate(counted, "a", "b", max_drop=0.1, testing=testing)
    own = {"plan": {"sizes": [24]}, "rank": {"details": True}}.get(command, {})
    function = getattr(tallystick, command)
    return function(table, metrics=metrics, testing=testing, **own, **kind.layout)

"""Kinds of data, a module each: the smallest table that is interesting, and what is true of it.

A module contains one `KIND`. A new kind joins every law of test_matrix.py and the sheet of
test_matrix_golden.py by its module alone.
"""

import importlib
import json
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

Row = dict[str, Any]


COLUMNS = {"id": "id", "gold": "gold", "predicted": "prediction"}
"""The columns of gold and submissions in a shared task."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Twelve examples in one table, and how the commands read them.

    Attributes:
        columns: The table by column; `id` is numbered where it is left out.
        metrics: What every command computes; the first one ranks.
        called: Words by which a refusal may name this kind; names of its metrics are others.
        options: How the table is read, in every command.
        both: What chooses both systems `a` and `b`.
        gated: What chooses the new system and the old one for a gate, with the limit.
        layout: The same choice as arguments of the Python functions.
        refuses: Features that this kind refuses, as `FEATURE` or `COMMAND FEATURE`.
        wrong: An output that is worth what a missing one is under `--missing wrong`.
        shares: The labels' shares of the gold, for kinds that take `--prevalence`.
        track: What a track says of this kind next to gold and metrics; None where none can.
        deep: Whether its tests run long, since each resample of it is scored on its own.
    """

    columns: Mapping[str, Sequence[Any]]
    metrics: tuple[str, ...]
    called: tuple[str, ...]
    options: tuple[str, ...] = ()
    both: tuple[str, ...] = ("--systems", "a", "b")
    gated: tuple[str, ...] = ("--systems", "a", "--against", "b", "--max-drop", "0.1")
    layout: Mapping[str, Any] = field(default_factory=lambda: {"systems": ["a", "b"]})
    refuses: frozenset[str] = frozenset()
    wrong: object = None
    shares: Mapping[str, float] = field(default_factory=dict)
    track: Mapping[str, Any] | None = field(default_factory=lambda: {"columns": COLUMNS})
    deep: bool = False

    @property
    def marks(self) -> list[pytest.MarkDecorator]:
        """The marks of its tests."""
        return [pytest.mark.deep] if self.deep else []

    def rows(self, *beside: str) -> list[Row]:
        """Returns the table, with some of the columns `lang`, `doc`, `weight` and `times`."""
        length = len(next(iter(self.columns.values())))
        ids = self.columns.get("id", [f"e{place:02}" for place in range(length)])
        return [
            {"id": name}
            | {column: values[row] for column, values in self.columns.items()}
            | {column: _BESIDE[column][int(name[1:])] for column in beside}
            for row, name in enumerate(ids)
        ]

    def apart(self) -> tuple[list[Row], dict[str, list[Row]]]:
        """Returns the gold and the outputs of both systems as tables of their own."""
        rows = self.rows()
        if "model" in self.columns:
            gold = [
                {"id": name, "gold": label}
                for name, label in {row["id"]: row["gold"] for row in rows}.items()
            ]
            own = {
                name: [
                    {key: value for key, value in row.items() if key not in ("model", "gold")}
                    for row in rows
                    if row["model"] == name
                ]
                for name in "ab"
            }
            return gold, own
        gold = [{key: value for key, value in row.items() if key not in "ab"} for row in rows]
        return gold, {
            name: [{"id": row["id"], "prediction": row[name]} for row in rows] for name in "ab"
        }

    def rejected(self, command: str, feature: str) -> bool:
        """Returns whether a command refuses a feature of data of this kind."""
        return not self.refuses.isdisjoint({command, feature, f"{command} {feature}"})


_BESIDE: dict[str, list[Any]] = {
    "lang": ["en", "de"] * 6,
    "doc": [f"d{place // 2}" for place in range(12)],
    "weight": [1, 2, 3, 1, 2, 1] * 2,
    "times": [1, 2, 1, 3, 1, 2] * 2,
}


def write(path: Path, rows: Sequence[Row]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


KINDS: dict[str, Kind] = {
    module.name: importlib.import_module(f"{__name__}.{module.name}").KIND
    for module in pkgutil.iter_modules(__path__)
}

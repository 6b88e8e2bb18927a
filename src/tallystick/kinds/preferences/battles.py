"""Battles of two systems, read from tables in the forms of AlpacaEval, arenas and arena-hard."""

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.table import Table
from tallystick.kinds.preferences.battle_tables import BattleTable, read_battle_table
from tallystick.model.codes import Labels, append, unify
from tallystick.model.facts import Facts
from tallystick.model.reading import Reading
from tallystick.model.systems import Column, Systems
from tallystick.model.where import choose_rows

_MOST_NAMED = 5


@final
class Battles(Column, frozen=True, eq=False):
    """Battles, one per example.

    Attributes:
        known: The names of all systems.
        places: Which of them are the systems that are scored.
        sides: The system on the first and on the second side of each battle: (2, battles).
        points: What the first one has of each: 1 where it won, 0.5 for a tie.
        games: How many games each counts for.
        ordered: Whether the first side is the answer that the judge saw first.
        turned: Whether the verdict turns with the order of both answers, 1 or 0, at the first
            battle of each pair of both orders; NaN at all others.
    """

    known: tuple[str, ...]
    places: tuple[int, ...]
    sides: NDArray[np.int64]
    points: NDArray[np.float64]
    games: NDArray[np.float64]
    ordered: NDArray[np.bool_]
    turned: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.points)

    def of(self, places: Sequence[int]) -> "Battles":
        """The same battles for some of the systems, which keep all their opponents."""
        return replace(self, places=tuple(self.places[place] for place in places))

    def take(self, rows: slice | NDArray[np.int64]) -> "Battles":
        return replace(
            self,
            sides=self.sides[:, rows],
            points=self.points[rows],
            games=self.games[rows],
            ordered=self.ordered[rows],
            turned=self.turned[rows],
        )

    def tell_output(self, place: int, row: int) -> str:
        """What a system has of a battle; nothing where it takes no part."""
        first, second = (self.sides[:, row] == self.places[place]).tolist()
        points = float(self.points[row] if first else 1 - self.points[row])
        words = {1.0: "won", 0.5: "tied", 0.0: "lost"}
        return words.get(points, f"{points:g}") if first or second else ""


def read_battles(tables: Mapping[str, Table], reading: Reading, side: str) -> Systems:
    """Reads the battles of all tables; prompts are their clusters where no others are named."""
    _check_columns(reading)
    chosen = [choose_rows(table, reading.columns.where) for table in tables.values()]
    parts = [read_battle_table(table, reading.columns) for table in chosen]
    labels = unify(*(own for part in parts for own in part.sides))
    known = tuple(map(str, labels[0].names))
    prompts, clusters = _find_prompts(parts), _stack([part.clusters for part in parts])
    sides = np.stack([append(labels[at::2]).codes for at in (0, 1)]).astype(np.int64)
    points, games = (
        np.concatenate([getattr(part.outcomes, name) for part in parts])
        for name in ("points", "games")
    )
    missing = np.isnan(points)
    if missing.all():
        raise InputError(f"{', '.join(tables)}: no battle has an outcome")
    kept = np.flatnonzero(~missing)
    ordered = np.concatenate([np.full(len(part.sides[0]), part.ordered) for part in parts])
    judges = append(unify(*(part.judges for part in parts)))
    judged = np.stack([prompts.codes, judges.codes]).astype(np.int64)
    turned = np.full(len(points), np.nan)
    rows = np.flatnonzero(ordered & ~missing)
    firsts, found = _pair_orders(judged[:, rows], sides[:, rows], ((points - 0.5) * games)[rows])
    turned[rows[firsts]] = found
    places = tuple(range(len(known)))
    battles = Battles(known, places, sides, points, games, ordered, turned)
    if clusters is None and any(part.prompts is not None for part in parts):
        clusters = prompts
    groups = _stack([part.groups for part in parts])
    told = dict.fromkeys(note for part in parts for note in part.notes)
    notes = (*told, *_tell_missing(missing, battles))
    return Systems(
        known,
        {side: battles.take(kept)},
        groups=None if groups is None else groups.take(kept),
        clusters=None if clusters is None else clusters.take(kept),
        facts=Facts(reading.task, reading.task, shaped=reading.columns.describe(), notes=notes),
    )


def _pair_orders(
    judged: NDArray[np.int64], sides: NDArray[np.int64], margins: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Which battles are the first of a pair of both orders, and whether its verdict turns.

    `judged` are the prompt and the judge of each battle; `margins`, by how many games its first
    system won.
    """
    keys = np.concatenate([judged, np.sort(sides, axis=0)])
    _, firsts, owners = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    owners, size = owners.ravel(), len(firsts)
    orders = [sides[0] < sides[1], sides[0] > sides[1]]
    seen = [np.bincount(owners[order], minlength=size) > 0 for order in orders]
    won = [np.bincount(owners[order], margins[order], size) for order in orders]
    both = seen[0] & seen[1]
    return firsts[both], (np.sign(won[0]) != -np.sign(won[1]))[both]


def _check_columns(reading: Reading) -> None:
    columns = reading.columns
    if columns.missing not in ("error", "exclude"):
        raise UsageError(
            f"`missing='{columns.missing}'` cannot be used with preferences: battles without an "
            "outcome are left out, with a note; use `missing='exclude'`, or leave the option out"
        )
    if columns.weight is not None or columns.count is not None:
        raise UsageError("preferences have a row for each battle, and neither weights nor counts")
    if columns.annotated:
        raise UsageError(
            "annotators do not go with preferences; `by='judge'` scores each judge's battles apart"
        )


def _stack(columns: Sequence[Labels | None]) -> Labels | None:
    known = [own for own in columns if own is not None]
    return append(unify(*known)) if known else None


def _find_prompts(parts: Sequence[BattleTable]) -> Labels:
    found, free = list[Labels](), 0
    for part in parts:
        size = len(part.sides[0])
        names = tuple(f"battle {free + at + 1}" for at in range(size))
        found.append(part.prompts or Labels(np.arange(size, dtype=np.uint32), names))
        free += size
    return append(unify(*found))


def _tell_missing(missing: NDArray[np.bool_], battles: Battles) -> list[str]:
    lost, known = int(missing.sum()), battles.known
    if not lost:
        return []
    counts = np.bincount(battles.sides[:, missing].ravel(), minlength=len(known))
    named = [f"{known[at]} {counts[at]}" for at in np.argsort(-counts, kind="stable") if counts[at]]
    more = "" if len(named) <= _MOST_NAMED else f" and {len(named) - _MOST_NAMED} more systems"
    said = "battle has no outcome and is" if lost == 1 else "battles have no outcome and are"
    return [f"{lost} {said} left out ({', '.join(named[:_MOST_NAMED])}{more})."]

"""Tables of battles: their columns, in the forms of AlpacaEval, arenas and arena-hard."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Labels, as_numpy, as_text, encode, spell, unify
from tallystick.errors import InputError
from tallystick.examples.columns import IDS, Columns, find
from tallystick.examples.groups import read_groups
from tallystick.examples.ids import as_keys, tell_blank
from tallystick.examples.sides import Side
from tallystick.frozen import dataclass
from tallystick.io.tables.table import Table
from tallystick.kinds.preferences.outcomes import read_outcomes, read_verdict

ALPACA = ("generator_1", "generator_2")
PAIRS = (ALPACA, ("model_a", "model_b"), ("system_a", "system_b"), ("a", "b"))
"""What the columns of both systems are called."""
OUTCOMES = ("winner", "preference", "outcome", "verdict")
GAMES, MODEL, BASELINE = "games", "model", "baseline"
"""The columns of arena-hard's judgements."""
PROMPTS = ("question_id", "prompt_id", "instruction", "prompt", "question", *IDS)
JUDGES = ("judge", "annotator", "judge_model", "judge_name")
_LONGEST = 40
"""Prompts with more characters are told apart by a hash, so that counts hold no texts."""


@dataclass(frozen=True, slots=True, eq=False)
class _Games:
    """Who played, and what came out.

    Attributes:
        sides: The first and the second system of each battle.
        points: What the first one has of each; NaN where the outcome is missing.
        games: How many games each counts for.
        rows: The row of each.
        ordered: Whether the first system's answer is the one that the judge saw first.
        note: What was taken for what; nothing where that is plain.
    """

    sides: tuple[Labels, Labels]
    points: NDArray[np.float64]
    games: NDArray[np.float64]
    rows: NDArray[np.int64]
    ordered: bool
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class BattleTable:
    """The battles of one table, in its order, with what stands beside them.

    Attributes:
        sides: The first and the second system of each battle.
        points: What the first one has of each; NaN where the outcome is missing.
        games: How many games each counts for.
        ordered: Whether the first system's answer is the one that the judge saw first.
        prompts: The prompt of each; None where no column tells.
        judges: Who judged each.
        groups: The group of each, or None.
        clusters: The cluster that was named, or None.
        notes: What was taken for what, in words.
    """

    sides: tuple[Labels, Labels]
    points: NDArray[np.float64]
    games: NDArray[np.float64]
    ordered: bool
    prompts: Labels | None
    judges: Labels
    groups: Labels | None
    clusters: Labels | None
    notes: tuple[str, ...]


def suggest_metrics(table: Table) -> tuple[str, ...]:
    """The metrics by which battles are ranked; none where a table holds no battles.

    In AlpacaEval's files the first generator is the baseline.
    """
    names = table.names()
    pair = _find_pair(names)
    judged = _is_judged(names) and BASELINE in names
    if not judged and (pair is None or find(names, OUTCOMES) is None):
        return ()
    fixed = BASELINE if judged else pair[0] if pair == ALPACA else None
    found = set(table.column(fixed).to_pylist()) if fixed else set()
    baseline = found.pop() if len(found) == 1 else None
    return (f"win_rate(baseline={baseline!r})" if baseline else "win_rate",)


def _find_pair(names: Sequence[str]) -> tuple[str, str] | None:
    pairs = ((find(names, (one,)), find(names, (other,))) for one, other in PAIRS)
    return next(((one, other) for one, other in pairs if one and other), None)


def read_battle_table(table: Table, columns: Columns) -> BattleTable:
    """Reads the battles of a table."""
    names, side = table.names(), Side(table)
    columns = columns.spelled(names)
    prompt, judge = find(names, PROMPTS, columns.id), find(names, JUDGES)
    played = _read_judgements(side) if _is_judged(names) else _read_pairs(side, columns)

    def take(name: str | None) -> Labels | None:
        return None if name is None else _read_labels(side, name).take(played.rows)

    prompts = None if prompt is None else _read_prompts(side, prompt).take(played.rows)
    groups = read_groups([side], columns.by)
    clustered = prompt is not None and columns.clusters is None
    told = f"battles with the same {prompt!r} belong together." if clustered else ""
    return BattleTable(
        played.sides,
        played.points,
        played.games,
        played.ordered,
        prompts,
        take(judge) or Labels(np.zeros(len(played.rows), np.uint8), ("",)),
        groups and groups.take(played.rows),
        take(columns.clusters),
        tuple(filter(None, (played.note, told))),
    )


def _is_judged(names: Sequence[str]) -> bool:
    """Whether these are the columns of arena-hard's judgements."""
    return _find_pair(names) is None and {GAMES, MODEL} <= {*names}


def _read_labels(side: Side, name: str) -> Labels:
    return as_text(encode(side.values(name), side.locate(name)))


def _read_prompts(side: Side, name: str) -> Labels:
    """The prompt of each row, which may be long."""
    keys = as_keys(side.values(name), f"{side.table.source}, column {name!r}")
    tell_blank(keys.null_count, f"{side.table.source}, column {name!r}")
    encoded = keys.combine_chunks() if hasattr(keys, "combine_chunks") else keys
    encoded = encoded.dictionary_encode()
    names = tuple(encoded.dictionary.to_pylist())
    return Labels(as_numpy(encoded.indices).astype(np.uint32), names).rename(_shorten)


def _shorten(prompt: object) -> str:
    """A name of a prompt that does not hold its text, where that is long."""
    text = spell(str(prompt))
    return text if len(text) <= _LONGEST else blake2b(text.encode(), digest_size=8).hexdigest()


def _read_pairs(side: Side, columns: Columns) -> _Games:
    """Rows with a column for each system, and one for the outcome."""
    pair = _find_pair(side.names)
    outcome = find(side.names, OUTCOMES, columns.predicted or columns.gold)
    if pair is None or outcome is None:
        raise InputError(_describe_columns(side.table))
    sides = _read_labels(side, pair[0]), _read_labels(side, pair[1])
    _check_pairs(sides, side, pair)
    alpaca = pair == ALPACA
    found = read_outcomes(side, outcome, sides, alpaca=alpaca)
    rows = np.arange(len(side), dtype=np.int64)
    return _Games(sides, found.points, found.games, rows, not alpaca, found.note)


def _describe_columns(table: Table) -> str:
    return (
        f"{table.source}: has no battles: columns such as model_a, model_b and winner (or "
        "generator_1, generator_2 and preference; a, b and winner) were expected; the columns are "
        f"{', '.join(table.names())}"
    )


def _check_pairs(sides: tuple[Labels, Labels], side: Side, pair: tuple[str, str]) -> None:
    one, other = unify(*sides)
    same = one.codes == other.codes
    if same.any():
        row = int(np.argmax(same))
        raise InputError(
            f"{side.locate(pair[1])(row)}: {other.names[other.codes[row]]!r} stands on both sides; "
            "a battle is of two systems"
        )


def _read_judgements(side: Side) -> _Games:
    """The two games of each row of arena-hard: the baseline is A in the first, B in the second.

    Both are left out where one has no verdict.
    """
    if BASELINE not in side.names:
        raise InputError(
            f"{side.table.source}: has {GAMES!r} and {MODEL!r}, and no column {BASELINE!r} that "
            "names the system on the other side"
        )
    own = _read_labels(side, BASELINE), _read_labels(side, MODEL)
    _check_pairs(own, side, (BASELINE, MODEL))
    baseline, model = unify(*own)
    where = side.locate(GAMES)
    found = [_read_games(games, where(row)) for row, games in enumerate(side.objects(GAMES))]
    points, games = np.array(found, np.float64).reshape(-1, 2).T
    codes = np.stack([baseline.codes, model.codes], axis=1)
    sides = Labels(codes.ravel(), model.names), Labels(codes[:, ::-1].ravel(), model.names)
    return _Games(sides, points, games, np.arange(len(side)).repeat(2), ordered=True)


def _read_games(games: object, where: str) -> list[tuple[float, float]]:
    """What A has of each of two games, and for how many it counts; NaN where one is missing."""
    if not isinstance(games, list) or len(games) != 2:
        raise InputError(f"{where}: two games were expected, with swapped sides")
    verdicts = [one.get("score") if isinstance(one, dict) else None for one in games]
    if None in verdicts:
        return [(np.nan, 1.0)] * 2
    found = [read_verdict(str(one)) for one in verdicts]
    for (points, _), one in zip(found, verdicts, strict=True):
        if np.isnan(points):
            raise InputError(f"{where}: {one!r} is no verdict such as A>>B, A>B or A=B")
    return found

"""Battles of two systems, read from tables of AlpacaEval, arenas and arena-hard."""

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_keys, as_numpy, parse_number
from tallystick.model.codes import Labels, append, encode, is_text, spell, unify
from tallystick.model.columns import IDS, Columns, find
from tallystick.model.facts import Facts
from tallystick.model.filter_expression import choose_rows
from tallystick.model.ids import tell_blank
from tallystick.model.reading import Reading
from tallystick.model.sides import Side, read_groups, read_names
from tallystick.model.systems import Column, Systems

STRONG = 3
"""How many games a verdict such as `A>>B` counts for, as in arena-hard."""

_FIRST = (
    *("a", "model_a", "model a", "system_a", "system a", "left", "model_left", "left_model"),
    *("model_1", "model 1", "system_1", "system 1", "first"),
)
_SECOND = (
    *("b", "model_b", "model b", "system_b", "system b", "right", "model_right", "right_model"),
    *("model_2", "model 2", "system_2", "system 2", "second"),
)
_DRAWN = (
    "tie|ties|tied|draw|tie (bothbad)|tie (both bad)|both_bad|both bad|bothbad|tie (inconsistent)|"
    "equal|neither"
)
_WORDS = (
    dict.fromkeys(_FIRST, 1.0) | dict.fromkeys(_SECOND, 0.0) | dict.fromkeys(_DRAWN.split("|"), 0.5)
)
"""What the first system has of a battle, by what shows who won."""
_VERDICT = re.compile(r"\[*([AB])(>>?|=|<<?)([AB])\]*")
_MISSING = ("", "none", "null", "nan", "error", "invalid")
_RESULTS = {"win": 1.0, "loss": 0.0, "tie": 0.5, "none": np.nan}
"""What a word of `outcomes` may mean for the first system."""
_EXPECTED = (
    "a, b, tie or both_bad (also model_a, model_b), the name of one of the two systems, a verdict "
    "such as A>>B, or a number from 0 to 1 or from 1 to 2"
)


Sides = tuple[Labels, Labels]
"""The first and the second system of each battle."""


class Outcomes(Struct, frozen=True, eq=False):
    """The outcomes of battles.

    Attributes:
        points: What the first system has of each: 1 where it won, 0.5 for a tie; NaN where the
            outcome is missing.
        games: How many games each counts for.
        note: What numbers were taken for, in words; nothing where there are none.
    """

    points: NDArray[np.float64]
    games: NDArray[np.float64]
    note: str = ""


def _read_outcomes(
    side: Side, name: str, sides: Sides, own: Mapping[str, float], *, alpaca: bool = False
) -> Outcomes:
    """Reads a column of outcomes, whose numbers may be AlpacaEval's: from 1 to 2, 0 for a draw.

    `own` are the words of the caller, which come before all others.
    """
    values = side.values(name)
    if pa.types.is_null(values.type):
        return Outcomes(np.full(len(side), np.nan), np.ones(len(side)))
    if own and not is_text(values.type):
        texts = [None if one is None else f"{one:g}" for one in values.to_pylist()]
        values = pa.chunked_array([pa.array(texts, pa.string())])
    if pa.types.is_floating(values.type) or pa.types.is_integer(values.type):
        numbers = as_numpy(values.cast(pa.float64()).fill_null(np.nan))
        found = _read_numbers(np.array(numbers), side, name, alpaca=alpaca)
        return _check_names(
            found, np.array([f"{one:g}" for one in numbers], object), side, name, sides
        )
    if not is_text(values.type):
        raise InputError(
            f"{side.table.source}: column {name!r} contains {values.type} values, where "
            f"{_EXPECTED} was expected"
        )
    encoded = values.fill_null("").combine_chunks().dictionary_encode()
    texts, codes = encoded.dictionary.to_pylist(), as_numpy(encoded.indices)
    read = [np.nan if text.strip().casefold() in _MISSING else parse_number(text) for text in texts]
    known = np.array([one for one in read if one is not None], np.float64)
    if not own and len(known) == len(read) and not np.isnan(known).all():
        found = _read_numbers(known[codes], side, name, alpaca=alpaca)
        return _check_names(found, np.array(texts, object)[codes], side, name, sides)
    return _read_words(texts, codes, side, name, sides, own)


def _read_numbers(numbers: NDArray[np.float64], side: Side, name: str, *, alpaca: bool) -> Outcomes:
    """From 0 (the second won) to 1 (the first won); or from 1 (the first) to 2 (the second).

    Or 1, 2 and 0 for a tie, or from -1 (the second) to 1.
    """
    games, known = np.ones(len(numbers)), set(numbers[~np.isnan(numbers)].tolist())
    if not alpaca and known == {0, 1, 2}:
        note = f"1 in {name!r} is read as a win of the first system, 2 as a loss, 0 as a tie."
        return Outcomes(np.where(numbers == 0, 0.5, 2 - numbers), games, note)
    if not alpaca and {-1, 1} <= known and max(map(abs, known)) <= 1:
        note = f"1 in {name!r} is read as a win of the first system, 0 as a tie, -1 as a loss."
        return Outcomes((numbers + 1) / 2, games, note)
    from_one = alpaca or bool((numbers > 1).any())
    wrong = (numbers < 0) | (numbers > 2) | ((numbers < 1) & (not alpaca or numbers != 0))
    wrong = wrong if from_one else (numbers < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        expected = "a number from 1 to 2" if from_one else "a number from 0 to 1"
        also = ", or 0 for a draw," if alpaca else " as in other rows" if from_one else ""
        raise InputError(
            f"{side.locate(name)(row)}: expected {expected}{also}, found {numbers[row]:g}"
        )
    if from_one:
        note = "" if alpaca else f"1 in {name!r} is read as a win of the first system, 2 as a loss."
        return Outcomes(np.where(numbers == 0, 0.5, 2 - numbers), games, note)
    note = f"1 in {name!r} is read as a win of the first system, 0 as a loss."
    return Outcomes(numbers, games, note)


def _read_words(
    texts: list[str],
    codes: NDArray[np.integer],
    side: Side,
    name: str,
    sides: Sides,
    own: Mapping[str, float],
) -> Outcomes:
    folded = [text.strip().casefold() for text in texts]
    named = {str(one).casefold() for each in sides for one in each.names}
    if {"a", "b"} & {*folded} and "c" not in named:
        own = {"c": 0.5, **own}  # a tie for judges who answer A, B or C
    found = [
        (own[word], 1.0) if word in own else _read_word(text)
        for word, text in zip(folded, texts, strict=True)
    ]
    points, games = (np.array([one[at] for one in found])[codes] for at in (0, 1))
    words = np.array([text.strip() for text in texts], object)[codes]
    missing = np.array([word in _MISSING or word in own for word in folded])[codes]
    unread = np.isnan(points) & ~missing
    if unread.any():
        points = np.where(points == 0.5, points, _find_named(words, sides))
    else:
        chosen = np.where(np.array([word in own for word in folded])[codes], 0.5, points)
        _check_names(Outcomes(chosen, games), words, side, name, sides)
    wrong = np.isnan(points) & ~missing
    if wrong.any():
        unknown = wrong & unread
        row = int(np.argmax(unknown if unknown.any() else wrong))
        raise InputError(
            f"{side.locate(name)(row)}: {words[row]!r} does not say who won; expected {_EXPECTED}"
        )
    return Outcomes(points, games)


def _find_named(words: NDArray[np.object_], sides: Sides) -> NDArray[np.float64]:
    """What the first system has where the outcome is the name of one; NaN elsewhere."""
    one, other = (np.array([*map(str, own.names)], object)[own.codes] for own in sides)
    return np.where(words == one, 1.0, np.where(words == other, 0.0, np.nan))


def _check_names(
    found: Outcomes, words: NDArray[np.object_], side: Side, name: str, sides: Sides
) -> Outcomes:
    named = _find_named(words, sides)
    torn = ~np.isnan(named) & (found.points != 0.5) & (found.points != named)
    if torn.any():
        row = int(np.argmax(torn))
        raise InputError(
            f"{side.locate(name)(row)}: {words[row]!r} is both a side and the name of the system "
            "on the other side; write model_a and model_b for the sides"
        )
    return found


def _read_word(text: str) -> tuple[float, float]:
    """What the first system has of a battle, NaN where no word tells, and its games."""
    points = _WORDS.get(text.strip().casefold())
    return read_verdict(text) if points is None else (points, 1.0)


def read_verdict(text: str) -> tuple[float, float]:
    """What A has of a battle with a verdict such as `A>>B`, and how many games that is.

    NaN where the text is no verdict.
    """
    match = _VERDICT.fullmatch(text.strip())
    if match is None or match[1] == match[3]:
        return np.nan, 1.0
    if match[2] == "=":
        return 0.5, 1.0
    won = (match[2][0] == ">") == (match[1] == "A")
    return float(won), float(STRONG if len(match[2]) == 2 else 1)


ALPACA = ("generator_1", "generator_2")
PAIRS = (
    *(ALPACA, ("model_a", "model_b"), ("system_a", "system_b"), ("a", "b")),
    *(("model_1", "model_2"), ("system_1", "system_2"), ("model_left", "model_right")),
    *(("left_model", "right_model"), ("system_left", "system_right"), ("left", "right")),
)
"""What the columns of both systems are called."""
WON = (
    *(("winner", "loser"), ("chosen_model", "rejected_model"), ("winner_model", "loser_model")),
    *(("model_chosen", "model_rejected"), ("model_winner", "model_loser")),
)
"""What they are called where the first one won."""
BOTH_GAMES = ("g1_winner", "g2_winner")
"""The outcomes of MT-Bench's games with swapped sides."""
OUTCOMES = ("winner", "preference", "outcome", "verdict")
GAMES, MODEL, BASELINE = "games", "model", "baseline"
"""The columns of arena-hard's judgements."""
PROMPTS = ("question_id", "prompt_id", "instruction", "prompt", "question", *IDS)
JUDGES = ("judge", "annotator", "judge_model", "judge_name")
_LONGEST = 40
"""Prompts with more characters are told apart by a hash, so that counts hold no texts."""


class BattleTable(Struct, frozen=True, eq=False):
    """The battles of one table, in its order, with what is next to them.

    Attributes:
        ordered: Whether the first system's answer is the one that the judge saw first.
        prompts: The prompt of each; None where no column tells.
        judges: Who judged each.
        groups: The group of each, or None.
        clusters: The cluster that was named, or None.
        notes: What was taken for what, in words.
    """

    sides: Sides
    outcomes: Outcomes
    ordered: bool
    prompts: Labels | None
    judges: Labels
    groups: Labels | None
    clusters: Labels | None
    notes: tuple[str, ...]


def suggest_metrics(table: Table) -> tuple[str, ...]:
    """The metrics by which battles are ranked; none where a table contains no battles.

    In AlpacaEval's files the first generator is the baseline.
    """
    names = table.names()
    pair, judged = _find_pair(names), _is_judged(names)
    outcome = find(names, (*OUTCOMES, BOTH_GAMES[0])) or (pair and _find_hot(names, pair))
    if not judged and not _find_pair(names, WON) and not (pair and outcome):
        return ()
    fixed = BASELINE if judged else ALPACA[0] if pair == ALPACA else None
    found = {BASELINE} if fixed else set()
    if fixed in names:
        found = set(table.column(fixed).to_pylist())
    baseline = found.pop() if len(found) == 1 else None
    return (f"win_rate(baseline={baseline!r})" if baseline else "win_rate",)


def _find_pair(
    names: Sequence[str], usual: Sequence[tuple[str, str]] = PAIRS
) -> tuple[str, str] | None:
    pairs = ((find(names, (one,)), find(names, (other,))) for one, other in usual)
    return next(((one, other) for one, other in pairs if one and other), None)


def _find_hot(names: Sequence[str], pair: tuple[str, str]) -> tuple[str, ...]:
    """The columns of 1 and 0 that say whether each system won, and whether both tied."""
    won = [find(names, (f"winner_{one}", f"winner_{one[-1]}")) for one in pair]
    tied = find(names, ("winner_tie", "tie"))
    return tuple(filter(None, (*won, tied))) if all(won) else ()


def read_battle_table(table: Table, columns: Columns) -> BattleTable:
    """Reads the battles of a table."""
    names, side = table.names(), Side(table)
    columns = columns.spelled(names)
    prompt, judge = find(names, PROMPTS, columns.id), find(names, JUDGES)
    judged = _is_judged(names)
    sides, outcomes = _read_judgements(side) if judged else _read_pairs(side, columns)
    rows = np.arange(len(side)).repeat(2 if judged else 1)

    def take(name: str | None) -> Labels | None:
        if name is not None and pa.types.is_list(side.values(name).type):  # as in MT-Bench
            listed = ["/".join(map(str, one or ())) for one in side.values(name).to_pylist()]
            return encode(pa.array(listed), side.locate(name)).take(rows)
        return None if name is None else read_names([side], name).take(rows)

    prompts = None if prompt is None else _read_prompts(side, prompt).take(rows)
    groups = read_groups([side], columns.by)
    clustered = prompt is not None and columns.clusters is None
    message = f"battles are clustered by {prompt!r}." if clustered else ""
    return BattleTable(
        sides,
        outcomes,
        not {*ALPACA, BOTH_GAMES[0]} & {*names} and (judged or not _find_won(names)),
        prompts,
        take(judge) or Labels(np.zeros(len(rows), np.uint8), ("",)),
        groups and groups.take(rows),
        take(columns.clusters),
        tuple(filter(None, (outcomes.note, message))),
    )


def _is_judged(names: Sequence[str]) -> bool:
    """Whether these are the columns of arena-hard's judgements; old ones name no baseline."""
    known = {BASELINE, "judge", "question_id", "uid"} & {*names}
    return _find_pair(names) is None and {GAMES, MODEL} <= {*names} and bool(known)


def _find_won(names: Sequence[str]) -> tuple[str, str] | None:
    return None if _find_pair(names) else _find_pair(names, WON)


def _read_prompts(side: Side, name: str) -> Labels:
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


def _read_pairs(side: Side, columns: Columns) -> tuple[Sides, Outcomes]:
    names, own = side.names, _read_own(columns.outcomes)
    won = None if columns.sides else _find_won(names)
    named = [(columns.sides[0], columns.sides[1])] if columns.sides else PAIRS
    pair = won or _find_pair(names, named)
    outcome = find(names, OUTCOMES, columns.predicted or columns.gold)
    hot = _find_hot(names, pair) if pair and outcome is None else ()
    both = find(names, BOTH_GAMES[:1]) is not None and outcome is None
    if pair is None or not (won or outcome or hot or both):
        raise InputError(
            f"{side.table.source}: has no battles: columns such as model_a, model_b and winner (or "
            "generator_1, generator_2 and preference; a, b and winner) were expected; the columns "
            f"are {', '.join(side.table.names())}"
        )
    sides = read_names([side], pair[0]), read_names([side], pair[1])
    if won:
        return sides, Outcomes(np.ones(len(side)), np.ones(len(side)))
    if both:
        games = [_read_outcomes(side, name, sides, own).points for name in BOTH_GAMES]
        missing = np.isnan(games).any(0)
        points = np.where(missing, np.nan, np.where(games[0] == games[1], games[0], 0.5))
        note = "a battle of MT-Bench is a tie where its two games differ."
        return sides, Outcomes(points, np.ones(len(side)), note)
    if hot:
        return sides, _read_hot(side, hot)
    assert outcome is not None
    return sides, _read_outcomes(side, outcome, sides, own, alpaca=pair == ALPACA)


def _read_own(outcomes: Sequence[str]) -> dict[str, float]:
    """The words for outcomes that the caller gives, such as `A=win`."""
    found = {}
    for one in outcomes:
        word, _, result = one.rpartition("=")
        if not word or result.strip().casefold() not in _RESULTS:
            raise UsageError(
                f"an outcome is such as 'A=win', with win, loss, tie or none for the first system, "
                f"not {one!r}"
            )
        found[word.strip().casefold()] = _RESULTS[result.strip().casefold()]
    return found


def _read_hot(side: Side, names: Sequence[str]) -> Outcomes:
    """Reads a column of 1 and 0 for each outcome; in a row without a 1 the outcome is missing."""
    marks = np.stack([side.numbers(name).astype(np.float64) for name in names])
    marks = np.nan_to_num(marks)
    wrong = (marks.sum(0) > 1) | ~np.isin(marks, (0, 1)).all(0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"{side.locate(names[0])(row)}: one of {', '.join(names)} must be 1 and the others 0"
        )
    points = marks[0] + 0.5 * (marks[2] if len(names) > 2 else 0)
    return Outcomes(np.where(marks.any(0), points, np.nan), np.ones(len(side)))


def _read_judgements(side: Side) -> tuple[Sides, Outcomes]:
    """The two games of each row of arena-hard: the baseline is A in the first, B in the second.

    Both are left out where one has no verdict.
    """
    note, model = "", read_names([side], MODEL)
    if BASELINE in side.names:
        baseline = read_names([side], BASELINE)
    else:
        baseline = Labels(np.zeros(len(side), np.uint8), (BASELINE,))
        note = f"{side.table.source} does not name the system on the other side, called baseline."
    baseline, model = unify(baseline, model)
    where = side.locate(GAMES)
    found = [_read_games(games, where(row)) for row, games in enumerate(side.objects(GAMES))]
    points, games = np.array(found, np.float64).reshape(-1, 2).T
    codes = np.stack([baseline.codes, model.codes], axis=1)
    sides = Labels(codes.ravel(), model.names), Labels(codes[:, ::-1].ravel(), model.names)
    return sides, Outcomes(points, games, note)


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
            raise InputError(f"{where}: {one!r} is not a verdict such as A>>B, A>B or A=B")
    return found


_MOST_NAMED = 5


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
    points = np.where(sides[0] == sides[1], np.nan, points)
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
    message = dict.fromkeys(note for part in parts for note in part.notes)
    notes = (*message, *_tell_missing(missing, battles))
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
            "annotators cannot be used with preferences; `by='judge'` scores each judge's "
            "battles apart"
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
    same = battles.sides[0] == battles.sides[1]
    notes = [f"battles of a system with itself that are left out: {same.sum()}."] * bool(same.any())
    missing = missing & ~same
    lost, known = int(missing.sum()), battles.known
    if not lost:
        return notes
    counts = np.bincount(battles.sides[:, missing].ravel(), minlength=len(known))
    named = [f"{known[at]} {counts[at]}" for at in np.argsort(-counts, kind="stable") if counts[at]]
    more = "" if len(named) <= _MOST_NAMED else f" and {len(named) - _MOST_NAMED} more systems"
    said = "battle has no outcome and is" if lost == 1 else "battles have no outcome and are"
    return [*notes, f"{lost} {said} left out ({', '.join(named[:_MOST_NAMED])}{more})."]

"""Reads who won a battle, in the words and numbers of AlpacaEval, arenas and plain tables."""

import re

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Labels, as_numpy
from tallystick.errors import InputError
from tallystick.examples.sides import Side
from tallystick.frozen import dataclass

STRONG = 3
"""How many games a verdict such as `A>>B` counts for, as in arena-hard."""

_FIRST = ("a", "model_a", "model a", "system_a", "system a")
_SECOND = ("b", "model_b", "model b", "system_b", "system b")
_TIES = (
    "tie",
    "ties",
    "tied",
    "draw",
    "tie (bothbad)",
    "tie (both bad)",
    "both_bad",
    "both bad",
    "bothbad",
)
_SIDES = {**dict.fromkeys(_FIRST, 1.0), **dict.fromkeys(_SECOND, 0.0)}
_DRAWS = dict.fromkeys(_TIES, 0.5)
_VERDICT = re.compile(r"\[*([AB])(>>?|=|<<?)([AB])\]*")
_MISSING = ("", "none", "null", "nan")
_EXPECTED = (
    "a, b, tie or both_bad (also model_a, model_b), the name of one of the two systems, a verdict "
    "such as A>>B, or a number from 0 to 1 or from 1 to 2"
)


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
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


def read_outcomes(
    side: Side, name: str, systems: tuple[Labels, Labels], *, alpaca: bool
) -> Outcomes:
    """Reads a column of outcomes.

    Args:
        side: The table.
        name: The column.
        systems: The first and the second system of each battle.
        alpaca: Whether numbers are AlpacaEval's: from 1 to 2, with 0 for a draw.
    """
    import pyarrow as pa

    values = side.values(name)
    if pa.types.is_null(values.type):
        return Outcomes(np.full(len(side), np.nan), np.ones(len(side)))
    if pa.types.is_floating(values.type) or pa.types.is_integer(values.type):
        numbers = as_numpy(values.cast(pa.float64()).fill_null(np.nan))
        return _read_numbers(np.array(numbers), side, name, alpaca=alpaca)
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        raise InputError(
            f"{side.table.source}: column {name!r} holds {values.type} values, where "
            f"{_EXPECTED} was expected"
        )
    encoded = values.fill_null("").combine_chunks().dictionary_encode()
    texts, codes = encoded.dictionary.to_pylist(), as_numpy(encoded.indices)
    read = [_find_number(text) for text in texts]
    known = np.array([one for one in read if one is not None], np.float64)
    if len(known) == len(read) and not np.isnan(known).all():
        return _read_numbers(known[codes], side, name, alpaca=alpaca)
    return _read_words(texts, codes, side, name, systems)


def _find_number(text: str) -> float | None:
    """The number that a text is, NaN where it is missing; None where it is another text."""
    if text.strip().casefold() in _MISSING:
        return np.nan
    try:
        return float(text)
    except ValueError:
        return None


def _read_numbers(numbers: NDArray[np.float64], side: Side, name: str, *, alpaca: bool) -> Outcomes:
    """From 0 (the second won) to 1 (the first won); or from 1 (the first) to 2 (the second)."""
    from_one = alpaca or bool((numbers > 1).any())
    wrong = (numbers < 0) | (numbers > 2) | ((numbers < 1) & (not alpaca or numbers != 0))
    wrong = wrong if from_one else (numbers < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        expected = "a number from 1 to 2" if from_one else "a number from 0 to 1"
        also = ", or 0 for a draw," if alpaca else " as in other rows" if from_one else ""
        raise InputError(
            f"{side.locate(name)(row)}: {numbers[row]:g} stands where {expected}{also} tells who "
            "won"
        )
    games = np.ones(len(numbers))
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
    systems: tuple[Labels, Labels],
) -> Outcomes:
    """By words for the sides, by verdicts, or by the names of the systems."""
    own = [_read_word(text) for text in texts]
    points, games = (np.array([one[at] for one in own])[codes] for at in (0, 1))
    words = np.array([text.strip() for text in texts], object)[codes]
    missing = np.array([text.strip().casefold() in _MISSING for text in texts])[codes]
    one, other = (np.array(column.names, object)[column.codes] for column in systems)
    named = np.where(words == one, 1.0, np.where(words == other, 0.0, np.nan))
    if (np.isnan(points) & ~missing).any():
        points = np.where(points == 0.5, points, named)
    elif (torn := ~np.isnan(named) & (points != 0.5) & (points != named)).any():
        row = int(np.argmax(torn))
        raise InputError(
            f"{side.locate(name)(row)}: {words[row]!r} is both a side and the name of the system "
            "on the other side; write model_a and model_b for the sides"
        )
    wrong = np.isnan(points) & ~missing
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"{side.locate(name)(row)}: {words[row]!r} does not tell who won; expected {_EXPECTED}"
        )
    return Outcomes(points, games)


def _read_word(text: str) -> tuple[float, float]:
    """What the first system has of a battle, NaN where no word tells, and its games."""
    word = text.strip().casefold()
    points = {**_SIDES, **_DRAWS}.get(word)
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

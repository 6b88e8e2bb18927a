"""The examples on which two systems differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Labels
from tallystick.examples.sets import LabelRows
from tallystick.examples.systems import Systems, TextPart
from tallystick.examples.texts import TextExamples, Texts
from tallystick.metrics.metric import Metric, Values
from tallystick.results import Flip
from tallystick.scoring.counted import Counted
from tallystick.tallies.scatter import Rows
from tallystick.tallies.sums import Sums, sum_each

__all__ = ["find_flips"]

_MARK = "|"
_BETWEEN = " ||| "
_MOST = 100


@dataclass(frozen=True, slots=True, eq=False)
class _Gains:
    """What one system does better or worse than another, example by example.

    Attributes:
        rows: The examples to show, in order.
        scores: The score of each example alone, of both systems.
        higher: Whether a higher score is the better one.
        gold: What should have come out of those that are shown.
        sides: What both systems said there.
    """

    rows: NDArray[np.int64]
    scores: tuple[Values, Values]
    higher: bool
    gold: list[str]
    sides: tuple[list[str], list[str]]


def find_flips(counted: Counted, a: str, b: str) -> tuple[Flip, ...]:
    """The examples on which two systems differ.

    Of labels all that one system got right and the other one wrong, first what A got right; of
    texts those with the largest difference in the first metric's score of the example.
    """
    texts = counted.metrics[0].counter is not None
    found = [flip for block in counted.examples for flip in _find(counted, block, (a, b))]
    if texts:
        return tuple(sorted(found, key=lambda flip: -abs(flip.difference))[:_MOST])
    return tuple(sorted(found, key=lambda flip: -flip.difference))


def _find(counted: Counted, block: Systems, names: tuple[str, str]) -> Iterator[Flip]:
    """The examples of one block on which two systems differ."""
    first = counted.metrics[0]
    gains = (
        _compare_texts(counted, block, first, names)
        if first.counter is not None
        else _compare_labels(block, names)
    )
    groups = None if block.groups is None else _write(block.groups, gains.rows)
    for place, row in enumerate(gains.rows.tolist()):
        score_a, score_b = (float(scores[row]) for scores in gains.scores)
        yield Flip(
            example=_name(block, row),
            group=None if groups is None else groups[place],
            text=_read_input(block, row),
            gold=gains.gold[place],
            output_a=gains.sides[0][place],
            output_b=gains.sides[1][place],
            score_a=score_a,
            score_b=score_b,
            difference=score_a - score_b,
            better=names[0] if (score_a > score_b) == gains.higher else names[1],
        )


def _name(examples: Systems, row: int) -> str:
    """The id of an example, or the number of its row."""
    return str(examples.first + row + 1) if examples.ids is None else str(examples.ids[row])


def _read_input(examples: Systems, row: int) -> str | None:
    """The input text of an example."""
    text = None if examples.inputs is None else examples.inputs[row].as_py()
    return None if text is None else str(text)


def _compare_labels(examples: Systems, names: tuple[str, str]) -> _Gains:
    one, other = examples.of(*names).outputs
    gold: Any = examples.gold
    right = [_find_right(gold, own.labels) for own in (one, other)]
    for own, wrong in zip(right, (one.invalid, other.invalid), strict=True):
        if wrong is not None:
            own[wrong] = False
    first, second = (own.astype(np.float64) for own in right)
    rows = np.concatenate([np.flatnonzero(first > second), np.flatnonzero(first < second)])
    left, middle, last = (_write(column, rows) for column in (gold, one.labels, other.labels))
    return _Gains(rows, (first, second), True, left, (middle, last))


def _find_right(gold: Labels | LabelRows, predicted: Labels | LabelRows) -> NDArray[np.bool_]:
    """Whether each prediction is right; of a set, whether all of it is."""
    if isinstance(gold, Labels) and isinstance(predicted, Labels):
        return np.asarray(gold.codes == predicted.codes)
    if isinstance(gold, LabelRows) and isinstance(predicted, LabelRows):
        return np.asarray((gold.recode(predicted.names).bits == predicted.bits).all(1))
    return np.zeros(len(gold), bool)


def _write(column: Labels | LabelRows, rows: NDArray[np.int64]) -> list[str]:
    if isinstance(column, Labels):
        return [str(column.names[code]) for code in column.codes[rows].tolist()]
    bits = np.unpackbits(column.bits[rows], axis=1, count=len(column.names), bitorder="little")
    return [_MARK.join(str(column.names[place]) for place in np.flatnonzero(own)) for own in bits]


def _compare_texts(
    counted: Counted, examples: Systems, metric: Metric, names: tuple[str, str]
) -> _Gains:
    parts = examples.of(*names).texts
    first, second = (
        metric.score(_split(counted, metric, name, part))
        for name, part in zip(names, parts, strict=True)
    )
    gains = np.nan_to_num(first - second)
    rows = np.argsort(-np.abs(gains), kind="stable")[:_MOST]
    rows = rows[gains[rows] != 0]
    gold = [_read_references(parts[0], row) for row in rows.tolist()]
    left, right = ([_read_hypothesis(part, row) for row in rows.tolist()] for part in parts)
    return _Gains(rows, (first, second), metric.better != "lower", gold, (left, right))


def _split(counted: Counted, metric: Metric, name: str, part: TextPart) -> Sums:
    """The tally in which every example is a group; counted anew only where rows were not kept."""
    tally = counted.tally(metric)
    scatter = tally.scatter
    whole = len(counted.examples) == 1
    if whole and isinstance(scatter, Rows) and scatter.clusters is None:
        values = scatter.values[:, tally.systems.index(name)]
        size = len(values)
        return Sums(
            tally.counter, (name,), tuple(range(size)), values[None], np.ones(size, np.int64)
        )
    return sum_each(tally.counter, part)


def _read_hypothesis(part: TextPart, row: int) -> str:
    """The hypothesis of an example; token lists have lost their spelling."""
    return _read(part.hypotheses, row) if isinstance(part, TextExamples) else ""


def _read_references(part: TextPart, row: int) -> str:
    """All references of an example."""
    if not isinstance(part, TextExamples):
        return ""
    first, last = part.spans[row : row + 2].tolist()
    return _BETWEEN.join(_read(part.references, place) for place in range(first, last))


def _read(texts: Texts, place: int) -> str:
    return texts.data[texts.offsets[place] : texts.offsets[place + 1]].tobytes().decode()

"""Systems and tallies as tests write them down: columns side by side, tables of counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallystick.examples.labels import Label, Labels, encode, row_of, unify
from tallystick.examples.pairs import read_pairs
from tallystick.examples.sets import from_lists
from tallystick.examples.systems import Output, Systems
from tallystick.tallies import Cells, Confusion

__all__ = ["NAMES", "label", "pair", "pair_scores", "pair_sets", "pair_texts", "tabulate"]

NAMES = ("a", "b", "c", "d")
"""What systems are called, in the order in which they are given."""


def label(values: Any) -> Labels:
    """A column of labels."""
    return encode(values, row_of("column"))


def pair(gold: Any, *outputs: Any, **beside: Any) -> Systems:
    """Examples with one label each, as columns of labels or as their values."""
    columns = [one if isinstance(one, Labels) else label(one) for one in (gold, *outputs)]
    first, *others = unify(*columns)
    return Systems(NAMES[: len(others)], first, tuple(map(Output, others)), **beside)


def pair_sets(
    gold: Sequence[Any],
    *outputs: Sequence[Any],
    labels: Sequence[Label] | None = None,
    **beside: Any,
) -> Systems:
    """Examples with sets of labels, over those that the gold lists."""
    first = from_lists(gold, row_of("column"), labels)
    others = [from_lists(one, row_of("column"), labels) for one in outputs]
    return Systems(NAMES[: len(others)], first, tuple(map(Output, others)), **beside)


def pair_scores(
    gold: Any, *scores: NDArray[Any], names: tuple[Label, ...] = (0, 1), **beside: Any
) -> Systems:
    """Examples with probabilities, and the gold itself for predicted labels."""
    column = gold if isinstance(gold, Labels) else unify(label(gold), names=names)[0]
    outputs = tuple(Output(column, own) for own in scores)
    return Systems(NAMES[: len(scores)], column, outputs, **beside)


def pair_texts(references: Any, *hypotheses: Any, **beside: Any) -> Systems:
    """Examples with texts."""
    texts = tuple(read_pairs(own, references) for own in hypotheses)
    return Systems(NAMES[: len(texts)], texts=texts, **beside)


def tabulate(
    counts: ArrayLike, labels: tuple[Label, ...], groups: tuple[Label, ...] = ("all",)
) -> Cells:
    """One system's tally of a table of shape (..., gold, predicted), with groups before those.

    The axis of groups may be left out where there is one group.
    """
    table = np.asarray(counts)
    wide = len(labels)
    if table.ndim == 2:
        table = table[None]
    cells = np.arange(len(groups) * wide**2)
    owners, inner = np.divmod(cells, wide**2)
    gold, predicted = np.divmod(inner, wide)
    flat = table.reshape(*table.shape[:-3], len(cells))
    return Cells(
        Confusion(),
        NAMES[:1],
        groups,
        labels,
        labels,
        owners,
        gold,
        predicted[None],
        flat,
        table.sum((-1, -2)).reshape(-1, len(groups))[0],
    )

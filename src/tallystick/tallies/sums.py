"""The tally of texts: named columns of counts per example, summed by group."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.labels import Label, Labels
from tallystick.examples.texts import TextExamples, Texts
from tallystick.examples.token_lists import TokenExamples
from tallystick.tallies.groups import place, union
from tallystick.tallies.scatter import Scatter, scatter_rows

__all__ = ["SumsTally", "count_threads", "need_texts", "spread", "sum_rows"]

Arrays = tuple[NDArray[Any], NDArray[np.int64], NDArray[Any], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True, eq=False)
class SumsTally:
    """Sums of named columns, by group.

    Attributes:
        groups: The groups, in the order of labels.
        columns: The names of the columns.
        sums: int64 of shape (..., groups, columns), or float64 where a column is real-valued.
            Leading axes are replicates of the whole tally.
        n: The number of examples of each group.
        scatter: How the examples' own rows scatter, which draws need; None for replicates.
    """

    groups: tuple[Label, ...]
    columns: tuple[str, ...]
    sums: NDArray[Any]
    n: NDArray[np.int64]
    scatter: Scatter | None = None

    def __add__(self, other: "SumsTally") -> "SumsTally":
        if self.columns != other.columns and self.columns and other.columns:
            raise UsageError("sums of different columns cannot be added")
        if not (self.columns and other.columns):
            return self if self.columns else other
        groups = union(self.groups, other.groups)
        return SumsTally(
            groups,
            self.columns,
            place(self.sums, -2, self.groups, groups) + place(other.sums, -2, other.groups, groups),
            place(self.n, 0, self.groups, groups) + place(other.n, 0, other.groups, groups),
            self.scatter + other.scatter if self.scatter and other.scatter else None,
        )

    def __getitem__(self, column: str) -> NDArray[Any]:
        """One column, of shape (..., groups)."""
        return self.sums[..., self.columns.index(column)]

    def series(self, prefix: str) -> NDArray[Any]:
        """The columns `prefix_1`, `prefix_2`, ..., of shape (..., groups, orders)."""
        return self.sums[..., _find_series(self.columns, prefix)]

    def draw(self, draws: int, seed: int) -> Iterator["SumsTally"]:
        """Replicates of the tally along a leading axis, in chunks: each group drawn anew."""
        if self.scatter is None:
            raise UsageError("replicates cannot be drawn again")
        for sums in self.scatter.draw(draws, seed):
            yield replace(self, sums=sums, scatter=None)

    def total(self) -> "SumsTally":
        """The sum over groups, as a tally of one group."""
        sums = self.sums.sum(-2, keepdims=True)
        return SumsTally(("all",), self.columns, sums, self.n.sum(keepdims=True))


@cache
def _find_series(columns: tuple[str, ...], prefix: str) -> slice:
    """Where the columns of a series are; they stand at equal distances."""
    places = [at for at, name in enumerate(columns) if name.rpartition("_")[0] == prefix]
    step = places[1] - places[0] if len(places) > 1 else 1
    return slice(places[0], places[-1] + 1, step)


def count_threads() -> int:
    """How many threads the kernels may use: as many as there are processors for this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def need_texts(examples: TextExamples | TokenExamples) -> TextExamples:
    """The examples, which must be strings: token lists have no characters to count."""
    if isinstance(examples, TokenExamples):
        raise UsageError(
            "this metric counts in strings, not in token lists, which only BLEU and its parts, "
            "WER, MER, WIL and Levenshtein(unit='words') take"
        )
    return examples


def spread(examples: TextExamples | TokenExamples) -> Arrays:
    """The arrays of examples in the order in which the kernels take them."""
    hypotheses, references = examples.hypotheses, examples.references
    left = hypotheses.data if isinstance(hypotheses, Texts) else hypotheses.ids
    right = references.data if isinstance(references, Texts) else references.ids
    return (left, hypotheses.offsets, right, references.offsets, examples.spans)


def sum_rows(
    columns: Sequence[str], rows: NDArray[Any], examples: TextExamples | TokenExamples
) -> SumsTally:
    """Sums one row of columns per example by group."""
    groups = examples.groups
    if groups is None:
        groups = Labels(np.zeros(len(rows), np.uint8), ("all",))
        sums = rows.sum(0, keepdims=True)
    else:
        sums = np.zeros((len(groups.names), rows.shape[1]), rows.dtype)
        np.add.at(sums, groups.codes, rows)
    n = np.bincount(groups.codes, minlength=len(groups.names))
    scatter = scatter_rows(rows, groups, examples.clusters)
    return SumsTally(groups.names, tuple(columns), sums, n, scatter)

"""Counts of texts that equal one of their references."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.kinds import TEXTS
from tallystick.examples.systems import Systems
from tallystick.examples.text_columns import TextPart
from tallystick.examples.texts import TextExamples
from tallystick.tallies.sums import Sums
from tallystick.tallies.text_sums import spread, sum_rows


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """Counts the hypotheses that equal one of their references, character by character.

    Attributes:
        lowercase: Whether texts are lower-cased first; token lists are taken as they are.
    """

    kind: ClassVar = TEXTS
    lowercase: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The number of matches, and of examples."""
        return ("matches", "examples")

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per example."""
        if isinstance(examples, TextExamples) and self.lowercase:
            examples = examples.lower()
        left, left_offsets, right, right_offsets, spans = spread(examples)
        owners = np.repeat(np.arange(len(examples)), np.diff(spans))
        equal = _compare(left, left_offsets, owners, (right, right_offsets))
        matches = np.bincount(owners[equal], minlength=len(examples)) > 0
        return np.stack([matches, np.ones_like(matches)], axis=-1).astype(np.int64)

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        return sum_rows(self, systems)


def _compare(
    data: NDArray[Any],
    offsets: NDArray[np.int64],
    chosen: NDArray[np.int64],
    others: tuple[NDArray[Any], NDArray[np.int64]],
) -> NDArray[np.bool_]:
    """Whether each of the chosen items equals the other item at its place."""
    sizes = np.diff(offsets)[chosen]
    equal: NDArray[np.bool_] = sizes == np.diff(others[1])
    places = np.flatnonzero(equal)
    sizes = sizes[places]
    ends = sizes.cumsum()
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
    starts = offsets[chosen[places]], others[1][places]
    mine, theirs = (np.repeat(start, sizes) + within for start in starts)
    unlike = np.repeat(places, sizes)[data[mine] != others[0][theirs]]
    equal[unlike] = False
    return equal

"""The plain frozen records behind a result: examples, and checks of the data."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from tallystick.frozen import dataclass
from tallystick.results.records import ConfusionMatrix

MOST_EXAMPLES = 200
"""The default number of examples in a report."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Single examples, in columns of equal length.

    Attributes:
        ids: The id of each, or the number of its row, from 1 on.
        groups: Its group; None where nothing is grouped.
        texts: Its input text; None where the gold has none.
        gold: What should have come out; several references have ` ||| ` between them.
        outputs: What each system said, in the order of the systems.
        scores: How good that was; None where it is undefined.
        cut: Whether a text was too long to be here as a whole.
        clusters: Its cluster; None where examples belong to none.
    """

    ids: tuple[str, ...]
    groups: tuple[str, ...] | None
    texts: tuple[str | None, ...] | None
    gold: tuple[str, ...]
    outputs: tuple[tuple[str, ...], ...]
    scores: tuple[tuple[float | None, ...], ...]
    cut: bool
    clusters: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Meeting:
    """The number of examples on which each of two systems did better than the other."""

    a: str
    b: str
    a_better: int
    b_better: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A check of the data, and how often it applied.

    Attributes:
        what: The check in words.
        system: Whose outputs it is about; None if it is about gold, or about all systems.
        count: How often it applied.
        of: Out of how many; None if there is no total.
        examples: The first five, by their ids or names.
        good: Whether there is nothing to worry about.
    """

    what: str
    system: str | None
    count: int
    of: int | None
    examples: tuple[str, ...]
    good: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """The examples and checks behind the result of one track.

    Attributes:
        track: The track; None where there is only one.
        kind: Whether outputs are labels or texts.
        systems: The names of the systems.
        metric: The short name of the metric that single examples are scored by; empty for labels,
            which are right or wrong.
        better: Which direction of it is better: `higher` or `lower`.
        total: How many examples there are.
        examples: Some of them, or all; None where none were kept.
        meetings: On how many examples each of two systems did better.
        confusions: The confusion matrix of each system, where there are labels.
        findings: How sound the data is.
    """

    track: str | None
    kind: Literal["labels", "texts"]
    systems: tuple[str, ...]
    metric: str
    better: str
    total: int
    examples: Examples | None
    meetings: tuple[Meeting, ...]
    confusions: tuple[ConfusionMatrix, ...]
    findings: tuple[Finding, ...]


Gather: TypeAlias = Callable[[int | None], tuple[Evidence, ...]]
"""Gathers the evidence of each track, with so many examples at most; None takes all of them."""

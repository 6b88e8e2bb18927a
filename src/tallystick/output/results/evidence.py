"""The plain frozen records behind a result: examples, and checks of the data."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from tallystick.output.results.records import ConfusionMatrix


class Examples(Struct, frozen=True):
    """Single examples, in columns of equal length.

    Ids are those of the examples, or the numbers of their rows, from 1 on; several references in
    gold have ` ||| ` between them. Outputs and scores are by system, scores None where undefined;
    groups, texts and clusters are None where there are none. `cut` is whether a text was too long
    to be here as a whole.
    """

    ids: tuple[str, ...]
    groups: tuple[str, ...] | None
    texts: tuple[str | None, ...] | None
    gold: tuple[str, ...]
    outputs: tuple[tuple[str, ...], ...]
    scores: tuple[tuple[float | None, ...], ...]
    cut: bool
    clusters: tuple[str, ...] | None = None


class Meeting(Struct, frozen=True):
    """The number of examples on which each of two systems did better than the other."""

    a: str
    b: str
    a_better: int
    b_better: int


class Finding(Struct, frozen=True):
    """A check of the data, and how often it applied.

    `what` is the check in words, and `system` whose outputs it is about, None for gold or all
    systems. It applied `count` times out of `of`, None if there is no total; `examples` are the
    first five, by their ids or names. It is `good` where there is nothing to worry about.
    """

    what: str
    system: str | None
    count: int
    of: int | None
    examples: tuple[str, ...]
    good: bool


class Evidence(Struct, frozen=True):
    """The examples and checks behind the result of one track.

    `track` is None where there is only one. `metric` is the short name of that by which single
    examples are scored, empty for labels, which are right or wrong, and `better` its direction,
    `higher` or `lower`. Of all examples, `total` in number, some may be here, or none (None).
    Meetings are on how many examples each of two systems did better; findings are how sound the
    data is.
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

"""What scoring gives back, as plain frozen records."""

from dataclasses import dataclass

__all__ = ["ConfusionMatrix", "Difference", "Flip", "Score"]


@dataclass(frozen=True, slots=True)
class Score:
    """One number about one system.

    Attributes:
        system: Whose predictions were scored.
        group: A value of the grouping columns, `"macro"` (the mean over groups), `"micro"` (all
            groups together), or None when there are no groups.
        label: The class of a per-class score, else None.
        metric: The metric's repr, which parses back to the metric.
        name: The metric's short name, used as a column heading, such as `macro_f1`.
        value: The number; NaN where the metric is undefined.
        n: How many examples it was computed from.
        signature: Everything that shaped the number, as one line.
        peer_signature: The signature that sacreBLEU gives the same number, where it has one.
    """

    system: str
    group: str | None
    label: str | None
    metric: str
    name: str
    value: float
    n: int
    signature: str
    peer_signature: str | None = None


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """How often each gold label (rows) was predicted as each label (columns).

    Attributes:
        system: Whose predictions were counted.
        labels: The labels of the rows, which are also those of the columns.
        counts: One tuple of counts per gold label; sums of weights where examples are weighted.
    """

    system: str
    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """How two systems differ on the same examples.

    Attributes:
        a: The first system.
        b: The second system.
        group: As in `Score`.
        metric: As in `Score`.
        name: As in `Score`.
        value_a: The score of the first system.
        value_b: The score of the second one.
        difference: `value_a - value_b`.
        low: The lower bound of the difference.
        high: The upper bound.
        level: The level of the interval.
        p: The chance of a difference at least as large if the systems were equally good; NaN where
            the test does not tell.
        p_holm: The same, corrected by Holm for all tests that are shown together: every pair of
            systems and every metric of one group.
        test: The test, such as `ar`.
        n: How many examples it was computed from.
        better: Which direction of the metric is better: `higher`, `lower` or `neither`.
        signature: Everything that shaped the numbers, as one line.
    """

    a: str
    b: str
    group: str | None
    metric: str
    name: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    level: float
    p: float
    p_holm: float
    test: str
    n: int
    better: str
    signature: str


@dataclass(frozen=True, slots=True)
class Flip:
    """One example on which two systems differ.

    Attributes:
        example: Its id, or the number of its row, from 1 on.
        group: Its group, or None.
        difference: The first system's score of this example alone, minus the second one's: 1 and
            -1 where only one of them gets a label right.
        gold: What should have come out; None for texts, whose references may be several.
        output_a: What the first system said.
        output_b: What the second one said.
    """

    example: str
    group: str | None
    difference: float
    gold: str | None
    output_a: str
    output_b: str

"""The plain frozen records that scoring gives back."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Struct

Verdict = Literal["pass", "fail", "inconclusive"]

Number: TypeAlias = Annotated[int | float, "NaN, and null in JSON, where it is undefined"]
"""A score, or a difference of scores; a whole number where it is a count."""


def check_lengths(**lists: Sequence[object]) -> None:
    """Raises a ValueError where lists that belong together have different lengths."""
    sizes = {name: len(own) for name, own in lists.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise ValueError(f"lists of one length were expected, got {told}")


class Score(Struct, frozen=True):
    """One number about one system.

    Attributes:
        system: Whose predictions were scored.
        group: A value of the grouping columns, `"macro"` (the mean over groups), `"micro"` (all
            groups together), or None when there are no groups.
        label: The class of a per-class score, else None.
        metric: The metric's repr, which parses back to the metric.
        name: The metric's short name, used as a column heading, such as `macro_f1`.
        title: The metric's name as prose writes it, such as `Macro F1-Score`.
        value: The number; NaN where the metric is undefined.
        n: How many examples it was computed from.
        signature: Everything that shaped the number, as one line.
        peer_signature: The signature that sacreBLEU gives the same number, where it has one.
        low: The lower end of the interval; NaN where there is none.
        high: Its upper end.
        confidence: The share of samples whose interval is to hold the true value; None without one.
        method: What the interval comes from; None where there is none.
        invalid: How many of the n outputs are no label, or missing, and count as wrong.
        undefined: Whether the metric is undefined here and `value` is what its zero_division says;
            tables show n/a then.
        better: Which direction of the metric is better: `higher`, `lower` or `neither`.
        left_out: How many further examples were left out, because the system has no output for
            them, or another one has none.
        all_wrong: The score with all of these counted as wrong; NaN where that is not known.
        all_right: The score with all of these counted as right, likewise.
        effective_n: How many examples of equal weight are worth as much (Kish's effective size),
            where weights are so unequal that these are fewer than half of n; else None.
    """

    system: str
    group: str | None
    label: str | None
    metric: str
    name: str
    title: str
    value: Number
    n: int
    signature: str
    peer_signature: str | None = None
    low: Number = math.nan
    high: Number = math.nan
    confidence: float | None = None
    method: str | None = None
    invalid: int = 0
    undefined: bool = False
    better: str = "higher"
    left_out: int = 0
    all_wrong: Number = math.nan
    all_right: Number = math.nan
    effective_n: int | None = None


class Correction(Struct, frozen=True):
    """A score by a judge that human labels correct, beside those by people and by the judge alone.

    Attributes:
        system: As in `Score`.
        group: As in `Score`.
        metric: As in `Score`.
        name: As in `Score`.
        value: The corrected score.
        low: The lower end of its interval; NaN where there is none.
        high: The upper end.
        people: The score by human labels alone.
        people_low: The lower end of its interval, likewise.
        people_high: The upper end.
        judge: The score by the judge's labels of all examples, which may be wrong by any amount.
        n: How many examples the judge labelled.
        labels: How many of them people labelled too.
        weight: How much the judge counts, from 0 (not at all) to 1 (in full), by what makes the
            corrected score vary least.
        worth: How many human labels alone would tell as much; NaN where that is unknown.
        labels_to_halve: How many further human labels would halve the interval; None where no
            number would, because the examples are too few.
    """

    system: str
    group: str | None
    metric: str
    name: str
    value: float
    low: float
    high: float
    people: float
    people_low: float
    people_high: float
    judge: float
    n: int
    labels: int
    weight: float
    worth: float
    labels_to_halve: int | None


class SeedScore(Struct, frozen=True):
    """The mean score of several runs of one system, such as with several random seeds.

    Attributes:
        system: Whose runs were scored.
        group: As in `Score`.
        metric: As in `Score`.
        name: As in `Score`.
        value: The mean over the runs; NaN where a run has no score.
        deviation: The standard deviation over the runs.
        runs: How many runs there are.
        n: How many examples each was scored on.
        low: The lower end of the interval of what the mean would be with other examples and other
            seeds.
        high: Its upper end.
        examples_low: The lower end of the interval with other examples and the same runs.
        examples_high: Its upper end.
        seed_share: The share of the variance of the mean that comes from the seeds, from 0 to 1.
        confidence: The confidence level of both intervals.
        signature: Everything that shaped the numbers, as one line.
    """

    system: str
    group: str | None
    metric: str
    name: str
    value: float
    deviation: float
    runs: int
    n: int
    low: float
    high: float
    examples_low: float
    examples_high: float
    seed_share: float
    confidence: float
    signature: str


LARGEST_MATRIX = 50
"""A confusion matrix of more labels could not be read."""


class ConfusionMatrix(Struct, frozen=True):
    """How often each gold label (rows) was predicted as each label (columns).

    Attributes:
        system: Whose predictions were counted.
        labels: The labels of the rows, which are also those of the columns.
        counts: One tuple of counts per gold label; sums of weights where examples are weighted.
    """

    system: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int | float, ...], ...]

    def __post_init__(self) -> None:
        """Checks that the matrix is square."""
        rows = {f"counts[{at}]": row for at, row in enumerate(self.counts)}
        check_lengths(labels=self.labels, counts=self.counts, **rows)


class Threshold(Struct, frozen=True):
    """The probability from which to predict the positive label, and the score that this gave.

    Attributes:
        group: The group that it is for, or None when there are no groups.
        threshold: Predict the positive label from this probability on.
        metric: The repr of the metric that it was tuned for.
        name: The metric's short name.
        value: The metric on the examples that the threshold was tuned on, which is optimistic.
        above: Every threshold above this one is as good, up to `up_to`; None is from 0 on.
        up_to: The highest threshold that is as good without a worse one in between.
        n: How many examples it was tuned on.
        positives: How many of them have the positive label in the gold.
        cross_fitted: The metric with each example predicted by a threshold that was tuned without
            it; None if that was not computed.
    """

    group: str | None
    threshold: float
    metric: str
    name: str
    value: float
    above: float | None
    up_to: float
    n: int
    positives: int
    cross_fitted: float | None = None


class Difference(Struct, frozen=True):
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
        confidence: The confidence level of the interval.
        p: The probability of a difference at least as large if the systems were equally good; NaN
            if the test gives none.
        p_holm: The same, corrected by Holm for all tests that are shown together: every pair of
            systems and every metric of one group.
        test: The test, such as `ar`.
        n: How many examples it was computed from.
        better: Which direction of the metric is better: `higher`, `lower` or `neither`.
        signature: Everything that shaped the numbers, as one line.
        track: The track of the ranking that it is part of; None where there is only one.
        equivalent_within: The equivalence margin; None if equivalence was not tested.
        equivalent: Whether two one-sided tests show that the difference is within that, at the
            confidence of the interval each; None if that was not tested, or there are no bounds.
    """

    a: str
    b: str
    group: str | None
    metric: str
    name: str
    value_a: Number
    value_b: Number
    difference: Number
    low: Number
    high: Number
    confidence: float
    p: float
    p_holm: float
    test: str
    n: int
    better: str
    signature: str
    track: str | None = None
    equivalent_within: float | None = None
    equivalent: bool | None = None

    @property
    def significant(self) -> bool:
        """Whether the systems are significantly different, at the confidence of the interval."""
        # 1 - 0.95 is a little more than 0.05.
        return self.difference != 0 and self.p_holm < round(1 - self.confidence, 12)


class Power(Struct, frozen=True):
    """How often two systems are found different with a certain number of examples.

    Attributes:
        a: The first system.
        b: The second system.
        group: As in `Score`.
        metric: As in `Score`.
        name: As in `Score`.
        difference: The observed difference, `a` minus `b`, which is taken for the true one.
        examples: How many examples there are.
        n: How many examples are planned.
        clusters: How many clusters these belong to; None where examples stand for themselves.
        power: How often the test finds the observed difference with `n` examples.
        power_low: The power for the end of the difference's own interval that is nearer to 0, or
            for 0 where the interval holds it.
        power_high: The power for the end that is farther from 0.
        detectable: The difference that it finds with a power of `target`.
        needed: With how many examples it finds the observed difference with a power of `target`;
            None where the systems do not differ.
        needed_low: With how many it finds the farther end of the difference's interval.
        needed_high: With how many it finds the nearer end; None where the interval holds 0.
        assured: With how many the power is `target` in 80% of such pilots: what finds the nearer
            end of a one-sided 80% interval; None where that holds 0.
        target: The power that is aimed at.
        confidence: The confidence level of the test.
        signature: Everything that shaped the difference, as one line.
    """

    a: str
    b: str
    group: str | None
    metric: str
    name: str
    difference: float
    examples: int
    n: int
    clusters: int | None
    power: float
    power_low: float
    power_high: float
    detectable: float
    needed: int | None
    needed_low: int | None
    needed_high: int | None
    assured: int | None
    target: float
    confidence: float
    signature: str


class Flip(Struct, frozen=True):
    """One example on which two systems differ.

    Attributes:
        example: Its id, or the number of its row, from 1 on.
        group: Its group, or None.
        text: The input text; None where the gold has no column of it.
        gold: What should have come out; several references have ` ||| ` between them.
        output_a: What the first system said.
        output_b: What the second one said.
        score_a: The first system's score of this example alone: 1 where it gets a label right,
            and else 0; of texts by the first metric.
        score_b: The second system's score of it.
        difference: `score_a - score_b`.
        better: The name of the system that did better here.
    """

    example: str
    group: str | None
    text: str | None
    gold: str | None
    output_a: str
    output_b: str
    score_a: Number
    score_b: Number
    difference: Number
    better: str


class Refusal(Struct, frozen=True):
    """A submission that was refused, and why.

    Attributes:
        system: Who made it.
        track: The track it was made to; None where there is only one.
        reason: What is wrong with it, in one sentence that does not quote gold.
    """

    system: str
    track: str | None
    reason: str


class Check(Struct, frozen=True):
    """One condition of a gate, and whether it holds.

    Attributes:
        kind: `drop` allows a score to be so much worse than an older system's, `equivalent` to be
            so much worse or better, and `floor` compares it with a fixed value.
        group: A value of the grouping columns, `"macro"`, `"micro"`, or None without groups.
        metric: The metric's repr, which parses back to the metric.
        name: The metric's short name.
        value: The score that is put to the test.
        old: The score of the older system; NaN for a floor.
        difference: value - old; NaN for a floor.
        low: The lower bound of the difference, or of the value for a floor; one-sided.
        high: The upper bound, one-sided too.
        confidence: The confidence level of each of the two bounds.
        limit: The largest drop or difference that is allowed, or the floor.
        verdict: `pass`, `fail`, or `inconclusive` where the limit lies between the bounds.
        sentence: The verdict in words.
        n: How many examples there are.
        better: Which direction of the metric is better: `higher` or `lower`.
        needed: About how many examples would decide an inconclusive check with a chance of 80%, if
            the true value is the observed one; None for all others, and at the limit itself.
    """

    kind: Literal["drop", "floor", "equivalent"]
    group: str | None
    metric: str
    name: str
    value: Number
    old: Number
    difference: Number
    low: Number
    high: Number
    confidence: float
    limit: Number
    verdict: Verdict
    sentence: str
    n: int
    better: str
    needed: int | None

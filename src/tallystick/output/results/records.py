"""The plain frozen records of results."""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Struct

Verdict = Literal["pass", "fail", "inconclusive"]

Number: TypeAlias = Annotated[int | float, "NaN, and null in JSON, where it is undefined"]
"""A score, or a difference of scores; a whole number where it is a count."""


def check_lengths(**lists: Sequence[object]) -> None:
    """Raises a ValueError where lists that belong together have different lengths."""
    sizes = {name: len(own) for name, own in lists.items()}
    if len(set(sizes.values())) > 1:
        message = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise ValueError(f"lists of one length were expected, got {message}")


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
        low, high: The ends of the interval; NaN where there is none.
        confidence: The confidence level of the interval; None where there is none.
        method: The method of the interval; None where there is none.
        invalid: How many of the n outputs are missing or no label, and count as wrong.
        undefined: Whether the metric is undefined here, so that `value` is its zero_division and
            tables show n/a.
        better: Which direction of the metric is better: `higher`, `lower` or `neither`.
        left_out: How many further examples were left out because outputs for them are missing.
        all_wrong, all_right: The score with all of these counted as wrong, and as right; NaN where
            that is unknown.
        effective_n: Kish's effective sample size where it is below half of n because of unequal
            weights; else None.
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
    """A judge's score that human labels correct, with the scores by people and by the judge alone.

    Fields that are not described are as in `Score`.

    Attributes:
        value, low, high: The corrected score, and the ends of its interval.
        people, people_low, people_high: The score by human labels alone, and its interval.
        judge: The score by the judge's labels of all examples, which may be wrong by any amount.
        n: How many examples the judge labelled.
        labels: How many of them people labelled too.
        weight: How much the judge counts, from 0 to 1, so that the corrected score varies least.
        worth: The number of human labels that alone are as precise; NaN where that is unknown.
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

    Fields that are not described are as in `Score`.

    Attributes:
        value: The mean over the runs; NaN where a run has no score.
        deviation: The standard deviation over the runs.
        runs: How many runs there are.
        n: How many examples each was scored on.
        low, high: The interval of the mean with other examples and other seeds.
        examples_low, examples_high: Its interval with other examples and the same runs.
        seed_share: The share of the variance of the mean that comes from the seeds, from 0 to 1.
        confidence: The confidence level of both intervals.
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
        rows = {f"counts[{at}]": row for at, row in enumerate(self.counts)}
        check_lengths(labels=self.labels, counts=self.counts, **rows)


class Threshold(Struct, frozen=True):
    """The probability from which to predict the positive label, and the score that this gave.

    Attributes:
        group: The group that it is for, or None when there are no groups.
        threshold: Predict the positive label from this probability on.
        metric, name: The repr and the short name of the metric that it was tuned for.
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

    Fields that are not described are as in `Score`.

    Attributes:
        a, b: The first and the second system.
        value_a, value_b: Their scores.
        difference: `value_a - value_b`.
        low, high: The ends of its interval.
        p: The probability of a difference at least as large if the systems were equally good; NaN
            if the test gives none.
        p_holm: The same, corrected by Holm for all tests that are shown together: every pair of
            systems and every metric of one group.
        test: The test, such as `ar`.
        track: The track of the ranking that it is part of; None where there is only one.
        equivalent_within: The equivalence margin; None if equivalence was not tested.
        equivalent: Whether two one-sided tests, each at the confidence of the interval, show that
            the difference is within that; None if that was not tested, or there are no bounds.
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

    Fields that are not described are as in `Score`.

    Attributes:
        a, b: The first and the second system.
        difference: The observed difference, `a` minus `b`, which is treated as the true one.
        examples: How many examples there are.
        n: How many examples are planned.
        clusters: How many clusters these belong to; None without clusters.
        power: How often the test finds the observed difference with `n` examples.
        power_low: The power for the end of the difference's own interval that is nearer to 0, or
            for 0 where the interval contains it.
        power_high: The power for the end that is farther from 0.
        detectable: The difference that the test finds with a power of `target`.
        needed: The number of examples with which it finds the observed difference with a power of
            `target`; None where the systems do not differ.
        needed_low, needed_high: The number for the farther and the nearer end of the difference's
            interval; None where the interval contains 0.
        assured: The number with which the power is `target` in 80% of such pilots, which finds the
            nearer end of a one-sided 80% interval; None where that contains 0.
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
        text: The input text; None where the gold has no column of it.
        gold: What was expected; several references have ` ||| ` between them.
        output_a, output_b: The outputs of the two systems.
        score_a, score_b: Their scores of this example alone: 1 or 0 for a label that is right or
            wrong; of texts by the first metric.
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
    """A submission that was rejected, and why.

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

    Fields that are not described are as in `Score`.

    Attributes:
        kind: `drop` allows a score to be so much worse than an older system's, `equivalent` to be
            so much worse or better, and `floor` compares it with a fixed value.
        value: The score that is put to the test.
        old: The score of the older system; NaN for a floor.
        difference: value - old; NaN for a floor.
        low, high: The one-sided bounds of the difference, or of the value for a floor.
        confidence: The confidence level of each of the two bounds.
        limit: The largest drop or difference that is allowed, or the floor.
        verdict: `pass`, `fail`, or `inconclusive` where the limit is between the bounds.
        sentence: The verdict in words.
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


Criterion = tuple[str | None, str | None, str]
"""The track, the group and the metric's repr of one table of a ranking."""

MAIN = (None, "macro")
"""The row of all examples; where there are groups, that of the mean over them."""

Missing = Literal["exclude", "zero", "worst", "common"]
"""How a ranking treats a system without a score in a track, a metric or a group."""


class Place(Struct, frozen=True):
    """The rank of one system by one metric, with all that was computed for it.

    Fields that are not described are as in `Score`.

    Attributes:
        track: The track of the ranking; None where there is only one.
        baseline: Whether it is a baseline, which has no rank and takes none from others.
        rank: From 1 on; equal values share the best rank; None for baselines and undefined values.
        confidence: The confidence level of intervals and tests.
        best_rank: 1 + how many systems are significantly better.
        worst_rank: How many systems are ranked, less those that are significantly worse.
        cluster: From 1 on, by the rule of WMT: every system of a cluster significantly beats every
            system of those after it.
        letters: Two systems that share a letter are not significantly different.
        best_share: The proportion of bootstrap resamples in which the system is the best.
        mean_rank: The mean of the system's ranks over the bootstrap resamples.
        resolution: The minimum detectable difference of two systems on these examples.
        lowest, highest: The smallest and the largest value that the metric can have.
        previous_rank: The rank in the earlier ranking that this one is compared with, if any.
    """

    track: str | None
    group: str | None
    metric: str
    name: str
    system: str
    baseline: bool
    rank: int | None
    value: Number
    low: Number
    high: Number
    confidence: float
    method: str | None
    best_rank: int | None
    worst_rank: int | None
    cluster: int | None
    letters: str
    best_share: float
    mean_rank: float
    resolution: float
    n: int
    better: str
    lowest: Number
    highest: Number
    signature: str
    previous_rank: int | None = None
    peer_signature: str | None = None
    left_out: int = 0
    all_wrong: Number = math.nan
    all_right: Number = math.nan

    @property
    def criterion(self) -> Criterion:
        """What the system is ranked by."""
        return self.track, self.group, self.metric


Interval = tuple[float, float]
"""The ends of an interval."""

UNKNOWN: Interval = (math.nan, math.nan)


class Standing(Struct, frozen=True):
    """The overall rank of one system by several metrics, groups or tracks.

    Attributes:
        baseline: Whether it is a baseline, which has no rank.
        covered: How many of the criteria it has a value for.
        criteria: The track, the group and the metric's repr of everything that is combined.
        values: The system's value of each criterion; NaN where it is missing.
        mean: The mean of the values, each turned so that higher is better.
        rank: The rank by the mean.
        borda: The points by Borda's count.
        borda_rank: The rank by the points, which is that by the mean rank too.
        mean_rank: The mean over the criteria of the system's ranks, where equal ones share the mean
            of theirs.
        mean_rank_interval, borda_interval: What these could be with other examples; NaN where
            unknown.
        mean_rank_interval_over_groups, borda_interval_over_groups: What they could be with other
            groups or tracks.
    """

    system: str
    baseline: bool
    covered: int
    criteria: tuple[Criterion, ...]
    values: tuple[Number, ...]
    mean: Number
    rank: int | None
    borda: Number
    borda_rank: int | None
    mean_rank: float = math.nan
    mean_rank_interval: Interval = UNKNOWN
    mean_rank_interval_over_groups: Interval = UNKNOWN
    borda_interval: Interval = UNKNOWN
    borda_interval_over_groups: Interval = UNKNOWN

    def __post_init__(self) -> None:
        check_lengths(criteria=self.criteria, values=self.values)


class Friedman(Struct, frozen=True):
    """Friedman's test of mean ranks over groups or tracks, and Nemenyi's of each two systems.

    Attributes:
        over: What the ranks are of, `"groups"` or `"tracks"`.
        count: How many of them there are.
        systems: The systems that are ranked, best first.
        mean_ranks: The mean rank of each.
        letters: Two systems that share a letter do not differ by Nemenyi's test.
        chi_square, p: Friedman's statistic, corrected for ties, with one degree of freedom less
            than there are systems, and its p-value; NaN, as all of these, where all are level.
        f, f_p: Iman and Davenport's statistic and its p-value.
        critical_difference: How far mean ranks must be apart to differ by Nemenyi's test.
        confidence: The confidence level, such as 0.95.
        pairs: Nemenyi's p-value of each two systems, as (system, system, p), the better one first.
    """

    over: Literal["groups", "tracks"]
    count: int
    systems: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    letters: tuple[str, ...]
    chi_square: float
    p: float
    f: float
    f_p: float
    critical_difference: float
    confidence: float
    pairs: tuple[tuple[str, str, float], ...]

    @property
    def separated(self) -> tuple[tuple[str, str], ...]:
        """The pairs whose mean ranks are at least the critical difference apart."""
        ranks = dict(zip(self.systems, self.mean_ranks, strict=True))
        least = self.critical_difference - 1e-9
        return tuple((a, b) for a, b, _ in self.pairs if ranks[b] - ranks[a] >= least)


class Bin(Struct, frozen=True):
    """The examples whose probabilities lie in one bin of the expected calibration error.

    `n` is the number of examples, or the sum of their weights, `mean` that of their probabilities,
    and `share` the proportion of them that have the label, with the ends of its interval, NaN where
    there is none.
    """

    n: int | float
    mean: float
    share: float
    low: float
    high: float


class ProbabilityCurve(Struct, frozen=True):
    """The true and false positives of one system and label at every threshold.

    Positives and negatives are examples with the label and with another one, or the sums of their
    weights; true and false positives are those with a threshold's probability or a higher one.
    Thresholds are probabilities that occur, the highest first: all of them where it is `exact`,
    else so many that no curve through their points is more than a thousandth off. `threshold` is
    the probability from which the label was predicted; None if it is unknown, or not the same for
    all examples. Bins are those of the expected calibration error that hold examples, and
    `confidence` is that of their intervals; None where they have none.
    """

    system: str
    label: str
    positives: int | float
    negatives: int | float
    thresholds: tuple[int | float, ...]
    true_positives: tuple[int | float, ...]
    false_positives: tuple[int | float, ...]
    exact: bool
    threshold: float | None
    bins: tuple[Bin, ...]
    confidence: float | None

    def __post_init__(self) -> None:
        check_lengths(
            thresholds=self.thresholds,
            true_positives=self.true_positives,
            false_positives=self.false_positives,
        )


class RiskCurve(Struct, frozen=True):
    """The share of errors of one system among the examples that it is surest of.

    Coverages are shares of the examples, from the surest on, up to 1, and risks the shares of
    errors among these: at every step of confidence where it is `exact`, else at so many that no
    curve through their points is more than a thousandth off.
    """

    system: str
    n: int
    coverages: tuple[float, ...]
    risks: tuple[float, ...]
    exact: bool

    def __post_init__(self) -> None:
        check_lengths(coverages=self.coverages, risks=self.risks)


class LengthScore(Struct, frozen=True):
    """The score of one system on examples with references of similar length.

    `metric` is the metric's repr, `name` its short name, and `better` `higher`, `lower` or
    `neither`. The shortest and the longest reference are counted in `tokens`, `words` or
    `characters`. The value is NaN where it is undefined.
    """

    system: str
    metric: str
    name: str
    better: str
    shortest: int
    longest: int
    unit: str
    value: Number
    n: int


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
"""Gathers the evidence of each track, with this many examples at most; None takes all of them."""

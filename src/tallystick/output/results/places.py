"""The plain frozen records of rankings, and the policies for missing scores."""

import math
from typing import Literal

from msgspec import Struct

from tallystick.output.results.records import Number, check_lengths

Criterion = tuple[str | None, str | None, str]
"""The track, the group and the metric's repr of one table of a ranking."""

MAIN = (None, "macro")
"""The row of all examples; where there are groups, that of the mean over them."""

Missing = Literal["exclude", "zero", "worst", "common"]
"""How a ranking treats a system without a score in a track, a metric or a group."""


class Place(Struct, frozen=True):
    """The rank of one system by one metric, with all that was computed for it.

    Attributes:
        track: The track of the ranking; None where there is only one.
        group: A value of the grouping columns, `"macro"`, `"micro"`, or None without groups.
        metric: The metric's repr, which parses back to the metric.
        name: The metric's short name.
        system: Who stands there.
        baseline: Whether it is a baseline, which has no rank and takes none from others.
        rank: From 1 on; equal values share the best rank; None for baselines and undefined values.
        value: The system's score; NaN where it is undefined.
        low: The lower end of the score's interval.
        high: The upper end of the score's interval.
        confidence: The confidence level of intervals and tests.
        method: What the interval comes from; None where there is none.
        best_rank: 1 + how many systems are significantly better.
        worst_rank: How many systems are ranked, less those that are significantly worse.
        cluster: From 1 on, by the rule of WMT: every system of a cluster significantly beats every
            system of those after it.
        letters: Two systems that share a letter are not significantly different.
        best_share: The proportion of bootstrap resamples in which the system is the best.
        mean_rank: The mean of the system's ranks over the bootstrap resamples.
        resolution: The minimum detectable difference of two systems on these examples.
        n: How many examples the score was computed from.
        better: Which direction of the metric is better: `higher` or `lower`.
        lowest: The smallest value that the metric can have.
        highest: The largest one.
        signature: Everything that shaped the score, as one line.
        previous_rank: The rank in the earlier ranking that this one is held against; None where
            there is none.
        peer_signature: As in `Score`.
        left_out: As in `Score`, and so are the rest.
        all_wrong: Likewise.
        all_right: Likewise.
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
        system: Who stands there.
        baseline: Whether it is a baseline, which has no rank.
        covered: How many of the criteria it has a value for.
        criteria: The track, the group and the metric's repr of everything that is taken together.
        values: The system's value of each criterion; NaN where it lacks one.
        mean: The mean of the values, each turned so that higher is better.
        rank: The rank by the mean.
        borda: The points by Borda's count.
        borda_rank: The rank by the points, which is that by the mean rank too.
        mean_rank: The mean over the criteria of the system's ranks, where equal ones share the mean
            of theirs.
        mean_rank_interval: What the mean rank could be with other examples; NaN where unknown, as
            in all intervals here.
        mean_rank_interval_over_groups: What it could be with other groups or tracks.
        borda_interval: As for the mean rank, and so is the next.
        borda_interval_over_groups: Likewise.
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
        """Checks that there is a value for each criterion."""
        check_lengths(criteria=self.criteria, values=self.values)


class Friedman(Struct, frozen=True):
    """Friedman's test of mean ranks over groups or tracks, and Nemenyi's of each two systems.

    Attributes:
        over: What the ranks are of, `"groups"` or `"tracks"`.
        count: How many of them there are.
        systems: The systems that are ranked, best first.
        mean_ranks: The mean rank of each.
        letters: Two systems that share a letter do not differ by Nemenyi's test.
        chi_square: Friedman's statistic, corrected for ties, with a degree of freedom less than
            there are systems; NaN, as all of these, where all systems are level.
        p: Its p-value.
        f: Iman and Davenport's statistic.
        f_p: Its p-value.
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

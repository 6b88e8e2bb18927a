"""From contests to differences: chooses tests, finds intervals and p-values, corrects by Holm."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest
from typing import Literal

import numpy as np

from tallystick.comparison.contest import Contest, JointContest, Pairs, Values
from tallystick.comparison.curves import CurveContest
from tallystick.comparison.replay import Bounds, replay
from tallystick.comparison.settings import Test, Testing
from tallystick.errors import UsageError
from tallystick.examples.labels import Labels
from tallystick.intervals import delong, mcnemar
from tallystick.intervals.draws import bound_percentiles
from tallystick.intervals.holm import adjust
from tallystick.intervals.randomisation import count_extremes, find_p
from tallystick.intervals.wilson import quantile
from tallystick.metrics.accuracy import Accuracy
from tallystick.metrics.metric import Metric
from tallystick.metrics.roc_auc import ROCAUC
from tallystick.results import Difference
from tallystick.tallies.draws import open_streams
from tallystick.tallies.joint import JointLabels

__all__ = ["Field", "Outcome", "assess", "choose_test", "judge_all"]


@dataclass(frozen=True, slots=True)
class Field:
    """Who is compared on what.

    Attributes:
        systems: The names of the systems.
        rows: The groups, `macro` and `micro`; or None alone.
        sizes: The number of examples of each row.
        facts: What shaped the data, for signatures.
    """

    systems: tuple[str, ...]
    rows: tuple[str | None, ...]
    sizes: tuple[int, ...]
    facts: str

    @classmethod
    def of(cls, systems: tuple[str, ...], size: int, groups: Labels | None, facts: str) -> "Field":
        """The field of so many examples, by group where there are groups."""
        if groups is None:
            return cls(systems, (None,), (size,), facts)
        counts = np.bincount(groups.codes, minlength=len(groups.names)).tolist()
        rows = (*map(str, groups.names), "macro", "micro")
        return cls(systems, rows, (*counts, size, size), facts)

    @property
    def pairs(self) -> Pairs:
        """All pairs of systems, by number."""
        return list(combinations(range(len(self.systems)), 2))


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one metric says of all pairs.

    Attributes:
        test: The test.
        values: The scores, of shape (systems, rows).
        low: The lower bounds of the differences, of shape (pairs, rows).
        high: The upper bounds, likewise.
        p: The p-values, likewise; NaN where the test does not tell.
        draws: The paired draws of the scores, of shape (systems, draws, rows).
        lost: How many draws were undefined at most, for a row.
        bounds: What sacreBLEU's bootstrap says of each system: the mean of its drawn scores, and
            half the width of 95% of them.
    """

    test: Test
    values: Values
    low: Values
    high: Values
    p: Values
    draws: Values
    lost: int = 0
    bounds: Bounds = ()


def judge_all(contests: Sequence[Contest], field: Field, testing: Testing) -> dict[Metric, Outcome]:
    """What every metric of the contests says of all pairs of systems."""
    outcomes: dict[Metric, Outcome] = {}
    for contest in contests:
        chosen = {metric: choose_test(metric, contest, testing) for metric in contest.metrics}
        for test in dict.fromkeys(chosen.values()):
            metrics = tuple(metric for metric in contest.metrics if chosen[metric] == test)
            own = contest.narrow(metrics)
            outcomes |= dict(zip(metrics, _judge(own, test, field.pairs, testing), strict=True))
    return outcomes


def choose_test(metric: Metric, contest: Contest, testing: Testing) -> Test:
    """The test of a metric: the one asked for, or the usual one.

    Raises:
        UsageError: The test is not for this metric.
    """
    area = (
        isinstance(metric, ROCAUC) and isinstance(contest, CurveContest) and contest.single_scores
    )
    test = testing.test or ("delong" if area and not contest.clustered else "ar")
    fits = {
        "delong": area,
        "mcnemar": isinstance(metric, Accuracy),
        "mcnemar-midp": isinstance(metric, Accuracy),
    }
    homes = {
        "delong": "ROC-AUC of a binary task",
        "mcnemar": "accuracy",
        "mcnemar-midp": "accuracy",
    }
    if not fits.get(test, True):
        raise UsageError(f"{test} tests {homes[test]} only, not {metric!r}; choose ar or bootstrap")
    if test in fits and contest.clustered:
        raise UsageError(f"{test} takes every example as independent; with clusters choose ar")
    return test


def assess(outcomes: dict[Metric, Outcome], field: Field, testing: Testing) -> list[Difference]:
    """The differences, row by row, with p-values corrected within each row."""
    differences = []
    for row, group in enumerate(field.rows):
        family = [
            _describe(metric, outcome, (place, row), field, testing)
            for metric, outcome in outcomes.items()
            for place in range(len(field.pairs))
        ]
        corrected = adjust(np.array([one.p for one in family]))
        differences += [
            replace(one, group=group, p_holm=float(p))
            for one, p in zip(family, corrected, strict=True)
        ]
    return differences


def _describe(
    metric: Metric, outcome: Outcome, at: tuple[int, int], field: Field, testing: Testing
) -> Difference:
    place, row = at
    a, b = field.pairs[place]
    value_a, value_b = outcome.values[a, row].item(), outcome.values[b, row].item()
    return Difference(
        a=field.systems[a],
        b=field.systems[b],
        group=None,
        metric=repr(metric),
        name=metric.name,
        value_a=value_a,
        value_b=value_b,
        difference=value_a - value_b,
        low=outcome.low[at].item(),
        high=outcome.high[at].item(),
        confidence=testing.level,
        p=outcome.p[at].item(),
        p_holm=np.nan,
        test=outcome.test,
        n=field.sizes[row],
        better=metric.better,
        signature=f"{metric!r}|{testing.describe(outcome.test)}|{field.facts}",
    )


def _judge(contest: Contest, test: Test, pairs: Pairs, testing: Testing) -> list[Outcome]:
    if test == "delong" and isinstance(contest, CurveContest):
        return [_judge_areas(contest, pairs, testing)] * len(contest.metrics)
    observed, drawn = contest.observe(), contest.resample(testing.count, testing.seed)
    replayed: list[Bounds] = []
    if test == "ar":
        p = find_p(*contest.randomise(pairs, testing.count, testing.seed))
    elif test == "bootstrap":
        p = _centre(observed, drawn, pairs)
    elif test in ("mcnemar", "mcnemar-midp"):
        p = _count_flips(contest, pairs, test)
    else:
        p, replayed = replay(contest, pairs, test, testing.count)
    left, right = map(list, zip(*pairs, strict=True))
    p = np.where(np.isnan(observed[:, left] - observed[:, right]), np.nan, p)
    bounds = [
        [bound_percentiles(own[a] - own[b], testing.level) for a, b in pairs] for own in drawn
    ]
    low, high = np.moveaxis(np.array(bounds), 2, 0)
    lost = np.isnan(drawn).any(1).sum(1).max(-1).tolist()
    return [
        Outcome(test, *own, *told)
        for own, told in zip_longest(
            zip(observed, low, high, p, drawn, lost, strict=True), zip(replayed), fillvalue=()
        )
    ]


def _judge_areas(contest: CurveContest, pairs: Pairs, testing: Testing) -> Outcome:
    """DeLong's test and interval; groups are independent, so the variances of a mean add up."""
    found = contest.find_areas()
    areas, variances = map(np.array, zip(*found, strict=True))
    if contest.grouped:
        known = ~np.isnan(areas[:-1, 0])
        mean = areas[:-1][known].mean(0) if known.any() else areas[0] * np.nan
        spread = variances[:-1][known].sum(0) / max(1, known.sum()) ** 2
        areas = np.insert(areas, -1, mean, axis=0)
        variances = np.insert(variances, -1, spread, axis=0)
    left, right = map(list, zip(*pairs, strict=True))
    differences = areas[:, left] - areas[:, right]
    spread = _vary(variances, left, right)
    half = quantile(testing.level) * np.sqrt(spread)
    p = np.vectorize(delong.find_p, otypes=[float])(differences, spread)
    ends = (differences - half).T, (differences + half).T
    draws = _draw_areas(found, testing, grouped=contest.grouped)
    return Outcome("delong", areas.T, *ends, p.T, draws)


def _draw_areas(
    found: Sequence[tuple[Values, Values]], testing: Testing, *, grouped: bool
) -> Values:
    """Areas of shape (systems, draws, rows), from the normal distribution that the test assumes."""
    (stream,) = open_streams(testing.seed, ["all"])
    rows = [
        np.full((testing.count, len(areas)), np.nan)
        if np.isnan(covariance).any()
        else stream.multivariate_normal(areas, covariance, testing.count, method="eigh")
        for areas, covariance in found
    ]
    if grouped:
        known = [row for row in rows[:-1] if not np.isnan(row).any()]
        rows.insert(-1, np.mean(known, axis=0) if known else rows[0])
    return np.stack(rows).transpose(2, 1, 0)


def _vary(variances: Values, left: list[int], right: list[int]) -> Values:
    """The variance of each difference, from covariance matrices; rounding may not go below 0."""
    own = np.diagonal(variances, axis1=-2, axis2=-1)
    return np.maximum(0, own[:, left] + own[:, right] - 2 * variances[:, left, right])


def _centre(observed: Values, drawn: Values, pairs: Pairs) -> Values:
    """The share of draws that lie as far from the observed difference as that lies from 0.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 16.4.
    """
    found = []
    for a, b in pairs:
        difference = observed[:, a] - observed[:, b]
        centred = np.moveaxis(drawn[:, a] - drawn[:, b], 1, -1) - difference[..., None]
        scale = np.abs(observed[:, [a, b]]).max(1)
        defined = (~np.isnan(centred)).sum(-1)
        found.append(find_p(count_extremes(centred, difference, scale), defined))
    return np.stack(found, axis=1)


def _count_flips(contest: Contest, pairs: Pairs, test: Test) -> Values:
    """McNemar's p-values, of shape (1, pairs, rows); there is none of the mean over groups."""
    if not (isinstance(contest, JointContest) and isinstance(contest.joint, JointLabels)):
        raise UsageError(f"{test} tests systems that predict one label each")
    joint = contest.joint
    variant: Literal["exact", "mid-p"] = "exact" if test == "mcnemar" else "mid-p"
    found = []
    for a, b in pairs:
        only_a, only_b = joint.count_flips(a, b), joint.count_flips(b, a)
        groups = zip(only_a.tolist(), only_b.tolist(), strict=True)
        whole = mcnemar.find_p(int(only_a.sum()), int(only_b.sum()), variant)
        rows = [mcnemar.find_p(*own, variant) for own in groups]
        found.append([*rows, np.nan, whole] if contest.grouped else [whole])
    return np.array([found])

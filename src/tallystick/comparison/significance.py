"""Whether two systems differ: intervals and p-values of every pair, on the tally of scoring."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np

from tallystick.comparison import resamples
from tallystick.comparison.pairwise_tests import Family, Outcome
from tallystick.comparison.settings import Test, Testing
from tallystick.errors import UsageError
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Pair
from tallystick.output.results.records import Difference
from tallystick.scoring.counted import Counted
from tallystick.statistics.p_values import adjust

_HOMES: dict[str | None, str] = {
    "delong": "ROC-AUC of a binary task",
    "mcnemar": "accuracy",
    "mcnemar-midp": "accuracy",
    "sacrebleu-ar": "BLEU, chrF and TER",
    "sacrebleu-bs": "BLEU, chrF and TER",
}
"""The metrics of each test that is for some metrics alone, whose `tests` name it."""

MOST_COMPARED = 1000
"""So many systems make half a million pairs."""

_PLAIN = ("delong", "mcnemar", "mcnemar-midp")
"""The tests of independent examples that all weigh the same."""


def compare_pairs(
    counted: Counted,
    testing: Testing,
    *,
    pairs: Sequence[Pair] | None = None,
    bounds: bool = True,
) -> dict[Metric, Outcome]:
    """What every metric says of pairs of systems.

    `pairs` are every two systems where None; `bounds` is whether intervals are needed.
    """
    most = MOST_COMPARED
    if pairs is None and len(counted.systems) > most:
        raise UsageError(
            f"every two systems are compared, which takes at most {most:,}, and there are "
            f"{len(counted.systems):,}; score them, and compare the best"
        )
    chosen = tuple(combinations(counted.systems, 2) if pairs is None else pairs)
    if counted.corrected is not None:
        from tallystick.comparison.apart import compare_corrected

        return compare_corrected(counted, counted.corrected, testing, chosen)
    families: dict[tuple[Any, Test], list[Metric]] = {}
    for metric in counted.metrics:
        test = choose_test(metric, counted, testing)
        families.setdefault((counted.counters[metric], test), []).append(metric)
    outcomes: dict[Metric, Outcome] = {}
    for (_, test), metrics in families.items():
        family = Family(counted, tuple(metrics), test, testing, chosen)
        outcomes |= family.compare(bounds=bounds)
    return {metric: outcomes[metric] for metric in counted.metrics}


def choose_test(metric: Metric, counted: Counted, testing: Testing) -> Test:
    """The test of a metric: the one asked for, or the usual one."""
    tally = counted.tally(metric)
    test = testing.test or "t"
    check_test(test, metric, fits=test != "delong" or len(tally.labels) == 2)
    if test in _PLAIN and counted.facts.clustered:
        raise UsageError(f"{test} takes every example as independent; with clusters choose t")
    if test in _PLAIN and counted.facts.weighted:
        raise UsageError(f"{test} takes all examples to weigh the same; with weights choose ar")
    return test


def draw_scores(
    counted: Counted, metrics: Sequence[Metric], testing: Testing
) -> dict[Metric, Values]:
    """The scores of all systems as they vary together: (systems, resamples, rows)."""
    if counted.corrected is not None:
        from tallystick.comparison.apart import draw_corrected

        own = counted.corrected
        return {one: draw_corrected(counted, own, one, testing) for one in metrics}
    found: dict[Metric, Values] = {}
    options = counted.groups, testing.intervals.resamples, testing.random_seed
    for together in counted.group_metrics(metrics):
        tally = counted.tally(together[0])
        drawn = resamples.draw_scores(together, tally.of(*counted.systems), *options)
        found |= zip(together, drawn, strict=True)
    return found


def check_test(test: Test | None, metric: Metric, *, fits: bool = True) -> None:
    """Raises a UsageError where a test is for another metric, or its counts do not fit."""
    if test in _HOMES and not (fits and test in metric.tests):
        raise UsageError(
            f"{test} tests {_HOMES[test]} only, not {metric!r}; choose ar or bootstrap"
        )


def list_differences(
    counted: Counted, outcomes: dict[Metric, Outcome], testing: Testing
) -> list[Difference]:
    """The differences, row by row, with p-values corrected within each row."""
    differences = list[Difference]()
    for row, group in enumerate(counted.rows):
        family = [
            (metric, outcome) for metric, outcome in outcomes.items() if counted.size(group, metric)
        ]
        found = [np.zeros(0), *(outcome.p[:, row] for _, outcome in family)]
        corrected = iter(adjust(np.concatenate(found)).tolist())
        for metric, outcome in family:
            own = list(islice(corrected, len(outcome.pairs)))
            differences += _list_pairs(counted, metric, outcome, (row, own), testing)
    return differences


def _list_pairs(
    counted: Counted,
    metric: Metric,
    outcome: Outcome,
    corrected: tuple[int, list[float]],
    testing: Testing,
) -> Iterator[Difference]:
    row, p_values = corrected
    group = counted.rows[row]
    facts = counted.describe(metric) + ("|clusters:yes" if counted.facts.clustered else "")
    by_t = group == "macro" and outcome.test in ("mcnemar", "mcnemar-midp")  # of no examples
    test: Test = "t" if by_t else outcome.test
    how = testing.describe(test, outcome.resamples)
    written, size = repr(metric), counted.size(group, metric)
    signature = f"{written}|{how}|{facts}"
    values = {name: own[row].item() for name, own in outcome.values.items()}
    columns = (own[:, row].tolist() for own in (outcome.low, outcome.high, outcome.p))
    for (a, b), low, high, p, p_holm in zip(outcome.pairs, *columns, p_values, strict=True):
        yield Difference(
            a=a,
            b=b,
            group=group,
            metric=written,
            name=metric.name,
            value_a=values[a],
            value_b=values[b],
            difference=values[a] - values[b],
            low=low,
            high=high,
            confidence=testing.confidence,
            p=p,
            p_holm=p_holm,
            test=test,
            n=size,
            better=metric.better,
            signature=signature,
        )

"""Whether systems differ: intervals and p-values of every pair, and notes on them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice

import numpy as np

from tallystick.comparison.contributions import draw_normal_scores
from tallystick.comparison.pairwise_tests import Family, Outcome
from tallystick.errors import Danger, UsageError
from tallystick.model.facts import Facts
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Pair, Tally
from tallystick.output.results.records import Difference
from tallystick.output.tables.cells import format_scores
from tallystick.scoring.counted import Counted
from tallystick.scoring.influence import counts_plain_labels
from tallystick.scoring.interval_warnings import (
    RARE,
    Found,
    find_doubt,
    list_warnings,
    note_few_clusters,
)
from tallystick.statistics.p_values import adjust
from tallystick.statistics.settings import Test, Testing

_FAR = 50
"""A p-value that is this many times as small as it has to be stays significant with few of them."""

TEST_NAMES: dict[Test, str] = {
    "ar": "approximate randomisation",
    "t": "Student's t-test",
    "bootstrap": "the centred paired bootstrap",
    "mcnemar": "McNemar's exact test",
    "mcnemar-midp": "McNemar's mid-p test",
    "delong": "DeLong's test",
    "sacrebleu-ar": "sacreBLEU's approximate randomisation",
    "sacrebleu-bs": "sacreBLEU's paired bootstrap",
}


def list_notes(
    outcomes: Mapping[Metric, Outcome], counted: Counted, testing: Testing
) -> Iterator[str]:
    """The notes on a comparison: how it tested, for how many tests it corrected, what was lost."""
    pairs = len(next(iter(outcomes.values())).pairs)
    family = pairs * len(outcomes)
    yield (
        f"tested by {_tell_tests(outcomes, testing)}; intervals have {testing.confidence:.0%} "
        "confidence each."
    )
    if family > 1:
        each = " in each row" if len(counted.rows) > 1 else ""
        yield (
            f"p-values are corrected by Holm for {family} tests{each}: {_count(pairs, 'pair')} of "
            f"systems by {_count(len(outcomes), 'metric')}."
        )
    yield from list_doubts(outcomes, counted, family, testing)
    for metric, outcome in outcomes.items():
        if outcome.replayed:
            text = ", ".join(
                f"{name} {' ± '.join(format_scores(metric.name, mean, half))}"
                for name, (mean, half) in zip(counted.systems, outcome.replayed, strict=True)
            )
            yield f"sacreBLEU's mean and 95% confidence of {metric.name}: {text}."
        untold = np.isnan(outcome.p) & ~np.isnan(outcome.low)
        if untold.any():
            yield (
                f"{outcome.test} has no p-value for {_count(int(untold.sum()), 'difference')} in "
                f"{metric.name}; ar and bootstrap have one."
            )
        if outcome.lost:
            yield (
                f"{metric.name} was undefined in {outcome.lost} of {outcome.resamples} resamples "
                "of some row; they are left out."
            )


def list_doubts(
    outcomes: Mapping[Metric, Outcome], counted: Counted, family: int, testing: Testing
) -> Iterator[str]:
    """What speaks against the intervals and p-values of a comparison by this many tests."""
    yield from _note_few_resamples(outcomes, family, testing)
    if counted.facts.clustered:
        yield from note_few_clusters([(one.scatter, one.differences) for one in outcomes.values()])
    yield from list_warnings(counted, find_doubts(outcomes, counted, testing), "test")


def _note_few_resamples(
    outcomes: Mapping[Metric, Outcome], family: int, testing: Testing
) -> Iterator[str]:
    resampled = any(outcome.resamples and outcome.test != "t" for outcome in outcomes.values())
    alpha = round(1 - testing.confidence, 12)
    if resampled and family >= alpha * (testing.count + 1):
        least = math.ceil(round(family / alpha, 6))
        yield Danger(
            f"with {testing.count} resamples no difference can be significant after {family} "
            f"tests; `resamples={least}` would be enough."
        )


def find_doubts(
    outcomes: Mapping[Metric, Outcome], counted: Counted, testing: Testing
) -> Iterator[Found]:
    """What speaks against significant differences; few of a rare label only if just significant."""
    unit = "cluster" if counted.facts.clustered else "example"
    alpha = round(1 - testing.confidence, 12)
    together = counted.apart is None and counted.corrected is None
    for metric, outcome in outcomes.items():
        tally = counted.formula(metric)[1] if together else None
        steady, p = tally is not None and counts_plain_labels(tally), outcome.p
        rare = (outcome.scatter.rare > RARE) & (p > alpha / _FAR)
        skewed = outcome.scatter.is_skewed() & (not steady)
        for place in zip(*np.nonzero((p < alpha) & (rare | skewed)), strict=True):
            found = find_doubt(outcome.scatter, place, unit, difference=True, steady=steady)
            if found is not None:
                yield metric, " and ".join(outcome.pairs[place[0]]), found


def describe_tests(outcomes: Mapping[Metric, Outcome], family: int) -> str:
    """The tests of a comparison, their resamples and correction, as captions have them."""
    tests: dict[str, list[str]] = {}
    for metric, outcome in outcomes.items():
        tests.setdefault(TEST_NAMES[outcome.test], []).append(metric.name)
    text = ", ".join(
        f"{test} on {' and '.join(names)}" if len(tests) > 1 else test
        for test, names in tests.items()
    )
    resamples = max((outcome.resamples for outcome in outcomes.values()), default=0)
    drawn = f" with {resamples:,} resamples" if resamples else ""
    return f"{text}{drawn}{f', corrected by Holm for {family} tests' if family > 1 else ''}"


def _tell_tests(outcomes: Mapping[Metric, Outcome], testing: Testing) -> str:
    used = dict.fromkeys(outcome.test for outcome in outcomes.values())
    tests = ", ".join(
        f"{TEST_NAMES[test]} on {', '.join(m.name for m, o in outcomes.items() if o.test == test)}"
        for test in used
    )
    resamples = max(outcome.resamples for outcome in outcomes.values())
    if not resamples:
        return tests
    return f"{tests}, {resamples} resamples with random seed {testing.random_seed}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


_HOMES: dict[str | None, str] = {
    "delong": "ROC-AUC of a binary task",
    "mcnemar": "accuracy and means of 0 and 1",
    "mcnemar-midp": "accuracy and means of 0 and 1",
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
    """The outcome of every metric for `pairs` of systems, or all pairs, with `bounds` or not."""
    most = MOST_COMPARED
    if pairs is None and len(counted.systems) > most:
        raise UsageError(
            f"every two systems are compared, which takes at most {most:,}, and there are "
            f"{len(counted.systems):,}; score them, and compare the best"
        )
    chosen = tuple(combinations(counted.systems, 2) if pairs is None else pairs)
    if counted.corrected is not None:
        from tallystick.comparison.pairwise_coverage import compare_corrected

        return compare_corrected(counted, counted.corrected, testing, chosen)
    test, outcomes = testing.test or "t", dict[Metric, Outcome]()
    for tally, formulas in counted.list_formulas():
        for metric, formula in formulas.items():
            _check_fit(test, metric, formula, tally, counted.facts)
        family = Family(counted, tally, (*dict.fromkeys(formulas.values()),), test, testing, chosen)
        found = family.compare(bounds=bounds)
        outcomes |= {metric: found[formula] for metric, formula in formulas.items()}
    return {metric: outcomes[metric] for metric in counted.metrics}


def _check_fit(test: Test, metric: Metric, formula: Metric, tally: Tally, facts: Facts) -> None:
    """Raises a UsageError where a test is not for a metric, or not for these examples."""
    no_share = formula is metric and hasattr(metric, "as_share")
    check_test(test, metric, fits=not no_share and (test != "delong" or len(tally.labels) == 2))
    if test in _PLAIN and facts.clustered:
        raise UsageError(f"{test} takes every example as independent; with clusters choose t")
    if test in _PLAIN and facts.weighted:
        raise UsageError(f"{test} takes all examples to weigh the same; with weights choose ar")


def draw_scores(
    counted: Counted, metrics: Sequence[Metric], testing: Testing
) -> dict[Metric, Values]:
    """The scores of all systems as they vary together: (systems, resamples, rows)."""
    if counted.corrected is not None:
        from tallystick.comparison.pairwise_coverage import draw_corrected

        own = counted.corrected
        return {one: draw_corrected(counted, own, one, testing) for one in metrics}
    found: dict[Metric, Values] = {}
    options = counted.groups, testing.intervals.resamples, testing.random_seed
    for tally, formulas in counted.list_formulas(metrics):
        drawn = draw_normal_scores([*formulas.values()], tally.of(*counted.systems), *options)
        found |= zip(formulas, drawn, strict=True)
    return found


def check_test(test: Test | None, metric: Metric, *, fits: bool = True) -> None:
    """Raises a UsageError where a test is for another metric, or its counts do not fit."""
    if test in _HOMES and not (fits and test in getattr(metric, "tests", ())):
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

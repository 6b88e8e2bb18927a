"""Notes on how to read differences between systems."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from tallystick.comparison.pairwise_tests import Outcome
from tallystick.comparison.settings import Test, Testing
from tallystick.model.tallies.metric import Metric
from tallystick.output.tables.notes import Danger
from tallystick.scoring.counted import Counted
from tallystick.scoring.notes.cautions import find_rarest
from tallystick.scoring.notes.warnings import (
    Doubt,
    Found,
    find_doubt,
    list_warnings,
    note_few_clusters,
)

_FEW_RARE = 5
"""With fewer examples of a label, equal averages of unlike systems are found different too often:
macro F1 of 5 labels in 8 to 10% of samples of 100 examples."""

_FAR = 50
"""A p-value that is so many times as small as it has to be stays significant with few of them."""

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
            told = ", ".join(
                f"{name} {mean:.3f} ± {half:.3f}"
                for name, (mean, half) in zip(counted.systems, outcome.replayed, strict=True)
            )
            yield f"sacreBLEU's mean and 95% confidence of {metric.name}: {told}."
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
    """What speaks against the intervals and p-values of a comparison by so many tests."""
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
    """What speaks against significant differences."""
    unit = "cluster" if counted.facts.clustered else "example"
    alpha = round(1 - testing.confidence, 12)
    together = counted.apart is None and counted.corrected is None
    for metric, outcome in outcomes.items():
        tally = counted.tally(metric) if together else None
        steady, significant = tally is not None and tally.plain_labels, outcome.p < alpha
        skewed = significant & outcome.scatter.is_skewed() & (not steady)
        for place in zip(*np.nonzero(skewed), strict=True):
            found = find_doubt(outcome.scatter, place, unit, difference=True)
            if found is not None:
                yield metric, " and ".join(outcome.pairs[place[0]]), found
        near = significant[:, -1] & (outcome.p[:, -1] > alpha / _FAR)
        if tally is None or metric.each is None or not near.any():
            continue
        few = round(find_rarest(tally.total())[0][0])
        if few < _FEW_RARE:
            rare = Doubt(f"one of the averaged labels has {_count(few, 'example')}")
            for at in np.flatnonzero(near):
                yield metric, " and ".join(outcome.pairs[int(at)]), rare


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

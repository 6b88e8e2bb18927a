"""Notes on how to read differences between systems."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from tallystick.comparison.pairwise_tests import Outcome
from tallystick.comparison.settings import Test, Testing
from tallystick.model.tallies.metric import Metric
from tallystick.output.tables.notes import Caution, Danger
from tallystick.scoring.counted import Counted
from tallystick.scoring.notes.cautions import find_rarest

_FEW_RARE = 5
"""With fewer examples of a label, equal averages of unlike systems are found different too often:
macro F1 of 5 labels in 8 to 10% of samples of 100 examples."""

_FAR = 50
"""A p-value that is so many times as small as it has to be stays significant with few of them."""

_LEAST_FREEDOM = 4
"""Below that Satterthwaite's approximation is unreliable (Pustejovsky and Tipton 2018)."""

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
    yield from note_doubts(outcomes, counted, family, testing)
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


def note_doubts(
    outcomes: Mapping[Metric, Outcome], counted: Counted, family: int, testing: Testing
) -> list[str]:
    """What speaks against the intervals and p-values of a comparison by so many tests."""
    return [
        *_note_few_resamples(outcomes, family, testing),
        *_note_few_clusters(outcomes, counted),
        *_note_skewed(outcomes, counted, testing),
        *_note_rare(outcomes, counted, testing),
    ]


def _note_few_resamples(
    outcomes: Mapping[Metric, Outcome], family: int, testing: Testing
) -> Iterator[str]:
    """That so many tests cannot be significant with so few resamples."""
    resampled = any(outcome.resamples and outcome.test != "t" for outcome in outcomes.values())
    alpha = round(1 - testing.confidence, 12)
    if resampled and family >= alpha * (testing.count + 1):
        least = math.ceil(round(family / alpha, 6))
        yield Danger(
            f"with {testing.count} resamples no difference can be significant after {family} "
            f"tests; --resamples {least} would be enough."
        )


def _note_few_clusters(outcomes: Mapping[Metric, Outcome], counted: Counted) -> Iterator[str]:
    """That clusters are too few, or too unlike in size, for any honest interval or p-value."""
    each = [
        np.nan_to_num(one.scatter.freedom[~np.isnan(one.differences)]) for one in outcomes.values()
    ]
    freedom = min(one.min(initial=np.inf) for one in each)
    if counted.facts.clustered and freedom < _LEAST_FREEDOM:
        yield Danger(
            f"too few or too unequal clusters ({freedom:.1f} effective degrees of freedom in "
            f"some row, at least {_LEAST_FREEDOM} needed): do not rely on the intervals and "
            "p-values of differences there."
        )


def _note_skewed(
    outcomes: Mapping[Metric, Outcome], counted: Counted, testing: Testing
) -> Iterator[str]:
    """That a few examples, or clusters, make most of some differences."""
    unit = "clusters" if counted.facts.clustered else "examples"
    alpha = round(1 - testing.confidence, 12)
    for metric, outcome in outcomes.items():
        if counted.apart is None and counted.corrected is None:
            tally = counted.tally(metric)
            if tally is not None and tally.plain_labels:
                continue
        skewed = outcome.scatter.is_skewed() & (outcome.p < alpha)
        pairs = [pair for pair, own in zip(outcome.pairs, skewed, strict=True) if own.any()]
        if pairs:
            which = " and ".join(pairs[0]) if len(pairs) == 1 else f"{len(pairs)} pairs"
            yield Caution(
                f"the interval and the p-value of the difference in {metric.name} of {which} "
                f"may be too optimistic: a few {unit} account for most of it, and other "
                "samples may contain more or fewer of that kind."
            )


def _note_rare(outcomes: Mapping[Metric, Outcome], counted: Counted, testing: Testing) -> list[str]:
    """That a label of a few examples weighs as much as others in what is just significant."""
    alpha = round(1 - testing.confidence, 12)
    told: dict[int, list[str]] = {}
    for metric, outcome in outcomes.items() if counted.apart is None else ():
        tally, p = counted.tally(metric), outcome.p[:, -1]
        near = (alpha / _FAR < p) & (p < alpha)
        if tally is not None and metric.each is not None and near.any():
            few = round(find_rarest(tally.total())[0][0])
            told.setdefault(few, []).append(metric.name)
    return [
        Caution(
            f"the intervals and p-values of significant differences in {', '.join(names)} may be "
            f"too optimistic: one of the averaged labels has {_count(few, 'example')}."
        )
        for few, names in told.items()
        if few < _FEW_RARE
    ]


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

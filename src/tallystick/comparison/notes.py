"""What a reader of differences must know, in words."""

from collections.abc import Mapping

import numpy as np

from tallystick.comparison.settings import Testing
from tallystick.comparison.verdicts import Field, Outcome
from tallystick.metrics.metric import Metric

__all__ = ["TEST_NAMES", "list_notes"]

TEST_NAMES = {
    "ar": "approximate randomisation",
    "bootstrap": "the centred paired bootstrap",
    "mcnemar": "McNemar's exact test",
    "mcnemar-midp": "McNemar's mid-p test",
    "delong": "DeLong's test",
    "sacrebleu-ar": "sacreBLEU's approximate randomisation",
    "sacrebleu-bs": "sacreBLEU's paired bootstrap",
}


def list_notes(outcomes: Mapping[Metric, Outcome], field: Field, testing: Testing) -> list[str]:
    """The notes on a comparison: how it tested, for how many tests it corrected, what was lost."""
    used = dict.fromkeys(outcome.test for outcome in outcomes.values())
    tests = ", ".join(
        f"{TEST_NAMES[test]} on {', '.join(m.name for m, o in outcomes.items() if o.test == test)}"
        for test in used
    )
    drawn = "" if set(used) == {"delong"} else f", {testing.count} draws from seed {testing.seed}"
    notes = [f"tested by {tests}{drawn}; intervals hold {testing.level:.0%} each."]
    family = len(field.pairs) * len(outcomes)
    if family > 1:
        each = " in each row" if len(field.rows) > 1 else ""
        notes.append(
            f"p_holm is corrected for {family} tests{each}: {_count(len(field.pairs), 'pair')} of "
            f"systems by {_count(len(outcomes), 'metric')}."
        )
    if set(used) & {"ar", "bootstrap"} and family > (1 - testing.level) * (testing.count + 1):
        least = int(np.ceil(family / (1 - testing.level)))
        notes.append(
            f"with {testing.count} draws no difference can be significant after {family} tests; "
            f"--draws {least} would do."
        )
    for metric, outcome in outcomes.items():
        if outcome.bounds:
            told = ", ".join(
                f"{name} {mean:.3f} ± {half:.3f}"
                for name, (mean, half) in zip(field.systems, outcome.bounds, strict=True)
            )
            notes.append(f"sacreBLEU's mean and 95% confidence of {metric.name}: {told}.")
        untold = np.isnan(outcome.p) & ~np.isnan(outcome.low)
        if untold.any():
            notes.append(
                f"{outcome.test} has no p-value for {_count(int(untold.sum()), 'difference')} in "
                f"{metric.name}; ar and bootstrap have one."
            )
        if outcome.lost:
            notes.append(
                f"{metric.name} was undefined in {outcome.lost} of {testing.count} draws of some "
                "row; they are left out."
            )
    return notes


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

"""Notes why metrics of numbers, of annotators and of spans, and means of several, have no score."""

from collections.abc import Mapping

import numpy as np

from tallystick.kinds.numbers import DISTRIBUTIONS, NUMBERS, VOTES
from tallystick.kinds.ratings import RATINGS
from tallystick.kinds.spans import SPANS
from tallystick.render.notes import Danger
from tallystick.scoring.intervals.bounds import Observed
from tallystick.tallies.metric import Metric

_TOLD = (NUMBERS, DISTRIBUTIONS, VOTES, RATINGS, SPANS)
"""The kinds of the metrics whose reason is told."""


def note_undefined(system: str, observed: Mapping[Metric, Observed | None]) -> list[str]:
    """Notes such metrics that are undefined over all examples, and where they are."""
    told: dict[str, list[str]] = {}
    for metric, one in observed.items():
        if one is None or metric.between or np.isfinite(one.whole.values).any():
            continue
        said = "infinite" if np.isinf(one.whole.values).any() else "undefined"
        if metric.averaged:
            reason = _find_parts(metric, one)
        elif one.whole.tally.counter.kind in _TOLD:
            reason = metric.explain_undefined(one.whole.tally) or find_reason(metric)
        else:
            reason = metric.explain_undefined(one.whole.tally)
        if reason:
            told.setdefault(f"{said}, {reason}", []).append(metric.name)
    return [
        Danger(f"{', '.join(names)} of {system} {'is' if len(names) == 1 else 'are'} {reason}.")
        for reason, names in told.items()
    ]


def _find_parts(metric: Metric, observed: Observed) -> str:
    """Which parts of a mean are undefined, and why."""
    lacking = metric.undefined_parts(observed.whole.tally)
    return "because " + " and ".join(f"{part.name} is, {find_reason(part)}" for part in lacking)


def find_reason(metric: Metric) -> str:
    """When a metric is undefined, as its documentation says."""
    from tallystick.metrics.reference import describe

    return "as always " + describe(type(metric)).undefined.partition(";")[0].rstrip(".")

"""Whether systems are equivalent: whether a difference beyond some limit can be ruled out."""

import math
from collections.abc import Sequence
from dataclasses import replace

from tallystick.comparison.comparable import keep_systems
from tallystick.comparison.gates.margins import bound_changes
from tallystick.comparison.settings import Testing
from tallystick.errors import UsageError
from tallystick.results import Difference
from tallystick.scoring.counted import Counted


def check_equivalence(limit: float, testing: Testing) -> Testing:
    """Returns the settings of the bounds for a positive limit and a confidence above 0.5."""
    if not (math.isfinite(limit) and limit > 0):
        raise UsageError(f"equivalent_within is a number above 0, not {limit:g}")
    return testing.one_sided()


def find_equivalent(
    counted: Counted, differences: Sequence[Difference], testing: Testing, limit: float
) -> tuple[Difference, ...]:
    """Returns the differences with whether each is within a limit, by two one-sided tests.

    A difference is within the limit where its lower and its upper one-sided bound, each at the
    confidence of the testing, both are. The bounds are those of a gate.

    Source: Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15.
    """
    wide = check_equivalence(limit, testing)
    pairs = dict.fromkeys((one.a, one.b) for one in differences)
    bounds = {pair: bound_changes(keep_systems(counted, pair), wide) for pair in pairs}
    places = {group: row for row, group in enumerate(counted.rows)}
    metrics = {repr(metric): metric for metric in counted.metrics}
    found = []
    for one in differences:
        low, high = (
            own[places[one.group]].item() for own in bounds[one.a, one.b][metrics[one.metric]]
        )
        within = None if math.isnan(low + high) else -limit <= low and high <= limit
        found.append(replace(one, equivalent=within, equivalent_within=limit))
    return tuple(found)

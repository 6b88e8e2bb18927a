"""Compares systems on the same examples: how they differ, and how sure that is."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Unpack

from msgspec.structs import replace

from tallystick.comparison.comparable import keep_comparable
from tallystick.comparison.significance import (
    compare_pairs,
    describe_tests,
    list_differences,
    list_notes,
)
from tallystick.errors import Reason, UsageError, short_traceback
from tallystick.kinds.metrics.names import Metrics
from tallystick.model.tallies.tally import Pair
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.records import Difference
from tallystick.reading.input_plan import Layout, Source
from tallystick.scoring import data_warnings as data_notes
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count_input
from tallystick.scoring.error_analysis import gather
from tallystick.scoring.per_example import find_flips
from tallystick.scoring.score import score_counted
from tallystick.statistics.settings import Testing


@short_traceback
def compare(
    gold: object = None,
    /,
    outputs: object = None,
    metrics: Metrics = None,
    *,
    testing: Testing | None = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    equivalent_within: float | None = None,
    details: bool = False,
    **layout: Unpack[Layout],
) -> Comparison:
    """Compares systems with a baseline, or every two of them, on the same examples.

    Args:
        gold: As in `score`.
        outputs: The outputs of each system by name, as in `score`.
        metrics: What to compare by, such as `"f1"`, `"bleu"` or `F1("macro")`.
        testing: The test, the number of resamples, the random seed and the confidence level, a
            `Testing`; None takes the usual ones.
        baseline: The system that all others are compared with; None takes the first.
        all_pairs: Whether every two systems are compared instead.
        equivalent_within: The largest difference that does not matter: two one-sided tests tell
            which systems are shown to differ by no more.
        details: Whether tables show every difference with its interval, of each group too.
        layout: How the data is laid out, as in `tallystick.read`.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric, a test, a baseline or an option does not exist or does not fit.
    """
    counted = count_input(Source.of(gold, outputs), layout, metrics)
    testing = Testing.settle(testing)
    against = _choose_baseline(counted, baseline, all_pairs=all_pairs)
    pairs = (
        list(combinations(counted.systems, 2))
        if against is None
        else [(name, against) for name in counted.systems if name != against]
    )
    if counted.apart is None:
        found = _compare(counted, testing, pairs, equivalent_within)
    else:
        from tallystick.comparison.pairwise_coverage import compare_apart

        found = compare_apart(
            counted.apart,
            pairs,
            partial(compare, testing=testing, equivalent_within=equivalent_within),
            score_counted(counted, testing.intervals),
        )
    return replace(found, baseline=against, details=details)


def _compare(
    counted: Counted, testing: Testing, pairs: Sequence[Pair], equivalent_within: float | None
) -> Comparison:
    counted = keep_comparable(counted)
    outcomes = compare_pairs(counted, testing, pairs=pairs)
    scored = score_counted(counted, testing.intervals)
    notes = (
        *(note for note in scored.notes if isinstance(note, Reason)),
        *data_notes.list_notes(counted),
        *list_notes(outcomes, counted, testing),
        *data_notes.note_rounding(counted),
    )
    differences = tuple(list_differences(counted, outcomes, testing))
    if equivalent_within is not None:
        differences = tuple(_find_equivalent(counted, differences, testing, equivalent_within))
    return Comparison(
        differences,
        notes,
        partial(find_flips, counted),
        scores=scored.scores,
        gather=partial(gather, counted),
        tests=describe_tests(outcomes, len(pairs) * len(outcomes)),
    )


def _choose_baseline(counted: Counted, baseline: str | None, *, all_pairs: bool) -> str | None:
    """The system that the others are compared with; None where every two are."""
    if all_pairs:
        if baseline is not None:
            raise UsageError("all pairs are compared without a baseline; give only one of the two")
        return None
    if baseline is None:
        return counted.systems[0]
    if baseline not in counted.systems:
        raise UsageError(
            f"there is no system {baseline!r} to be the baseline, only {', '.join(counted.systems)}"
        )
    return baseline


def check_equivalence(limit: float, testing: Testing) -> Testing:
    """Returns the settings of the bounds for a positive limit and a confidence above 0.5."""
    if not (math.isfinite(limit) and limit > 0):
        raise UsageError(f"equivalent_within must be a number above 0, not {limit:g}")
    return testing.one_sided()


def _find_equivalent(
    counted: Counted, differences: Sequence[Difference], testing: Testing, limit: float
) -> Iterator[Difference]:
    """Yields the differences with whether each is within a limit, by two one-sided tests.

    A difference is within the limit where its lower and its upper one-sided bound, each at the
    confidence of the testing, both are. The bounds are those of a gate.

    Source: Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15.
    """
    wide = check_equivalence(limit, testing)
    pairs = [*dict.fromkeys((one.a, one.b) for one in differences)]
    at = {pair: place for place, pair in enumerate(pairs)}
    bounds = compare_pairs(counted, wide, pairs=pairs)
    places = {group: row for row, group in enumerate(counted.rows)}
    metrics = {repr(metric): metric for metric in counted.metrics}
    for one in differences:
        outcome, place = bounds[metrics[one.metric]], (at[one.a, one.b], places[one.group])
        low, high = outcome.low[place].item(), outcome.high[place].item()
        within = None if math.isnan(low + high) else -limit <= low and high <= limit
        yield replace(one, equivalent=within, equivalent_within=limit)

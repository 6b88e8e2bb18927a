"""What metrics of spans share: their options, and sums of types brought to one number."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tallystick.errors import UsageError
from tallystick.examples.labels import Label
from tallystick.metrics.averages import Ratio, check_labels, check_zero_division, divide, weigh
from tallystick.metrics.metric import Values, check_number, check_option, show
from tallystick.settings import freeze_lists
from tallystick.tallies.span_matches import MATCHES
from tallystick.tallies.spans import SpanCounts, SpanMatches
from tallystick.tallies.sums import Sums

Severities = tuple[tuple[str, float], ...]


def check_spans(metric: Any) -> None:
    """Raises a UsageError unless the metric's options have values that they may have."""
    check_option("average", metric.average, ("micro", "macro", "weighted", None))
    check_option("match", metric.match, MATCHES)
    check_labels(metric)
    check_number("other_type", metric.other_type, 0, 1)
    check_zero_division(metric.zero_division)
    if metric.other_type and metric.match != "character":
        raise UsageError("other_type is what a character is worth: it goes with match='character'")
    freeze_lists(metric, "severities")
    _check_severities(metric.severities)


def _check_severities(severities: object) -> None:
    if severities is None:
        return
    pairs = severities if isinstance(severities, tuple) and severities else (None,)
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
            raise UsageError(
                "severities is a tuple of types and what they weigh, such as "
                f"(('minor', 1), ('major', 5)), not {show(severities)}"
            )
        check_number(f"the weight of {pair[0]}", pair[1], 0)


def name_matches(short: str) -> dict[str, dict[str, object]]:
    """The names of a metric with a match that is not strict, such as `partial_span_f1`."""
    return {f"{match}_{short}": {"match": match} for match in MATCHES[1:]}


def name_spans(metric: Any) -> str:
    """The name of a metric, with its average and its match: `micro_partial_span_f1`."""
    match = () if metric.match == "strict" else (metric.match,)
    average = () if metric.average is None else (metric.average,)
    return "_".join([*average, *match, metric.short])


def count_spans(metric: Any) -> SpanMatches:
    """The counter that a metric's options configure."""
    return SpanMatches(metric.match, metric.other_type)


def average_spans(metric: Any, tally: Sums, ratio: Callable[[SpanCounts], Ratio]) -> Values:
    """The score of a metric with the options of `check_spans`.

    With `labels=None`, types that a group has neither in gold nor in outputs have no part in its
    averages, as in seqeval.
    """
    counts = SpanCounts.of(tally)
    if metric.labels is not None:
        counts = counts.pick(metric.labels)
    if metric.severities is not None:
        counts = counts.weigh(_list_weights(counts.labels, dict(metric.severities)))
    if metric.average == "micro":
        return divide(ratio(counts.pool()), metric.zero_division)[..., 0]
    values = divide(ratio(counts), metric.zero_division)
    if metric.labels is None:
        values = np.where(counts.used, values, np.nan)
    if metric.average is None:
        return values
    return weigh(values, counts.gold if metric.average == "weighted" else np.ones_like(values))


def _list_weights(labels: tuple[Label, ...], weights: dict[Label, float]) -> Values:
    unknown = next((label for label in labels if label not in weights), None)
    if unknown is not None:
        raise UsageError(
            f"severities has no weight for {unknown!r}: it names {', '.join(map(str, weights))}"
        )
    return np.array([weights[label] for label in labels], np.float64)

"""The sheet of scores against a judge that human labels correct."""

import math

import numpy as np

from tallystick.errors import Danger
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import Correction, Score
from tallystick.output.results.scores import Lead, find_lead
from tallystick.scoring.corrections.corrected import Corrected, Estimate, Influence, Row
from tallystick.scoring.counted import Counted
from tallystick.scoring.data_warnings import list_notes
from tallystick.statistics.influence import Scatter, bound_score
from tallystick.statistics.settings import Intervals

_FEW = 30
"""Intervals from fewer human labels are rough."""

_FEW_TELLING = 10
"""So are those from fewer human labels of what a score is about, such as a rare label."""


def score_corrected(
    counted: Counted,
    corrected: Corrected,
    settings: Intervals | None,
    lead: Lead | None,
) -> Evaluation:
    """Scores systems against a judge that human labels correct."""
    found = [
        (corrected.estimate(metric, system, row), metric, system, row)
        for system in counted.systems
        for row in counted.rows
        for metric in counted.metrics
    ]
    scores = tuple(_write(counted, *one, settings) for one in found)
    corrections = tuple(
        _compare(own[0], score, settings) for own, score in zip(found, scores, strict=True)
    )
    rough = (_warn(own[0], one) for own, one in zip(found, corrections, strict=True))
    worth = (_tell_worth(one) for one in corrections)
    notes = [*list_notes(counted), *(note for note in (*rough, *worth) if note is not None)]
    return Evaluation(
        scores,
        lead or find_lead(scores, counted.heading or "group"),
        notes=tuple(notes),
        title=counted.title,
        corrections=corrections,
    )


def _write(
    counted: Counted,
    found: Estimate,
    metric: Metric,
    system: str,
    row: Row,
    settings: Intervals | None,
) -> Score:
    low, high = _bound(found, found.value, found.influence, settings)
    how = "at the effective size of Wilson's interval" if found.share_like else "on Student's t"
    known = settings is not None and not math.isnan(low)
    facts = f"{counted.describe(metric, system)}|human_labels:{found.labels}"
    return Score(
        system,
        row,
        None,
        repr(metric),
        metric.name,
        metric.full_title,
        found.value,
        counted.size(row, metric),
        f"{metric.signature}|{facts}|judge_weight:{found.weight:.6g}",
        None,
        low,
        high,
        settings.confidence if settings is not None and known else None,
        f"PPI++ {how}" if known else None,
        counted.count_invalid(system, row),
        better=metric.better,
        left_out=counted.count_left_out(row),
    )


def _compare(found: Estimate, score: Score, settings: Intervals | None) -> Correction:
    return Correction(
        score.system,
        score.group,
        score.metric,
        score.name,
        score.value,
        score.low,
        score.high,
        found.people,
        *_bound(found, found.people, found.alone, settings),
        found.judge,
        score.n,
        found.labels,
        found.weight,
        *_measure_worth(found, score.n),
    )


def _bound(
    found: Estimate, value: float, influence: Influence, settings: Intervals | None
) -> tuple[float, float]:
    """The interval around a value: Wilson's at the effective size, else on the scale of its limits.

    Source: Dean and Pagano 2015, Journal of Survey Statistics and Methodology 3.
    """
    variance = influence.variance
    if settings is None or math.isnan(variance) or math.isnan(value):
        return math.nan, math.nan
    none = np.zeros(1)
    seen, freedom, trials = (np.array([one]) for one in (variance, found.freedom, found.trials))
    scatter = Scatter(seen, freedom, trials, none, none + np.inf, none)
    correlated = found.limits == (-1, 1) and not found.share_like
    ends = bound_score(
        np.array([value]),
        scatter,
        found.limits,
        "correlation" if correlated else "score",
        settings.confidence,
    )
    low, high = (float(end[0]) for end in ends)
    return min(low, value), max(high, value)


def _measure_worth(found: Estimate, n: int) -> tuple[float, int | None]:
    """How many human labels alone are worth as much, and how many more would halve the interval."""
    seen, alone = found.influence.seen, found.alone.seen
    if found.paired is None or not seen > 0:
        return math.nan, None
    own = min(found.paired.vary_by_labels(found.share), seen)
    wanted = seen / 4 - (seen - own)
    more = found.labels * (own / wanted - 1) if wanted > 0 else math.inf
    known = found.labels + more <= n
    return found.labels * alone / seen, math.ceil(more) if known else None


def _warn(found: Estimate, one: Correction) -> str | None:
    """Warns of a score that rests on few human labels, such as those of a rare label."""
    telling = min(found.labels, math.ceil(found.freedom + 1)) if found.labels > 1 else found.labels
    if one.group == "macro" or (found.labels >= _FEW and telling >= _FEW_TELLING):
        return None
    return Danger(
        f"{_name(one)} rests on {found.labels} human labels, but only about {telling} of them are "
        "informative: its interval is rough."
    )


def _tell_worth(one: Correction) -> str | None:
    """Tells what the human labels of all examples are worth, and how many more are needed."""
    if one.group not in (None, "micro") or math.isnan(one.worth):
        return None
    more = one.labels_to_halve
    needed = (
        "even human labels of all these examples would not halve its interval"
        if more is None
        else f"about {more:,} more would halve its interval"
    )
    return (
        f"{_name(one)}: {one.labels:,} human labels and the judge are worth {one.worth:,.0f} human "
        f"labels; {needed}."
    )


def _name(one: Correction) -> str:
    where = {None: "", "micro": " over all groups"}.get(one.group, f" in {one.group}")
    return f"{one.name} of {one.system}{where}"

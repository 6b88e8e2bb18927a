"""From a meeting to places: paired tests and draws of every metric on every row."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.curves import CurveContest
from tallystick.comparison.meetings import Meeting
from tallystick.comparison.places import Race
from tallystick.comparison.settings import Testing
from tallystick.comparison.verdicts import Field, Outcome, assess
from tallystick.metrics.metric import Metric
from tallystick.results import Difference, Score
from tallystick.tallies.draws import open_streams

__all__ = ["bound", "compare_pairs", "draw_scores", "list_races", "list_scores"]

Draws = NDArray[np.float64]
"""The draws of one metric, of shape (systems, draws, rows)."""


def draw_scores(
    meeting: Meeting, outcomes: dict[Metric, Outcome], testing: Testing
) -> dict[Metric, Draws]:
    """The paired draws of every metric's scores, on the very examples that intervals rest on."""
    drawn: dict[Metric, Draws] = {}
    for contest in meeting.contests:
        areas = tuple(m for m in contest.metrics if outcomes[m].test == "delong")
        others = tuple(m for m in contest.metrics if m not in areas)
        if others:
            found = contest.narrow(others).resample(testing.count, testing.seed)
            drawn |= dict(zip(others, found, strict=True))
        if areas and isinstance(contest, CurveContest):
            drawn |= dict.fromkeys(areas, _draw_areas(contest, testing))
    return drawn


def _draw_areas(contest: CurveContest, testing: Testing) -> Draws:
    """Areas under ROC curves, drawn from the normal distribution that DeLong's test assumes."""
    (generator,) = open_streams(testing.seed, ["all"])
    rows = [
        np.full((testing.count, len(areas)), np.nan)
        if np.isnan(covariance).any()
        else generator.multivariate_normal(areas, covariance, testing.count, method="eigh")
        for areas, covariance in contest.find_areas()
    ]
    if contest.grouped:
        known = [row for row in rows[:-1] if not np.isnan(row).any()]
        rows.insert(-1, np.mean(known, axis=0) if known else rows[0])
    return np.stack(rows).transpose(2, 1, 0)


def bound(draws: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """The percentile interval of draws of shape (draws, ...), of shape (2, ...)."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        return np.nanquantile(draws, ((1 - level) / 2, (1 + level) / 2), axis=0)


def compare_pairs(
    meeting: Meeting, outcomes: dict[Metric, Outcome], testing: Testing
) -> dict[Metric, list[Difference]]:
    """All differences by each metric, corrected by Holm over the pairs of each row."""
    return {
        metric: assess({metric: outcomes[metric]}, meeting.field, testing)
        for metric in meeting.metrics
    }


def list_races(
    meeting: Meeting,
    outcomes: dict[Metric, Outcome],
    differences: dict[Metric, list[Difference]],
    testing: Testing,
) -> list[Race]:
    """The race by every metric on every row, row by row."""
    drawn = draw_scores(meeting, outcomes, testing)
    field, races = meeting.field, []
    for row, group in enumerate(field.rows):
        for metric in meeting.metrics:
            draws = drawn[metric][:, :, row].T
            scores = list_scores(metric, outcomes[metric], field, row)
            found = [one for one in differences[metric] if one.group == group]
            beats = _find_beats(found, field, testing.level)
            bounds = bound(draws, testing.level).T
            races.append(Race(metric, scores, bounds, draws, beats, testing.level))
    return races


def list_scores(metric: Metric, outcome: Outcome, field: Field, row: int) -> tuple[Score, ...]:
    """The score of each system by a metric on a row."""
    return tuple(
        Score(
            system,
            field.rows[row],
            None,
            repr(metric),
            metric.name,
            value,
            field.sizes[row],
            f"{metric!r}|{field.facts}",
        )
        for system, value in zip(field.systems, outcome.values[:, row].tolist(), strict=True)
    )


def _find_beats(differences: Sequence[Difference], field: Field, level: float) -> NDArray[np.bool_]:
    """Whether each system is significantly better than each other one."""
    beats = np.zeros((len(field.systems),) * 2, bool)
    for one, (a, b) in zip(differences, field.pairs, strict=True):
        if one.p_holm < 1 - level and one.difference:
            a_wins = (one.difference > 0) == (one.better == "higher")
            beats[(a, b) if a_wins else (b, a)] = True
    return beats

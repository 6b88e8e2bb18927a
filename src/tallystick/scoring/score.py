"""Scores systems: every metric on every row, with intervals and what a reader must know."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Unpack

from msgspec.structs import replace

from tallystick.kinds.metrics.names import Metrics
from tallystick.kinds.tries import TRIES
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import Score
from tallystick.output.results.scores import Lead, find_lead
from tallystick.output.tables.document import Deferred
from tallystick.reading.input_plan import Layout, Source
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count_input
from tallystick.scoring.error_analysis import gather, list_matrices
from tallystick.scoring.intervals.smooth import measure_spreads
from tallystick.scoring.notes.cautions import (
    list_notes,
    note_classes,
    note_gaps,
    note_rounding,
    note_sizes,
)
from tallystick.scoring.notes.warnings import Found, find_doubts, list_warnings
from tallystick.scoring.notes.zeros import Zero, explain_zeros, find_zeros, note_undefined
from tallystick.scoring.per_example import list_flaky, note_flaky, score_segments
from tallystick.scoring.sheet import Sheet, add_effective_sizes, fill_sheet
from tallystick.statistics.settings import Intervals, settle

if TYPE_CHECKING:
    from tallystick.model.tallies.cells import Cells
    from tallystick.model.tallies.curve import CurveTally
    from tallystick.scoring.prevalence import Prevalence


_LARGEST = 2000
"""A confusion matrix of more labels is not made: nobody could read it, and few could hold it."""


def score(
    gold: object = None,
    /,
    outputs: object = None,
    metrics: Metrics = None,
    *,
    prevalence: "Prevalence | None" = None,
    intervals: Intervals | bool = True,
    segments: bool = False,
    **layout: Unpack[Layout],
) -> Evaluation:
    """Scores the outputs of one or more systems against gold.

    Args:
        gold: A column of labels or texts (list, numpy array, Arrow array, pandas or polars series);
            for a multilabel task lists of labels or a 0/1 matrix; for texts per example a string,
            or a list of strings in which None is a missing reference; a table with named columns;
            or the path of a file.
        outputs: A column like `gold`; a column of floats, read as probabilities of the positive
            label unless they are whole numbers that are labels (a note says so), or a matrix of
            floats, one column per label; a `Predictions`; a table; or a dictionary of several
            systems by name. The path of a file, or a list or dictionary of paths, where `gold` is
            one. None where `gold` is a table that holds all.
        metrics: What to compute, such as `"f1"`, `"bleu"` or `F1("macro")`, of any kinds together;
            None takes the usual set.
        prevalence: The share of examples that are to have a gold label, such as
            `{"toxic": 0.02}`: scores and intervals are then those of that mix of labels.
        intervals: How intervals are made, an `Intervals`; False leaves them out.
        segments: Whether to score every example on its own instead, which metrics of texts can.
        layout: How the data is laid out, as in `tallystick.read`.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric or an option does not exist or does not fit.
    """
    counted = count_input(Source.of(gold, outputs), layout, metrics)
    if prevalence:
        from tallystick.scoring.prevalence import reweigh

        counted = reweigh(counted, prevalence)
    if segments:
        return score_segments(counted)
    return score_counted(counted, settle(intervals))


def score_counted(
    counted: Counted, settings: Intervals | None, *, lead: Lead | None = None
) -> Evaluation:
    """Scores systems that were counted, without intervals where settings are None."""
    if counted.apart is not None:
        from tallystick.scoring.apart import score_apart

        score = partial(score_counted, settings=settings, lead=lead)
        return score_apart(counted, counted.apart, score)
    if counted.corrected is not None:
        from tallystick.scoring.corrections.corrected_scores import score_corrected

        return score_corrected(counted, counted.corrected, settings, lead)
    scores: list[Score] = []
    tallies: dict[str, CurveTally] = {}
    notes, zeros = [*list_notes(counted), *note_classes(counted)], list[Zero]()
    doubts = list[Found]()
    for system in counted.systems:
        sheet = fill_sheet(counted, system, counted.scorable(system))
        if settings is not None:
            strata = bool(counted.prevalence)
            spreads = measure_spreads(sheet.observed, settings, strata=strata)
            sheet = replace(sheet, spreads=spreads, confidence=settings.confidence)
        own = sheet.score()
        zeros += find_zeros(system, sheet.observed)
        notes += [*note_gaps(own), *note_undefined(system, sheet.observed)]
        doubts += find_doubts(system, sheet.observed, sheet.spreads)
        # How many examples there are is said once, and not of every system.
        told = bool(scores or counted.prevalence)
        notes += [] if told else note_sizes(counted, sheet.observed, sheet.spreads, own)
        scores += own
        tallies |= _find_probabilities(sheet)
    scores = add_effective_sizes(counted, scores)
    notes += list_warnings(counted, doubts) if settings is not None else []
    notes += [*note_rounding(counted), *note_flaky(counted), *explain_zeros(zeros)]
    found: dict[str, Deferred[object]] = {
        "curves": Deferred(partial(_list_points, "list_curves", counted, tallies, settings)),
        "lengths": Deferred(partial(_list_points, "list_lengths", counted)),
    }
    if any(getattr(counter, "selective", False) for counter in counted.tallies):
        found["risks"] = Deferred(partial(_list_points, "list_risks", counted))
    if (outcomes := _find_outcomes(counted)) is not None:
        found["wins"] = Deferred(partial(_list_points, "list_wins", outcomes))
    if counted.find_tally(TRIES):
        found["flaky"] = Deferred(partial(list_flaky, counted))
    return Evaluation(
        tuple(scores),
        lead or find_lead(scores, counted.heading or "group"),
        list_matrices(counted, _LARGEST),
        tuple(notes),
        found,
        partial(gather, counted),
        counted.title,
    )


def _find_probabilities(sheet: Sheet) -> "dict[str, CurveTally]":
    """The tally of a system's probabilities by its name, where one of its metrics reads them."""
    for one in sheet.observed.values():
        if one is not None and one.whole.tally.scored_labels():
            return {sheet.system: one.whole.tally}  # type: ignore[dict-item]
    return {}


def _list_points(name: str, *given: object) -> Iterable[object]:
    """What only figures, reports and JSON show; its code is loaded when they ask for it."""
    from tallystick.scoring import points

    found: Iterable[object] = getattr(points, name)(*given)
    return found


def _find_outcomes(counted: Counted) -> "Cells | None":
    """The tally of who won against whom, where a metric reads it."""
    found = (one for own, one in counted.tallies.items() if own.kind.name == "preferences")
    return next((one.patterns for one in found if one.patterns is not None), None)

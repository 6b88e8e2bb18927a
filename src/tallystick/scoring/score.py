"""Scores systems: every metric on every row, with intervals; also run by run."""

import os
import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Unpack

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError, short_traceback
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.labels import LABELS
from tallystick.kinds.metrics.names import Metrics, name_metrics
from tallystick.kinds.metrics.requirements import list_usual
from tallystick.kinds.tries import TRIES
from tallystick.model.codes import Labels
from tallystick.model.columns import KNOWN, Columns
from tallystick.model.facts import Task
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import Score
from tallystick.output.results.scores import Lead, find_lead
from tallystick.output.tables.document import Deferred
from tallystick.output.tables.formats import make_folder, write_csv
from tallystick.reading.input_plan import Layout, Source
from tallystick.reading.tables import Outputs, read_systems
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count, count_input
from tallystick.scoring.data_warnings import (
    list_notes,
    note_classes,
    note_gaps,
    note_rounding,
    note_sizes,
)
from tallystick.scoring.error_analysis import gather, list_matrices
from tallystick.scoring.interval_warnings import (
    Found,
    Zero,
    explain_zeros,
    find_doubts,
    find_zeros,
    list_warnings,
    note_undefined,
)
from tallystick.scoring.intervals import measure_spreads
from tallystick.scoring.per_example import list_flaky, note_flaky, score_segments
from tallystick.scoring.prevalence import Prevalence, reweigh
from tallystick.scoring.score_table import Sheet, add_effective_sizes, fill_sheet
from tallystick.statistics.settings import Intervals, settle

if TYPE_CHECKING:
    from tallystick.model.tallies.cells import Cells
    from tallystick.model.tallies.curve import CurveTally
    from tallystick.scoring.prevalence import Prevalence


_LARGEST = 2000
"""A confusion matrix of more labels is not made: nobody could read it, and few could hold it."""


@short_traceback
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
            or the path of a file, such as of a log, or a list of paths of logs.
        outputs: A column like `gold`; a column of floats, read as probabilities of the positive
            label unless they are whole numbers that are labels (a note says so), or a matrix of
            floats, one column per label; a `Predictions`; a table; or a dictionary of several
            systems by name. The path of a file, or a list or dictionary of paths, where `gold` is
            one. None where `gold` is a table that contains all.
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
    scored, names = score_counted(counted, settle(intervals)), name_metrics(metrics) or []
    if len(names) != len(counted.metrics):
        return scored
    pairs = zip(names, map(repr, counted.metrics), strict=True)
    return replace(scored, asked={name: full for name, full in pairs if isinstance(name, str)})


def score_counted(
    counted: Counted, settings: Intervals | None, *, lead: Lead | None = None
) -> Evaluation:
    """Scores systems that were counted, without intervals where settings are None."""
    if counted.apart is not None:
        from tallystick.scoring.per_system_coverage import score_apart

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
        text = bool(scores or counted.prevalence)
        notes += [] if text else note_sizes(counted, sheet.observed, sheet.spreads, own)
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
        if one is not None and hasattr(one.whole.tally, "columns"):
            return {sheet.system: one.whole.tally}  # type: ignore[dict-item]
    return {}


def _list_points(name: str, *given: object) -> Iterable[object]:
    """What only figures, reports and JSON show; its code is loaded when they ask for it."""
    from tallystick.scoring import curve_data

    found: Iterable[object] = getattr(curve_data, name)(*given)
    return found


def _find_outcomes(counted: Counted) -> "Cells | None":
    """The tally of who won against whom, where a metric reads it."""
    found = (one for own, one in counted.tallies.items() if own.kind.name == "preferences")
    return next((one.patterns for one in found if one.patterns is not None), None)


_SEED = 0
# Beside the predictions lie the scores and the errors that were written from them.
_LANGUAGE = r"(?P<language>(?!metrics[._]|errors_).+?)"
_LEAD = (("language", "group"), ("n_samples", "n"))


class Run(Struct, frozen=True):
    """The prediction files of one run, or of several runs on the same examples.

    Attributes:
        tags: What the runs are called.
        tables: Each language's file of the first run.
        examples: Each language's examples, with the predictions of all runs.
    """

    tags: tuple[str, ...]
    tables: dict[str, Table]
    examples: dict[str, Systems]

    def count(self, metrics: Metrics = None) -> Counted:
        """All languages counted, each as a group."""
        blocks = (
            replace(part, groups=Labels(np.zeros(len(part), np.uint8), (language,)))
            for language, part in self.examples.items()
        )
        return count(blocks, metrics, heading="language", usual=list_usual("run"), keep=True)

    def score(
        self,
        metrics: Metrics = None,
        intervals: Intervals | bool = True,
        prevalence: Prevalence | None = None,
    ) -> Evaluation:
        """A row per language, their mean (macro), and all languages together (micro)."""
        lead = _LEAD if len(self.tags) == 1 else (("system", "system"), *_LEAD)
        counted = self.count(metrics)
        if prevalence:
            counted = reweigh(counted, prevalence)
        return score_counted(counted, settle(intervals), lead=lead)

    def write_errors(self, folder: str, *, most: int = 50) -> dict[str, tuple[str, int, int]]:
        """Writes `TAG_errors_LANGUAGE.csv`: all columns of each false positive and false negative.

        False positives come first. Where there are more than `most` of a kind, a seeded sample of
        that size represents them. A language without errors gets no file.

        Returns:
            For each language with errors: the path, and how many of each kind were written.
        """
        if most < 0:
            raise UsageError(f"at most {most} errors of a kind cannot be written; name 0 or more")
        written = {}
        for language, part in self.examples.items():
            kinds = _find_errors(part, most)
            if sum(map(len, kinds)) == 0:
                continue
            make_folder(folder)
            path = os.path.join(folder, f"{self.tags[0]}_errors_{language}.csv")
            rows = np.concatenate(kinds)
            names = ["FP"] * len(kinds[0]) + ["FN"] * len(kinds[1])
            write_csv(path, self.tables[language].columns.take(rows), {"error_type": names})
            written[language] = (path, len(kinds[0]), len(kinds[1]))
        return written


def find_predictions(folder: str, tag: str) -> dict[str, str]:
    """The path of each `TAG_LANGUAGE.csv` or `.csv.gz` in a folder by language, sorted."""
    names = _list_files(folder)
    pattern = re.compile(rf"{re.escape(tag)}_{_LANGUAGE}\.csv(\.gz)?")
    found: dict[str, str] = {}
    for match in filter(None, map(pattern.fullmatch, names)):
        language = match["language"]
        if language in found:
            raise InputError(f"{folder}: contains language {language!r} twice, as .csv and .csv.gz")
        found[language] = os.path.join(folder, match.string)
    if not found:
        there = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise InputError(f"{folder}: no file is named {tag}_LANGUAGE.csv, only: {there or 'none'}")
    return dict(sorted(found.items()))


def _list_files(folder: str) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError as error:
        raise InputError(f"{folder}: cannot be listed: {error.strerror}") from error


@short_traceback
def open_run(
    pred_dir: str,
    run_tag: str | Sequence[str],
    *,
    languages: Sequence[str] | None = None,
    columns: Columns | None = None,
    task: Task | None = None,
    whole: bool = False,
) -> Run:
    """Reads the prediction files of a run, or of several runs, as `score_run` says.

    All columns are kept where the `whole` is asked for, as `Run.write_errors` needs.

    Raises:
        InputError: A file is missing, or something is wrong in it.
    """
    tags = (run_tag,) if isinstance(run_tag, str) else tuple(run_tag)
    twice = next((tag for tag in tags if tags.count(tag) > 1), None)
    if twice is not None:
        raise UsageError(f"the run {twice} is named twice")
    if languages:
        paths = {language: _path(pred_dir, tags[0], language) for language in languages}
    else:
        paths = find_predictions(pred_dir, tags[0])
    asked, named = replace(task or Task(), kind="binary"), columns or Columns()
    only = None if whole or named.where else (*KNOWN, *named.named())
    tables = {
        language: read_table(path, format="csv", only=only) for language, path in paths.items()
    }
    reading = Reading(named, asked, (LABELS,))
    examples = {
        language: read_systems(table, _enter(pred_dir, tags, language, only), reading)
        for language, table in tables.items()
    }
    return Run(tags, tables, examples)


def _enter(
    folder: str, tags: Sequence[str], language: str, only: Sequence[str] | None
) -> dict[str, Outputs]:
    """Where the predictions of each run on a language stand; the first run has the gold."""
    first, *others = tags
    paths = {tag: _path(folder, tag, language) for tag in others}
    read = {tag: partial(read_table, path, format="csv", only=only) for tag, path in paths.items()}
    return {first: None, **read}


@short_traceback
def score_run(
    pred_dir: str,
    run_tag: str | Sequence[str],
    *,
    languages: Sequence[str] | None = None,
    metrics: Metrics = None,
    task: Task | None = None,
    intervals: Intervals | bool = True,
) -> Evaluation:
    """Scores a run of one prediction file per language.

    Args:
        pred_dir: The folder the files are in.
        run_tag: What their names begin with: `TAG_LANGUAGE.csv`; or several, to compare runs.
        languages: Which to score, in this order; None takes all that are there.
        metrics: What to compute; None takes the columns of a toxicity run.
        task: The positive label or the threshold, where they are not the usual ones.
        intervals: How intervals are made, an `Intervals`; False leaves them out.
    """
    return open_run(pred_dir, run_tag, languages=languages, task=task).score(metrics, intervals)


def _path(folder: str, tag: str, language: str) -> str:
    plain = os.path.join(folder, f"{tag}_{language}.csv")
    return plain + ".gz" if os.path.exists(plain + ".gz") and not os.path.exists(plain) else plain


def _find_errors(systems: Systems, most: int) -> list[np.ndarray]:
    """The rows of false positives and of false negatives, at most this many of each."""
    column = LABELS.of(systems)
    gold, predicted = column.gold, column.outputs[0].labels
    if not (isinstance(gold, Labels) and isinstance(predicted, Labels)):
        raise InputError("errors are found for single labels only")
    kinds = ((gold.codes == 0) & (predicted.codes == 1), (gold.codes == 1) & (predicted.codes == 0))
    return [_sample(np.flatnonzero(kind), most) for kind in kinds]


def _sample(rows: np.ndarray, most: int) -> np.ndarray:
    """At most so many rows; the ones that pandas' `sample(most, random_state=0)` takes."""
    if len(rows) <= most:
        return rows
    return rows[np.random.RandomState(_SEED).choice(len(rows), size=most, replace=False)]

"""Runs: one prediction file per language, `DIR/TAG_LANGUAGE.csv`, gold and predictions in each."""

import os
import re
from collections.abc import Sequence
from functools import partial

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.labels import LABELS
from tallystick.kinds.metrics.names import Metrics
from tallystick.kinds.metrics.requirements import list_usual
from tallystick.model.codes import Labels
from tallystick.model.columns import KNOWN, Columns
from tallystick.model.facts import Task
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.tables.formats import make_folder, write_csv
from tallystick.reading.tables import Outputs, read_systems
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count
from tallystick.scoring.prevalence import Prevalence, reweigh
from tallystick.scoring.score import score_counted
from tallystick.statistics.settings import Intervals, settle

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
        that size stands for them. A language without errors gets no file.

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
    """Returns the path of every `TAG_LANGUAGE.csv` or `.csv.gz` in a folder by its language.

    The scores and errors that are written beside them, `TAG_metrics.csv` and `TAG_errors_*.csv`,
    are left out. The languages are sorted.
    """
    names = _list_files(folder)
    pattern = re.compile(rf"{re.escape(tag)}_{_LANGUAGE}\.csv(\.gz)?")
    found: dict[str, str] = {}
    for match in filter(None, map(pattern.fullmatch, names)):
        language = match["language"]
        if language in found:
            raise InputError(f"{folder}: holds language {language!r} twice, as .csv and .csv.gz")
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
    """The rows of false positives and of false negatives, at most so many of each."""
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

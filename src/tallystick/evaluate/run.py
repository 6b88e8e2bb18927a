"""A run: one prediction file per language, `DIR/TAG_LANGUAGE.csv`, gold and predictions in each."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tallystick.errors import InputError, UsageError
from tallystick.evaluate.scoring import assemble, choose
from tallystick.evaluate.system import System
from tallystick.examples.columns import KNOWN, Columns
from tallystick.examples.examples import Examples
from tallystick.examples.labels import Labels
from tallystick.examples.tables import read_examples
from tallystick.examples.task import Task
from tallystick.intervals.settings import Intervals, settle
from tallystick.io.export import make_folder, write_csv
from tallystick.io.runs import find_predictions
from tallystick.io.tables import Table, read_table
from tallystick.metrics.metric import Metric
from tallystick.metrics.usual import RUN
from tallystick.results.evaluation import Evaluation

__all__ = ["Run", "open_run", "score_run"]

_SEED = 0


@dataclass(frozen=True, slots=True)
class Run:
    """The prediction files of one run.

    Attributes:
        tag: What the run is called.
        tables: Each language's file.
        examples: The same as examples.
        task: The task, settled; its threshold is None where the languages have different ones.
        asked: The task as it was asked for.
    """

    tag: str
    tables: dict[str, Table]
    examples: dict[str, Examples]
    task: Task
    asked: Task

    def score(
        self, metrics: Sequence[Metric | str] | None = None, intervals: Intervals | bool = True
    ) -> Evaluation:
        """A row per language, their mean (macro), and all languages together (micro)."""
        parts = [
            replace(part, groups=Labels(np.zeros(len(part), np.uint8), (language,)))
            for language, part in self.examples.items()
        ]
        system = System(self.tag, tuple(parts), self.task, self.asked)
        chosen = RUN if metrics is None else choose(metrics, system)
        lead = (("language", "group"), ("n_samples", "n"))
        return assemble([(system, chosen)], lead, settle(intervals))

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
            path = os.path.join(folder, f"{self.tag}_errors_{language}.csv")
            rows = np.concatenate(kinds)
            names = ["FP"] * len(kinds[0]) + ["FN"] * len(kinds[1])
            write_csv(path, self.tables[language].columns.take(rows), {"error_type": names})
            written[language] = (path, len(kinds[0]), len(kinds[1]))
        return written


def open_run(
    pred_dir: str,
    run_tag: str,
    *,
    languages: Sequence[str] | None = None,
    columns: Columns | None = None,
    task: Task | None = None,
    whole: bool = False,
) -> Run:
    """Reads a run's prediction files.

    Args:
        pred_dir: The folder they are in.
        run_tag: What their names begin with.
        languages: Which to read, in this order; None takes all that are there.
        columns: Which column holds what, where their names do not tell.
        task: The positive label or the threshold, where they are not the usual ones.
        whole: Whether to keep all columns, as `Run.write_errors` needs.

    Raises:
        InputError: A file is missing, or something is wrong in it.
    """
    if languages:
        paths = {language: _path(pred_dir, run_tag, language) for language in languages}
    else:
        paths = find_predictions(pred_dir, run_tag)
    asked, named = replace(task or Task(), kind="binary"), columns or Columns()
    only = None if whole else (*KNOWN, *named.named())
    tables = {language: read_table(path, kind="csv", only=only) for language, path in paths.items()}
    read = {name: read_examples(table, None, named, asked) for name, table in tables.items()}
    examples = {language: part for language, (part, _) in read.items()}
    return Run(run_tag, tables, examples, _merge([task for _, task in read.values()]), asked)


def score_run(
    pred_dir: str,
    run_tag: str,
    *,
    languages: Sequence[str] | None = None,
    metrics: Sequence[Metric | str] | None = None,
    task: Task | None = None,
    intervals: Intervals | bool = True,
) -> Evaluation:
    """Scores a run of one prediction file per language.

    Args:
        pred_dir: The folder the files are in.
        run_tag: What their names begin with: `TAG_LANGUAGE.csv`.
        languages: Which to score, in this order; None takes all that are there.
        metrics: What to compute; None takes the columns of a toxicity run.
        task: The positive label or the threshold, where they are not the usual ones.
        intervals: How intervals are made, an `Intervals`; False leaves them out.
    """
    return open_run(pred_dir, run_tag, languages=languages, task=task).score(metrics, intervals)


def _merge(tasks: Sequence[Task]) -> Task:
    """The task that all languages have in common."""
    same = len({task.threshold for task in tasks}) == 1
    return tasks[0] if same else replace(tasks[0], threshold=None)


def _path(folder: str, tag: str, language: str) -> str:
    plain = os.path.join(folder, f"{tag}_{language}.csv")
    return plain + ".gz" if os.path.exists(plain + ".gz") and not os.path.exists(plain) else plain


def _find_errors(examples: Examples, most: int) -> list[np.ndarray]:
    """The rows of false positives and of false negatives, at most so many of each."""
    gold, predicted = examples.gold, examples.predicted
    if not (isinstance(gold, Labels) and isinstance(predicted, Labels)):
        raise InputError("errors are found for single labels only")
    kinds = ((gold.codes == 0) & (predicted.codes == 1), (gold.codes == 1) & (predicted.codes == 0))
    return [_sample(np.flatnonzero(kind), most) for kind in kinds]


def _sample(rows: np.ndarray, most: int) -> np.ndarray:
    """At most so many rows; the ones that pandas' `sample(most, random_state=0)` takes."""
    if len(rows) <= most:
        return rows
    return rows[np.random.RandomState(_SEED).choice(len(rows), size=most, replace=False)]

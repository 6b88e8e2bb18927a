"""Chooses the threshold of a run, and writes its predictions: one file per language, when done."""

import os
from collections.abc import Callable, Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.baselines.splits import Split
from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.frozen import dataclass
from tallystick.io.files.outputs import collect_outputs
from tallystick.kinds.labels.label_columns import LabelColumn, Output
from tallystick.kinds.labels.rates import F1
from tallystick.kinds.probabilities.best_thresholds import find_best_of_grid
from tallystick.kinds.probabilities.score_counter import Curve
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.output.tables.data_formats import make_folder, write_csv

Watch = Callable[[str, float], None]
"""A callback for progress: takes what is being done, and the fraction that is done."""


def ignore(doing: str, share: float) -> None:
    """Ignores progress, for callers that do not show it."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """The result of one language.

    Attributes:
        path: The prediction file.
        n: How many examples it holds.
        threshold: From this probability on the positive label is predicted.
        notes: What readers of its scores should know.
    """

    path: str
    n: int
    threshold: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """Where a run is written: `FOLDER/TAG_LANGUAGE.csv`."""

    folder: str
    run_tag: str

    def path(self, language: str, ending: str = "csv") -> str:
        """The file of a language."""
        return os.path.join(self.folder, f"{self.run_tag}_{language}.{ending}")

    def write(
        self,
        split: Split,
        probabilities: NDArray[np.float64],
        threshold: float,
        notes: Iterable[str] = (),
    ) -> Predicted:
        """Writes the columns id, y_true, y_prob, y_pred and best_threshold."""
        check_given(split, probabilities)
        predicted = (probabilities >= threshold).astype(int)
        columns = {
            "id": list(split.ids),
            "y_true": [split.gold.names[code] for code in split.gold.codes],
            "y_prob": probabilities,
            "y_pred": [split.pair[code] for code in predicted],
            "best_threshold": np.full(len(split), threshold),
        }
        path = self.path(split.language)
        make_folder(self.folder)
        write_csv(path, pa.table(columns), {})
        return Predicted(path, len(split), threshold, tuple(notes))


def check_given(split: Split, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the probabilities that a model gave, checking that each is a number."""
    broken = np.flatnonzero(~np.isfinite(probabilities))
    if len(broken):
        raise InputError(
            f"{split.path}: the model gives no probability for example {broken[0] + 1} of "
            f"language {split.language!r}, but {probabilities[broken[0]]}"
        )
    return probabilities


def predict_languages(
    languages: Iterable[str], predict: Callable[[str], Predicted]
) -> dict[str, Predicted]:
    """Predicts language by language; an error names the languages that were finished before it."""
    languages = list(languages)
    if not languages or len(set(languages)) < len(languages):
        raise UsageError(f"name each language once, not: {', '.join(languages) or 'none'}")
    finished: dict[str, Predicted] = {}
    for language in languages:
        try:
            with collect_outputs():  # of its own, so that it stays whatever becomes of the next
                finished[language] = predict(language)
        except TallystickError as error:
            if not finished:
                raise
            paths = ", ".join(one.path for one in finished.values())
            raise type(error)(f"{error}; finished before: {paths}") from error
    return finished


def choose_threshold(
    gold: NDArray[np.bool_], probabilities: NDArray[np.float64], *, otherwise: float = 0.5
) -> float:
    """The lowest of 81 thresholds from 0.1 to 0.9 that has the highest F1.

    An example is predicted positive where its probability of the positive label is the
    threshold or more; `otherwise` is the threshold where none of the grid finds a positive
    example.
    """
    labels = Labels(gold.astype(np.uint8), (0, 1))
    column = LabelColumn(labels, (Output(labels, probabilities),))
    systems = Systems(("baseline",), {"labels": column})
    tally = Curve().count_one(systems)
    return find_best_of_grid(tally, 0, F1(positive=1), otherwise).threshold

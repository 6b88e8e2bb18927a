"""The settings of baselines, and the runs that they write."""

import os
import re
from collections.abc import Callable, Iterable
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct
from numpy.typing import NDArray

from tallystick.baselines.splits import Split
from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.frozen import dataclass
from tallystick.io.files.outputs import collect_outputs
from tallystick.kinds.labels.label_columns import LabelColumn, Output
from tallystick.kinds.labels.rates import F1
from tallystick.kinds.probabilities.areas import Curve
from tallystick.kinds.probabilities.best_thresholds import find_best_of_grid
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.output.tables.data_formats import make_folder, write_csv

Device = Literal["auto", "cpu", "cuda"]
_Positive = Annotated[int, Meta(ge=1)]
_Share = Annotated[float, Meta(ge=0, le=1)]


class Preprocess(Struct, frozen=True, forbid_unknown_fields=True):
    """How texts are cleaned before TF-IDF.

    Attributes:
        strip_urls: Whether links are taken out.
        strip_mentions: Whether mentions such as @name are taken out.
        lower: Whether texts are lower-cased.
        deaccent: Whether accents are removed, after stop words are.
    """

    strip_urls: bool = True
    strip_mentions: bool = True
    lower: bool = True
    deaccent: bool = True


class Tfidf(Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of scikit-learn's TfidfVectorizer, whose documentation explains them."""

    max_features: _Positive | None = 200_000
    ngram_range: tuple[_Positive, _Positive] = (1, 2)
    min_df: _Positive | _Share = 3
    max_df: _Positive | _Share = 0.95
    token_pattern: str = r"\w{1,}"
    sublinear_tf: bool = True

    def __post_init__(self) -> None:
        """Raises a ValueError for what scikit-learn would refuse after the data is read."""
        if self.ngram_range[0] > self.ngram_range[1]:
            raise ValueError("ngram_range is the least and the largest number of words")
        try:
            re.compile(self.token_pattern)
        except re.error as error:
            raise ValueError(f"token_pattern is not a regular expression: {error}") from error


class LogisticRegression(Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of scikit-learn's LogisticRegression, whose documentation explains them."""

    max_iter: _Positive = 2000
    class_weight: Literal["balanced"] | None = "balanced"
    random_state: int = 42


class Recipe(Struct, frozen=True):
    """How the TF-IDF baseline is made.

    Attributes:
        preprocess: How texts are cleaned.
        stopwords: A folder with the stop words of each language, `LANGUAGE.txt`; None drops none.
        tfidf: How texts are counted.
        logistic_regression: How the classifier is fitted.
    """

    preprocess: Preprocess = Preprocess()
    stopwords: str | None = None
    tfidf: Tfidf = Tfidf()
    logistic_regression: LogisticRegression = LogisticRegression()


class Jigsaw(Struct, frozen=True):
    """The columns of the splits."""

    text_column: str = "comment_text"
    label_column: str = "toxic"


class Data(Struct, frozen=True):
    """Where the splits are."""

    processed_dir: str | None = None
    jigsaw: Jigsaw = Jigsaw()


class Folder(Struct, frozen=True):
    """Where something is written."""

    output_dir: str | None = None


class Hardware(Struct, frozen=True):
    """Where models run."""

    device: Device = "auto"


class Config(Struct, frozen=True):
    """The sections of a YAML configuration that the baselines read."""

    data: Data = Data()
    training: Folder = Folder()
    evaluation: Folder = Folder()
    preprocess: Preprocess = Preprocess()
    tfidf: Tfidf = Tfidf()
    logistic_regression: LogisticRegression = LogisticRegression()
    hardware: Hardware = Hardware()


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

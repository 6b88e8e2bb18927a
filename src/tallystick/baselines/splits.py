"""What baselines share: the splits that they read, their settings, and the runs that they write."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct
from numpy.typing import NDArray

from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.io.files.lines import read_lines
from tallystick.io.files.outputs import collect_outputs
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.labels.label_columns import LabelColumn, Output
from tallystick.kinds.labels.rates import F1
from tallystick.kinds.probabilities.areas import Curve
from tallystick.kinds.probabilities.best_thresholds import find_best_of_grid
from tallystick.model.codes import Label, Labels, as_text, encode
from tallystick.model.columns import IDS, find
from tallystick.model.facts import Task
from tallystick.model.systems import Systems
from tallystick.output.tables.formats import make_folder, write_csv

_URL = re.compile(r"http\S+|www\.\S+")
_MENTION = re.compile(r"@\w+")


def clean(
    texts: Iterable[str],
    *,
    strip_urls: bool,
    strip_mentions: bool,
    lower: bool,
    stopwords: Collection[str],
) -> list[str]:
    """The texts without links and mentions, in lower case, without stop words, in this order.

    Words are what white space separates; one space separates those that are left.
    """
    dropped = frozenset(stopwords)
    if strip_urls:
        texts = [_URL.sub("", text) for text in texts]
    if strip_mentions:
        texts = [_MENTION.sub("", text) for text in texts]
    if lower:
        texts = [text.lower() for text in texts]
    return [" ".join(word for word in text.split() if word not in dropped) for text in texts]


def read_stopwords(folder: str, language: str) -> list[str]:
    """Reads `FOLDER/LANGUAGE.txt`, one word a line."""
    path = os.path.join(folder, f"{language}.txt")
    if not os.path.isfile(path):
        raise InputError(f"{path}: is missing, so language {language!r} has no stop words")
    words = sorted({line.strip() for line in read_lines(path)} - {""})
    if not words:
        raise InputError(f"{path}: contains no stop word of language {language!r}")
    return words


class Split(Struct, frozen=True, eq=False):
    """One split of one language, with its negative and its positive label."""

    path: str
    language: str
    ids: Sequence[Label]
    texts: list[str]
    gold: Labels
    pair: tuple[Label, Label]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Whether the gold label is the positive one."""
        positive: NDArray[np.bool_] = self.gold.recode(self.pair).codes == 1
        return positive

    def need_both_labels(self, purpose: str) -> None:
        """Raises an InputError unless both labels occur."""
        if len(self.gold.names) < 2:
            raise InputError(
                f"{self.path}: all {len(self)} examples of language {self.language!r} are labelled "
                f"{str(self.gold.names[0])!r}, but {purpose} needs both labels"
            )


class Splits(Struct, frozen=True):
    """A folder that contains `LANGUAGE/train.csv`, `val.csv` and `test.csv`.

    Attributes:
        folder: The folder.
        languages: Which languages to read, in this order.
        text_column: The column of the texts.
        gold_column: The column of the gold labels.
        positive: The positive label; None is guessed (1, true, yes).
    """

    folder: str
    languages: tuple[str, ...]
    text_column: str = "comment_text"
    gold_column: str = "toxic"
    positive: str | None = None

    def read(self, language: str, name: str, pair: tuple[Label, Label] | None = None) -> Split:
        """Reads `train`, `val` or `test` of a language; the pair is its two labels if known."""
        path = os.path.join(self.folder, language, f"{name}.csv")
        if not os.path.isfile(path):
            raise InputError(f"{path}: is missing, so language {language!r} has no {name} split")
        table = read_table(path, format="csv", only=(self.text_column, self.gold_column, *IDS))
        texts = table.column(self.text_column).to_pylist()
        values = table.column(self.gold_column)
        gold = as_text(encode(values, lambda index: self._place(table, index)))
        pair = pair or self._settle(path, gold)
        self._check_labels(table, gold, pair)
        ids = find(table.names(), IDS)
        numbers = table.column(ids).to_pylist() if ids else range(len(table))
        return Split(path, language, numbers, texts, gold, pair)

    def _settle(self, path: str, gold: Labels) -> tuple[Label, Label]:
        try:
            negative, positive = Task("binary", positive=self.positive).settle(
                gold.names, scores=True
            ).labels or ("", "")
        except TallystickError as error:
            raise type(error)(f"{path}, column {self.gold_column!r}: {error}") from error
        return negative, positive

    def _check_labels(self, table: Table, gold: Labels, pair: tuple[Label, Label]) -> None:
        for name in gold.names:
            if name not in pair:
                raise InputError(
                    f"{self._place(table, gold.first(name))}: label {str(name)!r} is neither "
                    f"{str(pair[0])!r} nor {str(pair[1])!r}"
                )

    def _place(self, table: Table, index: int) -> str:
        return f"{table.source}, {table.locate(index)}, column {self.gold_column!r}"


def list_languages(folder: str) -> tuple[str, ...]:
    """Returns the names of the folders in a folder of splits, sorted."""
    try:
        found = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    except OSError as error:
        raise InputError(f"{folder}: cannot be listed: {error.strerror}") from error
    if not found:
        raise InputError(
            f"{folder}: contains no folder LANGUAGE with train.csv, val.csv and test.csv"
        )
    return tuple(found)


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
            raise ValueError("ngram_range must be the least and the largest number of words")
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


class Predicted(Struct, frozen=True):
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


class Target(Struct, frozen=True):
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
    """The lowest of 81 thresholds from 0.1 to 0.9 with the highest F1, `otherwise` if all are 0."""
    labels = Labels(gold.astype(np.uint8), (0, 1))
    column = LabelColumn(labels, (Output(labels, probabilities),))
    systems = Systems(("baseline",), {"labels": column})
    tally = Curve().count_one(systems)
    return find_best_of_grid(tally, 0, F1(positive=1), otherwise).threshold

"""The splits of a language that baselines read, with what cleans their texts."""

import os
import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError, TallystickError
from tallystick.frozen import dataclass
from tallystick.io.files.lines import read_lines
from tallystick.io.tables.table import Table, read_table
from tallystick.model.codes import Label, Labels, as_text, encode
from tallystick.model.columns import IDS, find
from tallystick.model.task import Task

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
        raise InputError(f"{path}: holds no stop word of language {language!r}")
    return words


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One split of one language, with its negative and its positive label.

    The ids are the column id or sub_id, or the numbers from 0 on. An empty text is a text too.
    """

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


@dataclass(frozen=True, slots=True)
class Splits:
    """A folder that holds `LANGUAGE/train.csv`, `val.csv` and `test.csv`.

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
        """Reads `train`, `val` or `test` of a language.

        The pair is the negative and the positive label, where another split has settled
        them.
        """
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
        raise InputError(f"{folder}: holds no folder LANGUAGE with train.csv, val.csv and test.csv")
    return tuple(found)

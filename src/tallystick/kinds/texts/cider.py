"""CIDEr-D, which weighs n-grams by how few documents have them."""

import math
from collections import Counter as Counts
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.io.files.datasets import list_files
from tallystick.io.files.lines import read_lines
from tallystick.io.files.stores import Stamp
from tallystick.kinds.texts.text_columns import TextCounter, TextPart, need_texts
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums

_ORDER, _SIGMA = 4, 6.0


class _Weighted(NamedTuple):
    """The weights of the n-grams of a text by their order, their norms, and the text's length."""

    weights: tuple[dict[str, float], ...]
    norms: tuple[float, ...]
    bigrams: int


class _Documents(NamedTuple):
    """How many documents there are, and how many of them have each n-gram."""

    total: int
    having: Mapping[str, int]

    def weigh(self, text: str) -> _Weighted:
        """Weighs the n-grams of a text by their frequency and rarity."""
        grams = Counts(_list_ngrams(text.split()))
        weights: tuple[dict[str, float], ...] = tuple({} for _ in range(_ORDER))
        for gram, times in grams.items():
            rarity = math.log(self.total) - math.log(max(1, self.having.get(gram, 0)))
            weights[gram.count(" ")][gram] = times * rarity
        norms = tuple(math.hypot(*own.values()) for own in weights)
        return _Weighted(weights, norms, max(len(text.split()) - 1, 0))


class CiderSums(TextCounter, frozen=True):
    """Sums how similar each text is to its references, with n-grams as rare as in a file."""

    columns = ("sum", "examples")
    documents: str

    def rows(self, examples: TextPart) -> NDArray[np.float64]:
        texts = need_texts(examples)
        documents = _load(self.documents, list_files(self.documents))
        values = [_compare(documents, output, references) for output, references in texts.strings()]
        return np.column_stack([values, np.ones(len(values))])


class CIDErD(Metric, frozen=True):
    """The mean cosine similarity of captions and references, over n-grams weighted by TF-IDF.

    Texts are split at white space; tokenise them first. `documents` is a file from which document
    frequencies are counted, usually of the references themselves.

    Formula: mean over texts of 10 exp(-(l - l')^2 / 72) cosine of their n-grams, weighted by
        frequency times log(documents / documents with it) and clipped to the reference, the mean
        over n from 1 to 4 and over references
    Undefined: without examples.
    Source: Vedantam et al. 2015, CVPR; values as CIDEr of pycocoevalcap 1.2, which is CIDEr-D.
    """

    documents: str

    short = "cider_d"
    title = "CIDEr-D"
    bounds = (0, 10)
    zero = "no word of its outputs that a document lacks is in their references"
    counters = (CiderSums,)

    def __post_init__(self) -> None:
        if not isinstance(self.documents, str):
            raise UsageError(f"documents must be the path of a file, not {self.documents!r}")

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["sum"], tally["examples"]), np.nan)


@lru_cache(maxsize=1)
def _load(path: str, stamps: tuple[Stamp, ...]) -> _Documents:
    """Counts the documents of an unchanged file: a line each, with tabs between its texts."""
    lines, having = read_lines(path, sure=True), Counts[str]()
    for line in lines:
        having.update({gram for text in line.split("\t") for gram in _list_ngrams(text.split())})
    return _Documents(len(lines), having)


def _list_ngrams(words: Sequence[str]) -> Iterator[str]:
    """The n-grams of each order, the shortest first."""
    for n in range(1, _ORDER + 1):
        for at in range(len(words) - n + 1):
            yield " ".join(words[at : at + n])


def _compare(documents: _Documents, output: str, references: Sequence[str]) -> float:
    """Ten times the mean similarity of a text to its references."""
    own = documents.weigh(output)
    found = [_measure(own, documents.weigh(reference)) for reference in references]
    return 10 * math.fsum(value for values in found for value in values) / _ORDER / len(references)


def _measure(one: _Weighted, other: _Weighted) -> list[float]:
    """The similarity of two texts by the n-grams of each order."""
    penalty = math.e ** (-((one.bigrams - other.bigrams) ** 2) / (2 * _SIGMA**2))
    values = []
    for own, wanted, norm in zip(
        one.weights, other.weights, zip(one.norms, other.norms, strict=True), strict=True
    ):
        shared = math.fsum(
            min(own[gram], wanted[gram]) * wanted[gram] for gram in own if gram in wanted
        )
        values.append(shared / (norm[0] * norm[1]) * penalty if all(norm) else 0.0)
    return values

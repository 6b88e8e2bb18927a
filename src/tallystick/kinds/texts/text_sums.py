"""What counters of texts share: rows of columns that are summed, and arrays for kernels."""

import abc
import os
import zlib
from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.text_columns import TextPart
from tallystick.kinds.texts.texts import TextExamples, TokenExamples, join_tokens
from tallystick.model.codes import Labels
from tallystick.model.reading import Kind
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.sums import Sums, sum_values
from tallystick.settings import AbstractMeta
from tallystick.tokens.tokenizers import Tokenizer

Arrays = tuple[NDArray[Any], NDArray[np.int64], NDArray[Any], NDArray[np.int64], NDArray[np.int64]]


class TextCounter(Struct, metaclass=AbstractMeta, frozen=True):
    """A counter whose tally sums columns of numbers that each example has."""

    kind: ClassVar[Kind[Any]] = TEXTS

    @property
    @abc.abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    @abc.abstractmethod
    def rows(self, examples: TextPart) -> NDArray[Any]:
        """One row of columns per example."""
        ...

    def split_by(self, tokenizer: str) -> "TextCounter":
        """The same with a tokenizer, where it splits texts into words and none was named."""
        return self

    def take_sources(self, part: TextPart, systems: Systems) -> TextPart:
        """The texts of a system, with those that were the input where they are counted too."""
        return part

    def list_rows(self, systems: Systems) -> NDArray[Any]:
        """The columns of each example, of shape (examples, systems, columns)."""
        parts = [self.take_sources(part, systems) for part in TEXTS.of(systems).parts]
        need_examples(systems, "metrics of texts")
        if systems.weights is not None:
            raise UsageError("metrics of texts do not support weights")
        own = systems.tokenizers
        return np.stack([_count(self, part, own) for part in _share_references(parts)], axis=1)

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        rows, first = self.list_rows(systems), TEXTS.of(systems).parts[0]
        references = frozenset(np.flatnonzero(np.bincount(np.diff(first.spans))).tolist())
        tally = sum_values(self, systems, rows, cache(partial(_hash_references, first)))
        return replace(tally, references=references)


class Splitting(TextCounter, frozen=True):
    """A counter that splits texts as their language asks for, unless a tokenizer was named."""

    def split_by(self, tokenizer: str) -> TextCounter:
        own: Any = self
        named = own.tokenizer is not None or getattr(own, "unit", "words") != "words"
        return self if named else replace(own, tokenizer=tokenizer)


def count_threads() -> int:
    """How many threads the kernels may use: as many as there are processors for this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def need_texts(examples: TextPart) -> TextExamples:
    """The examples, which must be strings: token lists have no characters to count."""
    if isinstance(examples, TokenExamples):
        raise UsageError(
            "this metric counts in strings, not in token lists, which only BLEU and its parts, "
            "WER, MER, WIL and Levenshtein(unit='words') take"
        )
    return examples


def prepare_texts(
    examples: TextPart, *, lowercase: bool, tokenizer: Tokenizer | None
) -> TextExamples:
    """The examples in lower case and split by a tokenizer, where that is asked for."""
    texts = need_texts(examples)
    texts = texts.lower() if lowercase else texts
    return texts if tokenizer is None else join_tokens(texts, tokenizer)


def spread(examples: TextPart) -> Arrays:
    """The arrays of examples in the order in which the kernels take them."""
    own, gold = examples.hypotheses, examples.references
    return own.data, own.offsets, gold.data, gold.offsets, examples.spans


def _share_references(parts: Sequence[TextPart]) -> list[TextPart]:
    """The same texts with the same references, which keep what is made of them while we count."""
    first = parts[0]
    if len(parts) == 1 or not isinstance(first, TextExamples):
        return list(parts)
    references = replace(first.references, kept={})
    return [
        replace(part, references=references)
        if isinstance(part, TextExamples) and part.references.equals(references)
        else part
        for part in parts
    ]


def _count(counter: TextCounter, part: TextPart, tokenizers: Labels | None) -> NDArray[np.generic]:
    """A row of columns per example, each split by its tokenizer where the counter names none."""
    if tokenizers is None or isinstance(part, TokenExamples):
        return counter.rows(part)
    counters = [counter.split_by(str(name)) if name else counter for name in tokenizers.names]
    if len(set(counters)) == 1:
        return counters[0].rows(part)
    chosen = [np.flatnonzero(tokenizers.codes == code) for code in range(len(counters))]
    found = [own.rows(part.pick(rows)) for own, rows in zip(counters, chosen, strict=True)]
    joined = np.concatenate(found)
    joined[np.concatenate(chosen)] = joined.copy()
    return joined


def _hash_references(part: TextPart) -> NDArray[np.uint32]:
    """A number for the references of each example, which no system's outputs change."""
    if isinstance(part, TokenExamples):
        return np.zeros(len(part), np.uint32)
    data, ends = part.references.data.data, part.references.offsets[part.spans].tolist()
    hashes = [zlib.crc32(data[start:end]) for start, end in pairwise(ends)]
    return np.array(hashes, np.uint32)

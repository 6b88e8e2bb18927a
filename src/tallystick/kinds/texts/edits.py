"""Counts of edits between a hypothesis and its reference, over words or characters."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import UsageError
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.text_columns import TextPart
from tallystick.kinds.texts.text_sums import count_threads, need_texts, split_texts, sum_rows
from tallystick.kinds.texts.texts import TextExamples
from tallystick.kinds.texts.token_lists import TokenExamples
from tallystick.tallies.sums import Sums
from tallystick.tokens.normalizing import Normalizer, load_normalizer
from tallystick.tokens.tokenizers import Tokenizer

Unit = Literal["words", "characters", "stripped"]
"""Words as jiwer parts them; characters; or characters without the white space at both ends."""


@dataclass(frozen=True, slots=True)
class EditCounts:
    """Counts hits, substitutions, deletions and insertions on a shortest path of edits.

    Attributes:
        unit: What is edited; in token lists it is tokens, so that they go with words alone.
        lowercase: Whether texts are lower-cased first.
        tokenizer: What splits texts into words; None splits at spaces, as jiwer does.
        normalize: What texts are normalised by before all else.
    """

    kind: ClassVar = TEXTS
    unit: Unit = "words"
    lowercase: bool = False
    tokenizer: Tokenizer | None = None
    normalize: Normalizer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The four counts."""
        return ("hits", "substitutions", "deletions", "insertions")

    def split_by(self, tokenizer: str) -> "EditCounts":
        """The same with a tokenizer, where it names none."""
        named = self.tokenizer is not None or self.unit != "words"
        return self if named else replace(self, tokenizer=tokenizer)

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per example; each has one reference."""
        _check_single(examples)
        if isinstance(examples, TextExamples):
            examples = self._prepare(examples)
        if isinstance(examples, TokenExamples) and self.unit == "words":
            hypotheses, references = examples.hypotheses, examples.references
            return _native.count_id_edits(
                hypotheses.ids,
                hypotheses.offsets,
                references.ids,
                references.offsets,
                count_threads(),
            )
        return _native.count_edits(*_pair(need_texts(examples)), self.unit, count_threads())

    def _prepare(self, texts: TextExamples) -> TextPart:
        if self.normalize is not None:
            texts = texts.change(self.normalize, load_normalizer(self.normalize))
        if self.lowercase:
            texts = texts.lower()
        return texts if self.tokenizer is None else split_texts(texts, self.tokenizer)

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        return sum_rows(self, systems)


@dataclass(frozen=True, slots=True)
class EditDistances:
    """Counts the fewest edits between a hypothesis and its reference, without their kinds.

    Attributes:
        unit: What is edited.
        lowercase: Whether texts are lower-cased first.
        tokenizer: What splits texts into words; None splits at spaces, as jiwer does.
    """

    kind: ClassVar = TEXTS
    unit: Unit = "characters"
    lowercase: bool = False
    tokenizer: Tokenizer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The distance, the longer of the two lengths, and the number of examples."""
        return ("distance", "longer_length", "examples")

    def split_by(self, tokenizer: str) -> "EditDistances":
        """The same with a tokenizer, where it names none."""
        named = self.tokenizer is not None or self.unit != "words"
        return self if named else replace(self, tokenizer=tokenizer)

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per example; each has one reference."""
        if self.unit != "characters":
            counter = EditCounts(self.unit, self.lowercase, self.tokenizer)
            return self._add_up(counter.rows(examples))
        texts = need_texts(examples)
        _check_single(texts)
        if self.lowercase:
            texts = texts.lower()
        measured = _native.edit_distances(*_pair(texts), self.unit, count_threads())
        return np.pad(measured, ((0, 0), (0, 1)), constant_values=1)

    def _add_up(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        hits, substitutions, deletions, insertions = counts.T
        distances = substitutions + deletions + insertions
        longer = hits + substitutions + np.maximum(deletions, insertions)
        return np.stack([distances, longer, np.ones_like(distances)], axis=-1)

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        return sum_rows(self, systems)


def _check_single(examples: TextPart) -> None:
    several = np.flatnonzero(np.diff(examples.spans) != 1)
    if len(several):
        raise UsageError(
            f"edits are counted against one reference, and example {int(several[0]) + 1} has "
            f"{int(np.diff(examples.spans)[several[0]])}"
        )


def _pair(
    examples: TextExamples,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    hypotheses, references = examples.hypotheses, examples.references
    return hypotheses.data, hypotheses.offsets, references.data, references.offsets

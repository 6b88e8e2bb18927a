"""Edits between texts: how many of each kind, over words or characters, and which ones."""

import html
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import InputError, UsageError, short_traceback
from tallystick.kinds.texts.text_columns import (
    Splitting,
    TextCounter,
    TextPart,
    count_threads,
    need_texts,
    spread,
)
from tallystick.kinds.texts.texts import (
    TextExamples,
    Texts,
    TokenExamples,
    encode_texts,
    join_tokens,
    number_tokens,
    tokenize,
)
from tallystick.tokens.normalizing import Normalizer, load_normalizer
from tallystick.tokens.tokenizers import Tokenizer, is_native

Operation = Literal["equal", "replace", "delete", "insert"]
_OPERATIONS: tuple[Operation, ...] = ("equal", "replace", "delete", "insert")
_MARKS = {"equal": "", "replace": "S", "delete": "D", "insert": "I"}


class Edit(Struct, frozen=True):
    """One step: a token of the first text next to one of the second.

    Attributes:
        operation: What is done to the first text.
        before: The token that was there; None where one is inserted.
        after: The token that is there then; None where one is deleted.
    """

    operation: Operation
    before: str | None
    after: str | None


class Alignment(Struct, frozen=True):
    """A shortest path of edits; prints as the texts under one another with the edits marked.

    Attributes:
        steps: The steps from the first text to the second, those that change nothing included.
    """

    steps: tuple[Edit, ...]

    @property
    def distance(self) -> int:
        """How many steps change something: the Levenshtein distance."""
        return sum(step.operation != "equal" for step in self.steps)

    def __str__(self) -> str:
        rows: list[list[str]] = [[], [], []]
        for step in self.steps:
            cells = (step.before or "*", step.after or "*", _MARKS[step.operation])
            width = max(map(len, cells))
            for row, cell in zip(rows, cells, strict=True):
                row.append(cell.ljust(width))
        return "\n".join(" ".join(row).rstrip() for row in rows)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


@short_traceback
def edits(before: str | Sequence[str], after: str | Sequence[str]) -> Alignment:
    """The insertions, deletions and replacements that turn one text into another.

    Args:
        before: A string, whose characters are edited, or a list of tokens.
        after: Likewise.

    Raises:
        ValueError: The texts are too long for their path to be kept in memory.
    """
    for side in (before, after):
        if not isinstance(side, Sequence):
            raise UsageError(f"edits takes strings or lists of tokens, not {side!r}")
    left, right = list(before), list(after)
    one, other = number_tokens([left], [right])
    path = np.asarray(_native.align_ids(one.data, other.data)).tolist()
    steps = []
    for code, i, j in path:
        operation = _OPERATIONS[code]
        deleted = None if operation == "insert" else left[i]
        steps.append(Edit(operation, deleted, None if operation == "delete" else right[j]))
    return Alignment(tuple(steps))


Unit = Literal["words", "characters", "stripped"]
"""Words as jiwer parts them; characters; or characters without the white space at both ends."""

_MOST_SPEAKERS = 20
"""More speakers in a session are taken for texts whose lines are none, as meeteval takes them."""


class EditCounts(Splitting, frozen=True):
    """Counts hits, substitutions, deletions and insertions on a shortest path of edits.

    Texts are normalised before all else. Without a tokenizer words are parted at spaces, as jiwer
    does. Token lists belong to words alone.
    """

    columns: ClassVar[tuple[str, ...]] = ("hits", "substitutions", "deletions", "insertions")
    unit: Unit = "words"
    lowercase: bool = False
    tokenizer: Tokenizer | None = None
    normalize: Normalizer | None = None

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per example, against its reference with the fewest errors."""
        if isinstance(examples, TextExamples):
            examples = _normalize(examples, self.normalize, lowercase=self.lowercase)
            if self.tokenizer is not None:
                split = join_tokens if is_native(self.tokenizer) else tokenize
                examples = split(examples, self.tokenizer)
        single = examples.split_references()
        if isinstance(single, TokenExamples) and self.unit == "words":
            counts = _native.count_id_edits(*spread(single)[:4], count_threads())
        else:
            pairs = spread(need_texts(single))[:4]
            counts = _native.count_edits(*pairs, self.unit, count_threads())
        ties = -counts[:, :3].sum(axis=1), counts[:, 1]
        return counts[_find_nearest(examples, *ties, counts[:, 1:].sum(axis=1))]


class ErrorRates(EditCounts, frozen=True):
    """Adds up the error rates of examples; one without reference is the number of insertions."""

    columns = ("rate", "examples")

    def rows(self, examples: TextPart) -> NDArray[np.float64]:  # type: ignore[override]
        hits, substitutions, deletions, insertions = EditCounts.rows(self, examples).T
        length = np.maximum(hits + substitutions + deletions, 1)
        rates = (substitutions + deletions + insertions) / length
        return np.stack([rates, np.ones_like(rates)], axis=-1)


class AnswerSimilarities(TextCounter, frozen=True):
    """Compares answers with the most similar of their gold answers, as DocVQA's script does.

    Distances are between texts with single spaces, and lengths those of the texts as they are.
    """

    columns = ("similarity", "examples")
    at_most = (columns,)
    threshold: float = 0.5
    lowercase: bool = True

    def rows(self, examples: TextPart) -> NDArray[np.float64]:
        texts, owners = need_texts(examples), examples.owners
        folded = texts.lower() if self.lowercase else texts
        folded = folded.map(lambda side: side.change("spaces", lambda text: " ".join(text.split())))
        pairs = spread(folded.split_references())[:4]
        distances = _native.edit_distances(*pairs, "characters", count_threads())[:, 0]
        own, gold = (
            np.array([len(text.upper()) for text in side.strings()], np.int64)
            for side in (texts.hypotheses, texts.references)
        )
        scores = 1 - distances / np.maximum(np.maximum(own[owners], gold), 1)
        best = np.maximum.reduceat(scores, texts.spans[:-1]) if len(texts) else scores
        best = np.where(best < self.threshold, 0.0, np.maximum(best, 0))
        return np.stack([best, np.ones_like(best)], axis=-1)


class EditDistances(Splitting, frozen=True):
    """Counts the fewest edits between a hypothesis and its reference, without their kinds."""

    columns = ("distance", "longer_length", "examples")
    at_most = (("distance", "longer_length"),)
    """The distance, the longer of the two lengths, and the number of examples."""
    unit: Unit = "characters"
    lowercase: bool = False
    tokenizer: Tokenizer | None = None

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per example, against its nearest reference."""
        if self.unit == "characters":  # two to three times as fast as counting each operation
            texts = _normalize(need_texts(examples), None, lowercase=self.lowercase)
            pairs = spread(texts.split_references())[:4]
            measured = _native.edit_distances(*pairs, self.unit, count_threads())
            nearest = measured[_find_nearest(texts, -measured[:, 1], measured[:, 0])]
            return np.pad(nearest, ((0, 0), (0, 1)), constant_values=1)
        counts = EditCounts(self.unit, self.lowercase, self.tokenizer).rows(examples)
        hits, substitutions, deletions, insertions = counts.T
        distances = substitutions + deletions + insertions
        longer = hits + substitutions + np.maximum(deletions, insertions)
        return np.stack([distances, longer, np.ones_like(distances)], axis=-1)


class SpeakerEdits(Splitting, frozen=True):
    """Counts edits of words in sessions, whose speakers are paired so that there are the fewest.

    Each line of a text contains all words of one speaker.
    """

    columns = ("errors", "reference_length")
    lowercase: bool = False
    tokenizer: Tokenizer | None = None
    normalize: Normalizer | None = None

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per session, which has one reference."""
        _check_single(examples)
        texts = need_texts(examples)
        said = _list_speakers(texts.hypotheses, "output")
        meant = _list_speakers(texts.references, "reference")
        sizes = [max(1, len(own), len(gold)) for own, gold in zip(said, meant, strict=True)]
        sides = _fill(said, sizes), _fill(meant, sizes)
        lines = TextExamples(*sides, np.arange(sum(sizes) + 1))
        lines = _normalize(lines, self.normalize, lowercase=self.lowercase)
        if self.tokenizer is not None:
            lines = join_tokens(lines, self.tokenizer)
        ends = np.cumsum([0, *sizes]).tolist()
        own, gold = lines.hypotheses, lines.references
        sessions = [slice(*both) for both in pairwise(ends)]
        found = [_pair_speakers(own.take(one), gold.take(one)) for one in sessions]
        return np.array(found, np.int64).reshape(-1, 2)


def _list_speakers(texts: Texts, side: str) -> list[list[str]]:
    sessions = [[line for line in text.split("\n") if line.strip()] for text in texts.strings()]
    for row, lines in enumerate(sessions):
        if len(lines) > _MOST_SPEAKERS:
            raise InputError(
                f"example {row + 1}: the {side} has {len(lines)} lines, where one for each speaker "
                f"of a session was expected, {_MOST_SPEAKERS} at most"
            )
    return sessions


def _fill(sessions: list[list[str]], sizes: list[int]) -> Texts:
    """The lines of all sessions, with empty ones for the speakers that a session does not have."""
    both = zip(sessions, sizes, strict=True)
    return encode_texts([line for own, size in both for line in own + [""] * (size - len(own))])


def _pair_speakers(hypotheses: Texts, references: Texts) -> tuple[int, int]:
    """The fewest edits of one session by any pairing of speakers, and the words of reference."""
    size = len(references)
    rows, columns = np.divmod(np.arange(size * size), size)
    own, gold = hypotheses.pick(columns), references.pick(rows)
    pairs = TextExamples(own, gold, np.arange(size * size + 1))
    counts = EditCounts().rows(pairs).reshape(size, size, 4)
    return _assign(counts[..., 1:].sum(axis=-1)), int(counts[:, 0, :3].sum())


def _assign(costs: NDArray[np.int64]) -> int:
    """The least sum of costs that takes one of each row and of each column.

    By shortest augmenting paths with potentials (Kuhn 1955; Jonker and Volgenant 1987).
    """
    size = len(costs)
    above, left = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    owner = np.zeros(size + 1, np.int64)
    for row in range(1, size + 1):
        owner[0], column = row, 0
        slack = np.full(size + 1, np.iinfo(np.int64).max)
        before, used = np.zeros(size + 1, np.int64), np.zeros(size + 1, bool)
        while owner[column]:
            used[column] = True
            reduced = np.append(0, costs[owner[column] - 1]) - left[owner[column]] - above
            nearer = ~used & (reduced < slack)
            slack[nearer], before[nearer] = reduced[nearer], column
            free = np.flatnonzero(~used)
            column = int(free[slack[free].argmin()])
            step = slack[column]
            left[owner[used]] += step
            above[used] -= step
            slack[~used] -= step
        while column:
            owner[column] = owner[before[column]]
            column = int(before[column])
    return -int(above[0])


def _normalize(
    texts: TextExamples, normalize: Normalizer | None, *, lowercase: bool
) -> TextExamples:
    """The texts after a normaliser, in lower case where that is asked for."""
    if normalize is not None:
        change = load_normalizer(normalize)
        texts = texts.map(lambda side: side.change(normalize, change))
    return texts.lower() if lowercase else texts


def _find_nearest(examples: TextPart, *costs: NDArray[np.int64]) -> NDArray[np.intp]:
    """The reference of each example with the lowest costs; the last cost is compared first."""
    if len(costs[0]) == len(examples):
        return np.arange(len(examples))
    return np.lexsort((*costs, examples.owners))[examples.spans[:-1]]


def _check_single(examples: TextPart) -> None:
    several = np.flatnonzero(np.diff(examples.spans) != 1)
    if len(several):
        raise UsageError(
            f"edits are counted against one reference, and example {int(several[0]) + 1} has "
            f"{int(np.diff(examples.spans)[several[0]])}"
        )

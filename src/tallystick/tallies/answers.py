"""Counts of short answers that equal a gold answer, and of the words they share with it."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.examples.kinds import TEXTS
from tallystick.examples.systems import Systems
from tallystick.examples.text_columns import TextPart
from tallystick.examples.texts import TextExamples, Texts, encode_texts
from tallystick.tallies.matches import MatchCounts
from tallystick.tallies.ngrams import NgramCounts
from tallystick.tallies.sums import Sums
from tallystick.tallies.text_sums import need_texts, sum_rows
from tallystick.tokens.normalizing import Ignorable, normalize_text

Which = Literal["first", "last"]

SQUAD: tuple[Ignorable, ...] = ("articles", "punctuation", "whitespace")
"""What SQuAD's evaluation scripts ignore beside case."""


@dataclass(frozen=True, slots=True)
class AnswerMatches:
    """Counts the answers that equal one of their gold answers, but for what is ignored.

    Attributes:
        lowercase: Whether case is ignored.
        ignore: What else is ignored.
        extract: A regular expression whose match in a hypothesis is its answer, or the first
            group that took part in it; an answer without a match equals nothing. None takes all.
        which: Which match is taken where there are several.
    """

    kind: ClassVar = TEXTS
    lowercase: bool = False
    ignore: tuple[Ignorable, ...] = ()
    extract: str | None = None
    which: Which = "first"

    @property
    def columns(self) -> tuple[str, ...]:
        """The number of matches, and of examples."""
        return MatchCounts().columns

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per example."""
        texts, found = need_texts(examples), None
        if self.extract is not None:
            answers, found = _extract(texts.hypotheses.strings(), self.extract, self.which)
            texts = replace(texts, hypotheses=encode_texts(answers))
        rows = MatchCounts().rows(_normalize(texts, self.lowercase, self.ignore))
        if found is not None:
            rows[~found, 0] = 0
        return rows

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        return sum_rows(self, systems)


@dataclass(frozen=True, slots=True)
class AnswerOverlap:
    """Compares answers with the nearest of their gold answers as SQuAD's scripts do.

    Attributes:
        version: Which of the scripts is followed.
    """

    kind: ClassVar = TEXTS
    version: Literal["1.1", "2.0"] = "2.0"

    @property
    def columns(self) -> tuple[str, ...]:
        """The number of matches, the F1 of words, and the number of examples."""
        return ("matches", "f1", "examples")

    def rows(self, examples: TextPart) -> NDArray[np.float64]:
        """One row of columns per example."""
        texts = _normalize(need_texts(examples), True, SQUAD)
        matches = MatchCounts().rows(texts)[:, 0] > 0
        owners = np.repeat(np.arange(len(texts)), np.diff(texts.spans))
        counts = NgramCounts("none", 1).rows(_pair_up(texts, owners))
        lengths, shared = counts[:, 0] + counts[:, 1], counts[:, 2]
        scores = 2 * shared / np.maximum(lengths, 1)
        if self.version == "2.0":
            # A gold answer of which nothing is left counts only where no other has more.
            unanswerable = _are_empty(texts)
            scores[lengths == 0] = unanswerable[owners[lengths == 0]]
            matches &= unanswerable | (np.diff(texts.hypotheses.offsets) > 0)
        best = np.maximum.reduceat(scores, texts.spans[:-1]) if len(texts) else scores
        return np.stack([matches, best, np.ones_like(best)], axis=-1)

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        return sum_rows(self, systems)


def _normalize(texts: TextExamples, lowercase: bool, ignore: tuple[Ignorable, ...]) -> TextExamples:
    sides = (texts.hypotheses, texts.references)
    hypotheses, references = (_normalize_side(side, lowercase, ignore) for side in sides)
    return replace(texts, hypotheses=hypotheses, references=references)


def _normalize_side(texts: Texts, lowercase: bool, ignore: tuple[Ignorable, ...]) -> Texts:
    """The normalised texts, which are kept where several systems share them."""
    kept = {} if texts.kept is None else texts.kept
    key = ("normal", lowercase, ignore)
    if key not in kept:
        normal = _rewrite(texts, partial(normalize_text, lowercase=lowercase, ignore=ignore))
        if "whitespace" in ignore:
            normal = Texts(*_native.tokenize(normal.data, normal.offsets, "none"))
        kept[key] = normal
    found: Texts = kept[key]
    return found


def _rewrite(texts: Texts, change: Callable[[str], str]) -> Texts:
    """Changes texts all at once: a call for each of a million would take most of the time."""
    if not len(texts) or not texts.data.all():
        return encode_texts([change(text) for text in texts.strings()])
    joined = np.insert(texts.data, texts.offsets[1:-1], 0).tobytes().decode()
    changed = np.frombuffer(change(joined).encode(), np.uint8)
    ends = np.flatnonzero(changed == 0)
    offsets = np.array([0, *(ends - np.arange(len(ends))), len(changed) - len(ends)], np.int64)
    return Texts(changed[changed != 0], offsets)


def _extract(
    texts: Sequence[str], pattern: str, which: Which
) -> tuple[list[str], NDArray[np.bool_]]:
    """What a pattern finds in each text, and where it finds anything."""
    compiled, place = re.compile(pattern), 0 if which == "first" else -1
    matches = [_search(compiled, text, place) for text in texts]
    found = np.fromiter((match is not None for match in matches), bool, len(matches))
    return [_read(match) for match in matches], found


def _search(pattern: re.Pattern[str], text: str, place: int) -> re.Match[str] | None:
    if place == 0:
        return pattern.search(text)
    found = deque(pattern.finditer(text), maxlen=1)
    return found[0] if found else None


def _read(match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    return next((group for group in match.groups() if group), match.group())


def _pair_up(texts: TextExamples, owners: NDArray[np.intp]) -> TextExamples:
    """One example for each reference."""
    if len(owners) == len(texts):
        return texts
    strings = texts.hypotheses.strings()
    repeated = encode_texts([strings[owner] for owner in owners.tolist()])
    return TextExamples(repeated, texts.references, np.arange(len(owners) + 1))


def _are_empty(texts: TextExamples) -> NDArray[np.bool_]:
    """Whether an example has no reference with anything in it."""
    sizes = texts.references.offsets[texts.spans]
    empty: NDArray[np.bool_] = np.diff(sizes) == 0
    return empty

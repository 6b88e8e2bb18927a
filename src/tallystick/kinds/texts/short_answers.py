"""Short answers: exact match, and SQuAD's exact match and F1."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from msgspec.structs import force_setattr, replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels.accuracy import share_verdicts
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.kinds.texts.bleu import NgramCounts
from tallystick.kinds.texts.text_columns import TextCounter, TextMetric, TextPart, need_texts
from tallystick.kinds.texts.texts import TextExamples, Texts, encode_texts
from tallystick.model.ragged_array import Ragged, pick_ranges
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Metric, Share, Values, check_option, show
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.settings import freeze_lists
from tallystick.tokens.normalizing import (
    ANSWER_LANGUAGES,
    IGNORABLE,
    Ignorable,
    normalize_answer,
    normalize_text,
)
from tallystick.tokens.tokenizers import find_language, find_tokenizer


class MatchCounts(TextCounter, frozen=True):
    """Counts the hypotheses that equal one of their references, character by character."""

    verdicts: ClassVar[Confusion] = Confusion()
    columns = ("matches", "examples")
    at_most = (columns,)
    lowercase: bool = False

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        if isinstance(examples, TextExamples) and self.lowercase:
            examples = examples.lower()
        owners = examples.owners
        equal = _compare(examples.hypotheses, owners, examples.references)
        matches = np.bincount(owners[equal], minlength=len(examples)) > 0
        return np.stack([matches, np.ones_like(matches)], axis=-1).astype(np.int64)


def _compare(own: Ragged, chosen: NDArray[np.intp], others: Ragged) -> NDArray[np.bool_]:
    """Whether each of the chosen texts or token lists equals the other one at its place."""
    equal: NDArray[np.bool_] = own.sizes[chosen] == others.sizes
    places = np.flatnonzero(equal)
    mine, starts = pick_ranges(own.offsets, chosen[places])
    theirs, _ = pick_ranges(others.offsets, places)
    unlike = np.repeat(places, np.diff(starts))[own.data[mine] != others.data[theirs]]
    equal[unlike] = False
    return equal


Which = Literal["first", "last"]

SQUAD: tuple[Ignorable, ...] = ("articles", "punctuation", "whitespace")
"""What SQuAD's evaluation scripts ignore next to case."""


class AnswerMatches(TextCounter, frozen=True):
    """Counts the answers that equal one of their gold answers, but for what is ignored.

    Attributes:
        extract: A regular expression whose match in a hypothesis is its answer, or the first
            group that took part in it; an answer without a match equals nothing. None takes all.
    """

    verdicts: ClassVar[Confusion] = Confusion()
    columns = MatchCounts.columns
    lowercase: bool = False
    ignore: tuple[Ignorable, ...] = ()
    extract: str | None = None
    which: Which = "first"

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        texts, found = need_texts(examples), None
        if self.extract is not None:
            answers, found = _extract(texts.hypotheses.strings(), self.extract, self.which)
            texts = replace(texts, hypotheses=encode_texts(answers))
        rows = MatchCounts().rows(_normalize(texts, self.lowercase, self.ignore))
        if found is not None:
            rows[~found, 0] = 0
        return rows


class AnswerOverlap(TextCounter, frozen=True):
    """Compares answers with the nearest of their gold answers as SQuAD's scripts do."""

    verdicts: ClassVar[Confusion] = Confusion()
    columns = ("matches", "f1", "examples")
    at_most = (("matches", "f1"), ("f1", "examples"))
    version: Literal["1.1", "2.0"] = "2.0"
    language: str | None = None

    def rows(self, examples: TextPart) -> NDArray[np.float64]:
        texts = _normalize(need_texts(examples), True, SQUAD, self.language)
        matches = MatchCounts().rows(texts)[:, 0] > 0
        counts = NgramCounts("none", 1).rows(texts.split_references())
        lengths, shared = counts[:, 0] + counts[:, 1], counts[:, 2]
        scores = 2 * shared / np.maximum(lengths, 1)
        if self.version == "2.0":
            # A gold answer of which nothing is left counts only where no other has more.
            unanswerable = np.diff(texts.references.offsets[texts.spans]) == 0
            scores[lengths == 0] = unanswerable[texts.owners[lengths == 0]]
            matches &= unanswerable | (np.diff(texts.hypotheses.offsets) > 0)
        best = np.maximum.reduceat(scores, texts.spans[:-1]) if len(texts) else scores
        return np.stack([matches, best, np.ones_like(best)], axis=-1)


def _normalize(
    texts: TextExamples,
    lowercase: bool,
    ignore: tuple[Ignorable, ...],
    language: str | None = None,
) -> TextExamples:
    """The normalised texts, which are kept where several systems share them."""
    change = partial(normalize_text, lowercase=lowercase, ignore=ignore)
    if language is not None:
        change = partial(normalize_answer, language=language)

    def normalize(side: Texts) -> Texts:
        normal = _rewrite(side, change)
        return normal.split("none") if "whitespace" in ignore else normal

    key = ("normal", lowercase, ignore, language)
    return texts.map(lambda side: side.keep(key, lambda: normalize(side)))


def _rewrite(texts: Texts, change: Callable[[str], str]) -> Texts:
    """Changes texts all at once: a call for each of a million would take most of the time."""
    if not len(texts) or not texts.data.all():
        return encode_texts([change(text) for text in texts.strings()])
    joined = np.insert(texts.data, texts.offsets[1:-1], 0).tobytes().decode()
    changed = change(joined).encode()
    ends = np.flatnonzero(np.frombuffer(changed, np.uint8) == 0)
    ends -= np.arange(len(ends))
    data = np.frombuffer(changed.replace(b"\0", b""), np.uint8)
    return Texts(data, np.concatenate([[0], ends, [len(data)]]))


def _extract(
    texts: Sequence[str], pattern: str, which: Which
) -> tuple[list[str], NDArray[np.bool_]]:
    compiled = re.compile(pattern)
    if which == "first":
        matches = [compiled.search(text) for text in texts]
    else:
        matches = [next(iter(deque(compiled.finditer(text), maxlen=1)), None) for text in texts]
    found = np.fromiter((match is not None for match in matches), bool, len(matches))
    answers = [
        "" if match is None else next(filter(None, match.groups()), match.group())
        for match in matches
    ]
    return answers, found


class _Matches(TextMetric, frozen=True):
    """The share of outputs that match, which has the intervals and tests of accuracy."""

    tests = ("mcnemar", "mcnemar-midp")

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["matches"], tally["examples"]), np.nan)

    def estimand(self, tally: Sums) -> Share:
        return Share(tally["matches"], tally["examples"])

    def as_share(self, tally: Sums) -> tuple[Metric, Cells] | None:
        """Accuracy of right and wrong."""
        return share_verdicts(tally)


class ExactMatch(_Matches, frozen=True):
    """The share of outputs that equal one of their references.

    Every character counts, white space and punctuation included, unless it is ignored, as in
    Hugging Face's exact_match and lm-evaluation-harness. An output in which `extract` finds nothing
    equals no reference.

    Formula: outputs that equal a reference / all
    Undefined: without examples.
    Source: Rajpurkar et al. 2016, section 6.1, without its normalisation of texts.
    """

    lowercase: bool = False
    ignore: tuple[Ignorable, ...] = ()
    extract: str | None = None
    which: Which = "first"

    short = "exact_match"
    counters = (MatchCounts, AnswerMatches)

    def __post_init__(self) -> None:
        super().__post_init__()
        freeze_lists(self, "ignore")
        if not isinstance(self.ignore, tuple):
            raise UsageError(f"ignore must be a list such as ['punctuation'], not {self.ignore!r}")
        ignore = tuple(one.lower() if isinstance(one, str) else one for one in self.ignore)
        for one in ignore:
            check_option("ignore", one, IGNORABLE)
        force_setattr(self, "ignore", ignore)
        try:
            re.compile("" if self.extract is None else self.extract)
        except (re.error, TypeError, OverflowError, RecursionError) as error:
            raise UsageError(
                f"extract is a regular expression, not {show(self.extract)}: {error}"
            ) from None

    @property
    def counter(self) -> MatchCounts | AnswerMatches:
        if not self.ignore and self.extract is None:
            return MatchCounts(self.lowercase)
        return AnswerMatches(self.lowercase, self.ignore, self.extract, self.which)


class _SQuAD(TextMetric, frozen=True):
    """What the metrics of SQuAD's scripts share."""

    version: Literal["1.1", "2.0"] = "2.0"
    language: str | None = None

    counters = (AnswerOverlap,)
    unanswerable = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language is not None:
            language = find_language(str(self.language).lower())
            if language not in ANSWER_LANGUAGES:
                raise UsageError(
                    f"{self.short} has rules for {', '.join(ANSWER_LANGUAGES)}, not "
                    f"{self.language!r}; without a language it is scored by SQuAD's"
                )
            force_setattr(self, "language", language)


class SQuADExactMatch(_SQuAD, _Matches, frozen=True):
    """The share of short answers that equal a gold answer after SQuAD's normalisation.

    Case, ASCII punctuation, English articles and white space are ignored. A question without an
    answer has the empty text as gold. Version 2.0 drops gold answers that are empty after this if
    others remain. `language` takes the articles, punctuation and words of MLQA's script, which
    is version 1.1. The scripts print percentages.

    Formula: answers that equal a gold answer / all
    Undefined: without examples.
    Source: Rajpurkar et al. 2016 and 2018; values as evaluate-v1.1.py and evaluate-v2.0.py, and as
        mlqa_evaluation_v1.py (Lewis et al. 2020) with a language.
    """

    short = "squad_exact_match"
    title = "SQuAD Exact Match"


class SQuADF1(_SQuAD, frozen=True):
    """The mean F1 of the words of short answers against the closest gold answer.

    Texts are normalised as for `squad_exact_match`. For a question without an answer version 2.0
    gives 1 if the output is empty too.

    Formula: mean over examples of the largest 2 shared / (words of output + words of gold)
    Undefined: without examples.
    Source: Rajpurkar et al. 2016 and 2018; values as the scripts of `squad_exact_match`.
    """

    short = "squad_f1"
    title = "SQuAD F1"
    zero = "no word of its outputs is in their gold"

    def remark_texts(self, sample: str) -> str | None:
        if find_tokenizer(sample) is None or self.language == "zh":
            return None
        return (
            "{} splits words at spaces, as SQuAD's scripts do, and these texts have hardly any; -l "
            "zh scores Chinese by character, as MLQA does; in others, put spaces between these."
        )

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["f1"], tally["examples"]), np.nan)

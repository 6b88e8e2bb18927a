"""Rates of edits: Levenshtein distance, error rates of words and characters, and TER."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.kinds.texts.edits import (
    AnswerSimilarities,
    EditCounts,
    EditDistances,
    ErrorRates,
    SpeakerEdits,
    Unit,
)
from tallystick.kinds.texts.text_columns import (
    Splitting,
    TextMetric,
    TextPart,
    count_threads,
    prepare_texts,
    sign_as_peer,
    spread,
    yes_or_no,
)
from tallystick.model.tallies.metric import Direction, Values
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer

Normalized = Literal[None, "whisper", "whisper-en"]


class ShiftedEdits(Splitting, frozen=True):
    """Counts the fewest edits and shifts that turn a hypothesis into one of its references.

    Attributes:
        normalized: Whether punctuation is split off, as tercom's normalisation does.
        asian_support: Whether that, and `no_punct`, also know Asian characters.
        tokenizer: What splits texts into words first; None leaves that to the rest.
    """

    columns = ("edits", "reference_length")
    """The edits, and the mean length of the references in words, which is real-valued."""
    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    tokenizer: Tokenizer | None = None

    def rows(self, examples: TextPart) -> NDArray[np.float64]:
        lowercase = not self.case_sensitive
        texts = prepare_texts(examples, lowercase=lowercase, tokenizer=self.tokenizer)
        edits, lengths = _native.count_ter(
            *spread(texts), self.normalized, self.no_punct, self.asian_support, count_threads()
        )
        return np.stack([edits.astype(np.float64), lengths], axis=-1)


class TER(TextMetric, frozen=True):
    """The translation edit rate: edits per reference word, where moving a phrase is one edit.

    Of several references, the one with the fewest edits counts, divided by their mean length.

    Formula: 100 (insertions + deletions + substitutions + shifts) / mean reference length
    Undefined: never; without reference words 100 if there are edits, else 0.
    Source: Snover et al. 2006; values as sacreBLEU 2.6, with its limits on the search for shifts.
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    tokenizer: Tokenizer | None = None

    short = "ter"
    title = "TER"
    better = "lower"
    bounds = (0, float("inf"))
    counters = (ShiftedEdits,)
    tests = ("sacrebleu-ar", "sacrebleu-bs")

    def score(self, tally: Sums) -> Values:
        edits, length = tally["edits"], tally["reference_length"]
        rate = divide(Ratio(edits, length), np.nan)
        return 100 * np.where(length > 0, rate, edits > 0)

    def peer_signature(self, references: int | None) -> str | None:
        """The signature of sacreBLEU, given how many references an example has."""
        if self.tokenizer is not None:
            return None
        return sign_as_peer(
            references,
            not self.case_sensitive,
            tok="tercom",
            norm=yes_or_no(self.normalized),
            punct=yes_or_no(not self.no_punct),
            asian=yes_or_no(self.asian_support),
        )


class Levenshtein(TextMetric, frozen=True):
    """The smallest number of insertions, deletions and substitutions between two texts.

    `total` is the sum over examples, `mean` divides it by their number, and `normalised` by the
    sum of the lengths of the longer text of each.

    Formula: sum of d(hypothesis, reference)
    Undefined: `mean` without examples, `normalised` without characters.
    Source: Levenshtein 1966; values as rapidfuzz.
    """

    measure: Literal["total", "mean", "normalised"] = "total"
    unit: Literal["characters", "words"] = "characters"
    lowercase: bool = False
    tokenizer: Tokenizer | None = None

    short = "levenshtein"
    better = "lower"
    bounds = (0, float("inf"))
    counters = (EditDistances,)

    def score(self, tally: Sums) -> Values:
        if self.measure == "total":
            return tally["distance"]
        size = tally["examples"] if self.measure == "mean" else tally["longer_length"]
        return np.asarray(divide(Ratio(tally["distance"], size), np.nan))


class ANLS(TextMetric, frozen=True):
    """The mean similarity of outputs to their closest reference, by normalised edit distance.

    The similarity is 1 minus the edits of characters divided by the length of the longer text, and
    0 below the `threshold`. Case and the amount of white space are ignored. With a threshold of 0
    it is 1 minus the mean normalised edit distance (1-NED).

    Formula: mean over examples of s or 0, s = 1 - min d(output, reference) / longer length
    Undefined: without examples.
    Source: Biten et al. 2019, arXiv 1905.13648; values as the script of DocVQA and ST-VQA.
    """

    threshold: float = 0.5
    lowercase: bool = True

    short = "anls"
    title = "ANLS"
    counters = (AnswerSimilarities,)
    ranges: ClassVar = {"threshold": (0, 1)}
    zero = "none of its outputs is similar enough to a reference"

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["similarity"], tally["examples"]), np.nan)


class _ErrorRate(TextMetric, frozen=True):
    """A rate of errors in words."""

    better = "lower"
    bounds = (0, float("inf"))

    lowercase: bool = False
    tokenizer: Tokenizer | None = None
    normalize: Normalized = None


class _MacroRate:
    """What a rate of errors in all texts and, with `macro`, the mean of those of examples share."""

    __slots__ = ()

    short: ClassVar[str]
    title: ClassVar[str]
    macro: bool

    @property
    def name(self) -> str:
        return f"macro_{self.short}" if self.macro else self.short

    @property
    def full_title(self) -> str:
        return f"Macro {self.title}" if self.macro else self.title

    def score(self, tally: Sums) -> Values:
        if self.macro:
            return divide(Ratio(tally["rate"], tally["examples"]), np.nan)
        return _rate(tally, _count_errors(tally))


class WER(_MacroRate, _ErrorRate, frozen=True):
    """The word error rate: word substitutions, deletions and insertions per reference word.

    Of several references, the one with the fewest errors counts; of equals, that with the fewest
    substitutions, as in sclite, and then the longest.
    With `macro` it is the mean of the rates of examples.

    Formula: (S + D + I) / (H + S + D)
    Undefined: never; without reference words it is the number of insertions, as in jiwer.
    Source: Morris, Maier and Green 2004; values as jiwer 4.
    """

    short = "wer"
    title = "WER"
    counters = (EditCounts, ErrorRates)

    macro: bool = False

    @property
    def counter(self) -> EditCounts:
        counter = ErrorRates if self.macro else EditCounts
        return counter("words", self.lowercase, self.tokenizer, self.normalize)


class CPWER(_ErrorRate, frozen=True):
    """The word error rate of sessions with several speakers, under the best pairing of speakers.

    An example is a session, and each line of its text contains the words of one speaker. Speakers
    need no names: the pairing with the fewest edits counts, and all words of a speaker without a
    counterpart are edits.

    Formula: smallest sum of S + D + I under any pairing / words of the reference
    Undefined: never; without reference words it is the number of insertions, as for WER.
    Source: Watanabe et al. 2020, arXiv 2004.09249; values as meeteval 0.4.
    """

    short = "cpwer"
    title = "cpWER"
    of_sessions = True
    counters = (SpeakerEdits,)

    def score(self, tally: Sums) -> Values:
        length = tally["reference_length"]
        return np.asarray(tally["errors"] / np.where(length > 0, length, 1))


class CER(_MacroRate, TextMetric, frozen=True):
    """The character error rate: substitutions, deletions and insertions per reference character.

    White space counts, except at both ends of a text. With `macro` it is the mean of the rates of
    examples.

    Formula: (S + D + I) / (H + S + D), over characters
    Undefined: never; without reference characters it is the number of insertions.
    Source: Morris, Maier and Green 2004; values as jiwer 4.
    """

    lowercase: bool = False
    normalize: Normalized = None
    macro: bool = False

    short = "cer"
    title = "CER"
    better = "lower"
    bounds = (0, float("inf"))
    counters = (EditCounts, ErrorRates)

    @property
    def counter(self) -> EditCounts:
        counter = ErrorRates if self.macro else EditCounts
        return counter("stripped", self.lowercase, normalize=self.normalize)


class _EditRate(TextMetric, frozen=True):
    """A rate of edits of words or characters; usually of one kind, per word of reference."""

    better: ClassVar[Direction] = "lower"
    counted: ClassVar[str]
    counters = (EditCounts,)

    lowercase: bool = False
    tokenizer: Tokenizer | None = None
    unit: Literal["words", "characters"] = "words"
    normalize: Normalized = None

    @property
    def counter(self) -> EditCounts:
        unit: Unit = "words" if self.unit == "words" else "stripped"
        return EditCounts(unit, self.lowercase, self.tokenizer, self.normalize)

    def score(self, tally: Sums) -> Values:
        return _rate(tally, tally[self.counted])


def _count_errors(tally: Sums) -> Values:
    return np.asarray(tally["substitutions"] + tally["deletions"] + tally["insertions"])


def _rate(tally: Sums, edits: Values) -> Values:
    """Edits by the length of the references; their number where that is 0, as jiwer has it."""
    length = tally["hits"] + tally["substitutions"] + tally["deletions"]
    return np.asarray(edits / np.where(length > 0, length, 1))


class MER(_EditRate, frozen=True):
    """The match error rate: the share of aligned words, insertions included, that are wrong.

    Formula: (S + D + I) / (H + S + D + I)
    Undefined: never; 0 if both texts are empty.
    Source: Morris, Maier and Green 2004; values as jiwer 4.
    """

    short = "mer"
    title = "MER"

    def score(self, tally: Sums) -> Values:
        errors = _count_errors(tally)
        return np.asarray(divide(Ratio(errors, tally["hits"] + errors), 0.0))


class WIL(_EditRate, frozen=True):
    """The word information lost: 1 minus hits per reference word times hits per output word.

    Formula: 1 - (H / reference words) (H / hypothesis words)
    Undefined: never; 0 if both texts are empty, 1 if only one is.
    Source: Morris, Maier and Green 2004; values as jiwer 4.
    """

    short = "wil"
    title = "WIL"

    def score(self, tally: Sums) -> Values:
        hits = tally["hits"]
        reference = hits + tally["substitutions"] + tally["deletions"]
        hypothesis = hits + tally["substitutions"] + tally["insertions"]
        kept = divide(Ratio(hits, reference), 0.0) * divide(Ratio(hits, hypothesis), 0.0)
        return 1 - np.where((reference == 0) & (hypothesis == 0), 1.0, kept)


class SubstitutionRate(_EditRate, frozen=True):
    """The number of substituted words per reference word.

    The rates of substitutions, deletions and insertions add up to WER, or to CER of characters.

    Formula: S / (H + S + D), of the tally `EditCounts`
    Undefined: never; 0 without reference words.
    Source: jiwer 4's substitutions, divided by the length of the references.
    """

    short = "substitution_rate"
    counted = "substitutions"


class DeletionRate(_EditRate, frozen=True):
    """The number of reference words missing from the output, per reference word.

    Formula: D / (H + S + D), of the tally `EditCounts`
    Undefined: never; 0 without reference words.
    Source: jiwer 4's deletions, divided by the length of the references.
    """

    short = "deletion_rate"
    counted = "deletions"


class InsertionRate(_EditRate, frozen=True):
    """The number of inserted words per reference word.

    Formula: I / (H + S + D), of the tally `EditCounts`
    Undefined: never; without reference words it is the number of insertions, as for WER.
    Source: jiwer 4's insertions, divided by the length of the references.
    """

    short = "insertion_rate"
    counted = "insertions"
    bounds = (0, float("inf"))


class HitRate(_EditRate, frozen=True):
    """The share of reference words that the output has unchanged.

    Formula: H / (H + S + D), of the tally `EditCounts`
    Undefined: never; 0 without reference words.
    Source: jiwer 4's hits, divided by the length of the references.
    """

    short = "hit_rate"
    counted = "hits"
    zero = "nothing of its references is in its outputs"
    better = "higher"

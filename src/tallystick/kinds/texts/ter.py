"""TER: edits with shifts of words, by words of the reference."""

from typing import final

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.kinds.texts.text_columns import TextMetric, TextPart, sign_as_peer, yes_or_no
from tallystick.kinds.texts.text_sums import Splitting, count_threads, prepare_texts, spread
from tallystick.model.tallies.metric import Values
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer


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


@final
class TER(TextMetric, frozen=True):
    """How many edits, a shifted phrase counting one, a hypothesis needs per word of reference.

    Of several references the one that needs fewest edits counts, against their mean length.

    Formula: 100 (insertions + deletions + substitutions + shifts) / mean reference length
    Undefined: never; without reference words it is 100 if there are edits, else 0.
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

    def __post_init__(self) -> None:
        check_tokenizer(self)

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

"""SARI, which contains a simplified text against its source and its references."""

from collections import Counter as Counts
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.texts.text_columns import Splitting, TextPart, need_texts, prepare_texts
from tallystick.kinds.texts.texts import TextExamples, encode_texts
from tallystick.model.columns import INPUT
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer

_ORDER = 4


class SariSums(Splitting, frozen=True):
    """Sums what each simplified text is worth; without a tokenizer texts are split by 13a."""

    columns = ("sum", "examples")
    tokenizer: Tokenizer | None = None
    lowercase: bool = True

    def take_sources(self, part: TextPart, systems: Systems) -> TextPart:
        """The texts with the source of each before its references."""
        texts = need_texts(part)
        if systems.inputs is None:
            raise UsageError(
                "sari compares outputs with the texts that were simplified, and no column "
                f"contains them: none is called {', '.join(INPUT[:4])}, ..."
            )
        sources = map(str, systems.inputs.to_pylist())
        both = [
            text
            for source, (_, references) in zip(sources, texts.strings(), strict=True)
            for text in (source, *references)
        ]
        moved = texts.spans + np.arange(len(texts.spans))
        return TextExamples(texts.hypotheses, encode_texts(both), moved)

    def rows(self, examples: TextPart) -> NDArray[np.float64]:
        """One row of columns per example, whose first reference is its source."""
        tokenizer = self.tokenizer or "13a"
        texts = prepare_texts(examples, lowercase=self.lowercase, tokenizer=tokenizer)
        values = [
            _simplify(*(text.split(" ") for text in (output, *others)))
            for output, others in texts.strings()
        ]
        return np.column_stack([values, np.ones(len(values))])


class SARI(Metric, frozen=True):
    """The quality of a simplification: the mean score of its kept, deleted and added n-grams.

    The source of each text is read from a column such as `source`.

    Formula: mean over texts of 100/3 (F of kept + precision of deleted + F of added n-grams), each
        the mean over n from 1 to 4, where 0/0 is 1
    Undefined: without examples.
    Source: Xu et al. 2016, TACL 4; values as sari of Hugging Face's evaluate 0.4, whose recall of
        kept n-grams is a share of all that are kept.
    """

    tokenizer: Tokenizer | None = None
    lowercase: bool = True

    short = "sari"
    title = "SARI"
    bounds = (0, 100)
    counters = (SariSums,)

    def __post_init__(self) -> None:
        check_tokenizer(self)

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["sum"], tally["examples"]), np.nan)


def _simplify(output: Sequence[str], source: Sequence[str], *references: Sequence[str]) -> float:
    parts = [
        _compare(_count(source, n), _count(output, n), [_count(own, n) for own in references])
        for n in range(1, _ORDER + 1)
    ]
    return float(100 * sum(sum(own) / _ORDER for own in zip(*parts, strict=True)) / 3)


def _count(tokens: Sequence[str], n: int) -> Counts[tuple[str, ...]]:
    return Counts(zip(*(tokens[at:] for at in range(n)), strict=False))


def _compare(
    source: Counts[tuple[str, ...]],
    output: Counts[tuple[str, ...]],
    references: Sequence[Counts[tuple[str, ...]]],
) -> tuple[float, float, float]:
    """The F of kept, the precision of deleted and the F of added n-grams of one order.

    Source and output count once for each reference.
    """
    times, wanted = len(references), Counts[tuple[str, ...]]()
    for one in references:
        wanted.update(one)
    kept = {gram: times * min(source[gram], output[gram]) for gram in source if gram in output}
    rightly = {gram: min(count, wanted[gram]) for gram, count in kept.items()}
    keepable = sum(min(times * source[gram], wanted[gram]) for gram in source if gram in wanted)
    deleted = {
        gram: times * (count - output[gram])
        for gram, count in source.items()
        if count > output[gram]
    }
    unwanted = (max(count - wanted[gram], 0) / count for gram, count in deleted.items())
    added = [gram for gram in output if gram not in source]
    addable = sum(gram not in source for gram in wanted)
    hits = sum(gram in wanted for gram in added)
    shares = sum(rightly[gram] / count for gram, count in kept.items())
    return (
        _balance(_share(shares, len(kept)), _share(sum(rightly.values()), keepable)),
        _share(sum(unwanted), len(deleted)),
        _balance(_share(hits, len(added)), _share(hits, addable)),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _balance(precision: float, recall: float) -> float:
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0

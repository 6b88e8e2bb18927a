"""The scorer of rouge_score."""

from collections.abc import Iterable, Sequence
from itertools import starmap
from operator import itemgetter

from tallystick.compat.rouge_score.scoring import BaseScorer, Score, fmeasure
from tallystick.compat.rouge_score.tokenizers import Tokenizer
from tallystick.errors import InputError, UsageError
from tallystick.kinds.texts.rouge import ROUGE
from tallystick.kinds.texts.rouge_rows import Reading
from tallystick.kinds.texts.texts import TextExamples, pair_texts
from tallystick.tokens.normalizing import PORTER

__all__ = ["RougeScorer"]

_KINDS = {f"rouge{kind}": kind for kind in (*"123456789", "L", "Lsum")}
_PLACES = (lambda _: "prediction", lambda _: "target")
"""What messages call the texts."""


class RougeScorer(BaseScorer):
    """Scores predictions against targets; `use_stemmer` is ignored where there is a tokenizer."""

    def __init__(
        self,
        rouge_types: Iterable[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.rouge_types = _check_types(rouge_types)
        self._reading = Reading(
            tokenizer.tokenize if tokenizer else "rouge",
            PORTER if use_stemmer and not tokenizer else None,
            sentences="regex" if split_summaries else "newline",
        )
        self._measures = [ROUGE(_KINDS[name]).counter.rules[0].measure for name in self.rouge_types]

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """The score of each type."""
        return self._score(pair_texts([prediction], [target], _PLACES))

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """The score of each type against that target of which F1 is highest."""
        if isinstance(targets, str):
            raise InputError("targets must be a list of strings, not one string")
        return self._score(pair_texts([prediction], [targets], _PLACES))

    def _score(self, examples: TextExamples) -> dict[str, Score]:
        by_target = self._reading.count(examples, self._measures).tolist()
        return {
            name: max(starmap(_rate, counts), key=itemgetter(2))
            for name, counts in zip(self.rouge_types, zip(*by_target, strict=True), strict=True)
        }


def _rate(hits: float, predicted: float, wanted: float) -> Score:
    """The score of one target; for arrays of one number NumPy takes ten times as long."""
    precision, recall = hits / max(predicted, 1.0), hits / max(wanted, 1.0)
    return Score(precision, recall, fmeasure(precision, recall))


def _check_types(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise UsageError(f"rouge_types must be a list of names, not {names!r}; write [{names!r}]")
    types = list(names)
    for name in types:
        if name not in _KINDS:
            raise UsageError(
                f"there is no type {name!r} here; choose rouge1 to rouge9, rougeL or rougeLsum"
            )
    return types

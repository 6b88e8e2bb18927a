"""The classes of Google's rouge_score 0.1.2, with the same arguments and results.

Its modules `rouge_scorer` and `scoring` are both this one, so that a script changes its import,
`from rouge_score import rouge_scorer, scoring`, into

    from tallystick.compat import rouge_score as rouge_scorer, rouge_score as scoring

Scores are the same to the last bit, but for `split_summaries=True`: there NLTK's punkt model, which
must be downloaded, splits sentences, and here the regular expression that comes with Tallystick
does. A type that does not exist is refused when the scorer is made, and not when it scores; bytes
and lone surrogates are refused.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.examples.texts import TextExamples, pair_texts
from tallystick.metrics.rouge import ROUGE
from tallystick.tallies.reading import Reading
from tallystick.tokens.stemmers import PORTER

__all__ = ["AggregateScore", "BootstrapAggregator", "RougeScorer", "Score"]

_KINDS = {f"rouge{kind}": kind for kind in (*"123456789", "L", "Lsum")}
_PLACES = (lambda _: "prediction", lambda _: "target")
"""What messages call the texts."""


class Score(NamedTuple):
    """Precision, recall and F1."""

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """A confidence interval; `mid` is the median of the resampled means."""

    low: Any
    mid: Any
    high: Any


class Tokenizer(Protocol):
    """What splits texts in place of the usual rule."""

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""


class RougeScorer:
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
            raise InputError("targets are a list of strings, not one string")
        return self._score(pair_texts([prediction], [targets], _PLACES))

    def _score(self, examples: TextExamples) -> dict[str, Score]:
        by_target = self._reading.count(examples, self._measures).tolist()
        return {
            name: max(starmap(_rate, counts), key=itemgetter(2))
            for name, counts in zip(self.rouge_types, zip(*by_target, strict=True), strict=True)
        }


class BootstrapAggregator:
    """Intervals of mean scores by the percentile bootstrap.

    Without a seed it draws from NumPy's global generator, as rouge_score does; with one, it draws
    what that draws after `numpy.random.seed(seed)`.
    """

    def __init__(
        self, confidence_interval: float = 0.95, n_samples: int = 1000, seed: int | None = None
    ) -> None:
        if not 0 <= confidence_interval <= 1:
            raise UsageError(f"confidence_interval is from 0 to 1, not {confidence_interval}")
        if n_samples <= 0:
            raise UsageError(f"n_samples is a number from 1 on, not {n_samples}")
        self._confidence_interval = confidence_interval
        self._n_samples = n_samples
        self._seed = seed
        self._scores: dict[str, list[Any]] = {}

    def add_scores(self, scores: Mapping[str, Any]) -> None:
        """Adds the scores of one example: a named tuple for each type."""
        for name, score in scores.items():
            self._scores.setdefault(name, []).append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """The interval of each type, precision, recall and F1 each on their own."""
        draw = np.random if self._seed is None else np.random.RandomState(self._seed)
        result = {}
        for name, scores in self._scores.items():
            percentiles = self._resample(np.array(scores, np.float64), draw)
            result[name] = AggregateScore(*(type(scores[0])(*row) for row in percentiles.tolist()))
        return result

    def _resample(self, values: NDArray[np.float64], draw: Any) -> NDArray[np.float64]:
        """Percentiles of means of rows drawn with replacement, of shape (3, columns)."""
        n = len(values)
        means = [values[draw.choice(n, n)].mean(0) for _ in range(self._n_samples)]
        tail = (1 - self._confidence_interval) / 2
        return np.asarray(np.percentile(means, 100 * np.array([tail, 0.5, 1 - tail]), axis=0))


def _rate(hits: float, predicted: float, wanted: float) -> Score:
    """The score of one target; for arrays of one number NumPy takes ten times as long."""
    precision, recall = hits / max(predicted, 1.0), hits / max(wanted, 1.0)
    total = precision + recall
    return Score(precision, recall, 2 * precision * recall / total if total else 0.0)


def _check_types(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise UsageError(f"rouge_types is a list of names, not {names!r}; write [{names!r}]")
    types = list(names)
    for name in types:
        if name not in _KINDS:
            raise UsageError(
                f"there is no type {name!r} here; choose rouge1 to rouge9, rougeL or rougeLsum"
            )
    return types

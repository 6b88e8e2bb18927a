"""What sacreBLEU's three metrics have in common: how they count, score, print and sign."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.texts.text_columns import sign_as_sacrebleu
from tallystick.kinds.texts.texts import TextExamples, count_references, pair_texts
from tallystick.model.codes import row_of
from tallystick.model.tallies.sums import Sums
from tallystick.statistics.sacrebleu_tests import replay_bootstrap

__all__ = ["EmptyCorpusError", "Metric", "Score", "Signature", "Streams", "read_number"]

Streams = Sequence[Sequence[str | None]]
"""One list per reference stream, each with a reference, or None, of every hypothesis."""

_GENERAL = ("version", "nrefs", "bs", "ar", "seed", "test", "lang", "origlang", "subset")
_SHORT = {
    "version": "v",
    "nrefs": "#",
    "seed": "rs",
    "test": "t",
    "lang": "l",
    "origlang": "o",
    "subset": "S",
    "case": "c",
    "eff": "e",
    "smooth": "s",
    "space": "s",
    "norm": "nr",
    "punct": "pn",
    "asian": "as",
}


class EmptyCorpusError(InputError, IndexError):
    """There is nothing to score; where sacreBLEU is given nothing, it raises an IndexError."""


class Signature:
    """What a score depends on, as sacreBLEU's signatures tell it; None is not shown."""

    def __init__(self, info: Mapping[str, object], short: Mapping[str, str] = _SHORT) -> None:
        self.info: dict[str, object] = dict.fromkeys(_GENERAL) | dict(info)
        self._short = short

    def format(self, short: bool = False) -> str:
        """All keys with their values, the version last; `short` abbreviates the keys."""
        keys = [*(key for key in self.info if key != "version"), "version"]
        names = self._short if short else {}
        return "|".join(
            f"{names.get(key, key)}:{_spell(self.info[key])}"
            for key in keys
            if self.info[key] is not None
        )

    def update(self, key: str, value: object) -> None:
        """Sets the value of a key."""
        self.info[key] = value

    def __repr__(self) -> str:
        return self.format()


class _Interval(Struct, frozen=True, kw_only=True):
    _mean: float = -1.0
    _ci: float = -1.0


class Score(_Interval, frozen=True):
    """A score that prints as sacreBLEU's do.

    Attributes:
        score: The number, on the scale of the metric.
    """

    score: float

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the metric."""

    @property
    def _verbose(self) -> str:
        return ""

    def format(
        self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False
    ) -> str:
        """The score as sacreBLEU prints it: the number alone, as JSON, or in a line.

        Args:
            width: How many decimals numbers have.
            score_only: Whether only the number is printed, and its interval if there is one.
            signature: What is next to the name.
            is_json: Whether the result is a JSON object.
        """
        number, interval = f"{self.score:.{width}f}", self._format_interval(width)
        line = f"{number} ({interval})" if interval else number
        if score_only:
            return line
        if is_json:
            return json.dumps(self._describe(width, signature), indent=1, ensure_ascii=False)
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {line} {self._verbose}".rstrip()

    def _format_interval(self, width: int) -> str:
        if self._mean <= 0:
            return ""
        return f"\N{GREEK SMALL LETTER MU} = {self._mean:.{width}f} ± {self._ci:.{width}f}"

    def _describe(self, width: int, signature: str) -> dict[str, object]:
        fields: dict[str, object] = {
            "name": self.name,
            "score": float(f"{self.score:.{width}f}"),
            "signature": signature,
        }
        if self._mean > 0:
            fields["confidence_mean"] = float(f"{self._mean:.{width}f}")
            fields["confidence_var"] = float(f"{self._ci:.{width}f}")
            fields["confidence"] = self._format_interval(width)
        if self._verbose:
            fields["verbose_score"] = self._verbose
        return fields | dict(pair.split(":", 1) for pair in signature.split("|") if pair)

    def __repr__(self) -> str:
        return self.format()


Found = TypeVar("Found", bound=Score)


class Metric(ABC, Generic[Found]):
    """Counts hypotheses against references, and scores the sums of what it counts.

    Attributes:
        n_bootstrap: How many resamples the last interval is from, or None.
        seed: The seed of these resamples, as the environment has it, or None.
    """

    _short: ClassVar[Mapping[str, str]] = _SHORT

    def __init__(self, metric: Any, references: Streams | None) -> None:
        self._metric = metric
        self._references = references
        self._spans: NDArray[np.int64] | None = None
        self.n_bootstrap: int | None = None
        self.seed: str | None = None

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1
    ) -> Found:
        """The score of a corpus; references None takes those given at the start.

        With `n_bootstrap` above 1 it has the mean and half the width of 95% of the scores of as
        many resamples, drawn as sacreBLEU draws them.
        """
        rows = self._count(hypotheses, references)
        score = self._present(self._tally(rows.sum(0)))
        if n_bootstrap <= 1:
            return score
        self.n_bootstrap = n_bootstrap
        replay = replay_bootstrap(rows[None], self._score_sums, n_bootstrap, read_number())
        mean, half = replay.bound(0)
        self.seed = os.environ.get("SACREBLEU_SEED", "12345").lower()
        return replace(score, _mean=mean, _ci=half)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Found:
        """The score of one sentence."""
        if isinstance(references, str):
            raise InputError("references of a sentence must be a list of strings, not one string")
        return self.corpus_score([hypothesis], [[one] for one in references])

    def get_signature(self) -> Signature:
        """SacreBLEU's signature of the last score, or of the references given at the start."""
        spans = self._spans
        if spans is None and self._references is not None:
            spans = _pair([""] * len(self._references[0]), self._references).spans
        if spans is None:
            raise InputError("score something first: the signature says how many references")
        text = sign_as_sacrebleu(self._metric, 1)
        if text is None:
            raise UsageError(f"sacreBLEU has no signature for {self._metric!r}")
        info = dict(pair.split(":", 1) for pair in text.split("|"))
        own = {"nrefs": count_references(spans) or "var", "bs": self.n_bootstrap, "seed": self.seed}
        return Signature({**info, **own}, self._short)

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Streams | None
    ) -> list[list[float]]:
        """The counts of each example, from whose sums a score is computed."""
        counts: list[list[float]] = self._count(hypotheses, references).tolist()
        return counts

    def _compute_score_from_stats(self, stats: Sequence[float] | NDArray[Any]) -> Found:
        return self._present(self._tally(np.asarray(stats)))

    def _aggregate_and_compute(self, stats: Sequence[Sequence[float]]) -> Found:
        return self._compute_score_from_stats(np.asarray(stats).sum(0))

    @abstractmethod
    def _present(self, tally: Sums) -> Found:
        """The score of a tally of one group."""

    def _count(self, hypotheses: Sequence[str], references: Streams | None) -> NDArray[Any]:
        streams = self._references if references is None else references
        if streams is None:
            raise InputError("there are no references: give them here, or when making the metric")
        examples = _pair(hypotheses, streams)
        self._spans = examples.spans
        rows: NDArray[Any] = self._metric.counter.rows(examples)
        return rows

    def _tally(self, sums: NDArray[Any]) -> Sums:
        one = np.ones(1, np.int64)
        return Sums(self._metric.counter, ("",), ("all",), sums[None, ..., None, :], one)

    def _score_sums(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = self._metric.score(self._tally(sums))[..., 0]
        return scores


def read_number() -> int | None:
    """The number in SACREBLEU_SEED, which may be 0; None is a new seed every time."""
    text = os.environ.get("SACREBLEU_SEED", "12345")
    return None if text.lower() == "none" else int(text)


def _spell(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _pair(hypotheses: Sequence[str], references: Streams) -> TextExamples:
    """Examples out of sacreBLEU's layout, one list per reference stream."""
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise InputError("a list of strings was expected, not one string; put it into a list")
    if not len(hypotheses):
        raise EmptyCorpusError("there are no hypotheses to score")
    if not len(references):
        raise EmptyCorpusError("there are no reference streams to score against")
    for place, stream in enumerate(references):
        _check_stream(stream, place, len(hypotheses))
    single = len(references) == 1 and set(map(type, references[0])) <= {str}
    several = references[0] if single else [list(own) for own in zip(*references, strict=True)]
    return pair_texts(hypotheses, several, (row_of("hypotheses"), row_of("references")))


def _check_stream(stream: Sequence[str | None], place: int, n: int) -> None:
    if isinstance(stream, str):
        raise InputError("references are lists of strings, one list per reference stream")
    if not len(stream):
        raise EmptyCorpusError(f"reference stream {place + 1} is empty")
    if len(stream) != n:
        raise InputError(
            f"there are {n} hypotheses but reference stream {place + 1} has {len(stream)}; a "
            "stream contains one reference of every hypothesis"
        )

"""The functions and classes of sacreBLEU 2.6 with the same arguments and result attributes.

`from tallystick.compat import sacrebleu` replaces `import sacrebleu` in a script that scores. What
sacreBLEU scores in silence, hypotheses and references of different lengths, is an error here.
References come in its layout: one list per reference stream.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.examples.labels import row_of
from tallystick.examples.texts import TextExamples, count_references, pair_texts
from tallystick.metrics import bleu, chrf, ter
from tallystick.metrics.brevity_penalty import penalise
from tallystick.tallies.sums import SumsTally

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "BLEUScore",
    "CHRFScore",
    "TERScore",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]

Streams = Sequence[Sequence[str | None]]
Smoothing = Literal["exp", "floor", "add-k", "none"]


@dataclass(frozen=True, slots=True)
class BLEUScore:
    """A BLEU score and what it was computed from."""

    score: float
    counts: list[int]
    totals: list[int]
    precisions: list[float]
    bp: float
    sys_len: int
    ref_len: int
    name: str = "BLEU"

    @property
    def ratio(self) -> float:
        """The length of the hypotheses by that of the references."""
        return self.sys_len / self.ref_len if self.ref_len else 0

    @property
    def prec_str(self) -> str:
        """The precisions with one decimal."""
        return "/".join(f"{precision:.1f}" for precision in self.precisions)

    def format(self, width: int = 2, score_only: bool = False, signature: str = "") -> str:
        """The score as sacreBLEU prints it."""
        verbose = (
            f"{self.prec_str} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d})"
        )
        return _format(self, width, score_only, signature, verbose)

    def __str__(self) -> str:
        return self.format()


@dataclass(frozen=True, slots=True)
class CHRFScore:
    """A chrF score and the options in its name."""

    score: float
    char_order: int
    word_order: int
    beta: float

    @property
    def name(self) -> str:
        """The metric's name, such as chrF2++."""
        return f"chrF{self.beta}{'+' * self.word_order}"

    def format(self, width: int = 2, score_only: bool = False, signature: str = "") -> str:
        """The score as sacreBLEU prints it."""
        return _format(self, width, score_only, signature, "")

    def __str__(self) -> str:
        return self.format()


@dataclass(frozen=True, slots=True)
class TERScore:
    """A TER score and what it was computed from."""

    score: float
    num_edits: int
    ref_length: float
    name: str = "TER"

    def format(self, width: int = 2, score_only: bool = False, signature: str = "") -> str:
        """The score as sacreBLEU prints it."""
        return _format(self, width, score_only, signature, "")

    def __str__(self) -> str:
        return self.format()


class _Scorer:
    """What the three metrics have in common: counting, and remembering how many references."""

    def __init__(self, metric: Any, references: Streams | None) -> None:
        self._metric = metric
        self._references = references
        self._spans: NDArray[np.int64] | None = None

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None) -> Any:
        """The score of a corpus; references None takes those given at the start."""
        streams = self._references if references is None else references
        if streams is None:
            raise InputError("there are no references: give them here, or when making the metric")
        examples = _pair(hypotheses, streams)
        self._spans = examples.spans
        return self._present(self._metric.counter.count(examples))

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Any:
        """The score of one sentence."""
        if isinstance(references, str):
            raise InputError("references of a sentence are a list of strings, not one string")
        return self.corpus_score([hypothesis], [[one] for one in references])

    def get_signature(self) -> str:
        """SacreBLEU's signature of the last score."""
        if self._spans is None:
            raise InputError("score something first: the signature says how many references")
        signature: str = self._metric.peer_signature(count_references(self._spans))
        return signature

    def _present(self, tally: SumsTally) -> Any:
        raise NotImplementedError


class BLEU(_Scorer):
    """BLEU with sacreBLEU's arguments."""

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: Smoothing = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Streams | None = None,
    ) -> None:
        del force  # sacreBLEU's warning about tokenised input is not given here
        by_language = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
        metric = bleu.BLEU(
            tokenizer=tokenize or by_language.get(trg_lang, "13a"),
            smoothing=smooth_method,
            smooth_value=smooth_value,
            effective_order=effective_order,
            lowercase=lowercase,
            order=max_ngram_order,
        )
        _Scorer.__init__(self, metric, references)

    def _present(self, tally: SumsTally) -> BLEUScore:
        precisions, correct, total = parts = self._metric.precisions(tally)
        penalty = penalise(tally)
        return BLEUScore(
            float(self._metric.combine(parts, penalty)[0]),
            correct[0].tolist(),
            total[0].tolist(),
            precisions[0].tolist(),
            float(penalty[0]),
            int(tally["hypothesis_length"][0]),
            int(tally["reference_length"][0]),
        )


class CHRF(_Scorer):
    """chrF with sacreBLEU's arguments."""

    def __init__(
        self,
        char_order: int = 6,
        word_order: int = 0,
        beta: float = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Streams | None = None,
    ) -> None:
        metric = chrf.ChrF(char_order, word_order, beta, whitespace, eps_smoothing, lowercase)
        _Scorer.__init__(self, metric, references)

    def _present(self, tally: SumsTally) -> CHRFScore:
        metric = self._metric
        score = float(metric.score(tally)[0])
        return CHRFScore(score, metric.char_order, metric.word_order, metric.beta)


class TER(_Scorer):
    """TER with sacreBLEU's arguments."""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Streams | None = None,
    ) -> None:
        metric = ter.TER(normalized, no_punct, asian_support, case_sensitive)
        _Scorer.__init__(self, metric, references)

    def _present(self, tally: SumsTally) -> TERScore:
        score = float(self._metric.score(tally)[0])
        return TERScore(score, int(tally["edits"][0]), float(tally["reference_length"][0]))


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Streams,
    smooth_method: Smoothing = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str = "13a",
    use_effective_order: bool = False,
) -> BLEUScore:
    """BLEU of a corpus."""
    metric = BLEU(
        lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    )
    score: BLEUScore = metric.corpus_score(hypotheses, references)
    return score


def raw_corpus_bleu(
    hypotheses: Sequence[str], references: Streams, smooth_value: float | None = 0.1
) -> BLEUScore:
    """BLEU of a corpus that is tokenised already, with floor smoothing."""
    return corpus_bleu(
        hypotheses, references, "floor", smooth_value, tokenize="none", use_effective_order=True
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: Smoothing = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str = "13a",
    use_effective_order: bool = True,
) -> BLEUScore:
    """BLEU of one sentence."""
    metric = BLEU(
        lowercase, False, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    )
    score: BLEUScore = metric.sentence_score(hypothesis, references)
    return score


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Streams,
    char_order: int = 6,
    word_order: int = 0,
    beta: float = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """ChrF of a corpus."""
    metric = CHRF(
        char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing
    )
    score: CHRFScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = 6,
    word_order: int = 0,
    beta: float = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """ChrF of one sentence."""
    metric = CHRF(
        char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing
    )
    score: CHRFScore = metric.sentence_score(hypothesis, references)
    return score


def corpus_ter(
    hypotheses: Sequence[str],
    references: Streams,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of a corpus."""
    metric = TER(normalized, no_punct, asian_support, case_sensitive)
    score: TERScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_ter(
    hypothesis: str,
    references: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of one sentence."""
    metric = TER(normalized, no_punct, asian_support, case_sensitive)
    score: TERScore = metric.sentence_score(hypothesis, references)
    return score


def _pair(hypotheses: Sequence[str], references: Streams) -> TextExamples:
    """Examples out of sacreBLEU's layout, one list per reference stream."""
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise InputError("a list of strings was expected, not one string; put it into a list")
    for place, stream in enumerate(references):
        if isinstance(stream, str):
            raise InputError("references are lists of strings, one list per reference stream")
        if len(stream) != len(hypotheses):
            raise InputError(
                f"there are {len(hypotheses)} hypotheses but reference stream {place + 1} has "
                f"{len(stream)}; a stream holds one reference of every hypothesis"
            )
    single = len(references) == 1 and set(map(type, references[0])) <= {str}
    several = references[0] if single else [list(own) for own in zip(*references, strict=True)]
    return pair_texts(hypotheses, several, (row_of("hypotheses"), row_of("references")))


def _format(score: Any, width: int, score_only: bool, signature: str, verbose: str) -> str:
    number = f"{score.score:.{width}f}"
    if score_only:
        return number
    name = f"{score.name}|{signature}" if signature else score.name
    return f"{name} = {number} {verbose}".rstrip()

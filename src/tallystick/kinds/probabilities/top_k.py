"""Top-k accuracy."""

from collections.abc import Iterator
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass, replace
from tallystick.kinds.labels import LABELS, PROBABILITIES, find_scores
from tallystick.kinds.labels.accuracy import Accuracy
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.labels.label_columns import LabelColumn, Output, read_scores
from tallystick.model.codes import Labels
from tallystick.model.facts import Facts
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Share, check_whole
from tallystick.model.tallies.ratios import Proportion
from tallystick.model.tallies.tally import Tally
from tallystick.output.tables.notes import Danger


@dataclass(frozen=True, slots=True)
class TopLabels:
    """Counts the gold label as predicted where it is among the most probable ones.

    Attributes:
        k: How many labels are taken for predicted.
    """

    kind = PROBABILITIES
    k: int = 1

    def count(self, systems: Systems) -> Cells:
        scored, gold, outputs = find_scores(systems)
        column = LabelColumn(gold, tuple(self._predict(gold, own) for own in outputs))
        return replace(Confusion().count(scored.beside(LABELS.side, column)), counter=self)

    def _predict(self, gold: Labels, output: Output) -> Output:
        """The gold label where it is among the first k, else the most probable label."""
        scores = read_scores(output)
        if scores.ndim == 1:
            scores = np.stack([1 - scores, scores], axis=-1)
        found = _find_ranks(scores, gold.codes) < self.k
        codes = np.where(found, gold.codes, scores.argmax(axis=1)).astype(gold.codes.dtype)
        missed = ~found & (codes == gold.codes)  # a tie that another label has won
        if missed.any():
            codes[missed] = np.where(gold.codes[missed] == 0, 1, 0)
        return replace(output, labels=Labels(codes, gold.names))


def _find_ranks(scores: NDArray[np.floating], gold: NDArray[np.integer]) -> NDArray[np.int64]:
    """How many labels stand before the gold one; of equal scores, those of later labels do."""
    own = scores[np.arange(len(scores)), gold]
    later = np.arange(scores.shape[1]) > gold[:, None]
    before = (scores > own[:, None]) | ((scores == own[:, None]) & later)
    return np.asarray(before.sum(axis=1))


@final
@dataclass(frozen=True, slots=True, repr=False)
class TopKAccuracy(Proportion):
    """The share of examples whose gold label is among the k most probable ones.

    Of labels with equal probability the one that comes last in the order of the labels is first.

    Formula: examples with the gold label among the k labels of the highest probability / all
    Undefined: without examples.
    Source: values as scikit-learn's top_k_accuracy_score.
    """

    k: int = 2

    short = "top_k_accuracy"
    title = "Top-k Accuracy"
    zero = "no gold label is among its most probable ones"
    counters = (TopLabels,)
    tests = ("mcnemar", "mcnemar-midp")
    explained: ClassVar = {"k": "how many of the most probable labels count"}

    def __post_init__(self) -> None:
        check_whole("k", self.k, 1)

    @property
    def counter(self) -> TopLabels:
        return TopLabels(self.k)

    @property
    def name(self) -> str:
        return f"top_{self.k}_accuracy"

    @property
    def full_title(self) -> str:
        return f"Top-{self.k} Accuracy"

    def estimand(self, tally: Cells) -> Share:
        return Accuracy().estimand(tally)

    def notes(self, tally: Tally, facts: Facts) -> Iterator[tuple[str, str]]:
        labels = len(tally.need_patterns().labels)
        if self.k >= labels:
            told = f"always 1 with {labels} labels, whatever the outputs: {{}}."
            yield Danger(told), self.name

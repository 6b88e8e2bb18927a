"""The examples read once: gold, and every system's outputs beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.guessed import Former
from tallystick.examples.kinds import Kind
from tallystick.examples.labels import Label, Labels
from tallystick.examples.numbers import Numbers
from tallystick.examples.sets import LabelRows
from tallystick.examples.spans import SpanPairs
from tallystick.examples.task import Task
from tallystick.examples.texts import TextExamples
from tallystick.examples.token_lists import TokenExamples
from tallystick.results import Refusal

TextPart = TextExamples | TokenExamples


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """What one system said about labels.

    Attributes:
        labels: The predicted labels or label sets, over the names of the gold.
        probabilities: The positive label's, of shape (examples,); or every label's, of shape
            (examples, labels) in the order of the names; or None.
        invalid: Which outputs are no label and count as wrong; None where there are none.
        threshold: From which probability on the positive label was predicted; None where the
            labels were given.
    """

    labels: Labels | LabelRows
    probabilities: NDArray[Any] | None = None
    invalid: NDArray[np.bool_] | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Systems:
    """Columns of equal length, one row per example: gold once, every system's outputs beside it.

    A side that no metric asked for is left out: there are `gold` and `outputs`, or `texts`, or
    `numbers`, or `spans`, or several of them.

    Attributes:
        names: The names of the systems.
        gold: What should have come out: labels, or label sets for a multilabel task. For a binary
            task the names are (negative, positive).
        outputs: What each system said.
        texts: Each system's texts beside the references.
        numbers: Each system's numbers.
        spans: Gold spans and each system's.
        ratings: All ratings that annotators gave each example, as a JSON list in order; there
            are no systems beside them.
        tries: The outcome of every system's tries of each example, as `Outcome` writes it.
        groups: The group of each example, or None.
        clusters: What each example belongs to, such as its document; or None.
        weights: The weight of each example, or None where all count the same.
        counts: int64; how many examples each row stands for, or None where it is one.
        ids: The id of each example; None where its place in the order tells it.
        inputs: The input text of each example, an Arrow column; None where the gold has none.
        first: The number of the first example, where these are a part of more.
        notes: What was guessed about the data, in words.
        refused: The systems that could not be read, each with the reason.
        tolerant: Whether further systems may be refused.
        task: The task, settled.
        asked: The task as it was asked for: labels named there count in full in averages.
        matrix: The columns of the gold that are its labels, where label sets have that form.
        former: What these examples tell of how further ones of each system are read.
    """

    names: tuple[str, ...]
    gold: Labels | LabelRows | None = None
    outputs: tuple[Output, ...] = ()
    texts: tuple[TextPart, ...] = ()
    numbers: Numbers | None = None
    spans: SpanPairs | None = None
    ratings: Labels | None = None
    tries: tuple[Labels, ...] = ()
    groups: Labels | None = None
    clusters: Labels | None = None
    weights: NDArray[np.float64] | None = None
    counts: NDArray[np.int64] | None = None
    ids: Sequence[str] | None = None
    inputs: Any = None
    first: int = 0
    notes: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    tolerant: bool = False
    task: Task = field(default_factory=Task)
    asked: Task = field(default_factory=Task)
    matrix: tuple[str, ...] = ()
    former: tuple[tuple[str, Former], ...] = ()

    def __len__(self) -> int:
        if self.gold is not None:
            return len(self.gold)
        if self.spans is not None:
            return len(self.spans)
        if self.ratings is not None:
            return len(self.ratings)
        if self.tries:
            return len(self.tries[0])
        return len(self.texts[0]) if self.numbers is None else len(self.numbers)

    @property
    def kinds(self) -> frozenset[Kind]:
        """What was read of the examples; label sets count as labels, distributions as numbers."""
        read: dict[Kind, bool] = {
            "labels": self.gold is not None,
            "probabilities": bool(self.scored),
            "texts": bool(self.texts),
            "numbers": self.numbers is not None,
            "spans": self.spans is not None,
            "tries": bool(self.tries),
            "ratings": self.ratings is not None,
        }
        return frozenset(kind for kind, there in read.items() if there)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that gold and outputs share, or ratings; none where nothing has any."""
        if self.ratings is not None:
            return self.task.labels or ()
        return () if self.gold is None else self.gold.names

    @property
    def scored(self) -> tuple[str, ...]:
        """The systems that have probabilities."""
        rows = zip(self.names, self.outputs, strict=False)
        return tuple(name for name, own in rows if own.probabilities is not None)

    def of(self, *names: str) -> "Systems":
        """The same examples with some of the systems."""
        places = [self.names.index(name) for name in names]
        return replace(
            self,
            names=names,
            outputs=tuple(self.outputs[place] for place in places if self.outputs),
            texts=tuple(self.texts[place] for place in places if self.texts),
            tries=tuple(self.tries[place] for place in places if self.tries),
            numbers=None if self.numbers is None else self.numbers.of(places),
            spans=None if self.spans is None else self.spans.of_systems(places),
        )

"""UAS, LAS, CLAS, MLAS, BLEX, and what parsers tag, segment and lemmatize."""

from typing import ClassVar

import numpy as np
from msgspec import Struct

from tallystick.errors import UsageError
from tallystick.kinds.trees import MEASURES, TREES, TYPES, Measure, list_measures
from tallystick.kinds.trees.tree_reader import COLUMNS, UNITS
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import Metric, Values, fold_option
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums, sum_values

_CONTENT = ("CLAS", "MLAS", "BLEX")


class ParseCounts(Struct, frozen=True):
    """Sums the words, tokens and sentences on either side, and how many of them agree."""

    kind = TREES
    columns: ClassVar[tuple[str, ...]] = COLUMNS

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of dependency trees")
        if systems.weights is not None:
            raise UsageError("metrics of dependency trees do not support weights")
        return sum_values(self, systems, TREES.of(systems).counts)


class ParseScore(Metric, frozen=True):
    """The F1 of a parser's words, heads, relations or tags against a gold treebank in CoNLL-U.

    Types are the heads of words ("UAS"), heads with relations ("LAS"), the same of content words
    only ("CLAS"), with tags, features and function words ("MLAS") or lemmas ("BLEX"); tags and
    lemmas of words ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"); and the words, tokens and
    sentences themselves. Words are aligned if the parser segments the text differently.

    Formula: 2 correct / (gold + predicted); the precision is correct / predicted, the recall
        correct / gold, and the aligned accuracy correct / aligned
    Undefined: if the denominator is 0; the script prints 0.
    Source: Zeman et al. 2018; values as the CoNLL 2018 shared task's evaluation script.
    """

    short = "parse_score"
    counters = (ParseCounts,)
    zero = "none of its analyses is that of the gold"
    explained: ClassVar = {
        "type": "what is scored, by the names of the shared task",
        "measure": "F1, precision, recall, or the accuracy on aligned words",
    }

    type: str = "LAS"
    measure: Measure = "f1"

    def __post_init__(self) -> None:
        fold_option(self, "type", TYPES)
        fold_option(self, "measure", MEASURES)
        if self.measure not in list_measures(self.type):
            raise UsageError(f"{self.type} has no accuracy on aligned words")

    @property
    def name(self) -> str:
        """The name in the shared task, such as `LAS`, with the measure."""
        return self.type if self.measure == "f1" else f"{self.type}_{self.measure}"

    @property
    def full_title(self) -> str:
        measure = "" if self.measure == "f1" else f" {self.measure.replace('_', ' ').title()}"
        return f"{self.type}{measure}"

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally[self._correct], self._count(tally)), np.nan)

    def _count(self, tally: Sums) -> Values:
        """How many items the score is a share of: on either side, aligned, or half of both."""
        if self.measure == "f1":
            return np.asarray((tally[f"gold_{self._unit}"] + tally[f"system_{self._unit}"]) / 2)
        side = {"precision": "system", "recall": "gold"}.get(self.measure, "aligned")
        return np.asarray(tally[f"{side}_{self._unit}"], np.float64)

    @property
    def _unit(self) -> str:
        name = self.type.casefold()
        return name if name in UNITS else "content" if self.type in _CONTENT else "words"

    @property
    def _correct(self) -> str:
        name = self.type.casefold()
        return f"aligned_{name}" if name in UNITS else name

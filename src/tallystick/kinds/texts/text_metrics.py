"""What text metrics share: calling them on texts, and checking orders of n-grams."""

from typing import Any

from tallystick.examples.systems import Systems
from tallystick.kinds.texts.pairs import read_pairs
from tallystick.kinds.texts.text_columns import TextColumn
from tallystick.tallies.metric import check_whole

_HIGHEST = 16
"""The longest n-gram that the kernels count."""


def score_once(metric: Any, hypotheses: object, references: object) -> float:
    """The corpus score of hypotheses against references; `read_pairs` says what they may be."""
    systems = Systems(("hypotheses",), {"texts": TextColumn((read_pairs(hypotheses, references),))})
    return float(metric.score(metric.counter.count(systems))[0])


def check_order(name: str, value: object, least: int = 1) -> None:
    """Raises a UsageError unless an option is an order of n-grams: a whole number up to 16."""
    check_whole(name, value, least, _HIGHEST)

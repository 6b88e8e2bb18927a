"""What scoring gives back: plain frozen records, and the results that hold them.

Only the records are imported here, so that whoever needs no more loads no writers.
"""

from typing import TYPE_CHECKING, Any

from tallystick.output.results.records import (
    Check,
    ConfusionMatrix,
    Correction,
    Criterion,
    Difference,
    Flip,
    Friedman,
    Missing,
    Place,
    Power,
    Refusal,
    Score,
    SeedScore,
    Standing,
    Threshold,
    Verdict,
)

if TYPE_CHECKING:
    from tallystick.output.results.comparison import Comparison as Comparison
    from tallystick.output.results.evaluation import Evaluation as Evaluation
    from tallystick.output.results.gate import Gate as Gate
    from tallystick.output.results.other_results import Plan as Plan
    from tallystick.output.results.other_results import Seeds as Seeds
    from tallystick.output.results.other_results import Tuning as Tuning
    from tallystick.output.results.ranking import Ranking as Ranking

_HOLDING = {
    "Comparison": "comparison",
    "Evaluation": "evaluation",
    "Gate": "gate",
    "Plan": "other_results",
    "Ranking": "ranking",
    "Seeds": "other_results",
    "Tuning": "other_results",
}
"""The results that hold records, each with its module."""

__all__ = [
    "Check",
    "ConfusionMatrix",
    "Correction",
    "Criterion",
    "Difference",
    "Flip",
    "Friedman",
    "Missing",
    "Place",
    "Power",
    "Refusal",
    "Score",
    "SeedScore",
    "Standing",
    "Threshold",
    "Verdict",
]
__all__ += [*_HOLDING]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Loads a result that contains records when it is first asked for."""
    import importlib

    if name not in _HOLDING:
        raise AttributeError(f"module 'tallystick.results' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tallystick.output.results.{_HOLDING[name]}"), name)

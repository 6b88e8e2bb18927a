"""What scoring gives back: plain frozen records, and the results that hold them.

Only the records are imported here, so that whoever needs no more loads no writers.
"""

from typing import TYPE_CHECKING, Any

from tallystick.results.places import Criterion, Friedman, Missing, Place, Standing
from tallystick.results.records import (
    Check,
    ConfusionMatrix,
    Correction,
    Difference,
    Flip,
    Power,
    Refusal,
    Score,
    SeedScore,
    Threshold,
    Verdict,
)

if TYPE_CHECKING:
    from tallystick.results.comparison import Comparison as Comparison
    from tallystick.results.evaluation import Evaluation as Evaluation
    from tallystick.results.gate import Gate as Gate
    from tallystick.results.plan import Plan as Plan
    from tallystick.results.ranking import Ranking as Ranking
    from tallystick.results.seeds import Seeds as Seeds
    from tallystick.results.tuning import Tuning as Tuning

_HOLDING = ("Comparison", "Evaluation", "Gate", "Plan", "Ranking", "Seeds", "Tuning")

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
    """Loads a result that holds records when it is first asked for."""
    import importlib

    if name not in _HOLDING:
        raise AttributeError(f"module 'tallystick.results' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tallystick.results.{name.lower()}"), name)

"""Tallystick scores the predictions of NLP systems against gold."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tallystick import metrics as metrics
    from tallystick.comparison import compare as compare
    from tallystick.comparison import compare_texts as compare_texts
    from tallystick.errors import InputError as InputError
    from tallystick.errors import TallystickError as TallystickError
    from tallystick.errors import UsageError as UsageError
    from tallystick.evaluate import open_run as open_run
    from tallystick.evaluate import score as score
    from tallystick.evaluate import score_run as score_run
    from tallystick.evaluate import score_texts as score_texts
    from tallystick.examples import Predictions as Predictions
    from tallystick.examples import Task as Task
    from tallystick.report import Comparison as Comparison
    from tallystick.report import Evaluation as Evaluation
    from tallystick.results import ConfusionMatrix as ConfusionMatrix
    from tallystick.results import Difference as Difference
    from tallystick.results import Flip as Flip
    from tallystick.results import Score as Score
    from tallystick.tallies.alignment import Alignment as Alignment
    from tallystick.tallies.alignment import edits as edits

_HOMES = {
    "Alignment": "tallies.alignment",
    "Comparison": "report",
    "ConfusionMatrix": "results",
    "Difference": "results",
    "Evaluation": "report",
    "Flip": "results",
    "InputError": "errors",
    "Predictions": "examples",
    "Score": "results",
    "TallystickError": "errors",
    "Task": "examples",
    "UsageError": "errors",
    "compare": "comparison",
    "compare_texts": "comparison",
    "edits": "tallies.alignment",
    "open_run": "evaluate",
    "score": "evaluate",
    "score_run": "evaluate",
    "score_texts": "evaluate",
}

__all__ = [
    "Alignment",
    "Comparison",
    "ConfusionMatrix",
    "Difference",
    "Evaluation",
    "Flip",
    "InputError",
    "Predictions",
    "Score",
    "TallystickError",
    "Task",
    "UsageError",
    "__version__",
    "compare",
    "compare_texts",
    "edits",
    "metrics",
    "open_run",
    "score",
    "score_run",
    "score_texts",
]


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first asked for, so that the import itself costs nothing."""
    if name == "metrics":
        return importlib.import_module("tallystick.metrics")
    if name not in _HOMES:
        raise AttributeError(f"module 'tallystick' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tallystick.{_HOMES[name]}"), name)

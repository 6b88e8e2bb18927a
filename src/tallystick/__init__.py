"""Tallystick scores the predictions of NLP systems against gold."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tallystick import metrics as metrics
    from tallystick.errors import InputError as InputError
    from tallystick.errors import TallystickError as TallystickError
    from tallystick.errors import UsageError as UsageError
    from tallystick.evaluate import cross_fit_threshold as cross_fit_threshold
    from tallystick.evaluate import open_run as open_run
    from tallystick.evaluate import score as score
    from tallystick.evaluate import score_run as score_run
    from tallystick.evaluate import score_texts as score_texts
    from tallystick.evaluate import tune_threshold as tune_threshold
    from tallystick.examples import Predictions as Predictions
    from tallystick.examples import Task as Task
    from tallystick.intervals.settings import Intervals as Intervals
    from tallystick.metrics.scoring import Scoring as Scoring
    from tallystick.metrics.scoring import scoring_defaults as scoring_defaults
    from tallystick.report import Evaluation as Evaluation
    from tallystick.report.tuning import Tuning as Tuning
    from tallystick.results import ConfusionMatrix as ConfusionMatrix
    from tallystick.results import Score as Score
    from tallystick.results import Threshold as Threshold
    from tallystick.tallies.alignment import Alignment as Alignment
    from tallystick.tallies.alignment import edits as edits

_HOMES = {
    "Alignment": "tallies.alignment",
    "ConfusionMatrix": "results",
    "Evaluation": "report",
    "InputError": "errors",
    "Intervals": "intervals.settings",
    "Predictions": "examples",
    "Score": "results",
    "Scoring": "metrics.scoring",
    "TallystickError": "errors",
    "Task": "examples",
    "Threshold": "results",
    "Tuning": "report.tuning",
    "UsageError": "errors",
    "cross_fit_threshold": "evaluate",
    "edits": "tallies.alignment",
    "open_run": "evaluate",
    "score": "evaluate",
    "score_run": "evaluate",
    "score_texts": "evaluate",
    "scoring_defaults": "metrics.scoring",
    "tune_threshold": "evaluate",
}

__all__ = [
    "Alignment",
    "ConfusionMatrix",
    "Evaluation",
    "InputError",
    "Intervals",
    "Predictions",
    "Score",
    "Scoring",
    "TallystickError",
    "Task",
    "Threshold",
    "Tuning",
    "UsageError",
    "__version__",
    "baselines",
    "cross_fit_threshold",
    "edits",
    "metrics",
    "open_run",
    "score",
    "score_run",
    "score_texts",
    "scoring_defaults",
    "sklearn",
    "tune_threshold",
]


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first asked for, so that the import itself costs nothing."""
    if name in ("baselines", "metrics", "sklearn"):
        return importlib.import_module(f"tallystick.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'tallystick' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tallystick.{_HOMES[name]}"), name)

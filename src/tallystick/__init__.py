"""Tallystick scores the predictions of NLP systems against gold."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tallystick import metrics as metrics
    from tallystick.comparison.compare import compare as compare
    from tallystick.comparison.gates.gate import gate as gate
    from tallystick.comparison.plan import plan as plan
    from tallystick.comparison.ranking.overall_ranking import rank_tracks as rank_tracks
    from tallystick.comparison.ranking.rank import rank as rank
    from tallystick.comparison.seeds import score_seeds as score_seeds
    from tallystick.comparison.settings import Testing as Testing
    from tallystick.engines.count import count as count
    from tallystick.errors import InputError as InputError
    from tallystick.errors import TallystickError as TallystickError
    from tallystick.errors import UsageError as UsageError
    from tallystick.examples.columns import Columns as Columns
    from tallystick.examples.reading import Kind as Kind
    from tallystick.examples.task import Task as Task
    from tallystick.kinds.labels.label_lists import Predictions as Predictions
    from tallystick.kinds.texts.alignment import Alignment as Alignment
    from tallystick.kinds.texts.alignment import edits as edits
    from tallystick.metrics.scoring import Scoring as Scoring
    from tallystick.metrics.scoring import scoring_defaults as scoring_defaults
    from tallystick.render.style import Style as Style
    from tallystick.results import Check as Check
    from tallystick.results import ConfusionMatrix as ConfusionMatrix
    from tallystick.results import Difference as Difference
    from tallystick.results import Flip as Flip
    from tallystick.results import Place as Place
    from tallystick.results import Power as Power
    from tallystick.results import Refusal as Refusal
    from tallystick.results import Score as Score
    from tallystick.results import SeedScore as SeedScore
    from tallystick.results import Standing as Standing
    from tallystick.results import Threshold as Threshold
    from tallystick.results.comparison import Comparison as Comparison
    from tallystick.results.evaluation import Evaluation as Evaluation
    from tallystick.results.gate import Gate as Gate
    from tallystick.results.plan import Plan as Plan
    from tallystick.results.ranking import Ranking as Ranking
    from tallystick.results.seeds import Seeds as Seeds
    from tallystick.results.tuning import Tuning as Tuning
    from tallystick.scoring.counted import Counted as Counted
    from tallystick.scoring.run import open_run as open_run
    from tallystick.scoring.run import score_run as score_run
    from tallystick.scoring.saved import load_tallies as load_tallies
    from tallystick.scoring.score import score as score
    from tallystick.scoring.thresholds import cross_fit_threshold as cross_fit_threshold
    from tallystick.scoring.thresholds import tune_threshold as tune_threshold
    from tallystick.statistics.settings import Intervals as Intervals
    from tallystick.tallies.metric import Metric as Metric
    from tallystick.tallies.tally import Counter as Counter
    from tallystick.tallies.tally import Tally as Tally

_HOMES = {
    "Tally": "tallies.tally",
    "Counter": "tallies.tally",
    "Metric": "tallies.metric",
    "Kind": "examples.reading",
    "Alignment": "kinds.texts.alignment",
    "Check": "results",
    "Columns": "examples.columns",
    "Comparison": "results.comparison",
    "ConfusionMatrix": "results",
    "Counted": "scoring.counted",
    "Difference": "results",
    "Evaluation": "results.evaluation",
    "Flip": "results",
    "Gate": "results.gate",
    "InputError": "errors",
    "Intervals": "statistics.settings",
    "Place": "results",
    "Plan": "results.plan",
    "Power": "results",
    "Predictions": "kinds.labels.label_lists",
    "Ranking": "results.ranking",
    "Refusal": "results",
    "Score": "results",
    "Scoring": "metrics.scoring",
    "SeedScore": "results",
    "Seeds": "results.seeds",
    "Standing": "results",
    "Style": "render.style",
    "TallystickError": "errors",
    "Task": "examples.task",
    "Testing": "comparison.settings",
    "Threshold": "results",
    "Tuning": "results.tuning",
    "UsageError": "errors",
    "compare": "comparison.compare",
    "count": "engines.count",
    "cross_fit_threshold": "scoring.thresholds",
    "edits": "kinds.texts.alignment",
    "gate": "comparison.gates.gate",
    "load_tallies": "scoring.saved",
    "open_run": "scoring.run",
    "plan": "comparison.plan",
    "rank": "comparison.ranking.rank",
    "rank_tracks": "comparison.ranking.overall_ranking",
    "score": "scoring.score",
    "score_run": "scoring.run",
    "score_seeds": "comparison.seeds",
    "scoring_defaults": "metrics.scoring",
    "tune_threshold": "scoring.thresholds",
}

__all__ = [
    "Alignment",
    "Check",
    "Columns",
    "Comparison",
    "ConfusionMatrix",
    "Counted",
    "Counter",
    "Difference",
    "Evaluation",
    "Flip",
    "Gate",
    "InputError",
    "Intervals",
    "Kind",
    "Metric",
    "Place",
    "Plan",
    "Power",
    "Predictions",
    "Ranking",
    "Refusal",
    "Score",
    "Scoring",
    "SeedScore",
    "Seeds",
    "Standing",
    "Style",
    "Tally",
    "TallystickError",
    "Task",
    "Testing",
    "Threshold",
    "Tuning",
    "UsageError",
    "__version__",
    "baselines",
    "compare",
    "count",
    "cross_fit_threshold",
    "edits",
    "gate",
    "load_tallies",
    "metrics",
    "open_run",
    "plan",
    "rank",
    "rank_tracks",
    "score",
    "score_run",
    "score_seeds",
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


def __dir__() -> list[str]:
    """Lists the public names, also those that are not loaded yet."""
    return __all__

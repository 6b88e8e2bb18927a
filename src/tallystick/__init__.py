"""Tallystick scores the predictions of NLP systems against gold."""

from tallystick.version import __version__

TYPE_CHECKING = False
"""What tools that check types take for true; `typing` would take longer to load than the rest."""

if TYPE_CHECKING:
    from tallystick import baselines as baselines
    from tallystick import metrics as metrics
    from tallystick import results as results
    from tallystick import sklearn as sklearn
    from tallystick.api import Data as Data
    from tallystick.api import read as read
    from tallystick.comparison.compare import compare as compare
    from tallystick.comparison.gates.gate import gate as gate
    from tallystick.comparison.plan import plan as plan
    from tallystick.comparison.ranking.overall_ranking import rank_tracks as rank_tracks
    from tallystick.comparison.ranking.rank import rank as rank
    from tallystick.comparison.seeds import score_seeds as score_seeds
    from tallystick.distributed.count import count as count
    from tallystick.errors import InputError as InputError
    from tallystick.errors import TallystickError as TallystickError
    from tallystick.errors import UsageError as UsageError
    from tallystick.kinds.labels.label_reader import Predictions as Predictions
    from tallystick.kinds.metrics.scoring import Scoring as Scoring
    from tallystick.kinds.metrics.scoring import scoring_defaults as scoring_defaults
    from tallystick.kinds.texts.edits import Alignment as Alignment
    from tallystick.kinds.texts.edits import edits as edits
    from tallystick.model.columns import Columns as Columns
    from tallystick.model.facts import Task as Task
    from tallystick.model.reading import Kind as Kind
    from tallystick.model.tallies.metric import Metric as Metric
    from tallystick.model.tallies.tally import Counter as Counter
    from tallystick.model.tallies.tally import Tally as Tally
    from tallystick.output.tables.document import Style as Style
    from tallystick.scoring.counted import Counted as Counted
    from tallystick.scoring.saved import load as load
    from tallystick.scoring.score import open_run as open_run
    from tallystick.scoring.score import score as score
    from tallystick.scoring.score import score_run as score_run
    from tallystick.scoring.thresholds import cross_fit_threshold as cross_fit_threshold
    from tallystick.scoring.thresholds import tune_threshold as tune_threshold
    from tallystick.statistics.settings import Intervals as Intervals
    from tallystick.statistics.settings import Testing as Testing

_SHOWN = {
    "Columns": "model.columns",
    "Counter": "model.tallies.tally",
    "Data": "api",
    "InputError": "errors",
    "Intervals": "statistics.settings",
    "Kind": "model.reading",
    "Metric": "model.tallies.metric",
    "Predictions": "kinds.labels.label_reader",
    "Style": "output.tables.document",
    "Tally": "model.tallies.tally",
    "TallystickError": "errors",
    "Task": "model.facts",
    "Testing": "statistics.settings",
    "UsageError": "errors",
    "compare": "comparison.compare",
    "count": "distributed.count",
    "edits": "kinds.texts.edits",
    "gate": "comparison.gates.gate",
    "load": "scoring.saved",
    "plan": "comparison.plan",
    "rank": "comparison.ranking.rank",
    "read": "api",
    "score": "scoring.score",
    "score_run": "scoring.score",
    "tune_threshold": "scoring.thresholds",
}
"""What most people need, each with its module."""

_FURTHER = {
    "Alignment": "kinds.texts.edits",
    "Counted": "scoring.counted",
    "Scoring": "kinds.metrics.scoring",
    "cross_fit_threshold": "scoring.thresholds",
    "open_run": "scoring.score",
    "rank_tracks": "comparison.ranking.overall_ranking",
    "score_seeds": "comparison.seeds",
    "scoring_defaults": "kinds.metrics.scoring",
}
"""What is for special purposes, and not listed."""

_MODULES = ("baselines", "metrics", "results", "sklearn")

__all__ = ["__version__"]
__all__ += [*_MODULES, *_SHOWN]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    """Loads a public name when it is first asked for, so that the import itself costs nothing."""
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"tallystick.{name}")
    home = _SHOWN.get(name) or _FURTHER.get(name)
    if home is None:
        raise AttributeError(f"module 'tallystick' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tallystick.{home}"), name)


def __dir__() -> list[str]:
    """Lists what most people need, also what is not loaded yet."""
    return sorted(__all__)

"""The only orchestration: examples are counted, metrics applied, and scores put together."""

from tallystick.evaluate.memory import score
from tallystick.evaluate.run import Run, open_run, score_run
from tallystick.evaluate.tables import score_tables
from tallystick.evaluate.texts import score_texts
from tallystick.evaluate.thresholds import cross_fit_threshold, tune_threshold

__all__ = [
    "Run",
    "cross_fit_threshold",
    "open_run",
    "score",
    "score_run",
    "score_tables",
    "score_texts",
    "tune_threshold",
]

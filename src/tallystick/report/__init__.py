"""Results in, text out: renders scores for people, papers and programs."""

from tallystick.report.comparison import Comparison, render_comparison
from tallystick.report.evaluation import FORMATS, Evaluation, render
from tallystick.report.gate import Gate
from tallystick.report.ranking import Ranking
from tallystick.report.records import render_confusion

__all__ = [
    "FORMATS",
    "Comparison",
    "Evaluation",
    "Gate",
    "Ranking",
    "render",
    "render_comparison",
    "render_confusion",
]

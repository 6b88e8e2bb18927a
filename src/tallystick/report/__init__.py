"""Results in, text out: renders scores for people, papers and programs."""

from tallystick.report.evaluation import FORMATS, Evaluation, render
from tallystick.report.records import render_confusion

__all__ = ["FORMATS", "Evaluation", "render", "render_confusion"]

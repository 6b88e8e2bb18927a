"""The default metrics of each task, and of what is read as anything but labels."""

from collections.abc import Callable
from functools import cache
from typing import Literal

from tallystick import metrics
from tallystick.examples.task import Kind
from tallystick.tallies.metric import Metric

Usual = Kind | Literal["run", "numbers", "soft labels", "ratings", "spans", "texts"]
"""A task; or the columns of a multilingual toxicity run, or what has no single labels."""


@cache
def list_usual(what: Usual) -> tuple[Metric, ...]:
    """Returns the default metrics, whose modules are loaded when they are first asked for."""
    return _USUAL[what]()


def _list_per_label() -> tuple[Metric, ...]:
    return (
        metrics.Precision(None, zero_division=0),
        metrics.Recall(None, zero_division=0),
        metrics.F1(None, zero_division=0),
        metrics.Support(),
    )


_USUAL: dict[Usual, Callable[[], tuple[Metric, ...]]] = {
    "binary": lambda: (
        metrics.PositiveRate(),
        metrics.ROCAUC(),
        metrics.F1(),
        metrics.Precision(),
        metrics.Recall(),
        metrics.Accuracy(),
    ),
    "multiclass": lambda: (
        metrics.Accuracy(),
        metrics.Precision("weighted", zero_division=0),
        metrics.Recall("weighted", zero_division=0),
        metrics.F1("weighted", zero_division=0),
        metrics.Precision("macro", zero_division=0),
        metrics.Recall("macro", zero_division=0),
        metrics.F1("macro", zero_division=0),
        metrics.LogLoss(),
        metrics.BrierScore(),
        metrics.ECE(),
        metrics.ROCAUC(),
        *_list_per_label(),
    ),
    "multilabel": lambda: (
        metrics.F1("macro", zero_division=0),
        metrics.F1("micro", zero_division=0),
        metrics.HammingLoss(),
        metrics.ExactMatchRatio(),
        *_list_per_label(),
    ),
    "run": lambda: (
        metrics.PositiveRate(),
        metrics.ROCAUC(),
        metrics.F1(zero_division=0),
        metrics.Precision(zero_division=0),
        metrics.Recall(zero_division=0),
        metrics.Accuracy(),
        metrics.TruePositives(),
        metrics.TrueNegatives(),
        metrics.FalsePositives(),
        metrics.FalseNegatives(),
        metrics.Specificity(zero_division=0),
        metrics.FPR(zero_division=0),
        metrics.FNR(zero_division=0),
    ),
    "numbers": lambda: (metrics.Pearson(), metrics.MAE(), metrics.RMSE()),
    "soft labels": lambda: (
        metrics.Manhattan(),
        metrics.JSDistance(),
        metrics.SoftF1("micro"),
        metrics.SoftF1("macro"),
    ),
    "ratings": lambda: (metrics.KrippendorffAlpha(), metrics.GwetAC1()),
    "spans": lambda: (
        metrics.SpanPrecision(),
        metrics.SpanRecall(),
        metrics.SpanF1(),
        metrics.SpanF1("macro"),
        metrics.SpanF1("weighted"),
        metrics.SpanPrecision(None),
        metrics.SpanRecall(None),
        metrics.SpanF1(None),
    ),
    "texts": lambda: (metrics.BLEU(), metrics.ChrF()),
}

"""The default metrics of each task, and of what is read as anything but labels."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from tallystick.kinds.metrics.names import parse
from tallystick.model.tallies.metric import Metric
from tallystick.model.task import Kind

Usual = Kind | Literal["run", "numbers", "soft labels", "ratings", "spans", "texts"]
"""A task; or the columns of a multilingual toxicity run, or what has no single labels."""


_PER_LABEL = (
    "Precision(average=None, zero_division=0)",
    "Recall(average=None, zero_division=0)",
    "F1(average=None, zero_division=0)",
    "support",
)
_USUAL: Mapping[Usual, Sequence[str]] = {
    "binary": ("positive_rate", "roc_auc", "f1", "precision", "recall", "accuracy"),
    "multiclass": (
        "accuracy",
        *("weighted_precision", "weighted_recall", "weighted_f1"),
        *("macro_precision", "macro_recall", "macro_f1"),
        *("log_loss", "brier_score", "ece", "roc_auc"),
        *_PER_LABEL,
    ),
    "multilabel": ("macro_f1", "micro_f1", "hamming_loss", "exact_match_ratio", *_PER_LABEL),
    "run": (
        *("positive_rate", "roc_auc"),
        *(f"{name}(zero_division=0)" for name in ("F1", "Precision", "Recall")),
        "accuracy",
        *("true_positives", "true_negatives", "false_positives", "false_negatives"),
        *(f"{name}(zero_division=0)" for name in ("Specificity", "FPR", "FNR")),
    ),
    "numbers": ("pearson", "mae", "rmse"),
    "soft labels": ("manhattan", "js_distance", "SoftF1('micro')", "SoftF1('macro')"),
    "ratings": ("krippendorff_alpha", "gwet_ac1"),
    "spans": (
        *("span_precision", "span_recall", "span_f1", "SpanF1('macro')", "SpanF1('weighted')"),
        *("SpanPrecision(None)", "SpanRecall(None)", "SpanF1(None)"),
    ),
    "texts": ("bleu", "chrf"),
}
"""The metrics as `-m` names them."""


@cache
def list_usual(what: Usual) -> tuple[Metric, ...]:
    """Returns the default metrics, whose modules are loaded when they are first asked for."""
    return tuple(map(parse, _USUAL[what]))

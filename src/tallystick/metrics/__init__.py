"""The metrics: one literal table that tests, documentation and the command go through."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallystick.metrics.accuracy import Accuracy as Accuracy
    from tallystick.metrics.accuracy_within import AccuracyWithin as AccuracyWithin
    from tallystick.metrics.accuracy_within_sd import AccuracyWithinSD as AccuracyWithinSD
    from tallystick.metrics.average_precision import AveragePrecision as AveragePrecision
    from tallystick.metrics.balanced_accuracy import BalancedAccuracy as BalancedAccuracy
    from tallystick.metrics.bleu import BLEU as BLEU
    from tallystick.metrics.bleu_parts import BrevityPenalty as BrevityPenalty
    from tallystick.metrics.bleu_parts import HypothesisLength as HypothesisLength
    from tallystick.metrics.bleu_parts import NgramPrecision as NgramPrecision
    from tallystick.metrics.bleu_parts import ReferenceLength as ReferenceLength
    from tallystick.metrics.brier import BrierComplement as BrierComplement
    from tallystick.metrics.brier import BrierScore as BrierScore
    from tallystick.metrics.ccc import CCC as CCC
    from tallystick.metrics.chrf import ChrF as ChrF
    from tallystick.metrics.cohen_kappa import CohenKappa as CohenKappa
    from tallystick.metrics.distributions import AnnotatorError as AnnotatorError
    from tallystick.metrics.distributions import JSDistance as JSDistance
    from tallystick.metrics.distributions import JSDivergence as JSDivergence
    from tallystick.metrics.distributions import Manhattan as Manhattan
    from tallystick.metrics.distributions import SoftCrossEntropy as SoftCrossEntropy
    from tallystick.metrics.distributions import SoftF1 as SoftF1
    from tallystick.metrics.distributions import Wasserstein as Wasserstein
    from tallystick.metrics.ece import ECE as ECE
    from tallystick.metrics.edit_rates import CER as CER
    from tallystick.metrics.edit_rates import MER as MER
    from tallystick.metrics.edit_rates import WER as WER
    from tallystick.metrics.edit_rates import WIL as WIL
    from tallystick.metrics.exact_match import ExactMatch as ExactMatch
    from tallystick.metrics.f_measures import F1 as F1
    from tallystick.metrics.f_measures import FBeta as FBeta
    from tallystick.metrics.fleiss_kappa import FleissKappa as FleissKappa
    from tallystick.metrics.gwet_ac1 import GwetAC1 as GwetAC1
    from tallystick.metrics.kendall import KendallTauB as KendallTauB
    from tallystick.metrics.kendall import KendallTauC as KendallTauC
    from tallystick.metrics.krippendorff_alpha import KrippendorffAlpha as KrippendorffAlpha
    from tallystick.metrics.label_counts import FalseNegatives as FalseNegatives
    from tallystick.metrics.label_counts import FalsePositives as FalsePositives
    from tallystick.metrics.label_counts import PositiveRate as PositiveRate
    from tallystick.metrics.label_counts import Support as Support
    from tallystick.metrics.label_counts import TrueNegatives as TrueNegatives
    from tallystick.metrics.label_counts import TruePositives as TruePositives
    from tallystick.metrics.label_sets import ExactMatchRatio as ExactMatchRatio
    from tallystick.metrics.label_sets import HammingLoss as HammingLoss
    from tallystick.metrics.levenshtein import Levenshtein as Levenshtein
    from tallystick.metrics.log_loss import LogLoss as LogLoss
    from tallystick.metrics.mae import MAE as MAE
    from tallystick.metrics.mcc import MCC as MCC
    from tallystick.metrics.mean import Mean as Mean
    from tallystick.metrics.mean_of import MeanOf as MeanOf
    from tallystick.metrics.metric import Metric as Metric
    from tallystick.metrics.model_selection import LScore as LScore
    from tallystick.metrics.model_selection import SScore as SScore
    from tallystick.metrics.pearson import Pearson as Pearson
    from tallystick.metrics.r2 import R2 as R2
    from tallystick.metrics.rates import FNR as FNR
    from tallystick.metrics.rates import FPR as FPR
    from tallystick.metrics.rates import Precision as Precision
    from tallystick.metrics.rates import Recall as Recall
    from tallystick.metrics.rates import Specificity as Specificity
    from tallystick.metrics.rmse import RMSE as RMSE
    from tallystick.metrics.roc_auc import ROCAUC as ROCAUC
    from tallystick.metrics.rouge import ROUGE as ROUGE
    from tallystick.metrics.spans import SpanF1 as SpanF1
    from tallystick.metrics.spans import SpanPrecision as SpanPrecision
    from tallystick.metrics.spans import SpanRecall as SpanRecall
    from tallystick.metrics.spearman import Spearman as Spearman
    from tallystick.metrics.squad import SQuADExactMatch as SQuADExactMatch
    from tallystick.metrics.squad import SQuADF1 as SQuADF1
    from tallystick.metrics.ter import TER as TER
    from tallystick.metrics.tries import AvgAtK as AvgAtK
    from tallystick.metrics.tries import MajAtK as MajAtK
    from tallystick.metrics.tries import PassAtK as PassAtK
    from tallystick.metrics.tries import PassHatK as PassHatK
    from tallystick.metrics.unanswered import F05U as F05U
    from tallystick.metrics.unanswered import CAt1 as CAt1
    from tallystick.metrics.weighted_kappa import WeightedKappa as WeightedKappa

    METRICS: tuple[type[Metric], ...]

__all__ = [
    "BLEU",
    "CCC",
    "CER",
    "ECE",
    "F05U",
    "F1",
    "FNR",
    "FPR",
    "MAE",
    "MCC",
    "MER",
    "METRICS",
    "R2",
    "RMSE",
    "ROCAUC",
    "ROUGE",
    "TER",
    "WER",
    "WIL",
    "Accuracy",
    "AccuracyWithin",
    "AccuracyWithinSD",
    "AnnotatorError",
    "AveragePrecision",
    "AvgAtK",
    "BalancedAccuracy",
    "BrevityPenalty",
    "BrierComplement",
    "BrierScore",
    "CAt1",
    "ChrF",
    "CohenKappa",
    "ExactMatch",
    "ExactMatchRatio",
    "FBeta",
    "FalseNegatives",
    "FalsePositives",
    "FleissKappa",
    "GwetAC1",
    "HammingLoss",
    "HypothesisLength",
    "JSDistance",
    "JSDivergence",
    "KendallTauB",
    "KendallTauC",
    "KrippendorffAlpha",
    "LScore",
    "Levenshtein",
    "LogLoss",
    "MajAtK",
    "Manhattan",
    "Mean",
    "MeanOf",
    "Metric",
    "NgramPrecision",
    "PassAtK",
    "PassHatK",
    "Pearson",
    "PositiveRate",
    "Precision",
    "Recall",
    "ReferenceLength",
    "SQuADExactMatch",
    "SQuADF1",
    "SScore",
    "SoftCrossEntropy",
    "SoftF1",
    "SpanF1",
    "SpanPrecision",
    "SpanRecall",
    "Spearman",
    "Specificity",
    "Support",
    "TrueNegatives",
    "TruePositives",
    "Wasserstein",
    "WeightedKappa",
]

HOMES = {
    "Accuracy": "accuracy",
    "AccuracyWithin": "accuracy_within",
    "AccuracyWithinSD": "accuracy_within_sd",
    "Precision": "rates",
    "Recall": "rates",
    "F1": "f_measures",
    "FBeta": "f_measures",
    "Specificity": "rates",
    "FPR": "rates",
    "FNR": "rates",
    "BalancedAccuracy": "balanced_accuracy",
    "MCC": "mcc",
    "CohenKappa": "cohen_kappa",
    "WeightedKappa": "weighted_kappa",
    "KrippendorffAlpha": "krippendorff_alpha",
    "FleissKappa": "fleiss_kappa",
    "GwetAC1": "gwet_ac1",
    "CAt1": "unanswered",
    "F05U": "unanswered",
    "SScore": "model_selection",
    "LScore": "model_selection",
    "PositiveRate": "label_counts",
    "Support": "label_counts",
    "TruePositives": "label_counts",
    "TrueNegatives": "label_counts",
    "FalsePositives": "label_counts",
    "FalseNegatives": "label_counts",
    "ROCAUC": "roc_auc",
    "AveragePrecision": "average_precision",
    "BrierScore": "brier",
    "BrierComplement": "brier",
    "LogLoss": "log_loss",
    "ECE": "ece",
    "HammingLoss": "label_sets",
    "ExactMatchRatio": "label_sets",
    "BLEU": "bleu",
    "NgramPrecision": "bleu_parts",
    "BrevityPenalty": "bleu_parts",
    "HypothesisLength": "bleu_parts",
    "ReferenceLength": "bleu_parts",
    "ChrF": "chrf",
    "TER": "ter",
    "ROUGE": "rouge",
    "Levenshtein": "levenshtein",
    "WER": "edit_rates",
    "CER": "edit_rates",
    "MER": "edit_rates",
    "WIL": "edit_rates",
    "ExactMatch": "exact_match",
    "SQuADExactMatch": "squad",
    "SQuADF1": "squad",
    "PassAtK": "tries",
    "PassHatK": "tries",
    "AvgAtK": "tries",
    "MajAtK": "tries",
    "SpanF1": "spans",
    "SpanPrecision": "spans",
    "SpanRecall": "spans",
    "MeanOf": "mean_of",
    "Mean": "mean",
    "Pearson": "pearson",
    "Spearman": "spearman",
    "KendallTauB": "kendall",
    "KendallTauC": "kendall",
    "CCC": "ccc",
    "R2": "r2",
    "MAE": "mae",
    "RMSE": "rmse",
    "Manhattan": "distributions",
    "Wasserstein": "distributions",
    "JSDistance": "distributions",
    "JSDivergence": "distributions",
    "SoftCrossEntropy": "distributions",
    "SoftF1": "distributions",
    "AnnotatorError": "distributions",
}
"""Each metric and its module, in the order in which they are listed."""


def __getattr__(name: str) -> Any:
    """Returns a metric, whose module is loaded when it is first asked for, or all `METRICS`."""
    if name == "METRICS":
        return tuple(map(__getattr__, HOMES))
    home = "metric" if name == "Metric" else HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tallystick.metrics' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tallystick.metrics.{home}"), name)


def __dir__() -> list[str]:
    """Lists the public names, also those that are not loaded yet."""
    return __all__

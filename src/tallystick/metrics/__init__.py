"""The metrics: one literal table that tests, documentation and the command go through."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallystick.kinds.labels.accuracy import Accuracy as Accuracy
    from tallystick.kinds.labels.accuracy import BalancedAccuracy as BalancedAccuracy
    from tallystick.kinds.labels.f_measures import F1 as F1
    from tallystick.kinds.labels.f_measures import FBeta as FBeta
    from tallystick.kinds.labels.kappas import MCC as MCC
    from tallystick.kinds.labels.kappas import CohenKappa as CohenKappa
    from tallystick.kinds.labels.kappas import WeightedKappa as WeightedKappa
    from tallystick.kinds.labels.label_counts import FalseNegatives as FalseNegatives
    from tallystick.kinds.labels.label_counts import FalsePositives as FalsePositives
    from tallystick.kinds.labels.label_counts import PositiveRate as PositiveRate
    from tallystick.kinds.labels.label_counts import Support as Support
    from tallystick.kinds.labels.label_counts import TrueNegatives as TrueNegatives
    from tallystick.kinds.labels.label_counts import TruePositives as TruePositives
    from tallystick.kinds.labels.label_sets import ExactMatchRatio as ExactMatchRatio
    from tallystick.kinds.labels.label_sets import HammingLoss as HammingLoss
    from tallystick.kinds.labels.model_selection import LScore as LScore
    from tallystick.kinds.labels.model_selection import SScore as SScore
    from tallystick.kinds.labels.rates import FNR as FNR
    from tallystick.kinds.labels.rates import FPR as FPR
    from tallystick.kinds.labels.rates import Precision as Precision
    from tallystick.kinds.labels.rates import Recall as Recall
    from tallystick.kinds.labels.rates import Specificity as Specificity
    from tallystick.kinds.labels.unanswered import F05U as F05U
    from tallystick.kinds.labels.unanswered import CAt1 as CAt1
    from tallystick.kinds.mean_of import MeanOf as MeanOf
    from tallystick.kinds.numbers.accuracy_within import AccuracyWithin as AccuracyWithin
    from tallystick.kinds.numbers.accuracy_within import AccuracyWithinSD as AccuracyWithinSD
    from tallystick.kinds.numbers.correlations import CCC as CCC
    from tallystick.kinds.numbers.correlations import Pearson as Pearson
    from tallystick.kinds.numbers.mean import Mean as Mean
    from tallystick.kinds.numbers.rank_correlations import KendallTauB as KendallTauB
    from tallystick.kinds.numbers.rank_correlations import KendallTauC as KendallTauC
    from tallystick.kinds.numbers.rank_correlations import Spearman as Spearman
    from tallystick.kinds.numbers.regression import MAE as MAE
    from tallystick.kinds.numbers.regression import R2 as R2
    from tallystick.kinds.numbers.regression import RMSE as RMSE
    from tallystick.kinds.numbers.soft_metrics import AnnotatorError as AnnotatorError
    from tallystick.kinds.numbers.soft_metrics import JSDistance as JSDistance
    from tallystick.kinds.numbers.soft_metrics import JSDivergence as JSDivergence
    from tallystick.kinds.numbers.soft_metrics import Manhattan as Manhattan
    from tallystick.kinds.numbers.soft_metrics import SoftCrossEntropy as SoftCrossEntropy
    from tallystick.kinds.numbers.soft_metrics import SoftF1 as SoftF1
    from tallystick.kinds.numbers.soft_metrics import Wasserstein as Wasserstein
    from tallystick.kinds.probabilities.average_precision import (
        AveragePrecision as AveragePrecision,
    )
    from tallystick.kinds.probabilities.ece import ECE as ECE
    from tallystick.kinds.probabilities.proper_scores import BrierComplement as BrierComplement
    from tallystick.kinds.probabilities.proper_scores import BrierScore as BrierScore
    from tallystick.kinds.probabilities.proper_scores import LogLoss as LogLoss
    from tallystick.kinds.probabilities.roc_auc import ROCAUC as ROCAUC
    from tallystick.kinds.ratings.fleiss_kappa import FleissKappa as FleissKappa
    from tallystick.kinds.ratings.gwet_ac1 import GwetAC1 as GwetAC1
    from tallystick.kinds.ratings.krippendorff_alpha import KrippendorffAlpha as KrippendorffAlpha
    from tallystick.kinds.spans.span_rates import SpanF1 as SpanF1
    from tallystick.kinds.spans.span_rates import SpanPrecision as SpanPrecision
    from tallystick.kinds.spans.span_rates import SpanRecall as SpanRecall
    from tallystick.kinds.texts.bleu import BLEU as BLEU
    from tallystick.kinds.texts.bleu_parts import BrevityPenalty as BrevityPenalty
    from tallystick.kinds.texts.bleu_parts import HypothesisLength as HypothesisLength
    from tallystick.kinds.texts.bleu_parts import NgramPrecision as NgramPrecision
    from tallystick.kinds.texts.bleu_parts import ReferenceLength as ReferenceLength
    from tallystick.kinds.texts.chrf import ChrF as ChrF
    from tallystick.kinds.texts.edit_rates import CER as CER
    from tallystick.kinds.texts.edit_rates import MER as MER
    from tallystick.kinds.texts.edit_rates import WER as WER
    from tallystick.kinds.texts.edit_rates import WIL as WIL
    from tallystick.kinds.texts.edit_rates import Levenshtein as Levenshtein
    from tallystick.kinds.texts.rouge import ROUGE as ROUGE
    from tallystick.kinds.texts.short_answers import ExactMatch as ExactMatch
    from tallystick.kinds.texts.short_answers import SQuADExactMatch as SQuADExactMatch
    from tallystick.kinds.texts.short_answers import SQuADF1 as SQuADF1
    from tallystick.kinds.texts.ter import TER as TER
    from tallystick.kinds.tries.pass_rates import AvgAtK as AvgAtK
    from tallystick.kinds.tries.pass_rates import MajAtK as MajAtK
    from tallystick.kinds.tries.pass_rates import PassAtK as PassAtK
    from tallystick.kinds.tries.pass_rates import PassHatK as PassHatK
    from tallystick.tallies.metric import Metric as Metric

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
    "Accuracy": "kinds.labels.accuracy",
    "AccuracyWithin": "kinds.numbers.accuracy_within",
    "AccuracyWithinSD": "kinds.numbers.accuracy_within",
    "Precision": "kinds.labels.rates",
    "Recall": "kinds.labels.rates",
    "F1": "kinds.labels.f_measures",
    "FBeta": "kinds.labels.f_measures",
    "Specificity": "kinds.labels.rates",
    "FPR": "kinds.labels.rates",
    "FNR": "kinds.labels.rates",
    "BalancedAccuracy": "kinds.labels.accuracy",
    "MCC": "kinds.labels.kappas",
    "CohenKappa": "kinds.labels.kappas",
    "WeightedKappa": "kinds.labels.kappas",
    "KrippendorffAlpha": "kinds.ratings.krippendorff_alpha",
    "FleissKappa": "kinds.ratings.fleiss_kappa",
    "GwetAC1": "kinds.ratings.gwet_ac1",
    "CAt1": "kinds.labels.unanswered",
    "F05U": "kinds.labels.unanswered",
    "SScore": "kinds.labels.model_selection",
    "LScore": "kinds.labels.model_selection",
    "PositiveRate": "kinds.labels.label_counts",
    "Support": "kinds.labels.label_counts",
    "TruePositives": "kinds.labels.label_counts",
    "TrueNegatives": "kinds.labels.label_counts",
    "FalsePositives": "kinds.labels.label_counts",
    "FalseNegatives": "kinds.labels.label_counts",
    "ROCAUC": "kinds.probabilities.roc_auc",
    "AveragePrecision": "kinds.probabilities.average_precision",
    "BrierScore": "kinds.probabilities.proper_scores",
    "BrierComplement": "kinds.probabilities.proper_scores",
    "LogLoss": "kinds.probabilities.proper_scores",
    "ECE": "kinds.probabilities.ece",
    "HammingLoss": "kinds.labels.label_sets",
    "ExactMatchRatio": "kinds.labels.label_sets",
    "BLEU": "kinds.texts.bleu",
    "NgramPrecision": "kinds.texts.bleu_parts",
    "BrevityPenalty": "kinds.texts.bleu_parts",
    "HypothesisLength": "kinds.texts.bleu_parts",
    "ReferenceLength": "kinds.texts.bleu_parts",
    "ChrF": "kinds.texts.chrf",
    "TER": "kinds.texts.ter",
    "ROUGE": "kinds.texts.rouge",
    "Levenshtein": "kinds.texts.edit_rates",
    "WER": "kinds.texts.edit_rates",
    "CER": "kinds.texts.edit_rates",
    "MER": "kinds.texts.edit_rates",
    "WIL": "kinds.texts.edit_rates",
    "ExactMatch": "kinds.texts.short_answers",
    "SQuADExactMatch": "kinds.texts.short_answers",
    "SQuADF1": "kinds.texts.short_answers",
    "PassAtK": "kinds.tries.pass_rates",
    "PassHatK": "kinds.tries.pass_rates",
    "AvgAtK": "kinds.tries.pass_rates",
    "MajAtK": "kinds.tries.pass_rates",
    "SpanF1": "kinds.spans.span_rates",
    "SpanPrecision": "kinds.spans.span_rates",
    "SpanRecall": "kinds.spans.span_rates",
    "MeanOf": "kinds.mean_of",
    "Mean": "kinds.numbers.mean",
    "Pearson": "kinds.numbers.correlations",
    "Spearman": "kinds.numbers.rank_correlations",
    "KendallTauB": "kinds.numbers.rank_correlations",
    "KendallTauC": "kinds.numbers.rank_correlations",
    "CCC": "kinds.numbers.correlations",
    "R2": "kinds.numbers.regression",
    "MAE": "kinds.numbers.regression",
    "RMSE": "kinds.numbers.regression",
    "Manhattan": "kinds.numbers.soft_metrics",
    "Wasserstein": "kinds.numbers.soft_metrics",
    "JSDistance": "kinds.numbers.soft_metrics",
    "JSDivergence": "kinds.numbers.soft_metrics",
    "SoftCrossEntropy": "kinds.numbers.soft_metrics",
    "SoftF1": "kinds.numbers.soft_metrics",
    "AnnotatorError": "kinds.numbers.soft_metrics",
}
"""Each metric and its module, in the order in which they are listed."""


def __getattr__(name: str) -> Any:
    """Returns a metric, whose module is loaded when it is first asked for, or all `METRICS`."""
    if name == "METRICS":
        return tuple(map(__getattr__, HOMES))
    home = "tallies.metric" if name == "Metric" else HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tallystick.metrics' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tallystick.{home}"), name)


def __dir__() -> list[str]:
    """Lists the public names, also those that are not loaded yet."""
    return __all__

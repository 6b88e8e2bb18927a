"""Where each metric lies; written by `python tools/index.py`."""

# fmt: off
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallystick.kinds.labels.accuracy import Accuracy as Accuracy
    from tallystick.kinds.labels.accuracy import BalancedAccuracy as BalancedAccuracy
    from tallystick.kinds.labels.accuracy import HammingLoss as HammingLoss
    from tallystick.kinds.labels.accuracy import ExactMatchRatio as ExactMatchRatio
    from tallystick.kinds.labels.kappas import CohenKappa as CohenKappa
    from tallystick.kinds.labels.kappas import WeightedKappa as WeightedKappa
    from tallystick.kinds.labels.kappas import MCC as MCC
    from tallystick.kinds.labels.label_counts import TruePositives as TruePositives
    from tallystick.kinds.labels.label_counts import TrueNegatives as TrueNegatives
    from tallystick.kinds.labels.label_counts import FalsePositives as FalsePositives
    from tallystick.kinds.labels.label_counts import FalseNegatives as FalseNegatives
    from tallystick.kinds.labels.label_counts import Support as Support
    from tallystick.kinds.labels.label_counts import SelectionRate as SelectionRate
    from tallystick.kinds.labels.label_counts import PositiveRate as PositiveRate
    from tallystick.kinds.labels.model_selection import SScore as SScore
    from tallystick.kinds.labels.model_selection import LScore as LScore
    from tallystick.kinds.labels.rates import Precision as Precision
    from tallystick.kinds.labels.rates import Recall as Recall
    from tallystick.kinds.labels.rates import Specificity as Specificity
    from tallystick.kinds.labels.rates import FPR as FPR
    from tallystick.kinds.labels.rates import FNR as FNR
    from tallystick.kinds.labels.rates import F1 as F1
    from tallystick.kinds.labels.rates import FBeta as FBeta
    from tallystick.kinds.labels.unanswered import CAt1 as CAt1
    from tallystick.kinds.labels.unanswered import F05U as F05U
    from tallystick.kinds.probabilities.abstention import AURC as AURC
    from tallystick.kinds.probabilities.abstention import EAURC as EAURC
    from tallystick.kinds.probabilities.abstention import AccuracyAtCoverage as AccuracyAtCoverage
    from tallystick.kinds.probabilities.abstention import CoverageAtAccuracy as CoverageAtAccuracy
    from tallystick.kinds.probabilities.average_precision import AveragePrecision as AveragePrecision
    from tallystick.kinds.probabilities.ece import ECE as ECE
    from tallystick.kinds.probabilities.ece import TopLabelECE as TopLabelECE
    from tallystick.kinds.probabilities.proper_scores import BrierScore as BrierScore
    from tallystick.kinds.probabilities.proper_scores import BrierComplement as BrierComplement
    from tallystick.kinds.probabilities.proper_scores import LogLoss as LogLoss
    from tallystick.kinds.probabilities.roc_auc import ROCAUC as ROCAUC
    from tallystick.kinds.probabilities.top_k import TopKAccuracy as TopKAccuracy
    from tallystick.kinds.texts.bleu import BLEU as BLEU
    from tallystick.kinds.texts.bleu import BrevityPenalty as BrevityPenalty
    from tallystick.kinds.texts.bleu import NgramPrecision as NgramPrecision
    from tallystick.kinds.texts.bleu import HypothesisLength as HypothesisLength
    from tallystick.kinds.texts.bleu import ReferenceLength as ReferenceLength
    from tallystick.kinds.texts.bleu import GLEU as GLEU
    from tallystick.kinds.texts.chrf import ChrF as ChrF
    from tallystick.kinds.texts.cider import CIDErD as CIDErD
    from tallystick.kinds.texts.edit_rates import Levenshtein as Levenshtein
    from tallystick.kinds.texts.edit_rates import WER as WER
    from tallystick.kinds.texts.edit_rates import CPWER as CPWER
    from tallystick.kinds.texts.edit_rates import CER as CER
    from tallystick.kinds.texts.edit_rates import MER as MER
    from tallystick.kinds.texts.edit_rates import WIL as WIL
    from tallystick.kinds.texts.edit_rates import SubstitutionRate as SubstitutionRate
    from tallystick.kinds.texts.edit_rates import DeletionRate as DeletionRate
    from tallystick.kinds.texts.edit_rates import InsertionRate as InsertionRate
    from tallystick.kinds.texts.edit_rates import HitRate as HitRate
    from tallystick.kinds.texts.rouge import ROUGE as ROUGE
    from tallystick.kinds.texts.sari import SARI as SARI
    from tallystick.kinds.texts.short_answers import ExactMatch as ExactMatch
    from tallystick.kinds.texts.short_answers import SQuADExactMatch as SQuADExactMatch
    from tallystick.kinds.texts.short_answers import SQuADF1 as SQuADF1
    from tallystick.kinds.texts.ter import TER as TER
    from tallystick.kinds.numbers.accuracy_within import AccuracyWithin as AccuracyWithin
    from tallystick.kinds.numbers.accuracy_within import AccuracyWithinSD as AccuracyWithinSD
    from tallystick.kinds.numbers.correlations import Pearson as Pearson
    from tallystick.kinds.numbers.correlations import CCC as CCC
    from tallystick.kinds.numbers.correlations import MAE as MAE
    from tallystick.kinds.numbers.correlations import RMSE as RMSE
    from tallystick.kinds.numbers.correlations import R2 as R2
    from tallystick.kinds.numbers.quantiles import Quantile as Quantile
    from tallystick.kinds.numbers.quantiles import Median as Median
    from tallystick.kinds.numbers.rank_correlations import Spearman as Spearman
    from tallystick.kinds.numbers.rank_correlations import KendallTauB as KendallTauB
    from tallystick.kinds.numbers.rank_correlations import KendallTauC as KendallTauC
    from tallystick.kinds.numbers.rated_systems import RatedCorrelation as RatedCorrelation
    from tallystick.kinds.numbers.rated_systems import PairwiseAccuracy as PairwiseAccuracy
    from tallystick.kinds.numbers.rated_systems import SoftPairwiseAccuracy as SoftPairwiseAccuracy
    from tallystick.kinds.numbers.rated_systems import AccEq as AccEq
    from tallystick.kinds.numbers.soft_metrics import Manhattan as Manhattan
    from tallystick.kinds.numbers.soft_metrics import Wasserstein as Wasserstein
    from tallystick.kinds.numbers.soft_metrics import JSDistance as JSDistance
    from tallystick.kinds.numbers.soft_metrics import JSDivergence as JSDivergence
    from tallystick.kinds.numbers.soft_metrics import SoftCrossEntropy as SoftCrossEntropy
    from tallystick.kinds.numbers.soft_metrics import SoftF1 as SoftF1
    from tallystick.kinds.numbers.soft_metrics import AnnotatorError as AnnotatorError
    from tallystick.kinds.numbers.totals import Mean as Mean
    from tallystick.kinds.numbers.totals import Sum as Sum
    from tallystick.kinds.numbers.totals import Ratio as Ratio
    from tallystick.kinds.spans.span_rates import SpanPrecision as SpanPrecision
    from tallystick.kinds.spans.span_rates import SpanRecall as SpanRecall
    from tallystick.kinds.spans.span_rates import SpanF1 as SpanF1
    from tallystick.kinds.tries.pass_rates import PassAtK as PassAtK
    from tallystick.kinds.tries.pass_rates import PassHatK as PassHatK
    from tallystick.kinds.tries.pass_rates import AvgAtK as AvgAtK
    from tallystick.kinds.tries.pass_rates import MajAtK as MajAtK
    from tallystick.kinds.tries.try_means import TryMean as TryMean
    from tallystick.kinds.tries.try_means import TryShare as TryShare
    from tallystick.kinds.ratings.agreement import FleissKappa as FleissKappa
    from tallystick.kinds.ratings.agreement import GwetAC1 as GwetAC1
    from tallystick.kinds.ratings.agreement import KrippendorffAlpha as KrippendorffAlpha
    from tallystick.kinds.rankings.ranked_metrics import NDCG as NDCG
    from tallystick.kinds.rankings.ranked_metrics import RR as RR
    from tallystick.kinds.rankings.ranked_metrics import MAP as MAP
    from tallystick.kinds.rankings.ranked_metrics import PrecisionAtK as PrecisionAtK
    from tallystick.kinds.rankings.ranked_metrics import RecallAtK as RecallAtK
    from tallystick.kinds.rankings.ranked_metrics import SuccessAtK as SuccessAtK
    from tallystick.kinds.rankings.ranked_metrics import Rprec as Rprec
    from tallystick.kinds.rankings.ranked_metrics import Bpref as Bpref
    from tallystick.kinds.rankings.ranked_metrics import InfAP as InfAP
    from tallystick.kinds.rankings.ranked_metrics import RankBiasedPrecision as RankBiasedPrecision
    from tallystick.kinds.rankings.ranked_metrics import ERR as ERR
    from tallystick.kinds.rankings.ranked_metrics import JudgedAtK as JudgedAtK
    from tallystick.kinds.rankings.ranked_metrics import IPrec as IPrec
    from tallystick.kinds.rankings.set_metrics import SetP as SetP
    from tallystick.kinds.rankings.set_metrics import SetR as SetR
    from tallystick.kinds.rankings.set_metrics import SetF as SetF
    from tallystick.kinds.rankings.set_metrics import NumQ as NumQ
    from tallystick.kinds.rankings.set_metrics import NumRet as NumRet
    from tallystick.kinds.rankings.set_metrics import NumRel as NumRel
    from tallystick.kinds.preferences.bradley_terry import BradleyTerry as BradleyTerry
    from tallystick.kinds.preferences.win_rates import WinRate as WinRate
    from tallystick.kinds.preferences.win_rates import PositionFlips as PositionFlips
    from tallystick.kinds.trees.parse_scores import ParseScore as ParseScore
    from tallystick.kinds.between import Gap as Gap
    from tallystick.kinds.between import RatioBetween as RatioBetween
    from tallystick.kinds.between import Worst as Worst
    from tallystick.kinds.between import Std as Std
    from tallystick.kinds.mean_of import MeanOf as MeanOf

HOMES = {
    "accuracy": "kinds.labels.accuracy:Accuracy",
    "balanced_accuracy": "kinds.labels.accuracy:BalancedAccuracy",
    "hamming_loss": "kinds.labels.accuracy:HammingLoss",
    "exact_match_ratio": "kinds.labels.accuracy:ExactMatchRatio",
    "cohen_kappa": "kinds.labels.kappas:CohenKappa",
    "weighted_kappa": "kinds.labels.kappas:WeightedKappa",
    "mcc": "kinds.labels.kappas:MCC",
    "true_positives": "kinds.labels.label_counts:TruePositives",
    "true_negatives": "kinds.labels.label_counts:TrueNegatives",
    "false_positives": "kinds.labels.label_counts:FalsePositives",
    "false_negatives": "kinds.labels.label_counts:FalseNegatives",
    "support": "kinds.labels.label_counts:Support",
    "selection_rate": "kinds.labels.label_counts:SelectionRate",
    "positive_rate": "kinds.labels.label_counts:PositiveRate",
    "s_score": "kinds.labels.model_selection:SScore",
    "l_score": "kinds.labels.model_selection:LScore",
    "precision": "kinds.labels.rates:Precision",
    "recall": "kinds.labels.rates:Recall",
    "specificity": "kinds.labels.rates:Specificity",
    "fpr": "kinds.labels.rates:FPR",
    "fnr": "kinds.labels.rates:FNR",
    "f1": "kinds.labels.rates:F1",
    "fbeta": "kinds.labels.rates:FBeta",
    "c_at_1": "kinds.labels.unanswered:CAt1",
    "f05_u": "kinds.labels.unanswered:F05U",
    "aurc": "kinds.probabilities.abstention:AURC",
    "e_aurc": "kinds.probabilities.abstention:EAURC",
    "accuracy_at_coverage": "kinds.probabilities.abstention:AccuracyAtCoverage",
    "coverage_at_accuracy": "kinds.probabilities.abstention:CoverageAtAccuracy",
    "average_precision": "kinds.probabilities.average_precision:AveragePrecision",
    "ece": "kinds.probabilities.ece:ECE",
    "top_label_ece": "kinds.probabilities.ece:TopLabelECE",
    "brier_score": "kinds.probabilities.proper_scores:BrierScore",
    "brier_complement": "kinds.probabilities.proper_scores:BrierComplement",
    "log_loss": "kinds.probabilities.proper_scores:LogLoss",
    "roc_auc": "kinds.probabilities.roc_auc:ROCAUC",
    "top_k_accuracy": "kinds.probabilities.top_k:TopKAccuracy",
    "bleu": "kinds.texts.bleu:BLEU",
    "brevity_penalty": "kinds.texts.bleu:BrevityPenalty",
    "ngram_precision": "kinds.texts.bleu:NgramPrecision",
    "hypothesis_length": "kinds.texts.bleu:HypothesisLength",
    "reference_length": "kinds.texts.bleu:ReferenceLength",
    "gleu": "kinds.texts.bleu:GLEU",
    "chrf": "kinds.texts.chrf:ChrF",
    "cider_d": "kinds.texts.cider:CIDErD",
    "levenshtein": "kinds.texts.edit_rates:Levenshtein",
    "wer": "kinds.texts.edit_rates:WER",
    "cpwer": "kinds.texts.edit_rates:CPWER",
    "cer": "kinds.texts.edit_rates:CER",
    "mer": "kinds.texts.edit_rates:MER",
    "wil": "kinds.texts.edit_rates:WIL",
    "substitution_rate": "kinds.texts.edit_rates:SubstitutionRate",
    "deletion_rate": "kinds.texts.edit_rates:DeletionRate",
    "insertion_rate": "kinds.texts.edit_rates:InsertionRate",
    "hit_rate": "kinds.texts.edit_rates:HitRate",
    "rouge": "kinds.texts.rouge:ROUGE",
    "sari": "kinds.texts.sari:SARI",
    "exact_match": "kinds.texts.short_answers:ExactMatch",
    "squad_exact_match": "kinds.texts.short_answers:SQuADExactMatch",
    "squad_f1": "kinds.texts.short_answers:SQuADF1",
    "ter": "kinds.texts.ter:TER",
    "accuracy_within": "kinds.numbers.accuracy_within:AccuracyWithin",
    "accuracy_within_sd": "kinds.numbers.accuracy_within:AccuracyWithinSD",
    "pearson": "kinds.numbers.correlations:Pearson",
    "ccc": "kinds.numbers.correlations:CCC",
    "mae": "kinds.numbers.correlations:MAE",
    "rmse": "kinds.numbers.correlations:RMSE",
    "r2": "kinds.numbers.correlations:R2",
    "quantile": "kinds.numbers.quantiles:Quantile",
    "median": "kinds.numbers.quantiles:Median",
    "spearman": "kinds.numbers.rank_correlations:Spearman",
    "kendall_tau_b": "kinds.numbers.rank_correlations:KendallTauB",
    "kendall_tau_c": "kinds.numbers.rank_correlations:KendallTauC",
    "rated_correlation": "kinds.numbers.rated_systems:RatedCorrelation",
    "pairwise_accuracy": "kinds.numbers.rated_systems:PairwiseAccuracy",
    "soft_pairwise_accuracy": "kinds.numbers.rated_systems:SoftPairwiseAccuracy",
    "acc_eq": "kinds.numbers.rated_systems:AccEq",
    "manhattan": "kinds.numbers.soft_metrics:Manhattan",
    "wasserstein": "kinds.numbers.soft_metrics:Wasserstein",
    "js_distance": "kinds.numbers.soft_metrics:JSDistance",
    "js_divergence": "kinds.numbers.soft_metrics:JSDivergence",
    "soft_cross_entropy": "kinds.numbers.soft_metrics:SoftCrossEntropy",
    "soft_f1": "kinds.numbers.soft_metrics:SoftF1",
    "annotator_error": "kinds.numbers.soft_metrics:AnnotatorError",
    "mean": "kinds.numbers.totals:Mean",
    "sum": "kinds.numbers.totals:Sum",
    "ratio": "kinds.numbers.totals:Ratio",
    "span_precision": "kinds.spans.span_rates:SpanPrecision",
    "span_recall": "kinds.spans.span_rates:SpanRecall",
    "span_f1": "kinds.spans.span_rates:SpanF1",
    "pass_at_k": "kinds.tries.pass_rates:PassAtK",
    "pass_hat_k": "kinds.tries.pass_rates:PassHatK",
    "avg_at_k": "kinds.tries.pass_rates:AvgAtK",
    "maj_at_k": "kinds.tries.pass_rates:MajAtK",
    "try_mean": "kinds.tries.try_means:TryMean",
    "try_share": "kinds.tries.try_means:TryShare",
    "fleiss_kappa": "kinds.ratings.agreement:FleissKappa",
    "gwet_ac1": "kinds.ratings.agreement:GwetAC1",
    "krippendorff_alpha": "kinds.ratings.agreement:KrippendorffAlpha",
    "ndcg": "kinds.rankings.ranked_metrics:NDCG",
    "rr": "kinds.rankings.ranked_metrics:RR",
    "map": "kinds.rankings.ranked_metrics:MAP",
    "precision_at_k": "kinds.rankings.ranked_metrics:PrecisionAtK",
    "recall_at_k": "kinds.rankings.ranked_metrics:RecallAtK",
    "success_at_k": "kinds.rankings.ranked_metrics:SuccessAtK",
    "rprec": "kinds.rankings.ranked_metrics:Rprec",
    "bpref": "kinds.rankings.ranked_metrics:Bpref",
    "infap": "kinds.rankings.ranked_metrics:InfAP",
    "rank_biased_precision": "kinds.rankings.ranked_metrics:RankBiasedPrecision",
    "err": "kinds.rankings.ranked_metrics:ERR",
    "judged_at_k": "kinds.rankings.ranked_metrics:JudgedAtK",
    "iprec": "kinds.rankings.ranked_metrics:IPrec",
    "set_p": "kinds.rankings.set_metrics:SetP",
    "set_r": "kinds.rankings.set_metrics:SetR",
    "set_f": "kinds.rankings.set_metrics:SetF",
    "num_q": "kinds.rankings.set_metrics:NumQ",
    "num_ret": "kinds.rankings.set_metrics:NumRet",
    "num_rel": "kinds.rankings.set_metrics:NumRel",
    "bradley_terry": "kinds.preferences.bradley_terry:BradleyTerry",
    "win_rate": "kinds.preferences.win_rates:WinRate",
    "position_flips": "kinds.preferences.win_rates:PositionFlips",
    "parse_score": "kinds.trees.parse_scores:ParseScore",
    "gap": "kinds.between:Gap",
    "ratio_between": "kinds.between:RatioBetween",
    "worst": "kinds.between:Worst",
    "std": "kinds.between:Std",
    "mean_of": "kinds.mean_of:MeanOf",
}
"""The module and class of each metric by its short name, in the order of lists."""

"""The metrics: one literal tuple that tests, documentation and the command go through."""

from tallystick.metrics.accuracy import Accuracy
from tallystick.metrics.average_precision import AveragePrecision
from tallystick.metrics.balanced_accuracy import BalancedAccuracy
from tallystick.metrics.bleu import BLEU
from tallystick.metrics.brevity_penalty import BrevityPenalty
from tallystick.metrics.brier_score import BrierScore
from tallystick.metrics.cer import CER
from tallystick.metrics.chrf import ChrF
from tallystick.metrics.cohen_kappa import CohenKappa
from tallystick.metrics.ece import ECE
from tallystick.metrics.exact_match import ExactMatch
from tallystick.metrics.exact_match_ratio import ExactMatchRatio
from tallystick.metrics.f1 import F1
from tallystick.metrics.f_beta import FBeta
from tallystick.metrics.false_negatives import FalseNegatives
from tallystick.metrics.false_positives import FalsePositives
from tallystick.metrics.fnr import FNR
from tallystick.metrics.fpr import FPR
from tallystick.metrics.hamming_loss import HammingLoss
from tallystick.metrics.hypothesis_length import HypothesisLength
from tallystick.metrics.l_score import LScore
from tallystick.metrics.levenshtein import Levenshtein
from tallystick.metrics.log_loss import LogLoss
from tallystick.metrics.mcc import MCC
from tallystick.metrics.mer import MER
from tallystick.metrics.metric import Metric
from tallystick.metrics.ngram_precision import NgramPrecision
from tallystick.metrics.positive_rate import PositiveRate
from tallystick.metrics.precision import Precision
from tallystick.metrics.recall import Recall
from tallystick.metrics.reference_length import ReferenceLength
from tallystick.metrics.roc_auc import ROCAUC
from tallystick.metrics.rouge import ROUGE
from tallystick.metrics.s_score import SScore
from tallystick.metrics.specificity import Specificity
from tallystick.metrics.support import Support
from tallystick.metrics.ter import TER
from tallystick.metrics.true_negatives import TrueNegatives
from tallystick.metrics.true_positives import TruePositives
from tallystick.metrics.wer import WER
from tallystick.metrics.wil import WIL

METRICS: tuple[type[Metric], ...] = (
    Accuracy,
    Precision,
    Recall,
    F1,
    FBeta,
    Specificity,
    FPR,
    FNR,
    BalancedAccuracy,
    MCC,
    CohenKappa,
    SScore,
    LScore,
    PositiveRate,
    Support,
    TruePositives,
    TrueNegatives,
    FalsePositives,
    FalseNegatives,
    ROCAUC,
    AveragePrecision,
    BrierScore,
    LogLoss,
    ECE,
    HammingLoss,
    ExactMatchRatio,
    BLEU,
    NgramPrecision,
    BrevityPenalty,
    HypothesisLength,
    ReferenceLength,
    ChrF,
    TER,
    ROUGE,
    Levenshtein,
    WER,
    CER,
    MER,
    WIL,
    ExactMatch,
)

"""The metrics: one literal tuple that tests, documentation and the command go through."""

from tallystick.metrics.accuracy import Accuracy
from tallystick.metrics.average_precision import AveragePrecision
from tallystick.metrics.balanced_accuracy import BalancedAccuracy
from tallystick.metrics.brier_score import BrierScore
from tallystick.metrics.cohen_kappa import CohenKappa
from tallystick.metrics.ece import ECE
from tallystick.metrics.exact_match_ratio import ExactMatchRatio
from tallystick.metrics.f1 import F1
from tallystick.metrics.f_beta import FBeta
from tallystick.metrics.false_negatives import FalseNegatives
from tallystick.metrics.false_positives import FalsePositives
from tallystick.metrics.fnr import FNR
from tallystick.metrics.fpr import FPR
from tallystick.metrics.hamming_loss import HammingLoss
from tallystick.metrics.log_loss import LogLoss
from tallystick.metrics.mcc import MCC
from tallystick.metrics.metric import Metric
from tallystick.metrics.positive_rate import PositiveRate
from tallystick.metrics.precision import Precision
from tallystick.metrics.recall import Recall
from tallystick.metrics.roc_auc import ROCAUC
from tallystick.metrics.specificity import Specificity
from tallystick.metrics.support import Support
from tallystick.metrics.true_negatives import TrueNegatives
from tallystick.metrics.true_positives import TruePositives

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
)

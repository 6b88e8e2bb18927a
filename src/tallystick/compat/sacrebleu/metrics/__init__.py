"""BLEU, chrF and TER as sacreBLEU's classes have them."""

from tallystick.compat.sacrebleu.metrics.bleu import BLEU, BLEUScore
from tallystick.compat.sacrebleu.metrics.chrf import CHRF, CHRFScore
from tallystick.compat.sacrebleu.metrics.ter import TER, TERScore

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}

"""What scoring gives back: plain frozen records, and the results that hold them.

Only the records are imported here, so that whoever needs no more loads no writers.
"""

from tallystick.results.places import Criterion, Missing, Place, Standing
from tallystick.results.records import (
    Check,
    ConfusionMatrix,
    Difference,
    Flip,
    Power,
    Refusal,
    Score,
    SeedScore,
    Threshold,
    Verdict,
)

__all__ = [
    "Check",
    "ConfusionMatrix",
    "Criterion",
    "Difference",
    "Flip",
    "Missing",
    "Place",
    "Power",
    "Refusal",
    "Score",
    "SeedScore",
    "Standing",
    "Threshold",
    "Verdict",
]

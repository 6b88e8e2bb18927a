"""The tallies: additive counts by group, and the counters that make them from examples."""

from tallystick.tallies.confusion import Confusion, ConfusionTally
from tallystick.tallies.curve import Curve, CurveTally
from tallystick.tallies.label_sets import LabelSets, LabelSetsTally

__all__ = ["Confusion", "ConfusionTally", "Curve", "CurveTally", "LabelSets", "LabelSetsTally"]

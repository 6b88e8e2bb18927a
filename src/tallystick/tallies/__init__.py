"""Counters, the additive tallies that they make, and all bootstrap resampling of tallies."""

from tallystick.tallies.bins import Bins
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.curve import CurveTally
from tallystick.tallies.curve_counter import Curve
from tallystick.tallies.label_sets import LabelSets

__all__ = ["Bins", "Cells", "Confusion", "Curve", "CurveTally", "LabelSets"]

"""Reads and validates gold and every system's outputs, joined by id."""

from tallystick.examples.arrays import Predictions
from tallystick.examples.columns import Columns
from tallystick.examples.systems import Systems
from tallystick.examples.task import Task

__all__ = ["Columns", "Predictions", "Systems", "Task"]

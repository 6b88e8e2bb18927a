"""Validated columns of gold and predictions, joined by id."""

from tallystick.examples.arrays import Predictions
from tallystick.examples.columns import Columns
from tallystick.examples.examples import Examples
from tallystick.examples.task import Task

__all__ = ["Columns", "Examples", "Predictions", "Task"]

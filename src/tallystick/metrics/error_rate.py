"""The rate of errors, which words and characters have in common."""

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Values
from tallystick.tallies.sums import Sums

__all__ = ["rate_errors"]


def rate_errors(tally: Sums) -> Values:
    """Errors by the length of the references; the insertions where that is 0, as jiwer has it."""
    errors = tally["substitutions"] + tally["deletions"] + tally["insertions"]
    length = tally["hits"] + tally["substitutions"] + tally["deletions"]
    return np.where(length > 0, divide(Ratio(errors, length), np.nan), tally["insertions"])

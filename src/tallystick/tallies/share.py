"""Scores that are a share of examples, or go up and down with one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def _keep(shares: Values) -> Values:
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """How many trials were hits, and which score a share of hits stands for.

    Attributes:
        hits: Of the shape of the score.
        trials: Likewise; each trial is an example of its own.
        to_score: A rising function from shares in [0, 1] to scores.
        method: What the interval of Wilson is called for this share.
    """

    hits: NDArray[Any]
    trials: NDArray[Any]
    to_score: Callable[[Values], Values] = _keep
    method: str = "Wilson"

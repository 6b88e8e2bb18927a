"""Tallies from what is stored of them, each loaded by its own class."""

from collections.abc import Callable, Mapping
from typing import Any

from tallystick.errors import InputError
from tallystick.kinds.numbers.rated_items import RatedItems
from tallystick.kinds.probabilities.joint import JointRows
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.curve import CurveTally, load_scores
from tallystick.model.tallies.storage import Stored
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import Tally

_LOADERS: Mapping[str, Callable[[Any, Stored], Tally]] = {
    "cells": Cells.load,
    "curve": CurveTally.load,
    "joint": JointRows.load,
    "rated": RatedItems.load,
    "scores": load_scores,
    "sums": Sums.load,
}


def restore(counter: object, stored: Stored) -> Tally:
    """Returns the tally of a counter that is made of this.

    Raises:
        InputError: It cannot be: a part is missing, means nothing, or contradicts another one.
    """
    try:
        if stored.kind not in _LOADERS:
            raise ValueError(f"unknown kind of tally: {stored.kind}")
        tally = _LOADERS[stored.kind](counter, stored)
        check = getattr(counter, "check", None)  # what is true of all tallies of this counter
        if check is not None:
            check(tally)
        # What a tally would not write so is of no tally: other orders, types or further parts.
        wrong = stored.find_difference(tally.store())
        if wrong is not None:
            raise ValueError(
                f"what it calls {wrong} contradicts its other parts, or is not in order"
            )
    except (IndexError, ValueError) as error:
        raise InputError(f"a tally of {counter!r} is not sound: {error}") from error
    return tally

"""Notes on intervals that may be too narrow, and on what was left out of them."""

import math
from collections.abc import Mapping

import numpy as np

from tallystick.kinds.texts import TEXTS
from tallystick.scoring.counted import Counted
from tallystick.scoring.intervals.bounds import Spread
from tallystick.tallies.metric import Metric

_FEW_TEXTS = 300
"""So many examples have an outcome of 1% among them in 95 of 100 samples."""


def note_resamples(system: str, spreads: Mapping[Metric, Spread]) -> list[str]:
    """Notes resamples without a score, and groups with too few examples for valid intervals."""
    notes = []
    shown = {metric: one for metric, one in spreads.items() if not np.isnan(one.whole.low).all()}
    told = {metric.name: one.lost for metric, one in shown.items() if one.lost >= 0.01}
    if told:
        notes.append(
            f"{max(told.values()):.0%} of the resamples lack a label that the examples of {system} "
            f"have, or cannot be scored, and are left out of the intervals of {', '.join(told)}."
        )
    scarce = [metric.name for metric, one in spreads.items() if one.scarce]
    if scarce:
        notes.append(
            f"the intervals of {', '.join(scarce)} in the macro row of {system} may be too narrow: "
            "many labels have fewer than 3 examples in a group."
        )
    rare = [metric.name for metric, one in spreads.items() if one.rare]
    if rare:
        notes.append(
            f"the intervals of {', '.join(rare)} of {system} may be too narrow: many labels have "
            "fewer than 3 examples."
        )
    return [*notes, *_note_tails(system, spreads)]


def _note_tails(system: str, spreads: Mapping[Metric, Spread]) -> list[str]:
    """Notes where a few examples dominate a score, or where such examples may be missing."""
    notes = []
    for metric, one in spreads.items():
        if one.tail is not None:
            unit = one.tail.unit
            few = f"1 {unit} makes" if one.tail.count == 1 else f"{one.tail.count} {unit}s make"
            notes.append(
                f"the interval of {metric.name} of {system} may be too narrow: {few} "
                f"{one.tail.share:.0%} of its variance, and other samples may have more of that "
                "kind, or fewer."
            )
    return notes


def note_runaways(counted: Counted) -> list[str]:
    """Notes that a few texts do not show how often outputs fail completely."""
    names = [
        metric.name
        for metric in counted.metrics
        if metric.better == "lower"
        and math.isinf(metric.bounds[1])
        and metric.counter is not None
        and metric.counter.kind == TEXTS
    ]
    size = counted.size(None)
    if not names or not 0 < size < _FEW_TEXTS:
        return []
    return [
        f"{size} examples may hold none of the outputs that run away once in a hundred, such as "
        f"loops of words; where there are such, the intervals of {', '.join(names)} are too narrow."
    ]

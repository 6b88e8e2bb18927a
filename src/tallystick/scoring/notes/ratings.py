"""Notes where too few units tell how far annotators agree."""

from collections.abc import Mapping

import numpy as np

from tallystick.kinds.ratings import RATINGS
from tallystick.scoring.intervals.bounds import Observed
from tallystick.tallies.metric import Metric

_FEW = 10
"""With fewer units that are not all of one rating, intervals miss the true value too often."""


def note_few_ratings(system: str, observed: Mapping[Metric, Observed | None]) -> list[str]:
    """Notes intervals of agreement to which hardly any unit has another rating than the others."""
    tallies = {metric: one.whole.tally for metric, one in observed.items() if one is not None}
    rated = [metric for metric, tally in tallies.items() if tally.counter.kind == RATINGS]
    if not rated:
        return []
    from tallystick.kinds.ratings.ratings import find_panel

    panel = find_panel(tallies[rated[0]].need_patterns())
    counts = panel.sum_ratings(panel.tally.counts, panel.codes, len(panel.names))[0]
    commonest = int(np.argmax(counts))
    others = int(panel.tally.counts[((panel.codes != commonest) & panel.rated).any(1)].sum())
    if not 0 < others < _FEW:
        return []
    units = "1 unit has" if others == 1 else f"{others} units have"
    return [
        f"the intervals of {', '.join(metric.name for metric in rated)} of {system} may be too "
        f"narrow: {units} another rating than {str(panel.names[commonest])!r}."
    ]

"""Notes on intervals that may be too narrow, and on what was left out of them."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.kinds.ratings import RATINGS
from tallystick.kinds.texts import TEXTS
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.records import Score
from tallystick.output.tables.names import list_some
from tallystick.output.tables.notes import Caution, Danger
from tallystick.scoring.counted import Counted
from tallystick.scoring.intervals.bounds import Observed, Spread

_FEW_RATED = 10
"""With fewer units that are not all of one rating, intervals miss the true value too often."""
_BY_CHANCE = 0.01
"""So rarely groups of other items have the same gold labels."""
_FEW_TEXTS = 300
"""So many examples have an outcome of 1% among them in 95 of 100 samples."""
_FEW_WEIGHTED = 50
"""With effectively fewer examples of so unequal weights, a few of them decide a score."""


def note_spreads(system: str, spreads: Mapping[Metric, Spread]) -> Iterator[str]:
    """Notes intervals that may be too narrow, and resamples without a score."""
    told = {metric.name: one.lost for metric, one in spreads.items() if one.lost >= 0.01}
    if told:
        some = f"{max(told.values()):.0%} of bootstrap resamples of {system} have no score"
        yield Danger(f"{some}, and are excluded from the intervals of {', '.join(told)}.")
    for metric, one in spreads.items():
        if one.doubt is not None:
            yield Caution(f"the interval of {metric.name} of {system} {one.doubt}.")


def note_rare(
    system: str, observed: Mapping[Metric, Observed | None], spreads: Mapping[Metric, Spread]
) -> Iterator[str]:
    """Notes intervals beyond which a rare example would lead, of which there is none."""
    for metric, spread in spreads.items():
        one, high = observed[metric], float(np.max(spread.whole.high))
        told = None if one is None else metric.doubt(one.whole.tally, high)
        if told is not None:
            score = f"{metric.name} of {system}"
            yield Caution(f"the interval of {score} may be too narrow: {told}.")


def note_absent(counted: Counted) -> Iterator[str]:
    """Notes means over labels of which one has no example in the gold.

    It was named, or is one of label sets, whose means count every label.
    """
    asked, told = set(counted.facts.asked.labels or ()), dict[str, list[str]]()
    averaged = [one for one in counted.metrics if one.each is not None]
    for counter, tally in counted.tallies.items():
        metrics = [one for one in averaged if counted.counters[one] == counter]
        if not metrics or tally.patterns is None:
            continue
        cells = tally.of(counted.systems[0]).total().need_patterns()
        rows = zip(cells.labels, cells.per_label().gold[0], strict=True)
        named = asked if cells.sets is None else set(cells.labels)
        absent = [label for label, size in rows if not size and label in named]
        for metric in metrics:
            own = [repr(str(one)) for one in absent if one in (metric.named_labels or named)]
            if own:
                told.setdefault(list_some(own), []).append(metric.name)
    for lacking, names in told.items():
        yield Caution(
            f"the intervals of {', '.join(names)} may be too narrow: there is no example of "
            f"{lacking} in the gold, and other samples may contain some."
        )


def note_runaways(counted: Counted) -> Iterator[str]:
    """Notes that a few texts do not show how often outputs fail completely."""
    names = [
        metric.name
        for metric in counted.metrics
        if metric.better == "lower"
        and math.isinf(metric.bounds[1])
        and metric.counter is not None
        and metric.counter.kind == TEXTS
    ]
    size, what = counted.size(None), ", ".join(names)
    if names and 0 < size < _FEW_TEXTS:
        yield Danger(
            f"{size} examples may contain no runaway output, such as a loop of words, even if "
            f"one output in a hundred is one; then the intervals of {what} are too narrow."
        )


def note_weights(scores: Sequence[Score]) -> Iterator[str]:
    """Notes weights so unequal that few examples decide the scores, which intervals allow for."""
    few = [
        one
        for one in scores
        if one.effective_n is not None
        and one.effective_n < _FEW_WEIGHTED
        and not math.isnan(one.low)
    ]
    names = ", ".join(dict.fromkeys(one.name for one in few))
    sizes = {one.group: (one.effective_n, one.n) for one in few}
    told = [
        f"{size}{f' in {group}' if group else ''} (of {n})" for group, (size, n) in sizes.items()
    ]
    if told:
        yield Danger(
            f"few heavy examples decide {names}: weights are so unequal that the effective number "
            f"of examples is only {list_some(told)}."
        )


def note_parallel(counted: Counted) -> Iterator[str]:
    """Notes groups of exactly the same gold labels, which are likely to be the same items.

    Labels that are all equally frequent are so by design, and show nothing.
    """
    tallies = (
        [] if counted.facts.clustered or counted.facts.weighted else list(counted.tallies.values())
    )
    gold = next((one.gold_masses() for one in tallies if len(one.groups) > 1), None)
    if gold is None or (gold != gold[0]).any() or len(set(gold[0][gold[0] > 0].tolist())) < 2:
        return
    if _find_chance(gold[0]) ** (len(gold) - 1) > _BY_CHANCE:
        return
    names = ", ".join(dict.fromkeys(metric.name for metric in counted.metrics))
    yield Caution(
        f"the intervals of {names} over all {len(gold)} groups may be too narrow: every group has "
        "the same gold labels; where they are the same items, such as translations, name the item "
        "of each example with --clusters."
    )


def _find_chance(counts: NDArray[np.int64]) -> float:
    """About how likely another sample of as many examples has the same count of each label."""
    some = counts[counts > 0].astype(np.float64)
    n = some.sum()
    powers = (1 - len(some)) / 2 * math.log(4 * math.pi * n) - np.log(some / n).sum() / 2
    return math.exp(min(powers, 0))


def note_few_ratings(system: str, observed: Mapping[Metric, Observed | None]) -> Iterator[str]:
    """Notes intervals of agreement to which hardly any unit has another rating than the others.

    Not of AC1, which such units hardly move.
    """
    tallies = {metric: one.whole.tally for metric, one in observed.items() if one is not None}
    rated = [metric for metric, tally in tallies.items() if tally.counter.kind == RATINGS]
    if not rated:
        return
    from tallystick.kinds.ratings.agreement import GwetAC1, find_panel

    panel = find_panel(tallies[rated[0]].need_patterns())
    counts = panel.sum_ratings(panel.tally.counts, panel.codes, len(panel.names))[0]
    commonest = int(np.argmax(counts))
    others = int(panel.tally.counts[((panel.codes != commonest) & panel.rated).any(1)].sum())
    units = "1 unit has" if others == 1 else f"{others} units have"
    names = ", ".join(metric.name for metric in rated if not isinstance(metric, GwetAC1))
    if names and 0 < others < _FEW_RATED:
        yield Caution(
            f"the intervals of {names} of {system} may be too narrow: {units} another rating than "
            f"{str(panel.names[commonest])!r}."
        )

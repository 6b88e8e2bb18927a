"""Warnings about intervals, bounds and p-values, the same in every command.

Reasons come from how units move a score, or a difference: a label of few examples, a unit that
makes much of the variance, few clusters, unequal weights; and from what the data cannot show.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.kinds.texts import TEXTS
from tallystick.model.tallies.metric import Metric, list_named
from tallystick.output.tables.cells import list_some
from tallystick.output.tables.notes import Caution, Danger
from tallystick.scoring.counted import Counted
from tallystick.scoring.intervals.bounds import Observed, Spread
from tallystick.scoring.sheet import count_effectively
from tallystick.statistics.influence import Scatter

_SKEWED = 0.5
"""Above this skewness intervals held less than 93% in the simulations of benchmarks/coverage.py."""
_RARE = 0.5
"""Likewise above this share of the variance from a rare label."""
_FEW_CLUSTERS = 20
"""Fewer may show none of a kind that is one in ten, in more than one sample of ten."""
_LEAST_FREEDOM = 4
"""Below that Satterthwaite's approximation is unreliable (Pustejovsky and Tipton 2018)."""
_FEW_WEIGHTED = 50
"""With effectively fewer examples of so unequal weights, a few of them decide a score."""
_FEW_TEXTS = 300
"""So many examples have an outcome of 1% among them in 95 of 100 samples."""
_BY_CHANCE = 0.01
"""So rarely groups of other items have the same gold labels."""

Subject = Literal["interval", "test", "bound"]
_SUBJECTS: dict[Subject, tuple[str, str]] = {
    "interval": ("the interval{s} of {metrics} of {who}", "may be too narrow"),
    "test": (
        "the interval{s} and the p-value{s} of the difference{s} in {metrics} of {who}",
        "may be too optimistic",
    ),
    "bound": ("the bounds of {metrics}", "may be too optimistic"),
}


class Doubt(Struct, frozen=True):
    """Why an interval, a bound or a test may promise too much.

    Attributes:
        reason: A clause with `{}` in place of the share.
        share: The share of the variance that one unit makes.
        decides: Whether no system is to pass a gate by the bound.
        endless: Whether there is no interval at all.
    """

    reason: str
    share: float = 0.0
    decides: bool = True
    endless: bool = False

    def __str__(self) -> str:
        return self.reason.format(f"{self.share:.0%}")


Found = tuple[Metric, str, Doubt]
"""A metric, the system or the pair whose score or difference it is, and what is doubtful of it."""


def find_doubt(
    scatter: Scatter,
    place: tuple[int, ...],
    unit: str,
    *,
    endless: bool = False,
    difference: bool = False,
    steady: bool = False,
) -> Doubt | None:
    """What speaks against one interval.

    Args:
        scatter: How scores or differences scatter.
        place: Which of them.
        unit: What a unit is called.
        endless: Whether it has no ends.
        difference: Whether it is of a difference.
        steady: Whether it holds however skewed the contributions are, as those of plain labels do.
    """
    own = scatter.change(lambda values: values[place])
    n = float(own.n)
    if endless and n > 1:
        few = f"its {unit}s are too few, or too much alike, to show how it varies"
        none = f"no {unit} shows a difference, and nothing limits how large one may be"
        return Doubt(none if difference else few, endless=True)
    if own.rare > _RARE:
        return Doubt(
            "it depends on a label with fewer than 5 examples, of which other samples may contain "
            "more or fewer"
        )
    skewed = own.is_skewed() if difference else np.abs(own.skewness) > _SKEWED
    if skewed and not steady:
        return Doubt(
            f"1 {unit} makes {{}} of its variance, and other samples may contain more or fewer of "
            "that kind",
            float(own.largest),
        )
    if difference and unit == "cluster" and n < _FEW_CLUSTERS:
        return Doubt(f"{n:.0f} clusters may contain none of a kind that is lost", decides=False)
    return None


def find_doubts(
    system: str, observed: Mapping[Metric, Observed | None], spreads: Mapping[Metric, Spread]
) -> Iterator[Found]:
    """What speaks against the intervals of one system over all examples."""
    for metric, spread in spreads.items():
        one, own = observed[metric], spread.scatter
        assert one is not None
        side, doubt = one.whole, None
        if own is not None:
            endless = bool(np.isnan(spread.whole.low) and np.isfinite(side.values[0]))
            unit = "example" if side.tally.list_clusters() is None else "cluster"
            doubt = find_doubt(own, (0,), unit, endless=endless, steady=spread.steady)
        high = float(np.max(spread.whole.high))
        if doubt is not None:
            yield metric, system, doubt
        said = metric.doubt(side.tally, high)
        if said is not None:
            yield metric, system, Doubt(said.replace("{", "{{").replace("}", "}}"))


def list_warnings(
    counted: Counted, found: Iterable[Found] = (), subject: Subject = "interval"
) -> list[str]:
    """The warnings of a command about its intervals, bounds or tests; each is said once.

    Args:
        counted: The data.
        found: What speaks against single intervals.
        subject: What they are of.
    """
    return [
        *_tell(found, subject),
        *_note_weights(counted),
        *_note_absent(counted),
        *_note_runaways(counted),
        *_note_parallel(counted),
    ]


def _tell(found: Iterable[Found], subject: Subject) -> Iterator[str]:
    """A sentence for each reason, with all the metrics and systems that it is about."""
    told: dict[str, list[Found]] = {}
    for one in found:
        told.setdefault(one[2].reason, []).append(one)
    for same in told.values():
        names = [*dict.fromkeys(metric.name for metric, *_ in same)]
        who = [*dict.fromkeys(own for _, own, _ in same)]
        doubt = max((own for *_, own in same), key=lambda own: own.share)
        what, claim = _SUBJECTS[subject]
        share = f"up to {doubt.share:.0%}" if len(same) > 1 else f"{doubt.share:.0%}"
        pairs = f"{len(who)} pairs" if subject == "test" and len(who) > 2 else list_some(who)
        subjects = what.format(s="s" if len(same) > 1 else "", metrics=", ".join(names), who=pairs)
        if doubt.endless:
            claim = "have no end" if len(same) > 1 or subject != "interval" else "has no end"
        yield Caution(f"{subjects} {claim}: {doubt.reason.format(share)}.")


def note_few_clusters(scatters: Sequence[tuple[Scatter, NDArray[Any]]]) -> Iterator[str]:
    """Notes clusters that are too few, or too unlike in size, for any interval of a difference.

    Args:
        scatters: How the differences by each metric scatter, and the differences.
    """
    each = (np.nan_to_num(own.freedom[~np.isnan(gaps)]) for own, gaps in scatters)
    freedom = min((float(one.min(initial=np.inf)) for one in each), default=np.inf)
    if freedom < _LEAST_FREEDOM:
        yield Danger(
            f"too few or too unequal clusters ({freedom:.1f} effective degrees of freedom in "
            f"some row, at least {_LEAST_FREEDOM} needed): do not rely on the intervals and "
            "p-values of differences there."
        )


def _note_absent(counted: Counted) -> Iterator[str]:
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
            own = [repr(str(one)) for one in absent if one in (list_named(metric) or named)]
            if own:
                told.setdefault(list_some(own), []).append(metric.name)
    for lacking, names in told.items():
        yield Caution(
            f"the intervals of {', '.join(names)} may be too narrow: there is no example of "
            f"{lacking} in the gold, and other samples may contain some."
        )


def _note_runaways(counted: Counted) -> Iterator[str]:
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
        yield Caution(
            f"the intervals of {what} may be too narrow: {size} examples may contain no runaway "
            "output, such as a loop of words, even if one output in a hundred is one."
        )


def _note_weights(counted: Counted) -> Iterator[str]:
    """Notes weights so unequal that few examples decide the scores, which intervals allow for."""
    sizes = count_effectively(counted)
    few = [
        f"{size}{f' in {row}' if row else ''} (of {counted.facts.n[row]})"
        for row, size in sizes.items()
        if size < _FEW_WEIGHTED and 2 * size < counted.facts.n[row]
    ]
    if few:
        names = ", ".join(dict.fromkeys(metric.name for metric in counted.metrics))
        yield Danger(
            f"few heavy examples decide {names}: weights are so unequal that the effective number "
            f"of examples is only {list_some(few)}."
        )


def _note_parallel(counted: Counted) -> Iterator[str]:
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
        "of each example with `clusters=`."
    )


def _find_chance(counts: NDArray[np.int64]) -> float:
    """About how likely another sample of as many examples has the same count of each label."""
    some = counts[counts > 0].astype(np.float64)
    n = some.sum()
    powers = (1 - len(some)) / 2 * math.log(4 * math.pi * n) - np.log(some / n).sum() / 2
    return math.exp(min(powers, 0))

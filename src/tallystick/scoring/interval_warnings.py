"""Warnings about intervals, bounds and p-values, the same in every command.

Reasons come from how units move a score, or a difference: a label of few examples, a unit that
makes much of the variance, few clusters, unequal weights; and from what the data cannot show.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import Caution, Danger, Reason
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.model.tallies.metric import (
    Metric,
    adds_up,
    averages_labels,
    compares_groups,
    is_per_label,
    list_named,
    list_parts,
    read_average,
)
from tallystick.model.tallies.tally import Tally, need_patterns
from tallystick.output.tables.cells import list_some
from tallystick.scoring.counted import Counted
from tallystick.scoring.score_table import (
    Observed,
    Side,
    Spread,
    average_groups,
    count_effectively,
    fill_sheet,
    find_undefined,
)
from tallystick.statistics.influence import Scatter

Zero = tuple[str, str, str]
"""A system, the name of a metric by which it scores exactly 0, and why, in a clause on `it`."""


def list_zeros(counted: Counted) -> list[Reason]:
    """Explains the scores of all systems that are 0."""
    return explain_zeros(
        zero
        for system in counted.systems
        for zero in find_zeros(
            system, fill_sheet(counted, system, counted.scorable(system)).observed
        )
    )


def explain_zeros(zeros: Iterable[Zero]) -> list[Reason]:
    """A sentence for each reason why scores are 0, shared by metrics and systems."""
    text: dict[tuple[str, str], list[str]] = {}
    for system, metric, reason in zeros:
        text.setdefault((reason, system), []).append(metric)
    shared: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (reason, system), metrics in text.items():
        shared.setdefault((reason, tuple(metrics)), []).append(system)
    return [
        Reason(
            f"{', '.join(metrics)} of {list_some(systems)} {'is' if len(metrics) == 1 else 'are'}"
            f" 0: {reason}."
        )
        for (reason, metrics), systems in shared.items()
    ]


def find_zeros(system: str, observed: Mapping[Metric, Observed | None]) -> Iterator[Zero]:
    """The metrics whose worst value is 0 and that are 0 over all or in every group."""
    counts = Counter(metric.name for metric in observed)
    for metric, one in observed.items():
        if one is None or adds_up(metric) or compares_groups(metric):
            continue
        if metric.better != "higher" or metric.bounds[0] != 0:
            continue
        side = _find_side(metric, one)
        if side is not None:
            title = metric.name if counts[metric.name] == 1 else repr(metric)
            where = "" if side is one.whole else "in every group "
            yield system, title, where + _explain(metric, side)


def _find_side(metric: Metric, one: Observed) -> Side | None:
    """Where a metric is 0: over all examples, for every label there, or in every group."""
    values = one.whole.values[0]
    if (np.nan_to_num(values) == 0).all() and not np.isnan(values).all():
        return one.whole
    if not is_per_label(metric) and average_groups(metric, one.groups.values) == 0:
        return one.groups
    return None


def _explain(metric: Metric, side: Side) -> str:
    place = int(np.argwhere(side.values == 0)[0, 0])
    if find_undefined(metric, side)[place].all():
        undefined = filter(None, ("it is undefined", _find_reason(metric)))
        return f"{', '.join(undefined)}, and its zero_division makes it 0"
    cells, reason = side.tally.patterns, None
    if Confusion in metric.counters and cells is not None and cells.sets is None:
        reason = _explain_labels(metric, side.tally, place)
    explain = getattr(metric, "explain_zero", None)
    return reason or (explain(side.tally, place) if explain else metric.zero)


def _explain_labels(metric: Metric, tally: Tally, place: int) -> str | None:
    """Why a metric of single labels is 0: nothing is right, or nothing that it looks for."""
    counts = need_patterns(tally).per_label()
    gold, predicted, hits = (side[place] for side in (counts.gold, counts.predicted, counts.hits))
    if not hits.any():
        return _explain_none_right(_name(tally, gold), _name(tally, predicted))
    positive = getattr(metric, "positive", None) if read_average(metric) == "binary" else None
    if positive in tally.labels:
        at = tally.labels.index(positive)
        if not gold[at]:
            return f"no gold example has the positive label {str(positive)!r}"
        if not hits[at]:
            never = "never correctly predicts" if predicted[at] else "never predicts"
            return f"it {never} the positive label {str(positive)!r}"
    return None


def _name(tally: Tally, counts: Any) -> list[str]:
    return [str(label) for label, size in zip(tally.labels, counts, strict=True) if size]


def _explain_none_right(gold: list[str], used: list[str]) -> str:
    text = "it has no example right"
    if not used:
        return f"{text}; its outputs are missing or no label"
    if set(used) & set(gold):
        return text
    alike = {name.strip().casefold() for name in used} <= {name.strip().casefold() for name in gold}
    what = (
        "which differ from the labels of the gold in case or spaces only (`fold_case=True`)"
        if alike
        else "and none of these is a label of the gold"
    )
    return f"{text}; it predicts {list_some([*map(repr, used)])}, {what}"


def note_undefined(system: str, observed: Mapping[Metric, Observed | None]) -> list[str]:
    """Notes such metrics that are undefined over all examples, and where they are."""
    text: dict[str, list[str]] = {}
    for metric, one in observed.items():
        if one is None or compares_groups(metric) or np.isfinite(one.whole.values).any():
            continue
        said = "infinite" if np.isinf(one.whole.values).any() else "undefined"
        if list_parts(metric):
            from tallystick.kinds.composite_metrics import MeanOf

            assert isinstance(metric, MeanOf)
            lacking = metric.undefined_parts(one.whole.tally)
            parts = (filter(None, (f"{part.name} is", _find_reason(part))) for part in lacking)
            reason = f"because {' and '.join(map(', '.join, parts))}"
        else:
            explain = getattr(metric, "explain_undefined", None)
            reason = (explain and explain(one.whole.tally)) or _find_reason(metric)
        if reason:
            text.setdefault(f"{said}, {reason}", []).append(metric.name)
    return [
        Danger(f"{', '.join(names)} of {system} {'is' if len(names) == 1 else 'are'} {reason}.")
        for reason, names in text.items()
    ]


def _find_reason(metric: Metric) -> str:
    """When a metric is undefined, as its docstring says; nothing where it does not."""
    text = (type(metric).__doc__ or "").partition("Undefined:")[2].partition("Source:")[0]
    reason = " ".join(text.partition(";")[0].split()).rstrip(".")
    return reason and f"as always {reason}"


_SKEWED = 0.6
"""Above this skewness one example makes most of the variance."""
RARE = 1 / 3
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
    """What speaks against one interval; `steady` ones hold however skewed contributions are."""
    own = scatter.change(lambda values: values[place])
    n = float(own.n)
    if endless and n > 1:
        few = f"its {unit}s are too few, or too much alike, to show how it varies"
        none = f"no {unit} shows a difference, and nothing limits how large one may be"
        return Doubt(none if difference else few, endless=True)
    if own.rare > RARE:
        return Doubt(
            "it depends on a label with fewer than 5 examples, of which other samples may contain "
            "more or fewer",
            decides=False,
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
        raise_doubt = getattr(metric, "doubt", None)  # of few examples that no contribution shows
        if raise_doubt is not None and (said := raise_doubt(side.tally, high)) is not None:
            yield metric, system, Doubt(said.replace("{", "{{").replace("}", "}}"))


def list_warnings(
    counted: Counted, found: Iterable[Found] = (), subject: Subject = "interval"
) -> list[str]:
    """The warnings of a command about its intervals, bounds or tests, without repetition."""
    return [
        *_tell(found, subject),
        *_note_weights(counted),
        *_note_absent(counted),
        *_note_runaways(counted),
        *_note_parallel(counted),
    ]


def _tell(found: Iterable[Found], subject: Subject) -> Iterator[str]:
    """A sentence for each reason, with all the metrics and systems that it is about."""
    text: dict[str, list[Found]] = {}
    for one in found:
        text.setdefault(one[2].reason, []).append(one)
    for same in text.values():
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
    """Warns of clusters that are too few or too unequal for any interval of a difference."""
    each = (np.nan_to_num(own.freedom[~np.isnan(gaps)]) for own, gaps in scatters)
    freedom = min((float(one.min(initial=np.inf)) for one in each), default=np.inf)
    if freedom < _LEAST_FREEDOM:
        yield Danger(
            f"too few or too unequal clusters ({freedom:.1f} effective degrees of freedom in "
            f"some row, at least {_LEAST_FREEDOM} needed): do not rely on the intervals and "
            "p-values of differences there."
        )


def _note_absent(counted: Counted) -> Iterator[str]:
    """Warns of means over labels of which one has no example in the gold."""
    asked, text = set(counted.facts.asked.labels or ()), dict[str, list[str]]()
    averaged = [one for one in counted.metrics if averages_labels(one)]
    for counter, tally in counted.tallies.items():
        metrics = [one for one in averaged if counted.counters[one] == counter]
        if not metrics or tally.patterns is None:
            continue
        cells = need_patterns(tally.of(counted.systems[0]).total())
        rows = zip(cells.labels, cells.per_label().gold[0], strict=True)
        named = asked if cells.sets is None else set(cells.labels)
        absent = [label for label, size in rows if not size and label in named]
        for metric in metrics:
            own = [repr(str(one)) for one in absent if one in (list_named(metric) or named)]
            if own:
                text.setdefault(list_some(own), []).append(metric.name)
    for lacking, names in text.items():
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
        and metric.counter.kind.textual
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
    """Warns of groups with the same gold labels, which are likely to be the same items."""
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

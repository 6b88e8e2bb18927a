"""The table of scores of one system: each metric on each group, on their mean and their sum."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.kinds.texts.text_columns import split_by
from tallystick.model.tallies.metric import (
    Metric,
    Values,
    adds_up,
    compares_groups,
    find_formula,
    find_undefined_value,
    is_per_label,
    list_named,
)
from tallystick.model.tallies.tally import Tally
from tallystick.output.results.records import Score
from tallystick.scoring.counted import AVERAGES, Counted
from tallystick.statistics.influence import Scatter
from tallystick.statistics.wilson import bound_mean


class Bounds(Struct, frozen=True, eq=False):
    """The intervals of scores, of the shape of their values."""

    low: Values
    high: Values

    @classmethod
    def around(cls, values: Values, low: Values, high: Values) -> "Bounds":
        """Intervals that include the values themselves."""
        return cls(np.minimum(low, values), np.maximum(high, values))

    @property
    def only(self) -> "Bounds":
        """Those of the only group."""
        return Bounds(self.low[0], self.high[0])

    def at(self, place: int | tuple[()]) -> tuple[float, float]:
        """One of the intervals."""
        return float(self.low[place]), float(self.high[place])


class Spread(Struct, frozen=True, eq=False):
    """The intervals of one metric.

    `groups` is None for a metric per label, which is shown for all groups together: `whole` is of
    each label. `mean` is the interval of the mean over groups, and what it comes from. `scatter`
    is how the score of all examples scatters, where it is not known by their number alone, and
    `steady` whether its interval holds however skewed that is.
    """

    groups: Bounds | None
    whole: Bounds
    method: str
    mean: tuple[float, float, str] | None = None
    scatter: Scatter | None = None
    steady: bool = False


class Side(Struct, frozen=True, eq=False):
    """A tally and its scores, of shape (groups,), or (groups, labels) if per label."""

    tally: Tally
    values: Values


class Observed(Struct, frozen=True, eq=False):
    """What was observed by one metric: in each group, and in all together as one group.

    `formula` is what it is computed by, such as accuracy of a mean of nothing but 0 and 1.
    """

    formula: Metric
    groups: Side
    whole: Side

    def sides(self) -> tuple[Side, Side]:
        """Both, one after the other."""
        return self.groups, self.whole


def observe(tallies: Mapping[Metric, Any]) -> dict[Metric, Observed | None]:
    """Scores the tally of each metric, as far as there is one."""
    formulas = {
        metric: find_formula(metric, tally)
        for metric, tally in tallies.items()
        if tally is not None
    }
    totals = {id(tally): tally.total() for _, tally in formulas.values()}
    found: dict[Metric, Observed | None] = dict.fromkeys(tallies)
    for metric, (formula, tally) in formulas.items():
        groups, total = Side(tally, formula.score(tally)), totals[id(tally)]
        whole = groups if total is tally else Side(total, formula.score(total))
        found[metric] = Observed(formula, groups, whole)
    return found


def average_groups(metric: Metric, values: Values) -> Values:
    """The mean over the groups in which a metric is defined; NaN if none is, and for counts."""
    defined = ~np.isnan(values) & (not adds_up(metric))
    size = defined.sum(-1)
    with np.errstate(invalid="ignore"):  # of infinite ratings of either sign there is no mean
        total = np.where(defined, values, 0).sum(-1)
    return np.where(size > 0, total / np.maximum(size, 1), np.nan)


_NO_ENDS = (math.nan, math.nan)

_Signed = tuple[str, str | None]
"""The signature of a score, and that of sacreBLEU."""


class _Cell(Struct, frozen=True):
    """A value, the ends of its interval, what that comes from, and whether it represents none."""

    value: float
    ends: tuple[float, float] = _NO_ENDS
    method: str | None = None
    undefined: bool = False


class Sheet(Struct, frozen=True, eq=False):
    """The table of scores of one system, with the confidence of its intervals."""

    system: str
    counted: Counted
    observed: Mapping[Metric, Observed | None]
    spreads: Mapping[Metric, Spread] = field(default_factory=dict)
    confidence: float | None = None

    def score(self) -> list[Score]:
        """All scores, row by row: groups, macro, micro, and then one row per label."""
        rows: dict[str | None, list[Score]] = {row: [] for row in self.counted.rows}
        labelled: dict[str, list[Score]] = {}
        for metric, observed in self.observed.items():
            writer = _Writer(self, metric)
            if is_per_label(metric):
                if observed is not None:
                    for label, one in self._by_label(metric, observed):
                        labelled.setdefault(label, []).append(writer.write(self._whole, label, one))
                continue
            for group, one in self._by_row(metric, observed):
                rows[group].append(writer.write(group, None, one))
        return [score for row in (*rows.values(), *labelled.values()) for score in row]

    @property
    def _whole(self) -> str | None:
        return "micro" if self.counted.groups else None

    def _by_label(self, metric: Metric, observed: Observed) -> Iterator[tuple[str, _Cell]]:
        spread = self.spreads.get(metric)
        labels = list_named(metric) or observed.groups.tally.labels
        undefined = find_undefined(metric, observed.whole)[0].tolist()
        found = _list_bounds(observed.whole.values[0], spread, spread.whole if spread else None)
        for label, bound, stands in zip(labels, found, undefined, strict=True):
            yield str(label), _Cell(*bound, stands)

    def _by_row(
        self, metric: Metric, observed: Observed | None
    ) -> Iterator[tuple[str | None, _Cell]]:
        spread = self.spreads.get(metric)
        if compares_groups(metric):
            yield "macro", _combine(metric, observed, spread)
            return
        sizes = self.counted.list_sizes(metric)
        groups = [one for one in self.counted.groups if sizes[one]]
        if groups:
            yield from self._by_group(metric, groups, observed, spread)
        # Some of the examples that the metric scores may be lacking.
        size = self.counted.size(None, metric)
        if observed is None or int(observed.whole.tally.n.sum()) < size:
            yield self._whole, _Cell(np.nan)
        else:
            bounds = spread.whole if spread else None
            (bound,) = _list_bounds(observed.whole.values[:1], spread, bounds)
            undefined = find_undefined(metric, observed.whole)[0]
            yield self._whole, _Cell(*bound, bool(undefined))

    def _by_group(
        self,
        metric: Metric,
        groups: Sequence[str],
        observed: Observed | None,
        spread: Spread | None,
    ) -> Iterator[tuple[str, _Cell]]:
        if observed is None:
            yield from ((row, _Cell(np.nan)) for row in (*groups, "macro"))
            return
        values, bounds = observed.groups.values, spread.groups if spread else None
        undefined = find_undefined(metric, observed.groups).tolist()
        found = _list_bounds(values, spread, bounds)
        cells = map(_Cell, *zip(*found, strict=True), undefined)
        by_group = dict(zip(map(str, observed.groups.tally.groups), cells, strict=True))
        none = _Cell(math.nan)
        yield from ((group, by_group.get(group, none)) for group in groups)
        mean = _Cell(float(average_groups(metric, values)))
        if spread is None or bounds is None or np.isnan(mean.value):
            yield "macro", mean
        elif spread.mean is not None:
            yield "macro", replace(mean, ends=spread.mean[:2], method=spread.mean[2])
        else:
            ends = bound_mean(values, bounds.low, bounds.high)
            yield "macro", replace(mean, ends=ends, method=f"{spread.method}, groups combined")


class _Writer:
    """Writes the scores of a metric; what all rows have in common is found once."""

    def __init__(self, sheet: Sheet, metric: Metric) -> None:
        self._sheet, self._metric = sheet, metric
        self._scored = _list_scored(metric, sheet.observed[metric])
        self._named = repr(metric), metric.name, metric.full_title
        self._signed: dict[tuple[str, ...], _Signed] = {}
        self._rows: dict[str | None, tuple[_Signed, int, int, int]] = {}
        counted = sheet.counted
        self._sizes = {} if compares_groups(metric) else counted.list_sizes(metric)
        self._invalid = counted.facts.invalid.get(sheet.system, {})

    def write(self, group: str | None, label: str | None, cell: _Cell) -> Score:
        has_ends = not math.isnan(cell.ends[0])
        if group not in self._rows:  # all labels have one row
            invalid = self._invalid.get(None if group in AVERAGES else group, 0)
            self._rows[group] = (self._sign(group), *self._count(group), invalid)
        signed, size, left_out, invalid = self._rows[group]
        sheet = self._sheet
        return Score(
            sheet.system,
            group,
            label,
            *self._named,
            cell.value,
            size,
            *signed,
            *cell.ends,
            sheet.confidence if has_ends else None,
            cell.method if has_ends else None,
            invalid,
            cell.undefined,
            self._metric.better,
            left_out,
        )

    def _sign(self, row: str | None) -> _Signed:
        """The signatures of a row, which only what its texts were split with can change."""
        counted, metric = self._sheet.counted, self._metric
        split = counted.list_tokenizers(row)
        if split not in self._signed:
            shaped = counted.describe(metric, self._sheet.system, row)
            signature = f"{split_by(metric, split).signature}|{shaped}"
            self._signed[split] = signature, counted.sign_as_peer(metric, row)
        return self._signed[split]

    def _count(self, row: str | None) -> tuple[int, int]:
        """How many examples a row of scores is about, and how many others it leaves out."""
        counted = self._sheet.counted
        if self._sizes:
            size = self._sizes[None if row in AVERAGES else row]
        else:
            size = counted.size(row, self._metric)
        left_out = counted.count_left_out(row)
        if not self._scored:
            return size, left_out
        own = self._scored.get(row, self._scored[None])
        return own, left_out + size - own


def _combine(metric: Metric, observed: Observed | None, spread: Spread | None) -> _Cell:
    """What is compared with each other of groups, with its interval."""
    if observed is None:
        return _Cell(np.nan)
    from tallystick.kinds.composite_metrics import Between

    assert isinstance(metric, Between)
    cell = _Cell(float(metric.combine_groups(observed.groups.tally)))
    if spread is None or spread.mean is None:
        return cell
    return replace(cell, ends=spread.mean[:2], method=spread.mean[2])


def _list_scored(metric: Metric, observed: Observed | None) -> dict[str | None, int]:
    """How many examples each group has a score of, and all (None); nothing where that is all."""
    count = getattr(metric, "count_scored", None)
    if observed is None or count is None:
        return {}
    groups, whole = (count(side.tally) for side in observed.sides())
    names = map(str, observed.groups.tally.groups)
    return {None: int(whole[0]), **dict(zip(names, map(int, groups), strict=True))}


def fill_sheet(counted: Counted, system: str, metrics: tuple[Metric, ...]) -> Sheet:
    """The scores of a system before anything is resampled."""
    tallies = {metric: counted.tally(metric) for metric in metrics}
    own = {
        id(tally): tally.of(system)
        for tally in tallies.values()
        if tally is not None and system in tally.systems
    }
    return Sheet(
        system, counted, observe({metric: own.get(id(tally)) for metric, tally in tallies.items()})
    )


def find_undefined(metric: Metric, side: Side) -> Any:
    """Where a metric is undefined and has the value that its zero_division says."""
    if math.isnan(find_undefined_value(metric)):
        return np.zeros(side.values.shape, bool)
    plain = replace(metric, zero_division=math.nan)
    return np.isnan(plain.score(side.tally)) & ~np.isnan(side.values)


def _list_bounds(
    values: Any, spread: Spread | None, bounds: Bounds | None
) -> list[tuple[float, tuple[float, float], str | None]]:
    found: list[float] = values.tolist()
    if spread is None or bounds is None:
        return [(value, _NO_ENDS, None) for value in found]
    ends = zip(np.ravel(bounds.low).tolist(), np.ravel(bounds.high).tolist(), strict=True)
    return [(value, own, spread.method) for value, own in zip(found, ends, strict=True)]


def add_effective_sizes(counted: Counted, scores: Sequence[Score]) -> list[Score]:
    """The scores with the effective size of each row in which it is less than half of n."""
    sizes = count_effectively(counted)
    rows = (None if score.group == "micro" else score.group for score in scores)
    return [
        replace(score, effective_n=sizes[row]) if 2 * sizes.get(row, score.n) < score.n else score
        for score, row in zip(scores, rows, strict=True)
    ]


def count_effectively(counted: Counted) -> dict[str | None, int]:
    """The effective size of the examples of each group, and of all (None), where it is known.

    Weights for another mix of labels are left out, since their intervals keep the labels' numbers,
    and so are clusters, whose own degrees of freedom tell as much.

    Source: Kish 1965, Survey Sampling.
    """
    if not counted.facts.weighted or counted.prevalence or counted.facts.clustered:
        return {}
    whole = (one for one in counted.tallies.values() if int(one.n.sum()) == counted.facts.n[None])
    known = ((one.groups, one.weight_sums()) for one in whole)
    groups, sums = next((own for own in known if own[1] is not None), ((), None))
    if sums is None:
        return {}
    names: list[str | None] = [None, *(map(str, groups) if counted.groups else ())]
    rows = zip(names, [sums.sum(1), *sums.T], strict=False)
    return {row: round(total**2 / squares) for row, (total, squares) in rows if squares > 0}

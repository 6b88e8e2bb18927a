"""Plans a comparison: how often two systems are found different with more or fewer examples."""

import math
from collections.abc import Iterator, Sequence
from typing import Unpack

import numpy as np

from tallystick.comparison.comparable import keep_comparable
from tallystick.comparison.detectable import Detection, Discordance, scale_units, widen
from tallystick.comparison.resamples import are_normal
from tallystick.comparison.rows import score_pair, score_rows
from tallystick.comparison.settings import Testing
from tallystick.comparison.significance import draw_scores
from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.metrics.names import Metrics
from tallystick.reading.input_plan import Layout, Source
from tallystick.results.plan import Plan
from tallystick.results.records import Power
from tallystick.scoring.counted import Counted
from tallystick.scoring.given import count_input
from tallystick.scoring.notes import cautions as data_notes
from tallystick.statistics import student
from tallystick.statistics.percentiles import measure_deviation
from tallystick.statistics.power import POWER, find_power, find_share_power, find_share_size
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.resampling import resample_at

ASSURANCE = 0.8
"""How sure the larger number of examples makes it that the power is reached."""

_USUAL = (0.25, 0.5, 1, 2, 4, 8, 16)
"""How many times the examples there are is planned with, where nobody says."""

_RESAMPLES = 4000
_MOST_DRAWN = 400_000
"""So many counts of cells, or clusters, are drawn for each size, but where they are very many."""

_FEWEST = 400
"""So many resamples are drawn however many cells there are, unless fewer are asked for."""


def plan(
    gold: object = None,
    /,
    outputs: object = None,
    metrics: Metrics = None,
    *,
    sizes: Sequence[int] = (),
    testing: Testing | None = None,
    **layout: Unpack[Layout],
) -> Plan:
    """Plans a comparison of two systems with more or fewer examples like those that there are.

    Args:
        gold: As in `score`.
        outputs: The outputs of both systems by name, as in `score`.
        metrics: What to compare by.
        sizes: The numbers of examples to plan with; the usual ones are from a quarter of those
            that there are to 16 times as many.
        testing: The most resamples for each size (None is 4,000, and 1,000 for the standard
            errors), the random seed and the confidence level.
        layout: How the data is laid out, as in `tallystick.read`.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: There are not two systems, or a metric or an option does not exist or fit.
    """
    counted = count_input(Source.of(gold, outputs), layout, metrics)
    testing = Testing.settle(testing)
    counted.refuse_correction(
        "plan, which varies the number of examples; score says how many more human labels would "
        "halve an interval"
    )
    counted = keep_comparable(counted)
    if len(counted.systems) != 2:
        raise UsageError(f"a plan is for two systems, and there are {len(counted.systems)}")
    whole = counted.size(None)
    check_sizes(sizes)
    wanted = sorted({*sizes} or {max(1, round(times * whole)) for times in _USUAL})
    powers = [
        power for metric in counted.metrics for power in _plan(counted, metric, wanted, testing)
    ]
    return Plan(tuple(powers), tuple(data_notes.list_notes(counted)))


def check_sizes(sizes: Sequence[int]) -> None:
    """Raises a UsageError where a number of examples is none."""
    wrong = next((size for size in sizes if not isinstance(size, int) or size < 1), None)
    if wrong is not None:
        raise UsageError(f"a number of examples to plan with is 1 or more, not {wrong!r}")


def _plan(
    counted: Counted, metric: Metric, sizes: Sequence[int], testing: Testing
) -> Iterator[Power]:
    """Yields the power of one metric on each row of scores, size by size."""
    a, b = counted.systems
    tally, confidence = counted.tally(metric), testing.confidence
    (one,), (other,) = score_pair([metric], tally, counted.groups, (a, b))
    first, second = draw_scores(counted, [metric], testing)[metric]
    errors = measure_deviation(first - second)
    found = [
        Detection.of(counted, metric, row, (a, b), float(error))
        for row, error in zip(counted.rows, errors, strict=True)
    ]
    ratios = [size / counted.size(None) for size in sizes]
    formula = all(one.share is not None for one in found) or are_normal([metric], tally)
    drawn = [None if formula else _draw(counted, metric, ratio, testing) for ratio in ratios]
    for place, (name, detection) in enumerate(zip(counted.rows, found, strict=True)):
        if not counted.size(name, metric):
            continue
        row = _Row(counted, metric, name, float(one[place] - other[place]), detection)
        for ratio, own in zip(ratios, drawn, strict=True):
            resampled = None if own is None else own[:, place]
            yield row.write(ratio, resampled, confidence)


def _draw(counted: Counted, metric: Metric, ratio: float, testing: Testing) -> Values | None:
    """Returns the differences on resamples of `ratio` times the original size: (resamples, rows).

    None where only their standard error is drawn, which goes with the root of the number.
    """
    tally = counted.tally(metric).patterns
    if tally is None or tally.weights is not None:
        return None
    clusters = 0 if tally.clusters is None else len(tally.clusters.names)
    most = max(_FEWEST, _MOST_DRAWN // max(1, len(tally.owners), clusters))
    resamples = min(testing.resamples or _RESAMPLES, most)
    drawn = resample_at(tally, ratio, resamples, testing.random_seed)
    one, other = (
        score_rows([metric], drawn.of(name), counted.groups)[0] for name in counted.systems
    )
    return np.asarray(one - other)


def _count_found(drawn: Values, units: float, confidence: float) -> float:
    """Returns the share of resampled differences that lie so far from 0 that a test rejects.

    Of few clusters the test itself does not know how much differences deviate: what it takes for
    their standard error is drawn too.
    """
    if len(drawn) < 2 or units < 2 or not np.ptp(drawn) > 0:
        return math.nan
    error = widen(units) * measure_deviation(drawn)
    if math.isinf(units):
        return float((np.abs(drawn) > student.quantile(confidence, units) * error).mean())
    stream = np.random.default_rng([len(drawn), int(units)])
    guessed = error * np.sqrt(stream.chisquare(units - 1, len(drawn)) / (units - 1))
    middle = drawn.mean()
    found = np.abs(middle + widen(units) * (drawn - middle))
    return float((found > student.quantile(confidence, units - 1) * guessed).mean())


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """What is observed of a metric on one row of scores."""

    counted: Counted
    metric: Metric
    name: str | None
    difference: float
    detection: Detection

    def find_power(
        self, ratio: float, drawn: Values | None, confidence: float, difference: float
    ) -> float:
        """Returns the power for a true difference with `ratio` times as many examples."""
        share, units = self._shift(difference), self.detection.units
        if share is not None:
            return find_share_power(share.only_a, share.only_b, ratio * share.n, confidence)
        if drawn is None:
            error = np.array(self.detection.error / math.sqrt(ratio))
            return float(find_power(np.array(difference), error, confidence))
        moved = drawn[np.isfinite(drawn)] + (difference - self.difference)
        return _count_found(moved, scale_units(units, ratio), confidence)

    def write(self, ratio: float, drawn: Values | None, confidence: float) -> Power:
        """Returns the record of `ratio` times as many examples."""
        counted, units = self.counted, self.detection.units
        a, b = counted.systems
        whole = counted.size(self.name)
        near, far = self._bound(confidence)
        (assured, _) = self._bound(2 * ASSURANCE - 1)
        power, low, high = (
            self.find_power(ratio, drawn, confidence, one) for one in (self.difference, near, far)
        )
        return Power(
            a=a,
            b=b,
            group=self.name,
            metric=repr(self.metric),
            name=self.metric.name,
            difference=self.difference,
            examples=whole,
            n=max(1, round(ratio * whole)),
            clusters=None if math.isinf(units) else int(scale_units(units, ratio)),
            power=power,
            power_low=min(low, power),
            power_high=max(high, power),
            detectable=self.detection.detect(confidence, ratio),
            needed=self._find_needed(confidence, self.difference),
            needed_low=self._find_needed(confidence, far),
            needed_high=self._find_needed(confidence, near),
            assured=self._find_needed(confidence, assured),
            target=POWER,
            confidence=confidence,
            signature=f"{self.metric!r}|{counted.describe(self.metric)}",
        )

    def _bound(self, confidence: float) -> tuple[float, float]:
        """Returns the ends of the difference's interval, the one nearer to 0 first.

        Of shares half an example is added to each of the four outcomes.

        Source: Agresti and Min 2005, Statistics in Medicine 24:729; Perugini, Gallucci and
            Costantini 2014, Perspectives on Psychological Science 9:319, for planning with the
            nearer end.
        """
        middle, error, share = self.difference, self.detection.error, self.detection.share
        if share is not None:
            whole = share.n + 2
            either = ((share.only_a + share.only_b) * share.n + 1) / whole
            middle = (share.only_a - share.only_b) * share.n / whole
            error = math.sqrt((either - middle**2) / whole)
        reach = float(student.quantile(confidence, self.detection.units - 1) * error)
        sign = math.copysign(1.0, self.difference)
        near = max(0.0, abs(middle) - reach)
        return sign * near, sign * (abs(middle) + reach)

    def _shift(self, difference: float) -> Discordance | None:
        """Returns how often one system alone is right where the true difference is this one."""
        share = self.detection.share
        if share is None or difference == self.difference:
            return share
        difference = min(1.0, max(-1.0, difference))
        either = max(share.only_a + share.only_b, abs(difference))
        return Discordance((either + difference) / 2, (either - difference) / 2, share.n)

    def _find_needed(self, confidence: float, difference: float) -> int | None:
        """Returns how many examples the row needs for a true difference."""
        share, whole = self._shift(difference), self.counted.size(self.name)
        if share is not None:
            size = find_share_size(share.only_a, share.only_b, confidence)
            return None if size is None else math.ceil(size * whole / share.n)
        least = self.detection.detect(confidence)
        if not abs(difference) > 0 or math.isnan(least):
            return None
        return math.ceil(whole * (least / difference) ** 2)

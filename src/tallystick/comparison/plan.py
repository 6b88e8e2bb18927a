"""Plans a comparison: how often systems are found different, and what difference can be found."""

import math
from collections.abc import Iterator, Sequence
from typing import Unpack

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tallystick.comparison.comparable import keep_comparable
from tallystick.comparison.pairwise_tests import Outcome
from tallystick.comparison.significance import compare_pairs
from tallystick.errors import UsageError, short_traceback
from tallystick.kinds.metrics.names import Metrics
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.other_results import Plan
from tallystick.output.results.records import Power
from tallystick.reading.input_plan import Layout, Source
from tallystick.scoring import data_warnings as data_notes
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count_input
from tallystick.statistics import student
from tallystick.statistics.power import (
    POWER,
    find_detectable_share,
    find_multiplier,
    find_power,
    find_share_power,
    find_share_size,
)
from tallystick.statistics.settings import Testing


class Detection(Struct, frozen=True):
    """What is known of the differences that can be found between two systems on a row of scores.

    Of a share of `trials` examples it is in which share of these only the first system is right,
    and only the second, with how far the score rises where all are right; `trials` is 0 of others.
    """

    error: float
    freedom: float
    only_a: float = 0.0
    only_b: float = 0.0
    trials: float = 0.0
    scale: float = 1.0

    @classmethod
    def of(cls, outcome: Outcome, pair: int, row: int) -> "Detection":
        """What is known of one of the pairs."""
        scatter, shares = outcome.scatter, outcome.discordance
        variance, freedom = (float(one[pair, row]) for one in (scatter.variance, scatter.freedom))
        own = math.sqrt(variance), freedom
        if shares is None or not shares.trials[pair, row] > 0:
            return cls(*own)
        wins, losses, n = (
            float(one[pair, row]) for one in (shares.wins, shares.losses, shares.trials)
        )
        return cls(*own, wins / n, losses / n, n, shares.scale)

    def detect(self, confidence: float, ratio: float = 1.0) -> float:
        """The minimum detectable difference with `ratio` times as many examples; NaN if unknown."""
        if self.trials:
            discordant = self.only_a + self.only_b
            least = find_detectable_share(discordant, ratio * self.trials, confidence)
            return least * abs(self.scale)
        if not self.error > 0:
            return math.nan
        return (
            find_multiplier(confidence, self.scale_freedom(ratio)) * self.error / math.sqrt(ratio)
        )

    def scale_freedom(self, ratio: float) -> float:
        """Returns the degrees of freedom with `ratio` times as many examples; NaN without any."""
        freedom = ratio * (self.freedom + 1) - 1
        return freedom if freedom > 0 else math.nan


def find_detectable(outcome: Outcome, row: int, confidence: float) -> float:
    """The minimum detectable difference of the pair with the median error; NaN if none differ."""
    variance = outcome.scatter.variance[:, row]
    differing = np.flatnonzero(np.isfinite(variance) & (variance > 0))
    if not len(differing):
        return math.nan
    order = differing[np.argsort(variance[differing], kind="stable")]
    return Detection.of(outcome, int(order[(len(order) - 1) // 2]), row).detect(confidence)


ASSURANCE = 0.8
"""How sure the larger number of examples makes it that the power is reached."""

_USUAL = (0.25, 0.5, 1, 2, 4, 8, 16)
"""How many times the examples there are is planned with, where nobody says."""

_MOST = 1e15
"""So many times the examples find nothing but rounding."""

_STEPS = 20
"""Numbers of examples that are needed settle after a few steps."""


@short_traceback
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
        testing: The confidence level of the test, and how often metrics of probabilities are
            resampled.
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
    outcomes = compare_pairs(counted, testing, pairs=[(counted.systems[0], counted.systems[1])])
    powers = [
        power
        for metric, outcome in outcomes.items()
        for power in _plan(counted, metric, outcome, wanted, testing.confidence)
    ]
    return Plan(tuple(powers), tuple(data_notes.list_notes(counted)))


def check_sizes(sizes: Sequence[int]) -> None:
    """Raises a UsageError where a number of examples is none."""
    wrong = next((size for size in sizes if not isinstance(size, int) or size < 1), None)
    if wrong is not None:
        raise UsageError(f"a number of examples to plan with must be 1 or more, not {wrong!r}")


def _plan(
    counted: Counted, metric: Metric, outcome: Outcome, sizes: Sequence[int], confidence: float
) -> Iterator[Power]:
    for place, name in enumerate(counted.rows):
        if counted.size(name, metric):
            detection = Detection.of(outcome, 0, place)
            clusters = int(outcome.scatter.n[0, place]) if counted.facts.clustered else None
            difference = float(outcome.differences[0, place])
            row = _Row(counted, metric, name, difference, detection, clusters)
            for size in sizes:
                yield row.write(size / counted.size(None), confidence)


class _Row(Struct, frozen=True, eq=False):
    """What is observed of a metric on one row of scores."""

    counted: Counted
    metric: Metric
    name: str | None
    difference: float
    detection: Detection
    clusters: int | None

    def find_power(self, ratio: float, confidence: float, difference: float) -> float:
        """Returns the power for a true difference with `ratio` times as many examples."""
        own = self._shift(difference)
        if own.trials:
            return find_share_power(own.only_a, own.only_b, ratio * own.trials, confidence)
        error = own.error / math.sqrt(ratio)
        return find_power(difference, error, confidence, own.scale_freedom(ratio))

    def write(self, ratio: float, confidence: float) -> Power:
        """Returns the record of `ratio` times as many examples."""
        counted = self.counted
        a, b = counted.systems
        whole = counted.size(self.name)
        near, far = self._bound(confidence)
        (assured, _) = self._bound(2 * ASSURANCE - 1)
        power, low, high = (
            self.find_power(ratio, confidence, one) for one in (self.difference, near, far)
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
            clusters=None if self.clusters is None else max(1, round(ratio * self.clusters)),
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
        own, middle = self.detection, self.difference
        error, freedom = own.error, own.freedom
        if own.trials:
            whole, freedom = own.trials + 2, math.inf
            either = ((own.only_a + own.only_b) * own.trials + 1) / whole
            middle = (own.only_a - own.only_b) * own.trials / whole
            error = math.sqrt((either - middle**2) / whole) * abs(own.scale)
            middle *= own.scale
        reach = float(student.quantile(confidence, freedom) * error)
        sign = math.copysign(1.0, self.difference)
        near = max(0.0, abs(middle) - reach)
        return sign * near, sign * (abs(middle) + reach)

    def _shift(self, difference: float) -> Detection:
        own = self.detection
        if not own.trials or difference == self.difference:
            return own
        difference = min(1.0, max(-1.0, difference / own.scale))
        either = max(own.only_a + own.only_b, abs(difference))
        return replace(own, only_a=(either + difference) / 2, only_b=(either - difference) / 2)

    def _find_needed(self, confidence: float, difference: float) -> int | None:
        """Returns how many examples the row needs for a true difference."""
        own, whole = self._shift(difference), self.counted.size(self.name)
        if own.trials:
            size = find_share_size(own.only_a, own.only_b, confidence)
            return None if size is None else math.ceil(size * whole / own.trials)
        if not abs(difference) > 0 or not own.error > 0 or math.isnan(own.freedom):
            return None
        ratio = 1.0
        for _ in range(_STEPS):  # the degrees of freedom grow with the examples
            least = math.sqrt(ratio) * own.detect(confidence, ratio)
            ratio = (least / difference) ** 2 if least > 0 else 2 * ratio
            if not ratio < _MOST:
                return None
        return math.ceil(whole * ratio)

"""Systems that are compared on the examples that both of two have, or by corrected scores."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from tallystick.comparison.pairwise_tests import Outcome
from tallystick.errors import Danger, UsageError
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Pair
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import Difference, Flip
from tallystick.scoring.corrections.corrected import Corrected, Row
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import find_flips
from tallystick.scoring.per_system_coverage import Apart
from tallystick.statistics import student
from tallystick.statistics.influence import Scatter
from tallystick.statistics.p_values import adjust
from tallystick.statistics.settings import Testing


def compare_corrected(
    counted: Counted, corrected: Corrected, testing: Testing, pairs: Sequence[Pair]
) -> dict[Metric, Outcome]:
    """What every metric says of pairs of systems by their corrected scores."""
    if testing.test not in (None, "t"):
        raise UsageError(f"`corrected_by=` is tested by t, not by {testing.test}")
    found = {}
    for metric in counted.metrics:
        values = {
            name: np.array([corrected.estimate(metric, name, row).value for row in counted.rows])
            for name in counted.systems
        }
        tests = np.array(
            [
                [_test(corrected, metric, pair, row, testing.confidence) for row in counted.rows]
                for pair in pairs
            ]
        ).reshape(len(pairs), len(counted.rows), 4)
        low, high, p, freedom = np.moveaxis(tests, -1, 0)
        none = np.zeros(freedom.shape)
        scatter = Scatter(none, freedom, none, none, none, none)
        found[metric] = Outcome("t", pairs, low, high, p, values, scatter)
    return found


def _test(
    corrected: Corrected, metric: Metric, pair: Pair, row: Row, confidence: float
) -> tuple[float, float, float, float]:
    """The interval of a difference, its p-value, and the degrees of freedom."""
    one, other = (corrected.estimate(metric, name, row) for name in pair)
    influence = corrected.subtract(metric, *pair, row)
    variance, freedom = influence.variance, influence.freedom
    difference, reach = one.value - other.value, one.limits[1] - one.limits[0]
    if np.isnan(variance) or np.isnan(difference):
        return np.nan, np.nan, np.nan, np.nan
    # Where nothing scatters, as of equal outputs, a single example could still be another.
    least = (reach if np.isfinite(reach) else abs(difference)) / max(one.labels, 1)
    error = variance**0.5 if variance > 0 else least
    half = float(student.quantile(confidence, freedom)) * error
    p = float(student.p_value(difference / error if error > 0 else 0.0, freedom))
    return max(difference - half, -reach), min(difference + half, reach), p, freedom


def draw_corrected(
    counted: Counted, corrected: Corrected, metric: Metric, testing: Testing
) -> Values:
    """Scores of all systems as they vary together, normal: (systems, resamples, rows)."""
    stream = np.random.default_rng(testing.random_seed)
    size = testing.intervals.resamples
    rows = []
    for row in counted.rows:
        own = [corrected.estimate(metric, name, row) for name in counted.systems]
        values = np.array([one.value for one in own])
        moves = [one.influence.moves for one in own]
        # The mean over other groups is moved by other examples.
        if np.isnan(values).any() or len({len(one) for one in moves}) > 1:
            rows.append(np.full((len(own), size), np.nan))
        else:
            covariance = np.stack(moves) @ np.stack(moves).T
            rows.append(stream.multivariate_normal(values, covariance, size).T)
    return np.stack(rows, axis=-1)


def compare_apart(
    apart: Apart,
    pairs: Sequence[Pair],
    compare: Callable[..., Comparison],
    scored: Evaluation,
) -> Comparison:
    """Compares each pair of systems on the examples that both have."""
    found = [
        compare(apart.among(*pair), baseline=pair[1]) for pair in pairs if apart.overlap(*pair)
    ]
    if not found:
        raise UsageError("no two systems have an output for the same example")
    differences = correct_anew(one for part in found for one in part.differences)

    def find(a: str, b: str) -> tuple[Flip, ...]:
        return find_flips(apart.among(a, b), a, b)

    return replace(
        found[0],
        differences=differences,
        notes=tuple(
            dict.fromkeys(
                [*tell_apart(apart, pairs), *scored.notes[:1], *(n for p in found for n in p.notes)]
            )
        ),
        finder=find,
        scores=scored.scores,
        gather=None,
    )


def tell_apart(apart: Apart, pairs: Iterable[Pair]) -> Iterator[str]:
    """How many examples pairs of systems are compared on, and which cannot be compared."""
    pairs = list(pairs)
    together = [pair for pair in pairs if apart.overlap(*pair)]
    torn = [f"{a} and {b}" for a, b in pairs if (a, b) not in together]
    sizes = {apart.among(*pair).facts.n[None] for pair in together}
    if sizes:
        some = f"{min(sizes):,}" + (f" to {max(sizes):,}" if len(sizes) > 1 else "")
        yield Danger(f"two systems are compared on the examples that both have: {some}.")
    if torn:
        more = f"; and {len(torn) - 5:,} other pairs" if len(torn) > 6 else ""
        shown = "; ".join(torn[: 5 if more else 6])
        yield Danger(f"no example has an output of both systems: {shown}{more}.")


def tell_part(whole: Counted, part: Counted) -> Iterator[str]:
    """How many of all examples a verdict is about."""
    n, every = part.facts.n[None], whole.facts.n[None]
    if n != every:
        yield Danger(f"checked on {n:,} of {every:,} examples: the others have no output.")


def correct_anew(differences: Iterable[Difference]) -> tuple[Difference, ...]:
    """Differences of several families row by row, with p-values corrected within each row."""
    rows: dict[str | None, list[Difference]] = {}
    for one in differences:
        rows.setdefault(one.group, []).append(one)
    return tuple(
        replace(one, p_holm=float(p))
        for family in rows.values()
        for one, p in zip(family, adjust(np.array([one.p for one in family])), strict=True)
    )

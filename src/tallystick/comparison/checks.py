"""The conditions of a gate: whether a system is good enough, as far as the examples can tell."""

import math

from tallystick.errors import UsageError
from tallystick.metrics.metric import Metric
from tallystick.results import Check, Score, Verdict

__all__ = ["check_drop", "check_floor"]

Bounds = tuple[float, float]
"""The lower and the upper bound of a number, each one-sided at the confidence level."""

_ROUNDING = 1e-12
_WORDS: dict[Verdict, str] = {
    "pass": "passed",
    "fail": "failed",
    "inconclusive": "is inconclusive",
}


def check_drop(
    new: Score, old: float, bounds: Bounds, *, metric: Metric, confidence: float, limit: float
) -> Check:
    """Checks that a score has not dropped by more than a limit.

    Non-inferiority (Wellek 2010, Testing Statistical Hypotheses of Equivalence and
    Noninferiority): it passes where the bound on the bad side keeps within the limit, fails where
    even the bound on the good side does not, and is inconclusive in between. Several checks need no
    correction where all of them must pass (Berger 1982, Technometrics 24:295).

    Args:
        new: The score that is put to the test.
        old: The value it is held against.
        bounds: The bounds of new - old.
        metric: The score's metric; where lower is better, a rise counts as a drop.
        confidence: The confidence level of each bound, between 0 and 1.
        limit: The largest drop that is allowed.

    Raises:
        UsageError: The limit is no number from 0 on, or no direction of the metric is better.
    """
    if not (math.isfinite(limit) and limit >= 0):
        raise UsageError(f"the largest drop is a number from 0 on, not {limit:g}")
    worst, best = _turn(bounds, metric)
    sign = _sign(metric)
    verdict = _judge(new.value - old, sign * worst + limit, sign * best + limit)
    sides = tuple(map(_describe_change, (worst, best)))
    facts = (
        f"{_show(new.value)} against {_show(old)} before{_tell_bounds(sides, verdict, confidence)}"
    )
    wanted = f"a {'drop' if sign > 0 else 'rise'} of {limit:g} is allowed"
    return Check(
        "drop",
        new.group,
        new.metric,
        new.name,
        new.value,
        old,
        *bounds,
        confidence,
        limit,
        verdict,
        _write_sentence(new, verdict, facts, wanted),
        new.n,
    )


def check_floor(new: Score, *, metric: Metric, confidence: float, limit: float) -> Check:
    """Checks that a score is not below a floor, nor above it where lower is better.

    It passes where the bound on the bad side is not beyond the floor, fails where even the bound on
    the good side is, and is inconclusive in between. The bounds are the ends of the score's
    interval; where they are one number, as when every resample of texts is perfect, they say
    nothing of how sure it is, and the whole range is left open.

    Args:
        new: The score that is put to the test; its interval has the confidence level
            2 * confidence - 1.
        metric: The score's metric.
        confidence: The confidence level of each bound, between 0 and 1.
        limit: The floor.

    Raises:
        UsageError: The floor is no number, or no direction of the metric is better.
    """
    if not math.isfinite(limit):
        raise UsageError(f"the floor is a number, not {limit:g}")
    same = new.high - new.low <= _ROUNDING * max(1, abs(new.value))
    bounds = metric.bounds if same else (new.low, new.high)
    worst, best = _turn(bounds, metric)
    sign = _sign(metric)
    verdict = _judge(new.value, sign * (worst - limit), sign * (best - limit))
    sides = tuple(map(_show, (worst, best)))
    facts = f"{_show(new.value)}{_tell_bounds(sides, verdict, confidence)}"
    wanted = f"at {'least' if sign > 0 else 'most'} {limit:g} is required"
    return Check(
        "floor",
        new.group,
        new.metric,
        new.name,
        new.value,
        math.nan,
        *bounds,
        confidence,
        limit,
        verdict,
        _write_sentence(new, verdict, facts, wanted),
        new.n,
    )


def _sign(metric: Metric) -> int:
    if metric.better == "neither":
        raise UsageError(f"{metric.name} cannot be gated: neither more nor less of it is better")
    return 1 if metric.better == "higher" else -1


def _turn(bounds: Bounds, metric: Metric) -> Bounds:
    """The bound on the bad side, and then the one on the good side."""
    return bounds if _sign(metric) > 0 else (bounds[1], bounds[0])


def _judge(value: float, worst: float, best: float) -> Verdict:
    """The verdict on a margin that is to be 0 or more; what is undefined fails."""
    if math.isnan(value + worst + best) or best < -_ROUNDING:
        return "fail"
    return "pass" if worst >= -_ROUNDING else "inconclusive"


def _tell_bounds(sides: tuple[str, ...], verdict: Verdict, confidence: float) -> str:
    if "n/a" in sides:
        return ", which is undefined"
    told = {
        "pass": f"at worst {sides[0]} ({confidence:.4g} one-sided)",
        "fail": f"at best {sides[1]} ({confidence:.4g} one-sided)",
        "inconclusive": f"between {sides[0]} and {sides[1]} ({confidence:.4g} on each side)",
    }
    return f", {told[verdict]}"


def _describe_change(change: float) -> str:
    if math.isnan(change):
        return _show(change)
    if change == 0:
        return "the same"
    return f"{abs(change):.4f} {'lower' if change < 0 else 'higher'}"


def _show(value: float) -> str:
    return "n/a" if math.isnan(value) else f"{value:.4f}"


def _write_sentence(new: Score, verdict: Verdict, facts: str, wanted: str) -> str:
    place = new.name if new.group is None else f"{new.name} [{new.group}]"
    doubt = f", and {new.n} examples do not decide it" if verdict == "inconclusive" else ""
    return f"{place} {_WORDS[verdict]}: {facts}; {wanted}{doubt}."

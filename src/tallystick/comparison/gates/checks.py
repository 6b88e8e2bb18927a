"""The conditions of a gate: whether a system is good enough, as far as the examples can tell."""

import math
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.records import Check, Score, Verdict
from tallystick.output.tables.cells import format_scores
from tallystick.statistics.wilson import quantile

Kind = Literal["drop", "floor", "equivalent"]
"""What a check is of: a drop, a score, or a difference either way."""

Bounds = tuple[float, float]
"""The lower and the upper bound of a number, each one-sided at the confidence level."""

_ROUNDING = 1e-12
_POWER = 0.8
_MOST = 1e9
"""A number of examples beyond this is no advice."""

_WORDS: dict[Verdict, str] = {
    "fail": "failed",
    "inconclusive": "is inconclusive",
    "pass": "passed",
}


class Terms(Struct, frozen=True):
    """What a check asks.

    The limit is the largest drop or difference that is allowed, or the floor, and the confidence
    that of each bound. Where human labels have `corrected` a judge, more examples alone decide
    nothing.
    """

    metric: Metric
    limit: float
    confidence: float
    corrected: bool = False


class _Margin(Struct, frozen=True):
    """By how much a condition is met: in the worst case, as observed, and in the best case."""

    worst: float
    observed: float
    best: float

    @property
    def verdict(self) -> Verdict:
        """What is undefined fails."""
        undefined = any(map(math.isnan, (self.worst, self.observed, self.best)))
        if undefined or self.best < -_ROUNDING:
            return "fail"
        return "pass" if self.worst >= -_ROUNDING else "inconclusive"

    def count_needed(self, n: int, confidence: float) -> float:
        """How many examples would decide with a chance of 80%, if what is observed is true."""
        if self.verdict != "inconclusive":
            return 0
        reach = self.observed - self.worst if self.observed > 0 else self.best - self.observed
        z = quantile(2 * confidence - 1)
        ratio = (1 + quantile(2 * _POWER - 1) / z) * reach / max(abs(self.observed), _ROUNDING)
        return n * ratio**2


def check_limit(kind: Kind, new: Score, old: float, bounds: Bounds, terms: Terms) -> Check:
    """Checks a score, or its difference from an older one, against a limit.

    A drop: non-inferiority (Wellek 2010, Testing Statistical Hypotheses of Equivalence and
    Noninferiority). It passes where the bound on the bad side keeps within the limit, fails where
    even the bound on the good side does not, and is inconclusive in between. Several checks need no
    correction where all of them must pass (Berger 1982, Technometrics 24:295). The limit is the
    largest rise where lower is better.

    A floor, above which no score may lie where lower is better, is checked likewise. Where its
    bounds are one number, as when every resample of texts is perfect, they say nothing of how sure
    it is, and the whole range is left open.

    Equivalence: two one-sided tests (Schuirmann 1987, Journal of Pharmacokinetics and
    Biopharmaceutics 15). It passes where both bounds keep within the limit, and fails where both
    lie beyond it on the same side.

    The bounds are those of new - old; of the new score for a floor, which has an `old` of NaN.
    """
    metric, limit = terms.metric, terms.limit
    if kind == "floor" and bounds[1] - bounds[0] <= _ROUNDING * max(1, abs(new.value)):
        bounds = metric.bounds
    low, high = bounds
    difference = new.value - old
    check = Check(
        kind=kind,
        group=new.group,
        metric=new.metric,
        name=new.name,
        value=new.value,
        old=old,
        difference=difference,
        low=low,
        high=high,
        confidence=terms.confidence,
        limit=limit,
        verdict="fail",
        sentence="",
        n=new.n,
        better=metric.better,
        needed=None,
    )
    sign = _sign(metric)
    worst, best = _turn(bounds, metric)
    if kind == "drop":
        margins = [_Margin(*(sign * one + limit for one in (worst, difference, best)))]
        wanted = f"a {'drop' if sign > 0 else 'rise'} of {limit:g} is allowed"
    elif kind == "floor":
        margins = [_Margin(*(sign * (one - limit) for one in (worst, new.value, best)))]
        wanted = f"at {'least' if sign > 0 else 'most'} {limit:g} is required"
    else:
        margins = [
            _Margin(*(one + limit for one in (low, difference, high))),
            _Margin(*(limit - one for one in (high, difference, low))),
        ]
        wanted = f"a difference of {limit:g} either way is allowed"
    return _settle(check, terms, margins, wanted)


def refuse_proof(check: Check, reason: str) -> Check:
    """The check, inconclusive where it would pass by bounds that promise too much, or has none."""
    if check.verdict == "fail" or (
        check.verdict != "pass" and math.isfinite(check.high - check.low)
    ):
        return check
    sentence = f"{_name(check)} {_WORDS['inconclusive']}: {_tell_scores(check)}, and {reason}."
    return replace(check, verdict="inconclusive", sentence=sentence)


def _settle(check: Check, terms: Terms, margins: Sequence[_Margin], wanted: str) -> Check:
    """The check with its verdict, the worst of all margins, and what it says in words.

    Margins are by how much its conditions are met, and `wanted` is what is asked.
    """
    verdict = next(one for one in _WORDS if one in {margin.verdict for margin in margins})
    needed = None
    if verdict == "inconclusive" and not terms.corrected:
        needed = _round(max(margin.count_needed(check.n, check.confidence) for margin in margins))
    bounds = _tell_bounds(check, terms.metric, verdict)
    told = f"{_name(check)} {_WORDS[verdict]}: {_tell_scores(check)}{bounds}"
    doubt = ""
    if verdict == "inconclusive" and terms.corrected:
        doubt = ", and these human labels do not decide it"
    elif verdict == "inconclusive":
        rest = ", because it lies at the limit" if needed is None else f"; about {needed:,} would"
        doubt = f", and {check.n:,} examples do not decide it{rest}"
    sentence = f"{told}; {wanted}{doubt}."
    return replace(check, verdict=verdict, needed=needed, sentence=sentence)


def _round(number: float) -> int | None:
    """A number of examples with two digits that count; None where it is beyond all reason."""
    if not number <= _MOST:
        return None
    unit = int(10 ** max(0, math.floor(math.log10(number)) - 1))
    return math.ceil(number / unit) * unit


def _sign(metric: Metric) -> int:
    if metric.better == "neither":
        raise UsageError(f"{metric.name} cannot be gated: neither higher nor lower is better")
    return 1 if metric.better == "higher" else -1


def _turn(bounds: Bounds, metric: Metric) -> Bounds:
    """The bound on the bad side, and then the one on the good side."""
    return bounds if _sign(metric) > 0 else (bounds[1], bounds[0])


def _name(check: Check) -> str:
    return check.name if check.group is None else f"{check.name} [{check.group}]"


def _tell_scores(check: Check) -> str:
    value, old = format_scores(check.name, check.value, check.old)
    return value if check.kind == "floor" else f"{value} against {old} before"


def _tell_bounds(check: Check, metric: Metric, verdict: Verdict) -> str:
    bounds = _turn((check.low, check.high), metric)
    if any(map(math.isnan, bounds)):
        return ", which is undefined"
    if check.kind == "floor":
        worst, best, _ = format_scores(check.name, *bounds, check.value)
    else:
        worst, best = (_describe_change(check, own) for own in bounds)
    told = {
        "pass": f"at worst {worst} ({check.confidence:.4g} one-sided)",
        "fail": f"at best {best} ({check.confidence:.4g} one-sided)",
        "inconclusive": f"between {worst} and {best} ({check.confidence:.4g} on each side)",
    }
    return f", {told[verdict]}"


def _describe_change(check: Check, change: float) -> str:
    if change == 0:
        return "the same"
    size, *_ = format_scores(check.name, abs(change), check.value, check.old)
    return f"{size} {'lower' if change < 0 else 'higher'}"

"""The limits of a gate, and whether a system keeps them as far as the examples can tell."""

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.config import check_mapping, read_yaml
from tallystick.io.files.opening import name_source
from tallystick.kinds.metrics.names import parse
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.records import Check, Score, Verdict
from tallystick.output.tables.cells import format_scores
from tallystick.scoring.counted import Counted
from tallystick.scoring.metric_selection import bind
from tallystick.statistics.wilson import quantile

LimitKind = Literal["max_drop", "floor", "equivalent_within"]
"""What a limit is of: a drop, a score, or a difference either way."""

KINDS: tuple[LimitKind, ...] = get_args(LimitKind)

Limit = float | Mapping[str, float | Mapping[str | None, float]] | None
"""One number for all metrics, or one for each by name, or those of its groups by name."""


class Rule(Struct, frozen=True):
    """One limit of a kind; a metric or a group of None means all."""

    kind: LimitKind
    metric: str | None
    group: str | None
    limit: float

    def __post_init__(self) -> None:
        """Raises a UsageError for a number that is no limit."""
        if self.kind == "floor" and not math.isfinite(self.limit):
            raise UsageError(f"the floor must be a number, not {self.limit:g}")
        if self.kind != "floor" and not (math.isfinite(self.limit) and self.limit >= 0):
            what = "drop" if self.kind == "max_drop" else "difference"
            raise UsageError(f"the largest {what} must be 0 or more, not {self.limit:g}")


class Limits(Struct, frozen=True):
    """All limits of a gate; the most special one that fits a metric and a group holds."""

    rules: tuple[Rule, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are named, each once."""
        return tuple(dict.fromkeys(rule.metric for rule in self.rules if rule.metric is not None))

    @property
    def kinds(self) -> tuple[LimitKind, ...]:
        """What there are limits of."""
        used = {rule.kind for rule in self.rules}
        return tuple(kind for kind in KINDS if kind in used)

    def settle(self, counted: Counted) -> "dict[tuple[LimitKind, Metric, str | None], float]":
        """The limit of each kind for each metric on each row, where there is one."""
        named = {name: _find_metric(name, counted) for name in self.metrics}
        for rule in self.rules:
            if rule.group is not None:
                _check_group(rule.group, counted.rows)
        found: dict[tuple[LimitKind, Metric, str | None], float] = {}
        # From the general to the special, so that what is special is what remains.
        for rule in sorted(self.rules, key=lambda one: (one.metric is not None, one.group or "")):
            chosen = counted.metrics if rule.metric is None else (named[rule.metric],)
            rows = counted.rows if rule.group is None else (rule.group,)
            for metric in chosen:
                found |= {(rule.kind, metric, row): rule.limit for row in rows}
        limited = {metric for _, metric, _ in found}
        for metric in counted.metrics:
            if metric not in limited:
                raise UsageError(f"{metric.name} has no limit; give it a max_drop or a floor")
        return found


def collect_limits(given: Mapping[str, Limit]) -> Limits:
    """The limits that a caller gave, by their kinds."""
    rules = tuple(rule for kind in KINDS for rule in _read_given(kind, given.get(kind)))
    if not rules:
        raise UsageError("name a limit: max_drop=0.01, floor=0.8 or equivalent_within=0.01")
    return Limits(rules)


def _read_given(kind: LimitKind, given: Limit) -> Iterable[Rule]:
    if given is None:
        return
    if not isinstance(given, Mapping):
        yield Rule(kind, None, None, _check_number(kind, given))
        return
    for metric, own in given.items():
        if isinstance(own, Mapping):
            for group, limit in own.items():
                place = f"{kind} of {metric} in {group}"
                yield Rule(kind, str(metric), group, _check_number(place, limit))
        else:
            yield Rule(kind, str(metric), None, _check_number(f"{kind} of {metric}", own))


def _check_number(place: str, limit: object) -> float:
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise UsageError(f"{place} must be a number, not {limit!r:.40}")
    return float(limit)


def read_limits(path: str) -> Limits:
    """The limits that a YAML file contains under `metrics`, by metric."""
    source = name_source(path)
    document = check_mapping(read_yaml(path).value, f"{source}: $")
    _check_keys(document, ("metrics",), source, "")
    metrics = check_mapping(document.get("metrics"), f"{source}: $.metrics")
    if not metrics:
        raise InputError(
            f"{source}: $.metrics contains no limit, but such as f1: {{max_drop: 0.01}} was "
            "expected"
        )
    return Limits(
        tuple(rule for metric, own in metrics.items() for rule in _read_metric(source, metric, own))
    )


def _read_metric(source: str, metric: object, own: object) -> Iterable[Rule]:
    place = f"metrics.{metric}"
    asked = check_mapping(own, f"{source}: $.{place}")
    _check_keys(asked, (*KINDS, "groups"), source, f"{place}.")
    groups = check_mapping(asked.get("groups"), f"{source}: $.{place}.groups")
    limits = {key: limit for key, limit in asked.items() if key != "groups"}
    if limits or not groups:
        yield from _read_rules(limits, (str(metric), None), source, place)
    for group, special in groups.items():
        there = f"{place}.groups.{group}"
        if isinstance(group, bool):
            raise InputError(
                f"{source}: $.{there} is not a name; YAML reads a bare no, off, yes or on as true "
                "or false, so quote it"
            )
        chosen = check_mapping(special, f"{source}: $.{there}")
        _check_keys(chosen, KINDS, source, f"{there}.")
        yield from _read_rules(chosen, (str(metric), str(group)), source, there)


def _read_rules(
    limits: Mapping[object, object], place: tuple[str, str | None], source: str, path: str
) -> Iterable[Rule]:
    if not limits:
        raise InputError(
            f"{source}: $.{path} contains no limit, but {' or '.join(KINDS)} was expected"
        )
    for kind in KINDS:
        if kind in limits:
            limit = limits[kind]
            if isinstance(limit, bool) or not isinstance(limit, int | float):
                raise InputError(
                    f"{source}: $.{path}.{kind} contains {limit!r:.40}, but a number was expected"
                )
            yield Rule(kind, *place, float(limit))


def _check_keys(
    mapping: Mapping[object, object], known: tuple[str, ...], source: str, parent: str
) -> None:
    for key in mapping:
        if key not in known:
            hint = _suggest(str(key), known)
            raise InputError(f"{source}: unknown key '{parent}{key}'{hint}")


def _suggest(name: str, known: Iterable[str]) -> str:
    """What else to type instead: the nearest of the known names, or all of them."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"


def _find_metric(name: str, counted: Counted) -> Metric:
    known = {metric.name: metric for metric in counted.metrics}
    if name in known:
        return known[name]
    parsed = parse(name, counted.facts.task.kind or "binary")
    (metric,) = bind([parsed], counted.facts)
    if metric not in counted.metrics:
        raise UsageError(f"{name} has a limit but is not checked{_suggest(name, known)}")
    return metric


def _check_group(name: str, rows: tuple[str | None, ...]) -> None:
    known = [row for row in rows if row is not None]
    if not known:
        raise UsageError(f"there is a limit for the group {name!r}; name the groups with `by=`")
    if name not in known:
        raise UsageError(f"there is no group {name!r}{_suggest(name, known)}")


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
    """The check with its verdict, the worst margin, and a sentence."""
    verdict = next(one for one in _WORDS if one in {margin.verdict for margin in margins})
    needed = None
    if verdict == "inconclusive" and not terms.corrected:
        needed = _round(max(margin.count_needed(check.n, check.confidence) for margin in margins))
    bounds = _tell_bounds(check, terms.metric, verdict)
    text = f"{_name(check)} {_WORDS[verdict]}: {_tell_scores(check)}{bounds}"
    doubt = ""
    if verdict == "inconclusive" and terms.corrected:
        doubt = ", and these human labels do not decide it"
    elif verdict == "inconclusive":
        rest = ", because it is at the limit" if needed is None else f"; about {needed:,} would"
        doubt = f", and {check.n:,} examples do not decide it{rest}"
    sentence = f"{text}; {wanted}{doubt}."
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


def _write(check: Check, *numbers: float) -> list[str]:
    """Writes numbers with decimals that tell the bounds from the limit."""
    ends = (check.low, check.high, check.value if check.kind == "floor" else math.nan)
    gaps = (abs(abs(end) - abs(check.limit)) for end in ends)
    spread = min((gap for gap in gaps if gap > _ROUNDING), default=math.inf)
    return format_scores(check.name, *numbers, check.value, check.old, spread=2 * spread)[
        : len(numbers)
    ]


def _tell_scores(check: Check) -> str:
    value, old = _write(check, check.value, check.old)
    return value if check.kind == "floor" else f"{value} against {old} before"


def _tell_bounds(check: Check, metric: Metric, verdict: Verdict) -> str:
    bounds = _turn((check.low, check.high), metric)
    if any(map(math.isnan, bounds)):
        return ", which is undefined"
    if check.kind == "floor":
        worst, best = _write(check, *bounds)
    else:
        worst, best = (_describe_change(check, own) for own in bounds)
    text = {
        "pass": f"at worst {worst} ({check.confidence:.4g} one-sided)",
        "fail": f"at best {best} ({check.confidence:.4g} one-sided)",
        "inconclusive": f"between {worst} and {best} ({check.confidence:.4g} on each side)",
    }
    return f", {text[verdict]}"


def _describe_change(check: Check, change: float) -> str:
    if change == 0:
        return "the same"
    [size] = _write(check, abs(change))
    return f"{size} {'lower' if change < 0 else 'higher'}"

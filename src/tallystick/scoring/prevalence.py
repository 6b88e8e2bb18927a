"""Scores for another mix of labels: each example is weighted by its gold label."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels import has_single_label
from tallystick.model.tallies.metric import Values, compares_groups
from tallystick.model.tallies.tally import Tally
from tallystick.scoring.counted import Counted

Prevalence = Mapping[Any, float]
"""The share of examples that are to have each of some gold labels, each above 0 and below 1."""

_ROUNDING = 1e-9


def reweigh(counted: Counted, prevalence: Prevalence) -> Counted:
    """Weights examples for another mix of gold labels; labels not named share the rest."""
    shares = read_shares(prevalence)
    counted.refuse_correction("`prevalence=`")
    found = list(counted.take_together().tallies.values())
    for metric in counted.metrics:
        tally = counted.tally(metric)
        kind = counted.counters[metric].kind
        if compares_groups(metric):
            raise UsageError(f"prevalence is for scores, and {metric.name} is between groups")
        if not has_single_label(kind):
            raise UsageError(
                "prevalence can only be used with one gold label for each example, not with "
                f"{kind.said}, as {metric.short} has them here"
            )
        if tally is not None and tally.gold_masses() is None:
            raise UsageError(f"{metric.name} has no weights, with which prevalence works")
    observed = [np.asarray(tally.gold_masses(), np.float64) for tally in found]
    _check_shares(shares, found[0].labels, observed[0].sum(0))
    tallies = {
        counter: tally.reweigh(_find_factors(tally, masses, shares))
        for (counter, tally), masses in zip(counted.tallies.items(), observed, strict=True)
    }
    note = _describe(shares, found[0].labels, observed[0].sum(0))
    mix = ",".join(f"{label}={share:g}" for label, share in shares.items())
    facts = msgspec.structs.replace(counted.facts.add(note), weighted=True)
    return replace(counted, tallies=tallies, facts=facts, prevalence=mix)


def read_shares(prevalence: Prevalence) -> dict[str, float]:
    """Returns the share of each label by its text."""
    for label, share in prevalence.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
            raise UsageError(
                f"the prevalence of {str(label)!r} is a share above 0 and below 1, not {share!r}"
            )
    return {str(label): float(share) for label, share in prevalence.items()}


def _check_shares(shares: Mapping[str, float], labels: Sequence[Any], masses: Values) -> None:
    """Raises a UsageError unless the labels are there, and leave something for the others."""
    known = [str(label) for label, mass in zip(labels, masses, strict=True) if mass > 0]
    for label in shares:
        if label not in known:
            raise UsageError(
                f"prevalence names {label!r}, which is not a label of the gold; its labels are "
                f"{', '.join(known)}"
            )
    total = sum(shares.values())
    complete = len(shares) == len(known)
    if complete and abs(total - 1) > _ROUNDING:
        raise UsageError(
            f"the prevalence of all labels adds up to {total:g}, not to 1; name all but one, which "
            "has the rest"
        )
    if not complete and total > 1 - _ROUNDING:
        rest = ", ".join(label for label in known if label not in shares)
        raise UsageError(f"prevalence adds up to {total:g}, which leaves nothing for {rest}")


def _find_factors(tally: Tally, masses: Values, shares: Mapping[str, float]) -> Values:
    """Returns the factors of the examples' weights, of shape (groups, labels)."""
    names = list(map(str, tally.labels))
    asked = np.array([shares.get(name, np.nan) for name in names])
    named = ~np.isnan(asked)
    totals = masses.sum(1, keepdims=True)
    others = np.where(named, 0, masses).sum(1, keepdims=True)
    rest = max(0.0, 1 - np.nansum(asked))
    _check_groups(tally, (masses == 0) & named, "of " + ", ".join(map(repr, shares)))
    if rest > _ROUNDING:
        _check_groups(tally, others == 0, "of another label")
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(named, asked * totals / masses, rest * totals / others)
    return np.where(np.isfinite(factors), factors, 0.0)


def _check_groups(tally: Tally, lacking: NDArray[np.bool_], what: str) -> None:
    """Raises an InputError where a group has no example that could be weighted."""
    short = np.flatnonzero(lacking.any(1))
    if len(short):
        raise InputError(
            f"the group {str(tally.groups[short[0]])!r} has no example {what}, so its scores "
            "cannot be computed for another mix of labels; leave out the groups"
        )


def _describe(shares: Mapping[str, float], labels: Sequence[Any], masses: Values) -> str:
    have = dict(zip(map(str, labels), masses / masses.sum(), strict=True))
    text = ", ".join(
        f"{100 * share:g}% {label!r} (the gold has {100 * have[label]:.3g}%)"
        for label, share in shares.items()
    )
    return f"scores are for a mix of labels with {text}; examples are weighted accordingly."

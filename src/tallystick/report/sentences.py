"""Differences in plain words."""

import math

from tallystick.results import Difference

__all__ = ["format_p", "say"]

_PLACES = {"macro": " on the mean over groups", "micro": " over all groups", None: ""}


def format_p(p: float, digits: int) -> str:
    """Write a p-value, which is never shown as 0."""
    least = 10.0**-digits
    if math.isnan(p):
        return "n/a"
    return f"< {least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def say(one: Difference, *, digits: int = 4) -> str:
    """Tell which of two systems is better, by how much and how surely, or that nothing tells."""
    where = _PLACES.get(one.group, f" in {one.group}")
    sign = -1 if one.difference < 0 else 1
    bounds = sorted((sign * one.low, sign * one.high))
    amount = f"{abs(one.difference):.{digits}f} [{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"
    chance = _say_chance(one, digits)
    if one.difference == 0 or not one.p_holm < 1 - one.level:
        low, high = (f"{bound:.{digits}f}" for bound in (one.low, one.high))
        gap = f"{one.difference:.{digits}f} [{low}, {high}]"
        return (
            f"The data cannot tell {one.a} from {one.b} on {one.name}{where}: the difference is "
            f"{gap}, {chance}."
        )
    first, second = (one.a, one.b) if sign > 0 else (one.b, one.a)
    if one.better == "lower":
        first, second = second, first
    verb = "is higher" if one.better == "neither" else "is better"
    return f"{first} {verb} than {second} on {one.name}{where} by {amount}, {chance}."


def _say_chance(one: Difference, digits: int) -> str:
    shown, corrected = (format_p(p, digits) for p in (one.p, one.p_holm))
    text = f"p {shown}" if shown.startswith("<") else f"p = {shown}"
    return text if shown == corrected else f"{text} ({corrected} by Holm)"

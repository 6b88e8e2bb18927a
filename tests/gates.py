"""Checks of gates that tests show."""

from typing import Any

from msgspec.structs import replace

from tallystick.results import Check, Verdict


def make_check(verdict: Verdict = "pass", **fields: Any) -> Check:
    check = Check(
        kind="drop",
        group=None,
        metric="F1()",
        name="f1",
        value=0.8,
        old=0.81,
        difference=-0.01,
        low=-0.02,
        high=0.01,
        confidence=0.95,
        limit=0.01,
        verdict=verdict,
        sentence="f1 did what it did.",
        n=50,
        better="higher",
        needed=None,
    )
    return replace(check, **fields)

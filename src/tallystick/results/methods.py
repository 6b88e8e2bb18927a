"""Says what the intervals of scores are, and what each comes from."""

from collections.abc import Sequence

from tallystick.results.records import Score

__all__ = ["describe_intervals"]


def describe_intervals(scores: Sequence[Score]) -> tuple[str, ...]:
    """One sentence where there are intervals, none where there are not."""
    names: dict[str, dict[str, None]] = {}
    for score in scores:
        if score.method is not None and score.group != "macro":
            names.setdefault(score.method, {})[score.name] = None
    if not names:
        return ()
    confidence = next(score.confidence for score in scores if score.confidence is not None)
    listing = "; ".join(f"{method} ({', '.join(own)})" for method, own in names.items())
    return (f"{100 * confidence:g}% intervals: {listing}.",)

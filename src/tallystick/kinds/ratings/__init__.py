"""Ratings of annotators, of which nobody's are gold."""

from collections.abc import Sequence

from tallystick.kinds.labels import sign_task
from tallystick.model.facts import Facts
from tallystick.model.reading import PatternKind


class RatingKind(PatternKind, frozen=True, eq=False):
    """Ratings of annotators, which are labels."""

    def signature(
        self, facts: Facts, counted: str, references: int | None, split: Sequence[str | None]
    ) -> Sequence[str]:
        return sign_task(facts)


RATINGS = RatingKind("ratings", "ratings of annotators")
RATERS = RatingKind("raters", "ratings of annotators")
"""The ratings of units that all annotators rated, in the order of the annotators."""

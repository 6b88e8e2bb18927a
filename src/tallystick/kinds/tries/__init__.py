"""Repeated tries of the same problems."""

from collections.abc import Sequence

from tallystick.model.columns import PROBLEMS
from tallystick.model.facts import Facts
from tallystick.model.reading import Drafted, PatternKind, Sample

_FEWEST = 2
"""So many tries of each problem a draft has at least."""


class TryKind(PatternKind, frozen=True, eq=False):
    """Repeated tries, each of them a row."""

    repeated = True
    submitted = True
    ids = PROBLEMS

    def draft(self, sample: Sample, name: str) -> Drafted:
        from tallystick.kinds.tries.tries import find_truth

        truth = find_truth(sample.table, sample.reading)
        rows = max(sample.reading.tries, _FEWEST)
        return Drafted({name: sample.table.column(truth).to_pylist()}, rows=rows)

    def signature(
        self, facts: Facts, counted: str, references: int | None, split: Sequence[str | None]
    ) -> Sequence[str]:
        return [f"tries:{counted}"]


TRIES = TryKind("tries", "repeated tries")

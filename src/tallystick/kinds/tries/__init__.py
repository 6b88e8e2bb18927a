"""Repeated tries of the same problems."""

from collections.abc import Sequence
from typing import final

from tallystick.frozen import dataclass
from tallystick.model.columns import IDS
from tallystick.model.facts import Facts
from tallystick.model.reading import PatternKind

PROBLEMS = (*IDS, "task_id", "problem_id", "question_id", "instance_id", "problem")
"""What columns of the ids of problems are called."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class TryKind(PatternKind):
    """Repeated tries, each of them a row."""

    repeated = True
    ids = PROBLEMS

    def signature(
        self, facts: Facts, counted: str, references: int | None, split: Sequence[str | None]
    ) -> Sequence[str]:
        return [f"tries:{counted}"]


TRIES = TryKind("tries", "repeated tries")

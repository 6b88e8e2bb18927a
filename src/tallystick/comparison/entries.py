"""Submissions are read one by one, so that a bad one is set aside and stops no ranking."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from tallystick.comparison.joining import check_alike
from tallystick.errors import InputError, UsageError
from tallystick.evaluate.scoring import choose
from tallystick.evaluate.system import System
from tallystick.examples.labels import Labels
from tallystick.examples.task import Task
from tallystick.metrics.metric import Metric
from tallystick.results import Refusal

__all__ = ["Entries", "read_entries", "refuse_misfits"]

Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True)
class Entries(Generic[Entry]):
    """What could be read of the submissions, and what could not.

    Attributes:
        accepted: What was read, by the name of the system.
        refused: The submissions that are wrong, each with the reason.
    """

    accepted: dict[str, Entry]
    refused: tuple[Refusal, ...]


def read_entries(names: Iterable[str], read: Callable[[str], Entry]) -> Entries[Entry]:
    """Reads the submission of each system.

    Raises:
        InputError: None of them can be read; the fault may well be the gold's then.
    """
    accepted: dict[str, Entry] = {}
    refused: list[Refusal] = []
    for name in names:
        try:
            accepted[name] = read(name)
        except InputError as error:
            refused.append(Refusal(name, None, str(error)))
    return _close(accepted, refused)


def refuse_misfits(entries: Entries[System], metrics: Sequence[Metric | str]) -> Entries[System]:
    """Sets aside the systems with another task or other groups, and those a metric cannot score.

    Raises:
        InputError: No system is left.
        UsageError: A metric fits no system.
    """
    accepted: dict[str, System] = {}
    refused = list(entries.refused)
    misfit: UsageError | None = None
    for name, system in entries.accepted.items():
        try:
            _check_labels(system)
            choose(metrics, system)
            check_alike(next(iter(accepted.values()), system), system)
            accepted[name] = system
        except InputError as error:
            refused.append(Refusal(name, None, str(error)))
        except UsageError as error:
            refused.append(Refusal(name, None, str(error)))
            misfit = error
    if misfit is not None and not accepted:
        raise misfit
    return _close(accepted, refused)


def _close(accepted: dict[str, Entry], refused: Sequence[Refusal]) -> Entries[Entry]:
    if refused and not accepted:
        count = "the only submission" if len(refused) == 1 else f"all {len(refused)} submissions"
        raise InputError(f"{count} cannot be scored: {refused[0].reason}")
    return Entries(accepted, tuple(refused))


def _check_labels(system: System) -> None:
    """Raises an InputError that names a label of the submission, and none of the gold."""
    task = _settle_gold(system)
    if task is None or (task.kind, task.positive) == (system.task.kind, system.task.positive):
        return
    predicted, known = system.parts[0].predicted, set(task.labels or ())
    used = _list_used(predicted) if isinstance(predicted, Labels) else []
    strange = [label for label in used if label not in known]
    told = f" the label {str(strange[0])!r}, so that it is" if strange else ""
    raise InputError(f"{system.name} holds{told} {system.task.kind}, but the task is {task.kind}")


def _settle_gold(system: System) -> Task | None:
    """The task as the labels of the gold alone tell it; None where they do not."""
    gold = system.parts[0].gold
    if not isinstance(gold, Labels):
        return None
    try:
        return system.asked.settle(_list_used(gold), scores=system.has_probabilities)
    except (InputError, UsageError):
        return None


def _list_used(labels: Labels) -> Sequence[str | int]:
    return [labels.names[code] for code in np.unique(labels.codes).tolist()]

"""The settings for reading columns, and the submissions that could not be read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import numpy as np

from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.examples.align import Answer
from tallystick.examples.columns import Columns
from tallystick.examples.guessed import Former
from tallystick.examples.kinds import Kinds
from tallystick.examples.labels import Label, Labels
from tallystick.examples.numbers import Needed
from tallystick.examples.sets import LabelRows
from tallystick.examples.systems import Systems
from tallystick.examples.task import Task
from tallystick.io.progress import Progress
from tallystick.io.spill import MixedTypesError, NoRoomError
from tallystick.results import Refusal

Found = TypeVar("Found")


class ResettleError(Exception):
    """A later block tells another task than the first one did: all must be read anew.

    Attributes:
        reading: How all of it is to be read.
        read: Reads all of it so; None where this was a part of more, which who reads the others
            reads anew with them.
    """

    def __init__(
        self, reading: "Reading", read: Callable[[], Iterator[Systems]] | None = None
    ) -> None:
        """Keeps how all of it is to be read."""
        self.reading = reading
        self.read = read


class NoneLeftError(InputError):
    """All systems are wrong, though that is tolerated of some.

    Attributes:
        refused: The systems, each with the reason.
    """

    def __init__(self, refused: Sequence[Refusal]) -> None:
        """Tells the reason of the first one."""
        count = "the only submission" if len(refused) == 1 else f"all {len(refused)} submissions"
        InputError.__init__(self, f"{count} cannot be scored: {refused[0].reason}")
        self.refused = tuple(refused)

    def __reduce__(self) -> "tuple[type[NoneLeftError], tuple[tuple[Refusal, ...]]]":
        """Makes the same error of the same systems in another process."""
        return NoneLeftError, (self.refused,)


def relay(
    blocks: Iterator[Systems],
    change: Callable[[Systems], Systems],
    explain: Callable[[str], str] | None = None,
) -> Iterator[Systems]:
    """Yields changed blocks, also where all of them are read anew.

    Args:
        blocks: The blocks.
        change: Changes each of them.
        explain: Says in other words what is wrong with one; None leaves that as it is.

    Raises:
        InputError: As the blocks do, in other words.
        ResettleError: As the blocks do; what it reads is changed too.
    """
    try:
        for block in blocks:
            yield change(block)
    except ResettleError as changed:
        again = changed.read
        raise ResettleError(
            changed.reading, None if again is None else lambda: relay(again(), change, explain)
        ) from None
    except NoneLeftError as error:
        if explain is None:
            raise
        refused = [replace(one, reason=explain(one.reason)) for one in error.refused]
        raise NoneLeftError(refused) from error
    except InputError as error:
        if explain is None:
            raise
        raise InputError(explain(str(error))) from error


class UnforeseenError(InputError):
    """A system is wrong in a way that no reader and no counter foresaw."""


@contextmanager
def refusing() -> Iterator[None]:
    """Turns whatever a submission raises while it is read or counted into an InputError.

    This is the only place that does so: a submission can be refused, and nothing else. What an
    unforeseen error says is not told, because it may quote the gold.

    Raises:
        UnforeseenError: Anything was raised that is not raised on purpose.
    """
    try:
        yield
    except (TallystickError, MixedTypesError, ResettleError):
        raise
    except MemoryError as error:
        raise UnforeseenError("it needs more memory than there is") from error
    except RecursionError as error:
        raise UnforeseenError("it is nested too deeply") from error
    except Exception as error:
        reason = f"it cannot be read or counted ({type(error).__name__})"
        raise UnforeseenError(reason) from error


@dataclass(frozen=True, slots=True)
class Collected(Generic[Found]):
    """What could be read of the systems, and what could not.

    Attributes:
        accepted: What was read, by the name of the system.
        refused: The systems that are wrong, each with the reason.
    """

    accepted: dict[str, Found]
    refused: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """How gold and outputs are read.

    Attributes:
        columns: Which column holds what.
        task: What is known about the task.
        kinds: As what the columns are read; None guesses it from the gold.
        tolerant: Whether a system that is wrong is set aside and stops no other.
        input_format: What the files are, where their endings do not tell.
        references: Further files of references beside the gold.
        blank_is_missing: Whether a blank line of a reference file is no reference at all.
        watch: What counts the bytes as they are read.
        asked: What was known about the task before the first examples settled it; None where they
            have not.
        golden: The labels of all the gold, whose ids have been checked, where tables are blocks of
            it; None where they have not been looked at.
        numbers: Which numbers are read.
        tries: How many tries of each example are needed, where repeated ones are read.
        former: What the first examples tell of each system; none where they have not been read.
        hidden: Whether who made the outputs may not know the gold, so that nothing is told of it.
    """

    columns: Columns = field(default_factory=Columns)
    task: Task = field(default_factory=Task)
    kinds: Kinds | None = None
    tolerant: bool = False
    input_format: str | None = None
    references: tuple[str, ...] = ()
    blank_is_missing: bool = False
    watch: Progress | None = None
    asked: Task | None = None
    golden: tuple[Label, ...] | None = None
    numbers: tuple[Needed, ...] = ()
    tries: int = 0
    former: tuple[tuple[str, Former], ...] = ()
    hidden: bool = False

    def collect(self, names: Iterable[str], read: Callable[[str], Found]) -> "Collected[Found]":
        """Reads something of each system.

        Raises:
            InputError: A system is wrong; where that is tolerated, all of them are.
            UsageError: The call is wrong; where that is tolerated, it is so for all systems.
        """
        accepted: dict[str, Found] = {}
        wrong: dict[str, TallystickError] = {}
        for name in names:
            try:
                with refusing() if self.tolerant else nullcontext():
                    accepted[name] = read(name)
            except NoRoomError:
                raise
            except TallystickError as error:
                if not self.tolerant:
                    raise
                wrong[name] = error
        refused = tuple(Refusal(name, None, str(error)) for name, error in wrong.items())
        if wrong and not accepted:
            usage = [error for error in wrong.values() if isinstance(error, UsageError)]
            raise usage[0] if len(usage) == len(wrong) else NoneLeftError(refused)
        return Collected(accepted, refused)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Whether a system answers the task that the gold alone tells.

    Attributes:
        gold: The gold.
        task: What is known about the task.
        strict: Whether it must: else a system may make the task another one.
    """

    gold: Labels | LabelRows
    task: Task
    strict: bool

    def check(self, name: str, answer: Answer) -> None:
        """Raises an InputError that names a label of the system, and none of the gold."""
        if self.strict and answer.columns is not None and isinstance(self.gold, Labels):
            self._check_columns(name, answer.columns)
        if self.strict and self.task.threshold is not None and answer.probabilities is None:
            raise InputError(
                f"{name} has predicted labels alone, and a threshold is for probabilities"
            )
        settled = self._settle(()) if self.strict else None
        if settled is None or not isinstance(answer.labels, Labels | None):
            return
        used = [] if answer.labels is None else _list_used(answer.labels)
        single = answer.probabilities is not None and answer.probabilities.ndim == 1
        own = self._settle(used, scores=single)
        if own is not None and (own.kind, own.positive) == (settled.kind, settled.positive):
            return
        known = set(settled.labels or ())
        strange = [label for label in used if label not in known]
        if single and settled.kind != "binary":
            raise InputError(
                f"{name} has one probability for each example, and this is a {settled.kind} task"
            )
        told = (
            f" the label {str(strange[0])!r}, which the task does not have"
            if strange
            else (f" answers that do not fit a {settled.kind} task")
        )
        raise InputError(f"{name} holds{told}")

    def _check_columns(self, name: str, columns: tuple[Label, ...]) -> None:
        """Raises an InputError where probabilities are not of just the labels of the task."""
        known = self.task.labels or self.gold.names
        strange = [label for label in columns if label not in known]
        if strange:
            raise InputError(
                f"{name} has probabilities of the label {str(strange[0])!r}, which the task does "
                "not have"
            )
        if len(columns) < len(known):
            raise InputError(
                f"{name} has probabilities of {len(columns)} labels, and the task has {len(known)}"
            )

    def _settle(self, used: Iterable[Label], *, scores: bool = False) -> Task | None:
        """The task as the labels of the gold and some others tell it; None where they do not."""
        if not isinstance(self.gold, Labels):
            return None
        try:
            task = replace(self.task, threshold=None)
            return task.settle([*self.gold.names, *used], scores=scores)
        except (InputError, UsageError):
            return None


def _list_used(labels: Labels) -> list[Label]:
    return [labels.names[code] for code in np.unique(labels.codes).tolist()]

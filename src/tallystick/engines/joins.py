"""Files of which the workers do more than to count parts: they split rows, and look at them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, cast

import msgspec

from tallystick.engines.driver import WrongPartError, count_sources, run_all
from tallystick.engines.jobs import Counting, Engine
from tallystick.errors import InputError, UsageError
from tallystick.examples.reading import Reading
from tallystick.frozen import dataclass, replace
from tallystick.io.files.progress import Progress
from tallystick.reading.joined_parts import Found, Run
from tallystick.reading.parts import Source
from tallystick.scoring.counted import Counted


class Plan(Protocol):
    """How parts come about that can be counted."""

    def prepare(self, run: Run, folder: str) -> tuple[Sequence[Source], Reading, tuple[str, ...]]:
        """Returns the parts, how to read them, and what is to be noted of all.

        Args:
            run: Has jobs done by the workers.
            folder: Where these leave what others need, until all has been counted.

        Raises:
            InputError: Something is wrong.
        """


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """Something to do before parts can be counted."""

    name: str
    do: Callable[[], object]

    def list_modules(self) -> set[str]:
        """None: metrics have nothing to do yet."""
        return set()

    def run(self) -> object:
        """Does it."""
        return self.do()


def count_joined(
    plan: Callable[[Reading], Plan | None],
    counting: Counting,
    engine: Engine,
    watch: Progress | None = None,
) -> Counted | None:
    """Counts files whose rows go to the workers by their ids; None where one process must read all.

    That is so of what cannot be planned, where workers do not see the folder for temporary files,
    and where something is wrong: one process tells the first fault in the order of the rows.
    """

    def run(jobs: Iterable[tuple[str, Callable[[], Found]]]) -> list[Found]:
        steps = ((place, _Step(*job)) for place, job in enumerate(jobs))
        found = {place: done for place, _, done in run_all(steps, engine)}
        return [cast("Found", done) for _, done in sorted(found.items())]

    with engine.share_folder() as folder:
        if folder is None:
            return None
        try:
            planned = plan(counting.reading)
            if planned is None:
                return None
            parts, reading, notes = planned.prepare(run, folder)
        except (InputError, UsageError):
            return None
        try:
            counting = replace(counting, reading=reading)
            counted = count_sources(parts, counting, engine, watch)
        except WrongPartError:
            return None
        facts = msgspec.structs.replace(counted.facts, notes=(*notes, *counted.facts.notes))
        return replace(counted, facts=facts)

"""Files of which the workers do more than to count parts: they split rows, and look at them."""

from collections.abc import Callable, Iterable
from typing import cast

from tallystick.distributed.driver import WrongPartError, count_sources, run_all
from tallystick.distributed.jobs import Counting, Engine
from tallystick.errors import InputError, UsageError
from tallystick.frozen import dataclass, replace
from tallystick.io.files.progress import Progress
from tallystick.model.reading import Reading
from tallystick.reading.joined_parts import Join, Split
from tallystick.scoring.counted import Counted


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
    plan: Callable[[Reading], Join | None],
    counting: Counting,
    engine: Engine,
    watch: Progress | None = None,
) -> Counted | None:
    """Counts files whose rows go to the workers by their ids; None where one process must read all.

    That is so of what cannot be planned, where workers do not see the folder for temporary files,
    and where something is wrong: one process tells the first fault in the order of the rows.
    """

    def run(jobs: Iterable[tuple[str, Callable[[], Split]]]) -> list[Split]:
        steps = ((place, _Step(*job)) for place, job in enumerate(jobs))
        found = {place: done for place, _, done in run_all(steps, engine)}
        return [cast("Split", done) for _, done in sorted(found.items())]

    with engine.share_folder() as folder:
        if folder is None:
            return None
        try:
            planned = plan(counting.reading)
            if planned is None:
                return None
            parts, reading = planned.prepare(run, folder)
        except (InputError, UsageError):
            return None
        try:
            counting = replace(counting, reading=reading)
            return count_sources(parts, counting, engine, watch)
        except WrongPartError:
            return None

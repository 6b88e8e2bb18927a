"""Files that are joined by id on the workers, which split them and count what they join."""

from collections.abc import Callable

from tallystick.engines.driver import WrongPartError, count_sources, run_all
from tallystick.engines.jobs import Counting, Engine
from tallystick.engines.kept import Kept
from tallystick.errors import InputError
from tallystick.examples.reading import Reading
from tallystick.frozen import dataclass, replace
from tallystick.io.files.progress import Progress
from tallystick.reading.joined_parts import Join, Piece, Split
from tallystick.reading.survey import Survey
from tallystick.scoring.counted import Counted


@dataclass(frozen=True, slots=True, eq=False)
class _SplitJob:
    """A part of a file to split by its ids, into a file in a folder."""

    piece: Piece
    reading: Reading
    survey: Survey | None
    folder: str

    @property
    def name(self) -> str:
        """That of the part."""
        return self.piece.part.name

    def list_modules(self) -> set[str]:
        """None: metrics have nothing to do yet."""
        return set()

    def run(self) -> Split:
        """Splits the rows."""
        return self.piece.split(self.reading, self.survey, self.folder)


def count_joined(
    plan: Callable[[Reading], Join | None],
    counting: Counting,
    engine: Engine,
    *,
    kept: Kept | None = None,
    watch: Progress | None = None,
) -> Counted | None:
    """Counts files that are joined by id; None where one process must join them.

    That is so of what cannot be planned, where workers do not see the folder for temporary files,
    and where something is wrong: one process tells the first fault in the order of the rows.
    """
    with engine.share_folder() as folder:
        if folder is None:
            return None
        try:
            join = plan(counting.reading)
            if join is None:
                return None
            splits = _split(join, engine, folder)
            parts, reading = join.settle(splits, join.list_parts(splits))
        except InputError:
            return None
        try:
            counting = replace(counting, reading=reading)
            return count_sources(parts, counting, engine, kept=kept, watch=watch)
        except WrongPartError:
            if kept is not None:
                kept.drop()
            return None


def _split(join: Join, engine: Engine, folder: str) -> list[Split]:
    """The rows of all pieces by their ids, in the order of the pieces."""
    jobs = [
        _SplitJob(piece, join.reading, None if piece.file else join.survey, folder)
        for piece in join.pieces
    ]
    found = {place: done for place, _, done in run_all(iter(enumerate(jobs)), engine)}
    return [done for _, done in sorted(found.items()) if isinstance(done, Split)]

"""An earlier ranking that a new one is held against: who has gained or lost ranks."""

from msgspec import Struct

from tallystick.errors import InputError, UsageError
from tallystick.frozen import replace
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.names import is_page
from tallystick.output.results.ranking import Ranking


class _Place(Struct, frozen=True):
    """What counts of an earlier place; further fields are left alone."""

    track: str | None
    group: str | None
    metric: str
    system: str
    rank: int | None


class Earlier(Struct, frozen=True):
    """What counts of an earlier ranking."""

    places: tuple[_Place, ...]


def add_previous(ranking: Ranking, previous: Ranking | Earlier | str | None) -> Ranking:
    """Returns the ranking with the rank that each system had in an earlier one.

    A path is that of its JSON or its report; None adds nothing.
    """
    if previous is None:
        return ranking
    earlier = read_previous(previous) if isinstance(previous, str) else previous
    ranks = {(one.track, one.group, one.metric, one.system): one.rank for one in earlier.places}
    places = tuple(
        replace(place, previous_rank=ranks.get((*place.criterion, place.system)))
        for place in ranking.places
    )
    if all(place.previous_rank is None for place in places):
        raise UsageError(
            "the previous ranking has no system that is ranked by the same metric here"
        )
    return replace(ranking, places=places)


def read_previous(path: str) -> Earlier:
    """Reads the places of a ranking that was written as JSON, or as a report."""
    import msgspec

    from tallystick.output.report.page import read_data

    with open_binary(path) as file:
        content = file.read()
    try:
        page = read_data(content.decode()) if is_page(path) else None
        if page is not None:
            return msgspec.convert(page["result"], Earlier)
        return msgspec.json.decode(content, type=Earlier)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{name_source(path)}: holds no ranking in JSON, as `rank -o ranking.json` writes it "
            f"({error})"
        ) from error

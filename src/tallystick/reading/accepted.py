"""Goes on with the systems that are not wrong, where wrong ones are set aside."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from tallystick.errors import InputError
from tallystick.examples.reading import NoneLeftError, Reading, ResettleError, relay
from tallystick.examples.systems import Systems
from tallystick.results import Refusal

_Place = TypeVar("_Place")
"""Where a system's outputs lie."""


def leave_out(places: Mapping[str, _Place], wrong: Collection[str]) -> dict[str, _Place]:
    """Returns where the outputs of the other systems lie."""
    return {name: place for name, place in places.items() if name not in wrong}


def stream_accepted(
    blocks: Iterator[Systems],
    wrong: Mapping[str, InputError],
    places: Mapping[str, _Place],
    read: Callable[[Mapping[str, _Place]], Iterator[Systems]],
) -> Iterator[Systems]:
    """Yields the blocks of the systems that are not wrong.

    Args:
        blocks: The blocks, whose systems may be refused in any of them.
        wrong: The systems that are known to be wrong, and why.
        places: Where the outputs of all systems lie, in order.
        read: Reads the blocks of some of them from the start.

    Raises:
        NoneLeftError: All systems are wrong.
        ResettleError: One proves to be wrong late, so that the others are read anew.
    """
    refused = [Refusal(name, None, str(error)) for name, error in wrong.items()]
    late: list[Refusal] = []
    try:
        if len(refused) == len(places):
            raise NoneLeftError(_sort(refused, places))
        for systems in blocks:
            if systems.first:
                late += systems.refused
            else:
                refused += systems.refused
            if not late:
                yield replace(systems, refused=_sort(refused, places))
    except NoneLeftError as error:
        every = {own.system: own for own in (*refused, *late, *error.refused)}
        raise NoneLeftError(_sort(every.values(), places)) from None
    if late:
        known = (*refused, *late)
        left = leave_out(places, {own.system for own in known})

        def refuse_too(systems: Systems) -> Systems:
            return replace(systems, refused=_sort((*systems.refused, *known), places))

        raise ResettleError(Reading(), lambda: relay(read(left), refuse_too))


def _sort(refused: Iterable[Refusal], places: Mapping[str, _Place]) -> tuple[Refusal, ...]:
    order = list(places)
    return tuple(sorted(refused, key=lambda own: order.index(own.system)))

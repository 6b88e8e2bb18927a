"""Repeated tries of submissions, whose answers are held against a file of gold."""

from collections.abc import Mapping

from msgspec.structs import replace

from tallystick.io.tables.columns import list_parts
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.tries.tries import read_tries
from tallystick.model.columns import BOTH, PROBLEMS, find, need
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems


def read_submitted_tries(
    gold: str | Table, systems: Mapping[str, str], reading: Reading
) -> Systems:
    """Reads the tries of submissions.

    Whatever a submission says of which of its tries are right does not count.

    Raises:
        InputError: As `read_tries`; where that is tolerated of a submission, all of them are wrong.
    """
    table = gold
    if not isinstance(table, Table):
        table = read_table(table, format=reading.input_format, watch=reading.watch)
    named = replace(reading, columns=replace(reading.columns, gold=find_truth(table, reading)))

    def read(name: str) -> Table:
        own = read_table(systems[name], format=reading.input_format, watch=reading.watch)
        read_tries(table, {name: own}, named)
        return own

    collected = reading.collect(systems, read)
    found = read_tries(table, collected.accepted, named)
    return replace(found, tolerant=reading.tolerant).tell(refused=collected.refused)


def find_truth(gold: Table, reading: Reading) -> str:
    """Returns the column of right answers: one of a usual name, or the only one beside the ids."""
    columns, names = reading.columns, gold.names()
    found = find(names, BOTH, columns.gold)
    ids = list_parts(find(names, PROBLEMS, columns.id) or "")
    apart = (*ids, *columns.by, columns.clusters)
    rest = [name for name in names if name not in apart]
    if found is None and len(rest) == 1:
        return rest[0]
    return need(gold, BOTH, None, "gold") if found is None else found

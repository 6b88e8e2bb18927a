"""Reads tables whose columns are parted by any number of blanks."""

from collections.abc import Collection, Sequence

import pyarrow

from tallystick.errors import InputError
from tallystick.io.files.lines import iterate_lines
from tallystick.io.files.opening import name_source
from tallystick.io.files.progress import Progress
from tallystick.io.tables.building import build_strings
from tallystick.io.tables.columns import select_names


def read_blanks(
    path: str, *, only: Collection[str] | None, watch: Progress | None = None
) -> tuple[list[str], pyarrow.Table]:
    """Returns the names of all columns, and the columns that are kept, as strings.

    Raises:
        InputError: There is no header, or a row has more or fewer fields than that.
    """
    source = name_source(path)
    rows: list[Sequence[str]] = []
    for number, line in enumerate(iterate_lines(path, watch=watch), start=1):
        fields = line.split()
        if fields and rows and len(fields) != len(rows[0]):
            raise InputError(
                f"{source}: line {number} has {len(fields)} fields between blanks, but the header "
                f"has {len(rows[0])}"
            )
        rows += [fields] if fields else []
    if not rows:
        raise InputError(f"{source}: is empty, but a header was expected")
    header, *rest = rows
    columns = {
        name: build_strings([row[place] for row in rest])
        for place, name in enumerate(header)
        if name in select_names(source, header, only)
    }
    return list(header), pyarrow.table(columns)

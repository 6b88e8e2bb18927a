"""Names what is clearly too much in a file of a submission, before it is read within limits."""

from tallystick.frozen import dataclass
from tallystick.io.files.opening import open_binary
from tallystick.io.tables.formats import guess_format

_CHUNK = 1 << 20
_LONGEST = 4 * _CHUNK
"""No line is longer, in bytes; a JSON array may be all of a file."""
_COLUMNS = 5_000
_ROOM = 10_000
_MARKS = (b",", b";", b"\t")


def find_excess(path: str, kind: str | None, examples: int, most: int) -> str | None:
    """Returns what of a file is too much to be read, worded to follow its name; None if nothing.

    The file may be gzip, and have `most` bytes when it is unpacked, for a task of so many
    examples.
    """
    kind = kind or guess_format(path)
    if kind == "parquet":
        import pyarrow.parquet as pq

        from tallystick.io.tables.parquet import measure_file

        size = _Size(total=measure_file(path))
        metadata = pq.read_metadata(path)
        rows, columns, room = metadata.num_rows, metadata.num_columns, 2 * examples + _ROOM
    else:
        size = _measure_file(path, most)
        # Texts in quotes have many lines.
        rows, columns, room = size.lines, size.columns, 100 * examples + _ROOM
    if size.total > most:
        return f"unpacks to more than {most / 1e6:,.0f} MB, the most for a submission"
    if rows > room:
        unit = "rows" if kind == "parquet" else "objects" if size.array else "lines"
        return f"has {rows:,} {unit}, and the test data {examples:,} examples"
    if size.longest > _LONGEST and not size.array:
        return f"has a line of more than {_LONGEST / 1e6:,.0f} MB"
    if columns > _COLUMNS and kind != "jsonl":
        return f"has {columns:,} columns, which is too many"
    return None


@dataclass(slots=True)
class _Size:
    """What a file holds: bytes, lines or the objects of an array, the longest line, and columns."""

    total: int = 0
    lines: int = 0
    longest: int = 0
    columns: int = 0
    array: bool = False


def _measure_file(path: str, most: int) -> _Size:
    """Measures a file until it is beyond so many bytes."""
    size, held = _Size(), 0
    with open_binary(path) as file:
        while size.total <= most and (chunk := file.read(_CHUNK)):
            if not size.total:
                size.columns = 1 + sum(map(chunk.partition(b"\n")[0].count, _MARKS))
                size.array = chunk.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
            size.total += len(chunk)
            size.lines += chunk.count(b"{" if size.array else b"\n")
            first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
            size.longest = max(size.longest, held + (len(chunk) if first < 0 else first))
            held = held + len(chunk) if last < 0 else len(chunk) - last - 1
    return size

"""Bounds on a file of a submission, so that reading it cannot take minutes or all memory."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tallystick.errors import InputError
from tallystick.frozen import dataclass
from tallystick.io.files.opening import open_binary
from tallystick.io.tables.formats import guess_kind
from tallystick.io.tables.parquet_pages import Column, Footer, list_pages, read_footer

if TYPE_CHECKING:
    import pyarrow

_CHUNK = 1 << 20
_LONGEST = 4 * _CHUNK
"""No line is longer, in bytes; a JSON array may be all of a file, and its values are bound."""
_COLUMNS = 5_000
_ROOM = 10_000
_CELLS = ((b",", b";", b"\t"), 3_000_000)
_VALUES = {"csv": _CELLS, "tsv": _CELLS, "lines": _CELLS, "conll": _CELLS} | {
    "jsonl": ((b",", b"[", b"{"), 800_000),
    "blanks": ((b" ", b"\t"), 3_000_000),
    "score": ((b" ", b"\t"), 3_000_000),
}
"""What begins values, and how many are read: those of JSON may take 200 bytes each in memory."""
_PARTS_OF_CELLS = (b",", b";", b"\t", b"[", b"{", b"|")
"""What begins values where cells hold several of them."""
_PART, _PARTS, _ROWS = 1 << 24, 20_000, 1 << 16


def find_excess(
    path: str, kind: str | None, examples: int, most: int, *, nested: bool = False
) -> str | None:
    """Returns what of a file is too much to be read, worded to follow its name; None if nothing.

    The file may be gzip, and have `most` bytes when it is unpacked, for a task of so many
    examples. `nested` cells hold lists or objects, of which each value takes memory of its own.
    """
    kind = kind or guess_kind(path)
    if kind == "parquet":
        return _find_in_parquet(path, 2 * examples + _ROOM, most)
    values = (_PARTS_OF_CELLS, _VALUES["jsonl"][1]) if nested and kind != "conll" else _VALUES[kind]
    return _find_in_lines(path, kind, (values[0], values[1] + 10 * examples), examples, most)


def _find_in_lines(
    path: str, kind: str, bound: tuple[tuple[bytes, ...], int], examples: int, most: int
) -> str | None:
    """As `find_excess`, of no Parquet; `bound` is what begins values, and how many there may be."""
    marks, values = bound
    size = _measure_file(path, marks, most)
    if size.total > most:
        return f"unpacks to more than {most / 1e6:,.0f} MB, the most for a submission"
    if size.lines > 100 * examples + _ROOM:  # texts in quotes have many lines
        return f"has {size.lines:,} lines, and the test data {examples:,} examples"
    if size.longest > _LONGEST and not size.array:
        return f"has a line of more than {_LONGEST / 1e6:,.0f} MB"
    if size.columns > _COLUMNS and kind != "jsonl":
        return f"has {size.columns:,} columns, which is too many"
    found = size.values
    if found > values and kind == "jsonl":
        found = _count_values(path, marks, values)
    if found > values:
        return f"holds more than {values:,} values, which is far more than the test data"
    return None


@dataclass(slots=True)
class _Size:
    """What a file of lines holds: bytes, lines, bytes of the longest one, values, and columns.

    An array of JSON may be all of a file in one line.
    """

    total: int = 0
    lines: int = 0
    longest: int = 0
    values: int = 0
    columns: int = 0
    array: bool = False


def _measure_file(path: str, marks: Sequence[bytes], most: int) -> _Size:
    """Measures a file until it is beyond so many bytes."""
    size, held = _Size(), 0
    with open_binary(path) as file:
        while size.total <= most and (chunk := file.read(_CHUNK)):
            if not size.total:
                size.columns = 1 + sum(map(chunk.partition(b"\n")[0].count, marks))
                size.array = chunk.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
            size.total += len(chunk)
            size.lines += chunk.count(b"\n")
            size.values += sum(map(chunk.count, (*marks, b"\n")))
            first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
            size.longest = max(size.longest, held + (len(chunk) if first < 0 else first))
            held = held + len(chunk) if last < 0 else len(chunk) - last - 1
    return size


def _count_values(path: str, marks: Sequence[bytes], most: int) -> int:
    """How many values a file of JSON holds, without the marks that stand in its texts.

    It reads a chunk at a time, as all may be one line, and no further than to so many.
    """
    count, inside, rest = 1, 0, b""
    with open_binary(path) as file:
        while count <= most and (chunk := file.read(_CHUNK)):
            text = (rest + chunk).replace(b"\\\\", b"").replace(b'\\"', b"")
            rest = text[-1:] if text.endswith(b"\\") else b""  # cut amid an escape
            parts = text.split(b'"')
            count += sum(map(b"".join(parts[inside::2]).count, (*marks, b"\n")))
            inside = (inside + len(parts) - 1) % 2
    return count


def _find_in_parquet(path: str, rows: int, most: int) -> str | None:
    """As `find_excess`; a few bytes of Parquet can stand for any number of rows and of letters."""
    with open(path, "rb") as file:
        held = file.read()
    footer = read_footer(memoryview(held))
    if len(footer.columns) > _COLUMNS:
        return f"has {len(footer.columns):,} columns, which is too many"
    if len({column.path for column in footer.columns}) < len(footer.columns):
        return "has two columns of the same name"
    if footer.rows > rows:
        return f"has {footer.rows:,} rows, which is far more than the test data"
    if _unpacks_beyond(held, footer, most):
        return f"unpacks to more than {most / 1e6:,.0f} MB, the most for a submission"
    return None


def _unpacks_beyond(file: bytes, footer: Footer, most: int) -> bool:
    """Whether a Parquet file holds more than so many bytes once its values are written out.

    What the headers of pages say settles that, but for texts that are repeated by a dictionary
    or by the text before them; these are read in parts of which none can be large.
    """
    total = values = largest = 0
    repeated: dict[Column, bool] = {}
    for page in list_pages(memoryview(file), footer):
        column = footer.columns[page.column]
        total += page.size + page.values * column.width
        if total > most:
            return True
        largest = max(largest, page.size)
        if column.texts and page.repeats:
            once = column.plain and not page.delta
            repeated[column] = once and repeated.get(column, True)
            values += page.values
    if largest * values <= most:
        return False
    rows = max(1, _PART // largest)
    odd = [column for column, once in repeated.items() if not once]
    if odd and (footer.rows > _PARTS * rows or any(column.repeated for column in odd)):
        raise InputError(f"column {odd[0].path!r} is written in a way that cannot be measured")
    names = sorted(column.path for column in repeated)
    return _measure_texts(file, names, rows if odd else None, most)


def _measure_texts(file: bytes, names: Sequence[str], rows: int | None, most: int) -> bool:
    """Whether the texts of some columns take more than so many bytes.

    It reads so many rows at a time; None reads each text of a dictionary once.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    size = 0
    try:
        stored = pq.ParquetFile(
            pa.BufferReader(pa.py_buffer(file)),
            read_dictionary=names if rows is None else None,
            pre_buffer=False,
        )
        for batch in stored.iter_batches(rows or _ROWS, columns=names, use_threads=False):
            size += sum(map(_measure, batch.columns))
            if size > most:
                return True
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"is not a valid Parquet file: {error}") from error
    return False


def _measure(array: "pyarrow.Array") -> int:
    """How many bytes an array takes with the texts of its dictionaries written out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        sizes = pc.binary_length(array.dictionary)
        return pc.sum(sizes.take(array.indices.drop_null())).as_py() or 0
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        return _measure(array.flatten())
    if pa.types.is_struct(array.type):
        return sum(map(_measure, array.flatten()))
    return int(array.nbytes)

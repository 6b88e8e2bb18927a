"""Whatever bytes a file holds, reading it ends in examples or in one sentence."""

import csv
import gzip
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import InputError
from tallystick.io.config import read_languages
from tallystick.io.files.lines import read_lines
from tallystick.io.tables.table import read_table


def pack_parquet() -> bytes:
    sink = io.BytesIO()
    columns = {"a": ["x", "é", None], "b": [1, 2, 3], "c": [["p"], [], ["q", "r"]]}
    pyarrow.parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


SOUND = {
    "csv": 'a,b,c\n1,"x ""q""\n y",z\r\n2,é,"w"\n\n3,,"last"\n'.encode(),
    "column": b'a\n"x"\n\ny\n',
    "tsv": 'a\tb\n1\t"x\ty"\n2\t中\n'.encode(),
    "jsonl": '{"a": "x", "b": 1, "c": ["p"]}\n{"a": "é", "b": 2.5, "d": true}\n'.encode(),
    "parquet": pack_parquet(),
    "lines": "a\n\né\n".encode(),
    "yaml": b"data:\n  languages: [en, &a es]\nmodel: {d: 2001-01-01, n: 0x1f, x: *a}\n",
}
READERS: dict[str, Callable[[str], object]] = {
    "csv": partial(read_table, format="csv"),
    "column": partial(read_table, format="csv"),
    "tsv": partial(read_table, format="tsv"),
    "jsonl": partial(read_table, format="jsonl"),
    "parquet": partial(read_table, format="parquet"),
    "lines": read_lines,
    "yaml": read_languages,
}


def truncate(place: float, content: bytes) -> bytes:
    return content[: int(place * len(content))]


def flip(place: float, bit: int, content: bytes) -> bytes:
    at = int(place * len(content))
    return (
        content[:at] + bytes(byte ^ (1 << bit) for byte in content[at : at + 1]) + content[at + 1 :]
    )


def insert(place: float, extra: bytes, content: bytes) -> bytes:
    at = int(place * len(content))
    return content[:at] + extra + content[at:]


def drop_line(place: float, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    at = int(place * len(lines))
    return b"".join(lines[:at] + lines[at + 1 :])


PLACES = st.floats(0, 1, exclude_max=True)
EXTRAS = st.sampled_from(b'" "" , \t \n \r \0 \xff \xef\xbb\xbf { [ }'.split(b" ")) | st.binary(
    min_size=1, max_size=3
)
EDITS = st.one_of(
    PLACES.map(lambda place: partial(truncate, place)),
    st.builds(lambda place, bit: partial(flip, place, bit), PLACES, st.integers(0, 7)),
    st.builds(lambda place, extra: partial(insert, place, extra), PLACES, EXTRAS),
    PLACES.map(lambda place: partial(drop_line, place)),
    st.just(gzip.compress),
)


@pytest.mark.parametrize("kind", SOUND)
@given(edits=st.lists(EDITS, min_size=1, max_size=4))
def test_a_corrupted_file_is_read_or_refused(tmp_path_factory, kind, edits):
    path = tmp_path_factory.getbasetemp() / "corrupted"
    content = SOUND[kind]
    for edit in edits:
        content = edit(content)
    path.write_bytes(content)
    try:
        READERS[kind](str(path))
        message = "read"
    except InputError as error:
        message = str(error)

    assert [message] == message.splitlines()


FIELDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=5)


@given(
    rows=st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.lists(
                FIELDS | st.sampled_from(["\n", '"', ",", "\r\n", "NA"]),
                min_size=width,
                max_size=width,
            ),
            min_size=1,
            max_size=5,
        )
    ),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_was_written_as_csv_is_read_back(tmp_path_factory, rows, end):
    path: Path = tmp_path_factory.getbasetemp() / "written.csv"
    header = [f"column {index}" for index in range(len(rows[0]))]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator=end).writerows([header, *rows])
    columns = read_table(str(path)).columns

    assert rows == [list(row.values()) for row in columns.to_pylist()]

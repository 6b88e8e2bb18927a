"""Files are cut between rows only, and every cut gives the rows of the whole file."""

import json
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallystick.errors import InputError
from tallystick.io.files.byte_ranges import Piece, Span
from tallystick.io.tables import cuts
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.cuts import can_cut, cut_by_rows, cut_by_size
from tallystick.io.tables.table import Table, read_table

LINE_ENDS = ["\n", "\r\n", "\r"]
QUOTED = st.lists(st.sampled_from(["a", '""', ",", "\n", "\r\n", "\r", "é", "\ufeff"])).map("".join)
CELLS = st.one_of(
    st.sampled_from(["", "a", 'b"c', 'x""y', "é", "1"]),
    st.tuples(QUOTED, st.sampled_from(["", "", "x", 'q"z'])).map(lambda own: f'"{own[0]}"{own[1]}'),
)
anew = settings(
    derandomize=True,
    deadline=None,
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A CSV file with quotes, stray quotes, all kinds of line ends, blank lines and a mark."""
    width = draw(st.integers(1, 3))
    ends = draw(st.sampled_from([*[[end] for end in LINE_ENDS], LINE_ENDS]))
    end = st.sampled_from(ends)
    blank = st.lists(end, max_size=2).map("".join)
    row = st.lists(CELLS, min_size=width, max_size=width).map(",".join)
    rows = draw(st.lists(st.tuples(blank, row, end).map("".join), max_size=8))
    header = ",".join(["gold", "p q", '"z\nw"'][:width])
    start = draw(st.sampled_from(["", "\ufeff"])) + draw(blank)
    text = start + header + draw(end) + "".join(rows)
    return text[: draw(st.integers(len(text) - 1, len(text)))]


def _list_rows(table: Table) -> list[tuple[object, ...]]:
    return list(
        zip(*(table.columns.column(name).to_pylist() for name in table.names()), strict=True)
    )


def _read_spans(path: str, spans: Sequence[Span]) -> list[tuple[str, tuple[object, ...]]]:
    """The rows of all spans, each with what messages call it."""
    return [
        (table.locate(index), row)
        for span in spans
        for table in iterate_tables(path, rows=3, pieces=[Piece(path, span)])
        for index, row in enumerate(_list_rows(table))
    ]


def _read_whole(path: str) -> list[tuple[str, tuple[object, ...]]]:
    table = read_table(path)
    return [(table.locate(index), row) for index, row in enumerate(_list_rows(table))]


@anew
@given(tables(), st.sampled_from([1, 5, 20, 1000]), st.sampled_from([3, 7, 64, 1 << 22]))
def test_every_cut_of_a_csv_file_gives_its_rows(tmp_path, monkeypatch, text, size, chunk):
    """Whatever stands in quotes, all spans together hold each row once, by its own number."""
    monkeypatch.setattr(cuts, "_CHUNK", chunk)
    path = tmp_path / "all.csv"
    path.write_bytes(text.encode())
    try:
        whole = _read_whole(str(path))
    except InputError:
        return
    assert whole == _read_spans(str(path), cut_by_size(str(path), "csv", size))


@anew
@given(tables(), st.lists(st.integers(0, 9)))
def test_files_are_cut_at_the_rows_that_are_named(tmp_path, text, rows):
    """A span begins at each of the rows, and each span has the rows that it says."""
    path = tmp_path / "all.csv"
    path.write_bytes(text.encode())
    try:
        whole = _read_whole(str(path))
    except InputError:
        return
    spans = cut_by_rows(str(path), "csv", rows)
    assert sorted({0, *(row for row in rows if row < len(whole))}) == [one.first for one in spans]
    for span in spans:
        own = whole[span.first : span.first + span.rows]
        assert own == _read_spans(str(path), [span])


def test_a_quote_that_is_never_closed_is_no_place_to_cut(tmp_path):
    """The row that opens it is named, instead of cutting inside of it."""
    path = tmp_path / "open.csv"
    path.write_text('gold,text\n1,a\n0,"b\n' + "1,c\n" * 100)
    with pytest.raises(
        InputError, match=r"open\.csv: row 3 opens a quote in field 2 that is never"
    ):
        cut_by_size(str(path), "csv", 50)


def test_a_faulty_row_of_a_span_has_its_number_in_the_file(tmp_path):
    """A ragged row of the last span is called as it is when all of the file is read."""
    path = tmp_path / "ragged.csv"
    path.write_text("gold,text\n" + "1,a\n" * 99 + "0\n")
    last = cut_by_size(str(path), "csv", 100)[-1]
    with pytest.raises(InputError) as whole:
        read_table(str(path))
    with pytest.raises(InputError) as part:
        list(iterate_tables(str(path), pieces=[Piece(str(path), last)]))
    assert str(whole.value) == str(part.value)


@pytest.mark.parametrize("group", [1, 7, 100])
@pytest.mark.parametrize("size", [1, 200, 10**6])
def test_every_cut_of_a_parquet_file_gives_its_rows(tmp_path, group, size):
    """Spans of groups of rows, and spans that begin within a group, hold all rows in order."""
    path = str(tmp_path / "all.parquet")
    columns = pa.table({"gold": list(range(60)), "text": list(map(str, range(60)))})
    pyarrow.parquet.write_table(columns, path, row_group_size=group)
    whole = _read_whole(path)
    assert whole == _read_spans(path, cut_by_size(path, "parquet", size))
    assert whole == _read_spans(path, cut_by_rows(path, "parquet", [5, 13, 14, 59, 60]))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n", "\r\n\n"])
def test_every_cut_of_lines_gives_their_labels(tmp_path, end, last):
    """Blank lines within are labels, those at the end are none, and a mark belongs to no label."""
    path = tmp_path / "all.txt"
    path.write_bytes(("\ufeff" + end.join(["a", "", "b", "é", "a"]) + last).encode())
    whole = _read_whole(str(path))
    for size in (1, 4, 100):
        assert whole == _read_spans(str(path), cut_by_size(str(path), "lines", size))


@pytest.mark.parametrize("size", [1, 60, 1000])
def test_every_cut_of_json_lines_gives_its_objects(tmp_path, size):
    """Keys that turn up late are null before, and blank lines at the end are no objects."""
    path = tmp_path / "all.jsonl"
    rows = [{"gold": number, "lang": None} for number in range(20)]
    rows[-1]["lang"], rows[-1]["late"] = "de", ["a"]
    path.write_text("\ufeff" + "".join(json.dumps(row) + " \n" for row in rows) + "\n \n")
    spans = cut_by_size(str(path), "jsonl", size)
    assert _read_whole(str(path)) == _read_spans(str(path), spans)


def test_spans_of_json_lines_know_the_kinds_above_them(tmp_path):
    """Numbers below texts are an error in the span that holds them alone, by their own line."""
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"gold": null}\n{"gold": "a"}\n{"gold": 1}\n')
    spans = cut_by_size(str(path), "jsonl", 1)
    assert [(0, 1), (1, 1), (2, 1)] == [(span.first, span.rows) for span in spans]
    (table,) = iterate_tables(str(path), pieces=[Piece(str(path), spans[2])])
    with pytest.raises(
        InputError, match="line 3, column 'gold' holds a number, but above a string"
    ):
        table.column("gold")


def test_what_must_be_read_from_its_beginning_is_not_cut(tmp_path):
    """A gzip file has no rows in its middle."""
    packed = tmp_path / "all.csv.gz"
    packed.write_bytes(b"\x1f\x8b\x08")
    assert not can_cut(str(packed), "csv")
    assert not can_cut("-", "csv")
    array = tmp_path / "all.json"
    array.write_text('[{"gold": 1}]')
    assert not can_cut(str(array), "jsonl")

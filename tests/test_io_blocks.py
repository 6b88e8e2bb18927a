"""Tables come in blocks of rows, which together are the table, with codes for values."""

import csv
import gzip
import io
import json
import os
import random
import re
import subprocess
import sys
import threading

import pyarrow
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import InputError, UsageError
from tallystick.io.files.lines import iterate_blocks
from tallystick.io.files.opening import Progress, measure_input
from tallystick.io.tables.table import iterate_tables, read_table
from tallystick.limits import LIMITS


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return str(path)


def pack_parquet(columns, group):
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), sink, row_group_size=group)
    return sink.getvalue()


def write_csv(rows, end):
    sink = io.StringIO(newline="")
    header = [f"column {index}" for index in range(len(rows[0]))]
    csv.writer(sink, lineterminator=end).writerows([header, *rows])
    return sink.getvalue().encode()


def compare(path, rows):
    whole = read_table(path)
    blocks = list(iterate_tables(path, rows=rows))
    sizes = [rows] * (len(whole) // rows) + [len(whole) % rows] * (len(whole) % rows > 0)

    assert sizes == [len(block) for block in blocks]
    assert {whole.names()} == {block.names() for block in blocks}
    for name in whole.names():
        values = [value for block in blocks for value in block.column(name).to_pylist()]
        assert whole.column(name).to_pylist() == values
    places = [block.locate(index) for block in blocks for index in range(len(block))]
    assert [whole.locate(index) for index in range(len(whole))] == places


FIELDS = st.text(st.sampled_from('ab\n",; é\u2028'), max_size=4)
WIDE = st.integers(2, 3).flatmap(
    lambda width: st.lists(st.lists(FIELDS, min_size=width, max_size=width), min_size=1)
)
SIZES = st.integers(1, 9)


@given(rows=WIDE, size=SIZES, end=st.sampled_from(["\n", "\r\n"]))
def test_blocks_of_csv_are_the_table(tmp_path_factory, rows, size, end):
    compare(write(tmp_path_factory.getbasetemp(), "t.csv", write_csv(rows, end)), size)


@given(values=st.lists(FIELDS, min_size=1), size=SIZES)
def test_blocks_of_a_single_column_are_the_table(tmp_path_factory, values, size):
    content = write_csv([[value] for value in values], "\n")
    compare(write(tmp_path_factory.getbasetemp(), "t.csv", content), size)


NUMBERS = st.lists(st.none() | st.integers(-9, 9) | st.sampled_from([0.5, -2.25]), min_size=1)


@given(values=NUMBERS, size=SIZES)
def test_blocks_of_json_lines_are_the_table(tmp_path_factory, values, size):
    rows = [{f"k{index // 4}": value, "n": {"v": value}} for index, value in enumerate(values)]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path = write(tmp_path_factory.getbasetemp(), "t.jsonl", content)
    whole = read_table(path)
    blocks = list(iterate_tables(path, rows=size))

    assert {whole.names()} == {block.names() for block in blocks}
    for name in (name for name in whole.names() if name != "n"):
        found = [value for block in blocks for value in block.column(name).to_pylist()]
        assert whole.column(name).to_pylist() == found
    assert values == [value for block in blocks for value in block.column("n.v").to_pylist()]
    assert [1 + start for start in range(0, len(values), size)] == [block.first for block in blocks]


@given(count=st.integers(1, 40), group=SIZES, size=SIZES)
def test_blocks_of_parquet_are_the_table(tmp_path_factory, count, group, size):
    columns: dict[str, list[object]] = {
        "a": [*range(count)],
        "b": [["x"] * (index % 3) for index in range(count)],
    }
    content = pack_parquet(columns, group)
    compare(write(tmp_path_factory.getbasetemp(), "t.parquet", content), size)


@given(lines=st.lists(st.sampled_from(["a", "", "é"]), min_size=1), size=SIZES)
def test_blocks_of_lines_are_the_table(tmp_path_factory, lines, size):
    path = write(tmp_path_factory.getbasetemp(), "t.txt", "\n".join([*lines, "z", ""]).encode())
    compare(path, size)


def test_an_array_of_json_is_cut_into_blocks(tmp_path):
    compare(write(tmp_path, "t.json", json.dumps([{"a": n} for n in range(7)]).encode()), 3)


ROW = b"1," + b"x" * 60 + b"\n"
LONG = b'1,"' + b"x\n" * 700_000 + b'"\n'
VALUE = b"x" * (3 << 20)
OBJECTS = b'{"a": 1}\n' * 9


def refuse(path, message, **options):
    with pytest.raises(InputError, match=message):
        read_table(path)
    with pytest.raises(InputError, match=message):
        list(iterate_tables(path, **options))


@pytest.mark.parametrize(("content", "message"), [
    (b"a,b\n" + ROW * 20_000 + b"1\n" + ROW, "row 20002 has 1 field, but the header has 2"),
    (b"a,b\n" + ROW * 20_000 + b'1,"x\n' + ROW, "row 20002 opens a quote in field 2 that"),
    (b"a,b\n" + ROW * 9 + b'1,"x\n' + ROW * 20_000, "row 11 opens a quote in field 2 that"),
    (b"a,b\n" + ROW * 9 + LONG + ROW * 9 + b"1\n", "row 21 has 1 field, but the header has"),
    (b"a,b\n" + ROW * 20_000 + b"1,\xff\n", "row 20002, column 'b': 0xff is not UTF-8"),
    (b"a,b\n" + ROW * 20_000 + b"1,\0\n", "row 20002, column 'b' contains a NUL byte"),
    (b"a,b\n", "has columns but no rows of data"),
    (b"\n\n", "is empty, but a header with column names was expected"),
    (b"b\nx\n" + b"y\n" * 9 + b"b\n", "the first line 'b' was read as a header, but looks"),
])  # fmt: skip
@pytest.mark.parametrize("rows", [77, 1 << 18])
def test_a_bad_csv_file_is_located_in_any_block(tmp_path, content, message, rows):
    refuse(write(tmp_path, "t.csv", content), re.escape(f"t.csv: {message}"), rows=rows)


@pytest.mark.parametrize("long", [LONG, VALUE], ids=["a quoted field", "a field"])
def test_a_row_longer_than_a_block_of_bytes_is_read(tmp_path, long):
    compare(write(tmp_path, "t.csv", b"a,b\n" + ROW * 40_000 + long + ROW * 40_000), 9_999)


@pytest.mark.parametrize(("content", "message"), [
    (OBJECTS + b'{"a": 1\n', "t.jsonl: line 10 is not JSON"),
    (OBJECTS + b'{"a": "x"}\n', "line 10, column 'a' contains a string, but above a num"),
    (OBJECTS + b'{"a": {}}\n', "t.jsonl: line 10, column 'a' contains an object"),
])  # fmt: skip
def test_a_bad_json_lines_file_is_located_in_any_block(tmp_path, content, message):
    path = write(tmp_path, "t.jsonl", content)
    with pytest.raises(InputError, match=re.escape(message)):
        [block.column("a") for block in iterate_tables(path, rows=3)]


def test_only_the_wanted_columns_are_kept_in_blocks(tmp_path):
    blocks = list(iterate_tables(write(tmp_path, "t.csv", b"a,b\n1,2\n3,4\n"), only={"b"}, rows=1))
    assert [("b",)] * 2 == [block.names() for block in blocks]
    assert [("a",)] * 2 == [block.unread for block in blocks]


def test_an_unknown_kind_of_blocks_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="unknown format of a table 'xlsx'"):
        next(iterate_tables(str(tmp_path / "t.xlsx"), format="xlsx"))


@pytest.mark.deep
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.jsonl", "t.parquet", "t.txt"])
def test_what_was_read_is_counted(tmp_path, name):
    rows = 200_000
    content = {
        "t.csv": b"a,b\n" + b"1,x\n" * rows,
        "t.csv.gz": gzip.compress(b"a,b\n" + b"".join(b"%d,x\n" % n for n in range(rows))),
        "t.jsonl": b'{"a": 1}\n' * rows,
        "t.parquet": pack_parquet({"a": [os.urandom(4) for _ in range(rows)]}, 10_000),
        "t.txt": b"a\n" * rows,
    }[name]
    path = write(tmp_path, name, content)
    watch = Progress()
    seen = []
    for _ in iterate_tables(path, rows=10_000, watch=watch):
        seen.append(watch.done_bytes)
    total = measure_input([path, str(tmp_path / "missing"), "-"])

    assert len(content) == total
    assert sorted(seen) == seen
    assert 0.9 <= seen[-1] / total <= 1.1


def test_a_table_and_blocks_of_text_are_counted_too(tmp_path):
    path = write(tmp_path, "t.txt", b"a\nb\n")
    watch = Progress()
    read_table(path, watch=watch)
    list(iterate_blocks(path, 1, watch=watch))
    assert 8 == watch.done_bytes


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read as Linux tells it")
def test_memory_holds_a_block_and_not_the_file(tmp_path):
    path = write(tmp_path, "t.csv", b"a,b\n" + (b"x" * 96 + b",y\n") * 1_250_000)
    code = """
import resource, sys
from tallystick.io.tables.table import iterate_tables
blocks = iterate_tables(sys.argv[1], rows=10_000)
next(blocks)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rows = 10_000 + sum(len(block) for block in blocks)
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000)
"""

    assert subprocess.check_output([sys.executable, "-c", code, path]) == b"1250000 True\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a POSIX matter")
def test_a_pipe_is_read_in_blocks(tmp_path):
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[b'{"a": 1}\n{"a": 2}\n'])
    writer.start()
    blocks = list(iterate_tables(str(path), rows=1))
    writer.join()
    assert [1, 2] == [block.column("a")[0].as_py() for block in blocks]


LONG_LINES = [
    ("t.csv", b"gold,prediction\na,a\nb," + VALUE + b"\n", "row 3"),
    ("t.csv", b'gold,prediction\na,a\nb,"' + VALUE.replace(b"xx", b"x\n") + b'"\n', "row 3"),
    ("t.jsonl", b'{"gold": "a"}\n{"gold": "' + VALUE + b'"}\n', "line 2"),
    ("t.txt", b"a\nb\n" + VALUE + b"\nc\n", "line 3"),
    ("t.txt", b"a\nb\n" + VALUE, "line 3"),
]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("name", "content", "place"), LONG_LINES)
def test_lines_that_are_too_long_are_rejected(tmp_path, monkeypatch, name, content, place, packed):
    monkeypatch.setattr(LIMITS, "line", 1 << 20)
    monkeypatch.setattr(LIMITS, "csv_blocks", (1 << 16, 1 << 20))
    monkeypatch.setattr(LIMITS, "unpacked", 1 << 23)
    path = write(tmp_path, name + ".gz" * packed, gzip.compress(content) if packed else content)
    refuse(path, re.escape(f"{path}: {place} is longer than 1 MiB, which is too long"))


def test_texts_that_are_too_long_are_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "line", 1 << 20)
    path = write(tmp_path, "t.txt", b"a\n" + VALUE + b"\nc\n")
    with pytest.raises(InputError, match="line 2 is longer than 1 MiB"):
        list(iterate_blocks(path, 1 << 14))


def test_an_array_of_json_may_be_one_long_line(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "line", 1 << 20)
    assert len(read_table(write(tmp_path, "t.json", b'[{"gold": "' + VALUE + b'"}]'))) == 1


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.binary(900_000)])
@pytest.mark.parametrize("listed", [False, True])
def test_long_values_that_a_dictionary_repeats_are_rejected(tmp_path, kind, listed):
    codes = pyarrow.array([0] * 300, pyarrow.int32())
    column = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array([b"x" * 900_000], kind))
    if listed:
        column = pyarrow.ListArray.from_arrays(list(range(301)), column)
    path = str(tmp_path / "t.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"gold": column}), path)
    refuse(path, "column 'gold.*': unpacks to more than 64 MiB and 200 times its size")


def test_values_of_parquet_that_are_too_long_are_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "line", 1 << 20)
    path = write(tmp_path, "t.parquet", pack_parquet({"gold": ["a"], "text": [VALUE.decode()]}, 1))
    with pytest.raises(InputError, match="column 'text': a value is longer than 1 MiB"):
        read_table(path)
    assert read_table(path, only=["gold"]).names() == ("gold",)


def write_codes(seed):
    drawn = random.Random(seed)
    usual = ["x", "y", "z w", "é", "a longer label", ""]
    odd = [*usual, " ", "a,b", "d'e", 'a ""b"" c', "x\ny"] if drawn.random() < 0.4 else usual
    end = drawn.choice(["\n", "\r\n"])
    text = drawn.choice(["", "\ufeff"]) + "a,b,c" + end
    for _ in range(drawn.choice([3, 60, 700])):
        cells = [drawn.choice(odd if drawn.random() < 0.1 else usual) for _ in range(3)]
        quoted = (set(one) & {",", '"', "\n"} or drawn.random() < 0.3 for one in cells)
        pairs = zip(cells, quoted, strict=True)
        text += ",".join(f'"{one}"' if quote else one for one, quote in pairs)
        text += end if drawn.random() < 0.98 else 2 * end
    written = text.encode()
    if drawn.random() < 0.3:
        place = drawn.randrange(8, len(written))
        fault = drawn.choice([b"\0", b'"', b"\xff", b",", b"\n"])
        written = written[:place] + fault + written[place:]
    return written if drawn.random() < 0.5 else written.rstrip(b"\r\n")


@pytest.mark.parametrize("seed", range(150))
def test_cells_are_those_of_the_csv_module(tmp_path, seed):
    content = write_codes(seed)
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    try:
        text = content.decode("utf-8-sig")
        rows = list(filter(None, csv.reader(io.StringIO(text, newline=""), strict=True)))
        faulty = any(len(row) != 3 for row in rows) or "\0" in text
    except (csv.Error, UnicodeDecodeError):
        faulty = True

    for size in (1 << 18, 50):
        if faulty:
            with pytest.raises(InputError, match=r"labels\.csv: row \d+"):
                list(iterate_tables(str(path), rows=size))
        else:
            tables = list(iterate_tables(str(path), rows=size))
            found = [row for table in tables for row in table.columns.to_pylist()]
            assert found == [dict(zip("abc", row, strict=True)) for row in rows[1:]]


def test_columns_are_codes_if_the_first_values_recur(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "gold,id\n" + "".join(f"{row % 3},{row}\n" for row in range(9_000)) + '"a\n",b\n'
    )
    blocks = [table.columns for table in iterate_tables(str(path), rows=1_000)]
    whole = read_table(str(path)).columns

    for columns in (whole, *blocks):
        assert pa.types.is_dictionary(columns.schema.field("gold").type)
        assert columns.schema.field("id").type == pa.string()
    assert whole.to_pylist() == pa.concat_tables(blocks).to_pylist()
    assert whole.slice(8_999).to_pylist() == [
        {"gold": "2", "id": "8999"},
        {"gold": "a\n", "id": "b"},
    ]

"""Tables of every kind are read as written, and located row by row."""

import csv
import gzip
import io
import re
import subprocess
import sys

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.formats import guess_format
from tallystick.io.tables.table import from_arrow, iterate_tables, read_table
from tallystick.model.columns import Columns
from tallystick.model.sides import Side

csv.field_size_limit(2**31 - 1)  # the oracle's usual limit is shorter than some cells here


def read(folder, content, name="t.csv", *, only=None):
    path = folder / name
    path.write_bytes(content)
    return read_table(str(path), only=only)


def pack_parquet(columns):
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


BROKEN = pyarrow.array([b"\xff"]).view(pyarrow.string())


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (b"a,b\n1,2\n", {"a": ["1"], "b": ["2"]}),
        (b"a,b\n1,2", {"a": ["1"], "b": ["2"]}),
        (b"a,b\r\n1,2\r\n", {"a": ["1"], "b": ["2"]}),
        (b"a,b\r1,2\r", {"a": ["1"], "b": ["2"]}),
        (b"\xef\xbb\xbfa,b\n1,2\n", {"a": ["1"], "b": ["2"]}),
        (b"a,b\n1,\n,2\n", {"a": ["1", ""], "b": ["", "2"]}),
        (b"a,b\nNA,null\n01,1e3\n", {"a": ["NA", "01"], "b": ["null", "1e3"]}),
        (b"a,b\ntrue,NaN\n 1 ,\n", {"a": ["true", " 1 "], "b": ["NaN", ""]}),
        (b'a,b\n"x\n\ny","p,""q"""\n', {"a": ["x\n\ny"], "b": ['p,"q"']}),
        (b'a,b\n5" disk,"xy"\n', {"a": ['5" disk'], "b": ["xy"]}),
        (b'a,b\n1,""', {"a": ["1"], "b": [""]}),
        (b'a,b\n1,"\n"\n', {"a": ["1"], "b": ["\n"]}),
        (b'a,b\n1,""""\n', {"a": ["1"], "b": ['"']}),
        (b'"a\nb",c\n1,2\n', {"a\nb": ["1"], "c": ["2"]}),
        (b"\n\na,b\n\n1,2\n\n\n3,4\n\n", {"a": ["1", "3"], "b": ["2", "4"]}),
        (b"\n\na\n1\n\n2\n\n", {"a": ["1", "", "2", ""]}),
        (b"a\r\n\r\n1", {"a": ["", "1"]}),
        (b",b\n0,x\n", {"": ["0"], "b": ["x"]}),
    ],
)
def test_csv_is_read_as_written(tmp_path, content, columns):
    assert columns == read(tmp_path, content).columns.to_pydict()


def test_tsv_is_split_at_tabs(tmp_path):
    table = read(tmp_path, b'a\tb\n1,5\t"x\ty"\n', "t.tsv")
    assert table.columns.to_pydict() == {"a": ["1,5"], "b": ["x\ty"]}


def test_a_field_longer_than_a_block_is_read(tmp_path):
    field = b"x\n" * 1_500_000
    table = read(tmp_path, b'a,b\n1,"' + field + b'"\n2,y\n')
    assert [field.decode(), "y"] == table.column("b").to_pylist()


def test_parquet_keeps_its_types(tmp_path):
    columns: dict[str, list[object]] = {"a": ["x", None], "b": [1, 2], "c": [[], ["p"]]}
    assert columns == read(tmp_path, pack_parquet(columns), "t.parquet").columns.to_pydict()


@pytest.mark.parametrize(("name", "content"), [
    ("t.csv", b"a,b,c\n1,2,3\n"),
    ("t.jsonl", b'{"a": "1", "b": {}, "c": "3"}\n{"a": "1", "b": 2}\n'),
    ("t.parquet", pack_parquet({"a": ["1"], "b": ["2"], "c": ["3"]})),
])  # fmt: skip
def test_only_the_wanted_columns_are_kept(tmp_path, name, content):
    table = read(tmp_path, content, name, only={"c", "a", "z"})
    assert table.names() == ("a", "c")
    assert table.unread == ("b",)


@pytest.mark.parametrize(("name", "content", "place"), [
    ("t.csv", b"a,b\n1,2\n3,4\n", "row 3"),
    ("t.tsv", b"a\tb\n1\t2\n3\t4\n", "row 3"),
    ("t.jsonl", b'{"a": 1}\n{"a": 2}\n', "line 2"),
    ("t.parquet", pack_parquet({"a": [1, 2]}), "row 2"),
])  # fmt: skip
def test_an_example_is_located_by_its_index(tmp_path, name, content, place):
    table = read(tmp_path, content, name)
    assert place == table.locate(1)
    assert len(table) == 2


def test_a_missing_column_is_answered_with_the_nearest(tmp_path):
    table = read(tmp_path, b"id,label,text\n1,2,3\n", only={"id", "lable"})
    message = "t.csv: has no column 'lable', only 'id', 'label', 'text'; did you mean 'label'?"
    with pytest.raises(InputError, match=re.escape(message)):
        table.column("lable")


@pytest.mark.parametrize(("name", "kind"), [
    ("a.txt", "lines"), ("a.csv", "csv"), ("a.CSV", "csv"), ("a.tsv.gz", "tsv"),
    ("a.jsonl", "jsonl"), ("a.ndjson.gz", "jsonl"), ("a.parquet", "parquet"),
])  # fmt: skip
def test_a_kind_is_guessed_by_its_ending(name, kind):
    assert kind == guess_format(name)


@pytest.mark.parametrize(("content", "kind"), [
    (b"PAR1\x15", "parquet"),
    (b'\xef\xbb\xbf\n {"a": 1}\n', "jsonl"),
    (b"a,b\tc\n", "tsv"),
    (b"\ta\n0\t1\n", "tsv"),
    (b"\na,b\n", "csv"),
    (b"a\nb,c\td\n", "lines"),
    (b"", "lines"),
])  # fmt: skip
def test_a_kind_is_guessed_by_its_content(tmp_path, content, kind):
    path = tmp_path / "predictions"
    path.write_bytes(content)
    assert kind == guess_format(str(path))


def test_lines_are_a_table_of_labels(tmp_path):
    table = read(tmp_path, b"a\n\nb\n\n\n", "t.txt")
    assert table.columns.to_pydict() == {"label": ["a", "", "b"]}
    assert table.locate(2) == "line 3"


def test_a_named_kind_is_not_guessed(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes(b"a\n1\n")
    assert read_table(str(path), format="csv").columns.to_pydict() == {"a": ["1"]}


def test_an_unknown_kind_is_a_usage_error():
    with pytest.raises(
        UsageError, match="unknown format of a table 'xlsx': expected parquet, squad, keyed, jsonl"
    ):
        read_table("t.xlsx", format="xlsx")


@pytest.mark.parametrize(("content", "message"), [
    (b"", "t.csv: is empty"),
    (b"\xef\xbb\xbf\r\n\n", "t.csv: is empty"),
    (b"a,b\n", "t.csv: has columns but no rows of data"),
    (b"a,b", "t.csv: has columns but no rows of data"),
    (b"a,b\n1,2\n\n3\n", "t.csv: row 3 has 1 field, but the header has 2"),
    (b'a,b\n"x\ny",2\n1,2,3\n', "t.csv: row 3 has 3 fields, but the header has 2"),
    (b"\n\na\n\n1,2\n", "t.csv: row 3 has 2 fields, but the header has 1"),
    (b"a,b,a\n1,2,3\n", "t.csv: 2 columns are named 'a'; give each its own name"),
    (b'a,"b\n1,2\n', "t.csv: row 1 opens a quote in field 2 that is never closed"),
    (b'a,b\n1,2\n3,"4\n', "t.csv: row 3 opens a quote in field 2 that is never closed"),
    (b'a,b\n1,2\n3,"4', "t.csv: row 3 opens a quote in field 2 that is never closed"),
    (b'a,b\n1,2\n3,"4""', "t.csv: row 3 opens a quote in field 2 that is never closed"),
    (b'a,b\n1,2\n3,"', "t.csv: row 3 opens a quote in field 2 that is never closed"),
    (b'a,b\n1,2\n"3,4\n', "t.csv: row 3 opens a quote in field 1 that is never closed"),
    (b'a\n1\n"', "t.csv: row 3 opens a quote in field 1 that is never closed"),
    (b'a\n1\n"\n', "t.csv: row 3 opens a quote in field 1 that is never closed"),
    (b'a,b\n5" disk,"x\n', "t.csv: row 2 opens a quote in field 2 that is never closed"),
    (b'a,b\n"x"y,1\n', "t.csv: row 2, column 'a': text follows the closing quote of '\"x\"y'"),
    (b'a,b\n1,"x\\"y"\n', "t.csv: row 2, column 'b': text follows the closing quote"),
    (b'a,b\r\n1,"x\n\n"\r\n2,"y" \r\n', "t.csv: row 3, column 'b': text follows"),
    (b'a;b\n1;"x";\n"";""y\n', "t.csv: row 2 has 3 fields"),
    (b'a;b\n1;"x"\n"";""y\n', "t.csv: row 3, column 'b': text follows the closing quote"),
    (b'a\n"x""y"z', "t.csv: row 2, column 'a': text follows the closing quote"),
    (b'\xef\xbb\xbf"a"b,c\n1,2\n', "t.csv: row 1, column 1: text follows"),
    (b'a,b\n1,"x"y,z"\n', "t.csv: row 2, column 'b': text follows the closing quote"),
    (b"a,b\n1,2\n3,\xe9\n", "t.csv: row 3, column 'b': 0xe9 is not UTF-8"),
    (b"a,\xe9\n1,2\n", "t.csv: row 1, column 2: 0xe9 is not UTF-8"),
    (b"a,b\n1,x\0y\n", "t.csv: row 2, column 'b' contains a NUL byte, so it is not text"),
    (b"a\0,b\n1,2\n", "t.csv: row 1, column 1 contains a NUL byte, so it is not text"),
    (b"a,b\n1,2,\0\n", "t.csv: row 2, column 3 contains a NUL byte, so it is not text"),
])  # fmt: skip
def test_a_bad_csv_file_is_located(tmp_path, content, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(tmp_path, content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "mark", "end"),
    [("t.csv", ",", "\n"), ("t.csv.gz", "\t", "\r\n"), ("t.csv", ";", "\r")],
)
def test_text_after_a_quote_is_found_wherever_it_lies(tmp_path, name, mark, end):
    long = "x" * 400
    one, two = f'"{long}{mark}""{end}"{mark}5" disk', f'a"b"{mark}"""c"""'
    rows = [one, two, f'{mark}""', f'""""{mark}"{long}{end}"'] * 2_000
    rows[6_001] = f'"x{mark}y" z{mark}1'
    content = end.join([f"a{mark}b", *rows]).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)

    with pytest.raises(InputError, match="row 6003, column 'a': text follows the closing quote"):
        list(iterate_tables(str(path), format="csv double"))


@given(st.text('ab,""""\n\r', max_size=14))
def test_text_after_a_quote_is_what_the_csv_module_refuses(tmp_path_factory, text):
    content = f"label\n{text}\nz\n"
    try:
        list(csv.reader(io.StringIO(content, newline=""), strict=True))
        expected = ""
    except csv.Error as error:
        expected = "text follows" if "expected after" in str(error) else "never closed"
    try:
        read(tmp_path_factory.getbasetemp(), content.encode())
        found = ""
    except InputError as error:
        found = str(error)

    if "but the header has 1" not in found:
        assert expected in found
        assert bool(expected) == bool(found)


@pytest.mark.parametrize("before", range(8))
@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ('"a""b","c"', False),
        ('a"b","""c"""', False),
        ('"",""""', False),
        ('"a"b,c', True),
        ('"a",""b', True),
        ('"a,"b,"c"', True),
    ],
)
def test_text_after_a_quote_is_found_across_the_ends_of_chunks(tmp_path, before, row, wrong):
    filler = "x" * ((1 << 20) - len("a,b\n,y\n") - before)
    content = f"a,b\n{filler},y\n{row}\nz,z\n".encode()
    if wrong:
        with pytest.raises(InputError, match=r"row 3, column '\w': text follows"):
            read(tmp_path, content)
    else:
        rows = list(csv.reader(io.StringIO(content.decode(), newline="")))[1:]
        columns = read(tmp_path, content).columns.to_pydict().values()
        assert rows == [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize(("name", "content", "message"), [
    ("t.parquet", b"", r"is empty \(0 bytes\); "),
    ("t.parquet", b"a,b\n1,2\n", "is not a valid Parquet file: "),
    ("t.parquet", pack_parquet({"a": ["x"]})[:-9], "is not a valid Parquet file: "),
    ("t.parquet", pack_parquet({"a": BROKEN}), "is not a valid Parquet file: .*UTF8"),
    ("t.parquet", pack_parquet({"a": []}), "has columns but no rows of data"),
    ("t.csv.gz", b"", "is empty"),
])  # fmt: skip
def test_a_bad_parquet_or_packed_file_is_an_input_error(tmp_path, name, content, message):
    with pytest.raises(InputError, match=f"{re.escape(name)}: {message}"):
        read(tmp_path, content, name)


@pytest.mark.parametrize(("name", "content"), [
    ("t.csv", b"a,b\n1,2\n"),
    ("t.jsonl", b'{"a": 1, "b": 2}\n'),
    ("t.parquet", pack_parquet({"a": [1], "b": [2]})),
])  # fmt: skip
def test_a_file_without_any_wanted_column_is_an_input_error(tmp_path, name, content):
    message = f"{name}: has none of the columns 'gold', 'id', only 'a', 'b'"
    with pytest.raises(InputError, match=re.escape(message)):
        read(tmp_path, content, name, only={"id", "gold"})


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_frames_are_taken_by_their_arrow_interface(make):
    assert callable(make)
    table = from_arrow(make({"gold": ["a", "b"], "p": [0.5, 1.0]}), "frame")
    assert table.columns.to_pydict() == {"gold": ["a", "b"], "p": [0.5, 1.0]}
    assert [table.source, table.locate(0)] == ["frame", "row 1"]


@pytest.mark.parametrize(("data", "message"), [
    (5, "frame: cannot be taken as Arrow columns: "),
    (pandas.DataFrame({"a": ["x", 1]}), "frame: cannot be taken as Arrow columns: "),
    (pyarrow.table([[1], [2]], names=["a", "a"]), "frame: 2 columns are named 'a'"),
    (pyarrow.table({}), "frame: has no columns"),
    (pyarrow.table({"a": []}), "frame: has columns but no rows of data"),
])  # fmt: skip
def test_a_bad_frame_is_an_input_error(data, message):
    with pytest.raises(InputError, match=re.escape(message)):
        from_arrow(data, "frame")


def test_one_csv_file_loads_no_other_reader(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,2\n")
    code = """
import sys
import tallystick.io.config
from tallystick.io.tables.table import read_table
early = "pyarrow" in sys.modules
read_table(sys.argv[1])
heavy = {"pyarrow.parquet", "pyarrow.dataset", "yaml", "pandas"}
print(early, sorted(heavy & sys.modules.keys()))
"""
    command = [sys.executable, "-c", code, str(tmp_path / "t.csv")]

    assert subprocess.check_output(command, text=True) == "False []\n"


@pytest.mark.parametrize("rows", [30, 3000])
def test_labels_of_parquet_are_read_whether_or_not_they_are_stored_as_codes(tmp_path, rows):
    gold = [f"label {number % 7}" for number in range(rows)]
    for name, coded in (("a", True), ("b", False)):
        table = pyarrow.table({"gold": gold, "y_pred": gold[::-1]})
        pyarrow.parquet.write_table(table, tmp_path / f"{name}.parquet", use_dictionary=coded)
    one, other = (read_table(str(tmp_path / f"{name}.parquet")) for name in "ab")
    assert pyarrow.types.is_dictionary(one.columns.schema.field("gold").type)
    assert one.column("gold").to_pylist() == other.column("gold").to_pylist()
    assert gold * 2 == read_table(str(tmp_path)).column("gold").to_pylist()
    for table in (one, other):
        labels = Side(table.cut(1, 3)).labels("gold", Columns())
        assert ("label 1", "label 2", "label 3") == labels.names
        assert [0, 1, 2] == labels.codes.tolist()

"""A table is split at what separates it, and what is no table is told by what it is."""

import gzip
import io
import json
import pickle
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.io.files.lines import iterate_blocks, read_lines
from tallystick.io.files.recognition import is_usual
from tallystick.io.tables.delimited import find_separator
from tallystick.io.tables.formats import guess_format
from tallystick.io.tables.table import read_table
from tallystick.model.columns import KNOWN, OUTPUT, REFERENCE, SYSTEMS


def read(folder, content, name="t.csv"):
    path = folder / name
    path.write_bytes(content)
    return read_table(str(path))


def pack_zip(name):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr(name, "a,b\n1,2\n")
    return sink.getvalue()


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_header_tells_the_separator(tmp_path, name, mark):
    content = f"id{mark}y_true\n1{mark}x\n2{mark}y\n".encode()
    table = read(tmp_path, gzip.compress(content) if name.endswith(".gz") else content, name)
    assert {"id": ["1", "2"], "y_true": ["x", "y"]} == table.columns.to_pydict()


@pytest.mark.parametrize(("text", "usual", "mark"), [
    ("a,b;c\n1,2;3\n", ",", ","),
    ("a,b;c\n1,2;3\n", "\t", ","),
    ("id;p\n1;0,5\n2;0,7\n", ",", ";"),
    ("a,b\tc\n1\t2\n3\t4\n", ",", "\t"),
    ("a;b\n1;2\n3\n", ",", ";"),
    ("a,b,c;d\n1,2,3;4\n", "\t", ","),
    ('"a;b"\n"x;y"\n', ",", ","),
    ("label\nx;y\n", ",", ","),
    ("\n\na;b\n\n1;2\n", ",", ";"),
    ("a;b\r1;2\r", ",", ";"),
    ("a;b\n1;x\u2028y\n", ",", ";"),
    ("", ",", ","),
])  # fmt: skip
def test_a_separator_splits_the_header_and_the_rows_alike(text, usual, mark):
    assert mark == find_separator(text, usual, whole=True)


def test_a_row_that_is_cut_off_does_not_count():
    assert "," == find_separator("a,b;c\n1,2;3\n4", ",", whole=False)


def test_a_ragged_row_is_told_with_its_separator(tmp_path):
    message = "t.csv: row 3 has 1 field, but the header has 2, separated by semicolons"
    with pytest.raises(InputError, match=re.escape(message) + "$"):
        read(tmp_path, b"id;y_true\n1;1\n2\n")


def test_a_row_with_too_many_fields_is_told_the_cure(tmp_path):
    message = "separated by commas; put a field that contains commas in quotes"
    with pytest.raises(InputError, match=message):
        read(tmp_path, b"id,text\n1,x, y\n")


CELLS = st.text(st.sampled_from("ab;,\t\"\n '."), max_size=4)


@given(
    mark=st.sampled_from(",;\t"),
    usual=st.sampled_from(",\t"),
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6),
)
def test_quoted_tables_are_split_as_they_were_written(mark, usual, rows):
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in rows]
    text = "".join(mark.join(row) + "\n" for row in [["a", "b"], *quoted])
    assert mark == find_separator(text, usual, whole=True)


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
FOREIGN = [
    ("id,y\n1,2\n".encode("utf-32"), "is UTF-32; save it as UTF-8"),
    (
        pack_zip("gold.csv"),
        "is a zip archive; unpack it, or give all files in it with --submissions",
    ),
    (pack_zip("xl/workbook.xml"), "is an Excel file; save the sheet as CSV and give that"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an Excel file; save the sheet as CSV"),
    (POINTER, "is a pointer of Git LFS and not the file itself; fetch the file itself with git"),
    (b"BZh91AY", "is compressed with bzip2; decompress it, or compress it with gzip instead"),
    (b"\xfd7zXZ\0\0", "is compressed with xz; decompress it"),
    (b"\x28\xb5\x2f\xfd\x04", "is compressed with zstd; decompress it"),
    (b"ARROW1\0\0", "is an Arrow file; write it as Parquet"),
    (b"%PDF-1.7\n", "is a PDF file; give the text"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it"),
    (b"Rar!\x1a\x07\x01\x00", "is a rar archive; unpack it"),
    (pickle.dumps({"id": [1]}), "is a pickle of Python; write CSV"),
    (b"PAR1\x15", "is a Parquet file; name it .parquet, or pass `input_format='parquet'`"),
    (b'<?xml version="1.0"?>\n<dataset id="wmt23">\n', "is XML; write its segments one a line"),
    (b"\xef\xbb\xbf<?xml version='1.0'?>\n<a/>\n", "is XML; write its segments one a line"),
    (b'\n<refset setid="a">\n<seg id="1">a b\n', "is SGM; write its segments one a line, or as a"),
    (b"<!DOCTYPE mteval SYSTEM>\n<mteval>\n", "is SGM; write its segments one a line"),
    (b"WEBVTT\n\n00:00.000 --> 00:01.000\na\n", "is WebVTT; write its segments one a line"),
    (b"", "is empty (0 bytes); check that the program that writes it has finished"),
]


@pytest.mark.parametrize(("content", "message"), FOREIGN)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.txt"])
def test_what_is_no_table_is_named(tmp_path, name, content, message):
    with pytest.raises(InputError, match=re.escape(f"{name}: ") + ".*" + re.escape(message)):
        read(tmp_path, content, name)


@pytest.mark.parametrize(("content", "message"), FOREIGN)
def test_what_is_no_text_is_named(tmp_path, content, message):
    path = tmp_path / "t.de"
    path.write_bytes(content)
    for read_text in (read_lines, lambda path: next(iterate_blocks(path, 9))):
        with pytest.raises(InputError, match=re.escape(message)):
            read_text(str(path))


@pytest.mark.parametrize(("content", "over_several"), [
    (b'[\n {"id": 1},\n {"id": 2}\n]\n', True),
    (b'[{"id": 1,\n  "y": 2}]\n', True),
    (b'{\n "a": 1\n}\n', True),
    (b'{"outputs": [\n  1,\n 2]}\n', True),
    (b"[\r\n  0.5,\r\n  1\r\n]\r\n", True),
    (b'{"id": 1, "y": [2]}\n{"id": 2, "y": [3]}\n', False),
    (b"[1, 2]\n[3]\n", False),
    (b"[Music], she says,\n3 times\n", False),
    (b"[\na\n]\n", False),
    (b"{\n", False),
    (b"[ " + b" " * 5000 + b"\n1\n", False),
])  # fmt: skip
def test_json_over_several_lines_is_no_text(tmp_path, content, over_several):
    path = tmp_path / "t.txt"
    path.write_bytes(content)
    if not over_several:
        assert len(content.splitlines()) == len(read_lines(str(path)))
        return
    with pytest.raises(InputError, match=r"is JSON over several lines; name it \.json"):
        read_lines(str(path))


def test_a_web_page_is_no_table_but_may_be_text(tmp_path):
    page = b"\n<!DOCTYPE html>\n<title>Sign in</title>\n"
    path = tmp_path / "t.txt"
    path.write_bytes(page)
    with pytest.raises(InputError, match="is a web page; download the file itself"):
        read(tmp_path, page)
    assert len(read_lines(str(path))) == 3


@pytest.mark.parametrize(("content", "header"), [
    (b"b\nb\n", "b"), (b"x\na\nx\n", "x"), (b"0\n1\n0\n", "0"), (b"0.93\n0.11\n", "0.93"),
    (b"-1e3\n2\n", "-1e3"),
])  # fmt: skip
def test_a_value_in_place_of_the_header_is_told(tmp_path, content, header):
    message = (
        f"t.csv: the first line {header!r} was read as a header, but looks like a value; add "
        "a header line with the column's name, or pass `input_format='lines'`"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        read(tmp_path, content)


@pytest.mark.parametrize(("content", "values"), [
    (b"toxic\ntoxic\nfine\n", ["toxic", "fine"]),
    (b"Label\nLabel\n", ["Label"]),
    (b"0\n0.5\n0.7\n", ["0.5", "0.7"]),
    (b"joy\nsad\n", ["sad"]),
])  # fmt: skip
def test_a_name_above_a_single_column_is_a_header(tmp_path, content, values):
    assert [values] == [column.to_pylist() for column in read(tmp_path, content).columns.columns]


def test_all_names_that_are_found_by_themselves_are_usual():
    found = (*KNOWN, *OUTPUT, *REFERENCE, *SYSTEMS)
    assert [] == [name for name in found if not is_usual(name)]
    assert [] == [name for name in found if not is_usual(name.replace("_", "-").title())]


ROWS = [{"id": 1, "gold": "a", "pred": "a"}, {"id": 2, "gold": "b", "pred": "a"}]


def write(folder, name, content):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return str(path)


@pytest.mark.parametrize("key", ["outputs", "run.outputs"])
def test_rows_in_a_list_of_an_object_are_scored(tmp_path, capsys, key):
    path = write(tmp_path, "x.json", {"model": "m", "outputs": ROWS, "run": {"outputs": ROWS}})
    assert 0 == main(["score", path, "--rows", key, "-m", "accuracy", "--format", "json"])
    assert 0.5 == json.loads(capsys.readouterr().out)["scores"][0]["value"]


def test_objects_of_several_systems_are_joined(tmp_path, capsys):
    gold = write(tmp_path, "gold.json", {"outputs": ROWS})
    other = write(tmp_path, "other.json", {"outputs": ROWS[::-1]})
    assert 0 == main(
        ["compare", gold, f"a={gold}", f"b={other}", "--rows", "outputs", "-m", "accuracy"]
    )
    assert "No significant difference" in capsys.readouterr().out


@pytest.mark.parametrize(("content", "key", "message"), [
    ({"a": []}, "rows", "x.json: has no key 'rows', only a"),
    ({"a": {"b": 1}}, "a.c", "x.json: 'a': has no key 'c', only b"),
    ({"a": 3}, "a", "x.json: 'a' is not a list of rows"),
    ({"a": []}, "a", "x.json: contains no examples"),
    ({"a": [{"x": 1}, 3]}, "a", "x.json: element 2 of 'a' contains a number, but a JSON object"),
    ([1], "a", "x.json: contains a list, but a JSON object was expected"),
    ("{", "a", "x.json: is not JSON: "),
])  # fmt: skip
def test_an_object_without_such_rows_is_rejected(tmp_path, content, key, message):
    with pytest.raises(InputError) as error:
        read_table(write(tmp_path, "x.json", content), format=f"rows:{key}")
    assert message in str(error.value)


def test_rows_go_with_json_alone(tmp_path, capsys):
    path = write(tmp_path, "x.csv", "gold,pred\na,a\n")
    assert 2 == main(["score", path, "--rows", "outputs", "--input-format", "csv"])
    assert "--rows names a list of a JSON object" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x.txt", "x.out", "x"])
def test_columns_parted_by_blanks_are_a_table(tmp_path, name):
    path = write(tmp_path, name, "id   gold\t pred \n\n1 \t a    a\n22   b    a\n")
    table = read_table(path)
    assert "blanks" == guess_format(path)
    assert ("id", "gold", "pred") == table.names()
    assert [["1", "22"], ["a", "b"]] == [table.column(one).to_pylist() for one in ("id", "gold")]
    assert "row 2" == table.locate(0)


@pytest.mark.parametrize("text", [
    "the answer is\nthree words long\nin every line\n",
    "id gold pred\n1 a\n",
    "id gold pred\n",
    "gold\na\n",
    "gold answer, pred output,\nyes no, maybe so,\n",
])  # fmt: skip
def test_sentences_are_no_table(tmp_path, text):
    assert "lines" == guess_format(write(tmp_path, "x.txt", text))


def test_a_row_with_more_fields_than_the_header_is_rejected(tmp_path):
    path = write(tmp_path, "x.txt", "id gold pred\n1 a a\n\n2 b a a\n")
    with pytest.raises(
        InputError, match="line 4 has 4 fields separated by blanks, but the header has 3"
    ):
        read_table(path, format="blanks")


def test_any_table_of_blanks_can_be_named(tmp_path, capsys):
    path = write(tmp_path, "x.csv", "truth said\na a\nb a\n")
    call = ["--input-format", "blanks", "--gold-column", "truth", "--predicted-column", "said"]
    assert 0 == main(["score", path, *call, "-m", "accuracy", "--format", "json"])
    assert 0.5 == json.loads(capsys.readouterr().out)["scores"][0]["value"]

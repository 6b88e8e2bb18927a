"""Dotted names reach into JSON and into nested columns, and what nobody asks for is let be."""

import json
import re
from collections.abc import Collection
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import InputError
from tallystick.io.tables.table import Table, from_arrow, read_table
from tallystick.output.tables.formats import write_csv

LOG = [
    {
        "id": 1,
        "doc": {"answer": "x", "meta": {"lang": "de", "n": 1}},
        "resps": [["a", "b"], [1, None]],
        "a.b": "literal",
        "a": {"b": "inner", "c.d": {"e": 7}, "c": {"d": {"e": 8}}},
        "mixed": "text",
    },
    {"id": 2, "doc": {"answer": None, "meta": None}, "resps": [], "a": {"b": 2}, "mixed": 5},
    {"id": 3, "doc": {"meta": {"n": 0.5}}, "resps": [["c"]], "a": None, "mixed": {"x": []}},
]


def read(folder: Path, content: bytes, *, only: Collection[str] | None = None) -> Table:
    path = folder / "t.jsonl"
    path.write_bytes(content)
    return read_table(str(path), only=only)


def read_log(folder: Path, *, array: bool = False, only: Collection[str] | None = None) -> Table:
    lines = "".join(json.dumps(row) + "\n" for row in LOG)
    return read(folder, json.dumps(LOG, indent=2).encode() if array else lines.encode(), only=only)


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", [1, 2, 3]),
        ("doc.answer", ["x", None, None]),
        ("doc.meta.lang", ["de", None, None]),
        ("doc.meta.n", [1.0, None, 0.5]),
        ("resps.0", [["a", "b"], None, ["c"]]),
        ("resps.0.1", ["b", None, None]),
        ("resps.1.0", [1, None, None]),
        ("a.b", ["literal", None, None]),
        ("a.c.d.e", [7, None, None]),
    ],
)
def test_dotted_names_reach_inside(tmp_path, name, values, *, array):
    assert values == read_log(tmp_path, array=array).column(name).to_pylist()


def test_names_are_those_of_the_outermost_keys(tmp_path):
    assert read_log(tmp_path).names() == ("id", "doc", "resps", "a.b", "a", "mixed")


def test_a_dotted_name_keeps_the_column_it_reaches_into(tmp_path):
    table = read_log(tmp_path, only={"doc.meta.lang", "id"})

    assert table.names() == ("id", "doc")
    assert table.column("doc.meta.lang").to_pylist() == ["de", None, None]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("doc", "line 1, column 'doc' holds an object, which cannot be the value of a column; "),
        (
            "doc.answr",
            "has no column 'doc.answr', only 'id', 'doc', 'resps', 'a.b', 'a', 'mixed', ",
        ),
        ("doc.answr", "did you mean 'doc.answer'?"),
        ("mixed", "line 2, column 'mixed' holds a number, but above a string (mixed types)"),
        ("resps", "line 1, column 'resps' has a list in a list, but only strings were expected"),
        ("resps.1", "line 1, column 'resps.1' has a number in a list, but only strings were"),
        ("a.b.c", "has no column 'a.b.c', only"),
        ("doc.meta", "line 1, column 'doc.meta' holds an object, which cannot be the value"),
        ("resps.999999999999999999999", "has no column 'resps.9999"),
        ("id.x", "has no column 'id.x', only"),
    ],
)
def test_what_is_no_column_is_told_when_it_is_asked_for(tmp_path, name, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_log(tmp_path).column(name)

    assert "\n" not in str(caught.value)


def test_elements_of_an_array_are_located(tmp_path):
    table = read(tmp_path, b'\xef\xbb\xbf [{"a": "x"},\n {"a": 1}]\n')

    assert table.locate(1) == "element 2"
    with pytest.raises(InputError, match=r"t\.jsonl: element 2, column 'a' holds a number"):
        table.column("a")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "t.jsonl: is empty"),
        (b"[1]", "t.jsonl: element 1 holds a number, but a JSON object was expected"),
        (b'[{"a": 1}, null]', "t.jsonl: element 2 holds null, but a JSON object was expected"),
        (b'[{"a": 1}', "t.jsonl: is not JSON: "),
    ],
)
def test_a_bad_array_is_located(tmp_path, content, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read(tmp_path, content)


def test_objects_that_share_no_keys_are_no_table(tmp_path):
    lines = (json.dumps(dict.fromkeys(map(str, range(n, n + 9)), n)) for n in range(0, 130_000, 9))
    with pytest.raises(InputError, match=r"objects share too few keys|more than 100,000 columns"):
        read(tmp_path, "\n".join(lines).encode())


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_too_many_columns_are_refused(tmp_path, name):
    names = [f"c{index}" for index in range(100_001)]
    content = ",".join(names) if name == "t.csv" else json.dumps(dict.fromkeys(names, 1))
    path = tmp_path / name
    path.write_text(f"{content}\n{content}\n")

    with pytest.raises(InputError, match=r"has more than 100,000 columns, which is the limit"):
        read_table(str(path))


NESTED = pyarrow.table(
    {
        "s": pyarrow.array([{"a": {"b": 1}, "c.d": "x"}, None, {"a": None, "c.d": "y"}]),
        "l": pyarrow.array([["p", "q"], None, []], pyarrow.list_(pyarrow.string())),
        "m": pyarrow.array(
            [[("k", 1)], None, [("j", 2), ("k", 3)]],
            pyarrow.map_(pyarrow.string(), pyarrow.int64()),
        ),
        "s.a": ["literal", None, None],
    }
)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("s.a", ["literal", None, None]),
        ("s.a.b", None),
        ("s.c.d", ["x", None, "y"]),
        ("l.1", ["q", None, None]),
        ("l.7", [None, None, None]),
        ("m.k", [1, None, 3]),
    ],
)
def test_dotted_names_reach_into_nested_arrow_columns(tmp_path, name, values):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(NESTED, path)
    for table in (from_arrow(NESTED, "frame"), read_table(str(path))):
        if values is None:  # the literal column s.a comes first and has no inside
            with pytest.raises(InputError, match=r"has no column 's\.a\.b'"):
                table.column(name)
        else:
            assert values == table.column(name).to_pylist()


def test_a_misspelt_field_of_a_struct_is_answered_with_the_nearest():
    frame = pyarrow.table({"doc": [{"answer": "x"}]})

    with pytest.raises(InputError, match=r"no column 'doc\.anwser', .* mean 'doc\.answer'\?"):
        from_arrow(frame, "frame").column("doc.anwser")


def test_rows_keep_their_json_through_selections(tmp_path):
    table = read_log(tmp_path)
    some = Table("some", table.columns.take([2, 0]), "row", 1)

    assert some.column("doc.meta.n").to_pylist() == [0.5, 1]
    with pytest.raises(InputError, match=r"^some: row 1, column 'mixed' holds an object"):
        some.column("mixed")


def test_json_is_written_to_csv_as_it_stood(tmp_path):
    path = tmp_path / "out.csv"
    write_csv(str(path), read(tmp_path, b'{"a": {"b": 1}}\n{"a": null}\n').columns, {})

    assert path.read_text() == 'a\n"{""b"": 1}"\nnull\n'


KEYS = st.sampled_from(["a", "b", "a.b", "", ":", '"', "\\", '":', "é"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.sampled_from('":, x\\'), max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@given(rows=st.lists(st.dictionaries(KEYS, VALUES, min_size=1), min_size=1, max_size=5))
def test_any_json_is_read_where_nobody_asks(tmp_path_factory, rows):
    folder = tmp_path_factory.getbasetemp()
    lines = [json.dumps({"kept": index} | row) for index, row in enumerate(rows)]
    table = read(folder, "\n".join(lines).encode())

    assert list(range(len(rows))) == table.column("kept").to_pylist()

"""JSON Lines give typed and nested columns, and every fault in them is located."""

import json
import random
import re
import sys

import pyarrow
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import InputError
from tallystick.io.files.datasets import Asked
from tallystick.io.tables.jsonlines import iterate_json
from tallystick.io.tables.table import Table, from_arrow, iterate_tables, read_table
from tallystick.limits import LIMITS
from tallystick.output.tables.formats import write_csv


def read(folder, content, *, only=None):
    path = folder / "t.jsonl"
    path.write_bytes(content)
    return read_table(str(path), only=only)


def test_json_lines_keep_their_types(tmp_path):
    content = b"""\
{"id": 1, "gold": "A", "score": 1, "flag": true, "tags": ["x", "y"], "none": null}
{"id": 2, "gold": "\\u00e9", "score": 0.5, "tags": [null, "z"]}\r
{"id": 3, "score": null, "new": "n"}

"""

    assert read(tmp_path, content).columns.to_pydict() == {
        "id": [1, 2, 3],
        "gold": ["A", "é", None],
        "score": [1.0, 0.5, None],
        "flag": [True, None, None],
        "tags": [["x", "y"], [None, "z"], None],
        "none": [None, None, None],
        "new": [None, None, "n"],
    }


def test_json_lines_agree_beyond_a_chunk(tmp_path):
    head = b'{"a": 1, "b": null}\n' * 70_000
    table = read(tmp_path, head + b'{"a": 0.5, "b": "x", "c": ["y"]}\n')
    assert table.columns.slice(69_999).to_pydict() == {
        "a": [1.0, 0.5],
        "b": [None, "x"],
        "c": [None, ["y"]],
    }


def test_json_lines_without_the_wanted_key_are_counted(tmp_path):
    table = read(tmp_path, b'{"b": 1}\n' * 70_000 + b'{"a": "x"}\n', only={"a"})
    assert table.columns.slice(69_999).to_pydict() == {"a": [None, "x"]}


@pytest.mark.parametrize(("content", "message"), [
    (b"", "t.jsonl: is empty"),
    (b"\n\n", "t.jsonl: is empty"),
    (b"{}\n", "t.jsonl: has no columns"),
    (b'{"a": 1}\n{"a": }\n', "t.jsonl: line 2 is not JSON: "),
    (b'{"a": NaN}\n', "t.jsonl: line 1 is not JSON: "),
    (b'{"a": "\\ud800"}\n', "t.jsonl: line 1 is not JSON: "),
    (b"[" * 99_999, "t.jsonl: is not JSON: it is nested too deeply"),
    (b'{"a":' * 99_999, "t.jsonl: line 1 is not JSON: it is nested too deeply"),
    (b'{"a": 1}\n["a"]\n', "t.jsonl: line 2 contains a list, but a JSON object was expected"),
    (b"null\n", "t.jsonl: line 1 contains null, but a JSON object was expected"),
    (b'{"a": 1}\n \n\n{"a": 2}\n', "t.jsonl: line 2 is blank; delete it"),
    (b'{"a": 1}\n{"a": "\xff"}\n', "t.jsonl: line 2 is not UTF-8 at byte offset 16"),
    (b'{"a": 1}{"a": 2}\n', "t.jsonl: line 1 is not JSON: "),
    (b'{"a": 1}\n{"a":\n2}\n', "t.jsonl: line 2 is not JSON: "),
    (b'\n{"a": 1}\n', "t.jsonl: line 1 is blank; delete it"),
])  # fmt: skip
def test_a_bad_json_lines_file_is_located(tmp_path, content, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(tmp_path, content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("content", "message"), [
    (b'{"a": "x"}\n{"a": 1}\n',
     "t.jsonl: line 2, column 'a' contains a number, but above a string (mixed types)"),
    (b'{"a": 1}\n{"a": null}\n{"a": true}\n',
     "t.jsonl: line 3, column 'a' contains true or false, but above a number (mixed types)"),
    (b'{"a": {}}\n',
     "t.jsonl: line 1, column 'a' contains an object, which cannot be the value of a column"),
    (b'{"a": "x"}\n{"a": {"b": 1, "c": 2}}\n',
     "t.jsonl: line 2, column 'a' contains an object, which cannot be the value of a "
     "column; append the key of a value to the column's name: '.b', '.c'"),
    (b'{"a": [[1]]}\n', "t.jsonl: line 1, column 'a' has a list in a list"),
    (b'{"a": 1}\n{"a": "x"}\n',
     "t.jsonl: line 2, column 'a' contains a string, but above a number (mixed types)"),
    (b'{"a": ["x", 1]}\n', "t.jsonl: line 1, column 'a' has a number in a list"),
    (b'{"a": [null, []]}\n', "t.jsonl: line 1, column 'a' has a list in a list"),
    (b'{"a": ' + b"9" * 5000 + b"}\n", "t.jsonl: line 1, column 'a' contains a number that is"),
    (b'{"a": 9223372036854775808}\n', "t.jsonl: line 1, column 'a' contains a number beyond 64"),
    (b'{"a": 1152921504606846977}\n{"a": 0.5}\n',
     "t.jsonl: line 1, column 'a' contains 1152921504606846977, which cannot be kept "
     "exactly in a column with fractions; quote it as a string"),
])  # fmt: skip
def test_a_bad_value_is_located_once_its_column_is_asked_for(tmp_path, content, message):
    table = read(tmp_path, content.replace(b"}\n", b', "b": 5}\n'))
    assert set(table.column("b").to_pylist()) == {5}
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        table.column("a")
    assert "\n" not in str(caught.value)


PLAIN = [
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true}',
    b'{"gold": "b\xc3\xa9", "id": 2, "ok": false, "p": 1.5e3}',
    b'{"id": -0, "gold": "\xe2\x80\xa8", "p": 0.10, "ok": true}',
    b'{"id":4,"gold":"a","p":0.5,"ok":true}',
]
ODD = [
    b'{"id": 1, "gold": "a\\n\\"\\u00e9\\ud83d\\ude00", "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": "a", "p": null, "ok": {"id": [1, {"gold": "}"}], "x": "\\""}}',
    b'{"id": 1, "gold": "a", "ok": [], "p": [1, "]"]}',
    b'{"id": 1, "gold": "a"}',
    b'{"id": 1, "g\\u006fld": "a", "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true, "id": 2, "g\\u006fld": "c"}',
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true, "new": 1, "q\\"": {"a": 1, "a": 2}}',
    b'{"id": 1, "gold": "a", "p": 1, "ok": true}',
    b'{"id": 1.0, "gold": null, "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": 7, "p": 0.5, "ok": true}',
    b'{"id": 99999999999999999999, "gold": "a", "p": 0.5, "ok": true}',
    b'{"id": 9007199254740993, "gold": ["a"], "p": 9007199254740993, "ok": true}',
    b" " + PLAIN[0] + b" ",
    b"{}",
    b'{"id": 1, "gold": "a", "p": {"a": 1,}, "ok": true}',
    b'{"id": 1, "gold": "a", "p": "\\ud800", "ok": true}',
    b'{"id": 1, "gold": "a\xff", "p": 0.5, "ok": true}',
    PLAIN[0] + PLAIN[1],
    *(b"", b"  ", b"[]", b"1", b"{"),
]
N_FAULTY = 9


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_rows_are_those_of_pythons_json_wherever_chunks_end(tmp_path, monkeypatch, size):
    monkeypatch.setattr(LIMITS, "line_piece", size)
    for seed in range(200):
        draw = random.Random(seed)
        lines = [draw.choice(PLAIN) for _ in range(draw.randrange(1, 12))]
        odd = ODD if seed % 3 else ODD[:-N_FAULTY]
        for _ in range(draw.randrange(3)):
            lines.insert(draw.randrange(len(lines) + 1), draw.choice(odd))
        while not lines[-1].strip():
            lines.pop()
        end = draw.choice([b"\n", b"\r\n"])
        path = tmp_path / f"{seed}.jsonl"
        mark = draw.choice([b"", b"\xef\xbb\xbf"])
        path.write_bytes(mark + end.join(lines) + draw.choice([b"", end, end * 2]))
        faulty = [at for at, line in enumerate(lines, start=1) if line in ODD[-N_FAULTY:]]
        for rows in (1 << 18, 4):
            if faulty:
                with pytest.raises(InputError, match=f"line {faulty[0]} "):
                    list(iterate_tables(str(path), rows=rows))
                continue
            expected = [json.loads(line) for line in lines]
            tables = list(iterate_tables(str(path), rows=rows))
            assert {*tables[0].names()} == set().union(*expected)
            for name in tables[0].names():
                found = [value for table in tables for value in table.values(name)]
                assert found == [row.get(name) for row in expected]


def count_calls(work):
    calls = [0]

    def note(_frame, event, _):
        calls[0] += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls[0]


def test_no_plain_line_takes_a_call_of_its_own(tmp_path):
    counts = []
    for rows in (100, 520, 1_000):
        path = tmp_path / f"{rows}.jsonl"
        path.write_bytes(b'{"gold": "a", "id": "%d"}\n' % rows * rows)
        counts.append(count_calls(lambda path=path: read_table(str(path))))
    assert counts[2] - counts[1] <= 4  # new codes


def test_strings_that_recur_are_codes_whole_and_in_blocks(tmp_path):
    texts = [f'{{"gold": "é {row % 7}", "id": "{row}", "n": {row % 3}}}' for row in range(9_000)]
    texts[7_000] = '{"n": null, "id": "none"}'
    texts[8_000] = '{"n": 5, "id": "last", "gold": "another"}'
    table = read(tmp_path, "\n".join(texts).encode())
    blocks = [own for _, own in iterate_json(Asked(str(tmp_path / "t.jsonl"), "jsonl"), 1_000)]

    assert pa.types.is_dictionary(table.columns.schema.field("gold").type)
    assert table.columns.schema.field("id").type == pa.string()
    assert table.columns.to_pylist() == pa.concat_tables(blocks).to_pylist()
    assert table.columns.to_pylist() == [{"gold": None} | json.loads(text) for text in texts]


@pytest.mark.parametrize("content", [b'{"a": 1, "b": 2, "a": 3}', b'[{"a": 1, "\\u0061": 3}]'])
def test_a_key_that_occurs_twice_counts_once_the_last_time(tmp_path, content):
    assert read(tmp_path, content).values("a") == [3]


LOG = [
    {"id": 1, "doc": {"answer": "x", "meta": {"lang": "de", "n": 1}},
     "resps": [["a", "b"], [1, None]], "a.b": "literal",
     "a": {"b": "inner", "c.d": {"e": 7}, "c": {"d": {"e": 8}}}, "mixed": "text"},
    {"id": 2, "doc": {"answer": None, "meta": None}, "resps": [], "a": {"b": 2}, "mixed": 5},
    {"id": 3, "doc": {"meta": {"n": 0.5}}, "resps": [["c"]], "a": None, "mixed": {"x": []}},
]  # fmt: skip


def read_log(folder, *, array=False, only=None):
    lines = "".join(json.dumps(row) + "\n" for row in LOG)
    return read(folder, json.dumps(LOG, indent=2).encode() if array else lines.encode(), only=only)


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize(("name", "values"), [
    ("id", [1, 2, 3]),
    ("doc.answer", ["x", None, None]),
    ("doc.meta.lang", ["de", None, None]),
    ("doc.meta.n", [1.0, None, 0.5]),
    ("resps.0", [["a", "b"], None, ["c"]]),
    ("resps.0.1", ["b", None, None]),
    ("resps.1.0", [1, None, None]),
    ("a.b", ["literal", None, None]),
    ("a.c.d.e", [7, None, None]),
])  # fmt: skip
def test_dotted_names_reach_inside(tmp_path, name, values, *, array):
    assert values == read_log(tmp_path, array=array).column(name).to_pylist()


def test_names_are_those_of_the_outermost_keys(tmp_path):
    assert read_log(tmp_path).names() == ("id", "doc", "resps", "a.b", "a", "mixed")


def test_a_dotted_name_keeps_the_column_it_reaches_into(tmp_path):
    table = read_log(tmp_path, only={"doc.meta.lang", "id"})
    assert table.names() == ("id", "doc")
    assert table.column("doc.meta.lang").to_pylist() == ["de", None, None]


@pytest.mark.parametrize(("name", "message"), [
    ("doc", "line 1, column 'doc' contains an object, which cannot be the value of a column; "),
    ("doc.answr", "has no column 'doc.answr', only 'id', 'doc', 'resps', 'a.b', 'a', 'mixed', "),
    ("doc.answr", "did you mean 'doc.answer'?"),
    ("mixed", "line 2, column 'mixed' contains a number, but above a string (mixed types)"),
    ("resps", "line 1, column 'resps' has a list in a list, but only strings were expected"),
    ("resps.1", "line 1, column 'resps.1' has a number in a list, but only strings were"),
    ("a.b.c", "has no column 'a.b.c', only"),
    ("doc.meta", "line 1, column 'doc.meta' contains an object, which cannot be the value"),
    ("resps.999999999999999999999", "has no column 'resps.9999"),
    ("id.x", "has no column 'id.x', only"),
])  # fmt: skip
def test_what_is_no_column_is_told_when_it_is_asked_for(tmp_path, name, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_log(tmp_path).column(name)
    assert "\n" not in str(caught.value)


def test_elements_of_an_array_are_located(tmp_path):
    table = read(tmp_path, b'\xef\xbb\xbf [{"a": "x"},\n {"a": 1}]\n')
    assert table.locate(1) == "element 2"
    with pytest.raises(InputError, match=r"t\.jsonl: element 2, column 'a' contains a number"):
        table.column("a")


@pytest.mark.parametrize(("content", "message"), [
    (b"[]", "t.jsonl: is empty"),
    (b"[1]", "t.jsonl: element 1 contains a number, but a JSON object was expected"),
    (b'[{"a": 1}, null]', "t.jsonl: element 2 contains null, but a JSON object was expected"),
    (b'[{"a": 1}', "t.jsonl: is not JSON: "),
])  # fmt: skip
def test_a_bad_array_is_located(tmp_path, content, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read(tmp_path, content)


def test_objects_that_share_no_keys_are_no_table(tmp_path):
    lines = (json.dumps(dict.fromkeys(map(str, range(n, n + 9)), n)) for n in range(0, 130_000, 9))
    with pytest.raises(InputError, match=r"objects share too few keys|more than 100,000 columns"):
        read(tmp_path, "\n".join(lines).encode())


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_too_many_columns_are_rejected(tmp_path, name):
    letters = str.maketrans("0123456789", "abcdefghij")
    names = [str(index).translate(letters) for index in range(100_001)]
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


@pytest.mark.parametrize(("name", "values"), [
    ("s.a", ["literal", None, None]),
    ("s.a.b", None),
    ("s.c.d", ["x", None, "y"]),
    ("l.1", ["q", None, None]),
    ("l.7", [None, None, None]),
    ("m.k", [1, None, 3]),
])  # fmt: skip
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
    some = Table("some", read_log(tmp_path).columns.take([2, 0]), "row", 1)
    assert some.column("doc.meta.n").to_pylist() == [0.5, 1]
    with pytest.raises(InputError, match=r"^some: row 1, column 'mixed' contains an object"):
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

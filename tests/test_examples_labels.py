"""Columns of labels from whatever Python holds them in, and what is no label."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from strategies import STEADY
from tallystick.errors import InputError
from tallystick.model.codes import as_text, combine, encode, list_labels, order, row_of, unify

BOTH = ["b", "a", "b", "a"]
VIEW = pa.string_view()


def read(values):
    return encode(values, row_of("gold"))


def spell(labels):
    return [labels.names[code] for code in labels.codes]


@cases(
    "values",
    BOTH,
    tuple(BOTH),
    iter(BOTH),
    np.array(BOTH),
    np.array(BOTH, object),
    np.array(BOTH, np.dtypes.StringDType()),
    [np.str_(value) for value in BOTH],
    pa.array(BOTH),
    pa.array(BOTH, pa.large_string()),
    pa.array(BOTH, VIEW),
    pa.array(["z", *BOTH, "y"])[1:5],
    pa.array(["z", *BOTH, "y"], VIEW)[1:5],
    pa.chunked_array([["b"], [], ["a", "b"], ["a"]]),
    pa.chunked_array([["z", "b"], ["a", "b", "a"]])[1:],
    pa.array(BOTH).dictionary_encode(),
    pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 0]), pa.array(["a", "b", "unused"])),
    pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 0]), pa.array(["a", "b"], VIEW)),
    pa.DictionaryArray.from_arrays(pa.array([1, 0, 2, 0]), pa.array(["a", "b", "b"])),
    pa.array(["z", *BOTH, "y"]).dictionary_encode()[1:5],
    pa.chunked_array([pa.array(part).dictionary_encode() for part in (BOTH[:1], BOTH[1:])]),
    pd.Series(BOTH),
    pd.Series(BOTH, dtype=object),
    pd.Series(BOTH, index=[3, 3, 1, 0]),
    pd.Series(["z", *BOTH])[1:],
    pd.Series(BOTH, dtype="category"),
    pd.Categorical(BOTH, categories=["unused", "b", "a"]),
    pd.Index(BOTH),
    pl.Series(BOTH),
    pl.Series(["z", *BOTH])[1:],
    pl.Series(BOTH, dtype=pl.Categorical),
    pl.Series(BOTH, dtype=pl.Enum(["unused", "b", "a"])),
    ids=lambda values: f"{type(values).__module__}.{type(values).__name__}",
)
def test_text_is_read_from_anything(values):
    labels = read(values)
    assert ("a", "b") == labels.names
    assert BOTH == spell(labels)
    assert np.uint8 == labels.codes.dtype


@cases(
    "values",
    [10, 9, -1],
    [10.0, 9.0, -1.0],
    [np.int8(10), 9, np.int16(-1)],
    [10, 9.0, -1],
    np.array([10, 9, -1], np.int8),
    np.array([10, 9, -1], ">i4"),
    np.array([10, 9, -1], np.float32),
    np.array([10, 9, -1], object),
    np.array([10, 0, 9, 0, -1])[::2],
    pa.array([10, 9, -1]),
    pa.array([10.0, 9, -1]),
    pa.array([0, 10, 9, -1])[1:],
    pa.chunked_array([[10], [9, -1]]),
    pa.array([10, 9, -1]).dictionary_encode(),
    pd.Series([10, 9, -1], dtype="Int64"),
    pd.Series([10, 9, -1], dtype="category"),
    pl.Series([10, 9, -1]),
    ids=lambda values: f"{type(values).__module__}.{type(values).__name__}",
)
def test_whole_numbers_are_read_from_anything(values):
    labels = read(values)
    assert (-1, 9, 10) == labels.names
    assert [10, 9, -1] == spell(labels)
    assert [int] * 3 == [type(name) for name in labels.names]


@cases(
    "values",
    [True, False],
    np.array([True, False]),
    np.array([True, False], object),
    pa.array([True, False]),
    pl.Series([True, False]),
    pd.Series([True, False], dtype="boolean"),
    ids=lambda values: f"{type(values).__module__}.{type(values).__name__}",
)
def test_booleans_are_one_and_zero(values):
    assert [1, 0] == spell(read(values))


def test_largest_integers_stay_apart():
    values = [2**63 - 1, 2**63 - 2]
    assert values == spell(read(values))
    assert [2**64 - 1, 2**64 - 2] == spell(read(np.array([2**64 - 1, 2**64 - 2], np.uint64)))


@cases(
    "values message",
    (["a", None], "gold, row 2: the value is missing"),
    ([None, "a"], "gold, row 1: the value is missing"),
    ([1.0, float("nan")], "gold, row 2: the value is missing"),
    (np.array([1.0, np.nan]), "gold, row 2: nan is not a label"),
    (np.array([1.0, np.inf]), "gold, row 2: inf is not a label"),
    (np.array(["a", None]), "gold, row 2: the value is missing"),
    (np.ma.array([1, 2], mask=[False, True]), "gold, row 2: the value is missing"),
    (pa.array(["a", None]), "gold, row 2: the value is missing"),
    (pa.array(["a", None]).dictionary_encode(), "gold, row 2: the value is missing"),
    (
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None])),
        "gold, row 2: the value is missing",
    ),
    (pa.chunked_array([["a"], ["b", None]]), "gold, row 3: the value is missing"),
    (pd.Series(["a", None]), "gold, row 2: the value is missing"),
    (pd.Series(["a", None], dtype="category"), "gold, row 2: the value is missing"),
    (pd.Series([1, None]), "gold, row 2: the value is missing"),
    (pl.Series(["a", None]), "gold, row 2: the value is missing"),
    (pl.Series(["a", None], dtype=pl.Categorical), "gold, row 2: the value is missing"),
    (["a", ""], "gold, row 2: the value is empty"),
    (pa.chunked_array([["a"], ["b", ""]]), "gold, row 3: the value is empty"),
    (["a", 1], "gold, row 2: mixed types: 1 is int, but the first label 'a' is str"),
    ([1, "a"], "gold, row 2: mixed types: 'a' is str, but the first label 1 is int"),
    ([True, "a"], "gold, row 2: mixed types: 'a' is str, but the first label True is bool"),
    ([True, 0], "gold, row 1 and below: the values are not labels: "),
    ([0, 2**70], "gold, row 1 and below: the values are not labels: "),
    (["a", "\ud800"], "gold, row 1 and below: the values are not labels: "),
    ([1, 2.5], "gold, row 2: 2.5 is not a label; labels are text or whole numbers"),
    (pa.array([0.5]), "gold, row 1: 0.5 is not a label; labels are text or whole numbers"),
    ([b"a"], "gold, row 1: b'a' is not a label"),
    (np.array([b"a"]), "gold, row 1: np.bytes_(b'a') is not a label"),
    ([["a"]], "gold, row 1: ['a'] is not a label"),
    ([1j], "gold, row 1: 1j is not a label"),
    (pa.array([b"a"]), "gold, row 1: binary values are not labels"),
    (pa.array([datetime.date(2020, 1, 1)]), "gold, row 1: date32[day] values are not labels"),
    (np.zeros((2, 2)), "labels have one dimension, not the shape (2, 2)"),
    ("ab", "a column of values was expected, not str"),
    (7, "a column of values was expected, not int"),
)
def test_what_is_no_label_is_told(values, message):
    with pytest.raises(InputError) as caught:
        read(values)
    assert message == str(caught.value)[: len(message)]


@cases("count", 256, 257, 65536, 65537)
def test_codes_are_as_narrow_as_the_labels_allow(count):
    values = np.arange(count)
    labels = read(pa.array(values).cast(pa.string()))
    assert [str(value) for value in values.tolist()] == spell(labels)
    assert np.min_scalar_type(count - 1) == labels.codes.dtype


@cases("size", 70, 7000)
def test_labels_of_many_chunks_are_one_column(size):
    starts = range(0, 13 * size, size)
    chunks = [[f"w{number % 300}" for number in range(start, start + size)] for start in starts]
    assert [value for chunk in chunks for value in chunk] == spell(read(pa.chunked_array(chunks)))


def test_labels_that_come_late_are_read():
    values = np.array(["b", "a"])[np.arange(1_100_000) % 2]
    values[-1] = "0"
    labels = read(pa.array(values.tolist()))
    assert ("0", "a", "b") == labels.names
    assert [1, 549_999, 550_000] == np.bincount(labels.codes).tolist()
    assert ["b", "a", "0"] == [labels.names[labels.codes[row]] for row in (0, 2**20 + 1, -1)]


@STEADY
@given(
    st.lists(st.text(min_size=1).filter(str.isprintable) | st.from_regex(r"[0-9]{1,3}"), min_size=1)
)
def test_reading_loses_nothing(values):
    labels = read(values)
    assert values == spell(labels)
    assert len(set(values)) == len(labels.names)


@cases(
    "names expected",
    (["10", "9", "-1"], ("-1", "9", "10")),
    (["10", "9", "x"], ("10", "9", "x")),
    ([10, 9, -1], (-1, 9, 10)),
    (["1.0", "10.0", "2.0"], ("1.0", "2.0", "10.0")),
    (["1.5", "10", "2"], ("1.5", "10", "2")),
    (["b", "B", "a", "ä"], ("B", "a", "b", "ä")),
    (["01", "1"], ("01", "1")),
    ([], ()),
)
def test_order_is_natural(names, expected):
    assert expected == order(names)


@cases(
    "values expected",
    (["1.0", "0.0"], ["1", "0"]),
    (["1.0", "1"], ["1", "1"]),
    ([1.0, 0.0], ["1", "0"]),
    ([True, False], ["1", "0"]),
    (["1.0", "x"], ["1", "x"]),
    (["1.5", "1.0"], ["1.5", "1"]),
    (["-1.0", "10.00"], ["-1", "10"]),
)
def test_whole_floats_of_files_are_whole_numbers(values, expected):
    assert expected == spell(as_text(read(values)))


def test_case_is_folded_if_asked():
    folded = as_text(read(["STRASSE", "straße", "A"]), fold_case=True)
    assert ["strasse", "strasse", "a"] == spell(folded)


def test_columns_are_unified_by_name():
    one, other = unify(read(["b", "d"]), read(["c", "b"]), names=("x", "b"))
    assert ("x", "b", "c", "d") == one.names == other.names
    assert [["b", "d"], ["c", "b"]] == [spell(one), spell(other)]


def test_combined_columns_are_joined_by_a_slash():
    combined = combine([read(["en", "de", "en"]), read([10, 9, 9]), read(["x", "x", "x"])])
    assert ["en/10/x", "de/9/x", "en/9/x"] == spell(combined)
    assert ("de/9/x", "en/10/x", "en/9/x") == combined.names


def test_combined_columns_of_many_values_do_not_overflow():
    values = [str(value) for value in range(1000)]
    assert ["/".join([value] * 8) for value in values] == spell(combine([read(values)] * 8))


def test_groups_that_would_share_a_name_are_rejected():
    with pytest.raises(InputError, match="2 different groups would be called 'a/b/c'; rename one"):
        combine([read(["a/b", "a"]), read(["c", "b/c"])])


@cases(
    "action expected",
    (lambda labels: labels.take(np.array([2, 0])), ["b", "a"]),
    (lambda labels: labels.recode(("z", "b", "a")), ["a", "b", "b"]),
    (lambda labels: labels.rename(lambda name: {"a": "b", "b": "a"}[name]), ["b", "a", "a"]),
    (lambda labels: labels.rename(lambda name: "x"), ["x", "x", "x"]),
    ids=["take", "recode", "rename", "merge"],
)
def test_columns_change_as_their_labels_do(action, expected):
    assert expected == spell(action(read(["a", "b", "b"])))


def test_first_example_of_a_label_is_found():
    assert 2 == read(["a", "b", "c", "c"]).first("c")


@cases("kind", np.int8, np.uint8, np.int16, np.uint16, np.int64, np.uint64)
@cases("end", "min", "max")
@cases("span", 1, 2, 255, 256, 300)
def test_whole_numbers_are_encoded_alike_near_and_far(kind, end, span):
    info = np.iinfo(kind)
    room = min(span, int(info.max) - int(info.min))
    start = int(info.min) if end == "min" else int(info.max) - room
    values = np.array([start + room, start, start + room // 2, start], kind)
    labels = read(values)
    assert values.tolist() == spell(labels)
    assert sorted(set(values.tolist())) == list(labels.names)


@cases(
    "names shown",
    ((1, "b"), "1, 'b'"),
    (range(11), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more"),
    (("a" * 99,), "'aaaaaaaaaaaa...aaaaaaaaaaaaa'"),
)
def test_a_message_lists_labels_in_short(names, shown):
    assert shown == list_labels(names)

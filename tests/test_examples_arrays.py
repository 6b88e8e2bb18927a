"""What is in memory is read as examples: columns of any kind, joined by id, and checked."""

import array
import collections
import datetime as dt
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick
from cases import cases
from strategies import STEADY, label_sets
from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.kinds.labels import LABELS, find_scored
from tallystick.kinds.labels.label_columns import from_lists, from_matrix, split_cells
from tallystick.kinds.labels.label_reader import Predictions
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.numbers.numbers import GOLDEN
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.model.codes import row_of
from tallystick.model.facts import Task
from tallystick.model.ids import find_twice, join_ids, tell_twice
from tallystick.model.number_values import check_probabilities, check_weights, read_numbers
from tallystick.model.reading import Reading
from tallystick.reading.arrays import add_columns, read_arrays
from tallystick.reading.input_plan import InputPlan, Source
from tallystick.reading.layouts import iterate_blocks


def read(gold, predictions, task=None):
    return read_arrays(gold, {"mine": predictions}, Reading(task=task or Task()))


def only(systems):
    (output,) = LABELS.of(systems).outputs
    return output


@cases(
    "scores",
    [0.25, 0.75],
    (0.25, 0.75),
    np.array([0.25, 0.75]),
    np.array([0.25, 0.75], np.float32),
    np.array([0.25, 0.75], np.float16),
    np.array([0.25, 0.75], ">f8"),
    pa.array([0.25, 0.75]),
    pa.array([0.25, 0.75], pa.float32()),
    pa.chunked_array([[0.25], [0.75]]),
    pd.Series([0.25, 0.75]),
    pl.Series([0.25, 0.75], dtype=pl.Float32),
    Predictions(None, [0.25, 0.75]),
    ids=lambda scores: f"{type(scores).__module__}.{type(scores).__name__}",
)
def test_floats_are_probabilities(scores):
    output = only(read([0, 1], scores))
    assert [0.25, 0.75] == output.probabilities.tolist()
    assert [0, 1] == output.labels.codes.tolist()


@cases(
    "labels",
    [0, 1],
    [False, True],
    np.array([0, 1], np.uint8),
    pa.array([0, 1]),
    pd.Series([0, 1]),
    pl.Series([False, True]),
    Predictions([0.0, 1.0]),
    ids=lambda labels: f"{type(labels).__module__}.{type(labels).__name__}",
)
def test_whole_numbers_are_labels(labels):
    output = only(read([0, 1], labels))
    assert [0, 1] == output.labels.codes.tolist()
    assert output.probabilities is None


@cases("kind", np.float64, np.float32, np.float16, int)
def test_matrix_has_a_probability_for_each_label(kind):
    matrix = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]], kind)
    output = only(read(list("abc"), Predictions(None, matrix)))
    assert [1, 0, 2] == output.labels.codes.tolist()
    assert matrix.tolist() == output.probabilities.tolist()


@cases(
    "gold predictions",
    ([["a"], []], [["a", "b"], ["b"]]),
    ([("a",), ()], [("b", "a"), ("b",)]),
    ([{"a"}, set()], [{"a", "b"}, {"b"}]),
    (pa.array([["a"], []]), pa.array([["a", "b"], ["b"]])),
    (pl.Series([["a"], []]), pl.Series([["a", "b"], ["b"]])),
    ([[1], []], [[1, 2], [2]]),
    ([[np.int64(1)], []], [[np.int64(1), np.int64(2)], [np.int64(2)]]),
    (np.array([[1, 0], [0, 0]]), np.array([[1, 1], [0, 1]])),
    (np.array([[True, False], [False, False]]), np.array([[1.0, 1.0], [0.0, 1.0]])),
    ids=["lists", "tuples", "sets", "arrow", "polars", "integers", "numpy", "matrix", "booleans"],
)
def test_label_sets_are_read(gold, predictions):
    systems = read(gold, predictions)
    columns = (LABELS.of(systems).gold, only(systems).labels)
    a, b = columns[1].names
    assert [[[a], []], [[a, b], [b]]] == [[own.list_names(0), own.list_names(1)] for own in columns]


def test_labels_of_a_matrix_are_those_of_the_task():
    matrix = np.array([[1, 0]])
    assert ("x", "y") == read(matrix, matrix, Task(labels=("x", "y"))).labels
    assert (0, 1) == read(matrix, matrix).labels


@cases(
    "gold predictions kind message",
    ([0, 1], None, UsageError, "predictions are missing"),
    ([0, 1], "ab", InputError, "a column of values was expected, not str"),
    ([0, 1], np.ma.array([0.5, 0.5], mask=[0, 1]), InputError, "mine, row 2: the number is"),
    ([["a"], ["b"]], ["a", "b"], InputError, "mine contains single labels where label sets"),
    ([["a"], ["b"]], np.array([[1, 0], [0, 1]]), InputError, "mixed types: gold and predicted"),
    ([[1], [2]], [["1"], ["2"]], InputError, "mixed types: gold and predicted labels are text"),
    ([["a"]], Predictions(None, None), UsageError, "predictions are missing; give label sets, or"),
    (np.array([[0, 1]]), np.array([[0, 2]]), InputError, "expected 0 or 1, found 2"),
    (np.array([[0, 1]]), np.array([[0, 1, 1]]), InputError, "2 labels need a matrix with as"),
)
def test_what_does_not_fit_is_told(gold, predictions, kind, message):
    with pytest.raises(kind) as caught:
        read(gold, predictions)
    assert message in str(caught.value)


@cases(
    "by groups",
    (["y", "x"], ["y", "x"]),
    (np.array([10, 9]), [10, 9]),
    (pl.Series(["y", "x"], dtype=pl.Categorical), ["y", "x"]),
    (("y", "x"), ["y", "x"]),
    ((["y", "x"], [1, 2]), ["y/1", "x/2"]),
    ids=["list", "array", "polars", "tuple", "two-columns"],
)
def test_examples_are_grouped(by, groups):
    column = add_columns(read([0, 1], [0, 1]), by=by).groups
    assert groups == [column.names[code] for code in column.codes]


@cases(
    "weights", [1, 2.5], np.array([1, 2.5], np.float32), pa.array(["1", "2.5"]), pd.Series([1, 2.5])
)
def test_examples_are_weighted(weights):
    assert [1, 2.5] == add_columns(read([0, 1], [0, 1]), weights=weights).weights.tolist()


@cases(
    "column message",
    ([1], "weights has 1 values for 2 examples"),
    ([1, -1], "weights, row 2: -1.0 is not a weight"),
    ([1, None], "weights, row 2: None is not a number"),
    ([1, float("nan")], "weights, row 2: nan is not a weight"),
)
def test_bad_weights_are_told(column, message):
    with pytest.raises(InputError) as caught:
        add_columns(read([0, 1], [0, 1]), weights=column)
    assert message == str(caught.value)[: len(message)]


@cases(
    "column message",
    (["x"], "by has 1 values for 2 examples"),
    (["x", None], "by, row 2: the value is missing"),
    ([0.5, 1.5], "by, row 1: 0.5 is not a label"),
)
def test_bad_groups_are_told(column, message):
    with pytest.raises(InputError) as caught:
        add_columns(read([0, 1], [0, 1]), by=column)
    assert message == str(caught.value)[: len(message)]


@cases("clusters", ["y", "x"], np.array([10, 9]), pl.Series(["y", "x"]), pa.array(["y", "x"]))
def test_examples_belong_to_clusters(clusters):
    systems = read([0, 1], [0, 1])
    column = add_columns(systems, clusters=clusters).clusters
    assert np.asarray(clusters).tolist() == [column.names[code] for code in column.codes]
    with pytest.raises(InputError, match="clusters has 1 values for 2 examples"):
        add_columns(systems, clusters=["x"])
    with pytest.raises(InputError, match="clusters, row 2: the value is missing"):
        add_columns(systems, clusters=["x", None])


def test_several_systems_share_gold_and_labels():
    outputs = {"one": ["a", "c"], "two": ["b", "b"], "three": ["d", "a"]}
    systems = read_arrays(["b", "a"], outputs)
    assert (("one", "two", "three"), 2) == (systems.names, len(systems))
    assert ("a", "b", "c", "d") == systems.labels
    assert list(outputs.values()) == [
        [systems.labels[code] for code in own.labels.codes] for own in LABELS.of(systems).outputs
    ]


def test_some_of_several_systems_are_taken():
    outputs = {"one": [0.25, 0.75], "two": [1, 1], "three": [0, 1]}
    systems = add_columns(read_arrays([0, 1], outputs), by=["x", "y"])
    some = systems.of("three", "one")
    assert (("three", "one"), ("one",)) == (some.names, find_scored(some))
    assert [[0, 1], [0, 1]] == [own.labels.codes.tolist() for own in LABELS.of(some).outputs]
    assert [None, [0.25, 0.75]] == [
        None if own.probabilities is None else own.probabilities.tolist()
        for own in LABELS.of(some).outputs
    ]
    assert (LABELS.of(systems).gold, systems.groups) == (LABELS.of(some).gold, some.groups)


BITS, SHARES, TEXT = [0, 1, 1, 0], [0.25, 0.75, 0.5, 0.0], ["a", "b", "b", "a"]
DAY = dt.date(2020, 1, 1)


def _runs(values):
    return pc.run_end_encode(pa.array(values))


def _objects(values):
    return np.array(values, object)


MAKERS = {
    "tuple": tuple,
    "deque": collections.deque,
    "iterator": iter,
    "objects": _objects,
    "one column": lambda values: np.array([values]).T,
    "np.matrix": lambda values: np.array([values]).view(np.matrix).T,
    "one column of objects": lambda values: _objects([values]).T,
    "values of a frame": lambda values: pd.DataFrame({"x": values}).values,
    "masked": lambda values: np.ma.array(values, mask=[False] * len(values)),
    "arrow": pa.array,
    "run-end encoded": _runs,
    "slice of runs": lambda values: _runs([values[-1], *values]).slice(1),
    "chunks of runs": lambda values: pa.chunked_array([_runs(values[:2]), _runs(values[2:])]),
    "dictionary": lambda values: pa.array(values).dictionary_encode(),
    "pandas": pd.Series,
    "pandas, nullable": lambda values: pd.Series(values).convert_dtypes(),
    "pandas, Arrow": lambda values: pd.Series(values).convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda values: pd.Series(values, dtype="category"),
    "pandas index": pd.Index,
    "polars": pl.Series,
}
NUMERIC = {
    "decimals": lambda values: list(map(Decimal, map(str, values))),
    "Fraction": lambda values: list(map(Fraction, values)),
    "fractions and floats": lambda values: [Fraction(values[0]), *map(float, values[1:])],
    "objects of decimals": lambda values: _objects(list(map(Decimal, map(str, values)))),
    "pandas, decimals": lambda values: pd.Series(list(map(Decimal, map(str, values)))),
    "decimal128": lambda values: pa.array(values).cast(pa.decimal128(21, 2)),
    "decimal256": lambda values: pa.array(values).cast(pa.decimal256(40, 2)),
    "runs of decimals": lambda values: _runs(list(map(Decimal, map(str, values)))),
    "polars, decimals": lambda values: pl.Series(list(map(Decimal, map(str, values)))),
    "half floats": lambda values: pa.array(np.array(values, np.float16)),
    "long doubles": lambda values: np.array(values, np.longdouble),
    "big-endian": lambda values: np.array(values, ">f8"),
    "array.array": lambda values: array.array("d", values),
    "memoryview": lambda values: memoryview(array.array("d", values)),
    "sparse": lambda values: pd.Series(pd.arrays.SparseArray(values)),
}
WORDS = {
    "large": lambda values: pa.array(values, pa.large_string()),
    "view": lambda values: pa.array(values, pa.string_view()),
    "np.str_": np.array,
    "polars, Enum": lambda values: pl.Series(values, dtype=pl.Enum(["a", "b"])),
    "polars, Categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "categories": pd.Categorical,
}


@cases("make", *MAKERS.values(), *NUMERIC.values(), ids=[*MAKERS, *NUMERIC])
def test_a_column_of_numbers_scores_as_the_list(make):
    outputs = [0, 1, 0, 0]
    assert 0.75 == tallystick.score(BITS, make(outputs), "accuracy", intervals=None)["accuracy"]
    assert 0.75 == tallystick.score(make(BITS), outputs, "accuracy", intervals=None)["accuracy"]
    assert 1.0 == tallystick.score(BITS, make(SHARES), "roc_auc", intervals=None)["roc_auc"]
    assert 0.25 == tallystick.score(BITS, make(SHARES), "mae", intervals=None)["mae"]


@cases("make", *MAKERS.values(), *WORDS.values(), ids=[*MAKERS, *WORDS])
def test_a_column_of_text_scores_as_the_list(make):
    result = tallystick.score(make(TEXT), make(["a", "b", "a", "a"]), "accuracy", intervals=None)
    assert 0.75 == result["accuracy"]


REJECTED = {
    "one value": lambda: np.array(1),
    "a scalar": lambda: 1,
    "text": lambda: "abba",
    "bytes": lambda: b"abba",
    "bytearray": lambda: bytearray(b"abba"),
    "a set": lambda: {0, 1},
    "three dimensions": lambda: np.zeros((4, 1, 1)),
    "a row": lambda: np.array([BITS]).view(np.matrix),
    "decimal NaN": lambda: [Decimal("NaN"), Decimal(1), Decimal(1), Decimal(0)],
    "signalling NaN": lambda: [Decimal("sNaN")] * 4,
    "an infinite fraction": lambda: [Fraction(10**400)] * 4,
    "too large": lambda: [10**400] * 4,
    "too large among floats": lambda: [0.5, 10**400, 1, 0],
    "missing": lambda: [None] * 4,
    "missing runs": lambda: _runs([0, None, 1, 0]),
    "missing by dictionary": lambda: pa.DictionaryArray.from_arrays([0, 1, 1, 0], ["a", None]),
    "masked": lambda: np.ma.array(BITS, mask=[0, 1, 0, 0]),
    "masked matrix": lambda: np.ma.array([[0, 1]] * 4, mask=[[0, 1]] * 4),
    "NA": lambda: [pd.NA, 1, 0, 1],
    "NaT": lambda: [pd.NaT] * 4,
    "dates": lambda: [DAY] * 4,
    "Arrow dates": lambda: pa.array([DAY] * 4),
    "times": lambda: pa.array([dt.time(1)] * 4),
    "timestamps": lambda: pd.Series([pd.Timestamp(DAY)] * 4),
    "durations": lambda: pa.array([dt.timedelta(1)] * 4),
    "NumPy's durations": lambda: np.array([1] * 4, "m8[D]"),
    "binary": lambda: pa.array([b"a"] * 4),
    "structs": lambda: pa.array([{"a": 1}] * 4),
    "a map": lambda: pa.array([[("a", 1)]] * 4, pa.map_(pa.string(), pa.int64())),
    "nulls": lambda: pa.nulls(4),
    "missing sets": lambda: pa.array([[1], None, [], [1]]),
    "lists of fixed size": lambda: pa.array([[1, 2]] * 4, pa.list_(pa.int64(), 2)),
    "list views": lambda: pa.array([["a"]] * 4, pa.list_view(pa.string())),
    "complex": lambda: np.array([1j] * 4),
    "records": lambda: np.array([(1, 2)] * 4, [("a", int), ("b", int)]),
    "objects": lambda: [object()] * 4,
    "polars objects": lambda: pl.Series([object()] * 4, dtype=pl.Object),
    "wide integers": lambda: pl.Series(BITS, dtype=pl.Int128),
    "intervals": lambda: pd.interval_range(0, 4),
    "periods": lambda: pd.Series(pd.period_range("2020", periods=4)),
    "lone surrogates": lambda: ["\ud800"] * 4,
    "arrays in a list": lambda: [np.array([0, 1])] * 4,
    "uneven lists": lambda: [[1], [1, 2], [], [3]],
    "no list": lambda: [],
    "no array": lambda: np.zeros((0, 1)),
    "no text": lambda: pa.array([], pa.string()),
    "no chunks": lambda: pa.chunked_array([], pa.int64()),
    "no series": lambda: pd.Series([], dtype=object),
    "no generator": lambda: iter(()),
}


@cases("make", *REJECTED.values(), ids=REJECTED)
def test_what_is_no_column_of_a_kind_is_told_in_a_sentence(make):
    golden = [BITS, SHARES, TEXT, [["a"]] * 4, [[(0, 1, "A")]] * 4, make()]
    for gold, kinds in product(golden, [LABELS, NUMBERS, SPANS, TEXTS, None]):
        reading = Reading(kinds=kinds and (kinds,), numbers=GOLDEN if kinds == NUMBERS else ())
        for source in (Source(gold, make()), Source(make(), gold)):
            assert _tell(source, reading) in ("", "read")


def _tell(source, reading):
    try:
        [*iterate_blocks(InputPlan(source, reading))]
    except TallystickError as error:
        return str(error).partition("\n")[2]
    return "read"


@cases("metric", "accuracy", "span_f1", "mae", "bleu", "manhattan", None)
def test_no_examples_are_told(metric):
    with pytest.raises(InputError, match="no examples"):
        tallystick.score([], [], metric)


@cases("outputs", [1, 2], [[1.5, 2], [1, 2]], [0.5, 1.5], [None, None])
def test_what_are_no_spans_is_told_with_its_row(outputs):
    with pytest.raises(InputError, match=r"^predictions, row 1: "):
        tallystick.score([[(0, 1, "A")], []], outputs, "span_f1")


def test_decimals_of_a_table_are_numbers():
    table = pa.table(
        {
            "gold": pa.array([Decimal("0.5"), Decimal("1.25")]),
            "prediction": pa.array([Decimal("0.5"), Decimal("1.5")]),
        }
    )
    assert 0.125 == tallystick.score(table, metrics="mae")["mae"]
    assert 0.125 == tallystick.score(table)["mae"]


SOURCES = ("gold.csv", "mine.csv")
LACKING = (
    "; with `missing='wrong'` examples without one count as wrong, with exclude they are left out "
    "of that system's scores, and with common only examples are scored that all systems have"
)


@STEADY
@given(st.lists(st.text(min_size=1), min_size=1, unique=True), st.randoms(use_true_random=False))
def test_rows_are_found_in_any_order(ids, random):
    shuffled = random.sample(ids, len(ids))
    rows, _ = join_ids(pa.array(ids), pa.array(shuffled), SOURCES)
    assert ids == (shuffled if rows is None else [shuffled[row] for row in rows])
    assert (ids == shuffled) is (rows is None)


@cases(
    "ids",
    pa.array([12, 7]),
    pa.array(["12", "7"]),
    pa.array(["12", "7"], pa.large_string()),
    pa.array(["12", "7"]).dictionary_encode(),
    pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["12", "7"], pa.string_view())),
    pa.chunked_array([["12"], ["7"]]),
    pa.array(["0", "12", "7"])[1:],
    ids=["integer", "text", "large", "dictionary", "views", "chunks", "slice"],
)
def test_ids_of_any_type_are_the_same(ids):
    rows, _ = join_ids(pa.array(["7", "12"]), ids, SOURCES)
    assert [1, 0] == np.asarray(rows).tolist()


@cases(
    "gold predicted message",
    ("ab", "abb", "mine.csv contains the id b more than once"),
    ("ab", "aabb", "mine.csv contains 2 ids (a, b) more than once"),
    ("abc", "ab", f"mine.csv has no prediction for the id c of gold.csv{LACKING}"),
    ("ab", "abc", "mine.csv contains the id c that gold.csv does not have"),
    (
        "abcdefgh",
        "ab",
        f"mine.csv has no prediction for 6 ids (c, d, e, f, g, ...) of gold.csv{LACKING}",
    ),
    ("ab", "abcdefg", "mine.csv contains 5 ids (c, d, e, f, g) that gold.csv does not have"),
    ("ab", "ac", f"mine.csv has no prediction for the id b of gold.csv{LACKING}"),
)
def test_ids_that_do_not_match_are_told(gold, predicted, message):
    with pytest.raises(InputError) as caught:
        join_ids(pa.array(list(gold)), pa.array(list(predicted)), SOURCES)
    assert message == str(caught.value)


@cases(
    "ids message",
    ("abb", "gold.csv contains the id b more than once; look"),
    ("aabb", "gold.csv contains 2 ids (a, b) more than once; look"),
)
def test_ids_that_stand_twice_in_one_table_are_told(ids, message):
    with pytest.raises(InputError) as caught:
        tell_twice(find_twice(pa.array(list(ids)), "gold.csv"), "gold.csv", lambda: "; look")
    assert message == str(caught.value)


@cases("ids", ["a", None], ["", "b"], [None, ""])
def test_empty_id_of_one_table_is_told(ids):
    with pytest.raises(InputError) as caught:
        find_twice(pa.array(ids), "gold.csv")
    what = "2 examples have" if not any(ids) else "1 example has"
    assert f"gold.csv: {what} no id" == str(caught.value)


def test_examples_may_lack_a_prediction_if_that_is_asked_for():
    rows, _ = join_ids(pa.array(list("abc")), pa.array(list("ca")), SOURCES, missing=True)
    assert [1, -1, 0] == np.asarray(rows).tolist()
    with pytest.raises(
        InputError, match=r"^mine\.csv contains the id x that gold\.csv does not have$"
    ):
        join_ids(pa.array(list("abc")), pa.array(list("xa")), SOURCES, missing=True)


@cases(
    "gold predicted message",
    (["a", None], ["a", "b"], "gold.csv: 1 example has no id"),
    (["a", ""], ["a", "b"], "gold.csv: 1 example has no id"),
    (["a", "b"], [None, None], "mine.csv: 2 examples have no id"),
    (["a", "b"], ["", None], "mine.csv: 2 examples have no id"),
)
def test_missing_ids_are_told(gold, predicted, message):
    with pytest.raises(InputError) as caught:
        join_ids(pa.array(gold), pa.array(predicted), SOURCES)
    assert message == str(caught.value)


WHERE = row_of("gold")


def spell(rows):
    return list(map(rows.list_names, range(len(rows))))


@STEADY
@given(label_sets())
def test_matrix_and_lists_are_the_same(sample):
    lists = sample.sets(sample.gold)
    assert lists == spell(from_matrix(sample.gold, sample.labels, WHERE))
    assert lists == spell(from_lists(lists, WHERE, sample.labels))


@cases("kind", bool, np.uint8, np.int64, np.float32, object)
def test_matrix_may_be_of_any_type(kind):
    matrix = np.array([[0, 1], [1, 1], [0, 0]]).astype(kind)
    assert [["b"], ["a", "b"], []] == spell(from_matrix(matrix, ("a", "b"), WHERE))


@cases(
    "matrix message",
    ([[0, 1], [1, 2]], "gold, row 2, column 'b': expected 0 or 1, found 2"),
    ([[0, 0.5]], "gold, row 1, column 'b': expected 0 or 1, found 0.5"),
    ([[np.nan, 0]], "gold, row 1, column 'a': expected 0 or 1, found nan"),
    ([[0, 1, 1]], "2 labels need a matrix with as many columns, not the shape (1, 3)"),
    ([0, 1], "2 labels need a matrix with as many columns, not the shape (2,)"),
)
def test_bad_matrix_is_told(matrix, message):
    with pytest.raises(InputError) as caught:
        from_matrix(np.array(matrix), ("a", "b"), WHERE)
    assert message == str(caught.value)


def test_names_of_lists_are_those_that_occur():
    lists = [["10", "9"], [], ["9"]]
    assert ("9", "10") == from_lists(lists, WHERE).names
    assert ("x", "10", "9") == from_lists(lists, WHERE, ("x", "10", "9")).names


@cases(
    "lists names message",
    ([["a"], ["b", "b"]], None, "gold, row 2: label 'b' occurs twice in one example"),
    ([["a"], ["c"]], ("a", "b"), "gold, row 2: label 'c' is not one of 'a', 'b'"),
    ([["a"], [1]], None, "gold, row 1: mixed types: labels are text or whole numbers"),
    ([["a"], [None]], None, "gold, row 2: None is not a label"),
    ([["a"], [1.5]], None, "gold, row 2: 1.5 is not a label"),
    ([["a"], [""]], None, "gold, row 2: '' is not a label"),
)
def test_bad_list_is_told(lists, names, message):
    with pytest.raises(InputError) as caught:
        from_lists(lists, WHERE, names)
    assert message == str(caught.value)[: len(message)]


@cases(
    "cell labels",
    ("sport|travel", ["sport", "travel"]),
    (" sport | travel ", ["sport", "travel"]),
    ("sport", ["sport"]),
    ("sport||travel|", ["sport", "travel"]),
    ("", []),
    (" ", []),
    ('["sport", "a|b"]', ["sport", "a|b"]),
    (" [1, 2]", ["1", "2"]),
    ("[]", []),
    ('["\\u732b"]', ["猫"]),
)
def test_cell_holds_labels(cell, labels):
    assert [labels] == split_cells([cell], "|", WHERE)


@cases("cell", "[1.5]", "[sport]", '["sport"', '[["a"]]', "[null]")
def test_cell_that_is_no_list_is_told(cell):
    with pytest.raises(InputError, match=r"^gold, row 2: .* is not a JSON list of labels"):
        split_cells(["a", cell], "|", WHERE)


def test_sets_are_the_same_over_names_in_another_order():
    names = tuple(f"{place:02}" for place in range(70))
    rows = from_lists([["69", "00"], ["08"]], WHERE).recode(names[::-1])
    assert [["69", "00"], ["08"]] == spell(rows)
    assert [["08"], ["69", "00"]] == spell(rows.take(np.array([1, 0])))


MINE = row_of("mine")


@cases(
    "values",
    [0.5, 0.25],
    (0.5, 0.25),
    np.array([0.5, 0.25]),
    np.array([0.5, 0.25], ">f8"),
    np.array([0.5, 0.25], np.float16),
    np.array([0.5, 0.25], object),
    np.array([0.5, 9, 0.25, 9])[::2],
    pa.array([0.5, 0.25]),
    pa.array([9, 0.5, 0.25])[1:],
    pa.chunked_array([[0.5], [], [0.25]]),
    pa.array([0.5, 0.25]).dictionary_encode(),
    pa.array(["0.5", "0.25"]),
    pa.array(["5e-1", ".25"], pa.large_string()),
    pa.array(["0.5", "0.25"], pa.string_view()),
    pa.chunked_array([["0.5"], ["0.25"]]),
    pd.Series([0.5, 0.25]),
    pd.Series([0.5, 0.25], dtype="Float64"),
    pl.Series([0.5, 0.25]),
    pl.Series(["0.5", "0.25"]),
    ids=lambda values: f"{type(values).__module__}.{type(values).__name__}",
)
def test_numbers_are_read_from_anything(values):
    numbers = read_numbers(values, MINE)
    assert [0.5, 0.25] == numbers.tolist()
    assert np.dtype(np.float64) == numbers.dtype


@cases(
    "values",
    np.array([0.1], np.float32),
    pa.array([0.1], pa.float32()),
    pl.Series([0.1], dtype=pl.Float32),
    pd.Series([0.1], dtype="float32"),
    ids=lambda values: type(values).__module__,
)
def test_single_precision_is_kept(values):
    assert np.dtype(np.float32) == read_numbers(values, MINE).dtype


@cases("values", [0, 1], [False, True], np.array([0, 1], np.int8), pa.array([False, True]))
def test_whole_numbers_and_booleans_are_numbers(values):
    numbers = read_numbers(values, MINE)
    assert [0.0, 1.0] == numbers.tolist()
    assert np.dtype(np.float64) == numbers.dtype


@cases(
    "values message",
    ([0.5, None], "mine, row 2: None is not a number"),
    ([0.5, "x"], "mine, row 2: 'x' is not a number"),
    (np.array([0.5, True], object), "mine, row 2: True is not a number"),
    (np.array([1j]), "mine, row 1: 1j is not a number"),
    (np.array(["2020-01-01"], "M8[D]"), "mine, row 1: datetime.date(2020, 1, 1) is not"),
    (np.array([1], "m8[D]"), "mine, row 1: datetime.timedelta(days=1) is not a number"),
    (pa.array([0.5, None]), "mine, row 2: the number is missing"),
    (pa.chunked_array([[0.5], [None]], pa.float64()), "mine, row 2: the number is missing"),
    (pd.Series([0.5, np.nan]), "mine, row 2: the number is missing"),
    (np.ma.array([0.5, 0.5], mask=[False, True]), "mine, row 2: the number is missing"),
    (pa.array(["0.5", "0,5"]), "mine, row 2: '0,5' is not a number"),
    (pa.array(["0.5", ""]), "mine, row 2: '' is not a number"),
    (pa.array(["0.5", " 0.5"]), "mine, row 2: ' 0.5' is not a number"),
    (pa.array([[0.5]]), "mine, row 1: "),
)
def test_what_is_no_number_is_told(values, message):
    with pytest.raises(InputError) as caught:
        read_numbers(values, MINE)
    assert message == str(caught.value)[: len(message)]


@cases("kind", np.float32, np.float64)
@cases("broken", -1e-9, 1.0000002, np.nan, np.inf, -np.inf)
def test_probability_lies_between_0_and_1(kind, broken):
    values = np.array([0.0, 1.0, broken], kind)
    with pytest.raises(InputError, match=r"^mine, row 3: .* is not a probability between 0 and 1$"):
        check_probabilities(values, MINE)


@cases("row", [0.5, 0.5], [1.0, 0.0], [1 / 3, 2 / 3], [0.5, 0.5 + 9e-7], ids=repr)
def test_probabilities_of_an_example_sum_to_one(row):
    matrix = np.array([[0.5, 0.5], row])
    assert matrix is check_probabilities(matrix, MINE)


@cases("row", [0.5, 0.4], [0.5, 0.502], [0.0, 0.0], ids=repr)
def test_probabilities_that_do_not_sum_to_one_are_told(row):
    with pytest.raises(InputError, match=r"^mine, row 2: the probabilities of an example sum to 1"):
        check_probabilities(np.array([[0.5, 0.5], row]), MINE)


def test_single_precision_sums_are_taken_in_double():
    matrix = np.asfortranarray(np.full((2, 100_000), 1e-5, np.float32))
    assert matrix is check_probabilities(matrix, MINE)


@cases("broken", -0.5, np.nan, np.inf)
def test_weight_is_finite_and_not_negative(broken):
    with pytest.raises(
        InputError, match=r"^mine, row 2: .* is not a weight; weights must be finite"
    ):
        check_weights(np.array([1.0, broken]), MINE)


@cases(
    "values",
    np.array([0.0, 3.0]),
    np.array([0, 3], np.float32),
    np.array([0.0, 9, 3.0])[::2],
    ids=["double", "single", "strided"],
)
def test_weights_are_made_ready_for_counting(values):
    weights = check_weights(values, MINE)
    assert [0.0, 3.0] == weights.tolist()
    assert np.dtype(np.float64) == weights.dtype
    assert weights.flags.c_contiguous

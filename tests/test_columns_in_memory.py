"""Whatever stands for a column in Python gives a score or one sentence, and never another error."""

import array
import collections
import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import tallystick
from tallystick.errors import InputError, TallystickError
from tallystick.kinds.labels import LABELS
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.numbers.numbers import GOLDEN
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.model.reading import Reading
from tallystick.reading.input_plan import InputPlan, Source
from tallystick.reading.layouts import iterate_blocks

BITS, SHARES, TEXT = [0, 1, 1, 0], [0.25, 0.75, 0.5, 0.0], ["a", "b", "b", "a"]
DAY = dt.date(2020, 1, 1)


def _runs(values: Sequence[Any]) -> Any:
    return pc.run_end_encode(pa.array(values))


def _objects(values: Sequence[Any]) -> Any:
    return np.array(values, object)


MAKERS: dict[str, Callable[[Sequence[Any]], Any]] = {
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
NUMERIC: dict[str, Callable[[Sequence[Any]], Any]] = {
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
WORDS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "large": lambda values: pa.array(values, pa.large_string()),
    "view": lambda values: pa.array(values, pa.string_view()),
    "np.str_": np.array,
    "polars, Enum": lambda values: pl.Series(values, dtype=pl.Enum(["a", "b"])),
    "polars, Categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "categories": pd.Categorical,
}


@pytest.mark.parametrize("make", [*MAKERS.values(), *NUMERIC.values()], ids=[*MAKERS, *NUMERIC])
def test_a_column_of_numbers_scores_as_the_list(make):
    outputs = [0, 1, 0, 0]

    assert 0.75 == tallystick.score(BITS, make(outputs), "accuracy", intervals=None)["accuracy"]
    assert 0.75 == tallystick.score(make(BITS), outputs, "accuracy", intervals=None)["accuracy"]
    assert 1.0 == tallystick.score(BITS, make(SHARES), "roc_auc", intervals=None)["roc_auc"]
    assert 0.25 == tallystick.score(BITS, make(SHARES), "mae", intervals=None)["mae"]


@pytest.mark.parametrize("make", [*MAKERS.values(), *WORDS.values()], ids=[*MAKERS, *WORDS])
def test_a_column_of_text_scores_as_the_list(make):
    result = tallystick.score(make(TEXT), make(["a", "b", "a", "a"]), "accuracy", intervals=None)

    assert 0.75 == result["accuracy"]


REFUSED = {
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


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_what_is_no_column_of_a_kind_is_told_in_a_sentence(make):
    golden: list[Any] = [BITS, SHARES, TEXT, [["a"]] * 4, [[(0, 1, "A")]] * 4, make()]
    for gold, kinds in product(golden, [LABELS, NUMBERS, SPANS, TEXTS, None]):
        reading = Reading(kinds=kinds and (kinds,), numbers=GOLDEN if kinds == NUMBERS else ())
        for source in (Source(gold, make()), Source(make(), gold)):
            assert _tell(source, reading) in ("", "read")


def _tell(source: Source, reading: Reading) -> str:
    try:
        [*iterate_blocks(InputPlan(source, reading))]
    except TallystickError as error:
        return str(error).partition("\n")[2]
    return "read"


@pytest.mark.parametrize("metric", ["accuracy", "span_f1", "mae", "bleu", "manhattan", None])
def test_no_examples_are_told(metric):
    with pytest.raises(InputError, match="no examples"):
        tallystick.score([], [], metric)


@pytest.mark.parametrize("outputs", [[1, 2], [[1.5, 2], [1, 2]], [0.5, 1.5], [None, None]])
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

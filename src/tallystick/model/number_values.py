"""Columns of numbers: probabilities, weights and counts, checked value by value."""

import math
import re
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.tables.values import as_column, as_numpy
from tallystick.model.codes import FEW, Locate, is_text

_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
MISSING = frozenset(
    (
        *("", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "None", "NULL", "null", "<NA>"),
        *("#N/A", "#N/A N/A", "#NA", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    )
)
"""How pandas' read_csv spells missing values, stripped of blanks."""

_HEAVIEST = 1e30
"""The largest weight."""


def read_numbers(values: object, locate: Locate, *, gaps: bool = False) -> NDArray[Any]:
    """Reads a column of numbers as float32, where it is that, or float64.

    Args:
        values: The column.
        locate: Says where a value stands.
        gaps: Whether nulls of an Arrow column become NaN.
    """
    array = as_column(values)
    if isinstance(array, np.ndarray):
        return _as_floats(array, locate)
    if not isinstance(array, pa.Array | pa.ChunkedArray):
        return _as_floats(_stack(array, locate), locate)
    if array.null_count and gaps:
        return as_numpy(array.cast(pa.float64()).fill_null(math.nan))
    if array.null_count:
        index = next(index for index, value in enumerate(array) if not value.is_valid)
        raise InputError(f"{locate(index)}: the number is missing")
    if is_text(array.type):
        return _parse(array, locate)
    extended = isinstance(array.type, pa.BaseExtensionType)  # a period, stored as a number
    if len(array) and (extended or pa.types.is_nested(array.type)):
        raise InputError(f"{locate(0)}: {array[0].as_py()!r} is not a number")
    return _as_floats(as_numpy(array), locate)


def check_probabilities(values: NDArray[Any], locate: Locate) -> NDArray[Any]:
    """Checks that every value lies in [0, 1], and that rows of several sum to 1 (within 1e-3)."""
    if values.ndim not in (1, 2):
        raise InputError(
            "probabilities are one for each example, or one for each example and label, and not "
            f"of the shape {values.shape}"
        )
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        broken = np.argwhere(~((values >= 0) & (values <= 1)))
        stood = values[tuple(broken[0])]
        raise InputError(
            f"{locate(int(broken[0][0]))}: {stood} is not a probability between 0 and 1"
        )
    if values.ndim == 2:
        sums = values.sum(axis=1, dtype=np.float64)
        off = np.flatnonzero(np.abs(sums - 1) > 1e-3)
        if len(off):
            raise InputError(
                f"{locate(int(off[0]))}: the probabilities of an example sum to 1, "
                f"but here to {sums[off[0]]:.6g}"
            )
    return values


def check_weights(values: NDArray[Any], locate: Locate) -> NDArray[np.float64]:
    """Checks that every weight is a number, zero or more, with which sums are finite."""
    if values.ndim != 1:
        raise InputError(f"weights are one for each example, and not of the shape {values.shape}")
    said = f"is not a weight; weights must be finite numbers of 0 or more, up to {_HEAVIEST:g}"
    check_each((values >= 0) & (values <= _HEAVIEST), values, locate, said)
    return np.ascontiguousarray(values, np.float64)


def check_counts(values: NDArray[Any], locate: Locate) -> NDArray[np.int64]:
    """Checks that every count is a whole number, one or more."""
    right = (values >= 1) & (values < 2**53) & (values == np.floor(values))
    said = "is not a count; counts must be whole numbers of 1 or more"
    check_each(right, values, locate, said, form="g")
    return values.astype(np.int64)


def check_each(
    right: NDArray[np.bool_], values: NDArray[Any], locate: Locate, said: str, *, form: str = ""
) -> None:
    """Raises an `InputError` with what is said of the first value that is not right, if any."""
    if not right.all():
        first = int(right.argmin())
        raise InputError(f"{locate(first)}: {values[first]:{form}} {said}")


def _stack(values: Sequence[Any], locate: Locate) -> NDArray[Any]:
    """A list of numbers, or of equally long lists of them, as an array."""
    try:
        array = np.asarray(values)
    except ValueError:
        numbers = (isinstance(value, int | float | np.number) for value in values)
        index = next(index for index, is_number in enumerate(numbers) if not is_number)
        raise InputError(f"{locate(index)}: {values[index]!r} is not a number") from None
    mixed = array.dtype.kind in "SU" or (array.dtype.kind == "f" and bool in map(type, values))
    return np.array(values, object) if mixed else array


def _as_floats(values: NDArray[Any], locate: Locate) -> NDArray[Any]:
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    for index, value in enumerate(values.ravel()):
        if isinstance(value, str | bool | np.timedelta64) or not isinstance(
            value, int | float | np.integer | np.floating
        ):
            stood = value.item() if isinstance(value, np.generic) else value
            raise InputError(f"{locate(index)}: {stood!r} is not a number")
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            raise InputError(f"{locate(index)}: the number is larger than a float can be")
    return values.astype(np.float64)


def _parse(array: Any, locate: Locate) -> NDArray[np.float64]:
    if len(array) <= FEW and not array.null_count:
        texts = array.to_pylist()
        if all(isinstance(text, str) and _PLAIN.fullmatch(text) for text in texts):
            return np.array([float(text) for text in texts])
    try:
        return as_numpy(array.cast(pa.float64()))
    except pa.ArrowInvalid:
        import pyarrow.compute as pc

        words = pc.utf8_lower(pc.utf8_trim_whitespace(array))
        truths = pc.index_in(words, value_set=pa.array(["false", "true"], words.type))
        if not truths.null_count:  # as CSV files of Python and of R have booleans
            return as_numpy(truths.cast(pa.float64()))
        index = _find_text(array)
        text = array[index].as_py()
        missing = text and text.strip() in MISSING
        said = "the number is missing" if missing else f"{text!r} is not a number"
        raise InputError(f"{locate(index)}: {said}") from None


def _find_text(array: Any) -> int:
    """The place of the first value that is no number, of which there is one."""
    start, end = 0, len(array)
    while end - start > 1:
        middle = (start + end) // 2
        try:
            array.slice(start, middle - start).cast(pa.float64())
            start = middle
        except pa.ArrowInvalid:
            end = middle
    return start

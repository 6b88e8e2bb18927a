"""Columns of numbers, checked value by value, and of cells that hold a distribution over labels."""

import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import InputError, MissingValueError
from tallystick.io.tables.json_cells import read_literal
from tallystick.io.tables.values import as_column, as_list, as_numpy
from tallystick.model.codes import FEW, Label, Locate, is_text, list_labels, order, spell

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
    """Reads numbers as float32 or float64; with `gaps`, nulls become NaN."""
    array = as_column(values)
    if isinstance(array, np.ndarray):
        return _as_floats(array, locate)
    if not isinstance(array, pa.Array | pa.ChunkedArray):
        return _as_floats(_stack(array, locate), locate)
    if array.null_count and gaps:
        return as_numpy(array.cast(pa.float64()).fill_null(math.nan))
    if array.null_count:
        index = next(index for index, value in enumerate(array) if not value.is_valid)
        raise MissingValueError(f"{locate(index)}: the number is missing")
    if is_text(array.type):
        return _parse(array, locate)
    extended = isinstance(array.type, pa.BaseExtensionType)  # a period, stored as a number
    if len(array) and (extended or pa.types.is_nested(array.type)):
        raise InputError(f"{locate(0)}: {array[0].as_py()!r} is not a number")
    return _as_floats(as_numpy(array), locate)


def check_probabilities(values: NDArray[Any], locate: Locate) -> NDArray[Any]:
    """Checks that every value lies in [0, 1], and that rows of several sum to 1 (within 1e-3)."""
    reason = find_misfit(values, locate)
    if reason is not None:
        raise InputError(reason)
    return values


def find_misfit(values: NDArray[Any], locate: Locate, *, whole: bool = True) -> str | None:
    """Returns why values are no probabilities, or None; rows of `whole` ones sum to 1."""
    if values.ndim not in (1, 2):
        raise InputError(
            "probabilities are one for each example, or one for each example and label, and not "
            f"of the shape {values.shape}"
        )
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        broken = np.argwhere(~((values >= 0) & (values <= 1)))
        stood = values[tuple(broken[0])]
        return f"{locate(int(broken[0][0]))}: {stood} is not a probability between 0 and 1"
    if values.ndim == 2 and whole:
        sums = values.sum(axis=1, dtype=np.float64)
        off = np.flatnonzero(np.abs(sums - 1) > 1e-3)
        if len(off):
            return (
                f"{locate(int(off[0]))}: the probabilities of an example sum to 1, "
                f"but here to {sums[off[0]]:.6g}"
            )
    return None


def check_finite(values: NDArray[Any], locate: Locate) -> NDArray[Any]:
    """Checks that every score of an example, or of its labels, is a finite number."""
    broken = np.argwhere(~np.isfinite(values))
    if len(broken):
        row, stood = int(broken[0][0]), values[tuple(broken[0])]
        raise InputError(f"{locate(row)}: {stood} is not a score; scores are finite numbers")
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
        error = MissingValueError if np.isnan(values[first]) else InputError
        raise error(f"{locate(first)}: {values[first]:{form}} {said}")


def _stack(values: Sequence[object], locate: Locate) -> NDArray[Any]:
    """A list of numbers, or of equally long lists of them, as an array."""
    try:
        array = np.asarray(values)
    except ValueError:
        numbers = (isinstance(value, int | float | np.number) for value in values)
        index = next(index for index, is_number in enumerate(numbers) if not is_number)
        raise _reject(values[index], locate(index)) from None
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
            raise _reject(stood, locate(index))
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
        if len(words) and pc.all(pc.ends_with(words, pattern="%")).as_py():
            return _parse(pc.replace_substring_regex(words, r"\s*%$", ""), locate) / 100
        index = _find_text(array)
        text = array[index].as_py()
        if text and text.strip() in MISSING:
            raise MissingValueError(f"{locate(index)}: the number is missing") from None
        raise _reject(text, locate(index)) from None


def _reject(value: object, where: str) -> InputError:
    blank = value is None or (isinstance(value, str) and not value)
    error = MissingValueError if blank else InputError
    return error(f"{where}: {value!r} is not a number")


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


@cache
def spell_label(label: Label, fold_case: bool = False) -> str:
    """Returns a label as files hold it; True and False are 1 and 0."""
    return spell(int(label) if isinstance(label, bool) else label, fold_case=fold_case)


class Cells(Struct, frozen=True, eq=False):
    """The cells of a column: an object or a list per example, or the numbers of some columns.

    Attributes:
        values: A list of objects and lists, or numbers of shape (examples, labels).
        labels: The labels of the numbers; None if their positions are the labels.
    """

    values: list[Any] | NDArray[Any]
    locate: Locate
    labels: tuple[str, ...] | None = None
    fold_case: bool = False

    @classmethod
    def of(cls, values: object, locate: Locate, *, fold_case: bool = False) -> "Cells":
        """The cells of a column; text in them, as CSV files have it, is JSON."""
        column = values if isinstance(values, list) else as_column(values)
        if isinstance(column, np.ndarray) and column.ndim == 2 and column.dtype.kind in "biuf":
            return cls(column, locate)
        if isinstance(column, np.ndarray):
            cells = column.tolist()
        else:
            cells = list(column) if isinstance(column, list | tuple) else as_list(column, locate(0))
        for index, cell in enumerate(cells):
            if isinstance(cell, str):
                cells[index] = _load(cell, locate(index))
            elif isinstance(cell, np.ndarray):
                cells[index] = cell.tolist()
        return cls(cells, locate, fold_case=fold_case)

    def list_labels(self) -> tuple[str, ...]:
        """The labels of cells: keys of their objects, places in their lists, or what was voted."""
        if self.labels is not None:
            return self.labels
        if isinstance(self.values, np.ndarray):
            return _count_up(self.values.shape[1])
        first = self.values[0] if self.values else {}
        if find_votes(first) is not None:
            return self._order(vote for cell in self.values for vote in find_votes(cell) or ())
        if isinstance(first, Mapping):
            return self._order(first)
        if isinstance(first, Sequence):
            return _count_up(len(first))
        raise self._refuse(0)

    def spread(self, labels: tuple[str, ...]) -> NDArray[np.float64]:
        """The distributions over some labels, of shape (examples, labels)."""
        return check_probabilities(self.arrange(labels), self.locate)

    def arrange(self, labels: tuple[str, ...]) -> NDArray[np.float64]:
        """The numbers of some labels, of shape (examples, labels)."""
        if isinstance(self.values, np.ndarray):
            rows: Any = self._pick(self.values, labels)
        else:
            rows = [self._spread(index, cell, labels) for index, cell in enumerate(self.values)]
        return np.asarray(rows, np.float64).reshape(len(self.values), len(labels))

    def _pick(self, values: NDArray[Any], labels: tuple[str, ...]) -> NDArray[Any]:
        own = self.labels or labels
        if values.shape[1] != len(labels) or {*own} != {*labels}:
            raise InputError(
                f"{self.locate(0)}: the probabilities are of {values.shape[1]} labels"
                f"{f' ({list_labels(self.labels)})' if self.labels else ''}, and the labels are "
                f"{list_labels(labels)}"
            )
        return values[:, [own.index(label) for label in labels]]

    def _spread(self, index: int, cell: object, labels: tuple[str, ...]) -> list[float]:
        votes = find_votes(cell)
        if votes is not None:
            counts = Counter(map(self._spell, votes))
            self._check_known(index, counts, labels)
            return [counts[label] / len(votes) for label in labels]
        if isinstance(cell, Mapping):
            shares = self._pick_named(index, cell, labels)
        else:
            shares = list(cell) if isinstance(cell, Sequence) else []
        if not (shares and all(map(_is_number, shares))):
            raise self._refuse(index)
        if len(shares) != len(labels):
            raise InputError(
                f"{self.locate(index)}: {len(shares)} probabilities are given of the "
                f"{len(labels)} labels {list_labels(labels)}"
            )
        return shares

    def _pick_named(
        self, index: int, cell: Mapping[Label, object], labels: tuple[str, ...]
    ) -> list[Any]:
        named = {self._spell(key): value for key, value in cell.items() if value is not None}
        self._check_known(index, named, labels)
        lacking = next((label for label in labels if label not in named), None)
        if lacking is not None:
            raise InputError(
                f"{self.locate(index)}: there is no probability of {lacking!r}; write 0 where a "
                "label has none"
            )
        return [named[label] for label in labels]

    def _check_known(self, index: int, named: Iterable[str], labels: tuple[str, ...]) -> None:
        strange = next((label for label in named if label not in labels), None)
        if strange is not None:
            raise InputError(
                f"{self.locate(index)}: {strange!r} is not one of the labels, which are "
                f"{list_labels(labels)}; if it should be one, name all of them with `labels=`"
            )

    def _order(self, labels: Iterable[Label]) -> tuple[str, ...]:
        return tuple(map(str, order(set(map(self._spell, labels)))))

    def _spell(self, label: Label) -> str:
        return spell_label(label, self.fold_case)

    def _refuse(self, index: int) -> InputError:
        cell = self.values[index]
        empty = isinstance(cell, Sequence | Mapping) and not cell
        what = "nothing" if cell is None or empty else repr(cell)[:60]
        return InputError(
            f"{self.locate(index)}: expected a distribution, found {what}: write "
            'probabilities by label such as {"no": 0.3, "yes": 0.7}, a list of them in the order '
            'of the labels, or the label of each annotator such as ["no", "yes", "yes"]'
        )


def _is_number(value: object) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < 1 << 53
    return isinstance(value, float)


def _count_up(size: int) -> tuple[str, ...]:
    return tuple(map(str, range(size)))


def find_votes(cell: object) -> list[Label] | None:
    """Returns the votes of annotators in a cell, without missing ones; None if it has none."""
    values = list(cell.values()) if isinstance(cell, Mapping) else cell
    if not isinstance(values, list | tuple):
        return None
    given = [value for value in values if value is not None]
    return given if given and all(isinstance(value, str | bool) for value in given) else None


def _load(text: str, where: str) -> Any:
    try:
        return read_literal(text)
    except (ValueError, RecursionError):
        raise InputError(
            f"{where}: {text[:60]!r} is not JSON such as "
            '{"no": 0.3, "yes": 0.7} or [0.3, 0.7] or ["no", "yes", "yes"]'
        ) from None

"""A column of labels: small integer codes into a tuple of distinct names."""

import re
import reprlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import InputError, MissingValueError
from tallystick.io.tables.values import as_column, as_numpy, build_places

Label = str | int
INVALID = "(invalid)"
"""What the class of outputs that are no label is called."""

Rows = slice | NDArray[np.int64]
"""Some of the examples: those from one to another, or the places of any of them."""

Locate = Callable[[int], str]
"""Tells where the example of an index stands, such as `gold.csv, row 7`."""

_CLOSE = 256
FEW = 1 << 15
"""So many values are encoded in Python."""
_LONG_LABELS, _FEW_LABELS = 1_000, 1_000
"""Labels are no longer on average, in bytes, where they are not few."""
_CODE_TYPES = (np.uint8, np.uint16, np.uint32)
_WHOLE = re.compile(r"[+-]?\d+(\.0+)?")


class Labels(Struct, frozen=True, eq=False):
    """A column of labels: unsigned codes into its distinct names, which `order` has sorted."""

    several: ClassVar[bool] = False
    codes: NDArray[np.unsignedinteger[Any]]
    names: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def recode(self, names: Sequence[Label]) -> "Labels":
        """The same column with its codes pointing into `names`, which must hold every name."""
        if tuple(names) == self.names and self.codes.dtype == _code_type(len(names)):
            return self
        table = np.array(place_names(self.names, names), _code_type(len(names)))
        codes = table[self.codes] if len(table) else self.codes.astype(_code_type(len(names)))
        return Labels(codes, tuple(names))

    def count_each(self) -> NDArray[np.int64]:
        """How many examples have each label."""
        return np.bincount(self.codes, minlength=len(self.names)).astype(np.int64)

    def rename(self, new_name: Callable[[Label], Label]) -> "Labels":
        """The same column with every name replaced; names that become equal are merged."""
        renamed = tuple(map(new_name, self.names))
        if renamed == self.names:
            return self
        names = order(set(renamed))
        if names == renamed:
            return Labels(self.codes, names)
        table = np.array(place_names(renamed, names), _code_type(len(names)))
        return Labels(table[self.codes], names)

    def first(self, name: Label) -> int:
        """The index of the first example with that label; it must occur."""
        return int(np.argmax(self.codes == self.names.index(name)))

    def take(self, rows: Rows) -> "Labels":
        """The labels of some of the examples."""
        return Labels(self.codes[rows], self.names)


def place_names(names: Iterable[object], among: Iterable[object]) -> list[int]:
    """The place of each name among others, which hold all of them."""
    places = {name: place for place, name in enumerate(among)}
    return [places[name] for name in names]


def row_of(source: str) -> Locate:
    """Locates examples that came from memory: `gold, row 1` is the first."""
    return lambda index: f"{source}, row {index + 1}"


def list_labels(names: Sequence[Label]) -> str:
    """The first ten labels, of long ones both ends, and how many more there are."""
    shown = ", ".join(reprlib.repr(name) for name in names[:10])
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"


def order(names: Iterable[Label]) -> tuple[Label, ...]:
    """Sorts labels: whole numbers by value, even those written as text, other text by letter."""
    unsorted = list(names)
    if all(isinstance(name, int) or _WHOLE.fullmatch(name) for name in unsorted):
        return tuple(sorted(unsorted, key=lambda name: (float(name), str(name))))
    return tuple(sorted(unsorted, key=str))


def union(*names: Sequence[Label]) -> tuple[Label, ...]:
    """Returns all names: in their given order where every list is the same, else in label order."""
    distinct = {tuple(one) for one in names if one}
    if len(distinct) > 1:
        return order({name for one in distinct for name in one})
    return distinct.pop() if distinct else ()


def unify(*columns: Labels, names: Sequence[Label] = ()) -> tuple[Labels, ...]:
    """Gives several columns one tuple of names: those asked for, then all others that occur."""
    others = {name for column in columns for name in column.names} - set(names)
    shared = (*names, *order(others))
    return tuple(column.recode(shared) for column in columns)


def append(columns: Sequence[Labels]) -> Labels:
    """One column after another of the same names."""
    return Labels(np.concatenate([own.codes for own in columns]), columns[0].names)


def as_text(labels: Labels, *, fold_case: bool = False) -> Labels:
    """Labels as files hold them, each as `spell` writes it."""
    names = tuple(spell_all(labels.names, fold_case=fold_case))
    if names == labels.names:
        return labels
    spelled = dict(zip(labels.names, names, strict=True))
    return labels.rename(lambda name: spelled[name])


def spell_all(names: Iterable[Label], *, fold_case: bool = False) -> list[str]:
    """Labels as `spell` writes them; quick, where most are text as it stands."""
    if fold_case:
        return [spell(name, fold_case=True) for name in names]
    return [name if type(name) is str and name[-1:] != "0" else spell(name) for name in names]


def spell(name: Label, *, fold_case: bool = False) -> str:
    """A label as in files: whole-number floats such as `1.0` become `1`, and zero has no sign."""
    text = str(name)
    if text[-1:] == "0" and _WHOLE.fullmatch(text):
        text = text.partition(".")[0]
        if text in ("-0", "+0"):
            text = "0"
    return text.casefold() if fold_case else text


_FALSE_TRUE, _ZERO_ONE = ("false", "true"), ("0", "1")


def adopt_truth(labels: Labels, known: Sequence[Label]) -> Labels:
    """Labels spelled as the known ones, where both sides are 0 and 1, or False and True."""
    digits = _are_of(known, _ZERO_ONE)
    if not (digits or _are_of(known, _FALSE_TRUE)):
        return labels
    if not _are_of(labels.names, _FALSE_TRUE) and (digits or not _are_of(labels.names, _ZERO_ONE)):
        return labels
    first, folded = str(known[0]), {str(name).casefold(): name for name in known}
    if len(folded) < len({*known}):  # the spellings are labels of their own
        return labels
    spell = str.title if first.istitle() else str.upper if first.isupper() else str.lower
    names = [folded.get(name, spell(name)) for name in (_ZERO_ONE if digits else _FALSE_TRUE)]
    meant: dict[str, Label] = dict(zip(_FALSE_TRUE + _ZERO_ONE, names * 2, strict=True))
    return labels.rename(lambda name: meant[str(name).casefold()])


def _are_of(names: Sequence[Label], pair: tuple[str, str]) -> bool:
    return bool(names) and all(isinstance(name, str) and name.casefold() in pair for name in names)


def combine(columns: Sequence[Labels]) -> Labels:
    """One column out of several: the labels of an example joined by a slash, as in `en/news`."""
    return reduce(_join, columns)


def _join(one: Labels, other: Labels) -> Labels:
    pairs = one.codes.astype(np.int64) * len(other.names) + other.codes
    seen, codes = np.unique(pairs, return_inverse=True)
    names = [
        f"{one.names[left]}/{other.names[right]}"
        for left, right in zip(*np.divmod(seen, len(other.names)), strict=True)
    ]
    (name, count), *_ = [*Counter(names).most_common(1), ("", 0)]
    if count > 1:
        raise InputError(f"{count} different groups would be called {name!r}; rename one")
    return Labels(codes.astype(_code_type(len(names))), tuple(names)).recode(order(names))


def encode(values: object, locate: Locate) -> Labels:
    """Reads a column of labels: text, whole numbers, or booleans (read as 0 and 1)."""
    if are_coded(values):
        return _encode_arrow(values, locate)
    column = as_column(values)
    if isinstance(column, np.ndarray):
        if column.ndim != 1:
            raise InputError(f"labels have one dimension, not the shape {column.shape}")
        if column.dtype.kind in "biuf":
            return _encode_numbers(column, locate)
        if column.dtype.kind == "U":
            return _encode_arrow(column, locate)
    if isinstance(column, list | tuple | np.ndarray):
        _check_types(column, locate)
    return _encode_arrow(column, locate)


def _code_type(count: int) -> type[np.unsignedinteger[Any]]:
    return next(kind for kind in _CODE_TYPES if count <= np.iinfo(kind).max + 1)


def _encode_numbers(values: NDArray[Any], locate: Locate) -> Labels:
    if values.dtype.kind == "f":
        broken = np.flatnonzero(~np.isfinite(values) | (values != np.floor(values)))
        if len(broken):
            stood = values[broken[0]]
            where = locate(int(broken[0]))
            raise InputError(f"{where}: {stood} is not a label; labels are text or whole numbers")
    elif len(values) and int(values.max()) - int(low := values.min()) < _CLOSE:
        return _encode_close(values, int(low))
    names, codes = np.unique(values, return_inverse=True)
    kind = _code_type(len(names))
    return Labels(codes.astype(kind), tuple(int(name) for name in names))


def _encode_close(values: NDArray[Any], low: int) -> Labels:
    """Encodes whole numbers from `low` to below `low + _CLOSE` by a table, without sorting them."""
    offsets = values.astype(np.uint8)
    # Bytes wrap round, and so does what is taken off: the difference fits and comes out right.
    offsets -= np.uint8(low % _CLOSE)
    seen = np.zeros(_CLOSE, bool)
    seen[offsets] = True
    found = np.flatnonzero(seen)
    names = tuple(low + int(offset) for offset in found)
    if found[-1] == len(found) - 1:
        return Labels(offsets, names)
    table = np.zeros(_CLOSE, np.uint8)
    table[found] = np.arange(len(found))
    return Labels(table[offsets], names)


def _check_types(values: Sequence[Any] | NDArray[Any], locate: Locate) -> None:
    kinds = {str if issubclass(kind, str) else kind for kind in {type(value) for value in values}}
    numbers = {bool, int} | {kind for kind in kinds if issubclass(kind, np.integer | np.bool_)}
    if kinds <= {str} or kinds <= numbers:
        return
    for index, value in enumerate(values):
        if value is None or (isinstance(value, float) and np.isnan(value)):
            raise MissingValueError(f"{locate(index)}: the value is missing")
        if not isinstance(value, str | int | float | np.integer | np.floating | np.bool_):
            raise InputError(
                f"{locate(index)}: {value!r} is not a label; labels are text or numbers"
            )
        if isinstance(value, str) != isinstance(values[0], str):
            raise InputError(
                f"{locate(index)}: mixed types: {value!r} is {type(value).__name__}, "
                f"but the first label {values[0]!r} is {type(values[0]).__name__}"
            )


def _encode_arrow(values: object, locate: Locate) -> Labels:
    """Encodes chunk by chunk, so that no full-width copy of a long column is ever made."""
    array: Any = values
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        try:
            array = pa.array(values)
        except (pa.ArrowException, OverflowError, UnicodeError) as error:
            message = f"{locate(0)} and below: the values are not labels: {error}"
            raise InputError(message) from None
    if array.null_count:
        index = next(index for index, value in enumerate(array) if not value.is_valid)
        raise MissingValueError(f"{locate(index)}: the value is missing")
    if not is_text(array.type) and not are_coded(array):
        tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
        if len(array) and not any(test(array.type) for test in tests):
            raise InputError(f"{locate(0)}: {array.type} values are not labels")
        return _encode_numbers(as_numpy(array), locate)
    return _merge_text(array, locate)


def _merge_text(array: Any, locate: Locate, rows: int = 1 << 20) -> Labels:
    places: dict[str, int] = {}
    parts: list[NDArray[Any]] = []
    for start in range(0, len(array), rows):
        names, indices = find_texts(array.slice(start, rows), few=len(array) <= FEW)
        size = len("".join(names).encode())
        if size > _LONG_LABELS * max(len(names), _FEW_LABELS):
            raise InputError(
                f"{locate(0)} and below: labels of {size // len(names):,} bytes on average look "
                "like texts, not labels"
            )
        # Texts of many labels are kept once, however many columns and blocks hold them.
        table = [places.setdefault(name, len(places)) for name in map(sys.intern, names)]
        parts.append(np.array(table, _code_type(len(places)))[indices])
    codes = np.concatenate(parts, dtype=_code_type(len(places))) if parts else np.zeros(0, np.uint8)
    seen = Labels(codes, tuple(places))
    if "" in places:
        raise MissingValueError(f"{locate(seen.first(''))}: the value is empty")
    return seen.recode(order(places))


def find_texts(
    rows: "pa.Array | pa.ChunkedArray", *, few: bool = False
) -> tuple[list[str], NDArray[np.int32]]:
    """The distinct texts of rows, of which none is null, and the place of each."""
    if few and not are_coded(rows):
        # Loading what encodes columns takes longer than to encode a short one.
        places: dict[str, int] = {}
        codes = [places.setdefault(name, len(places)) for name in rows.to_pylist()]
        return list(places), np.array(codes, np.int32)
    chunks = _share_dictionary(rows)
    names = chunks[0].dictionary
    indices = np.concatenate([as_numpy(chunk.indices) for chunk in chunks])
    found = np.flatnonzero(np.bincount(indices, minlength=len(names)))
    if len(found) == len(names):
        return names.to_pylist(), indices
    table = np.zeros(len(names), np.int32)
    table[found] = np.arange(len(found))
    return names.take(build_places(found)).to_pylist(), table[indices]


def _share_dictionary(rows: pa.ChunkedArray) -> Sequence[pa.DictionaryArray]:
    if not are_coded(rows):
        rows = rows.dictionary_encode()
    chunks: Sequence[pa.DictionaryArray] = _chunks(rows)
    if len(chunks) == 1:
        return chunks
    # Codes of eight bits may be too narrow for the labels of all chunks.
    wide = pa.dictionary(pa.int32(), rows.type.value_type)
    shared: Sequence[pa.DictionaryArray] = (
        pa.chunked_array(chunks, rows.type).cast(wide).unify_dictionaries().chunks
    )
    return shared


def _chunks(array: object) -> Sequence[Any]:
    return array.chunks if hasattr(array, "chunks") else [array]


def is_text(kind: object) -> bool:
    """Whether an Arrow type is text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def are_coded(values: object) -> bool:
    """Whether values are an Arrow column of codes into dictionaries of texts."""
    return (
        isinstance(values, pa.Array | pa.ChunkedArray)
        and pa.types.is_dictionary(values.type)
        and is_text(values.type.value_type)
        and not any(chunk.dictionary.null_count for chunk in _chunks(values))
    )

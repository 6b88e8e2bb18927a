"""Columns of every Arrow type, alone and nested in each other."""

import datetime
import decimal
from collections.abc import Iterator

import pyarrow as pa

ROWS = 4
_DAY = datetime.datetime(2026, 3, 31, 12)


class _Tagged(pa.ExtensionType):  # type: ignore[misc]
    """An extension type that nobody has registered."""

    def __init__(self, storage: pa.DataType) -> None:
        """Stores its values as another type."""
        pa.ExtensionType.__init__(self, storage, "tests.tagged")

    def __arrow_ext_serialize__(self) -> bytes:
        """Has no parameters."""
        return b""


def list_columns() -> dict[str, pa.Array]:
    flat = [*_list_flat()]
    columns = [*flat, *(own for one in flat for own in _wrap(one))]
    columns += [own for one in _CORE for own in _wrap_twice(one)]
    return {f"{at} {one.type}"[:60]: one for at, one in enumerate(columns)}


def _list_flat() -> Iterator[pa.Array]:
    for numbers in (pa.int8(), pa.int16(), pa.int32(), pa.int64()):
        yield pa.array([0, 1, -1, None], numbers)
    for numbers in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        yield pa.array([0, 1, 2**8 - 1, 1], numbers)
    yield pa.array([0, 1, 2**64 - 1, 1], pa.uint64())
    yield pa.array([0, 10**18, -(10**18), 1])
    for numbers in (pa.float16(), pa.float32(), pa.float64()):
        yield pa.array([0, 0.5, float("nan"), float("-inf")], numbers)
    yield pa.array([1e308, -1e308, 5e-324, 0.0])
    yield pa.array([True, False, None, True])
    yield pa.nulls(ROWS)
    for texts in (pa.string(), pa.large_string(), pa.string_view()):
        yield pa.array(["A", "", None, "\u202e\0"], texts)
    for texts in (pa.binary(), pa.large_binary(), pa.binary_view()):
        yield pa.array([b"A", b"", b"\xff", None], texts)
    yield pa.array([b"AA", b"\xff\xfe", b"\0\0", None], pa.binary(2))
    yield pa.array([b"", b"", b"", b""], pa.binary(0))
    for kind in (pa.decimal32, pa.decimal64, pa.decimal128, pa.decimal256):
        yield pa.array([decimal.Decimal("0.5"), decimal.Decimal(1), None, decimal.Decimal(0)]).cast(
            kind(5, 2)
        )
    yield pa.array([0, 1, None, 2**31 - 1], pa.date32())
    yield pa.array([0, 86_400_000, None, 86_400_000 * 10**8], pa.date64())
    for unit in ("s", "ms"):
        yield pa.array([0, 1, None, 2], pa.time32(unit))
    for unit in ("us", "ns"):
        yield pa.array([0, 1, None, 2], pa.time64(unit))
    for unit in ("s", "ms", "us", "ns"):
        yield pa.array([0, 1, None, 2**62], pa.timestamp(unit))
        yield pa.array([0, 1, None, 2**62], pa.duration(unit))
    yield pa.array([_DAY] * ROWS, pa.timestamp("us", "Europe/Berlin"))
    yield pa.array([(1, 2, 3)] * ROWS, pa.month_day_nano_interval())
    yield _Tagged(pa.string()).wrap_array(pa.array(["A", "B", None, "A"]))
    yield _Tagged(pa.int64()).wrap_array(pa.array([0, 1, None, 1]))


_TEXTS = pa.array(["A", "B", "A", "B"])
_SPANS = pa.array([[{"start": 0, "end": 1, "label": "X"}]] * ROWS)
_TYPED = [
    pa.array([[{"start": start, "end": end, "label": label}]] * ROWS)
    for start, end, label in (
        (0, 10**18, "X"),
        (0.5, 1.5, "X"),
        (0, 1, 5),
        ("0", "1", "X"),
        (_DAY, _DAY, "X"),
        (True, True, "X"),
        (0, 1, b"\xff"),
        (None, None, None),
        ([0], [1], ["X"]),
        ({"a": 1}, {"a": 1}, {"a": 1}),
    )
]
_TUPLES = [pa.array([[[0, 1, 2]]] * ROWS), pa.array([[["0", "1", "X"]]] * ROWS)]
_CORE = (_TEXTS, _SPANS, pa.array([0, 1, 0, 1]), pa.array([b"\xff"] * ROWS), *_TYPED, *_TUPLES)


def _wrap(own: pa.Array) -> Iterator[pa.Array]:
    offsets = pa.array(range(ROWS + 1), pa.int32())
    yield pa.ListArray.from_arrays(offsets, own)
    yield pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), own)
    yield pa.FixedSizeListArray.from_arrays(own, 1)
    yield pa.ListViewArray.from_arrays(offsets[:-1], pa.array([1] * ROWS, pa.int32()), own)
    yield pa.StructArray.from_arrays([own], ["a"])
    yield pa.StructArray.from_arrays([own, own, own], ["start", "end", "label"])
    yield pa.MapArray.from_arrays(offsets, _TEXTS, own)
    yield pa.DictionaryArray.from_arrays(pa.array([3, 2, 1, 0], pa.int8()), own)
    if not pa.types.is_nested(own.type):
        yield pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3, 4], pa.int32()), own)
    kinds = pa.array([0, 1, 0, 1], pa.int8())
    yield pa.UnionArray.from_sparse(kinds, [own, _TEXTS])
    yield pa.UnionArray.from_dense(kinds, pa.array([0, 0, 1, 1], pa.int32()), [own, _TEXTS])
    yield pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays([own] * 3, list("xyz")))


def _wrap_twice(own: pa.Array) -> Iterator[pa.Array]:
    yield own
    for one in _wrap(own):
        yield one
        yield pa.ListArray.from_arrays(pa.array(range(ROWS + 1), pa.int32()), one)

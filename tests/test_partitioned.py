"""Rows split by a hash of their ids are joined, and their faults told, as all of them at once."""

import pickle

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tallystick._native._ext import find_texts
from tallystick.errors import InputError
from tallystick.examples.ids import check_ids, find_keys, hash_keys, join_ids, view_keys
from tallystick.io.tables.table import Table
from tallystick.reading.partitioned import (
    Faults,
    Keys,
    carry,
    check_partition,
    join_partition,
    number,
    split_rows,
)

PARTITIONS = 5
HASHES = [0, 6754272901643539897, 1614989116392364029, 16878370348120082227]


def _split(ids: pa.Array, *, whole: bool = False, first: int = 1) -> list[pa.Table]:
    table = Table("rows", pa.table({"id": ids, "value": range(len(ids))}), "row", first)
    return split_rows(table, Keys("id", whole=whole), PARTITIONS, only=["value"])


def _tell_whole(gold: pa.Array, own: pa.Array, *, missing: bool) -> object:
    try:
        check_ids(gold, "gold", str)
        places = join_ids(gold, own, ("gold", "own"), missing=missing)
    except InputError as error:
        return str(error)
    return list(range(len(gold))) if places is None else places.tolist()


def _tell_parts(gold: pa.Array, own: pa.Array, *, missing: bool, whole: bool) -> object:
    parts = [_split(ids, whole=whole) for ids in (gold, own)]
    try:
        sum((check_partition(rows) for rows in parts[0]), Faults()).check_gold("gold")
        joined = [join_partition(one, other) for one, other in zip(*parts, strict=True)]
        sum((own.faults for own in joined), Faults()).check_own(("gold", "own"), missing=missing)
    except InputError as error:
        return str(error)
    places = np.full(len(gold), -1)
    for left, right, own_places in zip(*parts, joined, strict=True):
        rows = own_places.places
        found = np.where(rows < 0, -1, number(right)[rows] - 1 if len(right) else -1)
        places[number(left) - 1] = found
    return places.tolist()


@given(
    gold=st.lists(
        min_size=1,
        elements=st.sampled_from(["", "a", "b", "c", "d", "e", "longer than eight bytes", "ü"]),
    ),
    own=st.lists(
        min_size=1,
        elements=st.sampled_from(["", "a", "b", "c", "d", "e", "longer than eight bytes", "ü"]),
    ),
    missing=st.booleans(),
)
def test_ids_of_text_are_joined_as_all_at_once(gold, own, missing):
    """Places and messages are those of the whole, with repeated, missing and unknown ids."""
    one, other = pa.array(gold, pa.string()), pa.array(own, pa.large_string())
    expected = _tell_whole(one, other, missing=missing)
    assert expected == _tell_parts(one, other, missing=missing, whole=False)


@given(
    gold=st.lists(st.integers(-20, 20), unique=True, min_size=1, max_size=30),
    own=st.lists(st.integers(-20, 20), min_size=1, max_size=30),
    missing=st.booleans(),
)
def test_ids_of_whole_numbers_are_joined_as_all_at_once(gold, own, missing):
    """Numbers are matched without being written as text, with the same places and messages."""
    one, other = pa.array(gold, pa.int16()), pa.array(own, pa.int64())
    expected = _tell_whole(one, other, missing=missing)
    assert expected == _tell_parts(one, other, missing=missing, whole=True)


@given(st.permutations([f"id {number}" for number in range(40)]))
def test_every_row_is_in_one_partition(ids):
    """Whatever the order, an id lies in the same partition, with its number and its columns."""
    parts = _split(pa.array(ids), first=7)
    again = _split(pa.array(sorted(ids)))
    assert [set(part["key"].to_pylist()) for part in parts] == [
        set(part["key"].to_pylist()) for part in again
    ]
    rows = pa.concat_tables(parts)
    assert [ids[place - 7] for place in number(rows)] == rows["key"].to_pylist()
    assert [place - 7 for place in number(rows)] == carry(rows)["value"].to_pylist()


def _mix(code: int) -> int:
    code = ((code ^ (code >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    code = ((code ^ (code >> 27)) * 0x94D049BB133111EB) % 2**64
    return code ^ (code >> 31)


def _hash(text: str) -> int:
    """Hashes a text as the kernel does, one at a time."""
    data = text.encode()
    code = _mix(len(data))
    for start in range(0, len(data), 8):
        code = _mix(code ^ int.from_bytes(data[start : start + 8], "little"))
    return code


@given(st.lists(st.text(max_size=30)), st.integers(0, 3))
def test_texts_are_hashed_as_one_by_one(texts, start):
    """Each text has the hash of its own bytes, wherever it lies in a longer array."""
    array = pa.array(texts, pa.large_string()).slice(min(start, len(texts)))
    assert list(map(_hash, texts[start:])) == hash_keys(array).tolist()


def test_the_hash_of_an_id_never_changes():
    """Processes of any machine that split parts of a table agree on where an id belongs."""
    texts = pa.array(["", "a", "exactly8", "more than sixteen bytes"], pa.large_string())
    assert HASHES == hash_keys(texts).tolist()


@given(st.lists(st.text(max_size=20)), st.lists(st.text(max_size=20)), st.integers(0, 2**64 - 1))
def test_keys_are_found_where_they_stand_first(keys, sought, seed):
    """Whatever the seed, each key is found at its first place, and -1 tells that it is nowhere."""
    known, asked = (pa.array([*one, "both"], pa.large_string()) for one in (keys, sought))
    expected = [[*keys, "both"].index(key) if key in [*keys, "both"] else -1 for key in sought]
    found = find_texts(*view_keys(known), *view_keys(asked), seed)
    assert expected == found[:-1].tolist()


def test_keys_are_found_among_many():
    """So many keys that they are matched in parts, which numbers and texts are alike."""
    numbers = np.random.default_rng(1).permutation(100_000)
    sought = pa.array(np.arange(-5, 100_005))
    places = find_keys(pa.array(numbers), sought)
    assert [-1] * 5 == places[:5].tolist() == places[-5:].tolist()
    assert np.arange(100_000).tolist() == numbers[places[5:-5]].tolist()
    texts = [pa.array(numbers).cast(pa.large_string()), sought.cast(pa.large_string())]
    assert places.tolist() == find_keys(*texts).tolist()


def test_steps_pickle_without_the_rows_of_other_partitions():
    """What goes to another process holds the rows of one partition, not the table it lies in."""
    parts = _split(pa.array([str(number) for number in range(100_000)]))
    sizes = [len(pickle.dumps(part)) for part in parts]
    assert max(sizes) < sum(sizes) / 3
    assert parts[0].equals(pickle.loads(pickle.dumps(parts[0])))
    faults = check_partition(parts[0])
    assert faults == pickle.loads(pickle.dumps(faults))

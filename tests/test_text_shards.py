"""What resampling needs of texts is kept within bounds, and is the same however it was sharded."""

from typing import Any

import numpy as np
import pytest

from systems import Near, pair_texts
from tallystick.metrics import BLEU, ROUGE
from tallystick.model.codes import Labels
from tallystick.model.tallies.second_moments import Products, Rows

MOST = 8192
WORDS = np.array(["the", "a", "dog", "cat", "runs", "sleeps", "fast", "here", "and", "not"])
COUNTERS = [BLEU().counter, ROUGE("L").counter]
"""Columns of whole numbers, and real-valued ones."""


def invent(size):
    random = np.random.default_rng(size)
    kinds = []
    for _ in range(200):
        words = random.choice(WORDS, 6)
        kinds.append((" ".join(words), " ".join(words[:4]), " ".join(random.permutation(words))))
    return [kinds[at] for at in random.integers(len(kinds), size=size)]


def read(rows, first, clusters):
    references, *hypotheses = (list(column) for column in zip(*rows, strict=True))
    places = np.arange(first, first + len(rows))
    beside: dict[str, Any] = {"groups": Labels((places % 3).astype(np.uint8), ("x", "y", "z"))}
    if clusters:
        codes, owners = np.unique(places // clusters, return_inverse=True)
        names = tuple(f"d{code:05}" for code in codes.tolist())
        beside["clusters"] = Labels(owners.astype(np.uint32), names)
    return pair_texts(references, *hypotheses, **beside)


def tell(tally):
    stored = tally.store()
    arrays = dict(stored.arrays)
    if isinstance(tally.scatter, Rows):
        rows = tally.scatter.sort(tally.counter)
        arrays |= {"rows.values": rows.values, "rows.groups": rows.groups.codes}
        arrays |= {} if rows.keys is None else {"rows.keys": rows.keys}
    return stored.names, {
        name: Near(own) if own.dtype == np.float64 else (own.dtype.kind, own.tobytes())
        for name, own in arrays.items()
    }


@pytest.mark.deep
@pytest.mark.parametrize("counter", COUNTERS, ids=repr)
@pytest.mark.parametrize(("sizes", "kind"), [
    ((MOST,), Rows),
    ((MOST - 5000, 5000), Rows),
    ((MOST - 4999, 5000), Products),
    ((5000, 5000), Products),
    ((MOST + 1, 10), Products),
    ((10, 8000, 400, 3), Products),
])  # fmt: skip
def test_parts_add_up_to_the_whole(counter, sizes, kind):
    rows = invent(sum(sizes))
    parts = [
        counter.count(read(rows[start : start + size], start, 0))
        for start, size in zip(np.cumsum([0, *sizes]).tolist(), sizes, strict=False)
    ]
    whole, summed = counter.count(read(rows, 0, 0)), parts[0].add_up(parts[::-1])

    assert (kind, kind) == (type(whole.scatter), type(summed.scatter))
    assert tell(whole) == tell(summed)


@pytest.mark.parametrize("counter", COUNTERS, ids=repr)
def test_clusters_of_parts_add_up_to_the_whole(counter):
    rows = invent(10_000)
    parts = [counter.count(read(rows[at : at + 5003], at, 7)) for at in (0, 5003)]
    whole, summed = counter.count(read(rows, 0, 7)), parts[0].add_up(parts)
    assert tell(whole) == tell(summed)
    assert len(whole.scatter.values) <= 3 * (10_000 // 7 + 1)


def test_memory_does_not_grow_beyond_8192_rows():
    sizes = []
    for size in (MOST + 1, 3 * MOST):
        arrays = COUNTERS[0].count(read(invent(size), 0, 0)).store().arrays
        sizes.append(sum(array.nbytes for array in arrays.values()))
    assert sizes[0] == sizes[1]

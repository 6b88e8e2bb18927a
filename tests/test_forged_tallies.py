"""Saved tallies whose digest is right and whose arrays are wrong are refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tallystick
from tallystick.errors import InputError
from tallystick.io.arrays import pack_arrays, unpack_arrays
from tallystick.scoring.packing import pack_counted
from tallystick.scoring.saved import unpack_counted

SAVED = Path(__file__).parent / "saved"

CHANGES: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "empty": lambda array: array[:0],
    "narrow": lambda array: array[..., :0],
    "negative": lambda array: -1 - array.astype(np.int64),
    "fractions": lambda array: array + 0.5,
    "NaN": lambda array: array * np.nan,
}

COUNTS = ("negative", "fractions")
SENSELESS = {
    "labels": {
        "0.outputs": ("empty",),
        "0.counts": COUNTS,
        "0.n": COUNTS,
        "0.clusters.counts": COUNTS,
    },
    "weights": {"0.weights": ("empty", "narrow", "NaN")},
    "probabilities": {"0.scores": ("NaN",), "0.n": COUNTS},
    "bins": {
        "0.counts": COUNTS,
        "0.n": COUNTS,
        "0.sums": COUNTS,
        "0.losses": ("fractions",),
    },
    "texts": {
        "0.sums": COUNTS,
        "0.n": COUNTS,
        "0.references": COUNTS,
        "0.rows.values": ("narrow", *COUNTS),
        "0.rows.keys": ("empty", *COUNTS),
        "1.sums": ("NaN",),
        "1.rows.values": ("narrow", "NaN"),
    },
    "documents": {"1.sums": ("fractions", "NaN")},
    "many-texts": {
        "0.products.n": COUNTS,
        "0.products.sums": ("narrow", *COUNTS),
        "0.products.products": ("narrow", "NaN"),
        "1.products.sums": ("narrow", "NaN"),
    },
}
"""Changes of arrays that leave shapes which fit, by file."""

REFUSED = [
    ("labels", "0.outputs", "narrow"),
    ("labels", "0.gold", "negative"),
    ("labels", "0.counts", "empty"),
    ("probabilities", "0.offsets", "negative"),
    ("bins", "0.cells", "fractions"),
    ("texts", "0.sums", "narrow"),
    ("texts", "0.rows.groups", "empty"),
]
"""What is refused."""


def forge(target: Path, name: str, array: str, change: str) -> Path:
    """Writes a saved file with one array changed, and the digest that fits."""
    header, arrays = unpack_arrays((SAVED / f"{name}.tally").read_bytes(), name)
    changed = np.ascontiguousarray(CHANGES[change](arrays[array]))
    target.write_bytes(pack_arrays(header, {**arrays, array: changed}))
    return target


@pytest.mark.parametrize(("name", "array", "change"), REFUSED)
def test_a_forged_array_is_refused(tmp_path, name, array, change):
    """With the name of the file."""
    path = forge(tmp_path / "forged.tally", name, array, change)

    with pytest.raises(InputError, match=r"forged\.tally"):
        tallystick.load(path)


@pytest.mark.parametrize(
    ("name", "array", "change"),
    [
        (name, array, change)
        for name, arrays in SENSELESS.items()
        for array, changes in arrays.items()
        for change in changes
    ],
)
def test_an_array_that_means_nothing_is_refused(tmp_path, name, array, change):
    """Such as counts below 0, fractions of examples, and outputs of no system."""
    path = forge(tmp_path / "forged.tally", name, array, change)

    with pytest.raises(InputError, match=r"forged\.tally"):
        tallystick.load(path)


KINDS = (np.uint8, np.uint16, np.uint32, np.int64, np.float32, np.float64)
ODD = (0, 1, -1, 255, 1 << 31, 1 << 62, -(1 << 63), 0.5, np.nan, np.inf, -np.inf, 1e300, -0.0)


def replace_some(array: NDArray[Any], stream: np.random.Generator) -> NDArray[Any]:
    """Puts an odd number at one place, or moves, doubles or swaps some of the numbers."""
    flat = array.copy().reshape(-1)
    if not flat.size:
        return array
    at = stream.integers(flat.size, size=1 + stream.integers(flat.size))
    own = flat[at]
    if stream.random() < 0.4:
        flat[at[0]] = np.asarray(ODD[stream.integers(len(ODD))]).astype(array.dtype)
    else:
        flat[at] = (own + 1, own * 2, stream.permutation(own))[stream.integers(3)]
    return flat.reshape(array.shape)


FORGERIES: tuple[Callable[[NDArray[Any], np.random.Generator], NDArray[Any]], ...] = (
    replace_some,
    replace_some,
    replace_some,
    lambda array, stream: array[:0] if stream.random() < 0.5 else array[..., :0],
    lambda array, stream: array.astype(KINDS[stream.integers(len(KINDS))]),
    lambda array, stream: np.roll(array, 1, stream.integers(array.ndim)),
    lambda array, stream: array[::-1],
    lambda array, stream: np.concatenate([array, array[-1:]]),
    lambda array, stream: array[None] if stream.random() < 0.5 else array.reshape(-1),
    lambda array, stream: array.swapaxes(0, -1),
    lambda array, stream: np.array(array.sum(), array.dtype),
)
"""What is done to an array: its numbers, type, order, length and shape are changed."""


def draw_forgery(seed: int) -> tuple[str, bytes, dict[str, NDArray[Any]]]:
    """A saved file with one array changed: its name, header and arrays."""
    stream = np.random.default_rng(seed)
    paths = sorted(SAVED.glob("*.tally"))
    path = paths[stream.integers(len(paths))]
    header, arrays = unpack_arrays(path.read_bytes(), path.stem)
    array = list(arrays)[stream.integers(len(arrays))]
    with np.errstate(all="ignore"):
        changed = FORGERIES[stream.integers(len(FORGERIES))](arrays[array], stream)
    return path.stem, header, arrays | {array: np.asarray(changed, order="C")}


def find_nonsense(seed: int) -> str | None:
    """What a drawn file does that none should: None where it is refused, or scored as any other."""
    name, header, arrays = draw_forgery(seed)
    try:
        counted = unpack_counted(pack_arrays(header, arrays), "forged.tally")
    except InputError as error:
        clear = str(error).startswith("forged.tally: a tally of ")
        return None if clear else f"{seed} {name}: {error}"
    _, again = unpack_arrays(pack_counted(counted), name)
    told = {key: (own.dtype, own.shape, own.tobytes()) for key, own in again.items()}
    if told != {key: (own.dtype, own.shape, own.tobytes()) for key, own in arrays.items()}:
        return f"{seed} {name}: is saved with other arrays"
    values = [score.value for score in tallystick.score(counted).scores]
    return f"{seed} {name}: {values}" if np.isinf(values).any() else None


def test_forged_files_are_refused_or_sound():
    """No traceback, no warning, no infinite score, and nothing that would be saved otherwise."""
    assert [] == list(filter(None, map(find_nonsense, range(100))))


@pytest.mark.deep
def test_very_many_forged_files_are_refused_or_sound():
    """The same of 10,000 files."""
    assert [] == list(filter(None, map(find_nonsense, range(100, 10_100))))

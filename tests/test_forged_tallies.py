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
    "labels-format-2": {
        "0.outputs": ("empty",),
        "0.counts": COUNTS,
        "0.n": COUNTS,
        "0.clusters.counts": COUNTS,
    },
    "weights-format-2": {"0.weights": ("empty", "narrow", "NaN")},
    "probabilities-format-2": {"0.scores": ("NaN",), "0.n": COUNTS},
    "bins-format-2": {
        "0.counts": COUNTS,
        "0.n": COUNTS,
        "0.sums": COUNTS,
        "0.losses": ("fractions",),
    },
    "texts-format-2": {
        "0.sums": COUNTS,
        "0.n": COUNTS,
        "0.references": COUNTS,
        "0.rows.values": ("narrow", *COUNTS),
        "0.rows.keys": ("empty", *COUNTS),
        "1.sums": ("NaN",),
        "1.rows.values": ("narrow", "NaN"),
    },
    "documents-format-2": {"1.rows.rests": ("empty", "narrow", "NaN")},
    "many-texts-format-2": {
        "0.products.n": COUNTS,
        "0.products.sums": ("narrow", *COUNTS),
        "0.products.products": ("narrow", "NaN"),
        "1.products.sums": ("narrow", "NaN"),
    },
}
"""Changes of arrays that leave shapes which fit, by file."""

REFUSED = [
    ("labels-format-2", "0.outputs", "narrow"),
    ("labels-format-2", "0.gold", "negative"),
    ("labels-format-2", "0.counts", "empty"),
    ("probabilities-format-2", "0.offsets", "negative"),
    ("bins-format-2", "0.cells", "fractions"),
    ("texts-format-2", "0.sums", "narrow"),
    ("texts-format-2", "0.rows.groups", "empty"),
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
        tallystick.load_tallies(path)


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
        tallystick.load_tallies(path)

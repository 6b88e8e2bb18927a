"""What a tally is made of, as names and arrays, which can be written and read again."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.model.codes import Label, Labels

Shape = tuple[int | None, ...]
"""The shape that an array should have; None where any size will do."""

LARGEST = 1e50
"""The largest number that is scored: products of sums of weighted squares are finite then."""

MOST = 1 << 48
"""Above this no number of examples, or of their parts, is one that somebody counted."""


class Stored(Struct, frozen=True, eq=False):
    """What a tally is made of; reading its parts raises a ValueError where they mean nothing.

    Attributes:
        kind: `cells`, `curve`, `joint`, `rated`, `scores` or `sums`.
        systems: The names of its systems.
        names: What its codes point to: groups, labels, clusters and the like.
        arrays: Its numbers, called as in the tally itself; whatever belongs to a part of it has
            that part's name before a dot, such as `clusters.counts`.
    """

    kind: str
    systems: tuple[str, ...]
    names: Mapping[str, tuple[Label, ...]]
    arrays: Mapping[str, NDArray[Any]]

    def list_names(self, axis: str) -> tuple[Label, ...]:
        """The names of an axis, all different."""
        if axis not in self.names:
            raise ValueError(f"its {axis} have no names")
        names = self.names[axis]
        if len(set(names)) < len(names):
            raise ValueError(f"its {axis} are named twice")
        return names

    def read(self, name: str, shape: Shape | None = None) -> NDArray[Any]:
        """An array, of a shape where one is wanted."""
        if name not in self.arrays:
            raise ValueError(f"it has no array {name}")
        array = self.arrays[name]
        if shape is None:
            return array
        pairs = zip(array.shape, shape, strict=False)
        if array.ndim != len(shape) or any(size not in (None, own) for own, size in pairs):
            wanted = " x ".join("any" if size is None else str(size) for size in shape)
            found = " x ".join(map(str, array.shape))
            raise ValueError(f"its array {name} has the shape {found}, not {wanted}")
        return array

    def read_whole(
        self, name: str, shape: Shape, *, least: int = 0, most: int = MOST
    ) -> NDArray[np.int64]:
        """Whole numbers within limits."""
        array = self.read(name, shape)
        if array.dtype != np.int64:
            raise ValueError(f"its array {name} is not of whole numbers")
        if array.size and not least <= array.min() <= array.max() <= most:
            raise ValueError(f"its array {name} has numbers that are not from {least} to {most}")
        return array

    def read_reals(self, name: str, shape: Shape, *, least: float = -np.inf) -> NDArray[np.float64]:
        """Finite real numbers of double precision from some number on."""
        array = self.read(name, shape)
        if array.dtype != np.float64:
            raise ValueError(f"its array {name} is not of numbers of double precision")
        if not np.isfinite(array).all() or (array < least).any():
            limit = "" if least == -np.inf else f" and at least {least:g}"
            raise ValueError(f"its array {name} has numbers that are not finite{limit}")
        return array

    def read_scores(self, shape: Shape) -> NDArray[Any]:
        """Scores, of single or double precision."""
        scores = self.read("scores", shape)
        if scores.dtype.kind != "f" or not np.isfinite(scores).all():
            raise ValueError("its scores are not finite numbers")
        return scores

    def read_labels(self, name: str, axis: str, size: int) -> Labels:
        """Codes that point to the names of an axis."""
        codes, names = self.read(name, (size,)), self.list_names(axis)
        if codes.dtype.kind not in "iu":
            raise ValueError(f"its array {name} is not of codes")
        if size and not 0 <= codes.min() <= codes.max() < len(names):
            raise ValueError(f"its array {name} points beyond its {axis}")
        return Labels(codes, names)

    def find_difference(self, other: "Stored") -> str | None:
        """The name of a part that another one has otherwise; None where both are the same."""
        if (self.systems, dict(self.names)) != (other.systems, dict(other.names)):
            return "names"
        for name in {**self.arrays, **other.arrays}:
            own, its = self.arrays.get(name), other.arrays.get(name)
            if own is None or its is None or own.dtype != its.dtype or own.shape != its.shape:
                return name
            if own.tobytes() != its.tobytes():
                return name
        return None


def drop_missing(arrays: Mapping[str, NDArray[Any] | None]) -> dict[str, NDArray[Any]]:
    """The arrays that there are."""
    return {name: array for name, array in arrays.items() if array is not None}

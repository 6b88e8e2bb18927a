"""What a tally is made of, as names and arrays, which can be written and read again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.examples.kinds import LABELS, NUMBERS
from tallystick.examples.label_columns import LabelColumn, Output
from tallystick.examples.labels import Label, Labels
from tallystick.examples.systems import Systems
from tallystick.tallies.bins import Bins
from tallystick.tallies.cells import Cells
from tallystick.tallies.clusters import Clusters
from tallystick.tallies.curve import CurveTally, sort_rows
from tallystick.tallies.joint import JointRows, find_invalid
from tallystick.tallies.pivots import Movable
from tallystick.tallies.score_rows import ScoreRows
from tallystick.tallies.second_moments import Products, Rows, Scatter
from tallystick.tallies.sums import Sums

_OF_BINS = ("cells", "counts", "sums", "owners", "losses", "n")

Arrays = Mapping[str, NDArray[Any]]
Names = Mapping[str, tuple[Label, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """What a tally is made of.

    Attributes:
        kind: `bins`, `cells`, `curve`, `joint`, `scores` or `sums`.
        systems: The names of its systems.
        names: What its codes point to: groups, labels, clusters and the like.
        arrays: Its numbers, called as in the tally itself; whatever belongs to a part of it has
            that part's name before a dot, such as `clusters.counts`.
    """

    kind: str
    systems: tuple[str, ...]
    names: Names
    arrays: Arrays


def store(tally: Any) -> Stored:
    """Returns what a tally is made of."""
    match tally:
        case Cells():
            return _store_cells(tally)
        case Bins():
            return _store_bins(tally)
        case CurveTally():
            return _store_curve(tally) if tally.rows is None else _store_scores(tally.rows)
        case ScoreRows():
            return _store_scores(tally)
        case JointRows():
            return _store_joint(tally)
        case Sums():
            return _store_sums(tally)
    raise TypeError(f"{type(tally).__name__} is no tally that can be stored")


def restore(counter: Any, stored: Stored) -> Any:
    """Returns the tally of a counter that is made of this.

    Raises:
        InputError: It cannot be: something is missing or does not fit.
    """
    builders = {
        "bins": _restore_bins,
        "cells": _restore_cells,
        "curve": _restore_curve,
        "joint": _restore_joint,
        "scores": _restore_scores,
        "sums": _restore_sums,
    }
    try:
        return builders[stored.kind](counter, stored)
    except (LookupError, TypeError, ValueError) as error:
        raise InputError(f"a tally of {counter!r} is not sound: {error}") from error


def _store_cells(tally: Cells) -> Stored:
    names = {"groups": tally.groups, "labels": tally.labels, "listed": tally.listed}
    arrays = {
        "owners": tally.owners,
        "gold": tally.gold,
        "outputs": tally.outputs,
        "counts": tally.counts,
        "n": tally.n,
        "weights": tally.weights,
    }
    if tally.clusters is not None:
        names["clusters"] = tally.clusters.names
        arrays |= {
            "clusters.owners": tally.clusters.owners,
            "clusters.cells": tally.clusters.cells,
            "clusters.counts": tally.clusters.counts,
            "clusters.weights": tally.clusters.weights,
        }
    return Stored("cells", tally.systems, names, _drop_missing(arrays))


def _restore_cells(counter: Any, stored: Stored) -> Cells:
    names, arrays = stored.names, stored.arrays
    size, groups = len(arrays["counts"]), names["groups"]
    _check_codes(arrays["owners"], size, len(groups))
    for column in (arrays["gold"], *arrays["outputs"]):
        if counter.kind == NUMBERS:
            _check_numbers(column, size)
        elif column.ndim == 1:
            _check_codes(column, size, len(names["labels"]) + 1)
        elif column.shape != (size, len(names["labels"]) // 8 + 1):
            raise ValueError("its sets are not over its labels")
    clusters = None
    if "clusters" in names:
        own = [arrays.get(f"clusters.{name}") for name in ("owners", "cells", "counts", "weights")]
        clusters = Clusters(names["clusters"], *own)  # type: ignore[arg-type]
        _check_codes(clusters.owners, len(clusters.counts), len(clusters.names))
        _check_codes(clusters.cells, len(clusters.counts), size)
    _check_size(arrays["n"], len(groups))
    return Cells(
        counter,
        stored.systems,
        groups,
        names["labels"],
        names["listed"],
        arrays["owners"],
        arrays["gold"],
        arrays["outputs"],
        arrays["counts"],
        arrays["n"],
        arrays.get("weights"),
        clusters,
    )


def _store_bins(tally: Bins) -> Stored:
    names = {"groups": tally.groups, "labels": tally.labels, "columns": tally.columns}
    if tally.clusters is not None:
        names["clusters"] = tally.clusters
    arrays = {name: getattr(tally, name) for name in _OF_BINS}
    return Stored("bins", tally.systems, names, arrays)


def _restore_bins(counter: Any, stored: Stored) -> Bins:
    names, arrays = stored.names, stored.arrays
    cells, owners = arrays["cells"], arrays["owners"]
    clusters = names.get("clusters")
    wide = (stored.systems, names["groups"], clusters or ("",), names["columns"], names["labels"])
    sizes = [*map(len, wide), 2 * counter.bins + 1]
    for rows, own in ((cells, sizes), (owners, [*sizes[:3], sizes[4]])):
        if rows.shape[1:] != (len(own),):
            raise ValueError("its cells are not those of its bins")
        for column, most in zip(rows.T, own, strict=True):
            _check_codes(column, len(rows), most)
    _check_size(arrays["counts"], len(cells))
    _check_size(arrays["sums"], len(cells))
    if arrays["losses"].shape != (len(owners), 2, 3, 2):
        raise ValueError("its losses are not those of its examples")
    _check_size(arrays["n"], len(names["groups"]))
    own = [arrays[name] for name in _OF_BINS]
    return Bins(
        counter, stored.systems, *wide[1:2], names["labels"], names["columns"], clusters, *own
    )


def _store_curve(tally: CurveTally) -> Stored:
    names = {"groups": tally.groups, "labels": tally.labels, "columns": tally.columns}
    arrays = {
        "scores": tally.scores,
        "weights": tally.weights,
        "offsets": tally.offsets,
        "runs": tally.runs,
        "n": tally.n,
    }
    return Stored("curve", tally.systems, names, _drop_missing(arrays))


def _restore_curve(counter: Any, stored: Stored) -> CurveTally:
    names, arrays = stored.names, stored.arrays
    axes = (names["groups"], names["columns"], names["labels"])
    runs, offsets = arrays["runs"], arrays["offsets"]
    _check_size(offsets, len(runs) + 1)
    for place, axis in enumerate(axes):
        _check_codes(runs[:, place], len(runs), len(axis))
    if offsets[0] != 0 or offsets[-1] != len(arrays["scores"]) or (np.diff(offsets) < 0).any():
        raise ValueError("its runs are not those of its scores")
    _check_size(arrays["n"], len(names["groups"]))
    return CurveTally(
        counter,
        stored.systems,
        names["groups"],
        names["labels"],
        names["columns"],
        arrays["scores"],
        arrays.get("weights"),
        offsets,
        runs,
        arrays["n"],
    )


def _store_scores(tally: ScoreRows) -> Stored:
    names = {"groups": tally.owners.names, "labels": tally.gold.names}
    arrays = {
        "gold": tally.gold.codes,
        "owners": tally.owners.codes,
        "weights": tally.weights,
        "scores": np.stack(tally.scores),
    }
    if tally.clusters is not None:
        names["clusters"] = tally.clusters.names
        arrays["clusters"] = tally.clusters.codes
    return Stored("scores", tally.systems, names, _drop_missing(arrays))


def _restore_scores(counter: Any, stored: Stored) -> ScoreRows | CurveTally:
    names, arrays = stored.names, stored.arrays
    size = len(arrays["gold"])
    scores = tuple(arrays["scores"])
    for own in scores:
        _check_size(own, size)
    rows = ScoreRows(
        counter,
        stored.systems,
        _label(arrays["gold"], names["labels"], size),
        _label(arrays["owners"], names["groups"], size),
        scores,
        sort_rows,
        arrays.get("weights"),
        _label(arrays["clusters"], names["clusters"], size) if "clusters" in names else None,
    )
    return rows if len(stored.systems) > 1 else sort_rows(rows)


def _store_joint(tally: JointRows) -> Stored:
    examples, column = tally.examples, LABELS.of(tally.examples)
    gold = column.gold
    assert isinstance(gold, Labels)
    names = {"labels": gold.names}
    arrays = {
        "gold": gold.codes,
        "outputs": np.stack([own.labels.codes for own in column.outputs]),  # type: ignore[union-attr]
        "scores": np.stack([np.asarray(own.probabilities) for own in column.outputs]),
        "invalid": np.stack([find_invalid(own) for own in column.outputs]).astype(np.uint8),
    }
    for name, own in (("groups", examples.groups), ("clusters", examples.clusters)):
        if own is not None:
            names[name], arrays[name] = own.names, own.codes
    return Stored("joint", tally.systems, names, arrays)


def _restore_joint(counter: Any, stored: Stored) -> JointRows:
    names, arrays = stored.names, stored.arrays
    size, labels = len(arrays["gold"]), names["labels"]
    columns = (arrays[name] for name in ("outputs", "scores", "invalid"))
    outputs = []
    for codes, scores, invalid in zip(*columns, strict=True):
        _check_size(scores, size)
        _check_size(invalid, size)
        outputs.append(Output(_label(codes, labels, size), scores, invalid.astype(bool)))
    if len(outputs) != len(stored.systems):
        raise ValueError("its outputs are not those of its systems")
    groups, clusters = (
        _label(arrays[name], names[name], size) if name in names else None
        for name in ("groups", "clusters")
    )
    gold = _label(arrays["gold"], labels, size)
    column = LabelColumn(gold, tuple(outputs))
    examples = Systems(stored.systems, {"labels": column}, groups=groups, clusters=clusters)
    return JointRows(counter, examples)


def _store_sums(tally: Sums) -> Stored:
    names: dict[str, tuple[Label, ...]] = {"groups": tally.groups}
    if tally.labels:
        names["labels"] = tally.labels
    arrays: dict[str, NDArray[Any] | None] = {
        "sums": tally.sums,
        "n": tally.n,
        "references": np.array(sorted(tally.references), np.int64),
    }
    match tally.scatter:
        case Products(groups, n, sums, products):
            names["products"] = groups
            arrays |= {"products.n": n, "products.sums": sums, "products.products": products}
        case Rows() as unsorted:
            rows = unsorted.sort()
            names["rows"] = rows.groups.names
            arrays |= {
                "rows.values": rows.values,
                "rows.groups": rows.groups.codes,
                "rows.keys": rows.keys,
                "rows.rests": rows.rests,
            }
            if rows.clusters is not None:
                names["clusters"] = rows.clusters.names
                arrays["rows.clusters"] = rows.clusters.codes
    return Stored("sums", tally.systems, names, _drop_missing(arrays))


def _restore_sums(counter: Any, stored: Stored) -> Sums:
    names, arrays = stored.names, stored.arrays
    labels = names.get("labels", ())
    columns = len(counter.columns) * (len(labels) or 1)
    shape = (len(stored.systems), len(names["groups"]), columns)
    if arrays["sums"].shape != shape:
        raise ValueError("its sums are not those of its columns")
    _check_size(arrays["n"], len(names["groups"]))
    scatter = _restore_scatter(names, arrays)
    references = frozenset(arrays["references"].tolist())
    own = (names["groups"], arrays["sums"], arrays["n"], scatter, references, labels)
    tally = Sums(counter, stored.systems, *own)
    # Of numbers, whose sums are about pivots, the rows alone tell all.
    return tally.settle(scatter) if scatter is not None and isinstance(counter, Movable) else tally


def _restore_scatter(names: Names, arrays: Arrays) -> Scatter | None:
    if "products" in names:
        n, *own = (arrays[f"products.{name}"] for name in ("n", "sums", "products"))
        # Format 1 has one term, and no axis for it.
        terms = [array if array.ndim % 2 == 0 else array[None] for array in own]
        for array in (n, *(array[0] for array in terms)):
            _check_size(array, len(names["products"]))
        return Products(names["products"], n, *terms)
    if "rows" not in names:
        return None
    values = arrays["rows.values"]
    size = len(values)
    return Rows(
        values,
        _label(arrays["rows.groups"], names["rows"], size),
        arrays.get("rows.keys"),
        _label(arrays["rows.clusters"], names["clusters"], size) if "clusters" in names else None,
        arrays.get("rows.rests"),
    )


def _drop_missing(arrays: Mapping[str, NDArray[Any] | None]) -> dict[str, NDArray[Any]]:
    return {name: array for name, array in arrays.items() if array is not None}


def _label(codes: NDArray[Any], names: tuple[Label, ...], size: int) -> Labels:
    _check_codes(codes, size, len(names))
    return Labels(codes, names)


def _check_codes(codes: NDArray[Any], size: int, most: int) -> None:
    """Raises a ValueError where codes are not of so many examples, or point to no name."""
    _check_size(codes, size)
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        raise ValueError("its codes are no column of whole numbers")
    if size and not (codes.min() >= 0 and codes.max() < most):
        raise ValueError("its codes point beyond its names")


def _check_numbers(numbers: NDArray[Any], size: int) -> None:
    """Raises a ValueError where numbers are not of so many examples, or not finite."""
    _check_size(numbers, size)
    if numbers.ndim != 1 or numbers.dtype != np.float64 or not np.isfinite(numbers).all():
        raise ValueError("its numbers are no column of finite numbers")


def _check_size(array: NDArray[Any], size: int) -> None:
    if len(array) != size:
        raise ValueError("its arrays have different lengths")

"""The counters of labels and of label sets: how often each was predicted as each."""

from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels import LABEL_SETS, LABELS
from tallystick.kinds.labels.label_columns import LabelRows
from tallystick.model.codes import Label, Labels, order, unify
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells, count_patterns
from tallystick.model.tallies.groups import (
    count_groups,
    count_rows,
    group_codes,
    sum_by,
    weigh_rows,
)
from tallystick.model.tallies.per_label import CodeSets, encode_labels

_MOST_CELLS = 1 << 20
"""Up to this many possible cells are counted in a full table, without looking them up."""


class Confusion(Struct, frozen=True):
    """Counts patterns of a gold label and the label that each system predicted."""

    kind = LABELS

    def count(self, systems: Systems) -> Cells:
        column = LABELS.of(systems)
        gold, columns = column.gold, [own.labels for own in column.outputs]
        labels = [own for own in columns if isinstance(own, Labels)]
        if not isinstance(gold, Labels) or len(labels) < len(columns):
            raise UsageError("label sets are counted by LabelSets, not by Confusion")
        gold, *labels = unify(gold, *labels, names=gold.names)
        codes, outputs = encode_labels(gold, labels, [own.invalid for own in column.outputs])
        if systems.clusters is None and len(outputs) == 1:
            groups = 1 if systems.groups is None else len(systems.groups.names)
            cells = groups * (len(gold.names) + 1) ** 2
            if cells <= min(_MOST_CELLS, 4 * len(codes) + 256):
                return _tabulate(self, systems, gold.names, codes, outputs[0])
        return count_patterns(self, systems, gold.names, gold.names, codes, outputs)


def _tabulate(
    counter: "Confusion",
    systems: Systems,
    labels: tuple[Label, ...],
    gold: NDArray[Any],
    predicted: NDArray[Any],
) -> Cells:
    names, owners = group_codes(systems)
    wide = len(labels) + 1
    cells = (owners.astype(np.int64) * wide + gold) * wide + predicted
    counts = np.bincount(cells, systems.counts, len(names) * wide**2).astype(np.int64)
    filled = np.flatnonzero(counts)
    places, codes = np.divmod(filled, wide)
    place, codes_gold = np.divmod(places, wide)
    weights, masses = weigh_rows(systems), None
    if weights is not None:
        masses = sum_by(weights, cells, len(counts))[:, filled]
        counts = sum_by(count_rows(systems), cells, len(counts))
    return Cells(
        counter,
        systems.names,
        names,
        labels,
        labels,
        place,
        codes_gold.astype(gold.dtype),
        codes.astype(gold.dtype)[None],
        counts[filled],
        count_groups(systems),
        masses,
    )


class LabelSets(Struct, frozen=True):
    """Counts patterns of a gold label set and the set that each system predicted."""

    kind = LABEL_SETS

    def count(self, systems: Systems) -> Cells:
        column = LABEL_SETS.of(systems)
        gold, columns = column.gold, [own.labels for own in column.outputs]
        sets = [own for own in columns if isinstance(own, LabelRows)]
        if not isinstance(gold, LabelRows) or len(sets) < len(columns):
            raise UsageError("single labels are counted by Confusion, not by LabelSets")
        names = (*gold.names, *order({name for own in sets for name in own.names} - {*gold.names}))
        rows = [gold.recode(names).sets]
        for own, output in zip(sets, column.outputs, strict=True):
            rows.append(_mark_invalid(own.recode(names).sets, output.invalid, len(names)))
        distinct, codes = CodeSets.concatenate(rows).encode()
        golden, *outputs = codes.reshape(len(rows), len(gold))
        sides = (golden, np.stack(outputs))
        cells = count_patterns(self, systems, names, gold.names, *sides)
        return replace(cells, sets=distinct).drop_strangers()


def _mark_invalid(sets: CodeSets, invalid: NDArray[np.bool_] | None, code: int) -> CodeSets:
    if invalid is None:
        return sets
    marked = CodeSets(np.arange(2), np.array([code]))
    rows = np.where(invalid, len(sets), np.arange(len(sets)))
    return CodeSets.concatenate([sets, marked]).take(rows)

"""Thresholds tuned on a table, and predictions that are written with them."""

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.frozen import dataclass, replace
from tallystick.io.tables.table import Table
from tallystick.kinds.labels import LABELS
from tallystick.model.codes import Label, Labels
from tallystick.model.columns import PROBABILITY, THRESHOLD, Columns, need
from tallystick.model.reading import Reading
from tallystick.model.task import Task
from tallystick.output.results.other_results import Tuning
from tallystick.output.tables.data_formats import write_csv
from tallystick.reading.tables import read_scores, read_systems
from tallystick.scoring.thresholds import Search, cross_fit, tune

_PREDICTED = "y_pred"


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """Thresholds tuned on a table.

    `names` are the negative and the positive label, and `crossed` the cross-fitted threshold of
    each row of the table, None where nobody asked.
    """

    tuning: Tuning
    columns: Columns
    names: tuple[Label, ...]
    crossed: NDArray[np.float64] | None = None

    def write(self, path: str, table: Table, *, apart: bool) -> None:
        """Writes all columns of a table with `y_pred` and `best_threshold` behind them.

        A table `apart` is not the one that the thresholds were tuned on; the rows of that one get
        their cross-fitted thresholds.
        """
        scores, groups = read_scores(table, self.columns)
        thresholds = self._pick(table, groups) if apart or self.crossed is None else self.crossed
        positive = scores >= thresholds.astype(scores.dtype)
        added = {
            _PREDICTED: np.array(self.names, str)[positive.astype(int)].tolist(),
            THRESHOLD: [repr(threshold) for threshold in thresholds.tolist()],
        }
        write_csv(path, _drop_predictions(table).columns, added)

    def _pick(self, table: Table, groups: Labels | None) -> NDArray[np.float64]:
        if groups is None:
            return np.full(len(table), self.tuning.threshold)
        known = {one.group: one.threshold for one in self.tuning.thresholds}
        for name in groups.names:
            if name not in known:
                raise InputError(
                    f"{table.source}, {table.locate(groups.first(name))}: there is no threshold "
                    f"for the group {name!r}, only for {', '.join(map(repr, known))}"
                )
        own = [known[str(name)] for name in groups.names]
        return np.array(own, np.float64).take(groups.codes)


def tune_table(
    table: Table, search: Search, columns: Columns, positive: str | None, folds: int | None
) -> Tuned:
    """Tunes a threshold for each group of a table, and cross-fits it where folds are given."""
    need(table, PROBABILITY, columns.probability, "probability")
    table = _drop_predictions(table)
    task = Task(kind="binary", positive=positive, threshold=0.5)
    examples = read_systems(table, {table.source: None}, Reading(columns, task, (LABELS,)))
    if folds is None:
        return Tuned(tune(examples, search, table.source), columns, examples.labels)
    fitted = cross_fit(examples, search, folds, table.source)
    return Tuned(fitted.tuning, columns, examples.labels, fitted.thresholds)


def _drop_predictions(table: Table) -> Table:
    """The table without the two columns that are written anew."""
    old = [name for name in (_PREDICTED, THRESHOLD) if name in table.names()]
    return replace(table, columns=table.columns.drop_columns(old)) if old else table

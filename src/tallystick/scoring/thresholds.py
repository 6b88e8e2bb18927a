"""Thresholds tuned on examples with probabilities, cross-fitted ones, and files of them."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError, short_traceback
from tallystick.io.tables.table import Table, from_arrow
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.label_columns import Confusion, Output
from tallystick.kinds.labels.label_reader import Predictions
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.probabilities.areas import Curve
from tallystick.kinds.probabilities.best_thresholds import (
    check_tunable,
    find_best,
    find_best_of_grid,
)
from tallystick.model.codes import Label, Labels
from tallystick.model.columns import PROBABILITY, RAW_SCORES, THRESHOLD, Columns, need
from tallystick.model.facts import Task
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.model.tallies.curve import CurveTally
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.other_results import Tuning
from tallystick.output.results.records import Threshold
from tallystick.output.tables.formats import write_csv
from tallystick.reading.arrays import add_columns, read_arrays
from tallystick.reading.input_plan import InputPlan, Source, as_table, is_table, list_names
from tallystick.reading.tables import read_scores, read_systems
from tallystick.scoring.counted import Counted

_SEED = 0
_MOST_FOLDS = 1000
_INTERVAL = (
    "any threshold in (`above`, `up to`] gives the same score; the lowest of those tried is used.",
)


class Search(Struct, frozen=True):
    """How thresholds are searched: on the grid 0.1, 0.11, ... 0.9 if `"seed"`, else among all."""

    metric: Metric
    grid: Literal["seed"] | None = None

    def __post_init__(self) -> None:
        """Checks that the metric depends on a threshold."""
        check_tunable(self.metric)
        if self.grid not in (None, "seed"):
            raise UsageError(f"grid must be None or 'seed', not {self.grid!r}")


class Fitted(Struct, frozen=True, eq=False):
    """Cross-fitted thresholds.

    Attributes:
        tuning: The thresholds tuned on all examples, each with its cross-fitted value.
        thresholds: The threshold of each example, tuned without it.
    """

    tuning: Tuning
    thresholds: NDArray[np.float64]


@short_traceback
def tune_threshold(
    gold: object,
    probabilities: object = None,
    metric: Metric | str = "f1",
    *,
    by: object = None,
    grid: Literal["seed"] | None = None,
    task: Task | None = None,
) -> Tuning:
    """Finds the probability from which on predicting the positive label makes a metric best.

    The candidates are all distinct probabilities; a threshold that predicts nothing positive is
    none of them. Of several that are equally good the lowest is taken, and the result tells up to
    where others do as well.

    Args:
        gold: A column of labels of a binary task, or a table with the usual names of columns.
        probabilities: The positive label's, one per example, or scores of another scale; of a
            table the name of their column, or None for the usual one.
        metric: Any metric of labels, such as `"f1"`, `FBeta(2)`, `MCC()` or `SScore()`.
        by: A column of group values, or its name in a table; each group gets a threshold of its
            own.
        grid: `"seed"` tries 0.1, 0.11, ... 0.9 only, and takes the first that is best.
        task: The positive label, where it is not 1, true or yes.

    Raises:
        InputError: A score is no finite number, or the gold contains one label only.
        UsageError: The metric does not depend on a threshold, or is undefined at each.
    """
    return tune(_read(gold, probabilities, by, task), _search(metric, grid), "gold")


def cross_fit_threshold(
    gold: object,
    probabilities: object = None,
    metric: Metric | str = "f1",
    *,
    folds: int = 5,
    by: object = None,
    task: Task | None = None,
) -> Fitted:
    """Tunes a threshold as `tune_threshold` does, and shows what it is worth on other examples.

    Each example is predicted with a threshold that was tuned without its fold. The folds are made
    within each group and gold label: its examples are shuffled with a fixed seed and dealt out in
    turn, so that all folds are alike and every call makes the same ones.

    Raises:
        InputError: As `tune_threshold`; or a group has a single example of a label.
        UsageError: As `tune_threshold`; or there are fewer than two folds.
    """
    return cross_fit(_read(gold, probabilities, by, task), _search(metric), folds, "gold")


def tune(examples: Systems, search: Search, source: str) -> Tuning:
    """The best threshold of each group on the examples themselves; `source` is for messages."""
    tally = Curve().count_one(examples)
    return _tune(tally, search, source, grouped=examples.groups is not None)


def tune_counted(counted: Counted, search: Search) -> Tuning:
    """The best threshold of each group of the only system of saved tallies."""
    found = [one for one in counted.tallies.values() if hasattr(one, "columns")]
    if len(counted.systems) > 1 or not found or len(found[0].columns) != 1:
        raise UsageError(
            "a threshold is tuned on the probabilities of one system in a binary task; count that "
            "with a metric of probabilities, such as -m roc_auc"
        )
    grouped = counted.heading is not None
    return _tune(found[0], search, "these tallies", grouped=grouped)


def _tune(tally: CurveTally, search: Search, source: str, *, grouped: bool) -> Tuning:
    names = tuple(map(str, tally.groups)) if grouped else (None,)
    _check_labels(tally, names, source)
    thresholds = tuple(_tune_group(tally, place, name, search) for place, name in enumerate(names))
    name = search.metric.name
    return Tuning(
        thresholds,
        (
            f"{name} is measured on the examples that the threshold was tuned on, and will be "
            "lower on others; cross-fitting shows by how much.",
            *_INTERVAL,
        ),
    )


def check_folds(folds: int) -> None:
    """Raises a UsageError where there is no fold besides one."""
    if folds < 2:
        raise UsageError(f"cross-fitting needs 2 folds or more, not {folds}")


def cross_fit(examples: Systems, search: Search, folds: int, source: str) -> Fitted:
    """What `cross_fit_threshold` returns; `source` is for messages."""
    check_folds(folds)
    if folds > (most := min(len(examples), _MOST_FOLDS)):
        raise UsageError(
            f"cross-fitting takes {_MOST_FOLDS:,} folds at most, and no more than there are "
            f"examples: at most {most:,} here, not {folds:,}"
        )
    tuning = tune(examples, search, source)
    places = _deal(examples, folds, source)
    thresholds = np.zeros(len(examples))
    for fold in range(folds):
        rest, own = (np.flatnonzero(side) for side in (places != fold, places == fold))
        known = replace(
            examples.beside("labels", LABELS.of(examples).take(rest)),
            groups=None if examples.groups is None else examples.groups.take(rest),
        )
        tuned = tune(known, search, source).thresholds
        table = np.array([one.threshold for one in tuned])
        thresholds[own] = table[0 if examples.groups is None else examples.groups.codes[own]]
    values = _score_cuts(examples, thresholds, search.metric)
    crossed = (
        replace(one, cross_fitted=float(value))
        for one, value in zip(tuning.thresholds, values, strict=True)
    )
    note = (
        f"cross-fitted is the {search.metric.name} of predictions with thresholds that were "
        f"tuned on the other of {folds} folds, assigned at random within each group and gold "
        "label."
    )
    return Fitted(Tuning(tuple(crossed), (note, *_INTERVAL)), thresholds)


def _read(gold: object, probabilities: object, by: object, task: Task | None) -> Systems:
    asked = replace(task or Task(), kind="binary", threshold=None)
    if is_table(table := as_table(gold)) and isinstance(probabilities, str | None):
        columns = Columns(probability=probabilities, by=list_names(by, "by"))
        return _read_table(from_arrow(table, "gold"), columns, asked)
    reading, named = Reading(task=asked), {"probabilities": probabilities}
    plan = InputPlan(Source(gold, named), reading, by=by)
    outputs = Predictions(probabilities=plan.pair(probabilities, "probabilities"))
    systems = read_arrays(gold, {"probabilities": outputs}, reading)
    return add_columns(systems, by=plan.pair(by, "by"))


def _search(metric: Metric | str, grid: Literal["seed"] | None = None) -> Search:
    return Search(parse(metric) if isinstance(metric, str) else metric, grid)


def _tune_group(tally: CurveTally, place: int, name: str | None, search: Search) -> Threshold:
    if search.grid is None:
        cut = find_best(tally, place, search.metric)
    else:
        if ((tally.scores < 0) | (tally.scores > 1)).any():
            raise UsageError("grid='seed' is for probabilities; leave it out for other scores")
        cut = find_best_of_grid(tally, place, search.metric)
    return Threshold(
        name,
        cut.threshold,
        repr(search.metric),
        search.metric.name,
        cut.value,
        cut.above,
        cut.up_to,
        int(tally.n[place]),
        int(tally.masses(place, 0)[1]),
    )


def _check_labels(tally: CurveTally, names: tuple[str | None, ...], source: str) -> None:
    for place, name in enumerate(names):
        masses = tally.masses(place, 0)
        if not masses.all():
            where = source if name is None else f"{source}, group {name!r}"
            raise InputError(
                f"{where}: all of the gold is {str(tally.labels[int(np.argmax(masses))])!r}, but a "
                "threshold is tuned on examples of both labels"
            )


def _deal(examples: Systems, folds: int, source: str) -> NDArray[np.int64]:
    random = np.random.default_rng(_SEED)
    places = np.zeros(len(examples), np.int64)
    for name, rows in _list_strata(examples):
        if len(rows) < 2:
            raise InputError(
                f"{source}{name}: there is a single example of a label, but cross-fitting needs "
                "two or more of each"
            )
        places[random.permutation(rows)] = np.arange(len(rows)) % folds
    return places


def _list_strata(examples: Systems) -> Iterator[tuple[str, NDArray[np.intp]]]:
    gold: Any = LABELS.of(examples).gold
    groups = examples.groups
    for place, group in enumerate(("",) if groups is None else groups.names):
        here = True if groups is None else groups.codes == place
        for code in range(len(gold.names)):
            name = "" if groups is None else f", group {str(group)!r}"
            yield name, np.flatnonzero((gold.codes == code) & here)


def _score_cuts(examples: Systems, thresholds: NDArray[Any], metric: Metric) -> Any:
    column = LABELS.of(examples)
    scores = np.asarray(column.outputs[0].probabilities)
    positive = scores >= thresholds.astype(scores.dtype)
    predicted = Output(Labels(positive.astype(np.uint8), column.label_names))
    cut = examples.beside("labels", replace(column, outputs=(predicted,)))
    return metric.score(Confusion().count(cut))


_PREDICTED = "y_pred"


class Tuned(Struct, frozen=True, eq=False):
    """Thresholds tuned on a table; `crossed` are cross-fitted ones of each row, or None."""

    tuning: Tuning
    columns: Columns
    names: tuple[Label, ...]
    any_scale: bool
    crossed: NDArray[np.float64] | None = None

    def write(self, path: str, table: Table, *, apart: bool) -> None:
        """Writes a table with `y_pred` and `best_threshold`; `apart` if it was not tuned on."""
        scores, groups = read_scores(table, self.columns, any_scale=self.any_scale)
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
    examples = _read_table(table, columns, Task(kind="binary", positive=positive))
    facts = columns, examples.labels, LABELS.of(examples).outputs[0].misfit is not None
    if folds is None:
        return Tuned(tune(examples, search, table.source), *facts)
    fitted = cross_fit(examples, search, folds, table.source)
    return Tuned(fitted.tuning, *facts, fitted.thresholds)


def _read_table(table: Table, columns: Columns, task: Task) -> Systems:
    need(table, (*PROBABILITY, *RAW_SCORES), columns.probability, "probability")
    reading = Reading(columns, replace(task, threshold=0.5), (LABELS,))
    return read_systems(_drop_predictions(table), {table.source: None}, reading)


def _drop_predictions(table: Table) -> Table:
    """The table without the two columns that are written again."""
    old = [name for name in (_PREDICTED, THRESHOLD) if name in table.names()]
    return replace(table, columns=table.columns.drop_columns(old)) if old else table

"""Compares systems on the same examples: how they differ, and how sure that is."""

from collections.abc import Sequence
from functools import partial

from tallystick.comparison.comparable import keep_comparable
from tallystick.comparison.flips import find_flips
from tallystick.comparison.notes import list_notes
from tallystick.comparison.settings import Testing
from tallystick.comparison.significance import compare_pairs, list_differences
from tallystick.examples.columns import Columns
from tallystick.examples.memory import Given
from tallystick.examples.task import Kind, Task
from tallystick.results.comparison import Comparison
from tallystick.scoring import notes as data_notes
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import Metrics
from tallystick.scoring.given import count_given

__all__ = ["compare", "compare_counted"]


def compare(
    gold: object,
    outputs: object = None,
    metrics: Metrics = None,
    *,
    by: object = None,
    clusters: object = None,
    weights: object = None,
    systems: Sequence[str] = (),
    system_column: str | None = None,
    columns: Columns | None = None,
    task: Task | Kind | None = None,
    testing: Testing | None = None,
) -> Comparison:
    """Compares every two of several systems on the same examples.

    Args:
        gold: As in `score`.
        outputs: The outputs of each system by name, as in `score`.
        metrics: What to compare by, such as `"f1"`, `"bleu"` or `F1("macro")`.
        by: As in `score`.
        clusters: What examples belong to, such as documents or authors; clusters are resampled and
            exchanged as a whole. As in `score`.
        weights: As in `score`.
        systems: As in `score`.
        system_column: As in `score`.
        columns: As in `score`.
        task: As in `score`.
        testing: The test, the number of resamples, the random seed and the confidence level, a
            `Testing`; None takes the usual ones.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric, a test or an option does not exist or does not fit.
    """
    given = Given(gold, outputs, by, clusters, weights, systems, system_column)
    counted = count_given(given, metrics, columns=columns, task=task)
    return compare_counted(counted, Testing.settle(testing))


def compare_counted(counted: Counted, testing: Testing) -> Comparison:
    """Compares systems that were counted."""
    counted = keep_comparable(counted)
    outcomes = compare_pairs(counted, testing)
    notes = (*data_notes.list_notes(counted), *list_notes(outcomes, counted, testing))
    differences = list_differences(counted, outcomes, testing)
    return Comparison(tuple(differences), tuple(notes), partial(find_flips, counted))

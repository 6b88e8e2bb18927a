"""The compiled kernels: buffers in, counts out."""



from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Score = TypeVar("Score", np.float32, np.float64)
Bytes: TypeAlias = NDArray[np.uint8]
Codes: TypeAlias = NDArray[np.uint8 | np.uint16 | np.uint32]
Counts: TypeAlias = NDArray[np.int64 | np.float64]
Integers: TypeAlias = NDArray[np.int64]
Weights: TypeAlias = NDArray[np.int64 | np.float64]

def count_confusion(gold: Codes, predicted: Codes, groups: Codes | None, weights: Weights | None, n_labels: int, n_groups: int) -> Counts:
    """
    Count how often each gold label was predicted as each label, by group.

    Codes are of one dtype and one length; without groups every example is in group 0. Cell
    [g, i, j] of the result sums the weights of the examples of group g with gold label i and
    predicted label j: int64 where weights is None (each 1) or int64, else float64.

    Raises ValueError where a code is out of range or lengths differ, TypeError for a wrong dtype.
    """

def sort_runs(scores: NDArray[Score], cells: Codes, n_cells: int) -> tuple[NDArray[Score], Integers]:
    """
    Partition scores by cell and sort each part; -0.0 comes out as 0.0.

    Returns the scores and n_cells + 1 offsets: cell c is scores[offsets[c]:offsets[c + 1]].

    Raises ValueError where a score is not finite or a cell is out of range.
    """

def merge_runs(scores: NDArray[Score], weights: Weights | None, offsets: Integers, columns: Integers, n_columns: int) -> tuple[NDArray[Score], Counts]:
    """
    Merge sorted runs into their distinct scores, ascending, and the weight of each.

    Run r is scores[offsets[r]:offsets[r + 1]] and adds to column columns[r] of the weights, which
    are of shape (distinct scores, n_columns): int64 where weights is None (each 1) or int64, else
    float64. That each run ascends is not checked.

    Raises ValueError where offsets do not cover the scores or a column is out of range.
    """

def rank_area(scores: NDArray[Score], weights: Weights | None, offsets: Integers, sides: Integers) -> float:
    """
    Sum the weights of all pairs in which a positive outscores a negative; ties count half.

    This is the Mann-Whitney U. Run r is scores[offsets[r]:offsets[r + 1]]; sides[r] is 1 where it
    holds positives, 0 where negatives, -1 where it is left out. That each run ascends is not
    checked.

    Raises ValueError where offsets do not cover the scores or a side is none of these.
    """

def group_rows(rows: Bytes) -> tuple[Integers, Integers]:
    """
    Number the distinct rows of a uint8 array (n, width) in order of first appearance.

    Returns the index of each distinct row's first appearance, and for every row the number of the
    distinct row that it equals.
    """

"""Makes one value of the values that the epochs of a sample have, as Inspect's reducers do."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Sequence

Values = Sequence[float]

_OF_K = re.compile(r"(at_least|pass_at|pass_k)_(\d{1,6})")
_PLAIN: dict[str, Callable[[Values], float]] = {
    "mean": lambda values: math.fsum(values) / len(values),
    "median": statistics.median,
    "mode": lambda values: Counter(values).most_common(1)[0][0],
    "max": max,
}


def is_known(reducer: str) -> bool:
    """Returns whether a reducer of this name is known."""
    return reducer in _PLAIN or _OF_K.fullmatch(reducer) is not None


def reduce_epochs(reducer: str, values: Values) -> float | None:
    """Returns the value of a sample; None where too few of its epochs were scored."""
    if not values:
        return None
    match = _OF_K.fullmatch(reducer)
    if match is None:
        return float(_PLAIN[reducer](values))
    kind, k = match[1], int(match[2])
    right, total = sum(value >= 1 for value in values), len(values)
    if kind == "at_least":
        return float(right >= k)
    if total < k:
        return None
    if kind == "pass_at":
        return 1 - math.comb(total - right, k) / math.comb(total, k)
    return math.comb(right, k) / math.comb(total, k)

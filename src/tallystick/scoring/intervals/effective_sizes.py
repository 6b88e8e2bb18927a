"""How many examples of equal weight those of unequal weights are worth."""

from collections.abc import Sequence

from tallystick.frozen import replace
from tallystick.results import Score
from tallystick.scoring.counted import Counted


def add_effective_sizes(counted: Counted, scores: Sequence[Score]) -> list[Score]:
    """The scores with the effective size of each row in which it is less than half of n.

    Weights for another mix of labels are left out, since their intervals keep the labels' numbers,
    and so are clusters, whose own degrees of freedom tell as much.
    """
    if not counted.weighted or counted.prevalence or counted.clustered:
        return list(scores)
    sizes = _count_effectively(counted)
    return [
        replace(score, effective_n=sizes[row]) if _is_far_below(sizes.get(row), score.n) else score
        for score in scores
        for row in [None if score.group == "micro" else score.group]
    ]


def _is_far_below(size: int | None, n: int) -> bool:
    return size is not None and 2 * size < n


def _count_effectively(counted: Counted) -> dict[str | None, int]:
    """The effective size of the examples of each group, and of all (None), where it is known.

    Source: Kish 1965, Survey Sampling.
    """
    whole = (one for one in counted.tallies.values() if int(one.n.sum()) == counted.n[None])
    known = ((one.groups, one.weight_sums()) for one in whole)
    groups, sums = next((own for own in known if own[1] is not None), ((), None))
    if sums is None:
        return {}
    names: list[str | None] = [None, *map(str, groups)]
    rows = zip(names, [sums.sum(1), *sums.T], strict=True)
    return {row: round(total**2 / squares) for row, (total, squares) in rows if squares > 0}

"""How scores rise with the weight of each kind of example."""

from collections.abc import Sequence

import numpy as np

from tallystick.comparison.rows import score_rows
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.tally import Tally


def find_slopes(metrics: Sequence[Metric], tally: Tally, groups: Sequence[str]) -> Values:
    """How the scores of one system rise with the weight of each kind: (metrics, rows, kinds)."""
    if any(metric.between for metric in metrics):
        return np.concatenate([_find_slopes_between(one, tally, groups) for one in metrics])
    tally = tally.relative()
    base = score_rows(metrics, tally, groups)
    formulas = [metric.slopes(tally) for metric in metrics]
    known = [own for own in formulas if own is not None]
    if tally.patterns is not None and len(known) == len(metrics):
        slopes = _spread_slopes(metrics, tally.patterns, known, base[:, 0], groups)
    else:
        slopes = _leave_out_kinds(metrics, tally, groups, base)
    return np.where(np.isnan(base).swapaxes(1, 2), np.nan, np.nan_to_num(slopes))


def _find_slopes_between(metric: Metric, tally: Tally, groups: Sequence[str]) -> Values:
    """The slopes of what holds groups against each other follow from those of the groups."""
    if not metric.between:
        return find_slopes([metric], tally, groups)
    from tallystick.kinds.between import Between, weigh_groups

    assert isinstance(metric, Between)
    values = score_rows(metric.parts, tally, groups)[:, 0, : len(groups)]
    own = find_slopes(metric.parts, tally, groups)
    slopes = np.full((1, *own.shape[1:]), np.nan)
    rises = weigh_groups(metric, values)
    slopes[0, -2] = np.einsum("pg,pgk->k", rises, np.nan_to_num(own[:, : len(groups)]))
    return slopes


def _leave_out_kinds(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], base: Values
) -> Values:
    """What scores lose where a kind has a half of an example less, by that half."""
    parts = [np.zeros((len(metrics), 0, base.shape[2]))]
    for _, light, missing in tally.leave_one_out():
        lost = base - score_rows(metrics, light, groups)
        parts.append(lost / np.where(missing > 0, missing, np.inf)[:, None])
    return np.concatenate(parts, axis=1).swapaxes(1, 2)


def _spread_slopes(
    metrics: Sequence[Metric],
    tally: Cells,
    own: Sequence[Values],
    base: Values,
    groups: Sequence[str],
) -> Values:
    """The slopes of each row of scores, from those that formulas give of the cells' own groups."""
    whole = tally.merge_groups()
    rows = [[metric.slopes(whole)] for metric in metrics]
    if groups:
        names = list(map(str, tally.groups))
        places = [names.index(name) if name in names else -1 for name in groups]
        here = np.stack([tally.owners == place for place in places])
        for each, slopes, values in zip(rows, own, base, strict=True):
            by_group = np.where(here, slopes, 0)
            defined = max(int((~np.isnan(values[: len(groups)])).sum()), 1)
            each[:0] = [*by_group, by_group.sum(0) / defined]
    return np.array(rows, np.float64)

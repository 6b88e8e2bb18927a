"""The scores of systems on the same resamples of the examples, or of the clusters."""

from collections.abc import Sequence

import numpy as np

from tallystick.comparison.contributions import Contributions, covary
from tallystick.comparison.rows import score_rows
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Tally

_JITTER = 1e-12
"""What is added to variances, as a share of these, so that systems that are alike do no harm."""


def score_resamples(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], resamples: int, seed: int
) -> dict[str, Values]:
    """The scores of each system on the same bootstrap resamples, as `compare` subtracts them."""
    tally = tally.relative()
    parts: dict[str, list[Values]] = {name: [] for name in tally.systems}
    for resampled in tally.resample(resamples, seed):
        for name, own in parts.items():
            own.append(score_rows(metrics, resampled.of(name), groups))
    return {name: np.concatenate(own, axis=1) for name, own in parts.items()}


def draw_scores(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], resamples: int, seed: int
) -> Values:
    """Normal scores of all systems, which vary together as their contributions do.

    Where examples are too many to list these, their sums are normal. Of shape (metrics, systems,
    resamples, rows).

    Source: Hampel 1974, JASA 69 (the infinitesimal jackknife).
    """
    if not (tally.keeps_examples or tally.patterns or tally.example_rows()):
        scored = score_resamples(metrics, tally, groups, resamples, seed)
        return np.stack(list(scored.values()), axis=1)
    values = np.stack(
        [score_rows(metrics, tally.of(name), groups)[:, 0] for name in tally.systems], axis=1
    )
    found = [
        Contributions.of(metric, tally, groups, own)
        for metric, own in zip(metrics, values, strict=True)
    ]
    first: dict[bytes, int] = {}
    moves = (row for one in found for row in np.concatenate([p.values for p in one.listed], -1))
    same = [first.setdefault(row.tobytes(), at) for at, row in enumerate(moves)]
    stream = np.random.default_rng([seed, len(tally.systems)])
    drawn = []
    for covariance in np.nan_to_num(covary(found)):
        scale = np.sqrt(np.diag(covariance))
        scale = np.where(scale > 0, scale, 1)
        alike = covariance / np.outer(scale, scale) + _JITTER * np.eye(len(scale))
        own = np.linalg.cholesky(alike) @ stream.standard_normal((len(scale), resamples))
        own = (own * scale[:, None])[same]  # systems that are equal are so in every resample
        drawn.append(own.reshape(*values.shape[:2], resamples))
    low, high = np.array([metric.bounds for metric in metrics]).T[..., None, None, None]
    return np.clip(values[:, :, None] + np.stack(drawn, axis=-1), low, high)

"""Resamples that are exact where they count and scatter as rows drawn again do; fair exchanges."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from drawn import take
from systems import pair, pair_scores, pair_sets, pair_texts
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.label_columns import Confusion, LabelSets
from tallystick.kinds.texts import TEXTS
from tallystick.metrics import BLEU, F1, TER, Accuracy, ExactMatchRatio
from tallystick.model.codes import Labels
from tallystick.model.tallies.tally import Pair

RESAMPLES = 20_000
ROWS = 1000
"""How many resamples are drawn row by row, and how many exchanges."""

FAR = 4.5
"""Estimates that lie farther apart, in units of their own error, are not of the same number."""

AB: list[Pair] = [("a", "b")]
CLUSTERED = pytest.mark.parametrize("clustered", [None, "within", "across"])
Array = NDArray[Any]


def simulated(test):
    test = pytest.mark.parametrize("weighted", [False, True])(CLUSTERED(test))
    return pytest.mark.deep(pytest.mark.parametrize("seed", range(5))(test))


def draw_beside(rng, size, clustered):
    groups = np.sort(rng.choice(3, size, p=[0.2, 0.3, 0.5]))
    clusters = None
    if clustered == "within":
        clusters = groups * 20 + rng.integers(0, 10 + groups)
    elif clustered == "across":
        clusters = rng.integers(0, size // 4, size)
    return {
        name: None if codes is None else Labels(codes, tuple(range(codes.max() + 1)))
        for name, codes in {"groups": groups, "clusters": clusters}.items()
    }


def draw_labels(seed, clustered, *, weighted, size=240):
    rng = np.random.default_rng(seed)
    beside = draw_beside(rng, size, clustered)
    clusters, gold = beside["clusters"], rng.integers(0, 2, size)
    ease = rng.random(size) if clusters is None else rng.random(len(clusters.names))[clusters.codes]
    outputs = [np.where(rng.random(size) < 0.3 + 0.7 * ease, gold, 1 - gold) for _ in range(2)]
    return pair(gold, *outputs, weights=rng.gamma(1, 1.2 - ease) if weighted else None, **beside)


def draw_scores(seed, clustered, *, weighted, size=60):
    rng = np.random.default_rng(seed)
    beside = draw_beside(rng, size, clustered)
    weights = rng.gamma(1, 1, size) if weighted else None
    return pair_scores(rng.integers(0, 2, size), *rng.random((2, size)), weights=weights, **beside)


def draw_texts(seed, clustered, size=120):
    rng = np.random.default_rng(seed)
    beside = draw_beside(rng, size, clustered)
    clusters = beside["clusters"]
    ease = rng.random(size) if clusters is None else rng.random(len(clusters.names))[clusters.codes]
    words = rng.choice(list("abcdefgh"), (size, 12))
    outputs = [
        np.where(rng.random((size, 12)) < 0.6 + 0.4 * ease[:, None], words, "x") for _ in range(2)
    ]
    return pair_texts(_join(words), *map(_join, outputs), **beside)


def _join(words):
    return [" ".join(row) for row in words]


def list_strata(systems):
    groups, clusters = systems.groups.codes, systems.clusters
    rows = np.arange(len(systems))
    if clusters is None:
        return [list(rows[groups == group, None]) for group in np.unique(groups)]
    codes = clusters.codes
    if all(len(np.unique(groups[codes == one])) == 1 for one in np.unique(codes)):
        parts = [groups == group for group in np.unique(groups)]
    else:
        parts = [np.ones(len(rows), bool)]
    return [[rows[part & (codes == one)] for one in np.unique(codes[part])] for part in parts]


def draw_rows(systems, seed):
    rng, strata = np.random.default_rng(seed), list_strata(systems)
    for _ in range(ROWS):
        yield np.concatenate(
            [part[at] for part in strata for at in rng.choice(len(part), len(part))]
        )


def assert_alike(one, other):
    errors, deviations = [], []
    for sample in (one, other):
        centred = (sample - sample.mean(0)) ** 2
        errors.append((sample.mean(0), sample.var(0) / len(sample)))
        deviations.append((centred.mean(0), centred.var(0) / len(sample)))
    for (left, left_error), (right, right_error) in (errors, deviations):
        far = np.abs(left - right) / np.maximum(np.sqrt(left_error + right_error), 1e-12)
        assert far.max() < FAR


def find_hits(systems):
    weights = np.ones(len(systems)) if systems.weights is None else systems.weights
    column = LABELS.of(systems)
    right = [own.labels.codes == column.gold.codes for own in column.outputs]
    kinds = np.stack([right[0], ~right[0], right[1], ~right[1]], -1) * weights[:, None]
    inside = np.eye(len(systems.groups.names))[systems.groups.codes]
    return (kinds[:, :, None] * inside[:, None]).reshape(len(systems), -1)


def sum_hits(tally):
    parts = []
    for name in ("a", "b"):
        own = tally.of(name)
        parts += [own.sum_groups(own.mass * own.right), own.sum_groups(own.mass * ~own.right)]
    return np.concatenate(parts, -1).astype(float)


def find_masses(systems):
    weights = np.ones(len(systems)) if systems.weights is None else systems.weights
    inside = np.eye(len(systems.groups.names))[systems.groups.codes] * weights[:, None]
    return np.concatenate(
        [own.probabilities[:, None] * inside for own in LABELS.of(systems).outputs], 1
    )


@simulated
def test_resampled_sums_have_the_moments_of_rows(clustered, weighted, seed):
    systems = draw_labels(seed, clustered, weighted=weighted, size=60)
    rows = find_hits(systems)
    covariance = np.zeros((rows.shape[1],) * 2)
    for stratum in list_strata(systems):
        units = np.stack([rows[own].sum(0) for own in stratum])
        covariance += len(units) * np.cov(units.T, ddof=0)
    tally = Confusion().count(systems)
    drawn = np.concatenate([sum_hits(one) for one in tally.resample(RESAMPLES, seed)])

    mean = rows.sum(0)
    centred = drawn - mean
    for values, expected in ((drawn, mean), (centred[:, :, None] * centred[:, None], covariance)):
        error = values.std(0) / np.sqrt(len(values))
        assert (np.abs(values.mean(0) - expected) <= FAR * error + 1e-9).all()


LABELLED = [(Accuracy(), False), (Accuracy(), True), (F1(), False), (F1(), True)]


@pytest.mark.deep
@CLUSTERED
@pytest.mark.parametrize(("metric", "weighted"), LABELLED, ids=str)
def test_resampled_scores_of_labels_are_those_of_rows(metric, weighted, clustered):
    systems = draw_labels(5, clustered, weighted=weighted)
    assert_scores_alike(metric, Confusion(), systems)


@pytest.mark.deep
@CLUSTERED
@pytest.mark.parametrize("metric", [BLEU(), TER()], ids=repr)
def test_resampled_scores_of_texts_are_those_of_rows(metric, clustered):
    assert_scores_alike(metric, metric.counter, draw_texts(6, clustered))


@pytest.mark.deep
@CLUSTERED
def test_resampled_scores_of_sets_are_those_of_rows(clustered):
    rng = np.random.default_rng(7)
    sides = rng.random((3, 90, 4)) < 0.5
    sides[1:, :50] = sides[0, :50]
    lists = [
        [[name for name, bit in zip("wxyz", row, strict=True) if bit] for row in side]
        for side in sides
    ]
    systems = pair_sets(*lists, **draw_beside(rng, 90, clustered))
    for metric in (ExactMatchRatio(), F1("micro")):
        assert_scores_alike(metric, LabelSets(), systems)


def assert_scores_alike(metric, counter, systems):
    count = count_texts if TEXTS.find(systems) else count_copies
    tally = counter.count(systems)
    drawn = [score(metric, one, one.total()) for one in tally.resample(RESAMPLES, 1)]
    assert_alike(score(metric, *count(counter, systems)), np.concatenate(drawn))


def score(metric, tally, total):
    width = len(tally.groups) // len(total.groups)
    one, two = (
        np.concatenate(
            [
                metric.score(tally.of(name)).reshape(-1, width),
                metric.score(total.of(name)).reshape(-1, 1),
            ],
            -1,
        )
        for name in ("a", "b")
    )
    return np.concatenate([one, two, one - two], -1)


def count_copies(counter, systems):
    rows = list(draw_rows(systems, 2))
    taken = replace(take(systems, np.concatenate(rows).tolist()), clusters=None)
    draws = np.repeat(np.arange(ROWS), [len(own) for own in rows])
    width = len(systems.groups.names)
    return [
        counter.count(replace(taken, groups=Labels(codes, tuple(range(size)))))
        for codes, size in [(draws * width + taken.groups.codes, ROWS * width), (draws, ROWS)]
    ]


def count_texts(counter, systems):
    size = len(systems)
    alone = Labels(np.arange(size), tuple(range(size)))
    each = counter.count(replace(systems, groups=alone, clusters=None)).sums
    times = np.stack([np.bincount(rows, minlength=size) for rows in draw_rows(systems, 2)])
    inside = np.eye(len(systems.groups.names), dtype=int)[systems.groups.codes]
    sums = np.einsum("rn,ng,snc->srgc", times, inside, each, optimize=True)
    tally = replace(counter.count(systems), sums=sums, scatter=None)
    return [tally, tally.total()]

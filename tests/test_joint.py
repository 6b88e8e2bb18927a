"""Joint tallies: what they count, and that drawn counts stay exact."""

import numpy as np
import pytest

from tallystick.examples.examples import Examples
from tallystick.examples.labels import Labels
from tallystick.examples.sets import from_matrix
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.joint import join_labels, join_rows, join_sets
from tallystick.tallies.label_sets import LabelSets


def draw_codes(size, count, seed=0):
    """Columns of three labels."""
    rng = np.random.default_rng(seed)
    return [
        Labels(rng.integers(0, 3, size).astype(np.uint8), ("a", "b", "c")) for _ in range(count)
    ]


@pytest.fixture
def groups():
    """Two groups, in no order."""
    return Labels(np.array([1, 0, 1, 1, 0] * 8, np.uint8), ("x", "y"))


@pytest.mark.parametrize("clustered", [False, True])
def test_each_system_has_its_own_confusion(groups, clustered):
    """Taken as often as they are, units give every system the tally that it has alone."""
    gold, *predicted = draw_codes(40, 4)
    clusters = Labels(np.arange(40, dtype=np.uint8) // 3, tuple(range(14))) if clustered else None
    joint = join_labels(gold, predicted, groups, clusters)
    sums = joint.project(joint.items.units.counts[None])
    alone = [Confusion().count(Examples(gold, own, groups=groups)) for own in predicted]

    assert [own.counts.tolist() for own in alone] == [
        joint.tally(own).counts[0].tolist() for own in sums
    ]
    assert alone[0].n.tolist() == joint.tally(sums[0]).n.tolist()


def test_each_system_has_its_own_label_sets(groups):
    """Per label and group, hits and predictions are those of the system alone."""
    rng = np.random.default_rng(1)
    gold, *predicted = (
        from_matrix(rng.integers(0, 2, (40, 5)), tuple("abcde"), str) for _ in range(3)
    )
    joint = join_sets(gold, predicted, groups, None)
    sums = joint.project(joint.items.units.counts[None])
    alone = [LabelSets().count(Examples(gold, own, groups=groups)).per_label() for own in predicted]
    found = [joint.tally(own).per_label() for own in sums]

    assert [own.hits.tolist() for own in alone] == [own.hits[0].tolist() for own in found]
    assert [own.predicted.tolist() for own in alone] == [own.predicted[0].tolist() for own in found]


@pytest.mark.parametrize("largest", [50, 2**24 + 1, 2**40 + 1])
def test_sums_of_whole_numbers_are_exact(groups, largest):
    """However large the rows, the sums of a draw lose nothing to rounding."""
    rng = np.random.default_rng(2)
    rows = [rng.integers(0, largest + 1, (40, 3)) for _ in range(2)]
    weights = rng.integers(0, 4, (7, 40))
    joint = join_rows(("p", "q", "r"), rows, groups, None)
    order = np.argsort(groups.codes, kind="stable")
    sums = joint.project(weights)
    expected = [
        [
            weights[:, groups.codes[order] == group] @ own[order][groups.codes[order] == group]
            for group in range(2)
        ]
        for own in rows
    ]

    assert np.moveaxis(np.array(expected), 2, 1).tolist() == [
        joint.tally(own).sums.astype(np.int64).tolist() for own in sums
    ]


def test_clusters_within_groups_keep_groups_apart(groups):
    """Where no cluster crosses groups, the clusters of a group are a stratum."""
    names = tuple(range(40))
    clusters = Labels(groups.codes * 20 + np.arange(40, dtype=np.uint8) // 2, names)
    (gold, *predicted) = draw_codes(40, 2)
    units = join_labels(gold, predicted, groups, clusters).items.units

    assert {0, 1} == set(units.strata.tolist())
    assert len(np.unique(clusters.codes)) == len(units)


def test_clusters_across_groups_are_one_stratum(groups):
    """Where one does, all clusters are drawn together."""
    clusters = Labels(np.arange(40, dtype=np.uint8) // 5, tuple(range(8)))
    (gold, *predicted) = draw_codes(40, 2)
    units = join_labels(gold, predicted, groups, clusters).items.units

    assert [0] * 8 == units.strata.tolist()

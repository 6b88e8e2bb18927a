"""Tallies of rated systems add, are saved, and test metrics against each other."""

from itertools import product

import numpy as np
import pyarrow
import pyarrow.compute
import pytest

import tallystick
from rated_tables import as_table, draw_table
from tallystick import Testing
from tallystick.errors import InputError
from tallystick.io.arrays import pack_arrays, unpack_arrays

METRICS = ["soft_pairwise_accuracy", "acc_eq", "pairwise_accuracy", "kendall_by_item"]
LAYOUT = {"gold": "human", "systems": ["a", "b"], "rated": "system"}


@pytest.fixture
def table():
    people, one = draw_table(1, "some")
    return as_table(people, a=one, b=draw_table(2, "some")[1])


def count(table):
    return tallystick.count(table, metrics=METRICS, **LAYOUT)


def list_values(counted):
    found = tallystick.score(counted, intervals=tallystick.Intervals(resamples=100))
    return [(one.system, one.name, one.value, one.low, one.high, one.n) for one in found.scores]


@pytest.mark.parametrize("size", [1, 24, 50])
def test_parts_add_up_to_the_whole(table, size):
    scored = table.filter(pyarrow.compute.field("human").is_valid())
    mixed = scored.take(np.random.default_rng(1).permutation(len(scored)))
    parts = [count(mixed.slice(start, size)) for start in range(0, len(mixed), size)]
    total = parts[0]
    for other in parts[1:]:
        total = total + other

    assert list_values(count(table)) == list_values(total)


def test_a_score_that_stands_in_two_parts_is_refused(table):
    with pytest.raises(InputError, match="has several scores of the same rated system"):
        list_values(count(table) + count(table))


def test_saved_tallies_score_as_the_rows(table, tmp_path):
    path = tmp_path / "rated.tally"
    count(table).save(path)

    assert list_values(count(table)) == list_values(tallystick.load(path))


FORGED = {
    "0.scores": lambda own: own[:, :1],
    "0.known": lambda own: own * 2,
    "0.items": lambda own: own * 0,
    "0.groups": lambda own: own + 7,
    "0.clusters": lambda own: own[:-1],
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_tallies_are_refused(table, tmp_path, name):
    path = tmp_path / "rated.tally"
    count(table).save(path)
    header, arrays = unpack_arrays(path.read_bytes(), "rated")
    arrays = {**arrays, name: np.ascontiguousarray(FORGED[name](arrays[name]))}
    path.write_bytes(pack_arrays(header, arrays))

    with pytest.raises(InputError):
        tallystick.load(path)


def correlate(people, metric):
    return np.mean(
        [np.corrcoef(one, own)[0, 1] for one, own in zip(people.T, metric.T, strict=True)]
    )


def test_randomisation_exchanges_standardised_scores_of_items():
    people, one = (own[:, :8] for own in draw_table(3, "none"))
    other = draw_table(5, "none")[1][:, :8] * 10
    first, second = ((own - own.mean()) / own.std() for own in (one, other))
    seen = correlate(people, first) - correlate(people, second)
    gaps = []
    for swaps in product((False, True), repeat=8):
        mixed = np.where(swaps, second, first), np.where(swaps, first, second)
        gaps.append(correlate(people, mixed[0]) - correlate(people, mixed[1]))
    expected = np.mean(np.abs(gaps) >= abs(seen) - 1e-9)
    found = tallystick.compare(
        as_table(people, a=one, b=other),
        metrics=["pearson_by_item"],
        testing=Testing(test="ar", resamples=4000),
        **LAYOUT,
    )
    (difference,) = found.differences

    assert pytest.approx(seen) == -difference.difference
    assert pytest.approx(expected, abs=4 * np.sqrt(expected / 4000)) == difference.p


def test_a_better_metric_wins_the_comparison():
    people, _ = draw_table(1, "some")
    random = np.random.default_rng(1)
    good = np.nan_to_num(people) + random.normal(0, 0.5, people.shape)
    table = as_table(people, a=good, b=random.normal(size=people.shape))
    for test in ("t", "ar", "bootstrap"):
        testing = Testing(test=test, resamples=200)
        found = tallystick.compare(table, metrics=["spa", "acc_eq"], testing=testing, **LAYOUT)
        assert [True, True] == [one.p < 0.05 for one in found.differences]
    ranking = tallystick.rank(table, metrics=["spa"], testing=Testing(resamples=200), **LAYOUT)

    assert ["a", "b"] == [one.system for one in ranking.places]
    assert [(1, 1), (2, 2)] == [(one.best_rank, one.worst_rank) for one in ranking.places]


def test_alike_metrics_do_not_differ():
    people, one = draw_table(2, "some")
    table = as_table(people, a=one, b=4 * one - 1)
    testing = Testing(test="ar", resamples=100)
    found = tallystick.compare(table, metrics=METRICS, testing=testing, **LAYOUT)

    assert pytest.approx([0] * 4, abs=1e-9) == [one.difference for one in found.differences]
    assert [1] * 4 == [one.p for one in found.differences]


def test_items_are_the_units(table):
    documents = pyarrow.array([row["item"] // 4 for row in table.to_pylist()])
    widths = []
    for own, layout in (
        (table, {}),
        (table, {"clusters": "item"}),
        (table.append_column("doc", documents), {"clusters": "doc"}),
    ):
        found = tallystick.score(own, metrics=["acc_eq"], **LAYOUT, **layout)
        assert "of clusters" in found.scores[0].method
        widths.append(found.scores[0].high - found.scores[0].low)

    assert widths[0] == widths[1] != widths[2]

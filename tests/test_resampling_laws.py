"""Laws of resamples and exchanges: what they depend on, what they keep, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from drawn import systems_for, take
from strategies import STEADY
from systems import NAMES, label, list_contents, pair, pair_texts
from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion, LabelSets
from tallystick.kinds.probabilities.areas import Curve
from tallystick.limits import LIMITS
from tallystick.metrics import BLEU, ROUGE, TER, ChrF
from tallystick.model.codes import Labels
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.curve import CurveTally
from tallystick.model.tallies.second_moments import Products, Rows, scatter_rows
from tallystick.model.tallies.sums import Sums
from variants import LABELS

COUNTERS = [Confusion(), LabelSets(), Curve()]
COUNTERS += [metric.counter for metric in (BLEU(order=2), ChrF(), TER(), ROUGE("L"))]
LAW = settings(STEADY, max_examples=15)
EACH_COUNTER = pytest.mark.parametrize("counter", COUNTERS, ids=repr)
AB = [("a", "b")]
FEW = 7


def list_resamples(tallies):
    return [list_one(tally) for tally in tallies]


def list_one(tally):
    if not isinstance(tally, Cells | Sums):
        return list_contents(tally)
    if isinstance(tally, Sums):
        return tally.systems, tally.groups, np.round(tally.sums, 9).tolist()
    names = (tally.systems, tally.groups, tally.labels)
    arrays = (tally.owners, tally.gold, tally.outputs, tally.counts)
    weights = None if tally.weights is None else np.round(tally.weights, 9).tolist()
    return *names, [array.tolist() for array in arrays], weights


@pytest.mark.deep
@LAW
@given(st.data(), st.sampled_from(NAMES[:3]))
@EACH_COUNTER
def test_resamples_of_a_system_are_those_that_it_has_alone(counter, data, name):
    examples = data.draw(systems_for(counter, 3, clustered=None))
    whole, alone = counter.count(examples).of(name), counter.count(examples.of(name))
    assert list_resamples(alone.resample(FEW, 1)) == list_resamples(whole.resample(FEW, 1))


@pytest.mark.deep
@LAW
@given(st.data())
@EACH_COUNTER
def test_resamples_know_no_order_of_examples(counter, data):
    curve = isinstance(counter, Curve)
    examples = data.draw(systems_for(counter, 1 if curve else 2, clustered=curve or None))
    rows = data.draw(st.permutations(range(len(examples))))
    drawn = [
        list_resamples(counter.count(one).resample(FEW, 1))
        for one in (examples, take(examples, rows))
    ]

    assert drawn[0] == drawn[1]


@pytest.mark.deep
@LAW
@given(st.data())
@EACH_COUNTER
def test_resamples_know_no_other_groups(counter, data):
    examples = data.draw(systems_for(counter, 2, listed=LABELS))
    tally = counter.count(examples)
    for place, group in enumerate(tally.groups):
        rows = np.flatnonzero(examples.groups.codes == place)
        alone = take(examples, rows.tolist())
        alone = replace(alone, groups=label([group] * len(rows)))
        drawn = [
            [pick_group(one, place) for one in tally.resample(FEW, 1)],
            [pick_group(one, 0) for one in counter.count(alone).resample(FEW, 1)],
        ]
        assert drawn[0] == drawn[1]


def pick_group(tally, place):
    if isinstance(tally, Sums):
        return np.round(tally.sums[..., place, :], 9).tolist()
    if isinstance(tally, Cells):
        here = tally.owners == place
        masses = (tally.counts, *(() if tally.weights is None else tally.weights))
        return [np.round(array[..., here], 9).tolist() for array in masses]
    if isinstance(tally, CurveTally):
        runs = np.repeat(tally.runs, np.diff(tally.offsets), 0)
        here = runs[:, 0] == place
        return runs[here, 1:].tolist(), tally.scores[here].tolist()
    rows = tally.take(np.flatnonzero(tally.owners.codes == place))
    return list_contents(replace(rows, owners=label(["one"] * len(rows.gold))))


@pytest.mark.parametrize("counts", [[3, 1, 2], [40, 1000, 7], [1] * 6])
def test_resampled_counts_are_multinomial(counts):
    kinds = np.repeat(np.arange(len(counts) + 1), [*counts, 50])
    groups = label(["x" if kind < len(counts) else "y" for kind in kinds])
    tally = Confusion().count(pair(kinds, kinds, groups=groups))
    drawn = np.concatenate([one.counts for one in tally.resample(40_000, 1)])
    size = sum(counts)
    shares = np.array(counts) / size

    assert {size} == set(drawn[:, :-1].sum(1))
    assert {50} == set(drawn[:, -1])
    assert np.array(counts) == pytest.approx(drawn[:, :-1].mean(0), rel=0.03)
    assert size * shares * (1 - shares) == pytest.approx(drawn[:, :-1].var(0), rel=0.04)


def count_rows(values, codes, clusters=None):
    groups = label(codes)
    sums = np.stack([values[groups.codes == place].sum(0) for place in range(len(groups.names))], 1)
    own = None if clusters is None else label(clusters)
    rows = Rows(values, groups, lambda: np.arange(len(values), dtype=np.uint32), own)
    counter, names = BLEU().counter, NAMES[: values.shape[1]]
    scatter = scatter_rows(counter, rows)
    return Sums(counter, names, groups.names, sums, np.bincount(groups.codes), scatter)


@pytest.mark.parametrize("largest", [50, 2**24 + 1, 2**40 + 1])
def test_sums_of_whole_numbers_are_exact(largest):
    values, codes = np.random.default_rng(2).integers(0, largest + 1, (40, 2, 3)), np.arange(40) % 2
    marks = np.broadcast_to(np.eye(40, dtype=np.int64)[:, None], (40, 2, 40))
    (drawn,) = count_rows(np.concatenate([values, marks], -1), codes).resample(FEW, 1)
    expected = np.einsum("srgi,isc->srgc", drawn.sums[..., 3:].astype(np.int64), values)
    assert expected.tolist() == drawn.sums[..., :3].astype(np.int64).tolist()


@pytest.mark.parametrize(
    ("size", "clusters", "alike"), [(20, ([4, 4], 8), True), (18, ([5, 4], 8), False)]
)
def test_clusters_are_drawn_among_those_of_their_group(size, clusters, alike):
    codes, owners = (np.arange(40) < size).astype(int), np.arange(40) // 5
    tallies = [
        Confusion().count(pair(codes, codes, groups=label(codes), clusters=label(owners))),
        count_rows(np.ones((40, 1, 1), np.int64), codes, owners),
    ]
    for tally in tallies:
        pairs = np.unique(np.stack(tally.list_clusters()), axis=1)
        assert not tally.plain
        assert clusters == (np.bincount(pairs[0]).tolist(), len(np.unique(pairs[1])))
    drawn = np.concatenate([one.counts for one in tallies[0].resample(200, 1)])
    sums = np.concatenate([one.sums[0, ..., 0] for one in tallies[1].resample(200, 1)])

    assert drawn.tolist() == sums.tolist()
    assert {40} == set(drawn.sum(1).tolist())
    assert alike == ({20} == set(drawn[:, 0].tolist()))


def test_what_stands_for_itself_is_plain():
    codes = [0, 1, 1]
    plain = Confusion().count(pair(codes, codes))
    weighted = Confusion().count(pair(codes, codes, weights=np.ones(3)))
    assert (True, False) == (plain.plain, weighted.plain)
    assert plain.list_clusters() is None


@pytest.mark.parametrize("counter", [Confusion(), BLEU().counter], ids=repr)
def test_the_seed_makes_the_resamples(counter):
    values = ["a b c d e", "b c d e f", "c d e f g"] * 9
    other = values[1:] + values[:1]
    build = pair_texts if counter == BLEU().counter else pair
    tally = counter.count(build(values, other, values[::-1]))
    one, same, another = (list_resamples(tally.resample(FEW, seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != another


def test_resamples_come_in_chunks_that_bound_the_memory(monkeypatch):
    codes = np.arange(30) % 3
    tally = Confusion().count(pair(codes, np.roll(codes, 4), np.roll(codes, 5)))
    whole = np.concatenate([one.counts for one in tally.resample(50, 1)])
    monkeypatch.setattr(LIMITS, "resampled_numbers", 4 * len(tally.owners))
    chunks = [one.counts for one in tally.resample(50, 1)]
    assert [4] * 12 + [2] == [len(chunk) for chunk in chunks]
    assert whole.tolist() == np.concatenate(chunks).tolist()


def test_clusters_of_many_cells_are_drawn_in_smaller_chunks(monkeypatch):
    codes = np.arange(60) % 3
    clusters = Labels(np.arange(60, dtype=np.uint32) // 30, ("x", "y"))
    systems = replace(pair(codes, np.roll(codes, 4), np.roll(codes, 5)), clusters=clusters)
    tally = Confusion().count(systems)
    whole = np.concatenate([one.counts for one in tally.resample(50, 1)])
    entries = len(tally.clusters.owners)
    monkeypatch.setattr(LIMITS, "resampled_numbers", 4 * entries)
    chunks = [one.counts for one in tally.resample(50, 1)]

    assert max(map(len, chunks)) == 4
    assert whole.tolist() == np.concatenate(chunks).tolist()


def test_normal_resamples_scatter_as_those_of_rows():
    kept = count_rows(np.random.default_rng(2).integers(0, 9, (400, 2, 3)), np.zeros(400, int))
    assert isinstance(kept.scatter, Rows)
    many = replace(kept, scatter=kept.scatter.multiply(kept.counter))
    drawn = [
        np.concatenate([np.hstack(one.sums[:, :, 0]) for one in tally.resample(20_000, 4)])
        for tally in (kept, many)
    ]

    assert pytest.approx(drawn[0].mean(0), rel=0.002) == drawn[1].mean(0)
    assert pytest.approx(np.cov(drawn[0].T), rel=0.05, abs=75) == np.cov(drawn[1].T)


@pytest.mark.parametrize("systems", [1, 2])
def test_many_rows_become_products(systems):
    values = np.random.default_rng(2).integers(0, 9, (9000, systems, 2))
    codes = np.arange(9000) % 2
    whole = count_rows(values, codes)
    parts = [count_rows(values[part], codes[part]) for part in (slice(0, 5000), slice(5000, None))]
    summed = parts[0] + parts[1]

    assert isinstance(parts[0].scatter, Rows)
    assert isinstance(whole.scatter, Products)
    assert isinstance(summed.scatter, Products)
    assert (whole.scatter.products == summed.scatter.products).all()
    assert whole.scatter.n.tolist() == summed.scatter.n.tolist()
    assert (
        whole.scatter.sums.tolist()
        == summed.scatter.sums.tolist()
        == (whole.sums.swapaxes(0, 1).tolist())
    )


def test_resamples_have_no_resamples():
    tally = next(count_rows(np.ones((4, 2, 1)), [0] * 4).resample(FEW, 1))
    with pytest.raises(UsageError, match="resamples cannot be resampled"):
        next(tally.resample(FEW, 1))

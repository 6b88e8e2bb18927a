"""Comparisons of every kind of prediction agree with resampling row by row."""

import numpy as np
import pytest

import tallystick
from reference.paired import bootstrap_rows, randomise_rows
from tallystick import Task, Testing
from tallystick.comparison.compare import compare
from tallystick.kinds.texts import TEXTS
from tallystick.metrics import F1, ROCAUC, AveragePrecision
from tallystick.model.columns import Columns
from tallystick.model.reading import Reading
from tallystick.model.tallies.arrays import units
from tallystick.reading import line_files
from tallystick.reading.layouts import read_files
from tallystick.scoring.counting import count

RESAMPLES = 2000


def draw_labels():
    rng = np.random.default_rng(8)
    gold = rng.choice(3, 120, p=[0.6, 0.3, 0.1])
    return gold, *(
        np.where(rng.random(120) < chance, gold, rng.integers(0, 3, 120)) for chance in (0.7, 0.6)
    )


def draw_sets():
    rng = np.random.default_rng(9)
    gold = rng.integers(0, 2, (80, 4))
    return gold, *(np.where(rng.random((80, 4)) < chance, gold, 1 - gold) for chance in (0.85, 0.8))


def draw_scores():
    rng = np.random.default_rng(10)
    gold = rng.integers(0, 2, 90)
    return gold, *(
        np.clip(np.round(0.5 + 0.3 * (gold - 0.5) + noise * rng.normal(size=90), 1), 0, 1)
        for noise in (0.2, 0.24)
    )


def macro_f1(gold, predicted):
    if gold.ndim == 1:
        gold, predicted = (column[:, None] == np.arange(3) for column in (gold, predicted))
    both = (gold & predicted).sum(0)
    either = gold.sum(0) + predicted.sum(0)
    return (2 * both / np.maximum(either, 1))[either > 0].mean()


def average_precision(gold, scores):
    steps = np.unique(scores)[::-1]
    above = scores >= steps[:, None]
    precision = (above & (gold == 1)).sum(1) / above.sum(1)
    return np.diff((above & (gold == 1)).sum(1), prepend=0) @ precision / (gold == 1).sum()


KINDS = {
    "labels": (draw_labels, macro_f1, F1("macro", zero_division=0), Task("multiclass")),
    "sets": (draw_sets, macro_f1, F1("macro", zero_division=0), Task("multilabel")),
    "scores": (draw_scores, average_precision, AveragePrecision(), Task("binary")),
}


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_randomisation_of_counts_is_that_of_rows(kind):
    draw, score, metric, task = KINDS[kind]
    gold, a, b = draw()
    compared = tallystick.compare(
        gold, {"a": a, "b": b}, metrics=metric, task=task, testing=Testing(resamples=RESAMPLES)
    )
    expected = randomise_rows(gold, a, b, score, RESAMPLES)

    assert expected == pytest.approx(
        compared.differences[0].p, abs=5 * np.sqrt(expected * (1 - expected) / RESAMPLES)
    )


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_interval_of_counts_is_that_of_rows(kind):
    draw, score, metric, task = KINDS[kind]
    gold, a, b = draw()
    compared = tallystick.compare(
        gold, {"b": b, "a": a}, metrics=metric, task=task, testing=Testing(resamples=RESAMPLES)
    )
    expected = bootstrap_rows(gold, a, b, score, RESAMPLES)
    (one,) = compared.differences

    assert np.quantile(expected, [0.025, 0.975]) == pytest.approx(
        [one.low, one.high], abs=0.35 * expected.std()
    )


@pytest.mark.deep
@pytest.mark.parametrize("by", [None, np.arange(90) % 2])
def test_delong_and_randomisation_of_areas_agree(by):
    gold, a, b = draw_scores()
    systems = {"a": a, "b": b}
    one, other = (
        tallystick.compare(gold, systems, metrics=ROCAUC(), by=by, testing=Testing(test, 600))
        for test in ("delong", "ar")
    )

    assert [own.p for own in one.differences] == pytest.approx(
        [own.p for own in other.differences], abs=0.06
    )
    assert [own.value_a for own in one.differences] == pytest.approx(
        [own.value_a for own in other.differences], abs=1e-14
    )


def test_areas_of_clusters_have_a_t_test():
    gold, a, b = draw_scores()
    compared = tallystick.compare(
        gold,
        {"a": a, "b": b},
        metrics=ROCAUC(),
        clusters=np.arange(90) // 3,
        testing=Testing(resamples=200),
    )

    assert "t" == compared.differences[0].test


def test_doubled_clusters_are_single_examples():
    gold, a, b = draw_labels()
    twice = {"a": np.repeat(a, 2), "b": np.repeat(b, 2)}
    one = tallystick.compare(
        gold, {"a": a, "b": b}, metrics="accuracy", task="multiclass", clusters=np.arange(120)
    )
    two = tallystick.compare(
        np.repeat(gold, 2),
        twice,
        metrics="accuracy",
        clusters=np.repeat(np.arange(120), 2),
        task="multiclass",
    )
    single, double = one.differences[0], two.differences[0]

    assert single.p == pytest.approx(double.p, abs=0.02)
    assert (single.low, single.high) == pytest.approx((double.low, double.high), abs=0.01)


def test_row_without_positives_is_undefined():
    gold = np.array(["no"] * 20 + ["no", "yes"] * 20)
    systems = {"a": gold.copy(), "b": np.where(np.arange(60) % 7 == 3, "no", gold)}
    by = np.repeat(["empty", "full"], [20, 40])
    compared = tallystick.compare(
        gold, systems, metrics=F1(), by=by, testing=Testing(resamples=300)
    )
    empty, full = (compared.find("a", "b", "f1", group) for group in ("empty", "full"))

    assert np.isnan([empty.difference, empty.p, empty.p_holm]).all()
    assert 0 < full.p <= 1
    assert "n/a" in str(compared)


@pytest.mark.parametrize("test", ["delong", "ar"])
def test_row_without_positives_has_no_area(test):
    gold, a, b = draw_scores()
    by = np.where((gold == 0) & (np.arange(90) < 30), "empty", "full")
    compared = tallystick.compare(
        gold, {"a": a, "b": b}, metrics=ROCAUC(), by=by, testing=Testing(test, 200)
    )
    empty, full, macro, micro = compared.differences

    assert np.isnan([empty.difference, empty.low, empty.high, empty.p, empty.p_holm]).all()
    assert full.difference == macro.difference
    assert not np.isnan([full.p, micro.p, micro.low]).any()


def test_undefined_resamples_are_counted():
    gold = np.array(["yes"] * 2 + ["no"] * 30)
    systems = {"a": gold.copy(), "b": np.array(["yes"] + ["no"] * 31)}
    compared = tallystick.compare(
        gold, systems, metrics="recall", testing=Testing("bootstrap", 1000)
    )

    assert any("was undefined in 1" in note for note in compared.notes)


def test_areas_apart_without_spread_differ_significantly():
    gold = np.array([0, 1] * 10)
    compared = tallystick.compare(
        gold, {"b": 1.0 - gold, "a": gold.astype(float)}, metrics=ROCAUC()
    )

    (one,) = compared.differences

    assert 0 < one.p < 0.01
    assert one.low < one.difference == one.high == 1


def test_blocks_of_lines_change_nothing(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    for name in ("ref", "a", "b", "by", "clusters"):
        size = 1 if name == "by" else 2 if name == "clusters" else 6
        lines = [" ".join(rng.choice(list("abc"), size)) for _ in range(40)]
        (tmp_path / name).write_text("\n".join(lines))
    columns = Columns(by=(str(tmp_path / "by"),), clusters=str(tmp_path / "clusters"))

    def compare_both():
        paths = {name: str(tmp_path / name) for name in ("a", "b")}
        blocks = read_files(str(tmp_path / "ref"), paths, Reading(columns, kinds=(TEXTS,)))
        counted = count(blocks, ["bleu", "chrf"], heading="by")
        return compare(counted, testing=Testing(resamples=200)).differences

    whole = compare_both()
    monkeypatch.setattr(line_files, "_LINES", 7)

    assert whole == compare_both()


@pytest.mark.parametrize("widest", [1, 1000, 10**9])
def test_chunks_of_resamples_are_bounded(widest):
    sizes = list(units.split(10_000, widest))

    assert 10_000 == sum(sizes)
    assert all(size == 1 or size * widest <= 1 << 22 for size in sizes)

"""Systems that predict labels, compared on the same examples."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick
from nulls import p_value
from strategies import STEADY
from tallystick import Testing, UsageError
from tallystick.metrics import F1, Accuracy

LETTERS = np.array(["x", "y", "z"])


def simulate(size=300, seed=1, *, skill=(0.7, 0.6, 0.65)):
    rng = np.random.default_rng(seed)
    gold = rng.choice(LETTERS, size)
    systems = {
        f"s{place}": np.where(rng.random(size) < chance, gold, rng.choice(LETTERS, size))
        for place, chance in enumerate(skill)
    }
    return gold, systems


@pytest.fixture(scope="module")
def xnli(shared):
    with open(shared / "data" / "pairs" / "xnli.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["lang"] == "en"]
    systems = {name: [row[f"pred_{name}"] for row in rows] for name in ("mlpp", "mt5base")}
    return [row["gold"] for row in rows], systems


def test_published_pair_differs_as_published(xnli):
    one = tallystick.compare(*xnli, metrics="macro_f1", task="multiclass").find(
        "mlpp", "mt5base", "macro_f1"
    )

    assert pytest.approx((0.0194, 0.0096, 0.0291), abs=3e-4) == (one.difference, one.low, one.high)


@pytest.mark.parametrize(("test", "low", "high"), [("ar", 9e-5, 5e-4), ("bootstrap", 9e-5, 6e-4)])
def test_published_pair_differs_significantly(xnli, test, low, high):
    (one,) = tallystick.compare(
        *xnli, metrics="macro_f1", task="multiclass", testing=Testing(test=test)
    ).differences

    assert low < one.p < high


def test_published_flips_are_counted(xnli):
    flips = tallystick.compare(
        *xnli, metrics="accuracy", task="multiclass", testing=Testing(test="mcnemar")
    ).flips("mlpp", "mt5base")
    gains = [flip.difference for flip in flips]

    assert (363, 265) == (gains.count(1), gains.count(-1))


def test_published_pair_by_mcnemar(xnli):
    (one,) = tallystick.compare(
        *xnli, metrics="accuracy", task="multiclass", testing=Testing(test="mcnemar")
    ).differences

    assert pytest.approx(1.05e-4, rel=5e-3) == one.p


@pytest.mark.parametrize("test", ["ar", "bootstrap", "mcnemar", "mcnemar-midp"])
def test_identical_systems_do_not_differ(test):
    gold, systems = simulate()
    same = {"a": systems["s0"], "b": systems["s0"].copy()}
    (one,) = tallystick.compare(
        gold, same, metrics=Accuracy(), testing=Testing(test=test)
    ).differences

    wide = 1.959964**2 / (300 + 1.959964**2)

    assert (0, 1, 1) == (one.difference, one.p, one.p_holm)
    assert pytest.approx((-wide, wide)) == (one.low, one.high)


def test_seed_fixes_all_numbers():
    gold, systems = simulate()
    first, again, other = (
        tallystick.compare(
            gold, systems, metrics="f1", testing=Testing("bootstrap", 500, seed)
        ).differences
        for seed in (7, 7, 8)
    )

    assert first == again
    assert first != other


@STEADY
@given(st.integers(0, 2**31), st.integers(2, 40))
def test_p_lies_between_0_and_1(seed, size):
    gold, systems = simulate(size, seed)
    compared = tallystick.compare(
        gold, systems, metrics=["accuracy", "mcc"], testing=Testing(resamples=100)
    )
    values = [p for one in compared.differences for p in (one.p, one.p_holm) if not np.isnan(p)]

    assert all(0 < p <= 1 for p in values)


def test_one_system_is_no_comparison():
    gold, systems = simulate(skill=(0.5,))
    with pytest.raises(UsageError, match="two systems or more"):
        tallystick.compare(gold, systems, metrics="f1")


@pytest.mark.parametrize("test", ["mcnemar", "mcnemar-midp", "delong", "sacrebleu-ar"])
def test_test_that_does_not_fit_is_refused(test):
    with pytest.raises(UsageError, match=test):
        tallystick.compare(*simulate(), metrics="mcc", testing=Testing(test=test))


def test_value_per_label_is_refused():
    with pytest.raises(UsageError, match="per label"):
        tallystick.compare(*simulate(), metrics=F1(None))


def test_group_has_the_same_numbers_whatever_others_there_are():
    gold, systems = simulate()
    by = np.where(np.arange(300) < 100, "here", "there")
    alone = {name: own[:100] for name, own in systems.items()}
    part = tallystick.compare(
        gold[:100], alone, metrics="f1", by=by[:100], testing=Testing(resamples=300)
    )
    whole = tallystick.compare(gold, systems, metrics="f1", by=by, testing=Testing(resamples=300))

    own, other = (
        [(one.difference, one.low, one.high, one.p) for one in found if one.group == "here"]
        for found in (part.differences, whole.differences)
    )

    assert 2 == len(own)
    assert np.array(own) == pytest.approx(np.array(other), rel=1e-12)


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 1000, 200))
def test_true_null_is_rejected_as_often_as_promised(first):
    values = [
        p_value(
            *simulate(150, seed, skill=(0.6, 0.6)),
            "macro_f1",
            Testing(resamples=199, random_seed=seed),
        )
        for seed in range(first, first + 200)
    ]

    assert 0.01 < np.mean(np.array(values) <= 0.05) < 0.1


def test_too_few_resamples_for_so_many_tests_are_told():
    gold = [0, 1] * 20
    systems = dict.fromkeys("abcdefg", gold)
    told = tallystick.compare(
        gold, systems, metrics="accuracy", testing=Testing("bootstrap", 200), all_pairs=True
    ).notes
    enough = tallystick.compare(
        gold, systems, metrics="accuracy", testing=Testing("bootstrap", 500), all_pairs=True
    ).notes
    expected = (
        "with 200 resamples no difference can be significant after 21 tests; "
        "`resamples=420` would be enough."
    )

    assert expected in told
    assert not any("no difference can be" in note for note in enough)

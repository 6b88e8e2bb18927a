"""Metrics of abstention are what their definitions say, from probabilities or a confidence."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tallystick
from cases import cases
from tallystick import metrics
from tallystick.cli import main
from tallystick.errors import TallystickError
from tallystick.statistics.wilson import bound_effectively


def make(seed, size, steps):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "gold": np.where(rng.random(size) < 0.6, "a", "b"),
            "y_pred": ["a"] * size,
            "confidence": rng.integers(0, steps, size) / steps,
        }
    )


def score(table, *wanted, **options):
    found = tallystick.score(table, metrics=list(wanted), intervals=False, **options)
    return {one.name: one.value for one in found.scores}


def average_orders(table):
    wrong = (table["gold"] != table["y_pred"]).tolist()
    sure = table["confidence"].tolist()
    orders = [
        order
        for order in itertools.permutations(range(len(wrong)))
        if all(sure[one] >= sure[other] for one, other in itertools.pairwise(order))
    ]
    risks = [
        [Fraction(sum(wrong[at] for at in order[:i]), i) for i in range(1, len(wrong) + 1)]
        for order in orders
    ]
    means = [sum(column) / len(orders) for column in zip(*risks, strict=True)]
    return float(sum(means) / len(means)), [float(1 - one) for one in means]


@cases("seed", *range(30))
def test_aurc_is_the_mean_over_all_orders_of_ties(seed):
    table = make(seed, 6, 1 + seed % 3)
    area, accuracies = average_orders(table)
    wanted = [metrics.AccuracyAtCoverage(i / 6) for i in range(1, 7)]
    values = [score(table, one)["accuracy_at_coverage"] for one in wanted]
    assert pytest.approx(area, abs=1e-12) == score(table, "aurc")["aurc"]
    assert pytest.approx(accuracies, abs=1e-12) == values


@cases("seed", *range(10))
def test_excess_is_what_the_best_order_lacks(seed):
    table = make(seed, 50, 50)
    right = table["gold"] == table["y_pred"]
    best = score(table.assign(confidence=right.astype(float)), "aurc", "e_aurc")
    risks = np.cumsum(np.sort(~right)) / np.arange(1, 51)
    found = score(table, "aurc", "e_aurc")
    assert pytest.approx(risks.mean()) == best["aurc"]
    assert pytest.approx(0, abs=1e-12) == best["e_aurc"]
    assert pytest.approx(found["aurc"] - risks.mean()) == found["e_aurc"]


@cases("seed", *range(10))
def test_coverage_at_accuracy_is_the_largest_that_a_threshold_reaches(seed):
    table = make(seed, 40, 7)
    right = table["gold"] == table["y_pred"]
    shares = [table["confidence"] >= least for least in table["confidence"]]
    expected = max((one.mean() for one in shares if right[one].mean() >= 0.7), default=0)
    assert expected == score(table, "coverage_at_accuracy(0.7)")["coverage_at_accuracy"]


def test_without_a_column_the_probability_of_the_prediction_counts():
    table = make(3, 30, 30)
    chance = table["confidence"]
    binary = table.assign(y_prob=np.where(table["y_pred"] == "a", chance, 1 - chance))
    of_two = binary.drop(columns="confidence")
    of_three = table.assign(p_a=chance, p_b=(1 - chance) / 2, p_c=(1 - chance) / 2)
    expected = score(table, "aurc")
    assert pytest.approx(expected) == score(of_two, "aurc", positive="a")
    assert pytest.approx(expected) == score(of_three.drop(columns="confidence"), "aurc")


def test_confidences_may_be_any_numbers():
    table = make(5, 30, 30)
    assert score(table, "aurc") == score(
        table.assign(confidence=np.log(table["confidence"] + 1) - 9), "aurc"
    )


def test_systems_without_confidence_are_told(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("gold,y_pred\na,a\nb,a\n")
    assert 2 == main(["score", str(path), "-m", "aurc"])
    assert "needs a column called confidence" in capsys.readouterr().err
    path.write_text("gold,y_pred,confidence\na,a,0.5\nb,a,high\n")
    assert 4 == main(["score", str(path), "-m", "aurc"])
    assert "of 1 of 2 examples, of which the first is number 2" in capsys.readouterr().err


def test_a_column_of_confidence_that_nobody_asks_for_may_hold_anything(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("gold,y_pred,confidence\na,a,high\nb,a,low\n")
    assert 0 == main(["score", str(path), "-m", "accuracy"])
    assert "0.500" in capsys.readouterr().out


def test_groups_and_saved_counts_give_the_same(tmp_path):
    table = make(1, 60, 9).assign(lang=["de", "en", "tr"] * 20)
    counted = tallystick.count(table, metrics=["aurc", "top_label_ece"], by="lang")
    counted.save(str(tmp_path / "a.tally"))
    whole = tallystick.score(counted)
    assert score(table[table["lang"] == "en"], "aurc")["aurc"] == whole["aurc", "en"]
    assert whole.scores == tallystick.score(tallystick.load(str(tmp_path / "a.tally"))).scores


def test_weights_are_rejected():
    with pytest.raises(
        TallystickError, match="metrics of confidence cannot be weighted; leave out the weights"
    ):
        score(make(1, 10, 3).assign(w=2.0), "aurc", weights="w")


def test_top_label_ece_is_that_of_the_bins():
    rng = np.random.default_rng(2)
    shares = rng.dirichlet(np.ones(4), 300)
    gold = rng.integers(0, 4, 300)
    sure, right = shares.max(1), shares.argmax(1) == gold
    bins = np.ceil(sure * 15).astype(int)
    expected = sum(abs((sure - right)[bins == one].sum()) for one in range(1, 16)) / 300
    found = tallystick.score(gold.tolist(), shares, ["top_label_ece"], intervals=False)
    assert pytest.approx(expected, abs=1e-12) == found["top_label_ece"]


@pytest.mark.peers
def test_top_label_ece_is_that_of_uncertainty_calibration():
    calibration = pytest.importorskip("calibration")
    rng = np.random.default_rng(4)
    for _ in range(100):
        shares, gold = rng.dirichlet(np.ones(4), 50), rng.integers(0, 4, 50)
        found = tallystick.score(
            gold.tolist(), shares, labels=[0, 1, 2, 3], metrics=["top_label_ece"], intervals=False
        )
        expected = calibration.get_ece(shares, gold, num_bins=15)
        assert pytest.approx(expected, abs=1e-12) == found["top_label_ece"]


def test_top_label_ece_asks_for_shares():
    with pytest.raises(TallystickError, match="takes confidences from 0 to 1, and 80 is one"):
        score(make(1, 10, 3).assign(confidence=80.0), "top_label_ece")


@cases(
    "metric truth",
    ("aurc", 0.3056),
    ("accuracy_at_coverage", 0.6255),
    ("coverage_at_accuracy(0.75)", 0.243),
    ("top_label_ece", 0.15),
)
def test_intervals_hold_the_truth(metric, truth):
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(100):
        sure = rng.beta(5, 2, 200)
        right = rng.random(200) < np.clip(sure - 0.15, 0, 1)
        table = pd.DataFrame({"gold": np.where(right, "a", "b"), "y_pred": "a"})
        (one,) = tallystick.score(table.assign(confidence=sure), metrics=[metric]).scores
        held += one.low <= truth <= one.high
    assert 88 <= held


@cases("accuracy", 0.6, 0.9)
def test_intervals_of_aurc_are_as_wide_as_leaving_out_each_example_says(accuracy):
    wrong = np.random.default_rng(4).random(400) > accuracy
    table = pd.DataFrame({"gold": np.where(wrong, "b", "a"), "y_pred": "a"})
    table["confidence"] = np.arange(400, 0, -1) / 400
    (one,) = tallystick.score(table, metrics=["aurc"]).scores

    def find(errors):
        return float((np.cumsum(errors) / np.arange(1, len(errors) + 1)).mean())

    lost = find(wrong) - np.array([find(np.delete(wrong, at)) for at in range(400)])
    lost -= lost.mean()
    variance = 399 / 400 * (lost**2).sum()
    freedom = 2 * (lost**2).sum() ** 2 / ((lost**4).sum() - (lost**2).sum() ** 2 / 400) - 1
    z, t = stats.norm.ppf(0.975), stats.t.ppf(0.975, freedom)
    trials = one.value * (1 - one.value) / variance * (z / t) ** 2
    expected = bound_effectively(np.array(one.value), np.array(trials), 0.95)
    assert one.value == pytest.approx(find(wrong))
    assert pytest.approx([float(end) for end in expected], rel=0.02) == [one.low, one.high]


def test_examples_of_equal_confidence_move_scores_as_the_mean_of_their_orders_says():
    table = make(3, 3000, 3000)
    tied = table.assign(confidence=np.floor(table["confidence"] * 300))
    for metric in ("aurc", "e_aurc", "accuracy_at_coverage"):
        (plain,) = tallystick.score(table, metrics=[metric]).scores
        (steps,) = tallystick.score(tied, metrics=[metric]).scores
        assert steps.high - steps.low == pytest.approx(plain.high - plain.low, rel=0.05)


@cases("metric", "aurc", "e_aurc", "accuracy_at_coverage")
def test_copies_of_examples_in_clusters_tell_no_more_than_the_examples(metric):
    table = make(5, 60, 60)
    copies = pd.concat([table.assign(item=range(60))] * 5)
    (alone,) = tallystick.score(table, metrics=[metric]).scores
    (clustered,) = tallystick.score(copies, metrics=[metric], clusters="item").scores
    (naive,) = tallystick.score(copies, metrics=[metric]).scores
    assert clustered.high - clustered.low == pytest.approx(alone.high - alone.low, rel=0.1)
    assert naive.high - naive.low < 0.6 * (clustered.high - clustered.low)


def test_a_figure_shows_the_errors_by_coverage(tmp_path, capsys):
    table = make(2, 40, 5)
    table.to_csv(tmp_path / "a.csv", index=False)
    call = ["score", str(tmp_path / "a.csv"), "-m", "aurc"]
    assert 0 == main([*call, "--format", "json"])
    (curve,) = json.loads(capsys.readouterr().out)["risks"]
    wrong = (table["gold"] != table["y_pred"]).to_numpy()
    covered = [table["confidence"] >= one for one in sorted(set(table["confidence"]), reverse=True)]
    assert 0 == main([*call, "-o", str(tmp_path / "a.svg"), "--figure", "risks"])
    assert pytest.approx([one.mean() for one in covered]) == curve["coverages"]
    assert pytest.approx([wrong[one].mean() for one in covered]) == curve["risks"]
    assert "Coverage" in (tmp_path / "a.svg").read_text()


@cases("metric", metrics.AURC(), metrics.EAURC(), ids=repr)
@cases("by", None, ["x", "y"] * 20)
def test_resamples_of_clusters_of_several_sizes_score_as_each_does_alone(metric, by):
    rng = np.random.default_rng(0)
    gold, scores, clusters = rng.integers(0, 2, 40), rng.random(40), rng.integers(0, 10, 40)
    tally = tallystick.count(gold, {"a": scores}, metric, by=by, clusters=clusters).tally(metric)
    (drawn,) = tally.resample(20, 1)
    taken = (tally.take(np.repeat(np.arange(40), own)) for own in drawn.times)
    assert len(set(drawn.times.sum(1))) > 1
    for found, own in zip(metric.score(drawn), taken, strict=True):
        assert metric.score(own) == pytest.approx(found, nan_ok=True)


def test_the_interval_of_a_coverage_is_told_to_be_wilsons():
    text = str(tallystick.score(make(0, 40, 20), metrics="coverage_at_accuracy(.4)"))
    assert "95% confidence intervals: Wilson." in text

"""The mean of several metrics: values by scikit-learn's, joint resamples, and what is rejected."""

import math
from typing import Any

import numpy as np
import pandas
import pytest
import scipy.stats
from msgspec.structs import replace
from sklearn import metrics as sk

import tallystick
from oracle import near
from tallystick import Columns, Intervals, Testing
from tallystick import metrics as m
from tallystick.errors import UsageError
from tallystick.kinds.metrics.names import parse

PARTS = (m.ROCAUC(), m.BrierComplement(), m.CAt1(), m.F1(), m.F05U())
"""PAN's overall score, where labels are not derived from probabilities of just 0.5."""


def draw_table(size, seed=3):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, size)
    gold[:2] = 0, 1
    rows = []
    for system, skill in (("a", 1.2), ("b", 0.6)):
        scores = np.round(1 / (1 + np.exp(-(skill * (2 * gold - 1) + rng.normal(0, 1, size)))), 3)
        rows.append(
            pandas.DataFrame(
                {
                    "id": np.arange(size),
                    "system": system,
                    "label": gold,
                    "y_prob": scores,
                    "y_pred": (scores >= 0.5).astype(int),
                    "genre": np.array(["x", "y", "z"])[np.arange(size) % 3],
                    "author": np.arange(size) // 5,
                }
            )
        )
    return pandas.concat(rows, ignore_index=True)


TABLE = draw_table(240)


def ask_sklearn(table):
    gold, scores, labels = (table[name].to_numpy() for name in ("label", "y_prob", "y_pred"))
    parts = [
        sk.roc_auc_score(gold, scores),
        1 - sk.brier_score_loss(gold, scores),
        sk.accuracy_score(gold, labels),
        sk.f1_score(gold, labels),
        sk.fbeta_score(gold, labels, beta=0.5),
    ]
    return float(np.mean(parts))


def score_table(*metrics, table=TABLE, **options):
    options.setdefault("intervals", Intervals(resamples=100))
    return tallystick.score(table, metrics=list(metrics), system_column="system", **options)


def test_values_are_those_of_sklearn():
    result = score_table(m.MeanOf(*PARTS), by="genre", intervals=False)
    for system, own in TABLE.groupby("system"):
        genres = [ask_sklearn(part) for _, part in own.groupby("genre")]
        expected = [*genres, np.mean(genres), ask_sklearn(own)]
        values = [one.value for one in result.scores if one.system == system]
        assert [near(value) for value in expected] == values


@pytest.mark.deep
def test_values_are_those_of_sklearn_on_random_samples():
    parts = [
        draw_table(3 + seed % 20, seed).assign(seed=seed, y_prob=lambda one: one["y_prob"].round(1))
        for seed in range(60)
    ]
    table = pandas.concat(parts).drop(columns="id")
    result = score_table(m.MeanOf(*PARTS), table=table, by="seed", intervals=False)
    expected = {
        (system, str(seed)): near(ask_sklearn(own))
        for (system, seed), own in table.groupby(["system", "seed"])
    }
    groups = [one for one in result.scores if one.group not in ("macro", "micro")]
    assert expected == {(one.system, one.group): one.value for one in groups}


@pytest.mark.parametrize("parts", [(m.F1(), m.Accuracy()), (m.MCC(), m.F1("macro"), m.Accuracy())])
def test_metrics_of_one_kind_have_the_mean_of_their_values(parts):
    (mean, *others) = score_table(m.MeanOf(*parts), *parts, intervals=False).scores[
        : 1 + len(parts)
    ]
    assert near(np.mean([one.value for one in others])) == mean.value


def test_repeated_tries_have_means_too():
    table = pandas.DataFrame({"id": [1, 1, 1, 2, 2, 2], "correct": [1, 1, 0, 0, 1, 0]})
    result = tallystick.score(
        table, metrics=[m.MeanOf(m.PassAtK(1), m.PassHatK(2)), "pass@1", "pass^2"]
    )
    mean, one, two = (score.value for score in result.scores)
    assert near((one + two) / 2) == mean


def test_resamples_are_of_whole_examples():
    sure = TABLE.assign(y_prob=TABLE["y_pred"].astype(float))
    mean, *_ = score_table(m.MeanOf(m.BrierComplement(), m.CAt1()), table=sure).scores
    accuracy, *_ = score_table(m.Accuracy(), table=sure).scores
    assert near(accuracy.value) == mean.value
    assert pytest.approx(accuracy.high - accuracy.low, rel=0.2) == mean.high - mean.low


def test_clusters_make_intervals_of_their_own():
    plain, clustered = (
        score_table(m.MeanOf(*PARTS), **options).scores[0]
        for options in ({}, {"clusters": "author"})
    )
    assert plain.value == clustered.value
    assert "clusters" in clustered.method
    assert (plain.low, plain.high) != (clustered.low, clustered.high)


def test_equal_systems_do_not_differ():
    own = TABLE[TABLE.system == "a"]
    same = pandas.concat([own, own.assign(system="b")])
    options = {"system_column": "system", "testing": Testing(resamples=100)}
    for table, least, most in ((same, 0.5, 1.0), (TABLE, 0.0, 0.01)):
        (found,) = tallystick.compare(table, metrics=[m.MeanOf(*PARTS)], **options).differences
        assert least <= found.p <= most


def test_the_complement_of_the_brier_score_has_its_interval():
    loss, gain = (
        score_table(metric, by="genre").scores for metric in (m.BrierScore(), m.BrierComplement())
    )
    for one, other in zip(loss, gain, strict=True):
        found = [other.low, other.value, other.high]
        assert near([1 - one.high, 1 - one.value, 1 - one.low]) == found


@pytest.mark.parametrize("metrics", [
    [m.MeanOf(m.ROCAUC(), m.F1())],
    [m.MeanOf(m.ROCAUC(), m.F1()), m.Accuracy(), m.ROCAUC(), m.BrierScore()],
], ids=["alone", "beside others"])  # fmt: skip
def test_parts_of_other_names_score_as_all_rows(tmp_path, metrics):
    table = TABLE[TABLE.system == "a"]
    options: dict[str, Any] = {"metrics": metrics, "system_column": "system"}
    parts = (table[table.id < 100], table[table.id >= 100].assign(system="b"))
    for place, part in enumerate(parts):
        tallystick.count(part, **options).save(tmp_path / f"{place}.tally")
    counted = tallystick.load(tmp_path / "0.tally", tmp_path / "1.tally")
    intervals = Intervals(resamples=100)
    expected = tallystick.score(table, **options, intervals=intervals).scores

    assert expected == tallystick.score(counted, intervals=intervals).scores


def test_an_undefined_part_makes_the_mean_undefined():
    task = tallystick.Task("binary", ("0", "1"), "1")
    result = score_table(m.MeanOf(m.ROCAUC(), m.F1()), table=TABLE.assign(label=1), task=task)
    assert all(np.isnan(one.value) for one in result.scores)
    assert any("undefined, because roc_auc is, as always if" in one for one in result.notes)


@pytest.mark.parametrize(("text", "metric"), [
    ("mean_of(f1, accuracy)", m.MeanOf(m.F1(), m.Accuracy())),
    ("MeanOf(F1(average='macro'), ROCAUC())", m.MeanOf(m.F1("macro"), m.ROCAUC())),
    ("mean_of(roc_auc, 1-brier, c@1, f1, f0.5u)", m.MeanOf(*PARTS)),
    ("mean_of('pass@1', pass^5)", m.MeanOf(m.PassAtK(1), m.PassHatK(5))),
])  # fmt: skip
def test_names_are_those_of_the_parts(text, metric):
    assert metric == parse(text)
    assert metric == parse(repr(metric))


@pytest.mark.parametrize(("parts", "message"), [
    ((m.F1(),), "two metrics or more"),
    ((m.F1(), m.F1()), "which differ"),
    ((), "two metrics or more"),
    ((m.F1(), m.BrierScore()), "unlike brier_score; write 1-brier"),
    ((m.F1(), m.ECE()), "higher is better"),
    ((m.F1(None), m.Accuracy()), "one per label"),
    ((m.F1(), m.BLEU()), "not f1 with bleu"),
    ((m.F1(), "accuracy"), "MeanOf takes metrics"),
    ((m.F1(), m.MeanOf(m.F1(), m.Accuracy())), "MeanOf takes metrics"),
])  # fmt: skip
def test_means_that_say_nothing_are_rejected(parts, message):
    with pytest.raises(UsageError, match=message):
        m.MeanOf(*parts)


@pytest.mark.parametrize("text", [
    *("mean_of", "mean_of()", "mean_of(f1", "mean_of(f1, nope)"),
    "mean_of(" * 900 + "f1" + ")" * 900,
])  # fmt: skip
def test_names_that_are_no_means_are_rejected(text):
    with pytest.raises(UsageError):
        parse(text)


@pytest.mark.parametrize(
    "options",
    [{"weights": "author"}, {"prevalence": {"1": 0.2}}, {"columns": Columns(round_scores=2)}],
)
def test_labels_with_probabilities_are_neither_weighted_nor_rounded(options):
    with pytest.raises(UsageError):
        score_table(m.MeanOf(m.ROCAUC(), m.F1()), **options)


@pytest.mark.parametrize("metrics", ["mean_of(pearson, spearman)", "mean_of(spearmanr, pearsonr)"])
def test_correlations_of_values_and_of_ranks_have_a_mean(metrics):
    random = np.random.default_rng(8)
    gold = random.normal(size=300).round(1)
    output = (gold + random.normal(size=300)).round(1)
    groups = random.integers(3, size=300)
    scored = tallystick.score(gold, output, metrics, by=groups)

    for group in range(3):
        x, y = gold[groups == group], output[groups == group]
        expected = (scipy.stats.pearsonr(x, y)[0] + scipy.stats.spearmanr(x, y)[0]) / 2
        (found,) = (one.value for one in scored.scores if one.group == str(group))
        assert expected == pytest.approx(found, abs=1e-12)


def test_the_slopes_of_pearson_are_what_cells_change():
    gold, output = np.random.default_rng(9).normal(size=(2, 40)).round(1)
    (tally,) = tallystick.count(gold, output, "spearman").tallies.values()
    slopes, base = m.Pearson().influence(tally), m.Pearson().score(tally)

    for cell in range(0, len(tally.counts), 7):
        weights = np.stack([tally.counts, tally.counts]).astype(float)
        weights[:, cell] -= 1e-6
        lost = base - m.Pearson().score(replace(tally, weights=weights))
        assert slopes[cell] == pytest.approx(float(lost[0]) / 1e-6, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("output", [[0.1, 0.2, 0.3], [0.7, 0.7, 0.7]])
def test_constant_gold_has_no_mean_of_correlations(output):
    scored = tallystick.score([0.1, 0.1, 0.1], output, "mean_of(pearson, spearman)")
    assert math.isnan(scored.scores[0].value)


@pytest.mark.parametrize("by", [None, ["x", "y", "z"] * 10])
def test_labels_of_all_resamples_are_counted_at_once_as_one_by_one(by):
    rng = np.random.default_rng(0)
    gold, scores = rng.choice(["no", "yes"], 30).tolist(), rng.random(30)
    metric = m.MeanOf(m.ROCAUC(), m.F1("macro"), m.MCC())
    data = tallystick.read(gold, {"a": scores}, task="binary", positive="yes", by=by)
    tally = data.count(metric).tally(metric)
    (drawn,) = tally.resample(20, 1)
    taken = (tally.take(np.repeat(np.arange(30), own)) for own in drawn.times)
    assert repr([metric.score(own).tolist() for own in taken]) == repr(
        metric.score(drawn).tolist()
    )  # NaN is no number to compare

"""Facts about the intervals of whole evaluations, put to samples drawn row by row."""

import math
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk

import tallystick
from systems import pair, pair_texts
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.metrics import F1, WER
from tallystick.statistics.settings import Intervals

RNG = np.random.default_rng(7)
GOLD = RNG.integers(0, 2, 300)
GUESSED = np.where(RNG.random(300) < 0.8, GOLD, 1 - GOLD)
PROBABILITIES = np.clip(0.3 * GOLD + 0.7 * RNG.random(300), 0, 1)
PUBLISHED = [
    ("tweeteval/emotion/gold.txt", "tweeteval/emotion/predicted.txt"),
    ("tweeteval/hate/gold.txt", "tweeteval/hate/predicted.txt"),
    ("tweeteval/irony/gold.txt", "tweeteval/irony/predicted.txt"),
    ("tweeteval/sentiment/gold.txt", "tweeteval/sentiment/predicted.txt"),
    ("aita/true_labels_dev.txt", "aita/predicted_labels_NN.txt"),
]


def score_resamples(metric, tally, resamples):
    return np.concatenate([metric.score(chunk)[:, 0] for chunk in tally.resample(resamples, 1)])


def vary_macro_f1(counts):
    shares = counts / counts.sum()
    sums = shares.sum(0) + shares.sum(1)
    scores = 2 * np.diag(shares) / sums
    gaps = (sums - 2 * np.diag(shares)) / sums
    own = (scores * gaps / sums * (gaps + scores / 2)).sum()
    weights = np.outer(scores / sums, scores / sums)
    others = (shares * weights).sum() - (np.diag(shares) * np.diag(weights)).sum()
    return float(2 * (own + others) / (len(sums) ** 2 * counts.sum()))


def read_codes(shared, name):
    return (shared / "data" / name).read_text().lower().split()


def find(result, name):
    return next(one for one in result.scores if one.name == name and one.group in (None, "micro"))


@pytest.mark.deep
@pytest.mark.parametrize(("gold", "predicted"), PUBLISHED)
def test_resamples_of_counts_are_those_of_rows(shared, gold, predicted):
    names, codes = np.unique(
        read_codes(shared, gold) + read_codes(shared, predicted), return_inverse=True
    )
    true, guess = np.split(codes.reshape(-1), 2)
    if len(true) > 3000:
        true, guess = true[:3000], guess[:3000]
    picks = np.random.default_rng(5).integers(0, len(true), (400, len(true)))
    rows = [
        sk.f1_score(true[pick], guess[pick], average="macro", zero_division=0) for pick in picks
    ]
    counts = score_resamples(
        F1("macro", zero_division=0), Confusion().count(pair(true, guess)), 4000
    )
    error = np.std(rows)

    assert len(names) > 1
    assert pytest.approx(np.std(counts), rel=0.12) == error
    assert pytest.approx(np.quantile(counts, [0.025, 0.975]), abs=0.4 * error) == np.quantile(
        rows, [0.025, 0.975]
    )


@pytest.mark.parametrize("labels", [2, 3, 6])
def test_resamples_scatter_as_the_closed_form_says(labels):
    rng = np.random.default_rng(labels)
    gold = rng.integers(0, labels, 4000)
    guessed = np.where(rng.random(4000) < 0.7, gold, rng.integers(0, labels, 4000))
    tally = Confusion().count(pair(gold, guessed))
    drawn = score_resamples(F1("macro"), tally, 20_000)

    assert pytest.approx(math.sqrt(vary_macro_f1(tally.tabulate()[0])), rel=0.02) == float(
        np.nanstd(drawn, axis=0, ddof=1)
    )


def test_every_score_has_an_interval_around_it():
    metrics = ["accuracy", "f1", "mcc", "roc_auc", "average_precision", "brier_score", "log_loss"]
    result = tallystick.score(GOLD, PROBABILITIES, metrics=metrics, by=GOLD[::-1])
    assert all(one.low <= one.value <= one.high for one in result.scores)
    assert {0.95} == {one.confidence for one in result.scores}
    assert all(one.method for one in result.scores)


def test_without_intervals_there_is_none():
    (score,) = tallystick.score(GOLD, GUESSED, metrics="accuracy", intervals=False).scores
    assert (True, None, None) == (math.isnan(score.low), score.confidence, score.method)


@pytest.mark.parametrize(("metric", "method"), [
    ("accuracy", "Wilson"),
    ("f1", "Wilson on the Jaccard index"),
    ("roc_auc", "Wilson at the effective size"),
    ("mcc", "Wilson at the effective size"),
    ("macro_f1", "Wilson at the effective size"),
    ("brier_score", "Wilson at the effective size"),
    ("log_loss", "Student's t on a logarithmic scale"),
])  # fmt: skip
def test_the_method_is_named(metric, method):
    assert method == find(tallystick.score(GOLD, PROBABILITIES, metrics=metric), metric).method


def test_the_interval_of_f1_is_that_of_its_jaccard_index():
    both = ((GOLD == 1) & (GUESSED == 1)).sum()
    union = ((GOLD == 1) | (GUESSED == 1)).sum()
    z = 1.959963984540054
    centre = (both + z * z / 2) / (union + z * z)
    half = z * math.sqrt(both * (union - both) / union + z * z / 4) / (union + z * z)
    score = find(tallystick.score(GOLD, GUESSED, metrics="f1"), "f1")

    assert pytest.approx([2 * j / (1 + j) for j in (centre - half, centre + half)]) == [
        score.low,
        score.high,
    ]


def test_the_confidence_is_asked_for():
    wide, usual = (
        find(tallystick.score(GOLD, GUESSED, metrics="mcc", intervals=Intervals(confidence)), "mcc")
        for confidence in (0.99, 0.95)
    )
    assert (0.99, True, True) == (wide.confidence, wide.low < usual.low, usual.high < wide.high)


@pytest.mark.parametrize("metric", ["mcc", "macro_f1", "brier_score"])
def test_no_seed_changes_an_interval(metric):
    ends = [
        find(
            tallystick.score(
                GOLD, PROBABILITIES, metrics=metric, intervals=Intervals(random_seed=seed)
            ),
            metric,
        ).low
        for seed in (1, 2)
    ]

    assert ends[0] == ends[1]


def test_a_group_has_its_interval_whatever_others_there_are():
    groups = np.array(["a", "b", "c"])[np.arange(300) % 3]
    whole = tallystick.score(GOLD, GUESSED, metrics="mcc", by=groups)
    few = groups != "b"
    part = tallystick.score(GOLD[few], GUESSED[few], metrics="mcc", by=groups[few])
    ends = [
        [(one.low, one.high) for one in result.scores if one.group in ("a", "c")]
        for result in (whole, part)
    ]

    assert ends[0] == ends[1]


def test_texts_of_one_document_are_resampled_together():
    words = np.random.default_rng(1).choice(["one", "two", "three", "four"], (60, 8))
    texts = [" ".join(row) for row in words]
    others = [" ".join(row[:6]) for row in words[::-1]]
    names = [str(index) for index in range(60)]
    once = tallystick.score(others, texts, metrics=["bleu", "wer"], clusters=names)
    copied = tallystick.score(others * 3, texts * 3, metrics=["bleu", "wer"], clusters=names * 3)
    ends = [[(one.low, one.high) for one in result.scores] for result in (once, copied)]

    assert pytest.approx(np.array(ends[0])) == np.array(ends[1])


def test_clusters_that_agree_within_widen_an_interval():
    gold, names = np.ones(200, int), np.arange(200) // 20
    gold[0] = 0
    guessed = np.where(names < 7, gold, 1 - gold)
    plain = find(tallystick.score(gold, guessed, metrics="accuracy"), "accuracy")
    apart = find(tallystick.score(gold, guessed, metrics="accuracy", clusters=names), "accuracy")
    assert apart.high - apart.low > 3 * (plain.high - plain.low)


@pytest.mark.parametrize("metric", ["accuracy", "brier_score"])
def test_a_single_cluster_has_no_interval(metric):
    score = find(
        tallystick.score(GOLD, PROBABILITIES, metrics=metric, clusters=["one"] * 300), metric
    )
    assert (True, None) == (math.isnan(score.low), score.method)


@pytest.mark.parametrize("names", [None, list("abcdef")], ids=["texts", "clusters"])
def test_few_texts_or_clusters_widen_an_interval(names):
    texts = ["a b c d", "a b c e", "a b f g", "a x y z", "b c d e", "q r s t"]
    (score,) = tallystick.score(["a b c d"] * 6, texts, metrics="wer", clusters=names).scores
    tally = WER().counter.count(pair_texts(["a b c d"] * 6, texts))
    ends = np.quantile(
        [WER().score(one).ravel() for one in tally.resample(1000, 12345)], [0.025, 0.975]
    )

    assert score.low < ends[0]
    assert ends[1] < score.high


@pytest.mark.parametrize("clusters", [None, np.arange(300) // 3], ids=["plain", "clusters"])
def test_a_system_has_its_interval_whatever_others_there_are(clusters):
    metrics = ["accuracy", "macro_f1", "mcc", "roc_auc", "average_precision", "brier_score"]
    systems = {"mine": PROBABILITIES, "other": PROBABILITIES[::-1], "third": 1 - PROBABILITIES}
    options: dict[str, Any] = {"by": GOLD[::-1], "clusters": clusters}
    found = [
        [
            (one.group, one.metric, one.value, one.low, one.high, one.method)
            for one in tallystick.score(GOLD, some, metrics, **options).scores
            if one.system == "mine"
        ]
        for some in ({"mine": PROBABILITIES}, systems)
    ]

    assert found[0] == found[1]


def test_average_precision_is_no_surer_than_a_share_of_the_positives():
    gold, scores = np.arange(50) >= 47, np.linspace(0, 1, 50)
    score = find(
        tallystick.score(gold.astype(int), scores, metrics="average_precision"), "average_precision"
    )
    recall = find(tallystick.score(gold.astype(int), gold.astype(int), metrics="recall"), "recall")
    assert (1.0, 1.0) == (score.value, recall.value)
    assert pytest.approx((recall.low, recall.high)) == (score.low, score.high)


def test_an_error_of_rounding_is_no_scatter():
    gold = np.array([[1, 0, 0], [0, 1, 0]] * 20)
    score = find(
        tallystick.score(gold, gold[::-1], metrics="hamming_loss", task="multilabel"),
        "hamming_loss",
    )
    assert score.high - score.low > 0.2


def test_weights_make_for_fewer_examples():
    widths = []
    for weights in (np.ones(300), np.where(np.arange(300) % 2, 1.0, 1e-6)):
        result = tallystick.score(GOLD, GUESSED, metrics="accuracy", weights=weights)
        score = find(result, "accuracy")
        widths.append(score.high - score.low)
    plain = find(tallystick.score(GOLD, GUESSED, metrics="accuracy"), "accuracy")

    assert pytest.approx(plain.high - plain.low, rel=0.1) == widths[0]
    assert pytest.approx(math.sqrt(2), rel=0.15) == widths[1] / widths[0]


def test_a_perfect_system_is_not_certain():
    score = find(
        tallystick.score(["a", "b", "c"] * 3, ["a", "b", "c"] * 3, metrics="macro_f1"), "macro_f1"
    )
    assert (1.0, True) == (score.high, score.low < 0.8)


def test_perfect_texts_are_bounded_as_a_share():
    metrics = ["bleu", "wer", "rouge1"]
    texts = ["a b c d"] * 20
    found = {one.name: one for one in tallystick.score(texts, texts, metrics).scores}
    low = 20 / (20 + 1.959963984540054**2)
    assert pytest.approx([100 * low, low]) == [found["bleu"].low, found["rouge1"].low]
    assert pytest.approx([0, 1 - low]) == [found["wer"].low, found["wer"].high]


def test_a_single_text_has_no_interval():
    found = tallystick.score(["a b c d"], ["a b c d"], ["bleu", "wer", "rouge1"]).scores
    assert all(math.isnan(one.low) and math.isnan(one.high) for one in found)


def test_a_mean_over_groups_looks_at_their_own_intervals():
    gold = np.tile([1, 1, *[0] * 18], 4)
    found = tallystick.score(
        gold, np.roll(gold, 5), "f1", by=np.arange(80) // 20, task="binary"
    ).scores
    (macro,) = (one for one in found if one.group == "macro")
    assert (0, True) == (macro.value, macro.high > 0.2)

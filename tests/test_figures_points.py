"""The points of curves, scores by length and mean ranks, from tallies."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.metrics import precision_recall_curve, roc_curve

import tallystick
from figures import HOSTILE, read
from places import place
from tallystick.comparison.ranking.overall_ranking import add_standings
from tallystick.output.figures.drawing import draw_svg
from tallystick.output.figures.figure import list_figures
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.records import ProbabilityCurve
from tallystick.scoring.curve_data import thin


def invent(size: int, *, digits: int = 17, seed: int = 1) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    gold = (random.random(size) < 0.3).astype(int)
    return gold, np.round(np.clip(random.normal(0.4 + 0.2 * gold, 0.2), 0, 1), digits)


def make_curve(gold: Any, probabilities: Any, **options: Any) -> ProbabilityCurve:
    (curve,) = tallystick.score(gold, probabilities, ["roc_auc"], **options).curves
    return curve


@pytest.mark.parametrize("digits", [1, 2, 17])
def test_the_points_of_roc_are_those_of_scikit_learn(digits):
    gold, probabilities = invent(250, digits=digits)
    curve = make_curve(gold, probabilities)
    false, true, thresholds = roc_curve(gold, probabilities, drop_intermediate=False)
    assert curve.exact
    assert thresholds[1:].tolist() == list(curve.thresholds)
    assert false[1:] == pytest.approx(np.array(curve.false_positives) / curve.negatives)
    assert true[1:] == pytest.approx(np.array(curve.true_positives) / curve.positives)


def test_precision_is_that_of_scikit_learn():
    gold, probabilities = invent(200)
    curve = make_curve(gold, probabilities)
    true, false = np.array(curve.true_positives), np.array(curve.false_positives)
    precision, _, thresholds = precision_recall_curve(gold, probabilities)
    assert thresholds[::-1].tolist() == list(curve.thresholds)
    assert precision[:-1][::-1] == pytest.approx(true / (true + false))


def test_the_bins_are_those_of_scikit_learn():
    gold, probabilities = invent(500)
    bins = make_curve(gold, probabilities).bins
    share, mean = calibration_curve(gold, probabilities, n_bins=10)
    intervals = [
        binomtest(round(one.share * one.n), one.n).proportion_ci(method="wilson") for one in bins
    ]

    assert share == pytest.approx([one.share for one in bins])
    assert mean == pytest.approx([one.mean for one in bins])
    many = [3 < one.share * one.n < one.n - 3 for one in bins]
    assert sum(many) > 5
    assert np.array(intervals)[many] == pytest.approx(
        np.array([(one.low, one.high) for one in bins])[many], abs=1e-12
    )


def test_the_bins_are_as_many_as_those_of_the_calibration_error():
    curve = tallystick.score([0, 1, 1], [0.25, 0.5, 0.75], ["ECE(bins=4)"]).curves[0]
    assert [(1, 0.25), (1, 0.5), (1, 0.75)] == [(one.n, one.mean) for one in curve.bins]


@pytest.mark.parametrize("size", [301, 5000, 60_000])
@pytest.mark.parametrize("digits", [3, 17])
def test_a_thinned_curve_stays_close(size, digits):
    gold, probabilities = invent(size, digits=digits)
    curve = make_curve(gold, probabilities)
    false, true, _ = roc_curve(gold, probabilities, drop_intermediate=False)
    kept = (
        np.array([0, *curve.false_positives]) / curve.negatives,
        np.array([0, *curve.true_positives]) / curve.positives,
    )

    assert len(curve.thresholds) <= 300
    assert measure(kept, (false, true)) < 2e-3


def measure(line: tuple[Any, Any], points: tuple[Any, Any]) -> float:
    starts, ends = (np.stack([part[at] for part in line], -1) for at in (slice(-1), slice(1, None)))
    along = ends - starts
    worst = 0.0
    for point in np.stack(points, -1)[::7]:
        lengths = np.maximum((along**2).sum(1), 1e-300)
        shares = np.clip(((point - starts) * along).sum(1) / lengths, 0, 1)
        worst = max(worst, np.hypot(*(starts + shares[:, None] * along - point).T).min())
    return worst


def test_the_points_that_are_kept_lie_on_the_curve():
    gold, probabilities = invent(20_000)
    curve = make_curve(gold, probabilities)

    assert not curve.exact
    for threshold, true, false in list(
        zip(curve.thresholds, curve.true_positives, curve.false_positives, strict=True)
    )[::25]:
        assert (true, false) == (
            gold[probabilities >= threshold].sum(),
            (1 - gold)[probabilities >= threshold].sum(),
        )


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_weights_count_as_often(kind):
    gold, probabilities = invent(100)
    probabilities = probabilities.astype(kind)
    weights = np.arange(100) % 3 + 1
    twice = make_curve(np.repeat(gold, weights), np.repeat(probabilities, weights))
    weighed = make_curve(gold, probabilities, weights=weights)

    assert twice.thresholds == weighed.thresholds
    assert twice.true_positives == weighed.true_positives
    assert twice.false_positives == weighed.false_positives
    assert [(one.n, one.share) for one in twice.bins] == [
        (one.n, pytest.approx(one.share)) for one in weighed.bins
    ]
    assert weighed.confidence is None


def test_groups_are_put_together():
    gold, probabilities = invent(120)
    alone, grouped = (
        make_curve(gold, probabilities, by=by) for by in (None, ["en", "es", "it"] * 40)
    )

    assert replace(alone, bins=()) == replace(grouped, bins=())
    for one, other in zip(alone.bins, grouped.bins, strict=True):
        assert (one.n, one.share) == (other.n, other.share)
        assert one.mean == pytest.approx(other.mean)


def test_each_label_has_a_curve():
    random = np.random.default_rng(3)
    gold = random.integers(0, 3, 90)
    chances = random.dirichlet([1, 1, 1], 90)
    task = tallystick.Task(kind="multiclass", labels=(0, 1, 2))
    curves = tallystick.score(gold, chances, ["roc_auc"], task=task).curves

    assert ["0", "1", "2"] == [one.label for one in curves]
    for label, curve in enumerate(curves):
        false, true, _ = roc_curve(gold == label, chances[:, label], drop_intermediate=False)
        assert true[1:] == pytest.approx(np.array(curve.true_positives) / curve.positives)
        assert false[1:] == pytest.approx(np.array(curve.false_positives) / curve.negatives)


def test_many_labels_have_no_curves():
    chances = np.random.default_rng(3).dirichlet([1] * 13, 130)
    task = tallystick.Task(kind="multiclass", labels=tuple(range(13)))
    assert () == tallystick.score([*range(13)] * 10, chances, ["roc_auc"], task=task).curves


def test_metrics_of_labels_alone_have_no_curves():
    gold, probabilities = invent(50)
    assert () == tallystick.score(gold, probabilities, ["f1"]).curves


def test_a_curve_of_one_label_is_drawn():
    curve = make_curve(
        [1, 1, 1], [0.2, 0.4, 0.4], task=tallystick.Task(kind="binary", positive=1, labels=(0, 1))
    )

    assert (3, 0, (2, 3), (0, 0)) == (
        curve.positives,
        curve.negatives,
        curve.true_positives,
        curve.false_positives,
    )


def test_corners_are_kept_first():
    line = np.array([[0, 1, 2, 3, 4.0], [0, 0, 0, 1, 2]])
    assert [0, 2, 4] == thin(line, 5, 0.01).tolist()
    assert [0, 4] == thin(line, 2, 0.01).tolist()
    assert [0, 4] == thin(np.array([[0, 1, 2, 3, 4.0]] * 2), 5, 0.01).tolist()


TEXTS = [f"the {'big ' * (at * 7 % 23)}cat sat there on mat {at % 5}" for at in range(200)]
OUTPUTS = [
    text.replace("big big", "big", at % 4).replace("cat", "dog", at % 2)
    for at, text in enumerate(TEXTS)
]


@pytest.mark.parametrize("metric", ["bleu", "chrf", "wer", "ter", "cer"])
def test_a_score_by_length_is_that_of_the_examples_alone(metric):
    count = (
        len
        if metric == "cer"
        else lambda text: len(text.replace(" ", "")) if metric == "chrf" else len(text.split())
    )
    whole = tallystick.score(TEXTS, {"one": TEXTS, "two": OUTPUTS}, [metric], intervals=False)

    assert {"one", "two"} == {one.system for one in whole.lengths}
    assert 2 * len(TEXTS) == sum(one.n for one in whole.lengths)
    for one in whole.lengths:
        rows = [at for at, text in enumerate(TEXTS) if one.shortest <= count(text) <= one.longest]
        outputs = TEXTS if one.system == "one" else OUTPUTS
        own = tallystick.score(
            [TEXTS[at] for at in rows], [outputs[at] for at in rows], [metric], intervals=False
        )
        assert (own[metric], len(rows)) == (pytest.approx(one.value, abs=1e-9), one.n)


@pytest.mark.parametrize(
    ("metrics", "unit"),
    [(["bleu"], "tokens"), (["wer"], "words"), (["cer"], "characters"), (["chrf"], "characters")],
)
def test_the_unit_of_lengths_is_told(metrics, unit):
    scored = tallystick.score(TEXTS, OUTPUTS, metrics, intervals=False)
    assert {unit} == {one.unit for one in scored.lengths}


def test_a_metric_that_counts_no_lengths_takes_those_of_another():
    scored = tallystick.score(TEXTS, OUTPUTS, ["rouge1", "bleu"], intervals=False)
    bins = {
        name: [(one.shortest, one.longest, one.n) for one in scored.lengths if one.name == name]
        for name in ("rouge1", "bleu")
    }
    short = [at for at, text in enumerate(TEXTS) if len(text.split()) <= bins["bleu"][0][1]]
    own = tallystick.score(
        [TEXTS[at] for at in short], [OUTPUTS[at] for at in short], ["rouge1"], intervals=False
    )

    assert bins["bleu"] == bins["rouge1"]
    assert own["rouge1"] == pytest.approx(
        next(one.value for one in scored.lengths if one.name == "rouge1"), abs=1e-12
    )
    assert () == tallystick.score(TEXTS, OUTPUTS, ["rouge1"], intervals=False).lengths


def test_the_order_of_examples_does_not_matter():
    order = np.random.default_rng(5).permutation(len(TEXTS))
    there, shuffled = (
        tallystick.score(
            [TEXTS[at] for at in rows],
            [OUTPUTS[at] for at in rows],
            ["bleu", "rougeL"],
            intervals=False,
        ).lengths
        for rows in (range(len(TEXTS)), order)
    )

    assert there == shuffled


def test_examples_in_clusters_have_no_lengths():
    clusters = [at // 4 for at in range(len(TEXTS))]
    assert (
        () == tallystick.score(TEXTS, OUTPUTS, ["bleu"], clusters=clusters, intervals=False).lengths
    )


def test_few_examples_are_one_bin():
    scored = tallystick.score(TEXTS[:39], OUTPUTS[:39], ["bleu"], intervals=False)
    assert [39] == [one.n for one in scored.lengths]


def rank(values, names, overall="mean_rank"):
    places = [
        place(name, value, group=f"set{at}")
        for at, row in enumerate(values.tolist())
        for name, value in zip(names, row, strict=True)
    ]
    main = [place(name, 0.5, group="macro") for name in names]
    return add_standings(Ranking((*main, *places)), overall, "exclude")


def invent_ranks(systems, sets=20, seed=0, names=None):
    drawn = np.random.default_rng(seed).normal(np.arange(systems) * 0.4, 1, (sets, systems))
    return rank(drawn / 100, names or [f"s{at}" for at in range(systems)])


def draw(ranking):
    return ranking.figure("critical-difference").spec


def list_bars(spec):
    (layer,) = (one for one in spec["layer"] if one["mark"]["style"] == "whisker")
    return [(one["low"], one["high"], one["y"]) for one in layer["data"]["values"]]


@pytest.mark.parametrize("overall", ["mean_rank", "borda"])
def test_the_diagram_holds_the_mean_ranks_of_all_systems(overall):
    found = rank(np.array([[0.9, 0.8, 0.7, 0.6, 0.5]] * 6), "abcde", overall)
    rows = draw(found)["data"]["values"]
    assert ["right", "right", "right", "left", "left"] == [one["side"] for one in rows]
    assert list(found.friedman.mean_ranks) == [one["mean_rank"] for one in rows]


@pytest.mark.parametrize("systems", [3, 4, 8, 15, 30])
def test_a_bar_joins_the_systems_that_share_a_letter(systems):
    for seed in range(5):
        found = invent_ranks(systems, seed=seed)
        test = found.friedman
        ranks = {letter: [] for own in test.letters for letter in own}
        for own, mean in zip(test.letters, test.mean_ranks, strict=True):
            for letter in own:
                ranks[letter].append(mean)
        expected = [(min(own), max(own)) for own in ranks.values() if len(own) > 1]

        assert sorted(expected) == [bar[:2] for bar in list_bars(draw(found))]


def test_bars_of_one_height_are_apart():
    for seed in range(20):
        bars = list_bars(draw(invent_ranks(15, seed=seed)))
        for low, _, height in bars:
            assert all(end < low - 0.4 for start, end, y in bars if y == height and start < low)


def test_the_critical_difference_is_drawn_to_scale():
    found = invent_ranks(3, sets=2)
    spec = draw(found)
    (row,) = spec["layer"][-1]["data"]["values"]
    assert found.friedman.critical_difference == pytest.approx(row["from"] - row["to"])
    assert row["to"] < 1
    assert [row["to"], 3] == spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert "CD = 2.34 (p < 0.05)" == row["text"]


def test_level_systems_share_one_bar():
    assert [(2.0, 2.0)] == [bar[:2] for bar in list_bars(draw(rank(np.full((6, 3), 0.5), "abc")))]


def test_any_names_can_be_drawn():
    names = [*HOSTILE[:8], *(f"team-{at:02}/a-very-long-run-name-with-ensemble" for at in range(7))]
    spec = draw(invent_ranks(15, names=names))
    svg = draw_svg(spec)
    assert 15 == len({one["name"] for one in spec["data"]["values"]})
    assert all(f"team-{at:02}/" in svg for at in range(7))


def test_a_ranking_without_the_test_has_no_diagram():
    two = rank(np.array([[0.9, 0.8]] * 6), "ab")
    for found in (two, rank(np.array([[0.9, 0.8, 0.7]] * 6), "abc", "mean")):
        assert "critical-difference" not in list_figures(read(found))

"""Scores of the labels of sets: areas, orders of labels and losses equal scikit-learn's."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import tallystick
from faults import call, write
from tallystick.errors import InputError
from tallystick.sklearn import scorer

AREAS = {"roc_auc": sk.roc_auc_score, "average_precision": sk.average_precision_score}
RANKS = {
    "lrap": sk.label_ranking_average_precision_score,
    "coverage_error": sk.coverage_error,
    "ranking_loss": sk.label_ranking_loss,
}
NAMES = ["a", "b", "c", "d", "e", "f"]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def draw(rng, n=None, wide=None):
    n, wide = n or int(rng.integers(1, 30)), wide or int(rng.integers(2, 7))
    gold = (rng.random((n, wide)) < rng.random(wide)).astype(int)
    gold[rng.random(n) < 0.1] = 0
    gold[rng.random(n) < 0.1] = 1
    scale = rng.integers(0, 4)
    scores = rng.random((n, wide)) if scale < 2 else rng.normal(0, 5, (n, wide))
    return gold, scores.round(1) if scale % 2 else scores


def score(gold, scores, metrics, **options):
    options = {"task": "multilabel", "labels": NAMES[: gold.shape[1]], "intervals": None} | options
    given = tallystick.Predictions(probabilities=scores)
    return [one.value for one in tallystick.score(gold, given, metrics, **options).scores]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("weighted", [False, True])
def test_orders_of_labels_equal_scikit_learn(seed, weighted):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        gold, scores = draw(rng)
        weights = rng.uniform(0.1, 3, len(gold)) if weighted else None
        expected = [peer(gold, scores, sample_weight=weights) for peer in RANKS.values()]
        assert expected == pytest.approx(score(gold, scores, [*RANKS], weights=weights), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_areas_of_label_sets_equal_scikit_learn(seed, weighted, average):
    rng = np.random.default_rng(seed)
    for _ in range(8):
        gold, scores = draw(rng)
        gold, scores = np.vstack([gold, gold * 0, gold * 0 + 1]), np.tile(scores, (3, 1))
        weights = rng.uniform(0.1, 3, len(gold)) if weighted else None
        options = {"average": average, "sample_weight": weights}
        expected = [peer(gold, scores, **options) for peer in AREAS.values()]
        names = [f"{average}_{name}" for name in AREAS]
        assert expected == pytest.approx(score(gold, scores, names, weights=weights), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_areas_by_example_leave_out_examples_without_one(seed):
    gold, scores = draw(np.random.default_rng(seed), 25)
    rows = [*zip(gold, scores, strict=True)]
    wide = gold.shape[1]
    expected = [
        np.mean([sk.roc_auc_score(*row) for row in rows if 0 < row[0].sum() < wide]),
        np.mean([sk.average_precision_score(*row) for row in rows if row[0].any()]),
    ]
    assert expected == pytest.approx(score(gold, scores, [f"samples_{one}" for one in AREAS]))


def test_a_label_without_positives_makes_a_macro_area_undefined():
    gold, scores = np.array([[0, 1], [0, 0]]), np.array([[0.2, 0.7], [0.1, 0.3]])
    assert np.isnan(score(gold, scores, ["roc_auc", "average_precision"])).all()
    assert [1, 1] == score(gold, scores, ["ROCAUC(label=b)", "AveragePrecision(label=b)"])


def test_losses_are_means_over_labels():
    rng = np.random.default_rng(1)
    gold, scores = rng.integers(0, 2, (40, 3)), rng.random((40, 3))
    losses = [sk.log_loss(gold[:, at], scores[:, at]) for at in range(3)]
    expected = [np.mean(losses), np.mean((gold - scores) ** 2)]
    assert expected == pytest.approx(score(gold, scores, ["log_loss", "brier_score"]))
    with pytest.raises(InputError, match="log_loss needs probabilities"):
        score(gold, scores * 9 - 4, ["log_loss"])


def test_each_label_has_a_score():
    gold, scores = draw(np.random.default_rng(11), 60, 3)
    found = tallystick.score(
        gold, scores, "ROCAUC(weighting=None)", task="multilabel", labels=NAMES[:3]
    )
    assert [f"roc_auc({name})" for name in NAMES[:3]] == [one.name for one in found.scores]
    expected = [sk.roc_auc_score(gold[:, at], scores[:, at]) for at in range(3)]
    assert expected == pytest.approx([one.value for one in found.scores])


FORMS = {
    "columns": lambda s: pd.DataFrame(s, columns=NAMES[:3]),
    "p_": lambda s: pd.DataFrame(s, columns=[f"p_{one}" for one in NAMES[:3]]),
    "y_prob_": lambda s: pd.DataFrame(s, columns=[f"y_prob_{one}" for one in NAMES[:3]]),
    "_prob": lambda s: pd.DataFrame(s, columns=[f"{one}_prob" for one in NAMES[:3]]),
    "lists": lambda s: pd.DataFrame({"probs": [json.dumps(row) for row in s.tolist()]}),
    "objects": lambda s: pd.DataFrame(
        {
            "probs": [
                json.dumps(dict(zip(NAMES[2::-1], row[::-1], strict=False))) for row in s.tolist()
            ]
        }
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sets", [False, True])
def test_files_have_scores_in_columns_or_cells(form, sets):
    gold, scores = draw(np.random.default_rng(12), 30, 3)
    gold[:3] = np.eye(3)
    scores = 1 / (1 + np.exp(-scores))
    table = pd.DataFrame(gold, columns=NAMES[:3])
    if sets:
        cells = ["|".join(np.array(NAMES[:3])[row == 1]) for row in gold]
        table = pd.DataFrame({"labels": cells})
    table.insert(0, "id", range(30))
    table.to_csv("g.csv", index=False)
    made = FORMS[form](scores)
    made.insert(0, "id", range(30))
    made.sample(frac=1, random_state=1).to_csv("p.csv", index=False)
    options = {"gold": "labels", "delimiter": "|"} if sets else {}
    found = tallystick.score(
        "g.csv", ["p.csv"], ["roc_auc", "lrap", "macro_f1"], intervals=None, **options
    )
    expected = [
        sk.roc_auc_score(gold, scores),
        sk.label_ranking_average_precision_score(gold, scores),
        sk.f1_score(gold, scores >= 0.5, average="macro", zero_division=0),
    ]
    assert expected == pytest.approx([one.value for one in found.scores])


def test_one_table_may_have_gold_and_scores():
    gold, scores = draw(np.random.default_rng(13), 30, 3)
    table = pd.DataFrame(gold, columns=NAMES[:3]).join(FORMS["p_"](scores))
    found = tallystick.score(table, metrics="roc_auc", intervals=None)["roc_auc"]
    assert found == pytest.approx(sk.roc_auc_score(gold, scores))


def test_objects_and_sets_in_memory_have_scores():
    gold, scores = draw(np.random.default_rng(14), 30, 3)
    sets = [[name for name, bit in zip(NAMES, row, strict=False) if bit] for row in gold]
    objects = [dict(zip(NAMES, row, strict=False)) for row in scores]
    for own in (objects, scores.tolist()):
        found = tallystick.score(sets, own, "roc_auc", intervals=None)["roc_auc"]
        assert found == pytest.approx(sk.roc_auc_score(gold, scores))


def test_a_threshold_makes_sets_of_scores():
    gold, scores = draw(np.random.default_rng(2), 30, 3)
    scores = scores * 0.1 + gold * 0.05
    for threshold in (0.3, 0.05):
        found = score(gold, scores, ["micro_f1"], threshold=threshold)
        assert found[0] == pytest.approx(sk.f1_score(gold, scores >= threshold, average="micro"))


def test_blocks_without_fractions_are_scores_too(monkeypatch):
    rows = "".join(f"{at},{at % 2},{at % 3 // 2}\n" for at in range(60))
    write({"g.csv": f"id,x,y\n{rows}", "p.csv": f"id,x,y\n{rows[:-1]}\n60,0.5,0.25\n"})
    with open("g.csv", "a") as file:
        file.write("60,1,1\n")
    found = tallystick.score("g.csv", ["p.csv"], "roc_auc", intervals=None)
    assert found["roc_auc"] == 1


def test_groups_clusters_tests_and_saved_counts():
    rng = np.random.default_rng(7)
    gold, scores = draw(rng, 80, 3)
    table = pd.DataFrame(gold, columns=NAMES[:3])
    table.insert(0, "id", range(80))
    table["lang"], table["doc"] = np.array(["x", "y"] * 40), np.arange(80) % 20
    table.to_csv("g.csv", index=False)
    for name in ("p", "q"):
        made = FORMS["p_"](scores if name == "p" else rng.normal(size=(80, 3)))
        made.insert(0, "id", range(80))
        made.to_csv(f"{name}.csv", index=False)
    metrics = ["roc_auc", "micro_average_precision", "lrap", "samples_roc_auc"]
    found = tallystick.score("g.csv", ["p.csv"], metrics, by="lang", clusters="doc")
    for language in ("x", "y"):
        here = table.lang == language
        own = next(one for one in found.scores if one.name == "roc_auc" and one.group == language)
        assert own.value == pytest.approx(sk.roc_auc_score(gold[here], scores[here]))
        assert own.low < own.value < own.high
    assert 0 == call("compare", "g.csv", "p.csv", "q.csv", "-m", *metrics).code
    assert 0 == call("rank", "g.csv", "p.csv", "q.csv", "-m", "roc_auc", "--by", "lang").code
    assert 0 == call("count", "g.csv", "p.csv", "q.csv", "-m", *metrics, "-o", "c.tally").code
    whole, kept = (
        tallystick.rank(*own)
        for own in (("g.csv", ["p.csv", "q.csv"], metrics), (tallystick.load("c.tally"),))
    )
    assert [one.value for one in whole.places] == [one.value for one in kept.places]
    assert 0 == call("score", "g.csv", "p.csv", "-m", "roc_auc", "-o", "r.html").code


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("area", AREAS)
def test_influence_is_the_derivative(area, average):
    name = f"{average}_{area}"
    rng = np.random.default_rng(3)
    gold, scores = draw(rng, 40, 3)
    weights, step = np.ones(40), 1e-6

    def value(own):
        return score(gold, scores, [name], weights=own)[0]

    from tallystick.kinds.labels.label_columns import LabelColumn, Output, from_matrix
    from tallystick.kinds.metrics.names import parse
    from tallystick.kinds.probabilities.areas import SetCurves
    from tallystick.model.codes import row_of
    from tallystick.model.systems import Systems

    sets = from_matrix(gold, NAMES[:3], row_of("gold"))
    column = LabelColumn(sets, (Output(sets, scores),))
    tally = SetCurves().count(Systems(("s",), {"labels": column}))
    slopes = parse(name).influence(tally)
    for row in range(0, 40, 7):
        moved = weights.copy()
        moved[row] += step
        assert slopes[row] == pytest.approx((value(moved) - value(weights)) / step, abs=1e-4)


def test_a_scorer_takes_scores_of_label_sets():
    data, gold = make_multilabel_classification(random_state=3, n_classes=3, n_samples=80)
    linear = OneVsRestClassifier(LogisticRegression()).fit(data, gold)
    margins = OneVsRestClassifier(LinearSVC()).fit(data, gold)
    forest = RandomForestClassifier(5, random_state=0).fit(data, gold)
    shares = np.stack(forest.predict_proba(data))[..., 1].T
    for model, scores in (
        (linear, linear.predict_proba(data)),
        (margins, margins.decision_function(data)),
        (forest, shares),
    ):
        for name, sign, peer in (
            ("roc_auc", 1, sk.roc_auc_score),
            ("lrap", 1, sk.label_ranking_average_precision_score),
            ("ranking_loss", -1, sk.label_ranking_loss),
        ):
            assert scorer(name)(model, data, gold) == pytest.approx(sign * peer(gold, scores))

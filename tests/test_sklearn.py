"""Any metric as a scorer in scikit-learn and Optuna, and the best of several models."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, precision_score
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import tallystick
from oracle import near
from tallystick import Scoring, scoring_defaults
from tallystick.errors import UsageError
from tallystick.metrics import F1, FPR, MCC, Accuracy, LogLoss, SScore
from tallystick.sklearn import Scorer, best_model, scorer

X, Y = make_classification(300, n_informative=4, n_classes=3, random_state=0)
BINARY = (Y > 0).astype(int)
TREE = DecisionTreeClassifier(random_state=0, max_depth=3)


@pytest.mark.parametrize(("ours", "theirs", "gold"), [
    ("accuracy", "accuracy", Y),
    ("balanced_accuracy", "balanced_accuracy", Y),
    ("f1", "f1_macro", Y),
    (F1(), "f1", BINARY),
    ("weighted_precision", "precision_weighted", Y),
    ("mcc", "matthews_corrcoef", Y),
    ("roc_auc", "roc_auc", BINARY),
    ("roc_auc", "roc_auc_ovr", Y),
    ("average_precision", "average_precision", BINARY),
    ("log_loss", "neg_log_loss", Y),
    ("brier_score", "neg_brier_score", BINARY),
], ids=str)  # fmt: skip
def test_scorer_is_that_of_scikit_learn(ours, theirs, gold):
    model = make_pipeline(StandardScaler(), GaussianNB())
    expected = cross_val_score(model, X, gold, scoring=get_scorer(theirs))
    assert near(expected) == cross_val_score(model, X, gold, scoring=scorer(ours))


@pytest.mark.parametrize(
    "names", [["no", "yes"], [False, True], [0.0, 1.0], [7, 3], ["10", "9"]], ids=str
)
def test_scorer_takes_labels_of_any_kind(names):
    gold = np.array(names)[BINARY]
    assert near(
        cross_val_score(
            TREE, X, gold, scoring=make_scorer(precision_score, pos_label=sorted(names)[1])
        )
    ) == cross_val_score(TREE, X, gold, scoring=scorer("precision", avg="binary"))


def test_scorer_weighs_examples():
    weights = np.arange(300) % 2
    model = TREE.fit(X, Y)
    expected = scorer("mcc")(model, X[1::2], Y[1::2])
    assert near(expected) == scorer("mcc")(model, X, Y, sample_weight=weights)


def test_scorer_knows_labels_that_a_fold_lacks():
    model = TREE.fit(X, Y)
    rest = Y != 2
    assert 0 < scorer(SScore(pos_label=2))(model, X[rest], Y[rest]) < 1


def test_scorer_scores_label_sets():
    gold = np.stack([Y == 0, BINARY], 1).astype(int)
    model = MultiOutputClassifier(TREE)
    expected = cross_val_score(model, X, gold, scoring=get_scorer("f1_micro"))
    assert near(expected) == cross_val_score(model, X, gold, scoring=scorer("micro_f1"))


@pytest.mark.parametrize("search", [
    lambda model, grid, scoring: GridSearchCV(model, grid, scoring=scoring),
    lambda model, grid, scoring: RandomizedSearchCV(
        model, grid, n_iter=2, scoring=scoring, random_state=0
    ),
    lambda model, grid, scoring: HalvingGridSearchCV(
        model, grid, scoring=scoring, random_state=0, min_resources=100
    ),
], ids=["grid", "random", "halving"])  # fmt: skip
def test_search_takes_a_scorer(search):
    chosen = scorer("s_score", secondary_scoring="recall", pos_label=2, strength=4)
    found = clone(search(TREE, {"max_depth": [1, 3, 5]}, chosen)).fit(X, Y)
    assert chosen == found.scoring
    assert found.best_index_ == int(np.argmax(found.cv_results_["mean_test_score"]))
    assert near(chosen(found.best_estimator_, X, Y)) == found.score(X, Y)


def test_several_scorers_go_together():
    found = cross_validate(TREE, X, Y, scoring={"s": scorer("s_score"), "loss": scorer("log_loss")})
    assert found["test_s"].min() > 0
    assert found["test_loss"].max() < 0


@pytest.mark.peers
def test_optuna_takes_a_scorer():
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    chosen = scorer("s_score")

    def objective(trial):
        model = clone(TREE).set_params(max_depth=trial.suggest_int("max_depth", 1, 5))
        return float(cross_val_score(model, X, Y, scoring=chosen).mean())

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(0))
    study.optimize(objective, n_trials=4)
    depth = study.best_params["max_depth"]
    expected = cross_val_score(clone(TREE).set_params(max_depth=depth), X, Y, scoring=chosen)

    assert near(expected.mean()) == study.best_value


@pytest.mark.parametrize("metric", [SScore("recall", 2), MCC(), LogLoss()], ids=repr)
def test_scorer_pickles(metric):
    one = scorer(metric)
    assert repr(one) == repr(pickle.loads(pickle.dumps(one)))
    assert f"Scorer(metric={metric!r})" == repr(one)


def test_scorer_takes_what_is_set():
    with scoring_defaults(scoring="s_score", strength=4, pos_label=1):
        made = scorer(strength=2)
    assert Scorer(SScore(pos_label=1, strength=2)) == made
    assert Scorer(Accuracy()) == scorer()


@pytest.mark.parametrize(("make", "message"), [
    (lambda: scorer("bleu"), "bleu is not for classifiers"),
    (lambda: scorer("support"), "Support() is not one number that is better or worse"),
    (lambda: scorer("positive_rate"), "PositiveRate() is not one number"),
    (lambda: scorer("F1(None)"), "F1(average=None) is not one number"),
    (lambda: scorer("s_scor"), "unknown metric 's_scor'; did you mean s_score?"),
    (lambda: scorer("ece")(LinearSVC().fit(X, Y), X, Y), "ece needs probabilities, and"),
    (lambda: scorer("hamming_loss")(TREE.fit(X, Y), X, Y), "hamming_loss is for several labels"),
    (
        lambda: scorer("mcc")(TREE.fit(X, np.eye(3)[Y]), X, np.eye(3)[Y]),
        "mcc is not for several labels an example",
    ),
    (lambda: scorer(F1())(TREE.fit(X, Y), X, Y), "a metric of one label does not know which"),
])  # fmt: skip
def test_bad_request_is_told(make, message):
    with pytest.raises(UsageError) as caught:
        make()
    assert str(caught.value).startswith(message)


def test_best_model_stands_first():
    models = {"guess": DummyClassifier(), "tree": TREE, "bayes": GaussianNB()}
    folds = StratifiedKFold(4, shuffle=True)
    found = best_model(models, X, Y, scoring="mcc(0)", cv=folds)
    same = best_model({"a": TREE, "b": clone(TREE)}, X, Y, cv=folds).candidates

    assert "guess" == found.candidates[-1].name
    assert sorted(models) == sorted(one.name for one in found.candidates)
    assert found.best.model is models[found.best.name]
    assert same[0].values == same[1].values


def test_interval_is_that_of_nadeau_and_bengio():
    one = best_model([TREE], X, Y, scoring="accuracy", cv=5).best
    values = cross_val_score(TREE, X, Y, scoring="accuracy", cv=5)
    error = np.sqrt(values.var(ddof=1) * (1 / 5 + 1 / 4))
    expected = stats.t.interval(0.95, 4, values.mean(), error)
    assert near([values.mean(), *expected]) == [one.mean, one.low, one.high]


def test_interval_ends_at_the_bounds():
    data = np.array([[0], [1]] * 20)
    noisy = np.array([0, 1] * 20)
    noisy[0] = 1
    one = best_model([TREE], data, noisy, scoring="accuracy", cv=4).best
    assert (1.0, True) == (one.high, one.low < one.mean)


def test_best_of_what_is_better_low_is_the_lowest():
    models = {"guess": DummyClassifier(strategy="uniform", random_state=0), "tree": TREE}
    found = best_model(models, X, BINARY, scoring=FPR())
    assert "tree" == found.best.name
    assert 0 <= found.best.mean < found.candidates[1].mean


def test_undefined_scores_come_last():
    found = best_model({"guess": DummyClassifier(), "tree": TREE}, X, Y, scoring=MCC())
    assert ["tree", "guess"] == [one.name for one in found.candidates]
    assert np.isnan(found.candidates[1].mean)


def test_selection_prints_as_a_table():
    found = best_model([TREE, GaussianNB()], X, Y, scoring=Scoring("s_score"))
    heading, rule, first, *_ = str(found).splitlines()
    assert ["model", "s_score", "low", "high", "fit", "s"] == heading.split()
    assert {"-"} == set(rule)
    assert [found.best.name, f"{found.best.mean:.3f}"] == first.split()[:2]
    assert "Nadeau and Bengio" in str(found)
    assert "<table" in found._repr_html_()


def test_s_score_prevents_precision_without_recall():
    gold = (Y == 2).astype(int)
    models = {
        "shy": FixedThresholdClassifier(LogisticRegression(), threshold=0.97),
        "open": LogisticRegression(),
    }
    by_precision = best_model(models, X, gold, scoring="precision(zero_division=1)")
    by_s_score = best_model(models, X, gold, scoring=SScore("precision", pos_label=1, strength=4))

    assert ("shy", "open") == (by_precision.best.name, by_s_score.best.name)


@pytest.mark.parametrize(
    ("models", "message"),
    [({}, "there are no models to choose from"), ([TREE, TREE], "two models have the same name")],
)
def test_bad_models_are_told(models, message):
    with pytest.raises(UsageError, match=message):
        best_model(models, X, Y)


def test_bar_moves_where_someone_watches(monkeypatch, capsys):
    best_model([TREE], X, Y)
    quiet = capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    best_model([TREE], X, Y)
    assert "" == quiet
    assert "DecisionTreeClassifier" in capsys.readouterr().err


def test_missing_package_is_told():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import tallystick\n"
        "tallystick.sklearn.scorer('s_score')\n"
        "try: tallystick.sklearn.best_model([], [], [])\n"
        "except tallystick.UsageError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert "best_model needs scikit-learn: pip install 'tallystick[sklearn]'\n" == done.stdout


def test_module_is_an_attribute_of_the_package():
    assert scorer is tallystick.sklearn.scorer

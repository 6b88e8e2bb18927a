"""Gating in memory: against comparison, against resampled rows, and what closes a gate."""

from pathlib import Path

import numpy as np
import pytest

import tallystick
from tallystick import Task, Testing
from tallystick.errors import Caution, InputError, UsageError
from tallystick.metrics import Mean
from tallystick.statistics.wilson import bound_difference

RNG = np.random.default_rng(11)
SIZE = 400
GOLD = RNG.choice(list("abc"), SIZE)
GROUPS = RNG.choice(["en", "es"], SIZE)
OLD = np.where(RNG.random(SIZE) < 0.8, GOLD, RNG.choice(list("abc"), SIZE))
BETTER = np.where(RNG.random(SIZE) < 0.5, GOLD, OLD)
WORSE = np.where(RNG.random(SIZE) < 0.5, "a", OLD)
TEXTS = ["the cat sat on the mat", "a dog barked at him"] * 10


def _gate(new, **options):
    asked = {"metrics": "accuracy", "max_drop": 0.01, "testing": Testing(resamples=2000)} | options
    return tallystick.gate(GOLD, new, OLD, **asked)


@pytest.mark.parametrize(("new", "verdict"), [(BETTER, "pass"), (OLD, "pass"), (WORSE, "fail")])
def test_a_gate_lets_through_what_is_no_worse(new, verdict):
    assert verdict == _gate(new).verdict


def test_what_the_examples_cannot_tell_is_inconclusive():
    right = np.flatnonzero(OLD == GOLD)[:6]
    wrong = np.flatnonzero(OLD != GOLD)[:4]
    new = OLD.copy()
    new[right], new[wrong] = "x", GOLD[wrong]
    gate = _gate(new, max_drop=0.01)
    assert ["inconclusive", False] == [gate.verdict, gate.passed]
    assert _gate(new, max_drop=0.01, allow_inconclusive=True).passed


def test_bounds_of_shares_are_the_ends_of_tangos_interval():
    (check,) = _gate(BETTER).checks
    won, lost = (
        ((one == GOLD) & (other != GOLD)).sum() for one, other in ((BETTER, OLD), (OLD, BETTER))
    )
    low, high = bound_difference(won, lost, SIZE, 0.9)
    assert (0.95, float(low), float(high)) == (check.confidence, check.low, check.high)


def test_bounds_are_those_of_resampled_rows():
    (check,) = _gate(BETTER).checks
    gains = (BETTER == GOLD).astype(float) - (OLD == GOLD)
    rows = np.random.default_rng(1).integers(SIZE, size=(2000, SIZE))
    low, high = np.quantile(gains[rows].mean(1), [0.05, 0.95])

    assert (pytest.approx(low, abs=0.006), pytest.approx(high, abs=0.006)) == (
        check.low,
        check.high,
    )


@pytest.mark.parametrize("clusters", [None, np.arange(SIZE) // 4])
def test_a_floor_is_held_against_the_interval_of_the_new_score(clusters):
    asked = {"metrics": ["accuracy", "macro_f1", "mcc"], "by": GROUPS, "clusters": clusters}
    checks = _gate(BETTER, max_drop=None, floor=0.5, testing=Testing(resamples=500), **asked).checks
    settings = tallystick.Intervals(confidence=0.9, resamples=500)
    scored = tallystick.score(GOLD, BETTER, intervals=settings, **asked).scores
    assert [(one.group, one.metric, one.low, one.high) for one in scored] == [
        (one.group, one.metric, one.low, one.high) for one in checks
    ]


@pytest.mark.parametrize(("floor", "verdict"), [(0.5, "pass"), (0.86, "inconclusive")])
def test_a_perfect_score_of_few_examples_has_a_lower_bound(floor, verdict):
    gate = tallystick.gate(GOLD[:12], GOLD[:12], OLD[:12], metrics="accuracy", floor=floor)
    (check,) = gate.checks
    assert pytest.approx(12 / (12 + 1.6448536**2)) == check.low
    assert (verdict, 1.0) == (check.verdict, check.high)
    assert "90% confidence intervals: Wilson." == gate.notes[-1]


def test_texts_that_no_resample_changes_reach_no_floor():
    texts = ["the cat sat on the mat", "a dog barked at him", "it rains all day long"]
    (check,) = tallystick.gate(texts, texts, texts, metrics="bleu", floor=90).checks
    assert ("inconclusive", pytest.approx(100)) == (check.verdict, check.high)
    assert 50 < check.low < 60


def test_every_row_and_metric_is_checked():
    gate = _gate(BETTER, metrics=["accuracy", "macro_f1"], by=GROUPS, floor=0.1)
    assert 16 == len(gate.checks)
    assert ["en", "es", "macro", "micro"] == list(
        dict.fromkeys(check.group for check in gate.checks)
    )
    assert ["drop", "floor", "drop", "floor"] == [check.kind for check in gate.checks[:4]]


def test_metrics_may_have_limits_of_their_own():
    gate = _gate(BETTER, metrics=None, max_drop={"accuracy": 0.02, "f1": 0.05}, floor={"f1": 0.5})
    assert [("drop", "accuracy", 0.02), ("drop", "macro_f1", 0.05), ("floor", "macro_f1", 0.5)] == [
        (check.kind, check.name, check.limit) for check in gate.checks
    ]


def test_rouge_is_checked_by_its_f_alone():
    few = Testing(resamples=100)
    one, both = (
        tallystick.gate(TEXTS, TEXTS, TEXTS, metrics, floor=0.1, testing=few)
        for metrics in ("rouge1", ["rouge1", "rouge1_recall"])
    )
    assert ["rouge1"] == [check.name for check in one.checks]
    assert ["rouge1", "rouge1_recall"] == [check.name for check in both.checks]


@pytest.mark.parametrize(("limits", "expected"), [
    ({None: 0.01, "es": 0.03}, {"en": 0.01, "es": 0.03, "macro": 0.01, "micro": 0.01}),
    ({"es": 0.03}, {"es": 0.03}),
])  # fmt: skip
def test_a_group_may_have_a_limit_of_its_own(limits, expected):
    gate = _gate(BETTER, max_drop={"accuracy": limits}, by=GROUPS)
    assert expected == {check.group: check.limit for check in gate.checks}


def test_a_floor_needs_no_older_system():
    gate = tallystick.gate(GOLD, BETTER, metrics="accuracy", floor=0.5)
    assert ["pass", None, ()] == [gate.verdict, gate.against, gate.regressions]


def test_a_drop_needs_an_older_system():
    with pytest.raises(UsageError, match="max_drop needs an older system"):
        tallystick.gate(GOLD, BETTER, metrics="accuracy", max_drop=0.1)


def test_the_worst_regressions_are_those_the_old_system_had_right():
    flips = _gate(WORSE).regressions
    lost = np.flatnonzero((OLD == GOLD) & (WORSE != GOLD))[:10]
    assert 10 == len(flips)
    assert [(str(row + 1), GOLD[row], WORSE[row], OLD[row]) for row in lost] == [
        (flip.example, flip.gold, flip.output_a, flip.output_b) for flip in flips
    ]


def test_the_worst_regressions_of_texts_come_first():
    references = ["the cat sat on the mat", "a dog barked", "it rains all day"]
    new = ["the cat sat on the", "a dog barked", "no"]
    few = Testing(resamples=100)
    for metric in ("rouge1", "wer"):
        gate = tallystick.gate(references, new, references, metric, max_drop=0, testing=few)
        assert ["3", "1"] == [flip.example for flip in gate.regressions]


def test_equivalent_systems_are_neither_better_nor_worse():
    assert ["pass", "fail", "fail"] == [
        _gate(new, max_drop=None, equivalent_within=0.02).verdict for new in (OLD, BETTER, WORSE)
    ]


@pytest.mark.parametrize(("metric", "columns", "options"), [
    *(
        (metric, [["a", "b"] * 10] * 3, {"max_drop": 0.02, "task": Task(positive="a")})
        for metric in ("accuracy", "macro_f1", "precision", "recall", "mcc")
    ),
    *(
        (metric, [TEXTS] * 3, {"max_drop": 0.02})
        for metric in ("bleu", "wer", "rouge1", "levenshtein")
    ),
    ("roc_auc", [[1, 0] * 10, [0.9, 0.1] * 10, [0.8, 0.3] * 10], {"max_drop": 0.01}),
    ("roc_auc", [[1, 0] * 10, [0.9, 0.1] * 10, [0.9, 0.1] * 10], {"max_drop": 0.01}),
])  # fmt: skip
def test_perfect_outputs_on_few_examples_prove_nothing(metric, columns, options):
    assert "inconclusive" == tallystick.gate(*columns, metric, **options).verdict


@pytest.mark.deep
def test_a_system_that_is_worse_by_what_is_allowed_rarely_passes():
    cells = [
        (gold, gold ^ new, gold ^ old)
        for gold in (0, 1)
        for new, old in ((0, 0), (0, 1), (1, 0), (1, 1))
    ]
    chances = np.outer([0.6, 0.4], [0.86, 0.01, 0.03, 0.1]).ravel()
    drops = {"accuracy": 0.02, "precision": 0.0267, "f1": 0.0236}
    passed = dict.fromkeys(drops, 0)
    for seed in range(150):
        gold, new, old = np.array(cells)[np.random.default_rng(seed).choice(8, 100, p=chances)].T
        for check in tallystick.gate(
            gold, new, old, max_drop=drops, task=Task(positive=1), testing=Testing(resamples=300)
        ).checks:
            passed[check.name] += check.verdict == "pass"

    assert max(passed.values()) <= 0.08 * 150


@pytest.mark.parametrize(
    ("metric", "one"), [("accuracy", ["a"]), ("bleu", ["the cat sat on the mat"]), ("wer", ["a b"])]
)
def test_one_example_never_passes_at_worst_the_same(metric, one):
    gate = tallystick.gate(one, one, one, metric, max_drop=0)
    assert "inconclusive" == gate.verdict
    assert "at worst the same" not in str(gate)


@pytest.mark.parametrize("metric", ["average_precision", "brier_score", "log_loss", "roc_auc"])
@pytest.mark.parametrize("clusters", [None, np.arange(40) // 2])
def test_identical_probabilities_of_few_examples_prove_nothing(metric, clusters):
    gold, scores = [1, 0, 0, 0] * 10, [0.8, 0.1, 0.2, 0.3] * 10
    by = np.repeat(["x", "y"], 20) if clusters is None else None
    options = {"by": by, "clusters": clusters, "task": "binary", "testing": Testing(resamples=100)}
    gate = tallystick.gate(gold, scores, scores, metric, max_drop=0.001, **options)
    assert {"inconclusive"} == {check.verdict for check in gate.checks}


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1"])
def test_bounds_with_clusters_are_no_narrower_than_without(metric):
    plain = _gate(WORSE, metrics=metric).checks[0]
    (check,) = _gate(WORSE, metrics=metric, clusters=np.arange(SIZE) // 40).checks
    assert check.low <= plain.low + 0.005
    assert plain.high - 0.005 <= check.high


def test_a_sequential_gate_is_never_surer():
    plain, anytime = (
        _gate(BETTER, by=GROUPS, floor=0.5, sequential=choice) for choice in (False, True)
    )

    assert {"en", "es", "micro"} == {check.group for check in anytime.checks}
    for check in anytime.checks:
        (fixed,) = (
            one for one in plain.checks if (one.kind, one.group) == (check.kind, check.group)
        )
        assert check.low < fixed.low
        assert fixed.high < check.high


def test_a_sequential_gate_checks_means_of_texts():
    references = ["the cat sat on the mat", "a dog barked", "it rains all day"] * 40
    gate = tallystick.gate(
        references, references, references, "rouge1", max_drop=0.2, sequential=True
    )
    assert "pass" == gate.verdict
    with pytest.raises(UsageError, match=r"shares and means .* not bleu"):
        tallystick.gate(references, references, references, "bleu", max_drop=1, sequential=True)


def test_one_bad_group_closes_the_gate():
    gate = _gate(np.where(GROUPS == "es", "a", GOLD), by=GROUPS)
    assert [("en", "pass"), ("es", "fail")] == [
        (check.group, check.verdict) for check in gate.checks[:2]
    ]
    assert "fail" == gate.verdict


def test_a_rise_of_errors_is_a_drop():
    references = ["the cat sat", "a dog barked", "it rains"] * 10
    worse = ["the cat", "dog barked loud", "it rains"] * 10
    some = Testing(resamples=500)
    for verdict, *pair in (("fail", worse, references), ("pass", references, worse)):
        gate = tallystick.gate(references, *pair, "wer", max_drop=0.01, testing=some)
        assert verdict == gate.verdict


@pytest.mark.parametrize("name", ["f1", "F1", "F1()", "f-score", "F1(positive='yes')"])
def test_limits_find_metrics_of_the_positive_label_by_any_of_their_names(name):
    gold = ["yes", "no"] * 9
    gate = tallystick.gate(gold, gold, ["yes"] * 18, name, max_drop={name: 0.1})
    assert ["F1(positive='yes')"] == [check.metric for check in gate.checks]


@pytest.mark.parametrize(("options", "message"), [
    ({"max_drop": None}, "name a limit: max_drop=0.01"),
    ({"max_drop": -0.1}, "must be 0 or more"),
    ({"metrics": []}, "no metric was named"),
    ({"max_drop": True}, "max_drop must be a number, not True"),
    ({"max_drop": {"f2": 0.1}}, "f2 has a limit but is not checked"),
    ({"max_drop": {"acuracy": 0.1}}, "unknown metric 'acuracy'"),
    ({"max_drop": {"accuracy": "x"}}, "max_drop of accuracy must be a number, not 'x'"),
    ({"max_drop": {"accuracy": {"es": 0.1}}}, "name the groups with `by=`"),
    ({"max_drop": {"accuracy": {"ess": 0.1}}, "by": GROUPS}, "no group 'ess'; did you mean 'es'"),
    ({"max_drop": {"accuracy": 0.1}, "metrics": ["accuracy", "mcc"]},
     "mcc has no limit; give it a max_drop or a floor"),
    ({"metrics": "nope"}, "unknown metric 'nope'"),
    ({"metrics": "PositiveRate(positive='a')"}, "cannot be gated"),
    ({"testing": Testing(confidence=0.4)}, "between 0.5 and 1"),
    ({"testing": Testing(confidence=0.5)}, "between 0.5 and 1"),
    ({"sequential": True, "metrics": "macro_f1"}, "not macro_f1"),
    ({"sequential": True, "metrics": "macro_f1", "max_drop": None, "floor": 0.1}, "not macro_f1"),
    ({"sequential": True, "clusters": np.arange(SIZE) // 4}, "without weights or clusters"),
    ({"sequential": True, "weights": np.ones(SIZE)}, "without weights or clusters"),
])  # fmt: skip
def test_a_wrong_request_is_an_error(options, message):
    with pytest.raises(UsageError, match=message):
        _gate(BETTER, **options)


def test_predictions_that_cannot_be_scored_are_an_error():
    with pytest.raises(InputError, match="400 gold examples but 1 predictions"):
        _gate(["a"])


def test_no_examples_are_an_error():
    with pytest.raises(InputError, match="no examples"):
        tallystick.gate([], [], [], metrics="accuracy", max_drop=1.0)


@pytest.mark.parametrize("form", [str, Path])
@pytest.mark.parametrize("names", [("new.csv",), ("new.csv", "old.csv")])
def test_outputs_are_files_where_gold_is_one(folder, form, names):
    for name, column in (("gold", "label"), ("new", "prediction"), ("old", "prediction")):
        rows = "".join(f"{row},{row % 2 if name != 'old' else 0}\n" for row in range(40))
        Path(f"{name}.csv").write_text(f"id,{column}\n{rows}")
    limits = {"floor": 0.8} if len(names) == 1 else {"max_drop": 0.1}
    gate = tallystick.gate("gold.csv", *map(form, names), metrics="accuracy", **limits)
    assert (1.0, True) == (gate.checks[0].value, gate.passed)
    with pytest.raises(InputError, match=r"gone\.csv: cannot be read"):
        tallystick.gate("gold.csv", form("new.csv"), "gone.csv", "accuracy", max_drop=0.1)
    with pytest.raises(InputError, match="has no column 'b'"):
        tallystick.gate("gold.csv", "b", "c", "accuracy", max_drop=0.1)


def test_a_system_that_there_is_not_is_told():
    data = tallystick.read(["x", "y"], {"a": ["x", "y"], "b": ["y", "y"]})
    with pytest.raises(UsageError, match=r"there is no system 'a\.csv', only a, b"):
        data.gate("accuracy", new="a.csv", against="b", max_drop=0.1)


def fail_rarely(losses, size=200):
    old = np.clip(np.round(np.random.default_rng(1).normal(4, 0.7, size)), 2, 5)
    new = old.copy()
    new[:losses] = 1
    return new, old


def gate(new, old, metric="mean", **more):
    return tallystick.gate(old, new, old, [metric], max_drop=0.2, **more)


def cautions(result):
    return [str(note) for note in result.notes if isinstance(note, Caution)]


def test_a_few_heavy_losses_are_no_proof():
    found = gate(*fail_rarely(3))
    (check,) = found.checks
    assert "inconclusive" == check.verdict
    assert check.low > -0.2
    assert "1 example makes 47% of its variance" in check.sentence
    assert "the bounds of mean may be too optimistic: 1 example makes" in cautions(found)[0]


def test_losses_in_all_examples_alike_are_a_proof():
    _, old = fail_rarely(0)
    found = gate(old - 0.1 + np.random.default_rng(2).normal(0, 0.1, len(old)), old)
    assert "pass" == found.checks[0].verdict
    assert [] == cautions(found)


def test_no_difference_at_all_is_no_proof_without_a_worst_value():
    _, old = fail_rarely(0)
    (check,) = gate(old, old).checks
    (bounded,) = gate(old, old, Mean(bounds=(1, 5))).checks
    assert ("inconclusive", "pass") == (check.verdict, bounded.verdict)
    assert "no example shows a difference, and nothing limits" in check.sentence


def test_labels_allow_for_what_no_example_shows():
    gold = np.tile([0, 1], 500)
    new = gold.copy()
    new[0] = 1
    found = tallystick.gate(gold, new, gold, ["accuracy"], max_drop=0.02, task="binary", positive=1)
    assert "pass" == found.checks[0].verdict
    assert [] == cautions(found)


@pytest.mark.parametrize(("count", "shown"), [(10, True), (40, False)])
def test_few_clusters_are_told(count, shown):
    clusters = np.repeat(np.arange(count), 20)
    gold = np.tile([0, 1], 10 * count)
    old = np.where(np.random.default_rng(3).random(len(gold)) < 0.1, 1 - gold, gold)
    found = tallystick.gate(
        gold, old, old, ["accuracy"], max_drop=0.35, clusters=clusters, task="binary", positive=1
    )

    assert "pass" == found.checks[0].verdict
    assert shown == any("10 clusters may contain none" in one for one in cautions(found))


def test_a_cluster_that_is_lost_as_a_whole_is_no_proof():
    clusters = np.repeat(np.arange(30), 10)
    gold = np.tile([0, 1], 150)
    new = np.where(clusters == 0, 1 - gold, gold)
    (check,) = tallystick.gate(
        gold, new, gold, ["accuracy"], max_drop=0.4, clusters=clusters, task="binary", positive=1
    ).checks

    assert "inconclusive" == check.verdict
    assert "1 cluster makes 97% of its variance" in check.sentence


@pytest.mark.deep
def test_gates_let_few_worse_systems_pass():
    passed = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        old = rng.lognormal(0, 1, 200)
        new = 0.9 * old * np.exp(0.3 * rng.normal(size=200) - 0.045)
        found = tallystick.gate(old, new, old, ["mean"], max_drop=0.1 * np.exp(0.5))
        passed += found.passed

    assert passed <= 30


@pytest.mark.parametrize("ask", [tallystick.compare, tallystick.rank])
def test_differences_that_a_few_examples_make_are_told(ask):
    new, old = fail_rarely(8)
    even = old + np.random.default_rng(5).normal(0, 0.3, len(old))
    assert [] == cautions(ask(old, {"even": even, "old": old}, ["mean"]))
    found = ask(old, {"new": new, "old": old}, ["mean"])
    assert 1 == len(cautions(found))
    assert "the difference in mean of " in cautions(found)[0]

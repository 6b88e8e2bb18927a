"""Several runs of one system: means, and intervals that hold other examples and other seeds."""

import csv
import json
import math

import numpy as np
import pytest
from scipy.stats import norm, t

import tallystick
from tallystick import Intervals, UsageError
from tallystick.cli import main
from tallystick.comparison.seeds import add_up

SIZE, RUNS = 200, 4
RNG = np.random.default_rng(3)
GOLD = RNG.integers(0, 2, SIZE)
HARD = RNG.random(SIZE)


def run(accuracy, seed):
    rng = np.random.default_rng(seed)
    wrong = 0.5 * HARD + 0.5 * rng.random(SIZE) > accuracy + 0.03 * rng.normal()
    return np.where(wrong, 1 - GOLD, GOLD)


OUTPUTS = {f"run{seed}": run(0.7, seed) for seed in range(RUNS)}
TEAMS = {
    f"{name}/{seed}": run(accuracy, start + seed)
    for name, accuracy, start in (("a", 0.7, 0), ("b", 0.8, 10))
    for seed in range(3)
}


def analyse(right):
    items, runs = right.shape
    whole = right.mean()
    by_item, by_run = right.mean(1) - whole, right.mean(0) - whole
    return (
        runs * (by_item**2).sum() / (items - 1),
        items * (by_run**2).sum() / (runs - 1),
        ((right - whole - by_item[:, None] - by_run) ** 2).sum() / ((items - 1) * (runs - 1)),
    )


def test_the_mean_and_the_deviation_are_those_of_the_runs():
    scored = tallystick.score(GOLD, OUTPUTS, "macro_f1", intervals=False)
    values = [one.value for one in scored.scores]
    found = tallystick.score_seeds(GOLD, OUTPUTS, "macro_f1").find("macro_f1")
    assert pytest.approx(np.mean(values)) == found.value
    assert pytest.approx(np.std(values, ddof=1)) == found.deviation
    assert (RUNS, SIZE, "all runs") == (found.runs, found.n, found.system)


def test_the_share_of_seeds_is_that_of_an_analysis_of_variance():
    right = np.stack([own == GOLD for own in OUTPUTS.values()], axis=1).astype(float)
    items, runs, error = analyse(right)
    settings = Intervals(resamples=20_000)
    found = tallystick.score_seeds(GOLD, OUTPUTS, "accuracy", intervals=settings).find("accuracy")
    assert pytest.approx((runs - error) / (items + runs - error), abs=0.02) == found.seed_share


def test_the_interval_has_the_freedom_of_satterthwaite():
    right = np.stack([own == GOLD for own in OUTPUTS.values()], axis=1).astype(float)
    squares = np.array(analyse(right)) / right.size
    variance = squares[0] + squares[1] - squares[2]
    freedoms = np.array([SIZE - 1, RUNS - 1, (SIZE - 1) * (RUNS - 1)])
    wide = t.ppf(0.975, variance**2 / (squares**2 / freedoms).sum()) * math.sqrt(variance)
    share, z = right.mean(), norm.ppf(0.975)
    size = share * (1 - share) / (wide / z) ** 2
    half = z / (1 + z**2 / size) * math.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    settings = Intervals(resamples=20_000)
    found = tallystick.score_seeds(GOLD, OUTPUTS, "accuracy", intervals=settings).find("accuracy")

    assert pytest.approx(2 * half, rel=0.03) == found.high - found.low


def test_runs_that_differ_no_more_than_examples_explain_add_nothing():
    same = dict.fromkeys(("x1", "x2", "x3"), OUTPUTS["run0"])
    found = tallystick.score_seeds(GOLD, same, "accuracy").find("accuracy")
    assert found.seed_share == found.deviation == 0
    assert (found.examples_low, found.examples_high) == (found.low, found.high)


def test_the_interval_with_seeds_holds_that_over_examples():
    for one in tallystick.score_seeds(GOLD, OUTPUTS, ["accuracy", "mcc", "macro_f1"]).scores:
        assert one.low < one.examples_low < one.value < one.examples_high < one.high


@pytest.mark.deep
def test_intervals_hold_the_true_mean_as_often_as_they_say():
    truth = norm.cdf(1.2 / math.sqrt(0.8**2 + 0.3**2 + 0.6**2))
    rng, held = np.random.default_rng(11), 0
    for _ in range(200):
        gold, hard = rng.integers(0, 2, 100), 0.8 * rng.normal(size=100)
        outputs = {}
        for name in ("x1", "x2", "x3"):
            good = 1.2 + hard + 0.3 * rng.normal() + 0.6 * rng.normal(size=100) > 0
            outputs[name] = np.where(good, gold, 1 - gold)
        settings = Intervals(resamples=200)
        one = tallystick.score_seeds(gold, outputs, "accuracy", intervals=settings).scores[0]
        held += one.low <= truth <= one.high

    assert 182 <= held <= 199


def test_names_with_a_slash_tell_the_systems():
    found = tallystick.score_seeds(GOLD, TEAMS, "accuracy")
    (difference,) = found.differences
    means = {one.system: one.value for one in found.scores}
    assert ["a", "b"] == list(means)
    assert ("b", "a") == (difference.a, difference.b)
    assert pytest.approx(means["b"] - means["a"]) == difference.difference
    assert difference.low < difference.difference < difference.high


def test_the_difference_of_systems_is_that_of_their_run_means():
    right = {
        name: np.stack([TEAMS[f"{name}/{seed}"] == GOLD for seed in range(3)], axis=1).astype(float)
        for name in "ab"
    }
    gains = right["b"].mean(1) - right["a"].mean(1)
    seeds = 0.0
    for own in right.values():
        _, runs, error = analyse(own)
        seeds += max(0, runs - error) / own.size
    error = math.sqrt(gains.var(ddof=1) / SIZE + seeds)
    settings = Intervals(resamples=20_000)
    (found,) = tallystick.score_seeds(GOLD, TEAMS, "accuracy", intervals=settings).differences

    assert (found.high - found.low) / 2 > 1.9 * error
    assert pytest.approx(t.sf(found.difference / error, 6), abs=0.02) == found.p / 2


@pytest.mark.deep
@pytest.mark.parametrize("metric", ["roc_auc", "brier_score", "log_loss"])
def test_probabilities_have_means_over_runs(metric):
    runs = {
        f"x{seed}": np.clip(0.3 * GOLD + 0.7 * np.random.default_rng(seed).random(SIZE), 0.01, 0.99)
        for seed in range(3)
    }
    found = tallystick.score_seeds(GOLD, runs, metric).find(metric)
    assert found.low <= found.examples_low < found.value < found.examples_high <= found.high


def test_texts_have_means_over_runs():
    gold = [f"the {word} sat on the {other} mat" for word in "abcdefgh" for other in "rstuv"]
    runs = {
        f"x{seed}": [
            line.replace("mat", "rug") if place % (seed + 2) else line
            for place, line in enumerate(gold)
        ]
        for seed in range(3)
    }
    found = tallystick.score_seeds(gold, runs, "bleu").find("bleu")

    assert 0 <= found.low < found.examples_low < found.value < found.examples_high < found.high


def test_groups_and_clusters_are_those_of_score():
    groups, clusters = np.arange(SIZE) % 2, np.arange(SIZE) // 20
    options = {"by": groups, "metrics": "accuracy"}
    plain = tallystick.score_seeds(GOLD, OUTPUTS, **options)
    tied = tallystick.score_seeds(GOLD, OUTPUTS, clusters=clusters, **options)
    assert ["0", "1", "macro", "micro"] == [one.group for one in plain.scores]
    assert tied.find("accuracy", group="micro").value == plain.find("accuracy", group="micro").value


@pytest.mark.parametrize(("names", "message"), [
    (["a/1", "a/2", "b/1"], "two runs or more of each system, and b has one"),
    (["a/1", "a/2", "b"], "two runs or more of each system, and b has one"),
    (["a"], "two runs or more of each system, and there is one"),
])  # fmt: skip
def test_a_system_with_one_run_is_an_error(names, message):
    with pytest.raises(UsageError, match=message):
        tallystick.score_seeds(GOLD, dict.fromkeys(names, GOLD), "accuracy")


def test_what_is_asked_for_must_be_one_mean():
    found = tallystick.score_seeds(GOLD, TEAMS, "accuracy")
    with pytest.raises(UsageError, match="several systems have a mean of 'accuracy'"):
        found.find("accuracy")
    with pytest.raises(UsageError, match="no system has a mean of 'bleu'"):
        found.find("bleu")


@pytest.fixture
def files(folder):
    for name, labels in {"gold": GOLD, **OUTPUTS}.items():
        (folder / f"{name}.txt").write_text("".join(f"{label}\n" for label in labels))
    return folder


CALL = ["score", "gold.txt", "run0.txt", "run1.txt", "run2.txt", "-m", "accuracy", "--seeds"]


def test_the_command_prints_means(files, capsys):
    assert main(CALL) == 0
    heading, _, row = capsys.readouterr().out.splitlines()[:3]
    assert ["n", "runs", "mean", "SD", "over", "examples", "seed", "share"] == heading.split()
    assert ["200", "3"] == row.split()[:2]


def test_the_command_writes_all_numbers(files, capsys):
    assert main([*CALL, "--format", "json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert main([*CALL, "--format", "csv"]) == 0
    (row,) = csv.DictReader(capsys.readouterr().out.splitlines())

    assert str(record["seed_share"]) == row["seed_share"]
    assert (
        record["value"]
        == tallystick.score_seeds(
            GOLD, {name: OUTPUTS[name] for name in ("run0", "run1", "run2")}, "accuracy"
        )
        .find("accuracy")
        .value
    )


@pytest.mark.parametrize(("more", "message"), [
    (["--segments"], "--segments"),
    (["--confusion", "c.csv"], "--confusion cannot be used with --seeds"),
    (["--format", "lines"], "--seeds always shows intervals, and cannot be written as lines"),
    (["--no-intervals"], "--seeds always shows intervals, and cannot be written as lines"),
])  # fmt: skip
def test_what_does_not_go_with_seeds_is_told(more, message, files, capsys):
    assert main([*CALL, *more]) == 2
    assert message in capsys.readouterr().err


def test_a_difference_of_runs_on_one_unit_has_no_variance():
    assert math.isnan(add_up(np.array([0.1, 0.2, 0.3]), [], 1).examples)

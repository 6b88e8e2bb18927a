"""Plans and the power of paired tests, by simulation and by sums, and equivalence."""

import csv
import json
import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm, t

import tallystick
from nulls import p_value
from tallystick import Testing, UsageError
from tallystick.cli import main
from tallystick.limits import LIMITS
from tallystick.results import Power
from tallystick.statistics.power import (
    find_detectable_share,
    find_multiplier,
    find_power,
    find_share_power,
    find_share_size,
)
from tallystick.statistics.wilson import bound_difference

SIZE = 300
RNG = np.random.default_rng(1)
GOLD = RNG.integers(0, 2, SIZE)
HARD = RNG.random(SIZE)


def answer(accuracy, seed, gold=GOLD):
    wrong = 0.6 * HARD + 0.4 * np.random.default_rng(seed).random(SIZE) > accuracy
    return np.where(wrong, 1 - gold, gold)


def answer_all(gold, accuracy, rng):
    hard = np.random.default_rng(9).random(len(gold))
    return np.where(0.6 * hard + 0.4 * rng.random(len(gold)) > accuracy, 1 - gold, gold)


SYSTEMS = {"a": answer(0.78, 1), "b": answer(0.74, 2)}
CLUSTERS = np.arange(SIZE) // 20


@pytest.mark.deep
@pytest.mark.parametrize(
    ("metric", "test", "size"), [("accuracy", "mcnemar-midp", 75), ("macro_f1", "bootstrap", 300)]
)
def test_the_power_is_how_often_comparisons_are_significant(metric, test, size):
    planned = tallystick.plan(GOLD, SYSTEMS, metric, sizes=[size]).powers[0].power
    error = 3 * math.sqrt(planned * (1 - planned) / 250)
    rng, found = np.random.default_rng(7), 0
    for _ in range(250):
        rows = rng.integers(0, SIZE, size)
        own = {name: answers[rows] for name, answers in SYSTEMS.items()}
        found += p_value(GOLD[rows], own, metric, Testing(test=test, resamples=400)) < 0.05
    assert pytest.approx(found / 250, abs=error + 0.015) == planned


@pytest.mark.deep
@pytest.mark.parametrize("metric", ["accuracy", "macro_f1"])
def test_intervals_of_plans_hold(metric):
    rng = np.random.default_rng(3)
    gold = np.tile(GOLD, 100)
    systems = {"a": answer_all(gold, 0.8, rng), "b": answer_all(gold, 0.74, rng)}
    (true,) = tallystick.plan(gold, systems, metric, sizes=[600]).powers
    found = []
    for _ in range(200):
        rows = rng.integers(0, len(gold), 200)
        own = {name: answers[rows] for name, answers in systems.items()}
        (power,) = tallystick.plan(
            gold[rows], own, metric, sizes=[600], testing=Testing(resamples=500)
        ).powers
        found.append(
            (
                power.power_low <= true.power <= power.power_high,
                (power.needed_low or 0) <= true.needed <= (power.needed_high or math.inf),
                (power.assured or math.inf) >= true.needed,
            )
        )
    powers, needed, assured = np.mean(found, 0)

    assert powers > 0.92
    assert needed > 0.92
    assert 0.72 < assured < 0.88


def test_power_grows_with_the_examples_and_the_detectable_difference_shrinks():
    powers = tallystick.plan(GOLD, SYSTEMS, "macro_f1").powers
    assert [75, 150, 300, 600, 1200, 2400, 4800] == [one.n for one in powers]
    assert sorted(one.power for one in powers) == [one.power for one in powers]
    assert sorted((one.detectable for one in powers), reverse=True) == [
        one.detectable for one in powers
    ]


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1"])
def test_the_number_that_is_needed_has_the_power_that_is_aimed_at(metric):
    needed = tallystick.plan(GOLD, SYSTEMS, metric).powers[0].needed
    (power,) = tallystick.plan(GOLD, SYSTEMS, metric, sizes=[needed]).powers
    assert pytest.approx(0.8, abs=0.03) == power.power
    assert pytest.approx(abs(power.difference), rel=0.03) == power.detectable


@pytest.mark.deep
@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "roc_auc"])
@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_a_ranking_tells_the_same_detectable_difference(metric, clusters):
    systems = {name: 0.2 + 0.6 * own for name, own in SYSTEMS.items()}
    options = {"metrics": metric, "clusters": clusters}
    (planned,) = tallystick.plan(GOLD, systems, sizes=[SIZE], **options).powers
    place, _ = tallystick.rank(GOLD, systems, testing=Testing(resamples=1000), **options).places
    assert pytest.approx(place.resolution, rel=1e-9) == planned.detectable


def test_texts_are_planned_by_their_standard_error():
    gold = [f"the {word} sat on the {other} mat" for word in "abcdefgh" for other in "rstuvw"]
    verbs = [line if place % 3 else line.replace("sat", "sits") for place, line in enumerate(gold)]
    nouns = [line if place % 2 else line.replace("mat", "rug") for place, line in enumerate(gold)]
    first, second = tallystick.plan(gold, {"a": verbs, "b": nouns}, "bleu", sizes=[48, 192]).powers
    assert pytest.approx(first.detectable / 2, rel=0.05) == second.detectable
    assert first.power < second.power


def test_clusters_are_planned_as_a_whole():
    powers = tallystick.plan(GOLD, SYSTEMS, "f1", clusters=CLUSTERS, sizes=[20, 60, 600]).powers
    assert [1, 3, 30] == [one.clusters for one in powers]
    assert math.isnan(powers[0].power)
    assert powers[1].power < powers[2].power


def test_groups_are_planned_one_by_one():
    groups = ["es" if place % 3 else "en" for place in range(SIZE)]
    powers = tallystick.plan(GOLD, SYSTEMS, "accuracy", by=groups, sizes=[600]).powers
    assert [("en", 200), ("es", 400), ("macro", 600), ("micro", 600)] == [
        (one.group, one.n) for one in powers
    ]


@pytest.mark.parametrize("metric", ["macro_f1", "roc_auc"])
def test_equal_systems_are_never_found_different(metric):
    planned = tallystick.plan(GOLD, dict.fromkeys("ab", 0.2 + 0.6 * SYSTEMS["a"]), metric)
    assert {None} == {one.needed for one in planned.powers}
    assert np.isnan([(one.power, one.detectable) for one in planned.powers]).all()
    assert "no number of examples is enough to detect it" in planned.sentences()[0]


def test_shares_of_equal_systems_have_a_detectable_difference():
    planned = tallystick.plan(GOLD, {"a": SYSTEMS["a"], "b": SYSTEMS["a"]}, "accuracy")
    assert {0.0} == {one.power for one in planned.powers}
    assert all(0 < one.detectable < 0.1 for one in planned.powers[2:])


def test_a_plan_is_for_two_systems():
    with pytest.raises(UsageError, match="a plan is for two systems, and there are 3"):
        tallystick.plan(GOLD, {**SYSTEMS, "c": GOLD}, "accuracy")


def test_a_size_is_a_number_of_examples():
    with pytest.raises(UsageError, match="must be 1 or more, not 0"):
        tallystick.plan(GOLD, SYSTEMS, "accuracy", sizes=[0])


def test_a_plan_can_be_asked():
    planned = tallystick.plan(GOLD, SYSTEMS, "accuracy", sizes=[300])
    assert planned.powers[0] == planned.find("accuracy", 300)
    assert isinstance(planned.powers[0], Power)
    with pytest.raises(UsageError, match="nothing is planned for 'accuracy' with 301 examples"):
        planned.find("accuracy", 301)


def test_the_median_pair_is_one_of_those_that_differ():
    twins = {"a": SYSTEMS["a"], "b": SYSTEMS["b"], "copy": SYSTEMS["b"]}
    ranked, planned = tallystick.rank(GOLD, twins, "f1"), tallystick.plan(GOLD, SYSTEMS, "f1")
    assert planned.find("f1", SIZE).detectable == pytest.approx(ranked.places[0].resolution)


@pytest.fixture
def files(folder):
    for name, labels in {"gold": GOLD, **SYSTEMS}.items():
        (folder / f"{name}.txt").write_text("".join(f"{label}\n" for label in labels))
    return folder


def test_the_command_prints_a_table_and_a_sentence(files, capsys):
    assert main(["plan", "gold.txt", "a.txt", "b.txt", "-m", "accuracy", "--positive", "1"]) == 0
    printed = capsys.readouterr()
    needed = tallystick.plan(GOLD, SYSTEMS, "accuracy").powers[0].needed
    assert "minimum detectable difference" in printed.out.splitlines()[0]
    assert f"About {float(f'{needed:.3g}'):,.0f} examples find" in printed.out


@pytest.mark.parametrize("metrics", [["accuracy"], ["accuracy", "macro_f1"]])
def test_percent_is_for_the_difference_and_not_for_the_power(files, capsys, metrics):
    call = ["gold.txt", "a.txt", "b.txt", "-m", *metrics, "--positive", "1", "--sizes", "300"]
    (power, *_) = tallystick.plan(GOLD, SYSTEMS, "accuracy", sizes=[300]).powers
    main(["plan", *call, "--percent"])
    line = capsys.readouterr().out.splitlines()[2]
    assert f" {power.power:.3f} " in line
    assert line.endswith(f" {100 * power.detectable:.1f}")


def test_a_plan_says_what_its_pilot_leaves_open(files, capsys):
    (power, *_) = tallystick.plan(GOLD, SYSTEMS, "accuracy").powers
    main(["plan", *["gold.txt", "a.txt", "b.txt", "-m", "accuracy", "--positive", "1"]])
    message = " ".join(capsys.readouterr().out.split())

    assert power.needed_low < power.needed < power.assured
    assert (
        f"By the interval of that difference it takes {power.needed_low} to "
        f"{float(f'{power.needed_high:.3g}'):,.0f}; {float(f'{power.assured:.3g}'):,.0f} are 80% "
        "sure to be enough."
    ) in message


def test_the_command_writes_records(files, capsys):
    call = ["plan", "gold.txt", "a.txt", "b.txt", "-m", "f1", "--sizes", "100", "500"]
    assert main([*call, "--format", "json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [100, 500] == [one["n"] for one in records]
    assert main([*call, "-o", "plan.csv"]) == 0
    rows = list(csv.DictReader((files / "plan.csv").read_text().splitlines()))
    assert [str(one["power"]) for one in records] == [row["power"] for row in rows]


def test_the_command_refuses_a_size_that_is_none(files, capsys):
    assert main(["plan", "gold.txt", "a.txt", "b.txt", "--sizes", "-5"]) == 2
    assert "a number of examples to plan with must be 1 or more, not -5" in capsys.readouterr().err


def test_one_system_is_not_enough(files, capsys):
    assert main(["plan", "gold.txt", "a.txt", "-m", "accuracy"]) == 2
    needed = "a comparison needs two systems or more, and there is only a, beside the gold"
    assert needed in capsys.readouterr().err


def test_the_report_of_large_files_is_written_too(files, capsys, monkeypatch):
    monkeypatch.setattr(LIMITS, "reported_input", 0)
    assert main(["plan", "gold.txt", "a.txt", "b.txt", "-m", "accuracy", "-o", "plan.html"]) == 0
    assert "<html" in (files / "plan.html").read_text()


@cache
def rejects(only_a, only_b, level):
    n = only_a + only_b
    exact = binomtest(only_a, n).pvalue
    here = binom.pmf(only_a, n, 0.5)
    return bool(exact - (here / 2 if only_a == only_b else here) < level)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("only_a", "only_b", "n"),
    [(0.12, 0.03, 60), (0.2, 0.1, 50), (0.05, 0.0, 60), (0.6, 0.4, 40), (0.02, 0.01, 30)],
)
def test_the_power_of_shares_sums_over_all_outcomes(only_a, only_b, n):
    both, found = only_a + only_b, 0.0
    for size in range(1, n + 1):
        hits = np.array([rejects(one, size - one, 0.05) for one in range(size + 1)])
        found += (
            binom.pmf(size, n, both)
            * binom.pmf(np.arange(size + 1), size, only_a / both)[hits].sum()
        )
    assert pytest.approx(found, abs=1e-9) == find_share_power(only_a, only_b, n, 0.95)


@pytest.mark.parametrize(
    ("only_a", "only_b", "n"), [(0.12, 0.06, 1000), (0.1, 0.08, 3000), (0.3, 0.25, 5000)]
)
def test_the_power_of_many_discordant_examples_is_connors(only_a, only_b, n):
    both, gap = only_a + only_b, only_a - only_b
    connor = norm.cdf(
        (gap * math.sqrt(n) - norm.ppf(0.975) * math.sqrt(both)) / math.sqrt(both - gap**2)
    )
    assert pytest.approx(connor, abs=1e-5) == find_share_power(only_a, only_b, n, 0.95)


@pytest.mark.parametrize(("both", "n"), [(0.15, 990), (0.4, 370)])
def test_the_exact_power_and_the_formula_meet(both, n):
    few = find_share_power(both * 0.6, both * 0.4, n, 0.95)
    assert 0 <= find_share_power(both * 0.6, both * 0.4, n * 1.03, 0.95) - few < 0.02


def test_systems_that_never_differ_are_never_found_different():
    assert find_share_power(0.0, 0.0, 1000, 0.95) == 0


@pytest.mark.parametrize(("both", "n"), [(0.15, 300), (0.15, 5000), (0.02, 100), (0.0, 50)])
def test_a_detectable_difference_has_the_power_it_promises(both, n):
    found = find_detectable_share(both, n, 0.95)
    powers = [
        find_share_power((max(both, gap) + gap) / 2, (max(both, gap) - gap) / 2, n, 0.95)
        for gap in (found * 0.999, found)
    ]
    assert powers[0] < 0.8 <= powers[1] < 0.81


def test_five_examples_find_nothing():
    assert math.isnan(find_detectable_share(0.5, 4, 0.95))


def test_the_size_for_shares_is_that_of_connors_formula():
    both, gap = 0.16, 0.04
    z, other = norm.ppf(0.975), norm.ppf(0.8)
    connor = (z * math.sqrt(both) + other * math.sqrt(both - gap**2)) ** 2 / gap**2
    assert pytest.approx(connor, rel=0.01) == find_share_size(0.1, 0.06, 0.95)


def test_no_number_of_examples_finds_equal_shares():
    assert find_share_size(0.1, 0.1, 0.95) is None


@pytest.mark.parametrize("freedom", [3, 20.5, math.inf])
def test_the_multiplier_is_blooms(freedom):
    expected = t.ppf(0.975, freedom) + t.ppf(0.8, freedom)
    assert pytest.approx(expected, rel=1e-9) == find_multiplier(0.95, freedom)


@pytest.mark.parametrize(("difference", "freedom"), [(0.0, 5), (2.8016, math.inf), (-1.3, 12.5)])
def test_the_power_of_a_difference_counts_both_tails_of_t(difference, freedom):
    far = t.ppf(0.975, freedom)
    expected = t.cdf(abs(difference) - far, freedom) + t.cdf(-abs(difference) - far, freedom)
    assert pytest.approx(expected, abs=1e-9) == find_power(difference, 1.0, 0.95, freedom)


def invent(size, differ):
    gold = [index % 2 for index in range(size)]
    first, second = list(gold), list(gold)
    for index in range(differ):
        (first if index % 2 else second)[index] = 1 - gold[index]
    return gold, {"a": first, "b": second}


@pytest.mark.parametrize(("size", "differ"), [(100, 0), (100, 10), (400, 40), (2000, 40)])
def test_accuracies_are_equivalent_where_tangos_bounds_are_within(size, differ):
    gold, systems = invent(size, differ)
    low, high = bound_difference(np.array([differ / 2]), np.array([differ / 2]), size, 0.9)
    limit = float(max(-low[0], high[0]))

    for scale, expected in ((1.001, True), (0.999, False)):
        (one,) = tallystick.compare(
            gold, systems, "accuracy", equivalent_within=limit * scale, task="binary"
        ).differences
        assert expected is one.equivalent
        assert limit * scale == one.equivalent_within


@pytest.mark.parametrize("metric", ["f1", "macro_f1", "mcc"])
@pytest.mark.parametrize("limit", [0.02, 0.05, 0.1, 0.2])
def test_the_verdict_is_that_of_a_gate(metric, limit):
    gold, systems = invent(300, 30)
    gate = tallystick.gate(
        gold, systems["a"], systems["b"], metric, equivalent_within=limit, task="binary"
    )
    compared = tallystick.compare(gold, systems, metric, equivalent_within=limit, task="binary")
    assert ("pass" == gate.checks[0].verdict) is compared.differences[0].equivalent


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.9999])
def test_groups_are_held_by_their_own_bounds(confidence):
    gold, systems = invent(400, 40)
    counts = {"x": (20, 300), "y": (0, 100), "micro": (20, 400)}
    ends = {
        group: bound_difference(np.array([won]), np.array([won]), n, 2 * confidence - 1)
        for group, (won, n) in counts.items()
    }

    compared = tallystick.compare(
        gold,
        systems,
        "accuracy",
        by=["x"] * 300 + ["y"] * 100,
        equivalent_within=0.045,
        testing=Testing(confidence=confidence),
    )

    expected = {
        group: bool(-0.045 <= low[0] and high[0] <= 0.045) for group, (low, high) in ends.items()
    }
    found = {one.group: one.equivalent for one in compared.differences}
    assert expected == {group: found[group] for group in counts}


@pytest.mark.parametrize("limit", [0, -0.1, math.nan, math.inf])
def test_a_limit_is_a_positive_number(limit):
    gold, systems = invent(20, 2)
    with pytest.raises(UsageError, match="equivalent_within must be a number above 0, not"):
        tallystick.compare(gold, systems, "accuracy", equivalent_within=limit)


def test_the_table_says_who_is_equivalent(tmp_path, capsys):
    gold, systems = invent(400, 4)
    for name, own in {"gold": gold, **systems}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, own)) + "\n")
    files = [str(tmp_path / f"{name}.txt") for name in ("gold", "a", "b")]

    assert main(["compare", *files, "-m", "accuracy", "--equivalent-within", "0.05"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["system", "accuracy", "difference", "p", "equivalent"]
    assert "yes" == lines[6].split()[-1]
    assert (
        "Equivalent: the difference is shown to be within 0.05 (two one-sided tests, each at 0.95)."
        in lines
    )

"""Repeated tries: pass@k and others against their definitions, numbers, and commands."""

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import stats

import tallystick
from matrix import run
from oracle import near
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.tries.tries import Outcome
from tallystick.metrics import Accuracy, AvgAtK, MajAtK, PassAtK, PassHatK

CASES = 20_000

INSPECT = (
    (1, 0, 1, 0.0, 0.0),
    (1, 1, 1, 1.0, 1.0),
    (5, 2, 1, 0.3999999999999999, 0.4),
    (5, 2, 2, 0.7, 0.1),
    (5, 2, 5, 1.0, 0.0),
    (8, 3, 2, 0.6428571428571428, 0.10714285714285714),
    (8, 3, 5, 0.9821428571428572, 0.0),
    (10, 7, 2, 0.9333333333333333, 0.4666666666666667),
    (10, 7, 5, 1.0, 0.08333333333333333),
    (20, 1, 10, 0.5, 0.0),
    (200, 13, 5, 0.2879268142223602, 5.07562155540991e-07),
    (200, 13, 10, 0.4975511147306061, 1.2738851058221087e-14),
    (200, 13, 100, 0.9999194971988055, 0.0),
)
"""Tries n, right ones c, k, and what pass_at(k) and pass_k(k) of inspect_ai 0.3.285 give."""


def make_table(outcomes):
    sizes = [tries for tries, _ in outcomes]
    hits = [np.arange(tries) < right for tries, right in outcomes]
    return pandas.DataFrame(
        {"id": np.repeat(np.arange(len(sizes)), sizes), "correct": np.concatenate(hits)}
    ).assign(id=lambda table: "p" + table["id"].astype(str))


def value_of(table, *metrics, **options):
    result = tallystick.score(table, metrics=list(metrics), intervals=False, **options)
    return [one.value for one in result.scores]


@pytest.mark.parametrize(("n", "c", "k", "some", "every"), INSPECT)
def test_values_are_those_of_inspect(n, c, k, some, every):
    values = value_of(make_table([(n, c)]), PassAtK(k), PassHatK(k), AvgAtK(k))
    assert [near(some), near(every), near(c / n)] == values


def test_values_are_those_of_the_paper():
    rng = np.random.default_rng(21)
    outcomes = []
    for _ in range(CASES):
        n = int(rng.integers(10, 40))
        outcomes.append((n, int(rng.choice([0, n, rng.integers(0, n + 1)]))))
    known = Counter(outcomes)
    ks = (1, 3, 10)
    expected = [
        near(float(sum(many * formula(*one, k) for one, many in known.items()) / CASES))
        for formula in (_find_some, _find_every)
        for k in ks
    ]
    metrics = [kind(k) for kind in (PassAtK, PassHatK) for k in ks]
    assert expected == value_of(make_table(outcomes), *metrics)


def _find_some(n, c, k):
    if n - c < k:
        return Fraction(1)
    return 1 - math.prod((1 - Fraction(k, i) for i in range(n - c + 1, n + 1)), start=Fraction(1))


def _find_every(n, c, k):
    return math.prod((Fraction(max(c - i, 0), n - i) for i in range(k)), start=Fraction(1))


def test_majorities_are_those_of_all_choices():
    rng = np.random.default_rng(22)
    known: dict[tuple[Any, int], Fraction] = {}
    said, sizes = list[str](), list[int]()
    total = {k: Fraction() for k in (1, 2, 3, 4)}
    for _ in range(CASES):
        answers = sorted(rng.choice(["0", "1", "2", "3"], int(rng.integers(4, 8))).tolist())
        said += answers
        sizes.append(len(answers))
        for k in total:
            key = tuple(answers), k
            if key not in known:
                known[key] = _vote(answers, k)
            total[k] += known[key]
    problems = np.repeat(np.arange(CASES), sizes)
    table = pandas.DataFrame({"id": problems, "output": said, "gold": "0"})
    expected = [near(float(own / CASES)) for own in total.values()]
    assert expected == value_of(table, *(MajAtK(k) for k in total))


def _vote(answers, k):
    parts = []
    for chosen in combinations(answers, k):
        votes = Counter(chosen)
        best = [name for name, own in votes.items() if own == max(votes.values())]
        parts.append(Fraction("0" in best, len(best)))
    return sum(parts, Fraction()) / len(parts)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_of_right_and_wrong_a_majority_is_more_than_half(k):
    n, c = 9, 5
    ways = sum(math.comb(c, i) * math.comb(n - c, k - i) for i in range(k // 2 + 1, k + 1))
    assert [near(ways / math.comb(n, k))] == value_of(make_table([(n, c)]), MajAtK(k))


def test_half_of_the_tries_are_half_a_majority():
    assert [0.5] == value_of(make_table([(4, 2)]), MajAtK(4))


def test_a_majority_of_very_many_tries_is_exact():
    assert [1.0] == value_of(make_table([(2000, 1001)]), MajAtK(2000))
    assert [near(0.5)] == value_of(make_table([(200, 100)]), MajAtK(75))


def test_pass_hat_k_is_not_the_power():
    outcomes = [(10, c) for c in (1, 2, 3, 4, 5, 6)]
    (value,) = value_of(make_table(outcomes), PassHatK(3))
    power = np.mean([(c / n) ** 3 for n, c in outcomes])
    assert [near((0 + 0 + 1 + 4 + 10 + 20) / 120 / 6)] == [value]
    assert value < power


def test_pass_hat_k_is_right_on_average():
    p, n, k = 0.4, 6, 3
    chances = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    values = [value_of(make_table([(n, c)]), PassHatK(k))[0] for c in range(n + 1)]
    assert near(p**k) == float(np.dot(chances, values))


@pytest.mark.parametrize(("name", "metric"), [
    ("pass@5", PassAtK(5)), ("Pass@1", PassAtK(1)), ("pass_at_5", PassAtK(5)),
    ("pass_at_k(5)", PassAtK(5)), ("PassAtK(k=5)", PassAtK(5)), ("pass^3", PassHatK(3)),
    ("pass_hat_3", PassHatK(3)), ("avg@8", AvgAtK(8)), ("mean@8", AvgAtK(8)), ("maj@8", MajAtK(8)),
    ("majority_at_8", MajAtK(8)),
])  # fmt: skip
def test_names_are_those_of_the_field(name, metric):
    assert metric == parse(name)


@pytest.mark.parametrize("name", ["pass@", "pass@x", "pass@0", "pass@k", "f1@5"])
def test_other_names_are_rejected(name):
    with pytest.raises(UsageError):
        parse(name)


@pytest.mark.parametrize(
    "outcome", [Outcome(3, (5,)), Outcome(0, (1,)), Outcome(4, ()), Outcome(3, (4, 1))]
)
def test_an_outcome_is_read_as_it_is_written(outcome):
    assert outcome == Outcome.parse(str(outcome))


def test_answers_are_right_where_they_are_gold():
    rows = [("a", "42", 42), ("a", "41", 42), ("b", "Yes", "yes"), ("b", "yes", "yes")]
    table = pandas.DataFrame(rows, columns=["id", "output", "gold"]).astype(str)
    assert [0.5] == value_of(table, "pass@1")
    assert [0.75] == value_of(table, "pass@1", columns=tallystick.Columns(fold_case=True))


def test_gold_may_be_a_table_of_its_own():
    gold = pandas.DataFrame({"id": ["b", "a"], "gold": ["1", "2"]})
    runs = pandas.DataFrame({"id": ["a", "b"] * 2, "output": ["2", "2", "2", "1"]})
    result = tallystick.score(gold, {"one": runs}, ["pass@1", "pass@2"], intervals=False)
    assert [0.75, 1.0] == [one.value for one in result.scores]


def test_too_few_tries_are_rejected():
    table = make_table([(5, 2), (3, 1), (2, 1)])
    with pytest.raises(InputError, match=r"p1 has 3 tries, and k = 4 needs 4 \(2 problems"):
        tallystick.score(table, metrics=["pass@1", "pass@4"])


def test_saved_counts_refuse_a_larger_k(tmp_path):
    path = tmp_path / "counts.tally"
    tallystick.count(make_table([(5, 2), (3, 1)]), metrics=["pass@1"]).save(path)
    counted = tallystick.load(path)
    assert [near((0.7 + 2 / 3) / 2)] == value_of(counted, "pass@2")
    with pytest.raises(UsageError, match=r"k is 4, and there are problems with 3 tries"):
        tallystick.score(counted, metrics=["pass@4"])


@pytest.mark.parametrize("stood", ["maybe", "0.5", "2"])
def test_what_is_neither_right_nor_wrong_is_rejected(stood):
    table = pandas.DataFrame({"id": ["a", "a"], "correct": ["1", stood]})
    with pytest.raises(InputError, match=rf"row 2, column 'correct': expected .*, found '{stood}'"):
        tallystick.score(table, metrics=["pass@1"])


def test_a_problem_that_one_system_has_not_tried_is_rejected():
    table = pandas.DataFrame({"id": ["a", "b", "a"], "model": ["x", "x", "y"], "correct": 1})
    with pytest.raises(InputError, match="no prediction for the id b"):
        tallystick.score(table, metrics=["pass@1"], system_column="model")


def test_tries_have_no_weights():
    table = make_table([(2, 1)]).assign(weight=2)
    with pytest.raises(UsageError, match=r"can only be used with (metrics of )?labels"):
        tallystick.score(table, metrics=["pass@1"], weights="weight")


def test_other_metrics_do_not_read_several_rows():
    with pytest.raises(UsageError, match="score them separately"):
        tallystick.score(make_table([(2, 1)]), metrics=["pass@1", Accuracy()])


PROBLEMS, TRIES = 40, 6


def draw_table():
    rng = np.random.default_rng(5)
    rows = []
    for problem in range(PROBLEMS):
        easy = rng.beta(1, 1)
        for model, bonus in (("a", 0.0), ("b", 0.2)):
            rows += [
                {
                    "task_id": f"p{problem}",
                    "model": model,
                    "correct": bool(rng.random() < easy + bonus),
                    "try": attempt,
                    "domain": "xy"[problem % 2],
                    "author": f"w{problem // 4}",
                }
                for attempt in range(TRIES)
            ]
    return pandas.DataFrame(rows)


TABLE = draw_table()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_json("all.jsonl", orient="records", lines=True)
    for model, own in TABLE.groupby("model"):
        own.to_json(f"{model}.jsonl", orient="records", lines=True)
        own.to_csv(f"{model}.csv", index=False)
        for attempt, part in own.groupby("try"):
            part.to_json(f"{model}-{attempt}.jsonl", orient="records", lines=True)
    return tmp_path


def run_json(capsys, *arguments, code=0):
    assert code == main([*arguments, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def fail(capsys, *arguments, code):
    assert code == main(list(arguments))
    return str(capsys.readouterr().err)


def list_values(found):
    return [
        (one["system"], one["name"], one["value"], one["low"], one["high"])
        for one in found["scores"]
    ]


METRICS = ("-m", "pass@1", "pass@3", "pass^3", "maj@5")


def test_all_layouts_score_alike(folder, capsys):
    long = list_values(run_json(capsys, "score", "all.jsonl", "--system-column", "model", *METRICS))
    several = [f"{model}={model}-{at}.jsonl" for model in "ab" for at in range(TRIES)]
    others = [
        run_json(capsys, "score", "a.jsonl", "b.jsonl", *METRICS),
        run_json(capsys, "score", "a.csv", "b.csv", *METRICS),
        run_json(capsys, "score", *several, *METRICS),
        run_json(capsys, "score", "a=a-*.jsonl", "b=b-*.jsonl", *METRICS),
    ]
    assert [long] * 4 == list(map(list_values, others))


def test_values_are_means_over_problems(folder, capsys):
    found = run_json(capsys, "score", "a.jsonl", "-m", "pass@1", "--by", "domain")
    own = TABLE[TABLE.model == "a"].groupby(["domain", "task_id"])["correct"].mean()
    means = own.groupby("domain").mean()
    expected = [*means, means.mean(), own.mean()]
    assert pytest.approx(expected, abs=1e-12) == [one["value"] for one in found["scores"]]


def test_saved_counts_have_every_smaller_k(folder, capsys):
    early = TABLE["task_id"].isin([f"p{at}" for at in range(15)])
    for name, part in (("one", TABLE[early]), ("two", TABLE[~early])):
        part.to_json(f"{name}.jsonl", orient="records", lines=True)
        options = ("--system-column", "model", "-m", "pass@1")
        assert 0 == main(["count", f"{name}.jsonl", *options, "-o", f"{name}.tally"])
    capsys.readouterr()
    whole = ("compare", "all.jsonl", "--system-column", "model", "-m", "pass@2")
    expected = run_json(capsys, *whole)
    parts = run_json(capsys, "compare", "one.tally", "two.tally", "-m", "pass@2")
    assert expected["differences"] == parts["differences"]


def test_the_difference_of_averages_is_tested_as_numbers_are(folder, capsys):
    options = ("--system-column", "model", "--test", "t")
    (found,) = run_json(capsys, "compare", "all.jsonl", *options, "-m", "avg@6")["differences"]
    shares = TABLE.groupby(["model", "task_id"], as_index=False)["correct"].mean()
    shares.to_csv("shares.csv", index=False)
    own = ("--id-column", "task_id", "-m", "mean(correct)")
    (expected,) = run_json(capsys, "compare", "shares.csv", *options, *own)["differences"]
    assert pytest.approx(expected["difference"]) == found["difference"]
    assert pytest.approx(expected["p"], rel=0.1) == found["p"]


def test_flaky_examples_are_in_the_json(folder, capsys):
    found = run_json(capsys, "score", "a.jsonl", "b.jsonl", "-m", "pass@1")
    sums = TABLE.groupby(["model", "task_id"], sort=False)["correct"].sum()
    expected = {
        (model, name, TRIES, int(right)) for (model, name), right in sums.items() if 0 < right < 6
    }
    columns = ["system", "example", "tries", "correct"]
    assert expected == {tuple(one[name] for name in columns) for one in found["flaky"]}
    own = sum(model == "a" for model, *_ in expected)
    note = f"flaky): {own} of 40 of a, {len(expected) - own} of 40 of b."
    assert any(one.endswith(note) for one in found["notes"])


def test_python_lists_flaky_examples():
    result = tallystick.score(TABLE, metrics=["pass@1"], system_column="model")
    assert {"a", "b"} == {one.system for one in result.flaky}
    assert {"a"} == {one.system for one in result.select(system="a").flaky}
    assert () == tallystick.score([0, 1], [0, 1]).flaky


def test_flips_show_outcomes(folder, capsys):
    options = ("--system-column", "model", "-m", "pass@1", "--flips", "flips.csv")
    assert 0 == main(["compare", "all.jsonl", *options])
    flips = pandas.read_csv(folder / "flips.csv", dtype=str)
    sums = TABLE.groupby(["task_id", "model"])["correct"].sum().unstack()
    gaps = (sums["a"] - sums["b"]).abs()
    first = flips.iloc[0]
    assert gaps.max() == gaps[first["example"]]
    right = sums.loc[first["example"]]
    expected = [f"{right[first[side]]}/6" for side in ("a", "b")]
    assert expected == [first["output_a"], first["output_b"]]


def test_identical_models_do_not_differ(folder, capsys):
    files = ("one=a.jsonl", "two=a.jsonl")
    (found,) = run_json(capsys, "compare", *files, "-m", "pass@2")["differences"]
    assert (0, 1) == (found["difference"], found["p"])
    assert found["low"] < 0 < found["high"]


@pytest.mark.parametrize(("arguments", "code", "message"), [
    (("-m", "pass@7"), 4, "p0 has 6 tries, and k = 7 needs 7 (40 problems have too few)"),
    (("-m", "pass@1", "accuracy"), 2, "score them separately"),
    (("-m", "pass@0"), 2, "k must be a whole number of 1 or more"),
    (("-m", "pass_at_k"), 2, "PassAtK needs k"),
    (("-m", "pass@1", "--missing", "wrong"), 2, "leave out --missing"),
    (("-m", "pass@1", "--predicted-column", "domain"), 4,
     "expected 1 or 0, or true or false, found 'x'"),
    (("-m", "pass@1", "--id-column", "nope"), 4, "nope"),
    (("-m", "pass@1", "--prevalence", "1=0.5"), 2, "not with repeated tries"),
    (("-m", "accuracy", "--gold-column", "domain", "--predicted-column", "domain"), 4, ""),
])  # fmt: skip
def test_wrong_calls_say_what_is_wrong(folder, capsys, arguments, code, message):
    assert message in fail(capsys, "score", "a.jsonl", *arguments, code=code)


def test_a_table_without_right_or_wrong_is_rejected(folder, capsys):
    TABLE.rename(columns={"correct": "verdict"}).to_csv("odd.csv", index=False)
    message = fail(capsys, "score", "odd.csv", "-m", "pass@1", code=4)
    assert "no column says which tries are right: none is called correct" in message
    named = ("--predicted-column", "verdict", "--system-column", "model")
    assert 0 == main(["score", "odd.csv", "-m", "pass@1", *named])


def test_ids_that_stand_twice_are_told_to_be_tries(folder, capsys):
    TABLE[TABLE.model == "a"].drop(columns="model").rename(
        columns={"task_id": "id", "domain": "gold", "author": "pred"}
    ).to_csv("twice.csv", index=False)
    message = fail(capsys, "score", "twice.csv", "-m", "accuracy", code=4)
    assert "if they are tries of one problem, score them with -m pass@1" in message


def test_tries_of_a_problem_are_in_one_cluster(folder, capsys):
    TABLE.assign(author=np.arange(len(TABLE))).to_csv("torn.csv", index=False)
    options = ("--system-column", "model", "-m", "pass@1", "--clusters", "author")
    message = fail(capsys, "score", "torn.csv", *options, code=4)
    assert "all tries of a problem have the same" in message


def test_a_problem_that_a_system_did_not_try_is_named(folder, capsys):
    lacking = TABLE[(TABLE.model == "a") | (TABLE.task_id != TABLE.task_id.iloc[0])]
    lacking.to_csv("lacking.csv", index=False)
    options = ("--system-column", "model", "-m", "pass@1")
    message = fail(capsys, "score", "lacking.csv", *options, code=4)
    assert f"has no prediction for the id {TABLE.task_id.iloc[0]} of lacking.csv (a)" in message
    assert "--missing" not in message


BOTH = ["try_mean(score)", "try_share(score)"]


def draw(seed, groups=1, examples=12):
    rng = np.random.default_rng(seed)
    tries = rng.integers(2, 6, groups * examples)
    example = np.repeat(np.arange(len(tries)), tries)
    score = rng.normal(0, 1, len(tries))[example] + rng.normal(0, 1, len(example))
    return pandas.DataFrame(
        {"id": example, "group": example // examples, "model": "a", "score": score}
    )


def score(table, metrics, **options):
    return list(tallystick.score(table, metrics=metrics, system_column="model", **options).scores)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(50))
def test_values_are_those_of_pandas(seed):
    table = draw(seed, 200)
    found = score(table, BOTH, by="group", intervals=False)
    own = table.groupby(["group", "id"]).score
    means, errors = own.mean().groupby("group"), (own.sem() ** 2).groupby("group")
    wanted = {BOTH[0]: means.mean(), BOTH[1]: (errors.mean() / means.var()).clip(upper=1)}

    for name, values in wanted.items():
        known = {one.group: one.value for one in found if one.name == name}
        assert near(values.tolist()) == [known[str(group)] for group in values.index]


def test_the_interval_of_a_mean_is_student_s_over_examples():
    table = draw(3, examples=80)
    (one,) = score(table, BOTH[:1])
    means = table.groupby("id").score.mean()
    ends = stats.t.interval(0.95, 79, means.mean(), stats.sem(means))
    assert (80, pytest.approx(ends, rel=0.02)) == (one.n, (one.low, one.high))


def test_examples_that_differ_by_chance_alone_leave_all_variance_to_tries():
    rng = np.random.default_rng(5)
    ids = np.repeat(np.arange(2000), 2)
    alike = pandas.DataFrame({"id": ids, "model": "a", "score": rng.normal(0, 1, 4000)})
    apart = alike.assign(score=rng.normal(0, 1, 2000)[ids])
    assert pytest.approx(1, abs=0.1) == score(alike, BOTH[1:], intervals=False)[0].value
    assert 0 == score(apart, BOTH[1:], intervals=False)[0].value


def test_examples_that_were_tried_once_have_no_share():
    table = draw(2).drop_duplicates("id")
    mean, share = score(table, BOTH, intervals=False)
    assert near(table.score.mean()) == mean.value
    assert np.isnan(share.value)


def test_systems_may_have_unlike_numbers_of_tries():
    first, second = draw(1), draw(1).drop_duplicates("id").assign(model="b")
    table = pandas.concat([first, second])
    (one,) = tallystick.compare(table, metrics=BOTH[0], system_column="model").differences
    means = [part.groupby("id").score.mean().mean() for part in (first, second)]
    assert near(abs(means[0] - means[1])) == abs(one.difference)


def test_files_of_one_system_are_its_tries(tmp_path):
    words = ["score"]
    for place, (one, other) in enumerate([(1.5, 4), (2.5, 6)]):
        path = tmp_path / f"{place}.csv"
        path.write_text(f"id,score\nx,{one}\ny,{other}\n")
        words.append(f"a={path}")
    code, found, notes = run([*words, "--format", "json", "-m", BOTH[0]])
    assert (0, True) == (code, '"value": 3.5' in found), notes


@pytest.mark.parametrize(
    ("values", "said"),
    [([1.0, None], "the number is missing"), ([1.0, 1e60], "is not a number between")],
)
def test_what_is_no_number_is_told_by_its_row(values, said):
    table = pandas.DataFrame({"id": [1, 1], "model": "a", "score": values})
    with pytest.raises(InputError, match=said):
        score(table, BOTH[:1])


def test_other_metrics_stand_apart():
    with pytest.raises(UsageError, match="score them separately"):
        score(draw(1), ["try_mean(score)", "mean(score)"])


def test_interval_of_the_share_of_tries_is_as_wide_as_leaving_out_examples_tells():
    table = draw(5, examples=200)
    metric = ["try_share(score)"]
    (found,) = tallystick.score(table, None, metric).scores
    parts = (table[table.id != one] for one in range(200))
    shares = np.array(
        [tallystick.score(p, None, metric, intervals=False)[metric[0]] for p in parts]
    )

    error = np.sqrt(199 / 200 * ((shares - shares.mean()) ** 2).sum())
    low, high = (np.log(end / (1 - end)) for end in (found.low, found.high))
    assert (
        pytest.approx(2 * 1.97 * error / (found.value * (1 - found.value)), rel=0.1) == high - low
    )

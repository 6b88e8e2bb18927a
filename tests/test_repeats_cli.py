"""Repeated tries in the command: layouts, comparisons, saved counts, flaky examples, messages."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import tallystick
from tallystick.cli import main

PROBLEMS, TRIES = 40, 6


def draw_table() -> pandas.DataFrame:
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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    TABLE.to_json("all.jsonl", orient="records", lines=True)
    for model, own in TABLE.groupby("model"):
        own.to_json(f"{model}.jsonl", orient="records", lines=True)
        own.to_csv(f"{model}.csv", index=False)
        for attempt, part in own.groupby("try"):
            part.to_json(f"{model}-{attempt}.jsonl", orient="records", lines=True)
    return tmp_path


def run(capsys: Any, *arguments: str, code: int = 0) -> Any:
    assert code == main([*arguments, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def fail(capsys: Any, *arguments: str, code: int) -> str:
    assert code == main(list(arguments))
    return str(capsys.readouterr().err)


def list_values(found: Any) -> list[tuple[Any, ...]]:
    return [
        (one["system"], one["name"], one["value"], one["low"], one["high"])
        for one in found["scores"]
    ]


METRICS = ("-m", "pass@1", "pass@3", "pass^3", "maj@5")


def test_all_layouts_score_alike(folder, capsys):
    long = list_values(run(capsys, "score", "all.jsonl", "--system-column", "model", *METRICS))
    several = [f"{model}={model}-{at}.jsonl" for model in "ab" for at in range(TRIES)]
    others = [
        run(capsys, "score", "a.jsonl", "b.jsonl", *METRICS),
        run(capsys, "score", "a.csv", "b.csv", *METRICS),
        run(capsys, "score", *several, *METRICS),
        run(capsys, "score", "a=a-*.jsonl", "b=b-*.jsonl", *METRICS),
    ]
    assert [long] * 4 == list(map(list_values, others))


def test_values_are_means_over_problems(folder, capsys):
    found = run(capsys, "score", "a.jsonl", "-m", "pass@1", "--by", "domain")
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
    expected = run(capsys, *whole)
    parts = run(capsys, "compare", "one.tally", "two.tally", "-m", "pass@2")
    assert expected["differences"] == parts["differences"]


def test_the_difference_of_averages_is_tested_as_numbers_are(folder, capsys):
    options = ("--system-column", "model", "--test", "t")
    (found,) = run(capsys, "compare", "all.jsonl", *options, "-m", "avg@6")["differences"]
    shares = TABLE.groupby(["model", "task_id"], as_index=False)["correct"].mean()
    shares.to_csv("shares.csv", index=False)
    own = ("--id-column", "task_id", "-m", "mean(correct)")
    (expected,) = run(capsys, "compare", "shares.csv", *options, *own)["differences"]
    assert pytest.approx(expected["difference"]) == found["difference"]
    assert pytest.approx(expected["p"], rel=0.1) == found["p"]


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_flaky_examples_are_listed(folder, capsys, ending):
    path = folder / f"flaky.{ending}"
    found = run(capsys, "score", "a.jsonl", "b.jsonl", "-m", "pass@1", "--flaky", str(path))
    sums = TABLE.groupby(["model", "task_id"], sort=False)["correct"].sum()
    expected = {
        (model, name, TRIES, int(right)) for (model, name), right in sums.items() if 0 < right < 6
    }
    table = pandas.read_csv(path) if ending == "csv" else pandas.read_json(path)
    columns = ["system", "example", "tries", "correct"]
    assert expected == set(table[columns].itertuples(index=False, name=None))
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
    (found,) = run(capsys, "compare", *files, "-m", "pass@2")["differences"]
    assert (0, 1) == (found["difference"], found["p"])
    assert found["low"] < 0 < found["high"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("-m", "pass@7"), 4, "p0 has 6 tries, and k = 7 needs 7 (40 problems have too few)"),
        (("-m", "pass@1", "accuracy"), 2, "score them separately"),
        (("-m", "pass@0"), 2, "k is a whole number from 1 on"),
        (("-m", "pass_at_k"), 2, "PassAtK needs k"),
        (("-m", "pass@1", "--missing", "wrong"), 2, "leave out --missing"),
        (("-m", "pass@1", "--predicted-column", "domain"), 4, "'x' stands where 1 or 0"),
        (("-m", "pass@1", "--id-column", "nope"), 4, "nope"),
        (("-m", "pass@1", "--prevalence", "1=0.5"), 2, "not with repeated tries"),
        (("-m", "accuracy", "--gold-column", "domain", "--predicted-column", "domain"), 4, ""),
    ],
)
def test_wrong_calls_say_what_is_wrong(folder, capsys, arguments, code, message):
    assert message in fail(capsys, "score", "a.jsonl", *arguments, code=code)


def test_a_table_without_right_or_wrong_is_refused(folder, capsys):
    TABLE.rename(columns={"correct": "verdict"}).to_csv("odd.csv", index=False)
    message = fail(capsys, "score", "odd.csv", "-m", "pass@1", code=4)
    assert "no column says which tries are right: none is called correct" in message
    named = ("--predicted-column", "verdict", "--system-column", "model")
    assert 0 == main(["score", "odd.csv", "-m", "pass@1", *named])


def test_ids_that_stand_twice_are_told_to_be_tries(folder, capsys):
    own = TABLE[TABLE.model == "a"].drop(columns="model")
    own.rename(columns={"task_id": "id", "domain": "gold", "author": "pred"}).to_csv(
        "twice.csv", index=False
    )
    message = fail(capsys, "score", "twice.csv", "-m", "accuracy", code=4)
    assert "if they are tries of one problem, score them with -m pass@1" in message


def test_tries_of_a_problem_are_in_one_cluster(folder, capsys):
    torn = TABLE.assign(author=np.arange(len(TABLE)))
    torn.to_csv("torn.csv", index=False)
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

"""Means of nothing but 0 and 1 are accuracies of right and wrong, in every command."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import tallystick as ts
from tallystick.cli import main

SIZE, NAMES = 60, "abc"
LAYOUTS = {
    "plain": [],
    "groups": ["--by", "lang"],
    "weights": ["--weight-column", "w"],
    "clusters": ["--clusters", "doc"],
    "groups and clusters": ["--by", "lang", "--clusters", "doc"],
    "groups and weights": ["--by", "lang", "--weight-column", "w"],
}
GATE = ["gate", "--against", "a.csv", "--max-drop", "0.2"]
COMMANDS = {
    "score": (["score"], "scores", ("low", "high", "value", "method", "n")),
    "compare": (["compare"], "differences", ("difference", "low", "high", "p", "p_holm", "test")),
    "bootstrap": (["compare", "--test", "bootstrap"], "differences", ("low", "high", "p", "test")),
    "ar": (["compare", "--test", "ar"], "differences", ("low", "high", "p", "test")),
    "rank": (["rank"], "places", ("rank", "best_rank", "worst_rank", "low", "high", "resolution")),
    "gate": (GATE, "checks", ("value", "old", "low", "high", "verdict")),
    "plan": (["plan"], "powers", ("power", "detectable", "needed", "needed_high", "assured")),
    "seeds": (["score", "--seeds"], "scores", ("value", "low", "high", "seed_share")),
}


def invent():
    draw = np.random.default_rng(3)
    rows = [
        {"id": row, "lang": draw.choice(["de", "en", "fr"]), "doc": row // 4}
        | {"w": draw.choice([0, 0.5, 1, 3]), "gold": 1}
        for row in range(SIZE)
    ]
    return rows, {name: (draw.random(SIZE) < 0.5 + at / 6) for at, name in enumerate(NAMES)}


def write(names=NAMES, *, values=("0", "1"), spoil=(), part=slice(None)):
    """A file of each system in this folder, with right and wrong as labels and as numbers."""
    rows, right = invent()
    paths = [f"{name}.csv" for name in names]
    for name, path in zip(names, paths, strict=True):
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0], "prediction", "score"])
            writer.writeheader()
            for row in rows[part]:
                hit = int(right[name][row["id"]])
                number = dict(spoil).get((name, row["id"]), values[hit])
                writer.writerow(row | {"prediction": hit, "score": number})
    return paths


def ask(capsys, words, part, fields):
    code = main([*words, "--format", "json"])
    printed = capsys.readouterr()
    assert code in (0, 1, 3), printed.err
    found = json.loads(printed.out)
    found = found if isinstance(found, list) else found[part]
    names = ("system", "a", "b", "group", *fields)
    return [[one.get(name) for name in names] for one in found]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_mean_of_0_and_1_has_what_accuracy_has(command, layout, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (words, part, fields), paths = COMMANDS[command], write()
    paths = {"gate": ["b.csv"], "plan": paths[:2]}.get(command, paths)
    equal = ["accuracy"] if "weights" in layout else ["accuracy", "exact_match"]
    calls = [[paths, "mean(score)"], *([["a.csv", *paths], name] for name in equal)]
    found = [
        ask(capsys, [*words[:1], *own, *words[1:], *LAYOUTS[layout], "-m", metric], part, fields)
        for own, metric in calls
    ]
    assert found[0]
    assert found == [found[0]] * len(calls)


def count_parts():
    for at, part in enumerate([slice(0, 25), slice(25, None)]):
        main(["count", *write(part=part), "-m", "mean(score)", "--by", "lang", "-o", f"{at}.tally"])
    return ["0.tally", "1.tally"]


def join_systems(asked=("-m", "mean(score)")):
    """One table of all systems in one row of each example, in JSON Lines with booleans."""
    rows, right = invent()
    lines = [
        json.dumps({"system": name, "id": row["id"], "lang": row["lang"], "score": bool(own[at])})
        for name, own in right.items()
        for at, row in enumerate(rows)
    ]
    Path("all.jsonl").write_text("\n".join(lines))
    return ["all.jsonl", "--system-column", "system", *asked, "--by", "lang"]


USUAL = ["-m", "mean(score)", "--by", "lang"]
FORMS = {
    "words": lambda: [*write(values=("false", "true")), *USUAL],
    "decimals": lambda: [*write(values=("0.0", "1.00")), *USUAL],
    "parts": count_parts,
    "booleans of a long table": join_systems,
    "workers": lambda: [*write(), *USUAL, "--workers", "2"],
    "single tries": lambda: join_systems(["-m", "pass@1", "--predicted-column", "score"]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("shared_workers")
def test_any_form_of_0_and_1_gives_the_same(form, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    expected = ask(capsys, ["compare", *write(), *USUAL], *COMMANDS["compare"][1:])
    assert ask(capsys, ["compare", *FORMS[form]()], *COMMANDS["compare"][1:]) == expected


@pytest.mark.parametrize(
    ("spoil", "methods", "tests"),
    [
        ({("c", 7): 0.5}, {"a": "Wilson", "b": "Wilson", "c": "Student's t"}, {"t"}),
        ({("c", 7): 2}, {"a": "Wilson", "b": "Wilson", "c": "Student's t"}, {"t"}),
        ({("c", 7): -0.0}, {"a": "Wilson", "b": "Wilson", "c": "Wilson"}, {"mcnemar-midp"}),
        (
            {(name, 7): "" for name in NAMES},
            {"a": "Wilson", "b": "Wilson", "c": "Wilson"},
            {"mcnemar-midp"},
        ),
    ],
)
def test_another_number_changes_no_interval_of_other_systems(
    spoil, methods, tests, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    usual = ["-m", "mean(score)", "--missing", "common"]
    alone = ask(capsys, ["score", "a.csv", *usual], "scores", ("low", "high")) if write() else []
    paths = write(spoil=spoil.items())
    fields = ("method", "low", "high", "n")
    found = ask(capsys, ["score", *paths, *usual], "scores", fields)
    assert {one[0]: one[4] for one in found} == methods
    assert "" in spoil.values() or found[0][5:7] == alone[0][4:6]
    compared = ask(capsys, ["compare", *paths, *usual], "differences", ("test",))
    assert {one[4] for one in compared} == tests


def test_a_number_of_no_weight_does_not_count():
    table = {"score": [1, 0, 1, 1, 0.3], "w": [1.0, 1, 1, 1, 0]}
    found, plain = (
        ts.score(own, metrics="mean(score)", weights="w" if "w" in own else None).scores[0]
        for own in (table, {"score": [1, 0, 1, 1]})
    )
    assert (found.value, found.low, found.high) == (plain.value, plain.low, plain.high)


def test_a_scale_that_goes_farther_is_no_share():
    table = {"score": [1, 0, 1, 1, 0, 1]}
    found = [
        ts.score(table, metrics=f"mean(score{bounds})").scores[0].method
        for bounds in ("", ", bounds=(0, 1)", ", bounds=(0, 5)", ", better='lower'")
    ]
    assert found == ["Wilson", "Wilson", "Wilson at the effective size", "Wilson"]


def exact(gold, output):
    return float(gold == output)


def test_a_mean_of_a_function_is_a_share_where_that_returns_0_and_1():
    gold, outputs = list("aabbcc"), {"x": list("aabbca"), "y": list("abbbaa")}
    found, same = (
        ts.compare(gold, outputs, metrics=own).differences[0] for own in ([exact], "accuracy")
    )
    assert (found.test, found.low, found.high) == ("mcnemar-midp", same.low, same.high)


@pytest.mark.parametrize("test", ["mcnemar", "mcnemar-midp"])
def test_mcnemar_is_for_0_and_1_alone(test, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["compare", *write(spoil={("c", 7): 0.5}.items()), "-m", "mean(score)", "--test", test]
    assert main(words) == 2
    assert "accuracy and means of 0 and 1" in capsys.readouterr().err

"""The layouts of inputs on the command line: the same systems give the same numbers in each."""

import csv
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tallystick.cli import main

RNG = np.random.default_rng(8)
SIZE = 40
SYSTEMS = ("gpt", "llama")
LABELS = ["entail", "neutral", "contradict"]
WORDS = ["the", "a", "cat", "dog", "sat", "mat", "on", "under", "house", "tree", "barked", "ran"]


def _draw_labels() -> list[dict[str, Any]]:
    gold = RNG.choice(LABELS, SIZE)
    columns = {
        name: np.where(RNG.random(SIZE) < share, gold, RNG.choice(LABELS, SIZE))
        for name, share in zip(SYSTEMS, (0.9, 0.5), strict=True)
    }
    return [
        {"gold": str(gold[at]), **{name: str(own[at]) for name, own in columns.items()}}
        for at in range(SIZE)
    ]


def _draw_texts() -> list[dict[str, Any]]:
    rows = []
    for _ in range(SIZE):
        words = RNG.choice(WORDS, 9)
        row = {"gold": " ".join(words)}
        for name, share in zip(SYSTEMS, (0.9, 0.5), strict=True):
            kept = RNG.random(len(words)) < share
            row[name] = " ".join(np.where(kept, words, RNG.choice(WORDS, len(words))))
        rows.append(row)
    return rows


def _draw_numbers() -> list[dict[str, Any]]:
    means = {"gold": 0.5, "gpt": 0.8, "llama": 0.4}
    columns = {name: RNG.normal(mean, 0.1, SIZE).round(3) for name, mean in means.items()}
    return [{name: float(own[at]) for name, own in columns.items()} for at in range(SIZE)]


KINDS = {
    "labels": (_draw_labels(), "accuracy"),
    "texts": (_draw_texts(), "chrf"),
    "numbers": (_draw_numbers(), "mean"),
}
LAYOUTS = {
    "files": ["gold.jsonl", "gpt.jsonl", "llama.jsonl"],
    "named files": ["gold.jsonl", "gpt=runs/1.jsonl", "llama=runs/2.jsonl"],
    "a column each": ["wide.jsonl", "--systems", "gpt", "llama"],
    "a column of systems": ["long.jsonl", "--system-column", "model"],
    "a folder": ["gold.jsonl", "--submissions", "entries"],
    "an archive": ["gold.jsonl", "--submissions", "entries.zip"],
}
GATES = {
    **{name: [*layout[:-1], "--against", layout[-1]] for name, layout in LAYOUTS.items()},
    **{
        name: [*LAYOUTS[name], "--against", "llama"]
        for name in ("a column of systems", "a folder", "an archive")
    },
}


def _write(path: str, rows: list[dict[str, Any]]) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(params=KINDS)
def metric(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    rows, chosen = KINDS[request.param]
    ids = [f"x{at}" for at in range(SIZE)]
    _write("wide.jsonl", [{"id": name, **row} for name, row in zip(ids, rows, strict=True)])
    _write(
        "gold.jsonl",
        [{"id": name, "gold": row["gold"]} for name, row in zip(ids, rows, strict=True)],
    )
    long = []
    for number, system in enumerate(SYSTEMS, 1):
        own = [{"id": ids[at], "output": rows[at][system]} for at in RNG.permutation(SIZE)]
        for path in (f"{system}.jsonl", f"runs/{number}.jsonl", f"entries/{system}.jsonl"):
            _write(path, own)
        long += [
            {"model": system, "id": name, "gold": row["gold"], "output": row[system]}
            for name, row in zip(ids, rows, strict=True)
        ]
    _write("long.jsonl", long)
    with zipfile.ZipFile("entries.zip", "w") as archive:
        for path in sorted(Path("entries").iterdir()):
            archive.write(path, f"entries/{path.name}")
    return chosen


@pytest.fixture
def read(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def run(*arguments: str) -> Any:
        code = main([*arguments, "--format", "json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return json.loads(captured.out)

    return run


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("score", ("scores", [{"system": "gpt"}, {"system": "llama"}])),
        ("compare", ("differences", [{"a": "llama", "b": "gpt"}])),
        ("rank", ("places", [{"system": "gpt"}, {"system": "llama"}])),
    ],
    ids=["score", "compare", "rank"],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read_alike(read, metric, layout, command, told):
    options = ["-m", metric, *([] if command == "score" else ["--resamples", "200"])]
    first = read(command, *LAYOUTS["files"], *options)
    name, expected = told

    assert expected == [{key: one[key] for key in expected[0]} for one in first[name]]
    assert first == read(command, *LAYOUTS[layout], *options)


@pytest.mark.parametrize("layout", GATES)
def test_every_layout_is_gated_alike(capsys, metric, layout):
    options = ("-m", metric, "--resamples", "200", "--max-drop", "0")
    told = []
    for arguments in (GATES["files"], GATES[layout]):
        assert 0 == main(["gate", *arguments, *options])
        told.append(capsys.readouterr().out)

    assert told[0] == told[1]
    assert told[0].startswith("gpt passes the gate: 1 of 1 check passed.\n")


@pytest.mark.parametrize("where", ["a column each", "a column of systems", "a folder"])
def test_the_older_system_is_the_one_that_was_named(capsys, metric, where):
    arguments = [name.replace("gpt", "llama") for name in GATES[where][:-1]]
    options = ("-m", metric, "--resamples", "200", "--max-drop", "0")

    assert 1 == main(["gate", *arguments, "gpt", *options])
    assert capsys.readouterr().out.startswith(
        "llama fails the gate: 0 of 1 check passed, 1 failed."
    )


def test_a_system_that_is_nowhere_is_told(metric, capsys):
    arguments = ["gate", "gold.jsonl", "--submissions", "entries", "--against", "old"]

    assert 2 == main([*arguments, "-m", metric, "--max-drop", "0"])
    assert "there is no system 'old' in entries, only gpt, llama" in capsys.readouterr().err


def test_messages_name_the_archive(metric, capsys):
    with zipfile.ZipFile("entries.zip", "a") as archive:
        archive.writestr("entries/broken.jsonl", '{"id": "x0", "output": "neutral"}\n')
    message = "broken was refused: entries.zip/broken.jsonl has no prediction for 39 ids"

    assert 0 == main(["rank", "gold.jsonl", "--submissions", "entries.zip", "-m", metric])
    assert message in " ".join(capsys.readouterr().out.split())


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for language in ("en", "es"):
        gold = RNG.integers(0, 2, SIZE)
        for tag, share in (("new", 0.95), ("old", 0.6)):
            own = np.where(RNG.random(SIZE) < share, gold, 1 - gold)
            with open(f"{tag}_{language}.csv", "w", encoding="utf-8", newline="") as file:
                rows = zip([f"{language}{at}" for at in range(SIZE)], gold, own, strict=True)
                csv.writer(file).writerows([("id", "y_true", "y_pred"), *rows])
    return tmp_path


RUNS = ["--pred-dir", ".", "-m", "f1", "--run-tag", "new"]


def test_several_runs_are_several_systems(runs, read):
    scored = read("score", *RUNS, "old")["scores"]
    compared = read("compare", *RUNS, "old", "--resamples", "200")
    ranked = read("rank", *RUNS, "old", "--resamples", "200")
    rows = ["en", "es", "macro", "micro"]

    assert [(name, row) for name in ("new", "old") for row in rows] == [
        (record["system"], record["group"]) for record in scored
    ]
    assert rows == [one["group"] for one in compared["differences"]]
    assert [1, 2] * 4 == [place["rank"] for place in ranked["places"]]


def test_a_run_is_gated_against_another_one(runs, capsys):
    options = ["--max-drop", "0.5", "--resamples", "200"]

    assert 0 == main(["gate", *RUNS, "--against", "old", *options])
    first = capsys.readouterr().out
    assert 0 == main(["gate", *RUNS, "old", "--against", "old", *options])
    assert first == capsys.readouterr().out
    assert first.startswith("new passes the gate: 4 of 4 checks passed.\n")


def test_flips_of_runs_have_a_language(runs):
    main(["compare", *RUNS, "old", "--resamples", "200", "--flips", "flips.csv"])
    with open("flips.csv", encoding="utf-8") as file:
        found = [(row["group"], row["example"][:2]) for row in csv.DictReader(file)]

    assert {("en", "en"), ("es", "es")} == set(found)


def test_a_run_is_named_once(runs, capsys):
    assert 2 == main(["compare", *RUNS, "new"])
    assert "the run new is named twice" in capsys.readouterr().err


def test_a_column_each_may_hold_probabilities(tmp_path, read):
    rows = [{"label": at % 2, "a": (at % 5) / 10 + 0.3 * (at % 2), "b": 0.25} for at in range(20)]
    path = tmp_path / "wide.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = ["label,a,b", *(f"{row['label']},{row['a']},{row['b']}" for row in rows)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    options = ("--systems", "a", "b", "-m", "roc_auc", "accuracy")
    found = read("score", str(path), *options)

    assert [("a", "roc_auc"), ("a", "accuracy"), ("b", "roc_auc"), ("b", "accuracy")] == [
        (record["system"], record["name"]) for record in found["scores"]
    ]
    assert [0.5, 0.5] == [record["value"] for record in found["scores"][2:]]
    assert found == read("score", str(tmp_path / "wide.csv"), *options)


def test_names_of_columns_may_differ_in_case(tmp_path, read):
    path = tmp_path / "table.csv"
    path.write_text("ID,Gold Label,Predicted-Label\na,x,x\nb,y,x\n")

    records = read("score", str(path), "-m", "accuracy")["scores"]

    assert [0.5] == [record["value"] for record in records]


def test_nested_fields_have_dotted_names(tmp_path, read):
    path = tmp_path / "nested.jsonl"
    rows = [
        {"gold": {"label": "ab"[at % 2]}, "answer": {"text": "a"}, "meta": {"length": at}}
        for at in range(8)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ("--gold-column", "gold.label", "--predicted-column", "answer.text")
    records = read("score", str(path), *options, "--by", "meta.length:2", "-m", "accuracy")[
        "scores"
    ]

    assert ["0–3", "4–7", "macro", "micro"] == [record["group"] for record in records]


def test_many_lines_have_flips(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "a b c d\n" * 19_999
    for name, last in (("ref", "a b c d\n"), ("one", "a b c d\n"), ("two", "x\n")):
        Path(f"{name}.txt").write_text(lines + last)
    files = ["ref.txt", "one.txt", "two.txt"]
    main(["compare", *files, "-m", "wer", "--resamples", "100", "--flips", "flips.csv"])
    with open("flips.csv", encoding="utf-8") as file:
        found = [(row["example"], row["difference"]) for row in csv.DictReader(file)]

    assert [("20000", "1.0")] == found

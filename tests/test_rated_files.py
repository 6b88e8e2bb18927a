"""Tables and score files of people and metrics about rated systems, and what is wrong with them."""

import csv
import json

import numpy as np
import pytest

from matrix import run
from rated_tables import draw_table

ROWS = [
    {"seg": segment, "translator": name, "human": human, "m": metric}
    for name, scores in {
        "x": [(-1, 0.7), (-5, 0.4), (0, 0.9)],
        "y": [(-1, 0.6), (-6, 0.5), (-1, 0.8)],
        "z": [(-4, 0.4), (-9, 0.2), (-2, 0.6)],
    }.items()
    for segment, (human, metric) in enumerate(scores)
]
ASKED = ("--rated-column", "translator", "--gold-column", "human", "--systems", "m")


def write_table(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def write_scores(path, names, scores):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{name}\t{None if np.isnan(one) else one}"
        for name, own in zip(names, scores, strict=True)
        for one in np.atleast_1d(own)
    ]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def read_values(*words):
    code, results, notes = run(["score", *words, "--format", "json", "--resamples", "100"])
    assert code == 0, notes
    return {
        (one["system"], one["name"]): one["value"] for one in json.loads(results)["scores"]
    }, notes


@pytest.fixture
def score_files(tmp_path):
    people, first = draw_table(1, "some")
    second = draw_table(2, "none")[1]
    names = [f"s{place}" for place in range(len(people))]
    metrics = {"BLEU-refA": first, "QE-src": second}
    means = {name: own.mean(1) for name, own in metrics.items()}
    folder = tmp_path / "metric-scores" / "en-de"
    gold = write_scores(tmp_path / "human-scores" / "en-de.mqm.seg.score", names, people)
    others = [*names[::-1], "refB"]  # people did not rate refB
    found = [
        write_scores(folder / f"{name}.seg.score", others, [*own[::-1], np.ones(own.shape[1])])
        for name, own in metrics.items()
    ]
    whole = [
        write_scores(tmp_path / "human-scores" / "en-de.mqm.sys.score", names, people[:, 0]),
        *(write_scores(folder / f"{name}.sys.score", names, own) for name, own in means.items()),
    ]
    rows = [
        {"item": item, "system": name, "human": people[row, item]}
        | {metric: own[row, item] for metric, own in metrics.items()}
        for row, name in enumerate(names)
        for item in range(people.shape[1])
    ]
    table = write_table(tmp_path / "table.csv", rows)
    return {"segments": [gold, *found], "systems": whole, "table": table}


def test_score_files_are_read_as_the_table(score_files):
    metrics = ("-m", "soft_pairwise_accuracy", "acc_eq", "pearson")
    files, notes = read_values(*score_files["segments"], "--rated-column", "system", *metrics)
    named = ("--gold-column", "human", "--systems", "BLEU-refA", "QE-src")
    table, told = read_values(score_files["table"], "--rated-column", "system", *named, *metrics)

    assert table == files
    assert "without a score of people are left out" in notes
    assert notes == told


def test_scores_of_whole_systems_are_of_one_item(score_files):
    words = (*score_files["systems"], "--rated-column", "system")
    found, _ = read_values(*words, "-m", "pairwise_accuracy", "kendall", "system_level_kendall")

    for system in ("BLEU-refA", "QE-src"):
        assert found[system, "kendall_tau_b"] == found[system, "system_level_kendall"]
        assert 0 <= found[system, "pairwise_accuracy"] <= 1


def test_what_is_blank_is_not_scored(tmp_path):
    whole = [row for row in ROWS if (row["seg"], row["translator"]) != (1, "y")]
    expected, _ = read_values(write_table(tmp_path / "a.csv", whole), *ASKED, "-m", "acc_eq")
    for blank in ("", "None", "NaN"):
        rows = [row if row in whole else {**row, "human": blank} for row in ROWS]
        found, notes = read_values(write_table(tmp_path / "b.csv", rows), *ASKED, "-m", "acc_eq")
        assert expected == found
        assert "1 of 9 rows without a score of people" in notes


def test_a_condition_leaves_systems_out(tmp_path):
    some = [row for row in ROWS if row["translator"] != "z"]
    expected, _ = read_values(write_table(tmp_path / "a.csv", some), *ASKED, "-m", "spa")
    words = (write_table(tmp_path / "b.csv", ROWS), *ASKED, "-m", "spa")

    assert expected == read_values(*words, "--where", "translator != 'z'")[0]


WRONG = {
    "no such column": (ROWS, ("--rated-column", "system", *ASKED[2:]), 4, "no column 'system'"),
    "no rated systems": (ROWS, ASKED[2:], 2, "--rated-column"),
    "no items": (
        [{key: row[key] for key in ("translator", "human", "m")} for row in ROWS],
        ASKED,
        4,
        "has no id column: none is called item",
    ),
    "twice": ([*ROWS, ROWS[0]], ASKED, 4, "holds the id 0 in x more than once"),
    "nobody rated": (
        [{**row, "human": "None"} for row in ROWS],
        ASKED,
        4,
        "column 'human' holds no score of people",
    ),
    "a missing score": ([{**ROWS[0], "m": "None"}, *ROWS[1:]], ASKED, 4, "the number is missing"),
    "a word": ([{**ROWS[0], "human": "good"}, *ROWS[1:]], ASKED, 4, "'good' is not a number"),
    "no name": ([{**ROWS[0], "translator": ""}, *ROWS[1:]], ASKED, 4, "row 2, column 'translator'"),
    "weights": (ROWS, (*ASKED, "--weight-column", "seg"), 2, "weights"),
    "annotators": (ROWS, (*ASKED, "--corrected-by", "human"), 2, "--corrected-by"),
    "torn items": (
        [{**row, "doc": place} for place, row in enumerate(ROWS)],
        (*ASKED, "--clusters", "doc"),
        4,
        "the item '0' stands in several clusters",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_tables_are_refused(tmp_path, case):
    rows, words, expected, message = WRONG[case]
    code, _, notes = run(["score", write_table(tmp_path / "t.csv", rows), *words, "-m", "acc_eq"])

    assert (expected, True) == (code, message in notes), notes


def test_metrics_of_labels_do_not_go_with_rated_systems(tmp_path):
    for metric in ("f1", "bleu"):
        words = ["score", write_table(tmp_path / "t.csv", ROWS), *ASKED, "-m", metric]
        code, _, notes = run(words)
        assert (2, True) == (code, "--rated-column goes with metrics of numbers" in notes), notes


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "is empty"),
        ("s0 1\nnews s0 2\n", "line 2 has 3 fields separated by blanks"),
        ("s0 1\n\ns1 2\n", "line 2 has 0 fields separated by blanks"),
        ("s0 1\ns1 2\n", "has no prediction for 166 ids (2 in s0, "),
        ("s0 good\n" * 168, "has no prediction"),
    ],
)
def test_wrong_score_files_are_refused(tmp_path, score_files, lines, message):
    path = tmp_path / "wrong.seg.score"
    path.write_text(lines)
    gold = score_files["segments"][0]
    code, _, notes = run(["score", gold, str(path), "--rated-column", "system", "-m", "acc_eq"])

    assert (4, True) == (code, message in notes), notes


def test_score_files_need_the_column_of_rated_systems(score_files):
    code, _, notes = run(["score", *score_files["segments"], "-m", "acc_eq"])

    assert (2, True) == (code, "--rated-column system" in notes), notes

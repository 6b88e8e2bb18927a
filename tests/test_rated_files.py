"""Tables and score files of rated systems, and how their tallies add and are saved."""

import csv
import json
from itertools import product

import numpy as np
import pyarrow
import pyarrow.compute
import pytest

import tallystick
from matrix import run
from rated_tables import as_table, draw_table
from tallystick import Testing
from tallystick.errors import InputError
from tallystick.io.arrays import pack_arrays, unpack_arrays

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
    table, shown = read_values(score_files["table"], "--rated-column", "system", *named, *metrics)
    assert table == files
    assert "without a score of people are left out" in notes
    assert notes == shown


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
    "twice": ([*ROWS, ROWS[0]], ASKED, 4, "contains the id 0 in x more than once"),
    "nobody rated": (
        [{**row, "human": "None"} for row in ROWS],
        ASKED,
        4,
        "column 'human' contains no score of people",
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
        "the item '0' is in several clusters",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_tables_are_rejected(tmp_path, case):
    rows, words, expected, message = WRONG[case]
    code, _, notes = run(["score", write_table(tmp_path / "t.csv", rows), *words, "-m", "acc_eq"])
    assert (expected, True) == (code, message in notes), notes


def test_metrics_of_labels_do_not_go_with_rated_systems(tmp_path):
    for metric in ("f1", "bleu"):
        code, _, notes = run(["score", write_table(tmp_path / "t.csv", ROWS), *ASKED, "-m", metric])
        assert (2, True) == (
            code,
            "--rated-column can only be used with metrics of numbers" in notes,
        ), notes


@pytest.mark.parametrize(("lines", "message"), [
    ("", "is empty"),
    ("s0 1\nnews s0 2\n", "line 2 has 3 fields separated by blanks"),
    ("s0 1\n\ns1 2\n", "line 2 has 0 fields separated by blanks"),
    ("s0 1\ns1 2\n", "has no prediction for 166 ids (2 in s0, "),
    ("s0 good\n" * 168, "has no prediction"),
])  # fmt: skip
def test_wrong_score_files_are_rejected(tmp_path, score_files, lines, message):
    path = tmp_path / "wrong.seg.score"
    path.write_text(lines)
    gold = score_files["segments"][0]
    code, _, notes = run(["score", gold, str(path), "--rated-column", "system", "-m", "acc_eq"])
    assert (4, True) == (code, message in notes), notes


def test_score_files_need_the_column_of_rated_systems(score_files):
    code, _, notes = run(["score", *score_files["segments"], "-m", "acc_eq"])
    assert (2, True) == (code, "--rated-column system" in notes), notes


METRICS = ["soft_pairwise_accuracy", "acc_eq", "pairwise_accuracy", "kendall_by_item"]
LAYOUT = {"gold": "human", "systems": ["a", "b"], "rated": "system"}


@pytest.fixture
def table():
    people, one = draw_table(1, "some")
    return as_table(people, a=one, b=draw_table(2, "some")[1])


def count(table):
    return tallystick.count(table, metrics=METRICS, **LAYOUT)


def list_values(counted):
    found = tallystick.score(counted, intervals=tallystick.Intervals(resamples=100))
    return [(one.system, one.name, one.value, one.low, one.high, one.n) for one in found.scores]


@pytest.mark.parametrize("size", [1, 24, 50])
def test_parts_add_up_to_the_whole(table, size):
    scored = table.filter(pyarrow.compute.field("human").is_valid())
    mixed = scored.take(np.random.default_rng(1).permutation(len(scored)))
    parts = [count(mixed.slice(start, size)) for start in range(0, len(mixed), size)]
    total = parts[0]
    for other in parts[1:]:
        total = total + other
    assert list_values(count(table)) == list_values(total)


def test_a_score_that_stands_in_two_parts_is_rejected(table):
    with pytest.raises(InputError, match="has several scores of the same rated system"):
        list_values(count(table) + count(table))


FORGED = {
    "0.scores": lambda own: own[:, :1],
    "0.known": lambda own: own * 2,
    "0.items": lambda own: own * 0,
    "0.groups": lambda own: own + 7,
    "0.clusters": lambda own: own[:-1],
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_tallies_are_rejected(table, tmp_path, name):
    path = tmp_path / "rated.tally"
    count(table).save(path)
    header, arrays = unpack_arrays(path.read_bytes(), "rated")
    arrays = {**arrays, name: np.ascontiguousarray(FORGED[name](arrays[name]))}
    path.write_bytes(pack_arrays(header, arrays))
    with pytest.raises(InputError):
        tallystick.load(path)


def correlate(people, metric):
    return np.mean(
        [np.corrcoef(one, own)[0, 1] for one, own in zip(people.T, metric.T, strict=True)]
    )


def test_randomisation_exchanges_standardised_scores_of_items():
    people, one = (own[:, :8] for own in draw_table(3, "none"))
    other = draw_table(5, "none")[1][:, :8] * 10
    first, second = ((own - own.mean()) / own.std() for own in (one, other))
    seen = correlate(people, first) - correlate(people, second)
    gaps = []
    for swaps in product((False, True), repeat=8):
        mixed = np.where(swaps, second, first), np.where(swaps, first, second)
        gaps.append(correlate(people, mixed[0]) - correlate(people, mixed[1]))
    expected = np.mean(np.abs(gaps) >= abs(seen) - 1e-9)
    (difference,) = tallystick.compare(
        as_table(people, a=one, b=other),
        metrics=["pearson_by_item"],
        testing=Testing(test="ar", resamples=4000),
        **LAYOUT,
    ).differences

    assert pytest.approx(seen) == -difference.difference
    assert pytest.approx(expected, abs=4 * np.sqrt(expected / 4000)) == difference.p


def test_a_better_metric_wins_the_comparison():
    people, _ = draw_table(1, "some")
    random = np.random.default_rng(1)
    good = np.nan_to_num(people) + random.normal(0, 0.5, people.shape)
    table = as_table(people, a=good, b=random.normal(size=people.shape))
    for test in ("t", "ar", "bootstrap"):
        testing = Testing(test=test, resamples=200)
        found = tallystick.compare(table, metrics=["spa", "acc_eq"], testing=testing, **LAYOUT)
        assert [True, True] == [one.p < 0.05 for one in found.differences]
    ranking = tallystick.rank(table, metrics=["spa"], testing=Testing(resamples=200), **LAYOUT)

    assert ["a", "b"] == [one.system for one in ranking.places]
    assert [(1, 1), (2, 2)] == [(one.best_rank, one.worst_rank) for one in ranking.places]


def test_alike_metrics_do_not_differ():
    people, one = draw_table(2, "some")
    table = as_table(people, a=one, b=4 * one - 1)
    testing = Testing(test="ar", resamples=100)
    found = tallystick.compare(table, metrics=METRICS, testing=testing, **LAYOUT)
    assert pytest.approx([0] * 4, abs=1e-9) == [one.difference for one in found.differences]
    assert [1] * 4 == [one.p for one in found.differences]


def test_items_are_the_units(table):
    documents = pyarrow.array([row["item"] // 4 for row in table.to_pylist()])
    widths = []
    for own, layout in (
        (table, {}),
        (table, {"clusters": "item"}),
        (table.append_column("doc", documents), {"clusters": "doc"}),
    ):
        found = tallystick.score(own, metrics=["acc_eq"], **LAYOUT, **layout)
        assert "of clusters" in found.scores[0].method
        widths.append(found.scores[0].high - found.scores[0].low)

    assert widths[0] == widths[1] != widths[2]

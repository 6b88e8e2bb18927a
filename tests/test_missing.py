"""Outputs that systems lack: what each policy makes of them, in every command."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score

import tallystick
from tallystick.errors import InputError, UsageError

GOLD = ["yes", "no", "yes", "no", "yes", "no", "yes", "no"]
GROUPS = ["de", "de", "de", "fr", "fr", "fr", "fr", "fr"]
FULL = ["yes", "no", "yes", "no", "yes", "yes", "yes", "no"]
HOLES = ["yes", "no", "no", "no", None, None, "yes", "no"]
KEPT = [row for row, own in enumerate(HOLES) if own is not None]


def _write(folder, blank=("", "None")):
    tables = {
        "gold": {"id": range(8), "label": GOLD, "lang": GROUPS},
        "holes": {"id": range(8), "y_pred": [*HOLES[:4], *blank, *HOLES[6:]]},
        "full": {"id": range(8), "y_pred": FULL},
        "late": {"id": range(3, 8), "y_pred": FULL[3:]},
    }
    for name, table in tables.items():
        pd.DataFrame(table).to_csv(folder / f"{name}.csv", index=False)
    return [str(folder / f"{name}.csv") for name in tables]


@pytest.fixture
def paths(tmp_path):
    return _write(tmp_path)


@pytest.fixture
def score(run):
    return lambda *words: json.loads(run("score", *words, "--format", "json").out)["scores"]


@pytest.mark.parametrize("blank", [("", "None"), ("NaN", "null"), (" ", "nan"), ("none", "NULL")])
def test_an_output_may_be_missing_in_every_spelling(blank, tmp_path, score):
    (found,) = score(*_write(tmp_path, blank)[:2], "-m", "accuracy", "--missing", "exclude")
    expected = accuracy_score([GOLD[row] for row in KEPT], [HOLES[row] for row in KEPT])
    assert (expected, 6, 2) == (found["value"], found["n"], found["left_out"])


@pytest.mark.parametrize("policy", ["exclude", "common"])
def test_no_output_at_all_is_an_error(policy, paths, tmp_path, run):
    empty = tmp_path / "empty.csv"
    pd.DataFrame({"id": range(8), "y_pred": [""] * 8}).to_csv(empty, index=False)
    message = run("score", paths[0], str(empty), "-m", "accuracy", "--missing", policy, code=4)
    assert "example" in message.err


@pytest.mark.parametrize("blank", [None, math.nan])
@pytest.mark.parametrize(
    ("gold", "metric", "right"), [(["y", "n", "y"], "accuracy", 1), ([0.5, 1.5, 2.5], "mae", 0)]
)
def test_lists_know_the_same_policies(blank, gold, metric, right):
    own = [gold[0], blank, gold[2]]
    with pytest.raises(InputError, match=r"predictions, row 2: .*`missing='exclude'` leaves"):
        tallystick.score(gold, own, metric)
    for policy in ("exclude", "common"):
        found = tallystick.score(gold, own, metric, missing=policy).scores[0]
        assert (right, 2) == (found.value, found.n)


def test_a_label_of_the_gold_is_an_output_whatever_it_is_called():
    gold = pd.DataFrame({"id": [1, 2, 3], "label": ["none", "pro", "con"]})
    own = pd.DataFrame({"id": [1, 2, 3], "y_pred": ["none", "pro", None]})
    found = tallystick.score(gold, own, "accuracy", missing="exclude")
    assert (1.0, 2) == (found["accuracy"], found.scores[0].n)


def test_wrong_counts_what_is_missing_as_wrong(paths, score):
    found = score(*paths, "-m", "accuracy", "--missing", "wrong")
    holes = sum(a == b for a, b in zip(GOLD, HOLES, strict=True))
    assert {"holes": holes / 8, "full": 7 / 8, "late": 4 / 8} == {
        one["system"]: one["value"] for one in found
    }


def test_common_scores_what_all_systems_have(paths, score):
    found = score(*paths, "-m", "f1", "--missing", "common")
    rows = [3, 6, 7]
    gold = [GOLD[row] for row in rows]
    assert {
        name: f1_score(gold, [own[row] for row in rows], pos_label="yes")
        for name, own in (("holes", HOLES), ("full", FULL), ("late", FULL))
    } == {one["system"]: one["value"] for one in found}
    assert {(3, 5)} == {(one["n"], one["left_out"]) for one in found}


def test_exclude_says_what_a_score_would_be_at_worst_and_at_best(paths, score):
    found = score(*paths, "-m", "accuracy", "--missing", "exclude")
    ends = {one["system"]: (one["all_wrong"], one["all_right"]) for one in found}
    assert {"holes": (5 / 8, 7 / 8), "full": (None, None), "late": (4 / 8, 7 / 8)} == ends


def test_a_table_shows_coverage_and_both_ends(paths, run):
    lines = run("score", *paths[:3], "-m", "accuracy", "--missing", "exclude").out.splitlines()
    row = next(line for line in lines if line.startswith("holes"))
    assert "6 of 8" in row
    assert "[.625, .875]" in row


def test_groups_are_scored_among_those_that_took_part(paths, run):
    words = ["rank", *paths, "-m", "accuracy", "--by", "lang", "--missing", "exclude"]
    message = run(*words, "--verbose")
    places = json.loads(run(*words, "--format", "json").out)["places"]
    held = {group: {one["system"] for one in places if one["group"] == group} for group in GROUPS}
    assert {"de": {"holes", "full"}, "fr": {"holes", "full", "late"}} == held
    assert "late took part in 1 of 2 groups" in message.out + message.err


def test_groups_that_a_system_lacks_stay_empty_in_a_comparison(paths, run):
    message = run("compare", *paths, "-m", "accuracy", "--by", "lang", "--missing", "exclude")
    rows = [line.split() for line in message.out.splitlines()]
    late = next(row for row in rows if row[:1] == ["late"])
    assert len(next(row for row in rows if row[:1] == ["full"])) - 1 == len(late)


def test_pairs_are_compared_on_what_both_have(paths, run):
    gold, holes, full, late = paths

    def compare(*words):
        message = run("compare", gold, full, *words, "-m", "accuracy", "--format", "json")
        return json.loads(message.out)["differences"]

    found = compare(holes, late, "--missing", "exclude")
    expected = [one for other in (holes, late) for one in compare(other, "--missing", "common")]
    for field in ("a", "b", "n", "difference", "low", "high", "p"):
        assert [one[field] for one in expected] == [one[field] for one in found]
    assert all(one["p_holm"] >= one["p"] for one in found)


@pytest.mark.parametrize("command", ["score", "compare", "rank"])
def test_systems_of_complete_outputs_score_alike_under_every_policy(command, paths, tmp_path, run):
    gold, _, full, _ = paths
    other = tmp_path / "other.csv"
    other.write_text(Path(full).read_text())
    words = [command, gold, full, str(other), "-m", "f1", "accuracy", "--missing"]
    assert 1 == len({run(*words, policy).out for policy in ("error", "wrong", "exclude", "common")})


def test_a_gate_says_that_it_saw_a_part(paths, run):
    gold, holes, full, _ = paths
    options = ["-m", "accuracy", "--max-drop", "0.9", "--missing", "exclude"]
    message = run("gate", gold, holes, "--against", full, *options)
    assert "checked on 6 of 8 examples" in message.out + message.err


@pytest.mark.parametrize("name", ["holes", "late"])
def test_the_error_names_the_other_policies(name, paths, tmp_path, run):
    message = run("score", paths[0], str(tmp_path / f"{name}.csv"), "-m", "accuracy", code=4).err
    assert all(word in message for word in ("wrong", "exclude", "common")), message


@pytest.mark.parametrize("command", ["plan", "count"])
def test_what_takes_the_same_examples_for_all_refuses_exclude(command, paths, tmp_path, run):
    out = tmp_path / "x.tally"
    words = [*paths[:3], "-m", "accuracy", *(["-o", str(out)] if command == "count" else [])]
    assert "common" in run(command, *words, "--missing", "exclude", code=2).err
    assert not out.exists()


def test_a_saved_tally_keeps_how_many_were_left_out(paths, tmp_path, run, score):
    saved = str(tmp_path / "part.tally")
    run("count", *paths[:3], "-m", "accuracy", "-o", saved, "--missing", "common")
    assert {(6, 2)} == {(one["n"], one["left_out"]) for one in score(saved)}


TEXTS = ["the cat sat", "a dog", "birds fly high", "no one"]
HYPOTHESES = ["the cat sat", "", "birds fly", None]


def test_lists_in_memory_have_the_same_policies():
    found = tallystick.score(TEXTS, {"a": HYPOTHESES}, "chrf", missing="exclude")
    alone = tallystick.score([TEXTS[0], TEXTS[2]], [HYPOTHESES[0], HYPOTHESES[2]], "chrf")
    assert (alone["chrf"], 2, 2) == (found["chrf"], found.scores[0].n, found.scores[0].left_out)
    labels = tallystick.score(GOLD, {"a": HOLES, "b": FULL}, "accuracy", missing="wrong")
    assert 5 / 8 == labels["accuracy", None, "a"]


def test_lines_of_text_have_the_same_policies(tmp_path, score):
    (tmp_path / "ref.txt").write_text("\n".join(TEXTS) + "\n")
    (tmp_path / "hyp.txt").write_text("the cat sat\n\nbirds fly\n\n")
    paths = [str(tmp_path / "ref.txt"), str(tmp_path / "hyp.txt")]
    (found,) = score(*paths, "-m", "chrf", "--missing", "exclude")
    alone = tallystick.score([TEXTS[0], TEXTS[2]], [HYPOTHESES[0], HYPOTHESES[2]], "chrf")
    assert (alone["chrf"], 2, 2) == (found["value"], found["n"], found["left_out"])


def test_numbers_have_a_worst_value_where_their_range_is_known():
    table = pd.DataFrame({"id": [1, 2, 3, 4], "good": [1.0, np.nan, 0.5, 0.5]})
    found = tallystick.score(table, None, "mean(good, bounds=(0, 1))", missing="wrong")
    assert 0.5 == found["mean(good)"]
    lower = "mean(good, better=lower, bounds=(0, 1))"
    assert 0.75 == tallystick.score(table, None, lower, missing="wrong")["mean(good)"]
    kept = tallystick.score(table, None, "mean(good, bounds=(0, 1))", missing="exclude").scores[0]
    assert (2 / 3, 3, 0.5, 0.75) == (kept.value, kept.n, kept.all_wrong, kept.all_right)


def test_numbers_without_a_range_have_no_worst_value():
    table = pd.DataFrame({"id": [1, 2, 3], "seconds": [1.0, np.nan, 3.0]})
    with pytest.raises(InputError, match="bounds"):
        tallystick.score(table, None, "mean(seconds)", missing="wrong")
    kept = tallystick.score(table, None, "mean(seconds)", missing="exclude").scores[0]
    assert 2.0 == kept.value
    assert math.isnan(kept.all_wrong)
    assert math.isnan(kept.all_right)


def test_systems_that_share_no_example_are_told():
    gold = pd.DataFrame({"id": [1, 2], "label": ["a", "b"]})
    one = pd.DataFrame({"id": [1], "y_pred": ["a"]})
    other = pd.DataFrame({"id": [2], "y_pred": ["b"]})
    with pytest.raises(InputError, match="no example has an output of all 2 systems"):
        tallystick.score(gold, {"a": one, "b": other}, "accuracy", missing="common")
    with pytest.raises(UsageError, match="no two systems"):
        tallystick.compare(gold, {"a": one, "b": other}, "accuracy", missing="exclude")
    found = tallystick.score(gold, {"a": one, "b": other}, "accuracy", missing="exclude")
    assert [1.0, 1.0] == [score.value for score in found.scores]


def test_pairs_that_share_no_example_are_named_and_counted(tmp_path, run):
    rows = [(f"s{one}", one // 4, "yes", "yes") for one in range(8)]
    table = tmp_path / "long.csv"
    pd.DataFrame(rows, columns=["model", "id", "label", "y_pred"]).to_csv(table, index=False)
    words = ["--system-column", "model", "-m", "accuracy", "--missing", "exclude", "--verbose"]
    said = " ".join(run("rank", str(table), *words).err.split())
    pairs = "; ".join(f"s{one} and s{two}" for one, two in [(0, 4), (0, 5), (0, 6), (0, 7), (1, 4)])
    assert f"no example has an output of both systems: {pairs}; and 11 other pairs." in said


@pytest.mark.parametrize(("gold", "own", "metric"), [
    ([{"id": one} for one in range(4)], {"cost": 0.5}, "mean(cost, bounds=(0, 1))"),
    (
        [{"id": one, "spans": [{"start": 0, "end": 3, "label": "A"}]} for one in range(4)],
        {"spans": [{"start": 0, "end": 3, "label": "A"}]},
        "span_f1",
    ),
])  # fmt: skip
def test_how_many_outputs_count_as_wrong_is_told_of_numbers_and_spans(
    tmp_path, run, gold, own, metric
):
    paths = [tmp_path / "gold.jsonl", tmp_path / "own.jsonl"]
    for path, rows in zip(paths, (gold, [{"id": 1, **own}]), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "out.json"
    run("score", "--gold", *[*map(str, paths), "-m", metric, "--missing", "wrong", "-o", str(out)])
    assert "missing outputs of own count as wrong: 3." in json.loads(out.read_text())["notes"]

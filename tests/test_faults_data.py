"""Data that was read as something else, or scored in silence: the right value, or an error."""

import json
import math
from pathlib import Path

import pandas as pd
import pytest
from sklearn import metrics as sk

import tallystick
from faults import call, write
from tallystick.errors import TallystickError


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def scores(*arguments: object) -> dict[str, float]:
    """The values of `score` by metric."""
    outcome = call("score", *arguments, "--no-intervals", "--format", "json")
    assert 0 == outcome.code, outcome.err
    return {one["name"]: one["value"] for one in json.loads(outcome.out)["scores"]}


# Groups


@pytest.mark.parametrize("groups", [["a"] * 4, ["a", "a", "a", "a"]])
@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("gap(accuracy)", 0),
        ("std(accuracy)", 0),
        ("ratio_between(accuracy)", 1),
        ("demographic_parity_difference", 0),
        ("demographic_parity_ratio", 1),
        ("equalized_odds_difference", 0),
        ("equalized_odds_ratio", 1),
    ],
)
def test_a_single_group_is_equal_to_itself(metric, value, groups):
    score = tallystick.score([1, 1, 0, 0], [1, 0, 1, 0], metric, by=groups).scores[-1]
    assert (value, value, value) == (score.value, score.low, score.high)


@pytest.mark.parametrize("command", ["score", "compare", "rank", "gate"])
@pytest.mark.parametrize("metric", ["gap(f1)", "std(f1)", "worst(f1)", "equalized_odds_ratio"])
def test_a_single_group_goes_through_every_command(command, metric):
    write({"t.csv": "y_true,a,b,g\n" + "1,1,1,x\n0,1,0,x\n1,0,1,x\n0,0,1,x\n" * 2})
    gate = ("--against", "b", "--max-drop", "0.5") if command == "gate" else ()
    systems = ("--systems", "a") if command == "score" else ("--systems", "a", "b")
    outcome = call(command, "t.csv", *systems, *gate, "--by", "g", "-m", metric)
    assert outcome.code in (0, 1, 3), outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    "metric", ["equalized_odds_ratio", "ratio_between(recall, fpr)", "ratio_between(fpr, recall)"]
)
def test_an_undefined_part_makes_a_comparison_of_groups_undefined(metric):
    gold, predicted = [1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 1]
    score = tallystick.score(gold, predicted, metric, by=list("aabbaabb")).scores[-1]
    assert math.isnan(score.value)


# Grades of documents

_GRADES = {"id": ["1", "2"], "found": [["d1", "d2"], ["x"]]}


@pytest.mark.parametrize(
    ("relevant", "grades"),
    [
        ([{"d2": 0.9, "d1": 0.5}, {"x": 1}], [0.5, 0.9]),
        ([{"d2": 0.9}, {"x": 0.3}], [0, 0.9]),
        ([{"d2": 1.5, "d1": 0.5}, {"x": 1}], [0.5, 1.5]),
        ([[["d2", 1.5], ["d1", 0.5]], [["x", 1]]], [0.5, 1.5]),
        ([[{"doc_id": "d2", "grade": 1.5}, {"doc_id": "d1", "grade": 0.5}], ["x"]], [0.5, 1.5]),
    ],
)
def test_grades_in_lists_and_objects_are_real_numbers(relevant, grades):
    rows = [
        json.dumps({"id": name, "relevant": own, "found": found})
        for name, own, found in zip(_GRADES["id"], relevant, _GRADES["found"], strict=True)
    ]
    write({"t.jsonl": "\n".join(rows), "t.json": f"[{','.join(rows)}]"})
    ndcg = (sk.ndcg_score([grades], [[2, 1]]) + 1) / 2
    for name in ("t.jsonl", "t.json"):
        columns = ("--gold-column", "relevant", "--predicted-column", "found")
        assert scores(name, *columns, "-m", "nDCG@10") == {"nDCG@10": pytest.approx(ndcg)}


_QRELS = [("q1", "d2", 1.5), ("q1", "d1", 0.5), ("q2", "x", 1.0)]
_RUN = [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "x", 3.0)]


def _nest(rows: list[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {}
    for query, document, number in rows:
        nested.setdefault(query, {})[document] = number
    return nested


def _write_rankings(form: str) -> tuple[str, str]:
    names = ["query_id", "doc_id"]
    if form == "trec":
        write(
            {
                "q.trec": "".join(f"{q} 0 {d} {n}\n" for q, d, n in _QRELS),
                "r.trec": "".join(f"{q} Q0 {d} 1 {n} r\n" for q, d, n in _RUN),
            }
        )
    elif form == "json":
        write({"q.json": json.dumps(_nest(_QRELS)), "r.json": json.dumps(_nest(_RUN))})
    else:
        for name, rows, number in (("q", _QRELS, "relevance"), ("r", _RUN, "score")):
            frame = pd.DataFrame(rows, columns=[*names, number])
            if form == "parquet":
                frame.to_parquet(f"{name}.parquet")
            else:
                frame.to_csv(f"{name}.{form}", sep="\t" if form == "tsv" else ",", index=False)
    return f"q.{form}", f"r.{form}"


@pytest.mark.parametrize("form", ["trec", "json", "csv", "tsv", "parquet"])
def test_grades_in_qrels_are_real_numbers(form):
    found = scores(*_write_rankings(form), "-m", "nDCG@10", "RR(rel=0.5)", "RR(rel=1.5)", "P@1")
    ndcg = sk.ndcg_score([[0.5, 1.5]], [[2, 1]])
    assert {
        "nDCG@10": pytest.approx((ndcg + 1) / 2),
        "RR(rel=0.5)": 1,
        "RR(rel=1.5)": 0.25,
        "P@1": 0.5,
    } == found


def test_grades_below_the_level_are_counted_in_a_note():
    result = tallystick.score(_nest(_QRELS), _nest(_RUN), "RR")
    assert any("1 of 3 grades are between 0 and 1" in note for note in result.notes)


@pytest.mark.parametrize(("level", "value"), [("0.5", 1), ("1", 0.75), ("1.5", 0.25)])
def test_the_level_may_be_a_fraction(level, value):
    assert [value] == list(scores(*_write_rankings("trec"), "-m", "RR", "--level", level).values())


@pytest.mark.parametrize("grade", [float("inf"), -1e99, float("nan")])
def test_grades_that_are_no_ordinary_numbers_are_refused(grade):
    with pytest.raises(TallystickError):
        tallystick.score({"q1": {"d1": grade}}, {"q1": {"d1": 1}}, "nDCG")


# Confidence


def test_weights_of_confidences_are_refused_by_name():
    frame = pd.DataFrame(
        {"y_true": ["a", "b"], "prob_a": [0.9, 0.2], "prob_b": [0.1, 0.8], "w": [1.0, 2.0]}
    )
    with pytest.raises(TallystickError, match="metrics of confidence cannot be weighted"):
        tallystick.score(frame, metrics="top_label_ece", weights="w")

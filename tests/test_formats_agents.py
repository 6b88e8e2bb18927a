"""Results of agents and of code: the score that each tool computes, and systems on common tasks."""

import json
from pathlib import Path
from typing import Any

import pytest

import logs
from faults import call

REPORT = {
    "total_instances": 4,
    "resolved_instances": 2,
    "completed_ids": ["a-1", "a-2", "a-3"],
    "empty_patch_ids": ["a-4"],
    "resolved_ids": ["a-1", "a-2"],
    "unresolved_ids": ["a-3"],
    "error_ids": [],
}
PROMPTFOO = [
    {"promptIdx": 0, "testIdx": 0, "success": True, "score": 1, "provider": {"id": "p:a"}},
    {"promptIdx": 1, "testIdx": 0, "success": True, "score": 0.5, "provider": {"id": "p:b"}},
    {"promptIdx": 0, "testIdx": 1, "success": False, "score": 0, "provider": {"id": "p:a"}},
    {"promptIdx": 1, "testIdx": 1, "success": True, "score": 1, "provider": {"id": "p:b"}},
]
EVALPLUS = {
    "HumanEval/0": [{"base_status": "pass", "plus_status": "fail"}] * 2,
    "HumanEval/1": [
        {"base_status": "pass", "plus_status": "pass"},
        {"base_status": "fail", "plus_status": "pass"},
    ],
}
OLD_EVALPLUS = {"HumanEval/0": {"base": [["success", []]], "plus": [["failed", [1]]]}}
SIMULATIONS = [
    {"task_id": task, "trial": trial, "reward_info": {"reward": reward}, "messages": [{}]}
    for task, trial, reward in [("0", 0, 1.0), ("0", 1, 0.0), ("1", 0, 1.0), ("1", 1, 1.0)]
]
TRIALS = [
    {"task_id": task, "is_resolved": value}
    for task, value in [("a", True), ("a", False), ("b", None)]
]
LISTS = [
    {"question_id": "q1", "graded_list": [True, False]},
    {"question_id": "q2", "graded_list": [1, 1]},
]
DEEPEVAL = [
    {"name": f"t{n}", "success": n > 0, "metricsData": [{"name": "Bias", "score": n / 4}]}
    for n in range(3)
]
CODE = [{"task_id": f"HumanEval/{n // 2}", "completion": "x", "passed": n < 3} for n in range(4)]
PREDICTIONS = {
    str(n): {"origin_prompt": "p", "prediction": "AB"[n % 2], "gold": "A"} for n in range(3)
}

FILES: dict[str, tuple[Any, dict[str, float], int]] = {
    "report.json": (REPORT, {"mean(resolved)": 0.5}, 4),
    "incomplete.json": ({**REPORT, "incomplete_ids": ["a-5"]}, {"mean(resolved)": 0.5}, 4),
    "reports.json": (
        {n: {"patch_exists": True, "resolved": n == "a"} for n in "abc"},
        {"mean(resolved)": 1 / 3},
        3,
    ),
    "eval_results.json": (
        {"date": "d", "hash": "x", "eval": EVALPLUS},
        {"mean(base)": 0.75, "mean(plus)": 0.25},
        2,
    ),
    "old_evalplus.json": (
        {"hash": "x", "eval": OLD_EVALPLUS},
        {"mean(base)": 1.0, "mean(plus)": 0.0},
        1,
    ),
    "tau2.json": ({"info": {}, "tasks": [], "simulations": SIMULATIONS}, {"mean(reward)": 0.75}, 2),
    "tau.json": (
        [{"task_id": n, "reward": n, "traj": [], "trial": 0} for n in (0, 1)],
        {"mean(reward)": 0.5},
        2,
    ),
    "tb.json": ({"id": "r", "results": TRIALS}, {"mean(is_resolved)": 0.25}, 2),
    "lcb.json": (LISTS, {"mean(graded_list)": 0.75}, 2),
    "deepeval.json": ({"testCases": DEEPEVAL}, {"mean(success)": 2 / 3, "mean(Bias)": 0.25}, 3),
    "opencompass.json": (PREDICTIONS, {"mean(exact_match)": 2 / 3}, 3),
    "details.json": (
        {"accuracy": 50.0, "details": {n: {"pred": "A", "correct": n == "0"} for n in "01"}},
        {"mean(correct)": 0.5},
        2,
    ),
    "code.json": (CODE, {"mean(passed)": 0.75}, 2),
}


def write(folder: Path, name: str, value: object, indent: int | None = None) -> str:
    (folder / name).write_text(json.dumps(value, indent=indent))
    return str(folder / name)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", FILES)
def test_results_have_the_score_that_their_tool_computes(tmp_path, capsys, name, indent):
    content, values, n = FILES[name]
    found = logs.score(capsys, write(tmp_path, name, content, indent))
    assert {name: pytest.approx(value) for name, value in values.items()} == {
        key: value for key, _, value, _ in found
    }
    assert {n} == {size for *_, size in found}


@pytest.mark.parametrize(
    ("name", "metric", "value"),
    [
        ("lcb.json", "pass@2", 1.0),
        ("tau2.json", "pass^2", 0.5),
        ("tb.json", "pass@1", None),
        ("code.json", "pass@2", 1.0),
        ("code.json", "pass@1", 0.75),
    ],
)
def test_several_results_of_a_task_are_tries(tmp_path, capsys, name, metric, value):
    found = write(tmp_path, name, FILES[name][0])
    assert [value or 0.25] == [one[2] for one in logs.score(capsys, found, "-m", metric)]


@pytest.mark.parametrize("form", ["lines", "list"])
def test_lists_of_right_and_wrong_are_tries(tmp_path, capsys, form):
    rows = [
        {"task_id": "a", "correct": [True, False, True]},
        {"task_id": "b", "correct": [0, 0, 0]},
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) if form == "lines" else json.dumps(rows))
    found = logs.score(capsys, str(path), "-m", "pass@1", "pass@2")
    assert [pytest.approx(1 / 3, abs=1e-9), 0.5] == [one[2] for one in found]


def test_each_provider_of_promptfoo_is_a_system(tmp_path, capsys):
    path = write(tmp_path, "p.json", {"evalId": "e", "results": {"results": PROMPTFOO}})
    found = logs.run(capsys, "score", path)["scores"]
    expected = [("p:a", 0.5, 2), ("p:b", 1.0, 2)]
    assert expected == [(one["system"], one["value"], one["n"]) for one in found]


@pytest.mark.parametrize("command", ["score", "compare", "rank", "gate"])
def test_reports_are_compared_as_systems(tmp_path, command):
    one = write(tmp_path, "one.json", REPORT)
    other = write(tmp_path, "other.json", {**REPORT, "resolved_ids": ["a-1"]})
    more = ("--against", other, "--max-drop", "1") if command == "gate" else (other,)
    outcome = call(command, one, *more)
    assert 0 == outcome.code, outcome.err
    assert "0.500" in outcome.out
    assert "0.250" in outcome.out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"no_generation": [], "no_logs": ["a"], "resolved": ["b"]}, "not those that failed"),
        ([{"instance_id": "a", "model_patch": "x"}], "contains patches and no results"),
        ({"a": {"instance_id": "a", "model_patch": "x"}}, "contains patches and no results"),
        ([{"task_id": "HumanEval/0", "completion": "x"}], "contains code and no results"),
        ([{"task_id": "a", "reward": "high", "traj": []}], "its reward is 'high', where a number"),
        ([{"task_id": "a", "correct": [True, "?"]}], "its correct is '?', where a number"),
    ],
)
@pytest.mark.parametrize("form", ["whole", "lines"])
def test_what_has_no_result_is_rejected_by_name(tmp_path, content, said, form):
    rows = content if isinstance(content, list) else [content]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(content) if form == "whole" else text)
    outcome = call("score", str(path))
    assert (4, True) == (outcome.code, said in outcome.err), outcome.err


@pytest.mark.parametrize(
    "content",
    [
        {"eval": {"a": {"base": [1, None, []], "plus": 3}}, "hash": ""},
        {"resolved_ids": [{}, 1], "total_instances": "x"},
        {"testCases": [1, {"metricsData": 3, "success": {"a": None}}]},
        {"simulations": [{"task_id": None, "reward_info": None}]},
        {"results": {"results": [{"testIdx": [], "promptIdx": {}, "success": None}]}},
        {"details": {"0": {"correct": "yes"}}},
        {"0": {"prediction": [], "gold": None, "origin_prompt": ""}},
    ],
)
def test_odd_values_never_end_in_a_traceback(tmp_path, content):
    outcome = call("score", write(tmp_path, "odd.json", content))
    assert outcome.code in (0, 2, 4)

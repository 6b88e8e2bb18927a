"""Made-up logs of evaluation tools, and what commands print of logs."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tallystick.cli import main

Row = dict[str, Any]

WRONG_CALL, BAD_DATA = 2, 4


def write(path: Path, rows: Sequence[object]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *call: str) -> Any:
    code = main([*call, "--format", "json"])
    printed = capsys.readouterr()
    assert 0 == code, printed.err
    return json.loads(printed.out)


def score(capsys: pytest.CaptureFixture[str], *call: str) -> list[tuple[str, Any, Any, int]]:
    found = run(capsys, "score", *call)["scores"]
    return [(one["name"], one["group"], round(one["value"], 9), one["n"]) for one in found]


def complain(capsys: pytest.CaptureFixture[str], *call: str) -> tuple[int, str]:
    return main([*call]), capsys.readouterr().err


def make_harness(number: int, value: object, name: str = "none", **more: object) -> Row:
    return {
        "doc_id": number,
        "doc": {"question": "?", "subject": "ab"[number % 2]},
        "target": f"A whole solution. #### {number}",
        "arguments": {"gen_args_0": {"arg_0": "?"}},
        "resps": [[f"I think {number}"]],
        "filtered_resps": [str(number)],
        "filter": name,
        "metrics": ["exact_match"],
        "doc_hash": f"hash{number}",
        "prompt_hash": "p",
        "target_hash": "t",
        "exact_match": value,
        **more,
    }


def make_run(folder: Path, results: Mapping[str, Any], **more: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = {"results": results, "configs": {task: {} for task in results}, **more}
    (folder / "results_2025-01-02T03-04-05.6.json").write_text(json.dumps(found))


def make_sample(name: object, value: object, *, epoch: int = 1, **metadata: object) -> Row:
    return {
        "id": name,
        "epoch": epoch,
        "input": f"question {name}",
        "target": " Yes",
        "metadata": metadata,
        "scores": {} if value is None else {"match": {"value": value, "answer": "Yes"}},
    }


def make_header(value: float | None = None, **more: Any) -> Row:
    scores = [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": value}}}]
    config = {key: more[key] for key in ("epochs", "epochs_reducer", "limit") if key in more}
    return {
        "version": 2,
        "status": more.get("status", "success"),
        "eval": {
            "task": more.get("task", "quiz"),
            "task_version": more.get("version", 0),
            "model": more.get("model", "lab/model"),
            "dataset": {},
            "config": config,
            "scorers": more.get("scorers", []),
        },
        "results": {
            "total_samples": more.get("total"),
            "scores": more.get("scores", [] if value is None else scores),
        },
    }


def pack(path: Path, samples: Sequence[object], header: object = None) -> str:
    header = make_header() if header is None else header
    if path.suffix == ".json":
        assert isinstance(header, dict)
        path.write_text(json.dumps({**header, "samples": samples}))
        return str(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", json.dumps(samples))
    return str(path)


def make_instance(number: int, value: float, *, trial: int = 0, **more: object) -> Row:
    stats = [
        {"name": {"name": name, "split": more.get("split", "test")}, "count": count, "sum": total}
        for name, count, total in (("num_prompt_tokens", 1, 700), ("exact_match", 1, value))
    ]
    rest = {key: one for key, one in more.items() if key != "split"}
    return {"instance_id": f"id{number}", "train_trial_index": trial, "stats": stats, **rest}


def make_every(name: str, value: float, **more: object) -> Row:
    return {
        "schema_version": "instance_level_eval_0.2.1",
        "evaluation_id": "e",
        "model_id": "lab/model",
        "evaluation_name": "gsm8k",
        "sample_id": name,
        "input": {"raw": "?", "reference": ["4"]},
        "output": {"raw": ["the answer is 4"]},
        "answer_attribution": [
            {"extracted_value": "3", "is_terminal": False},
            {"extracted_value": "4", "is_terminal": True},
        ],
        "evaluation": {"score": value, "is_correct": value == 1},
        "metadata": {"subject": "algebra"},
        **more,
    }

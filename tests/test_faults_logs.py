"""Faults of logs: what was read wrongly, cost too much, or ended in a traceback."""

import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import logs
from faults import Outcome, call, write
from logs import make_every, make_harness, make_header, make_instance, make_run, make_sample, pack
from tallystick.io.logs.log import decode

HUGE = int("9" * 400)
Row = dict[str, Any]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(*arguments: str) -> list[tuple[str, str | None, float, int]]:
    outcome = call("score", *arguments, "--format", "json", "--no-intervals")
    assert 0 == outcome.code, outcome.err
    return [
        (one["system"], one["group"], round(one["value"], 4), one["n"])
        for one in json.loads(outcome.out)["scores"]
    ]


def write_helm(rows: list[Row], **beside: object) -> str:
    for name, content in {"per_instance_stats": rows, **beside}.items():
        write({f"h/{name}.json": json.dumps(content)})
    return "h"


def write_harness(*rows: Row) -> str:
    return logs.write(Path("samples_t.jsonl"), rows)


def change(row: Row, path: str, value: object) -> Row:
    *keys, last = path.split(".")
    place: Any = row
    for key in keys:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[last] = value
    return row


# Numbers of 400 digits, and values of other types


INSPECT = ("scores.match.value", "id", "epoch", "target", "input", "error", "metadata.k")
HELM = ("stats.1.sum", "stats.1.count", "instance_id", "train_trial_index", "stats.1.name.split")
EEE = ("evaluation.score", "sample_id", "model_id", "evaluation_name", "metadata.subject")
HARNESS = ("exact_match", "doc_id", "target", "doc_hash", "filter", "doc.n", "filtered_resps")
STATS: list[Row] = [
    {"name": {"name": "exact_match"}, "count": HUGE, "sum": HUGE},
    {"name": {"name": "num_instances"}, "count": 1e-300, "sum": 1e300},
]


def pack_journal(path: str, value: object) -> str:
    samples = [change(make_sample(1, "C"), path, value), make_sample(2, "I")]
    with zipfile.ZipFile("j.eval", "w") as archive:
        archive.writestr("_journal/start.json", json.dumps(make_header()))
        archive.writestr("_journal/summaries/1.json", json.dumps(samples))
    return "j.eval"


WRITERS: dict[str, tuple[tuple[str, ...], Callable[[str, object], str]]] = {
    "inspect.json": (
        INSPECT,
        lambda path, value: pack(
            Path("x.json"), [change(make_sample(1, "C"), path, value), make_sample(2, "I")]
        ),
    ),
    "inspect.eval": (
        INSPECT,
        lambda path, value: pack(
            Path("x.eval"), [change(make_sample(1, "C"), path, value), make_sample(2, "I")]
        ),
    ),
    "journal": (INSPECT, pack_journal),
    "header": (
        ("results.total_samples", "eval.task_version", "eval.config.epochs", "eval.config.limit"),
        lambda path, value: pack(
            Path("x.json"),
            [make_sample(1, "C"), make_sample(2, "I")],
            change(make_header(0.5), path, value),
        ),
    ),
    "harness": (
        HARNESS,
        lambda path, value: write_harness(
            change(make_harness(0, 1.0), path, value), make_harness(1, 0.0)
        ),
    ),
    "helm": (
        HELM,
        lambda path, value: write_helm(
            [change(make_instance(0, 1.0), path, value), make_instance(1, 0.0)]
        ),
    ),
    "eee": (
        EEE,
        lambda path, value: logs.write(
            Path("x.jsonl"), [change(make_every("a", 1.0), path, value), make_every("b", 0.0)]
        ),
    ),
}
"""What may hold strange values in a log of each tool, and how the log is written."""


@pytest.mark.parametrize("value", [HUGE, [1, 2], {"a": -HUGE}, None], ids=repr)
@pytest.mark.parametrize(
    ("tool", "path"), [(tool, path) for tool, (paths, _) in WRITERS.items() for path in paths]
)
def test_a_log_with_a_strange_value_is_scored_or_refused(tool, path, value):
    outcome = call("score", WRITERS[tool][1](path, value))
    assert outcome.code in (0, 2, 4)
    assert outcome.code == 0 or len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: write_helm([make_instance(0, 1.0), make_instance(1, 0.0)], stats=STATS),
        lambda: pack(Path("x.json"), [make_sample(1, "C"), make_sample(2, "I")], make_header(HUGE)),
    ],
)
def test_a_reported_number_of_400_digits_is_passed_over(make):
    assert [0.5] == [value for _, _, value, _ in read(make())]


@pytest.mark.parametrize("results", [{"exact_match,none": HUGE}, {"exact_match,none": [1]}, HUGE])
def test_results_with_strange_numbers_are_refused_where_they_stand_alone(results):
    make_run(Path("run"), {"t": results}, **{"n-samples": {"t": {"effective": HUGE}}})
    assert "but no samples" in call("score", "run").error


# Keys that stand twice


def write_twice(name: str, text: str) -> str:
    write({name: text})
    return name


@pytest.mark.parametrize(
    ("name", "row", "old", "new", "key"),
    [
        (
            "samples_t.jsonl",
            make_harness(0, 1.0),
            '"exact_match": 1.0',
            '"exact_match": 1.0, "exact_match": 0.0',
            "exact_match",
        ),
        ("samples_t.jsonl", make_harness(0, 1.0), '{"question"', '{"question":1, "question"', "q"),
        ("x.jsonl", make_every("a", 1.0), '"score": 1.0', '"score": 1.0, "score" : 0.0', "score"),
        ("x.jsonl", make_every("a", 1.0), '"raw"', '"r\\u0061w": 1, "raw"', "raw"),
    ],
)
def test_a_key_that_stands_twice_on_a_line_is_refused(name, row, old, new, key):
    text = json.dumps(row)
    assert old in text
    write({name: f"{json.dumps(row | {'doc_id': 7, 'sample_id': 'z'})}\n{text.replace(old, new)}"})
    outcome = call("score", name)
    assert 4 == outcome.code
    assert f"line 2 has the key '{key}" in outcome.error


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        (b'{"a": 1, "b": {"a": 1}}', True),
        (b'{"a" : 1, "b" :2}', True),
        (b'{"a": "\\":\\u0022:", "b": [1, {"c": "\\":"}]}', True),
        (b'{"a": NaN, "b": Infinity}', True),
        (b'{"a": 1, "a": 1}', False),
        (b'[{"b": [{"a": 1, "a": NaN}]}]', False),
        (b'{"a": "\\u0022:", "a": 1}', False),
        (b'{"a" : 1, "\\u0061":2}', False),
    ],
)
def test_keys_are_told_apart_from_what_looks_alike(text, fine):
    if fine:
        decode(text, "x")
    else:
        with pytest.raises(ValueError, match=r"x has the key '[ab]' twice"):
            decode(text, "x")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["header.json", "summaries.json", "samples/1_epoch_1.json"])
def test_an_archive_with_two_files_of_one_name_is_refused(name):
    pack(Path("x.eval"), [make_sample(1, "C")])
    with zipfile.ZipFile("x.eval", "a") as archive:
        for _ in range(1 + (name not in archive.namelist())):
            archive.writestr(name, "{}")
    assert f"contains {name} twice" in call("score", "x.eval").error


@pytest.mark.parametrize("apart", [False, True])
def test_scores_of_one_dotted_name_are_refused(apart):
    several = [{"a.b": {"value": {"c": 1}}}, {"a": {"value": {"b.c": 0}}}]
    scores = several if apart else [several[0] | several[1]]
    samples = [make_sample(at, None) | {"scores": own} for at, own in enumerate(scores)]
    outcome = call("score", pack(Path("x.eval"), samples))
    assert 4 == outcome.code
    assert f"two values are called a.b.c, the second in the sample {int(apart)}" in outcome.error


def test_a_scorer_of_a_package_is_found_by_its_name():
    sample = make_sample(1, None)
    sample["scores"] = {"lib/match": {"value": 1}, "other": {"value": 0}}
    scores = [{"name": "lib/match", "scorer": "lib/match", "metrics": {"accuracy": {"value": 1}}}]
    assert [1.0] == [
        one[2] for one in read(pack(Path("x.eval"), [sample], make_header(scores=scores)))
    ]


# Samples that would vanish


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (make_every("q2", "high"), "the score of the sample_id q2 is 'high', where a number was"),
        (
            make_every("q2", 1) | {"evaluation": 1},
            "the evaluation of the sample_id q2 is not an object",
        ),
        (make_every("q2", [1]), "the score of the sample_id q2 is [1]"),
        (make_harness(1, "high"), "sample 2: its exact_match is 'high', where a number was"),
        (make_instance(1, "high"), "instance 2: the sum of exact_match is 'high'"),
        (make_instance(1, 1) | {"stats": [3]}, "instance 2 has a statistic without a name"),
        (make_sample(1, [["x"]]), "the score match.0 of the sample 1 is ['x']"),
        (make_sample(1, 1) | {"scores": ["C"]}, "the scores of the sample 1 are not objects"),
        (make_sample(1, 1) | {"scores": {"match": "C"}}, "the scores of the sample 1 are no"),
    ],
)
def test_a_score_that_is_no_number_names_its_sample(row, error):
    if "stats" in row:
        paths = write_helm([make_instance(0, 1.0), row])
    elif "epoch" in row:
        paths = pack(Path("x.json"), [make_sample(0, "C"), row])
    else:
        first = make_every("q1", 1) if "evaluation" in row else make_harness(0, 1.0)
        paths = logs.write(Path("x.jsonl"), [first, row])
    outcome = call("score", paths)
    assert (4, True) == (outcome.code, error in outcome.error), outcome.err


@pytest.mark.parametrize("row", [3, None, {"instance_id": "x"}, {"stats": []}, []])
def test_an_instance_of_helm_that_cannot_be_read_is_an_error(row):
    rows = [make_instance(0, 1.0), row, make_instance(1, 0.0)]
    assert "HELM writes it (instance 2)" in call("score", write_helm(rows)).error


@pytest.mark.parametrize("summaries", [{}, None, {"id": 1}, "x"])
def test_summaries_of_inspect_that_are_no_list_are_an_error(summaries):
    with zipfile.ZipFile("x.eval", "w") as archive:
        archive.writestr("header.json", json.dumps(make_header()))
        archive.writestr("_journal/summaries/1.json", json.dumps([make_sample(1, "C")]))
        archive.writestr("_journal/summaries/2.json", json.dumps(summaries))
    assert "_journal/summaries/2.json is not a list of samples" in call("score", "x.eval").error


def test_metrics_of_helm_may_have_an_entry_each():
    rows = [make_instance(n, value) for n, value in enumerate((0.25, 0.0, 1.0))]
    for row in rows:
        row["stats"] = row["stats"][1:]
    more = json.loads(json.dumps(rows).replace("exact_match", "rouge"))
    spec = {
        "adapter_spec": {"model": "m"},
        "metric_specs": [{"args": {"names": ["exact_match"]}}, {"args": {}}],
    }

    assert [0.4167, 0.4167] == [one[2] for one in read(write_helm([*rows, *more], run_spec=spec))]
    outcome = call("score", write_helm([*rows, *rows]))
    assert "instance 4 has exact_match of the instance_id id0 and the trial 0" in outcome.error


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("line", [0, 1])
@pytest.mark.parametrize("tool", ["harness", "eee"])
def test_infinity_stands_for_no_value_on_any_line(value, line, tool):
    rows = [make_harness(n, 1.0, logprob=0.0) for n in range(2)]
    if tool == "eee":
        rows = [make_every(name, 1.0, extra=0.0) for name in "ab"]
    rows[line]["logprob" if tool == "harness" else "extra"] = float(value)
    logs.write(Path("samples_t.jsonl"), rows)
    assert [(1.0, 2)] == [one[2:] for one in read("samples_t.jsonl")]


@pytest.mark.parametrize("names", [("easy", "hard", "all"), ("all", "b"), ("all",)])
def test_groups_that_inspect_reports_are_not_held_against_the_mean(names):
    metrics = {name: {"name": name, "value": 0.5 if name == "all" else 1.0} for name in names}
    header = make_header(scores=[{"name": "match", "scorer": "match", "metrics": metrics}])
    outcome = call(
        "score", pack(Path("x.json"), [make_sample(1, "C"), make_sample(2, "I")], header)
    )
    assert 0 == outcome.code
    assert "reports" not in outcome.err


# Archives


def pack_zstd(files: dict[str, bytes], path: str = "z.eval", *, size: int | None = None) -> str:
    body, listing = b"", b""
    for name, content in files.items():
        packed = pa.Codec("zstd").compress(content, asbytes=True)
        message = struct.pack(
            "<3H2H3I2H",
            *(63, 0, 93, 0, 33),
            zlib.crc32(content),
            len(packed),
            len(content) if size is None else size,
            len(name),
            0,
        )
        listing += b"PK\x01\x02" + struct.pack("<H", 63) + message
        listing += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + message + name.encode() + packed
    end = struct.pack("<4H2IH", 0, 0, len(files), len(files), len(listing), len(body), 0)
    write({path: body + listing + b"PK\x05\x06" + end})
    return path


def make_members(*samples: Row) -> dict[str, bytes]:
    return {
        "header.json": json.dumps(make_header()).encode(),
        "summaries.json": json.dumps(samples).encode(),
    }


def test_a_log_that_is_packed_with_zstd_is_scored():
    assert [0.5] == [
        one[2] for one in read(pack_zstd(make_members(make_sample(1, "C"), make_sample(2, "I"))))
    ]


def test_a_submission_that_is_packed_with_zstd_is_ranked():
    write({"g.csv": "id,y_true\n1,a\n2,b\n"})
    pack_zstd({"a.csv": b"id,y_pred\n1,a\n2,b\n"}, "all.zip")
    assert 0 == call("rank", "g.csv", "--submissions", "all.zip", "-m", "accuracy").code


@pytest.mark.parametrize("size", [0, 10, 100_000])
def test_a_member_of_another_size_than_it_declares_is_refused(size):
    outcome = call("score", pack_zstd(make_members(make_sample(1, "C")), size=size))
    assert 4 == outcome.code
    assert "z.eval: header.json " in outcome.error


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_an_archive_is_bounded_as_a_whole(method):
    with zipfile.ZipFile("bomb.eval", "w", method) as archive:
        archive.writestr("header.json", json.dumps(make_header()))
        for number in range(3):
            archive.writestr(f"samples/{number}.json", b"[" + b" " * 30_000_000 + b"]")
    assert "bomb.eval: unpacks to more than 64 MiB" in call("score", "bomb.eval").error


@pytest.mark.parametrize("end", [30, -30])
def test_a_log_that_is_cut_off_is_told_so(end):
    write({"x.eval": Path(pack(Path("x.eval"), [make_sample(1, "C")])).read_bytes()[:end]})
    assert "x.eval: is not a valid zip archive" in call("score", "x.eval").error


# Folders with retries and reruns


def write_run(folder: str, stamp: str, model: str = "org/A", **tasks: list[float]) -> None:
    results = {task: {"exact_match,none": 0.5} for task in tasks}
    write(
        {
            f"{folder}/results_{stamp}.json": json.dumps(
                {"results": results, "configs": {task: {} for task in tasks}, "model_name": model}
            )
        }
    )
    for task, values in tasks.items():
        rows = [make_harness(n, value, doc_hash=f"{task}{n}") for n, value in enumerate(values)]
        logs.write(Path(f"{folder}/samples_{task}_{stamp}.jsonl"), rows)


def stamp(day: int) -> str:
    return f"2025-01-{day:02d}T00-00-00.000001"


RERUNS: list[tuple[list[Row], dict[str, float]]] = [
    ([{"x": [0.0, 1.0], "y": [0.0, 0.0]}, {"x": [1.0, 1.0]}], {"x": 1.0, "y": 0.0}),
    ([{"x": [1.0, 1.0]}, {"x": [0.0, 1.0], "y": [0.0, 0.0]}], {"x": 0.5, "y": 0.0}),
    ([{"x": [1.0, 1.0], "y": [0.0, 1.0]}, {"x": [0.0]}], {"x": 1.0, "y": 0.5}),
    ([{"x": [0.0, 0.0]}, {"y": [0.0, 1.0]}, {"x": [1.0, 0.0]}], {"x": 0.5, "y": 0.5}),
    (
        [{"x": [0.0, 0.0]}, {"x": [1.0, 1.0]}, {"x": [1.0, 0.0], "y": [1.0, 1.0]}],
        {"x": 0.5, "y": 1.0},
    ),
]


@pytest.mark.parametrize(("runs", "expected"), RERUNS)
def test_the_latest_complete_run_of_each_task_of_a_harness_counts(runs, expected):
    for day, tasks in enumerate(runs, start=1):
        write_run("lm/org__A", stamp(day), **tasks)
    write_run("lm/org__B", stamp(1), "org/B", x=[0.0, 0.0], y=[1.0, 1.0])
    found = {(system, group): value for system, group, value, _ in read("lm")}

    assert expected == {task: found["org/A", task] for task in "xy"}
    assert {"org/A", "org/B"} == {system for system, _ in found}
    outcome = call("compare", "first=lm/org__A", "lm/org__B", "--verbose")
    assert 0 == outcome.code
    assert "other runs of it are left out: lm/org__A/samples_" in outcome.err


def write_attempt(name: str, task: str, values: list[object], **more: Any) -> None:
    header = make_header(task=task, status=more.get("status", "success"))
    header["eval"] |= {"created": f"2025-01-{more.get('day', 1):02d}T00:00:00+00:00"}
    header["eval"] |= {"task_args": more.get("args", {})}
    samples = [make_sample(n, value) for n, value in enumerate(values)]
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    pack(Path(name), samples, header)


@pytest.mark.parametrize("status", ["started", "cancelled", "error"])
@pytest.mark.parametrize("day", [1, 3])
@pytest.mark.parametrize("call_of", [["logs"], ["logs/a.eval", "logs/b.eval"]])
def test_an_unfinished_attempt_does_not_shrink_the_finished_one(status, day, call_of):
    write_attempt("logs/a.eval", "quiz", ["I"], status=status, day=day)
    write_attempt("logs/b.eval", "quiz", ["C", "C", "I"], day=2)
    assert [("lab/model", None, 0.6667, 3)] == read(*call_of)


def test_a_rerun_of_one_task_of_inspect_keeps_the_others():
    write_attempt("logs/a.eval", "x", ["I", "I"])
    write_attempt("logs/b.eval", "y", ["I", "C"])
    write_attempt("logs/c.json", "x", ["C", "C"], day=2)
    assert [("x", 1.0), ("y", 0.5)] == [one[1:3] for one in read("logs")[:2]]


def test_runs_of_other_arguments_or_files_stay_apart():
    write_attempt("logs/a.eval", "quiz", ["C"], args={"hard": True})
    write_attempt("logs/b.eval", "quiz", ["I"], args={"hard": False}, day=2)

    assert ["a", "b"] == [one[0] for one in read("logs")]
    write_attempt("logs/b.eval", "quiz", ["I"], args={"hard": True}, day=2)
    assert [("lab/model", 0.0)] == [(one[0], one[2]) for one in read("logs")]
    assert [("b", 0.0), ("a", 1.0)] == [
        (one[0], one[2]) for one in read("logs/b.eval", "logs/a.eval")
    ]


def test_thousands_of_scores_cost_no_more_than_as_many_samples(monkeypatch):
    from tallystick.kinds.numbers.aggregates import Mean

    compared = []
    monkeypatch.setattr(Mean, "__eq__", lambda self, other: compared.append(1) or self is other)
    sample = make_sample(1, None)
    sample["scores"] = {f"s{number}": {"value": 1} for number in range(300)}
    outcome: Outcome = call("score", pack(Path("x.eval"), [sample]), "--no-intervals")

    assert 0 == outcome.code
    assert len(compared) < 300 * 30

"""Files that were recognized as something else, and logs that were read wrongly or in silence."""

import gzip
import json
import struct
import zipfile
import zlib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import logs
import tallystick
from cases import cases
from faults import call, refuse, write
from logs import make_every, make_harness, make_header, make_instance, make_run, make_sample, pack
from tallystick.errors import UsageError
from tallystick.io.logs.log import decode
from tallystick.io.tables.formats import check_start
from tallystick.io.tables.json_cells import read_literal

HUGE = int("9" * 400)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read(*arguments):
    outcome = call("score", *arguments, "--format", "json", "--no-intervals")
    assert 0 == outcome.code, outcome.err
    return [
        (one["system"], one["group"], round(one["value"], 4), one["n"])
        for one in json.loads(outcome.out)["scores"]
    ]


def write_helm(rows, **beside):
    for name, content in {"per_instance_stats": rows, **beside}.items():
        write({f"h/{name}.json": json.dumps(content)})
    return "h"


def write_harness(*rows):
    return logs.write(Path("samples_t.jsonl"), rows)


def change(row, path, value):
    *keys, last = path.split(".")
    place = row
    for key in keys:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[last] = value
    return row


INSPECT = ("scores.match.value", "id", "epoch", "target", "input", "error", "metadata.k")
HELM = ("stats.1.sum", "stats.1.count", "instance_id", "train_trial_index", "stats.1.name.split")
EEE = ("evaluation.score", "sample_id", "model_id", "evaluation_name", "metadata.subject")
HARNESS = ("exact_match", "doc_id", "target", "doc_hash", "filter", "doc.n", "filtered_resps")
STATS = [
    {"name": {"name": "exact_match"}, "count": HUGE, "sum": HUGE},
    {"name": {"name": "num_instances"}, "count": 1e-300, "sum": 1e300},
]


def pack_journal(path, value):
    samples = [change(make_sample(1, "C"), path, value), make_sample(2, "I")]
    with zipfile.ZipFile("j.eval", "w") as archive:
        archive.writestr("_journal/start.json", json.dumps(make_header()))
        archive.writestr("_journal/summaries/1.json", json.dumps(samples))
    return "j.eval"


WRITERS = {
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


@cases("value", HUGE, [1, 2], {"a": -HUGE}, None, ids=repr)
@cases("tool path", *[(tool, path) for tool, (paths, _) in WRITERS.items() for path in paths])
def test_a_log_with_a_strange_value_is_scored_or_rejected(tool, path, value):
    outcome = call("score", WRITERS[tool][1](path, value))
    assert outcome.code in (0, 2, 4)
    assert outcome.code == 0 or len(outcome.err.splitlines()) == 1


@cases(
    "make",
    lambda: write_helm([make_instance(0, 1.0), make_instance(1, 0.0)], stats=STATS),
    lambda: pack(Path("x.json"), [make_sample(1, "C"), make_sample(2, "I")], make_header(HUGE)),
)
def test_a_reported_number_of_400_digits_is_passed_over(make):
    assert [0.5] == [value for _, _, value, _ in read(make())]


@cases("results", {"exact_match,none": HUGE}, {"exact_match,none": [1]}, HUGE)
def test_results_with_strange_numbers_are_rejected_where_they_stand_alone(results):
    make_run(Path("run"), {"t": results}, **{"n-samples": {"t": {"effective": HUGE}}})
    assert "but no samples" in call("score", "run").error


def write_twice(name, text):
    write({name: text})
    return name


@cases(
    "name row old new key",
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
)
def test_a_key_that_stands_twice_on_a_line_is_rejected(name, row, old, new, key):
    text = json.dumps(row)
    assert old in text
    write({name: f"{json.dumps(row | {'doc_id': 7, 'sample_id': 'z'})}\n{text.replace(old, new)}"})
    refuse(f"line 2 has the key '{key}", "score", name)


@cases(
    "text fine",
    (b'{"a": 1, "b": {"a": 1}}', True),
    (b'{"a" : 1, "b" :2}', True),
    (b'{"a": "\\":\\u0022:", "b": [1, {"c": "\\":"}]}', True),
    (b'{"a": NaN, "b": Infinity}', True),
    (b'{"a": 1, "a": 1}', False),
    (b'[{"b": [{"a": 1, "a": NaN}]}]', False),
    (b'{"a": "\\u0022:", "a": 1}', False),
    (b'{"a" : 1, "\\u0061":2}', False),
)
def test_keys_are_told_apart_from_what_looks_alike(text, fine):
    if fine:
        decode(text, "x")
    else:
        with pytest.raises(ValueError, match=r"x has the key '[ab]' twice"):
            decode(text, "x")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@cases("name", "header.json", "summaries.json", "samples/1_epoch_1.json")
def test_an_archive_with_two_files_of_one_name_is_rejected(name):
    pack(Path("x.eval"), [make_sample(1, "C")])
    with zipfile.ZipFile("x.eval", "a") as archive:
        for _ in range(1 + (name not in archive.namelist())):
            archive.writestr(name, "{}")
    assert f"contains {name} twice" in call("score", "x.eval").error


@cases("apart", False, True)
def test_scores_of_one_dotted_name_are_rejected(apart):
    several = [{"a.b": {"value": {"c": 1}}}, {"a": {"value": {"b.c": 0}}}]
    scores = several if apart else [several[0] | several[1]]
    samples = [make_sample(at, None) | {"scores": own} for at, own in enumerate(scores)]
    refuse(
        f"two values are called a.b.c, the second in the sample {int(apart)}",
        "score",
        pack(Path("x.eval"), samples),
    )


def test_a_scorer_of_a_package_is_found_by_its_name():
    sample = make_sample(1, None)
    sample["scores"] = {"lib/match": {"value": 1}, "other": {"value": 0}}
    scores = [{"name": "lib/match", "scorer": "lib/match", "metrics": {"accuracy": {"value": 1}}}]
    assert [1.0] == [
        one[2] for one in read(pack(Path("x.eval"), [sample], make_header(scores=scores)))
    ]


@cases(
    "row error",
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


@cases("row", 3, None, {"instance_id": "x"}, {"stats": []}, [])
def test_an_instance_of_helm_that_cannot_be_read_is_an_error(row):
    rows = [make_instance(0, 1.0), row, make_instance(1, 0.0)]
    assert "HELM writes it (instance 2)" in call("score", write_helm(rows)).error


@cases("summaries", {}, None, {"id": 1}, "x")
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


@cases("value", "NaN", "Infinity", "-Infinity")
@cases("line", 0, 1)
@cases("tool", "harness", "eee")
def test_infinity_stands_for_no_value_on_any_line(value, line, tool):
    rows = [make_harness(n, 1.0, logprob=0.0) for n in range(2)]
    if tool == "eee":
        rows = [make_every(name, 1.0, extra=0.0) for name in "ab"]
    rows[line]["logprob" if tool == "harness" else "extra"] = float(value)
    logs.write(Path("samples_t.jsonl"), rows)
    assert [(1.0, 2)] == [one[2:] for one in read("samples_t.jsonl")]


@cases("names", ("easy", "hard", "all"), ("all", "b"), ("all",))
def test_groups_that_inspect_reports_are_not_held_against_the_mean(names):
    metrics = {name: {"name": name, "value": 0.5 if name == "all" else 1.0} for name in names}
    header = make_header(scores=[{"name": "match", "scorer": "match", "metrics": metrics}])
    outcome = call(
        "score", pack(Path("x.json"), [make_sample(1, "C"), make_sample(2, "I")], header)
    )
    assert 0 == outcome.code
    assert "reports" not in outcome.err


def pack_zstd(files, path="z.eval", *, size=None):
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


def make_members(*samples):
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


@cases("size", 0, 10, 100_000)
def test_a_member_of_another_size_than_it_declares_is_rejected(size):
    refuse("z.eval: header.json ", "score", pack_zstd(make_members(make_sample(1, "C")), size=size))


@cases("method", zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)
def test_an_archive_is_bounded_as_a_whole(method):
    with zipfile.ZipFile("bomb.eval", "w", method) as archive:
        archive.writestr("header.json", json.dumps(make_header()))
        for number in range(3):
            archive.writestr(f"samples/{number}.json", b"[" + b" " * 30_000_000 + b"]")
    assert "bomb.eval: unpacks to more than 64 MiB" in call("score", "bomb.eval").error


@cases("end", 30, -30)
def test_a_log_that_is_cut_off_is_told_so(end):
    write({"x.eval": Path(pack(Path("x.eval"), [make_sample(1, "C")])).read_bytes()[:end]})
    assert "x.eval: is not a valid zip archive" in call("score", "x.eval").error


def write_run(folder, stamp, model="org/A", **tasks):
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


def stamp(day):
    return f"2025-01-{day:02d}T00-00-00.000001"


RERUNS = [
    ([{"x": [0.0, 1.0], "y": [0.0, 0.0]}, {"x": [1.0, 1.0]}], {"x": 1.0, "y": 0.0}),
    ([{"x": [1.0, 1.0]}, {"x": [0.0, 1.0], "y": [0.0, 0.0]}], {"x": 0.5, "y": 0.0}),
    ([{"x": [1.0, 1.0], "y": [0.0, 1.0]}, {"x": [0.0]}], {"x": 1.0, "y": 0.5}),
    ([{"x": [0.0, 0.0]}, {"y": [0.0, 1.0]}, {"x": [1.0, 0.0]}], {"x": 0.5, "y": 0.5}),
    (
        [{"x": [0.0, 0.0]}, {"x": [1.0, 1.0]}, {"x": [1.0, 0.0], "y": [1.0, 1.0]}],
        {"x": 0.5, "y": 1.0},
    ),
]


@cases("runs expected", *RERUNS)
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


def write_attempt(name, task, values, **more):
    header = make_header(task=task, status=more.get("status", "success"))
    header["eval"] |= {"created": f"2025-01-{more.get('day', 1):02d}T00:00:00+00:00"}
    header["eval"] |= {"task_args": more.get("args", {})}
    samples = [make_sample(n, value) for n, value in enumerate(values)]
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    pack(Path(name), samples, header)


@cases("status", "started", "cancelled", "error")
@cases("day", 1, 3)
@cases("call_of", ["logs"], ["logs/a.eval", "logs/b.eval"])
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
    assert 0 == call("score", pack(Path("x.eval"), [sample]), "--no-intervals").code
    assert len(compared) < 300 * 30


def _write(**files):
    for name, content in files.items():
        Path(name).write_text(content)
    return list(files)


_FORMATS = {
    "STM": ";; by hand\nrecA 1 Ann 0.0 1.5 <o,f0> the cat\nrecA A Bob 1.5 2 hi\n",
    "CTM": "recA 1 0.0 0.3 the\nrecA 1 0.3 0.5 cat 0.99\n",
    "RTTM": "SPEAKER f 1 0.0 1.0 <NA> <NA> s1 <NA> <NA>\n",
    "subtitles": "\ufeff1\r\n00:00:00,000 --> 00:00:02,000\r\nthe cat\r\n",
    "subtitles.": "0:00:01.000,0:00:02.000\nhi\n",
    "subtitles, ": "[Script Info]\nTitle: x\n",
    "WebVTT": "WEBVTT\n\n00:00.000 --> 00:02.000\nhi\n",
    "TextGrid": 'File type = "ooTextFile"\nObject class = "TextGrid"\n',
    "TextGrid of": '"Praat chronological TextGrid text file"\n0 1\n',
    "NIST trn": "the cat (spk1-utt1)\na dog (spk1-utt2)\n(spk2-utt1)\n",
    "NIST trn:": "the cat (u1)\na dog (u2)\n",
    "brat": "T1\tPER 0 4\tAnna\nT2\tLOC 12 16;20 24\tRome Lazi\nR1\tx Arg1:T1 Arg2:T2\n",
    "begin with an id": "anna_001 the cat\nbob_002 hello\n",
    "begin with an id,": "2830-3980-0001 the cat\n2830-3980-0002 a dog\n",
    "begin with an id, such": "a/b.wav the cat\na/c.wav a dog\n",
    "begin with an id, such as": "3 a dog\n1 the cat\n2 a cow\n4 a pig\n",
    "begin with an id, ": "u1 the cat\nu2\nu3 a dog\n",
    " begin with an id": "BAC009S0764W0121 甚至 出现\nBAC009S0764W0122 一 二\n",
    " begin with an id,": "u1\tthe cat\nu2\ta dog\n",
    "an id and a value": "d1\tPOS\r\nd2\tNEG\r\n",
    "an id and a value ": "1\tPOS\n2\tNEG\n3\tPOS\n",
    "an id and a value without": "d1 0.9\nd2 0.1\n",
    "an id and a value without a": "d1,POS\nd2,NEG\n",
    "an id and a value without a ": "1,0.9\n2,0.1\n3,0.5\n4,0.2\n",
    " an id and a value": "d1:::POS\nd2:::NEG\n",
    " an id and a value ": "doca ::: POS\ndocb ::: NEG\ndocc ::: POS\n",
    " an id and a value without": "264183816548130816 positive\n263405084770172928 negative\n",
    "with the columns id,": "id,label\nd1,POS\nd2,NEG\n",
    "3 fields separated by tabs": "d1\t0\tPOS\nd2\t12\tNEG\n",
    "3 fields separated by '|||'": "0 ||| the cat ||| 0.3\n0 ||| a cat ||| 0.2\n",
    "2 fields separated by tabs": "the cat\ta cat\nthe dog\ta dog\n",
    "lines contain tabs": "the cat\ta cat\tone cat\nthe dog\ta dog\na pig\n",
    "is JSON": '{"id": 1, "text": "x"}\n{"id": 2, "text": "y"}\n',
}
"""The contents of a text file, by what the error calls it; marks at the ends keep keys apart."""


_READ = {"STM", "CTM", "subtitles", "WebVTT", "NIST trn", "NIST trn:"}
_READ |= {said for said in _FORMATS if said.strip().startswith("begin with an id")}
"""What is read as transcripts where no metric of other kinds is asked for."""


@cases("said", *_FORMATS)
@cases("metrics", (), ("-m", "accuracy"), ("-m", "wer"))
def test_a_text_in_a_format_of_its_own_is_named_whatever_is_asked(said, metrics):
    _write(**{"gold.txt": _FORMATS[said], "out.txt": _FORMATS[said]})
    if said in _READ and "accuracy" not in metrics:
        ended = call("score", "gold.txt", "out.txt", *metrics)
        assert ended.code == 0, ended.error
        return
    ended = refuse(said.strip(" ,.:"), "score", "gold.txt", "out.txt", *metrics)
    assert ended.error.startswith(("gold.txt: ", "out.txt: "))


@cases("said", "STM", "begin with an id", "an id and a value")
@cases(
    "command files",
    (("rank", "gold.txt", "--submissions", "entries"), ("gold.txt", "entries/a.txt")),
    (("compare", "ok.txt", "fine=ok.txt", "wrong.txt"), ("wrong.txt",)),
    (("gate", "ok.txt", "wrong.txt", "--against", "old=ok.txt", "--max-drop", 0.1), ()),
    (("score", "gold.txt.gz", "ok.txt"), ()),
    (("count", "ok.txt", "wrong.txt", "-o", "x.tally"), ()),
    (("score", "ok.txt", "wrong.txt", "--workers", 2), ()),
    (("score", "ok.txt", "ok.txt", "--by", "wrong.txt"), ()),
    ids=lambda own: own[0] if own else "",
)
@cases("metric", "accuracy", "wer")
@pytest.mark.usefixtures("shared_workers")
def test_every_entrance_of_texts_and_labels_names_formats(said, command, files, metric):
    if "--by" in command and metric == "accuracy":
        pytest.skip("labels are grouped by a column")
    if metric == "wer" and said in _READ and str(command[1]).startswith("gold.txt"):
        pytest.skip("this is read as transcripts")
    Path("entries").mkdir()
    Path("gold.txt.gz").write_bytes(gzip.compress(_FORMATS[said].encode()))
    lines = len([one for one in _FORMATS[said].splitlines() if one.strip()])
    _write(**{"ok.txt": "yes\n" * (lines - 1) + "no\n"})
    _write(**dict.fromkeys(("gold.txt", "wrong.txt", "entries/a.txt"), _FORMATS[said]))
    refuse(said, *command, "-m", metric)


@cases(
    "text",
    "The 3 cats ate 5 fish.\nIn 2019 it rained.\n2 dogs ran.\n",
    '"Hi," he said.\n"Bye," she said.\nWell.\n',
    "very good\nvery bad\nnot good\nvery good\n",
    "0.5\n1.5\n2\n",
    "a\tb c\nfoo bar\nbaz qux\n",
    "a sentence with\ta tab\n",
    "the cat\na dog\n",
    "1st prize\n2nd prize\n3rd prize\n",
    "3D models are nice\n5G networks are fast\n",
    "2019 was good\n2020 was bad\n2021 was ok\n2022 was fine\n",
    "5 stars\n1 star\n5 stars\n3 stars\n",
    "He laughed (loudly)\nShe cried (softly)\n",
    "Matrix (1999)\nAlien (1979)\n",
    "Well, no\nYes, I do\nToo bad, really\n",
    "toxic,insult\ntoxic,obscene\nnone,none\n",
    "0,5\n1,3\n2,7\n3,1\n",
    "12:30 we met\n13:45 we left\n",
    "2020-01-31 we met\n2020-02-01 we left\n",
    "1. First\n2. Second\n3. Third\n4. Fourth\n",
    "A1 beginner\nB2 upper\nA1 beginner\nC1 advanced\n",
    "12 17 99\n4 8 15\n16 23 42\n",
    "10-15 people came\n5-6 left\n",
    "你好 世界\n再见 朋友\n",
    '{"a": [1]}\n{"a": [2]}\n',
)
def test_ordinary_texts_and_labels_are_lines(text):
    _write(**{"t.txt": text})
    check_start("t.txt", format="lines")


def test_lines_that_begin_with_ids_are_texts_where_the_format_is_given():
    _write(**{"r.txt": "u1 the cat\nu2 a dog\n", "h.txt": "u1 the cat\nu2 a cow\n"})
    ended = call("score", "r.txt", "h.txt", "-m", "wer", "--input-format", "lines", "--format=csv")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "h,2,0.16666666666666666")


@cases(
    "name content",
    ("g.csv", "d1,POS\nd2,NEG\nd3,POS\n"),
    ("g.tsv", "d1\tPOS\nd2\tNEG\n"),
    ("g.tsv", "yes\t1\nno\t0\nyes\t1\n"),
    ("g.csv", "1,0.9\n0,0.2\n"),
    ("g.tsv", "The cat sat on the mat.\nA dog ran over the hill.\nIt was a fine day.\n"),
)
def test_a_first_row_of_values_is_no_header(name, content):
    _write(**{name: content})
    ended = call("score", name, name, "-m", "bleu")
    assert ended.code == 4
    assert "its first line" in ended.error
    assert "header" in ended.error


def test_a_first_row_of_offsets_is_no_header():
    _write(**{"g.labels": "111\t0\t5\n111\t10\t20\n"})
    refuse("g.labels: has a span on each line", "score", "g.labels", "g.labels", "-m", "bleu")


@cases(
    "content",
    *("x,y\n1,2\n", "0,1,2\n1,0,1\n", "1,2,3\n4,3,3\n", '"id","label"\n"d1","x"\n'),
    *("rater1,rater2\n3,4\n", "q1,q2,q3\n1,0,1\n"),
    "human reference text\nthe cat sat on the mat\na dog ran\n",
)
def test_names_of_columns_are_a_header(content):
    _write(**{"t.csv": content})
    check_start("t.csv", format="csv")


@cases(
    "name content cure",
    ("g.json", {"good": 0.1, "bad": 0.9}, "one a line"),
    ("g.json", {"q1": "YES", "q2": ["NO"]}, "one a line"),
    ("g.json", {"q1": [{"text": "a"}], "q2": [{"text": "b"}]}, "one a line"),
    ("g.json", {"resolved": 2, "resolved_ids": ["a"]}, "one a line"),
    ("g.json", {"run": {"rows": [{"gold": "a"}]}}, "pass --rows run.rows"),
)
@cases("indent", None, 2)
def test_one_object_for_all_examples_is_no_row(name, content, cure, indent):
    _write(**{name: json.dumps(content, indent=indent)})
    for metric in ("accuracy", "mae", "bleu"):
        ended = refuse("is one JSON object with the keys", "score", name, name, "-m", metric)
        assert ended.error.endswith(cure)


@cases(
    "content",
    {"id": {"0": 1, "1": 2}, "gold": {"0": "a", "1": "b"}, "pred": {"0": "a", "1": "b"}},
    {"columns": ["gold", "pred"], "index": [0], "data": [["a", "a"]]},
)
@cases("indent", None, 2)
def test_one_object_of_columns_has_a_row_for_each_example(content, indent):
    _write(**{"g.json": json.dumps(content, indent=indent)})
    ended = call("score", "g.json", "-m", "accuracy", "--format", "csv", "--no-intervals")
    assert ended.code == 0
    assert ended.out.splitlines()[-1].endswith(",1.0")


@cases("name", "g.json", "g.jsonl")
def test_a_single_row_of_json_is_read(name):
    _write(**{name: '{"id": 1, "gold": "a", "pred": "a"}'})
    assert call("score", name, "-m", "accuracy").code == 0


def test_rows_are_found_under_a_key_with_dots():
    _write(**{"c.json": '{"a.txt": [{"s": 0.8}, {"s": 0.7}], "b.txt": [{"s": 1}, {"s": 1}]}'})
    ended = call("score", "c.json", "--rows", "a.txt", "-m", "mean(s)", "--format=csv")
    assert (ended.code, ended.out.splitlines()[-1].split(",")[2]) == (0, "0.75")


_SCORES = {
    "s1.csv": "id,score\n1,0.5\n2,0.7\n3,0.1\n4,0.9\n",
    "s2.csv": "id,score\n2,0.9\n1,0.6\n3,0.3\n4,0.95\n",
    "s3.csv": "id,score\n3,0.9\n4,0.95\n1,0.8\n2,0.9\n",
    "gold.csv": "id,label,lang\n1,a,x\n2,a,x\n3,b,y\n4,b,y\n",
    "a.txt": "0.5\n1.5\n",
    "b.txt": "1\n2\n",
}
_M = ("-m", "mean(score)")


@cases(
    "command shown",
    (("score", "s1.csv", "s2.csv", "s3.csv", *_M), {"s1": 0.55, "s2": 0.6875, "s3": 0.8875}),
    (("score", "s1.csv", "s2.csv", "-m", "score"), {"s1": 0.55, "s2": 0.6875}),
    (("score", "s1.csv", "s2.csv", *_M, "--workers", 2), {"s1": 0.55, "s2": 0.6875}),
    (("score", "x=s1.csv", "s2.csv", "-m", "median(score)"), {"x": 0.6, "s2": 0.75}),
    (("score", "a.txt", "b.txt", "-m", "mean"), {"a": 1, "b": 1.5}),
    (("score", "s1.csv", "s2.csv", "--gold", "gold.csv", *_M), {"s1": 0.55, "s2": 0.6875}),
    (("score", "--gold", "s1.csv", "s2.csv", *_M), {"s2": 0.6875}),
    (("score", "s1.csv", *_M), {"s1": 0.55}),
)
@pytest.mark.usefixtures("shared_workers")
def test_every_file_is_a_system_where_no_metric_needs_gold(command, shown):
    _write(**_SCORES)
    ended = call(*command, "--format", "json")
    assert ended.code == 0, ended.err
    scores = [own for own in json.loads(ended.out)["scores"] if own["group"] is None]
    assert [(own["system"], round(own["value"], 9)) for own in scores] == [*shown.items()]


@cases(
    "command code said",
    (("gate", "s2.csv", "--against", "s1.csv", *_M, "--max-drop", 0.1), 0, "+0.137"),
    (("gate", "s2.csv", "--against", "s1.csv", "--max-drop", "mean(score)=0.1"), 0, "+0.137"),
    (("plan", "s1.csv", "s2.csv", *_M, "--sizes", 9), 0, "between s1 and s2"),
    (("compare", "s1.csv", "s2.csv", *_M), 0, "s1 (baseline)"),
    (("rank", "s1.csv", "s2.csv", *_M), 0, "   2  s1"),
    (("rank", "--submissions", "all", *_M), 0, "   2  s1"),
    (("compare", "s1.csv", "s2.csv", "--baseline", "s1", *_M), 0, "+0.137"),
    (("score", "gold.csv", "s1.csv", *_M), 4, "pass --gold gold.csv"),
    (("rank", "gold.csv", "s1.csv", "s2.csv", *_M), 4, "pass --gold gold.csv"),
    (
        ("score", "s1.csv", "--gold", "gold.csv", "-m", "pass@1"),
        2,
        "--gold can only be used with files",
    ),
    (("score", "s1.csv", "s2.csv", "--gold", "s1.csv", "-m", "mae"), 0, "s2"),
)
def test_the_first_file_is_gold_only_where_it_is_needed_or_named(command, code, said):
    _write(**_SCORES)
    Path("all").mkdir()
    _write(**{f"all/{name}": _SCORES[name] for name in ("s1.csv", "s2.csv")})
    ended = call(*command)
    assert (ended.code, said in ended.out + ended.err) == (code, True), ended.err


def test_every_table_in_memory_is_a_system_where_no_metric_needs_gold():
    _write(**_SCORES)
    tables = {name: pd.read_csv(f"{name}.csv") for name in ("s1", "s2", "gold")}
    gold = tables.pop("gold")
    for given, options in (((tables,), {}), ((None, tables), {}), ((None, tables), {"gold": gold})):
        scored = tallystick.score(*given, metrics="mean(score)", **options)
        assert [round(one.value, 9) for one in scored.scores] == [0.55, 0.6875]
    with pytest.raises(UsageError, match=r"pass all systems as outputs=\{"):
        tallystick.score(tables["s1"], {"s2": tables["s2"]}, metrics="mean(score)")


_QUOTED = {
    "sw.tsv": 'id\tref\thyp\n1\tx y\t"x y\n2\tc d\tc d\n3\te f\te f\n4\tg h\tg h"\n5\ti j\tzz zz\n',
    "inner.tsv": 'id\tref\thyp\n1\tHello\t"Hi" he said\n2\tBye\tBye\n',
    "pandas.tsv": 'id\tref\thyp\n1\tsay ""\t"say """""\n2\t"a\tb"\t"a\tb"\n',
    "lines.tsv": 'id\tref\thyp\n1\t"a\nb"\t"a\nc"\n2\tb\tb\n',
    "lines.csv": "ref,hyp\n" + '"' + "a\n" * 21 + '",b\nc,c\n',
    "few.csv": "ref,hyp\n" + '"' + "a\n" * 19 + '",b\nc,c\n',
}


@cases(
    "name option rows said",
    ("sw.tsv", (), 5, "sw.tsv: quotes are part of the fields"),
    ("sw.tsv", ("--quote", "double"), 2, ""),
    ("sw.tsv", ("--quote", "none"), 5, ""),
    ("inner.tsv", (), 2, "inner.tsv: quotes are part of the fields"),
    ("pandas.tsv", (), 2, ""),
    ("lines.tsv", (), 2, "lines.tsv: a quoted field has 2 lines"),
    ("lines.tsv", ("--quote", "double"), 2, ""),
    ("lines.csv", (), 2, "lines.csv: a quoted field has 22 lines"),
    ("lines.csv", ("--quote", "double"), 2, ""),
    ("few.csv", (), 2, ""),
)
def test_quotes_enclose_fields_of_tsv_only_where_all_are_closed(name, option, rows, said):
    _write(**{name: _QUOTED[name]})
    ended = call("score", name, "-m", "wer", "--no-intervals", "--format", "csv", *option)
    assert (ended.code, ended.out.splitlines()[-1].split(",")[1]) == (0, str(rows))
    assert said in ended.err
    assert ("quote" in ended.err) == bool(said)


@cases("more", (), ("--rows", "x"), ("--input-format", "lines"))
def test_quotes_are_an_option_of_tables(more):
    _write(**{"t.txt": "yes\nno\n"})
    ended = call("score", "t.txt", "t.txt", "--quote", "none", *more, "-m", "accuracy")
    assert (ended.code, ended.error.startswith("--quote can only be used with CSV")) == (2, True)


def test_a_tsv_file_of_single_fields_keeps_a_quote():
    _write(**{"g.tsv": 'ref\n"x y\nc d\ne f"\ng h\n', "s.tsv": 'hyp\n"x y\nc d\ne f"\nz z\n'})
    ended = call("score", "g.tsv", "s.tsv", "-m", "wer", "--format", "csv", "--no-intervals")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "s,4,0.25")


@cases(
    "gold code said",
    ({"a.txt": "x\n", "b.txt": "y\n"}, 4, "g/a.txt and o/c.txt"),
    ({"b.txt": "x\n", "c.txt": "y\ny\n"}, 4, "g/c.txt has 2 lines but o/c.txt has 1"),
    ({"b.txt": "x\n", "c.txt": ""}, 4, "g/c.txt has 0 lines but o/c.txt has 1"),
    ({"b.txt": "x\n\n", "c.txt": "y\n"}, 0, ""),
    ({"b.txt": "x\n"}, 4, "o/c.txt"),
)
@cases("options", ("-m", "wer"), ("-m", "accuracy"), ("-m", "cer"))
def test_files_of_two_folders_of_texts_are_paired_by_name(gold, code, said, options):
    for folder in ("g", "o"):
        Path(folder).mkdir()
    _write(**{f"g/{name}": content for name, content in gold.items()})
    _write(**{"o/b.txt": "x", "o/c.txt": "y\n"})
    for places in (("g", "o"), ("g/*.txt", "o/*.txt")):
        ended = call("score", *places, *options, "--format", "csv", "--no-intervals")
        assert ended.code == code, ended.err
        assert said in ended.error


@cases(
    "text value",
    ("['a', 'b']", ["a", "b"]),
    ("['a' 'b']", ["a", "b"]),
    ("['a',\n 'b']", ["a", "b"]),
    ("[0.1 0.9]", [0.1, 0.9]),
    ("[[1. 2.]\n [3. 4.]]", [[1, 2], [3, 4]]),
    ("array(['a', 'b'], dtype=object)", ["a", "b"]),
    ("[np.str_('a'), np.float64(0.5)]", ["a", 0.5]),
    ("{'d1': 1, 2: 0.5}", {"d1": 1, "2": 0.5}),
    ("{'b', 'a'}", ["a", "b"]),
    ("[(0, 5, 'PER')]", [[0, 5, "PER"]]),
    ("[None, True]", [None, True]),
    ("['it\\'s', \"a'b\"]", ["it's", "a'b"]),
    ('["a", "b"]', ["a", "b"]),
    ("[Music] plays", None),
    ("['a' ... 'b']", None),
    ("['a'", None),
    ("__import__('os')", None),
    ("[]" * 99_999, None),
    ("['a'], ['b']", None),
)
def test_lists_of_python_and_numpy_are_read_from_cells(text, value):
    if value is None:
        wrong = "part of a literal|never closed|Expecting|Extra data"
        with pytest.raises(ValueError, match=wrong):
            read_literal(text)
    else:
        assert read_literal(text) == value


@cases(
    "rows metric value",
    (("\"['a b c d', 'x']\",a b c d", "\"['e f g h']\",e f g h"), "bleu", 100),
    (("\"['a', 'b']\",\"['b', 'a']\"", "['b'],['c']"), "macro_f1", 5 / 9),
    (("['a' 'b'],['b' 'a']", "['b'],['c']"), "macro_f1", 5 / 9),
    (("\"[(0, 5, 'PER')]\",\"[(0, 5, 'PER')]\"", '"[]","[]"'), "span_f1", 1),
    (("\"['d1', 'd2']\",\"['d3', 'd1']\"", "\"['d9']\",\"['d9', 'd1']\""), "RR", 0.75),
    (("a b,['a b']", "c,['c']"), "bleu", "is a list, where one text was expected"),
    (("['a b'],['a b']", "['c'],['c']"), "exact_match", "is a list, where one text"),
)
def test_lists_of_python_in_tables_are_lists(rows, metric, value):
    _write(**{"t.csv": "\n".join(("gold,prediction", *rows))})
    ended = call("score", "t.csv", "-m", metric, "--format", "csv", "--no-intervals")
    if isinstance(value, str):
        assert (ended.code, value in ended.error) == (4, True)
    else:
        assert ended.code == 0, ended.err
        assert float(ended.out.splitlines()[-1].split(",")[2]) == pytest.approx(value)


@cases("spelled", "TRUE FALSE", "True False", "true false", "1 0")
@cases("gold", "TRUE FALSE", "True False", "true false")
def test_truth_is_the_same_label_in_any_case(gold, spelled):
    for name, words in (("g.csv", gold.split()), ("p.csv", spelled.split())):
        _write(**{name: "id,label\n" + "".join(f"{i},{words[i % 2]}\n" for i in range(5))})
    ended = call("score", "g.csv", "p.csv", "-m", "accuracy", "--format", "csv", "--no-intervals")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "p,5,1.0")


def test_spellings_of_truth_in_one_column_of_gold_are_labels():
    _write(**{"g.csv": "id,label\n1,True\n2,TRUE\n", "p.csv": "id,label\n1,true\n2,TRUE\n"})
    ended = call("score", "g.csv", "p.csv", "-m", "accuracy", "--format", "csv", "--no-intervals")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "p,2,0.5")


def test_documents_with_the_id_of_their_query_are_noted():
    _write(**{"q.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n"})
    _write(**{"r.json": '{"q1": {"q1": 1.0, "d1": 0.9}, "q2": {"q2": 1.0, "d2": 0.8}}'})
    ended = call("score", "q.tsv", "r.json", "-m", "RR@10", "--format", "csv")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "r,2,0.5")
    assert "a document with the id of its query 2 times" in ended.err


@cases("option", "text", "predicted")
def test_an_option_of_one_column_takes_no_list(option):
    frame = pd.DataFrame({"doc": ["a"], "seg": [1], "ref": ["x y"], "hyp": ["x y"]})
    with pytest.raises(UsageError, match=f"^{option} is the name of one column; join the values"):
        tallystick.score(frame, metrics="wer", **{option: ["doc", "seg"]})


@cases("name", "g.json", "g.jsonl")
def test_json_that_is_not_utf_8_is_an_error(name):
    Path(name).write_bytes(b'{"id": "1", "y_true": "\xfe", "y_pred": "a"}\n')
    refuse("is not UTF-8", "score", name)

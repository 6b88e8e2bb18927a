"""Faults of version 0.1.0 that ended in a traceback: each is one sentence, and stops nothing else.

The numbers of the lines are those of the list of faults (T1 to T6).
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cases import cases
from faults import call, refuse, spawn, write
from tallystick import Intervals, Predictions, Task, Testing, compare, score
from tallystick.errors import TallystickError

ROWS = "id,y_true,y_pred\n1,1,1\n2,0,1\n"
COLUMNS = {
    "list": pa.array([["a"], ["b"]]),
    "large list": pa.array([["a"], ["b"]], pa.large_list(pa.string())),
    "fixed list": pa.array([["a"], ["b"]], pa.list_(pa.string(), 1)),
    "struct": pa.array([{"a": 1}, {"a": 2}]),
    "map": pa.array([[("a", 1)], [("a", 2)]], pa.map_(pa.string(), pa.int64())),
    "binary": pa.array([b"\xff\xfe", b"a"]),
    "null": pa.nulls(2),
    "date": pa.array([1, 2], pa.date32()),
}
"""Columns of Parquet that are neither labels, probabilities nor ids."""


@pytest.fixture(autouse=True)
def _folder(folder):
    write({"g.csv": "id,y_true\n1,a\n2,b\n", "s/ok.csv": "id,y_pred\n1,a\n2,b\n", "o.csv": ROWS})


def rank(gold, *options):
    outcome = call("rank", gold, "--submissions", "s", *options, "--format", "json")
    assert 0 == outcome.code, outcome.err
    shown = json.loads(outcome.out)
    assert "ok" in [one["system"] for one in shown["places"]]
    return {one["system"]: one["reason"] for one in shown["rejected"]}


@cases("kind", *COLUMNS)
@cases("place", "id", "y_pred", "y_prob")
def test_t1_a_strange_column_of_parquet_is_rejected(kind, place):
    columns = {"id": pa.array(["1", "2"]), "y_pred": pa.array(["a", "b"]), place: COLUMNS[kind]}
    if place == "y_prob":
        del columns["y_pred"]
    pq.write_table(pa.table(columns), "s/odd.parquet")
    assert ["odd"] == [*rank("g.csv", "-m", "accuracy")]
    outcome = refuse("s/odd.parquet", "score", "g.csv", "s/odd.parquet", "-m", "accuracy")
    assert 1 == len(outcome.err.splitlines())


BINARY = {"b.csv": "id,y_true\n1,1\n2,0\n", "s/ok.csv": "id,y_prob\n1,.9\n2,.1\n"}


@cases(
    "content options reason",
    ("id,y_prob,best_threshold\n1,.9,2\n2,.1,2\n", [], "2 is not a threshold"),
    ("id,y_pred\n1,1\n2,0\n", ["--threshold", ".5"], "a threshold needs probabilities"),
    ("id,y_prob_1,y_prob_1.0\n1,.5,.5\n2,.5,.5\n", [], "contain probabilities of '1'"),
)
def test_t1_a_wrong_submission_to_a_binary_task_is_rejected(content, options, reason):
    write({**BINARY, "s/odd.csv": content})
    assert reason in rank("b.csv", "-m", "f1", *options)["odd"]
    outcome = call("score", "b.csv", "s/odd.csv", "-m", "f1", *options)
    assert outcome.code in (2, 4)
    assert 1 == len(outcome.err.splitlines())


def test_t1_one_probability_does_not_fit_a_task_of_text_labels():
    write({"s/odd.csv": "id,y_prob\n1,.5\n2,.5\n"})
    assert "one probability for each example" in rank("g.csv", "-m", "accuracy")["odd"]
    assert 2 == call("score", "g.csv", "s/odd.csv", "-m", "accuracy").code


def test_t1_a_table_among_texts_is_rejected():
    os.remove("s/ok.csv")
    write({"ref.txt": "the cat sat\non the mat\n", "s/ok.txt": "the cat\non the mat\n"})
    write({"s/odd.csv": "id,hyp\n1,a\n2,b\n", "s/long.txt": "a\nb\nc\n", "s/bad.txt": b"\xff\nb\n"})
    rejected = rank("ref.txt", "-m", "bleu")
    assert "s/odd.csv is a table" in rejected["odd"]
    assert "has 3" in rejected["long"]
    assert "is not UTF-8" in rejected["bad"]
    assert 2 == call("score", "ref.txt", "s/odd.csv", "-m", "bleu").code


@cases("ending", "jsonl", "parquet")
@cases("values", [1, 2], [1.0, 2.0], [True, False])
def test_t2_numbers_are_no_label_sets(ending, values):
    table = pa.table({"id": [1, 2], "y_true": values, "y_pred": values})
    if ending == "parquet":
        pq.write_table(table, "m.parquet")
    else:
        write({"m.jsonl": "".join(json.dumps(row) + "\n" for row in table.to_pylist())})
    refuse(
        "values are not label sets; write a list", "score", f"m.{ending}", "--task", "multilabel"
    )


@cases("command", "score", "compare", "rank")
def test_t2_label_lists_of_several_systems_are_scored(command):
    rows = [
        {"t": system, "id": one, "y_true": ["a"], "y_pred": [guess]}
        for system, guess in (("A", "a"), ("B", "b"))
        for one in (1, 2)
    ]
    write({"l.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    outcome = call(command, "l.jsonl", "--system-column", "t", "-m", "micro_f1")
    assert 0 == outcome.code, outcome.err
    assert "1.000" in outcome.out
    refuse(
        "column 'y_true' contains lists, not names",
        command,
        "l.jsonl",
        "--system-column",
        "y_true",
        "-m",
        "micro_f1",
    )


@pytest.mark.deep
@cases(
    "line code",
    ("t score o.csv >&-", 0),
    ("t score o.csv -o x.csv >&- && test -f x.csv", 0),
    ("t score o.csv 2>&-", 0),
    ("t score o.csv <&-", 0),
    ("t --version >/dev/full", 4),
    ("t score o.csv >/dev/full", 4),
    ("t metrics >/dev/full", 4),
    ("t metrics | head -1 >/dev/null; exit ${PIPESTATUS[0]}", 0),
)
def test_t3_closed_and_full_streams_end_in_no_traceback(line, code):
    ended = spawn(line)
    assert "Traceback" not in ended.stderr
    assert "Exception" not in ended.stderr
    assert code == ended.returncode
    if code:
        assert "standard output: No space left on device" in ended.stderr


@cases("output", [], ["-o", "r.csv"], ["--format", "json"])
def test_t4_a_name_that_is_no_text_is_rejected(output):
    Path(os.fsdecode(b"s/\xff.csv")).write_text("id,y_pred\n1,a\n2,b\n")
    outcome = call("rank", "g.csv", "--submissions", "s", "-m", "accuracy", *output)
    assert 0 == outcome.code, outcome.err
    assert "has a name that cannot be printed" in " ".join((outcome.out + outcome.err).split())


@cases("sign", "-", "+", "~", "not ", "(", "[")
@cases("count", 2000, 9000, 20_000)
@cases("line", "score o.csv -m {}", "tune o.csv -m {}", "metrics {}")
def test_t5_a_metric_is_nested_within_bounds(sign, count, line):
    end = {"(": ")", "[": "]"}.get(sign, "")
    metric = f"F1({sign * count}1{end * count})"
    outcome = call(*(metric if part == "{}" else part for part in line.split()))
    assert 2 == outcome.code
    assert len(outcome.err) < 400
    if len(metric) > 10_000:
        assert "a metric may have at most 10,000 characters" in outcome.error


@pytest.mark.deep
def test_t5_without_docstrings_the_command_says_so():
    ended = spawn("t metrics f1", PYTHONOPTIMIZE="2")
    assert 2 == ended.returncode
    assert "run it without" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert 0 == spawn("t score o.csv", PYTHONOPTIMIZE="2").returncode


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v is of Linux")
@cases("limit", 100_000, 300_000, 700_000, 1_000_000)
def test_t5_too_little_memory_is_a_sentence(limit):
    rows = "".join(f"comment-{row:08d},{row % 3},{row % 2}\n" for row in range(400_000))
    write({"big.csv": f"id,y_true,y_pred\n{rows}"})
    ended = spawn(f"ulimit -v {limit}; t score big.csv -m accuracy --no-intervals")
    assert "Traceback" not in ended.stderr
    assert ended.returncode in (0, 4)
    if ended.returncode:
        assert 1 == len(ended.stderr.splitlines())
        assert ended.stderr.startswith("tallystick: error: ")


GOLD = [1, 0, 1]
UNION = pa.UnionArray.from_sparse(pa.array([0, 0, 0], pa.int8()), [pa.array(GOLD)])
FRAME = pd.DataFrame({"y_true": GOLD, "y_pred": [1, 1, 1]})
TWO = {"a": GOLD, "b": GOLD}
COMPLEX = np.array([1, 0, 1], complex)
CALLS = {
    "sparse frame": lambda: score(
        FRAME.assign(y_pred=pd.arrays.SparseArray(GOLD)), metrics="accuracy"
    ),
    "complex": lambda: score(GOLD, COMPLEX, "accuracy"),
    "complex series": lambda: score(GOLD, pd.Series(COMPLEX), "accuracy"),
    "complex frame": lambda: score(FRAME.assign(y_pred=COMPLEX), metrics="accuracy"),
    "0-d outputs": lambda: score(GOLD, np.array(1), "accuracy"),
    "0-d gold": lambda: score(np.array(1), GOLD, "accuracy"),
    "0-d texts": lambda: score(np.array("a"), ["a"], "bleu"),
    "0-d weights": lambda: score(GOLD, GOLD, "accuracy", weights=np.array(1.0)),
    "3-d outputs": lambda: score(GOLD, np.zeros((3, 2, 2)), "accuracy"),
    "3-d gold": lambda: score(np.zeros((3, 2, 2)), GOLD, "accuracy"),
    "3-d probabilities": lambda: score(
        GOLD, Predictions(probabilities=np.zeros((3, 2, 2))), "log_loss"
    ),
    "2-d weights": lambda: score(GOLD, GOLD, "accuracy", weights=np.ones((3, 2))),
    "2-d groups": lambda: score(GOLD, GOLD, "accuracy", by=np.ones((3, 2))),
    "union": lambda: score(GOLD, UNION, "accuracy"),
    "union gold": lambda: score(UNION, GOLD, "accuracy"),
    "union in a table": lambda: score(
        pa.table({"y_true": GOLD, "y_pred": UNION}), metrics="accuracy"
    ),
    "objects": lambda: score(FRAME, [object()] * 3, "accuracy"),
    "huge numbers": lambda: score(FRAME, [10**30] * 3, "accuracy"),
    "mixed": lambda: score(FRAME, [1, "a", None], "accuracy"),
    "records": lambda: score(FRAME, np.zeros(3, [("a", int)]), "accuracy"),
    "lone surrogates": lambda: score(FRAME, ["\ud800"] * 3, "accuracy"),
    "labels of a task": lambda: Task(labels=5),
    "text for labels": lambda: Task(labels="ab"),
    "a set for labels": lambda: Task(labels={"a", "b"}),
    "a fraction for a label": lambda: Task(labels=(1.5,)),
    "a list for a label": lambda: Task(labels=([],)),
    "a positive fraction": lambda: Task(positive=1.5),
    "threshold of a task": lambda: Task(threshold="x"),
    "a task": lambda: score(GOLD, GOLD, "f1", task=5),
    "confidence": lambda: Intervals(confidence="x"),
    "resamples": lambda: Intervals(resamples=1.5),
    "intervals": lambda: score(GOLD, GOLD, "f1", intervals="x"),
    "a test": lambda: Testing(test=5),
    "testing": lambda: compare(GOLD, TWO, "f1", testing=5),
    "systems": lambda: score(FRAME, metrics="f1", systems=5),
    "a system column": lambda: score(FRAME, metrics="f1", system_column=5),
    "columns": lambda: score(FRAME, metrics="f1", columns=5),
    "a mapping": lambda: score({"a": 1}, GOLD, "f1"),
    "a number": lambda: score(5, GOLD, "f1"),
    "bytes": lambda: score(b"abc", GOLD, "f1"),
}
"""Calls from Python that cannot be right."""


@cases("name", *CALLS)
def test_t6_a_wrong_call_is_a_sentence(name):
    with pytest.raises(TallystickError) as caught:
        CALLS[name]()
    message = str(caught.value)
    assert " " in message
    assert "\n" not in message
    assert len(message) < 400


def test_t6_a_sparse_column_is_read():
    series = pd.Series(pd.arrays.SparseArray([1, 1, 1]))
    assert pytest.approx(2 / 3) == score(GOLD, series, "accuracy", intervals=False)["accuracy"]


HUGE = "9" * 400
RETRIEVED = ("--gold-column", "relevant", "--predicted-column", "retrieved", "-m", "nDCG@10")
DOCUMENTS = ("relevant", "retrieved", RETRIEVED, "expected documents, found ")
SHARES = ("y_true", "y_pred", ("-m", "manhattan_distance"), "expected a distribution, found ")


def write_row(path, cells):
    if path.endswith("csv"):
        quoted = (cell.replace('"', '""') for cell in cells.values())
        text = ",".join(cells) + "\n" + ",".join(f'"{one}"' for one in quoted)
    else:
        text = "{" + ", ".join(f'"{name}": {cell}' for name, cell in cells.items()) + "}"
    write({path: f"{text}\n"})


@cases(
    "kind gold output",
    (DOCUMENTS, '{"d1": %s}', '["d1"]'),
    (DOCUMENTS, '["d1"]', '{"d1": %s, "d2": 1}'),
    (DOCUMENTS, '[["d1", %s]]', '["d1"]'),
    (DOCUMENTS, '["d1"]', '[{"id": "d1", "score": -%s}]'),
    (SHARES, "[0.5, %s]", "[0.5, 0.5]"),
    (SHARES, '{"a": %s, "b": 1}', '{"a": 0.5, "b": 0.5}'),
    (SHARES, "[1, 0]", "[-%s, 0]"),
    (SHARES, '{"a": 1, "b": 0}', '{"a": 0, "b": %s}'),
)
@cases("ending", "jsonl", "csv")
def test_a_grade_score_or_share_of_400_digits_is_rejected(kind, gold, output, ending):
    own, other, options, expected = kind
    write_row(f"d.{ending}", {own: gold.replace("%s", HUGE), other: output.replace("%s", HUGE)})
    refuse(expected, "score", f"d.{ending}", *options)


CUTOFF = "k must be a whole number from 1 to 9.0072e+15, not 9999"
NUMBER = "must be a number from 0 to 1.79769e+308, not 9999"
DIGITS = "expected 0 to 17"


@cases(
    "arguments message",
    ("q.trec r.trec -m nDCG@{}", CUTOFF),
    ("q.trec r.trec -m P@{}", CUTOFF),
    ("q.trec r.trec -m P_{}", CUTOFF),
    ("q.trec r.trec -m recall_{}", CUTOFF),
    ("q.trec r.trec -m nDCG(k={})", CUTOFF),
    ("q.trec r.trec -m ERR@{}", CUTOFF),
    ("q.trec r.trec -m AP(rel={})", NUMBER),
    ("q.trec r.trec -m SetF(beta={})", NUMBER),
    ("q.trec r.trec -m accuracy_within({})", NUMBER),
    ("o.csv --digits -1", DIGITS),
    ("o.csv --digits 18", DIGITS),
    ("o.csv --digits 3000000000", DIGITS),
    ("o.csv --task multilabel --delimiter ", "delimiter must be a mark between labels"),
)
def test_an_option_out_of_bounds_is_a_wrong_call(arguments, message):
    write({"q.trec": "q1 0 d1 1\n", "r.trec": "q1 Q0 d1 1 1.5 x\n"})
    outcome = refuse(message, "score", *arguments.format(HUGE).split(" "), code=2)
    assert len(outcome.error) < 200


@cases(
    "condition n",
    ("k < {}", 3),
    ("{} > k", 3),
    ("k > -{}", 3),
    ("k in [{}, 1]", 1),
    ("k != {}", 3),
    ("k == 1234567890123456789", 1),
    ("k > 1234567890123456788", 1),
    ("k <= 1234567890123456788", 2),
    ('s == "{}"', 0),
    ("k < 1e999", 3),
)
def test_where_compares_whole_numbers_of_any_size_exactly(condition, n):
    rows = "1,a,a,1\n2,b,b,1234567890123456788\n3,a,a,1234567890123456789\n"
    write({"w.csv": f"id,y_true,y_pred,k,s\n{rows}".replace("\n", ",x\n").replace("s,x", "s", 1)})
    outcome = call("score", "w.csv", "-m", "accuracy", "--where", condition.format(HUGE))
    assert (0 if n else 4) == outcome.code
    assert not n or outcome.out.splitlines()[2].startswith(str(n))


@cases("form", "table", "csv", "markdown", "latex", "html")
@cases("systems", ["s/ok.csv"], ["s/ok.csv", "b=s/ok.csv"])
def test_the_column_of_systems_alone_is_shown(form, systems):
    options = ("-m", "accuracy", "--columns", "system", "--format", form)
    outcome = call("score", "g.csv", *systems, *options)
    assert 0 == outcome.code
    assert "ok" in outcome.out


@cases("by", ["lang"], ["lang", "doc"], ["doc"])
@cases("metric", "accuracy", "macro_f1")
def test_groups_of_two_examples_are_planned_with(by, metric):
    rows = [("a", "de", "x"), ("b", "de", "x"), ("a", "en", "y"), ("b", "en", "y")]
    gold = "".join(f"{place},{','.join(row)}\n" for place, row in enumerate(rows))
    write({f"{name}.csv": f"id,y_pred\n0,{name}\n1,b\n2,a\n3,b\n" for name in "ab"})
    write({"p.csv": f"id,y_true,lang,doc\n{gold}"})
    outcome = call("plan", "p.csv", "a.csv", "b.csv", "--by", *by, "-m", metric)
    assert 0 == outcome.code, outcome.err


@cases("metric", "pass@1", "try_mean(correct)")
@cases("files", ["t.csv"], ["g.csv", "t2.csv"])
def test_a_gold_column_that_tries_lack_is_named(metric, files):
    write({"t.csv": "problem,correct\na,1\na,0\n"})
    write({"t2.csv": "id,y_pred,correct\n1,a,1\n1,b,0\n2,b,1\n"})
    refuse("has no column 'nope'", "score", *files, "-m", metric, "--gold-column", "nope")


STRANGE = os.fsdecode(b"p\xff.csv")
NO_TEXT = os.fsdecode(b"l\xff")


@cases("output", "x.json", "x.csv", "x.html", "x.svg", "x.tex", "x.tally")
def test_a_file_whose_name_is_no_text_is_scored_and_written(output):
    Path(STRANGE).write_text("id,y_pred\n1,a\n2,b\n")
    command = "count" if output == "x.tally" else "score"
    assert 0 == call(command, "g.csv", STRANGE, "-m", "accuracy", "-o", output).code
    assert output != "x.tally" or 0 == call("score", output).code


@cases(
    "arguments",
    ("--gold-column", NO_TEXT),
    ("--predicted-column", NO_TEXT),
    ("--id-column", NO_TEXT),
    ("--by", NO_TEXT),
    ("--clusters", NO_TEXT),
    ("--where", f"{NO_TEXT} == 1"),
    (f"{NO_TEXT}=s/ok.csv",),
    ("--probability-column", NO_TEXT),
    ("-m", NO_TEXT),
    ("nul\0.csv",),
    ("-o", "nul\0.csv"),
)
@cases("command", "score", "compare", "rank")
def test_an_argument_that_is_no_text_is_a_wrong_call(command, arguments):
    refuse(
        "the argument '",
        command,
        "g.csv",
        "s/ok.csv",
        "b=s/ok.csv",
        "-m",
        "accuracy",
        *arguments,
        code=2,
    )


@pytest.mark.deep
def test_an_interrupt_ends_in_no_traceback_however_early():
    one = "t score o.csv -m accuracy & p=$!; sleep $d; kill -INT $p; wait $p"
    line = f"for d in .1 .15 .2 .3; do ({one}); done"
    assert "tallystick" not in spawn(f"set -m\n{line}").stderr


NUMBERED = pd.DataFrame({0: [1, 0, 1], 1: [1, 1, 1], 2: ["x", "y", "y"], 3: [1, 2, 1]})


@cases(
    "options value",
    ({"gold": 0, "predicted": 1}, 2 / 3),
    ({"gold": np.int64(0), "predicted": "1"}, 2 / 3),
    ({"gold": 0, "systems": [1]}, 2 / 3),
    ({"gold": 0, "predicted": 1, "weights": 3}, 2 / 4),
    ({"gold": 0, "predicted": 1, "clusters": 2}, 2 / 3),
    ({"gold": 0, "predicted": 1, "by": 2}, 1.0),
    ({"gold": 0, "predicted": 1, "by": [2]}, 1.0),
)
@pytest.mark.filterwarnings("error")
def test_columns_are_named_by_whole_numbers(options, value):
    found = score(NUMBERED, metrics="accuracy", intervals=False, **options)
    assert value == pytest.approx(found.scores[0].value)


@pytest.mark.filterwarnings("error")
def test_a_frame_whose_names_are_of_several_types_is_read_in_silence():
    mixed = NUMBERED.rename(columns={0: "y_true", 1: "y_pred"})
    assert 2 / 3 == pytest.approx(score(mixed, metrics="accuracy")["accuracy"])


@cases("name", ["a", "b"], ("a", "b"), 1.5, True, b"a", {"a"}, np.array([1]))
@cases("option", "gold", "predicted", "id", "probability")
def test_what_names_no_single_column_is_a_wrong_call(option, name):
    with pytest.raises(TallystickError):
        score(FRAME, metrics="accuracy", **{option: name})


@cases("keyword hint", ("group_by", "by"), ("metric", "metrics"), ("sample_weight", "weights"))
def test_keywords_of_other_tools_are_told_ours(keyword, hint):
    with pytest.raises(TypeError, match=f"did you mean '{hint}'"):
        score([1, 0], [1, 1], **{keyword: "a"})


@cases(
    "line message",
    ("scor g.csv s/ok.csv", "there is no command 'scor'; did you mean 'score'?"),
    ("evaluate g.csv", "there is no command 'evaluate'; there are score, tune"),
    ("score -m accuracy g.csv s/ok.csv", "-m g.csv: is a file; put files before -m"),
    ("rank -m accuracy g.csv s/ok.csv", "-m g.csv: is a file; put files before -m"),
    ("score g.csv s/ok.csv -m accuracy -o x.docx", "unknown extension (.eee.json, .csv"),
)
def test_a_word_in_the_wrong_place_is_told(line, message):
    refuse(message, *line.split(), code=2)


@pytest.mark.filterwarnings("error")
@cases("size", 1e18, 1e30, 1e50)
def test_ratings_of_any_size_are_tested_without_a_warning(size):
    rows = [
        {"id": item, "sys": name, "gold": gold, "a": gold + item, "b": item}
        for item in range(4)
        for name, gold in (("x", 1.0), ("y", 2.0), ("z", size))
    ]
    table = pa.Table.from_pylist(rows)
    found = score(
        table, metrics="soft_pairwise_accuracy", gold="gold", rated="sys", systems=["a", "b"]
    )
    assert 0 <= found.scores[0].value <= 1

"""Ids join files, of one column or of several, by whatever name; a table alone needs none."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick
from cases import cases
from tallystick.cli import main
from tallystick.errors import InputError

GOLD = [("a", "b/c", "x"), ("a/b", "c", "y"), ("a", "d", "x"), ('q", "', "1", "y")]
RIGHT = ["x", "x", "x", "y"]
FORMS = ("csv", "tsv", "jsonl", "json", "parquet")


def write(path, frame):
    suffix = path.suffix[1:]
    if suffix in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="," if suffix == "csv" else "\t")
    elif suffix == "parquet":
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    else:
        frame.to_json(path, orient="records", lines=suffix == "jsonl")
    return str(path)


def make_pairs(doc="doc", seg="seg"):
    gold = pd.DataFrame(GOLD, columns=["doc", "seg", "label"])
    outputs = gold.rename(columns={"doc": doc, "seg": seg}).drop(columns="label")
    return gold, outputs.assign(prediction=RIGHT).iloc[[2, 3, 0, 1]]


def call(capsys, *arguments):
    return main(list(map(str, arguments))), *capsys.readouterr()


def read_scores(capsys, *arguments):
    code, out, error = call(capsys, *arguments, "--format", "json", "--no-intervals")
    assert code == 0, error
    return [one["value"] for one in json.loads(out)["scores"]], error


@cases("forms", *((one, one) for one in FORMS), ("csv", "parquet"))
@cases("asked", (), ("--workers", "2"))
@pytest.mark.usefixtures("shared_workers")
def test_several_columns_are_an_id_together(tmp_path, capsys, forms, asked):
    gold, outputs = make_pairs()
    paths = [
        write(tmp_path / f"{name}.{form}", own)
        for name, form, own in zip(("gold", "mine"), forms, (gold, outputs), strict=True)
    ]
    named = ("--id-column", "doc", "seg")
    scores, _ = read_scores(capsys, "score", *paths, *named, "-m", "accuracy", *asked)
    first, _ = read_scores(capsys, "score", *named, *paths, "-m", "accuracy")
    assert [0.75] == scores == first


@cases(
    "named doc seg",
    ({"id": ["doc", "seg"]}, "doc", "seg"),
    ({"id": ("Doc", "SEG")}, "DOC", "seg"),
    ({"id": ["doc", "seg"], "system_id": ["d", "s"]}, "d", "s"),
    ({"id": ["doc", "seg"], "system_id": ("doc", "s")}, "doc", "s"),
)
def test_frames_are_joined_by_several_columns(named, doc, seg):
    gold, outputs = make_pairs(doc, seg)
    result = tallystick.score(gold, outputs, "accuracy", intervals=False, **named)
    assert 0.75 == result.scores[0].value


@cases(
    "change message",
    (lambda own: own.iloc[1:], r'has no prediction for the id ("a", "d")'),
    (lambda own: own.assign(seg=list("wxyz")), "has no prediction for 4 ids"),
    (lambda own: pd.concat([own, own[:1]]), r'contains the id ("a", "d") more than once'),
    (lambda own: own.assign(seg=["d", None, "b/c", "c"]), "1 example has no id"),
    (lambda own: own.assign(doc=["a", None, "", "a/b"]), "2 examples have no id"),
    (lambda own: own.drop(columns="seg"), "has no column 'seg'"),
)
@cases("form", "csv", "jsonl", "parquet", "frame")
def test_messages_show_ids_of_several_columns(tmp_path, capsys, form, change, message):
    gold, outputs = make_pairs()
    changed = change(outputs)
    if form == "frame":
        with pytest.raises(InputError) as caught:
            tallystick.score(gold, changed, "accuracy", id=["doc", "seg"])
        assert message in str(caught.value)
        return
    paths = [write(tmp_path / f"{name}.{form}", own) for name, own in (("g", gold), ("p", changed))]
    code, _, error = call(capsys, "score", *paths, "--id-column", "doc", "seg", "-m", "accuracy")
    assert 4 == code
    assert message in error


@cases(
    "columns named",
    (("id", "example_id"), ()),
    (("uid", "doc_id"), ()),
    (("key", "claim_id"), ("--id-column", "key=claim_id")),
    (("id", "claim_id"), ("--id-column", "id=claim_id")),
    (("id", "Claim ID"), ("--id-column", "id=Claim ID")),
)
@cases("ids", (1, 2, 3), ("a", "b", "c"))
@cases("asked", (), ("--workers", "2"))
@pytest.mark.usefixtures("shared_workers")
def test_each_file_may_have_its_own_column_of_ids(tmp_path, capsys, columns, named, ids, asked):
    gold = pd.DataFrame({columns[0]: ids, "label": ["x", "y", "y"]})
    outputs = pd.DataFrame({columns[1]: ids[::-1], "prediction": ["y", "y", "y"]})
    paths = [write(tmp_path / name, own) for name, own in (("g.csv", gold), ("a.jsonl", outputs))]
    scores, _ = read_scores(capsys, "score", *paths, *named, "-m", "accuracy", *asked)
    assert [pytest.approx(2 / 3)] == scores


def test_tries_may_have_their_own_column_of_ids(tmp_path, capsys):
    gold = pd.DataFrame({"task": ["p", "q"], "answer": ["1", "2"]})
    tries = pd.DataFrame({"claim": list("ppqq"), "answer": ["1", "1", "2", "3"]})
    paths = [write(tmp_path / f"{name}.csv", own) for name, own in (("g", gold), ("t", tries))]
    named = ("--id-column", "task=claim")
    scores, _ = read_scores(capsys, "score", *paths, *named, "-m", "pass@1")
    assert [0.75] == scores


def test_a_column_of_ids_of_systems_needs_their_tables(tmp_path, capsys):
    path = write(tmp_path / "all.csv", pd.DataFrame({"id": [1, 2, 3], **ROWS}))
    code, _, error = call(capsys, "score", path, "--id-column", "id=id2", "-m", "accuracy")
    assert 2 == code
    assert "--id-column GOLD=SYSTEM names ids of systems in tables of their own" in error


@cases("second", "seg_id", "segment", "item_id", "seg")
def test_a_segment_completes_ids_of_documents(tmp_path, capsys, second):
    gold = pd.DataFrame({"doc_id": ["d", "d", "e"], second: [1, 2, 1], "label": ["x", "y", "x"]})
    outputs = gold.rename(columns={"label": "prediction"}).iloc[::-1]
    paths = [write(tmp_path / f"{name}.csv", own) for name, own in (("g", gold), ("a", outputs))]
    scores, error = read_scores(capsys, "score", *paths, "-m", "accuracy")
    assert [1.0] == scores
    assert f"joined by 'doc_id' and '{second}' together" in error


@cases(
    "commands",
    ("compare", "{g}", "{a}", "{b}", "-m", "accuracy"),
    ("rank", "{g}", "{a}", "{b}", "-m", "accuracy"),
    ("gate", "{g}", "{b}", "--against", "{a}", "-m", "accuracy", "--max-drop", "1"),
    ("count", "{g}", "{a}", "{b}", "-m", "accuracy", "-o", "{c}"),
    ("score", "{g}", "{a}", "{b}", "-m", "accuracy", "--clusters", "doc"),
    ("score", "{g}", "{a}", "{b}", "-m", "accuracy", "--missing", "exclude"),
    ("score", "{g}", "{a}", "{b}", "-m", "accuracy", "--where", "doc == 'a'"),
)
def test_every_command_joins_by_several_columns(tmp_path, capsys, commands):
    gold, outputs = make_pairs()
    paths = {
        name: write(tmp_path / f"{name}.csv", own)
        for name, own in (("g", gold), ("a", outputs), ("b", outputs.iloc[::-1]))
    }
    filled = [one.format(**paths, c=tmp_path / "c.tally") for one in commands]
    code, _, error = call(capsys, *filled, "--id-column", "doc", "seg")
    assert 0 == code, error


@cases(
    "gold mine",
    (["1", "2", "30"], ["30.0", "2.0", "1.0"]),
    (["1.0", "2.0", "-3.0"], ["-3", "1", "2"]),
)
@cases("asked", (), ("--workers", "2"))
@pytest.mark.usefixtures("shared_workers")
def test_whole_numbers_with_a_point_are_whole_numbers(tmp_path, capsys, gold, mine, asked):
    right = dict(zip(map(float, gold), ["x", "y", "x"], strict=True))
    rows = {
        "g.csv": pd.DataFrame({"id": gold, "label": right.values()}),
        "a.csv": pd.DataFrame({"id": mine, "prediction": [right[float(one)] for one in mine]}),
    }
    paths = [write(tmp_path / name, own) for name, own in rows.items()]
    scores, error = read_scores(capsys, "score", *paths, "-m", "accuracy", *asked)
    assert [1.0] == scores
    assert "such as 7.0 are read as 7" in error


@cases("mine", ["1.0", "2.5", "3.0"], ["1.0", "2", "3.0"], ["1.0", "b", "3.0"])
def test_other_decimals_are_no_whole_numbers(tmp_path, capsys, mine):
    gold = write(tmp_path / "g.csv", pd.DataFrame({"id": ["1", "2", "3"], "label": list("xyx")}))
    path = write(tmp_path / "a.csv", pd.DataFrame({"id": mine, "prediction": list("xyx")}))
    code, _, error = call(capsys, "score", gold, path, "-m", "accuracy")
    assert 4 == code
    assert "has no prediction for" in error


@cases("dtype", "float64", "float32", "int32", "object", "string")
def test_ids_of_frames_are_the_same_in_any_type(dtype):
    ids = np.array([7, 12, 30])
    gold = pd.DataFrame({"id": ids, "label": list("xyx")})
    mine = pd.DataFrame({"id": ids[::-1], "prediction": list("xyx")}).astype({"id": dtype})
    assert 1 == tallystick.score(gold, mine, "accuracy", intervals=False).scores[0].value


ROWS = {"y_true": [1, 1, 0], "y_pred": [1, 1, 1], "y_prob": [0.9, 0.9, 0.6]}
TEXTS = {"reference": ["a b c", "a b d", "c d e"], "hypothesis": ["a b", "a b", "c"]}


@cases(
    "columns arguments",
    (ROWS, ("score", "-m", "accuracy")),
    (ROWS, ("tune",)),
    (ROWS, ("compare", "--systems", "y_prob", "y_pred", "-m", "accuracy")),
    (TEXTS, ("score", "-m", "bleu")),
)
@cases("ids", ["1", "1", "2"], ["1", None, None])
def test_a_table_alone_needs_no_ids(tmp_path, capsys, columns, arguments, ids):
    command, *rest = arguments
    path = write(tmp_path / "all.csv", pd.DataFrame({"id": ids, **columns}))
    code, _, error = call(capsys, command, path, *rest)
    assert 0 == code, error


def test_a_frame_alone_needs_no_ids():
    frame = pd.DataFrame({"id": [1, 1, 2], **ROWS})
    assert 3 == tallystick.score(frame, metrics="accuracy").scores[0].n


@cases("column", "system", "model", "run")
def test_a_table_of_several_systems_is_told(tmp_path, capsys, column):
    frame = pd.DataFrame({"id": [1, 1, 2, 2], column: list("abab"), "label": [1, 1, 0, 0]})
    path = write(tmp_path / "all.csv", frame.assign(prediction=[1, 0, 0, 0]))
    code, _, error = call(capsys, "score", path, "-m", "accuracy")
    assert 4 == code
    assert "more than once; if the table contains several systems, name the column" in error
    assert f"--system-column {column}" in error


@cases("layout", ("score", "g.csv", "p.csv"), ("score", "l.csv", "--system-column", "system"))
def test_a_join_that_needs_more_memory_than_there_is_names_workers(tmp_path, layout):
    (tmp_path / "g.csv").write_bytes(b"id,label\n" + b"1,a\n" * 8_500_000)
    (tmp_path / "p.csv").write_bytes(b"id,prediction\n" + b"1,a\n" * 8_500_000)
    (tmp_path / "l.csv").write_bytes(b"id,system,label,prediction\n" + b"1,s,a,a\n" * 8_500_000)
    code = "import resource, sys; from tallystick.cli import main; "
    code += (
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 29, 1 << 29)); sys.exit(main(sys.argv[1:]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *layout, "-m", "accuracy"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 4 == ran.returncode
    assert "in memory takes about" in ran.stderr
    assert "with --workers 2" in ran.stderr


@cases("command", "score", "rank", "compare")
@cases("missing code", ("exclude", 0), ("wrong", 2), ("common", 2))
def test_battles_without_an_outcome_are_left_out(tmp_path, capsys, command, missing, code):
    games = pd.DataFrame({"model_a": list("xxyx"), "model_b": list("yyzz")})
    path = write(tmp_path / "b.csv", games.assign(winner=["model_a", None, "model_b", "model_a"]))
    plain = call(capsys, command, path, "-m", "win_rate")
    asked = call(capsys, command, path, "-m", "win_rate", "--missing", missing)
    assert code == asked[0], asked[2]
    assert asked == plain if code == 0 else "use --missing exclude" in asked[2]
    assert "outcome" in plain[2]


@cases(
    "change code shown",
    (lambda own: own, 0, "main: can be scored"),
    (lambda own: own.iloc[1:], 4, r'no prediction for the id ("a", "d")'),
    (lambda own: own.assign(seg="z"), 4, 'the id ("a", "z") more than once'),
)
def test_tasks_join_by_several_columns(folder, capsys, change, code, shown):
    gold, outputs = make_pairs()
    write(folder / "gold.csv", gold)
    write(folder / "main.csv", change(outputs))
    columns = "columns: {id: [doc, seg], gold: label}"
    task = f"tracks:\n  main: {{gold: gold.csv, task: multiclass, metrics: [accuracy], {columns}}}"
    (folder / "task.yaml").write_text(task)
    found = call(capsys, "task", "check", "main.csv")
    assert code == found[0], found
    assert shown in found[1] + found[2]
    assert "6 of 7 checks passed" in call(capsys, "task", "selftest")[1]  # four rows are few


def test_a_submission_may_write_whole_numbers_with_a_point(folder, capsys):
    write(folder / "gold.csv", pd.DataFrame({"id": [1, 2, 3], "label": list("xyx")}))
    write(folder / "main.csv", pd.DataFrame({"id": [3.0, 2.0, 1.0], "prediction": list("xyx")}))
    (folder / "task.yaml").write_text(
        "tracks:\n  main: {gold: gold.csv, task: multiclass, metrics: [accuracy]}"
    )
    assert 0 == call(capsys, "task", "check", "main.csv")[0]
    assert 0 == call(capsys, "task", "score", "main.csv")[0]


TWO = "id,doc_id,label\n1,a,x\n2,b,y\n3,c,x\n"


@cases(
    "case",
    (TWO, "id,doc_id,prediction\n3,c,x\n1,a,x\n2,b,y\n", (), 1),
    (TWO, "id,doc_id,prediction\n1,c,x\n2,b,y\n3,a,y\n", (), "2 of 3 rows have another"),
    (TWO, "id,doc_id,prediction\n1,c,x\n2,b,y\n3,a,y\n", ("--id-column", "id"), 2 / 3),
    (TWO, "id,Doc ID,prediction\n1,c,y\n2,b,y\n3,a,x\n", ("--id-column", "doc_id"), 2 / 3),
    (TWO, "doc_id,prediction\nc,x\nb,y\na,x\n", (), 1),
    ("id,doc_id,label\n1,3,x\n2,b,y\n3,1,x\n", "doc_id,prediction\n3,y\nb,y\n1,x\n", (), 2 / 3),
    (TWO.replace(",b,", ",a,"), "uid,doc_id,prediction\n1,a,x\n2,a,y\n3,c,y\n", (), 2 / 3),
    (TWO, "uid,doc_id,prediction\n1,a,x\n2,b,y\n3,c,y\n", (), 2 / 3),
)
@cases("engine", (), ("--workers", "2"))
@pytest.mark.usefixtures("shared_workers")
def test_two_columns_of_ids_do_not_contradict_each_other(tmp_path, capsys, case, engine):
    gold, mine, asked, expected = case
    paths = [tmp_path / "gold.csv", tmp_path / "mine.csv"]
    for path, text in zip(paths, (gold, mine), strict=True):
        path.write_text(text)
    arguments = ["score", *paths, "-m", "accuracy", *asked, *engine]
    if isinstance(expected, str):
        code, _, error = call(capsys, *arguments)
        assert (4, True) == (code, expected in error)
    else:
        scores, error = read_scores(capsys, *arguments)
        assert [pytest.approx(expected)] == scores
        assert ("joined by 'doc_id'" in error) == (mine[:3] in ("doc", "uid") and ",b," in gold)


@cases(
    "ids groups",
    (["a", "a in b"], ["b in c", "c"]),
    (["a", "a in"], ["in c", "c"]),
    (["a", '"a in" in b'], ["b", "b"]),
    (["a", "a"], ["b", "c"]),
)
def test_ids_in_groups_are_told_apart_whatever_they_are_called(ids, groups):
    frame = pd.DataFrame({"id": [*ids, ids[0]], "lang": [*groups, "z"], "label": ["x", "y", "x"]})
    mine = frame.rename(columns={"label": "prediction"}).iloc[[2, 1, 0]]
    found = tallystick.score(frame, mine, "accuracy", by="lang", intervals=False)
    assert {1} == {one.value for one in found.scores}

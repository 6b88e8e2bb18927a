"""What terminals, spreadsheets and readers are told: names, lines, headers and words."""

import csv
import gzip
import io
import json
import os
import time
import unicodedata
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import tallystick
from cases import cases
from faults import COMMANDS, call, refuse, spawn, write
from tallystick.errors import InputError, UsageError

ROWS = "id,y_true,y_pred\n1,1,1\n2,0,1\n"
NASTY = "A\x1b[31mB"


@pytest.fixture(autouse=True)
def _folder(folder):
    write({"o.csv": ROWS})


def find_controls(outcome):
    return [
        char
        for char in outcome.out + outcome.err
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
    ]


@cases("command", *COMMANDS)
@cases(
    "gold system",
    (f"id,y_true\n{NASTY},1\n", "id,y_pred\nC,1\n"),
    ("id,y_true\n1,1\n", f'id,"{NASTY}",x\n1,1,2\n'),
    (f'id,"{NASTY}\nx",x\n1,1,2\n', "id,y_pred\n1,1\n"),
    (f"id,y_true\n1,{NASTY}\n2,b\n", "id,y_pred\n1,b\n2,b\n"),
    ("id,y_true\n1,a\n2,b\n", f"id,y_prob\n1,{NASTY}\n2,.5\n"),
    (f"id,y_true\n1,a\n2,{NASTY}\u202e\u2028\n", "id,y_pred\n1,b\n2,\x9b31m\n"),
)
def test_u1_no_control_character_reaches_a_terminal(command, gold, system):
    write({"g.csv": gold, "p.csv": system})
    assert [] == find_controls(call(*COMMANDS[command]))


def test_u1_names_of_files_are_escaped():
    name = f"{NASTY}\n.csv"
    write({name: ROWS, f"s/{name}": "id,y_pred\n1,1\n2,1\n", "s/ok.csv": "id,y_pred\n1,1\n2,1\n"})
    for line in (
        ["score", name],
        ["score", f"no{name}"],
        ["score", "o.csv", "-o", f"no/{name}"],
        ["rank", "o.csv", "--submissions", "s", "-m", "accuracy"],
        ["tune", name],
        ["gate", name, name, "--against", f"x={name}", "-m", "accuracy", "--floor", "0"],
    ):
        assert [] == find_controls(call(*line)), line


def test_u1_keys_of_yaml_are_escaped():
    write({"c.yaml": f'tracks:\n  "{NASTY.encode("unicode_escape").decode()}": 5\n'})
    outcome = call("task", "rank", "s", "--task", "c.yaml")
    assert 4 == outcome.code
    assert [] == find_controls(outcome)


@cases("text", "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\tx", "=cmd|'/C calc'!A0")
@cases("place", "label", "system", "group")
def test_u1_no_cell_of_csv_is_a_formula(text, place):
    rows = [("1", text, "a"), ("2", "b", text)] if place == "group" else [("1", "a", "a")]
    content = io.StringIO()
    writer = csv.writer(content)
    writer.writerow(["id", "y_true", "y_pred", "g"])
    for one, group, name in (*rows, ("3", "b", "c")):
        label = text if place == "label" else name
        writer.writerow([one, label, label, group])
    write({"r.csv": content.getvalue()})
    named = place == "system" and text[0] in "+@\t" and "=" not in text
    name = f"{text}=r.csv" if named else "r.csv"
    line = ["score", "r.csv", name, "--task", "multiclass", "--format", "csv"]
    line += ["--confusion", "c.csv"] if place == "label" else ["--by", "g"]
    outcome = call(*line)
    assert 0 == outcome.code, outcome.err
    written = outcome.out + (Path("c.csv").read_text("utf-8") if place == "label" else "")
    cells = [cell for row in csv.reader(io.StringIO(written)) for cell in row]
    assert [] == [one for one in cells if one.startswith(("=", "+", "@", "\t", "\r"))]
    assert "-1+1" not in cells


@cases("label", "-1", "+1", "-0.5")
def test_u1_a_number_stays_a_number(label):
    write({"r.csv": f"id,y_true,y_pred\n1,{label},{label}\n2,b,b\n"})
    call("score", "r.csv", "--confusion", "c.csv")
    cells = [cell for row in csv.reader(io.StringIO(Path("c.csv").read_text())) for cell in row]
    assert label in cells


@cases(
    "label shown",
    ("@team", "@<!-- -->team"),
    ("#123", "#<!-- -->123"),
    ("http://a.de", "http<!-- -->://a.de"),
    ("HTTPS://a.de", "HTTP<!-- -->S://a.de"),
    ("www.a.de", "www<!-- -->.a.de"),
    ("a@b.de", "a@<!-- -->b.de"),
)
def test_u1_markdown_makes_no_links(label, shown):
    write({"r.csv": f"id,y_true,y_pred\n1,{label},{label}\n2,b,b\n"})
    outcome = call("score", "r.csv", "--task", "multiclass", "--format", "markdown")
    assert 0 == outcome.code, outcome.err
    assert shown in outcome.out
    assert f" {label} " not in outcome.out


def test_u2_numbers_for_labels_leave_a_binary_task_binary():
    write({"c.yaml": "tracks:\n  t:\n    gold: g.csv\n    metrics: [f1]\n    labels: [0, 1]\n"})
    write({"g.csv": "id,y_true\n1,1\n2,0\n"})
    write({"s/a.csv": "id,y_pred\n1,1\n2,0\n"})
    write({"s/b.csv": "id,y_prob\n1,.9\n2,.2\n"})
    outcome = call("task", "rank", "s", "--task", "c.yaml", "--format", "json")
    assert 0 == outcome.code, outcome.err
    assert [] == json.loads(outcome.out)["rejected"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_u2_an_unreadable_folder_is_named():
    os.mkdir("r", 0)
    outcome = call("score", "--pred-dir", "r", "--run-tag", "t")
    assert 4 == outcome.code
    assert outcome.error.startswith("r: ")


def test_u2_a_folder_that_is_gone_is_named():
    line = "mkdir d; cd d; rmdir ../d; t score {}"
    for arguments, name in (("o.csv", "o.csv"), ("--pred-dir . --run-tag t", ".")):
        ended = spawn(line.format(arguments))
        assert 4 == ended.returncode
        assert ended.stderr.startswith(f"tallystick: error: {name}: ")


def test_u2_notes_never_enter_standard_output():
    ended = spawn("t score o.csv --format json 2>&-")
    assert 0 == ended.returncode
    assert {"scores", "notes"} <= json.loads(ended.stdout).keys()


def test_u3_tables_are_joined_by_uid():
    write({"g.csv": "uid,y_true\n1,a\n2,b\n", "p.csv": "uid,y_pred\n2,a\n1,b\n"})
    assert "0.000" in call(*COMMANDS["score"]).out


@cases("command", *COMMANDS)
def test_u3_a_key_in_another_order_is_an_error(command):
    write({"g.csv": "key,y_true\n1,a\n2,b\n", "p.csv": "key,y_pred\n2,a\n1,b\n"})
    refuse("join them by it with --id-column key", *COMMANDS[command])
    cured = call(*COMMANDS[command], "--id-column", "key")
    assert cured.code in (0, 3)
    assert "0.000" in cured.out


def test_u3_gold_and_groups_that_disagree_are_told_to_the_owner_alone():
    write({"g.csv": "id,y_true,lang\n1,a,en\n2,b,en\n"})
    write({"p.csv": "id,y_true,y_pred,lang\n1,b,a,en\n2,b,b,de\n"})
    outcome = call(*COMMANDS["score"], "--by", "lang")
    for name in ("y_true", "lang"):
        note = (
            f"p.csv differs from g.csv in column {name!r}, where g.csv counts; rows that differ: 1."
        )
        assert note in outcome.err
    ranked = call(*COMMANDS["rank"], "--by", "lang")
    assert 0 == ranked.code
    assert "rows that differ" not in ranked.out + ranked.err


@cases("command", *COMMANDS)
@cases(
    "system note",
    ("id,toxic,score\n1,0,.1\n2,0,.9\n", "taken from the column 'toxic'; not used: 'score'"),
    ("id,y_pred,output\n1,0,1\n2,0,1\n", "taken from the column 'y_pred'; not used: 'output'"),
)
def test_u3_the_choice_of_a_column_is_told(command, system, note):
    write({"g.csv": "id,toxic\n1,1\n2,0\n", "p.csv": system})
    outcome = call(*COMMANDS[command])
    assert outcome.code in (0, 3), outcome.err
    assert f"p.csv: the predictions were {note}" in outcome.err + outcome.out


def test_u3_a_note_tells_whose_the_scores_of_classes_are():
    write({"r.csv": "id,y_true,y_pred,g\n1,a,a,x\n2,b,b,x\n3,a,b,y\n4,b,a,y\n"})
    note = "scores per class are of all groups together (micro)."
    assert note in call("score", "r.csv", "--by", "g").err
    assert note not in call("score", "r.csv").err


@cases(
    "line",
    "tune t.csv --cross-fit 2 -o -",
    "tune t.csv --apply t.csv -o -",
    "gate o.csv o.csv --against x=o.csv -m accuracy --floor 0 --junit -",
    "score o.csv --confusion -",
)
def test_u3_no_file_is_called_by_a_hyphen(line):
    write({"t.csv": "id,y_true,y_prob\n1,1,.9\n2,0,.1\n3,1,.8\n4,0,.3\n"})
    outcome = call(*line.split())
    assert 2 == outcome.code, outcome
    assert not Path("-").exists()


@cases("folds", 5, 100_000, 10**12)
def test_u3_folds_have_a_bound(folds):
    write({"t.csv": "id,y_true,y_prob\n1,1,.9\n2,0,.1\n3,1,.8\n4,0,.3\n"})
    start = time.monotonic()
    refuse("at most 4 here", "tune", "t.csv", "--cross-fit", folds, code=2)
    assert time.monotonic() - start < 10


def test_u3_a_small_archive_does_not_fill_memory():
    write({"g.csv": "id,y_true\n1,a\n", "p.csv.gz": gzip.compress(b"0" * (1 << 24), 9) * 65})
    refuse("unpacks to more than 64 MiB and 200 times its size", "score g.csv p.csv.gz -m accuracy")


GOLD = [("d1", "POS"), ("d2", "NEG"), ("d3", "POS"), ("d4", "NEG")]
OWN = [("d4", "NEG"), ("d3", "NEG"), ("d2", "NEG"), ("d1", "POS")]
TEXTS = [("d1", "the cat sat on"), ("d2", "a dog ran off here")]
PAIR = ["--id-column", "1", "--gold-column", "2", "--predicted-column", "2"]


def join(rows, mark=","):
    return "".join(mark.join(row) + "\n" for row in rows)


def score(*arguments):
    outcome = call("score", *arguments, "--format", "json")
    assert 0 == outcome.code, outcome.err
    return [one["value"] for one in json.loads(outcome.out)["scores"]]


@cases("more", [], PAIR, ["--workers", "2"])
@cases(
    "ending mark end encoding",
    (".csv", ",", "\n", "utf-8"),
    (".csv", ";", "\r\n", "utf-8-sig"),
    (".tsv", "\t", "\n", "utf-16"),
    (".txt", "\t", "\r\n", "utf-8-sig"),
    (".txt", ",", "\n", "utf-8"),
    (".txt", ";", "\n", "utf-8"),
    (".txt", " ", "\r\n", "utf-8"),
    ("", "\t", "\n", "utf-8"),
    (".csv.gz", ",", "\n", "utf-8"),
)
@pytest.mark.usefixtures("shared_workers")
def test_pairs_without_a_header_are_joined_by_id(more, ending, mark, end, encoding):
    for name, rows in (("gold", GOLD), ("own", OWN)):
        content = join(rows, mark).replace("\n", end).encode(encoding)
        write({name + ending: gzip.compress(content) if ending.endswith("gz") else content})
    assert [0.75] == score(f"gold{ending}", f"own{ending}", "-m", "accuracy", "--no-header", *more)


@cases(
    "rows metric",
    (TEXTS, "bleu"),
    ([("d1", "1.5"), ("d2", "2.5")], "mae"),
    ([("a b", "x"), ("c", "")], "f1"),
)
def test_pairs_of_other_kinds_score_as_with_a_header(rows, metric):
    own = [(name, value.replace("5", "25").replace("off", "of")) for name, value in rows]
    write({"g.csv": join([("id", "label"), *rows]), "s.csv": join([("id", "label"), *own])})
    write({"gold.csv": join(rows), "own.csv": join(own)})
    want, got = (
        call("score", *files, "-m", metric, "--format", "json")
        for files in (("g.csv", "own=s.csv"), ("gold.csv", "own.csv", "--no-header"))
    )
    assert (want.code, want.out) == (got.code, got.out)


WIDE = [("d1", "a", "a", "x"), ("d2", "b", "a", "y"), ("d3", "a", "a", "x"), ("d3", "a", "b", "y")]


@cases("mark", ",", "\t", " ")
def test_columns_are_named_by_number(mark):
    write({"t.txt": join(WIDE, mark)})
    named = ["--gold-column", "2", "--predicted-column", "3", "--by", "4", "--no-header"]
    values = score("t.txt", "-m", "accuracy", *named)
    assert [1.0, 0.0] == values[:2]
    layout = {"gold": 2, "predicted": "3", "by": 4, "header": False}
    result = tallystick.score("t.txt", metrics="accuracy", **layout)
    assert values == [one.value for one in result.scores]


@cases("command", "compare", "rank", "gate")
def test_other_commands_take_it(command):
    write({"g.csv": join(GOLD), "s.csv": join(OWN)})
    more = {"gate": ["--against", "old=s.csv", "--floor", "0"]}.get(command, ["old=s.csv"])
    outcome = call(command, "g.csv", "s.csv", *more, "-m", "accuracy", "--no-header")
    assert 0 == outcome.code, outcome.err


@cases(
    "files arguments message",
    ({"g.csv": join(GOLD)}, [], "g.csv: its first line 'd1,POS' is read as a header, but"),
    ({"g.txt": join(GOLD, "\t")}, [], "'d1\\tPOS'; pass --no-header, or"),
    ({"g.csv": "id,label\n1,a\n"}, ["--no-header"], "its first row id, label is a header; le"),
    ({"g.txt": "id label\n1 a\n"}, ["--no-header"], "its first row id, label is a header; le"),
    ({"g.csv": "1,a\n2\n"}, ["--no-header"], "row 2 has 1 field, but the first row has 2"),
    ({"g.txt": "1 a\n2\n"}, ["--no-header"], "1 field separated by blanks, but the first row"),
    ({"g.csv": "1,a\n2,\n"}, ["--no-header"], "g.csv, row 2, column 'label'"),
    ({"g.jsonl": '{"id": 1}\n'}, ["--no-header"], "only CSV, TSV and blanks can be without"),
    ({"g.txt": "a\nb\n"}, ["--no-header"], "only CSV, TSV and blanks can be without a header"),
    ({"g.csv": "1,a\n"}, ["--no-header", "--input-format", "lines"], "lines has no header"),
    ({"g.csv": "1,a\n"}, ["--no-header", "--rows", "a"], "JSON has no header; only CSV"),
    ({"x.tally": "1,a\n"}, ["--no-header"], "--no-header can only be used with `tallystick count`"),
    (
        {"q.qrels": "q 0 d 1\n"},
        ["--no-header", "-m", "AP"],
        "--no-header can only be used with files of",
    ),
)
def test_what_cannot_be_is_an_error(files, arguments, message):
    write(files)
    (name,) = files
    outcome = call("score", name, *([] if "tally" in name else [name]), *arguments)
    assert (True, "") == (outcome.code in (2, 4), outcome.out)
    assert message in outcome.err


def test_python_takes_it_for_files_alone():
    Path("g.csv").write_text(join(GOLD), encoding="utf-8")
    Path("s.csv").write_text(join(OWN), encoding="utf-8")
    assert 0.75 == tallystick.score("g.csv", "s.csv", "accuracy", header=False)["accuracy"]
    with pytest.raises(InputError, match="header=False"):
        tallystick.score("g.csv", "s.csv", "accuracy", header=True)
    with pytest.raises(UsageError, match="`header=` can only be used with files of tables"):
        tallystick.score(["a"], ["a"], "accuracy", header=False)


LONG = "x" * 100_000
WORDS = "it is a cell " * 10_000
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n"


@cases(
    "name text error",
    ("r.json", '{"q1": {"d1": "x"}}', "r.json, query 'q1', document 'd1' is 'x', where a num"),
    ("r.json", '{"q1": {"d1": null}}', "r.json, query 'q1', document 'd1': the number is mis"),
    ("r.json", '{"q1": {"d1": NaN}}', "r.json, query 'q1', document 'd1': the number is miss"),
    ("r.json", '{"q1": {"d1": 1, "d1": 2}}', "r.json has the key 'd1' twice"),
    ("r.json", '{"q1": {"d1": 1}, "q1": {"d2": 2}}', "r.json has the key 'q1' twice"),
    ("r.json", '{"q1": {"": 1}}', "r.json, query 'q1', document '': the document is missing"),
    ("r.json", '{"": {"d1": 1}}', "r.json, query '', document 'd1': the query is missing"),
    ("r.csv", "query_id,doc_id,score\nq1,d1,1\nq1,,2\n", "r.csv, row 3: the document is miss"),
    ("r.csv", "query_id,doc_id,score\nq1,d1,1\n,d2,2\n", "r.csv, row 3: the query is missing"),
    ("r.csv", "query_id,doc_id,score\nq1,d1,1\nq1,d2,x\n", "r.csv, row 3, column 'score': 'x'"),
)
@cases("command", "score", "rank")
def test_a_wrong_result_names_its_place(name, text, error, command):
    write({"g.qrels": QRELS, name: text, "o.run": "q1 Q0 d1 1 .5 t\nq2 Q0 d1 1 .5 t\n"})
    outcome = call(command, "g.qrels", name, "-m", "nDCG@10")
    assert error in outcome.err, outcome.err


@cases("number", 10**26, 10**300)
def test_whole_scores_of_any_size_are_read(number):
    write({"g.qrels": QRELS})
    write({"r.json": json.dumps({"q1": {"d1": number, "d2": 1}, "q2": {"d1": 1}})})
    assert 0 == call("score", "g.qrels", "r.json", "-m", "nDCG@10", "--no-intervals").code


@cases("name", "t.json", "t.jsonl")
@cases("indent", 1, 4)
def test_objects_over_several_lines_are_told(name, indent):
    rows = [{"label": "a", "y_pred": "a"}, {"label": "b", "y_pred": "a"}]
    write({name: "\n".join(json.dumps(row, indent=indent) for row in rows)})
    outcome = call("score", name, "-m", "accuracy")
    assert f"{name}: its objects are written over several lines; write each" in outcome.error
    write({name: json.dumps(rows, indent=indent)})
    assert 0 == call("score", name, "-m", "accuracy").code


@cases("cell", LONG, WORDS, WORDS.replace("is", "isn't"))
@cases(
    "columns options",
    ({"label": "ab", "y_pred": ["a", None]}, {"metrics": "accuracy", "labels": ["a", "b"]}),
    ({"y_true": [1, 0], "y_prob": [0.5, None]}, {"metrics": "roc_auc"}),
    ({"gold": [1.0, 2.0], "prediction": ["1", None]}, {"metrics": "mae"}),
    ({"label": "ab", "y_pred": "ab", "size": [1, None]}, {"where": "size > 1"}),
)
def test_long_cells_are_cut(columns, options, cell):
    frame = pd.DataFrame({name: list(map(str, own)) for name, own in columns.items()})
    with pytest.raises(InputError) as found:
        tallystick.score(frame.replace("None", cell), None, **{"metrics": "accuracy", **options})
    assert (True, True) == (len(str(found.value)) < 3000, cell[:20] in str(found.value))


@cases(
    "text cut",
    (f"t.csv: '{LONG}' is no label", f"t.csv: '{LONG[:59]}…' is no label"),
    (f"columns a, {LONG}; name one", f"columns a, {LONG[:60]}…; name one"),
    ("/a/long/path" * 20 + ": is empty", "/a/long/path" * 20 + ": is empty"),
    ("a system's output isn't " * 20, "a system's output isn't " * 20),
)
def test_only_long_words_and_quotations_are_cut(text, cut):
    assert (cut, cut) == (str(InputError(text)), str(UsageError(text)))


@cases("form", (pa.decimal128, 38, 0), (pa.decimal256, 60, -2))
def test_whole_decimals_are_labels_and_ids_by_all_their_digits(form):
    kind = form[0](*form[1:])
    step = 10 ** max(0, -kind.scale)
    values = [Decimal((int("1" * 28) + at) * step) for at in (0, 1, 0)]
    table = pa.table({"label": pa.array(values, kind), "y_pred": pa.array([values[0]] * 3, kind)})
    assert 2 / 3 == pytest.approx(tallystick.score(table, None, "accuracy")["accuracy"])
    gold = pa.table({"id": pa.array(values[:2], kind), "label": ["a", "b"]})
    own = pa.table({"id": pa.array(values[1::-1], kind), "y_pred": ["b", "a"]})
    assert 1 == tallystick.score(gold, own, "accuracy")["accuracy"]

"""Bad input is one sentence that names file, row and column, exits with 2 or 4, writes nothing."""

import gzip
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from cases import cases
from tallystick.cli import main

TABLE = b"id,y_true,y_pred\na,1,1\nb,0,1\nc,0,0\n"
RUN = "--pred-dir . --run-tag tag"


class Case(NamedTuple):
    """Files and arguments, and words that the message must have."""

    files: dict[str, bytes]
    arguments: str
    words: tuple[str, ...]


def one_file(name, content, *words, options=""):
    return Case({name: content}, f"{name} {options}".strip(), (name, *words))


csv, jsonl = (partial(one_file, name) for name in ("t.csv", "t.jsonl"))


def two_files(gold, own, *words):
    return Case({"g.csv": gold, "p.csv": own}, "g.csv p.csv", words)


def configure(content, *words):
    files = {"tag_en.csv": TABLE, "c.yaml": content}
    return Case(files, f"{RUN} --config c.yaml", ("c.yaml", *words))


def cut(content):
    return gzip.compress(content)[:-12]


FILES = {
    "missing-file": Case({"g.txt": b"1\n0\n"}, "g.txt p.txt", ("p.txt", "No such file")),
    "empty-label-file": Case({"g.txt": b""}, "g.txt g.txt", ("g.txt", "is empty")),
    "empty-label-file-with-mark": Case({"g.txt": b"\xef\xbb\xbf"}, "g.txt g.txt", ("g.txt",)),
    "label-file-of-blank-lines": Case({"g.txt": b"\n\n"}, "g.txt g.txt", ("g.txt",)),
    "empty-csv": csv(b"", "is empty"),
    "empty-tsv": one_file("t.tsv", b"", "is empty"),
    "empty-jsonl": jsonl(b"", "is empty"),
    "empty-parquet": one_file("t.parquet", b""),
    "empty-gzip": one_file("t.csv.gz", gzip.compress(b""), "is empty"),
    "header-only": csv(b"y_true,y_pred\n", "no rows of data"),
    "header-only-without-newline": csv(b"y_true,y_pred"),
    "directory": Case({"d.csv/x": b""}, "d.csv", ("d.csv", "directory")),
    "directory-of-unknown-kind": Case({"d/x": b""}, "d", ("d: ", "directory")),
    "truncated-gzip": one_file("t.csv.gz", cut(TABLE), "gzip", "cut off"),
    "truncated-gzip-of-labels": Case(
        {"g.txt.gz": cut(b"1\n0\n")}, "g.txt.gz g.txt.gz", ("g.txt.gz", "gzip", "cut off")
    ),
    "named-gzip-but-is-not": one_file("t.csv.gz", TABLE, "not gzip"),
    "not-parquet": one_file("t.parquet", TABLE, "Parquet"),
    "not-json": jsonl(b'{"y_true": 1\n', "line 1", "not JSON"),
    "json-but-no-object": jsonl(b"[1]\n", "element 1", "object"),
    "broken-utf8-in-csv": csv(b"y_true,y_pred\n1,1\n0,\xff\n", "row 3", "y_pred", "UTF-8"),
    "broken-utf8-in-labels": Case(
        {"g.txt": b"1\n\xff\n"}, "g.txt g.txt", ("g.txt", "line 2", "UTF-8")
    ),
    "broken-utf8-in-jsonl": jsonl(b'{"y_true": "a"}\n{"y_true": "\xff"}\n', "line 2"),
    "short-row": csv(b"id,y_true,y_pred\na,1,1\nb,1\n", "row 3", "2", "3"),
    "long-row": csv(b"y_true,y_pred\n1,1\n0,0,0\n", "row 3", "3"),
    "ragged-row-below-quoted-newline": csv(b'y_true,y_pred,text\n1,1,"a\nb"\n0,0\n', "row 3"),
    "ragged-tsv": one_file("t.tsv", b"y_true\ty_pred\n1\t1\n0\n", "row 3"),
    "open-quote": csv(b'y_true,y_pred\n1,1\n0,"0\n', "row 3", "quote"),
    "column-twice": csv(b"y_true,y_true\n1,1\n", "'y_true'"),
}

VALUES = {
    "no-gold-column": csv(b"id,y_pred\na,1\n", "y_true", "--gold-column"),
    "no-predicted-column": csv(b"id,y_true\na,1\n", "y_pred", "--predicted-column"),
    "no-named-gold-column": csv(TABLE, "y_true", options="--gold-column y_tru"),
    "no-named-predicted-column": csv(TABLE, "y_pred", options="--predicted-column y_prad"),
    "no-group-column": csv(TABLE, "'lang'", options="--by lang"),
    "no-weight-column": csv(TABLE, "'w'", options="--weight-column w"),
    "no-id-column": Case(
        {"g.csv": TABLE, "p.csv": TABLE}, "g.csv p.csv --id-column key", ("g.csv", "'key'")
    ),
    "unequal-lengths-of-labels": Case(
        {"g.txt": b"1\n0\n1\n", "p.txt": b"1\n0\n"}, "g.txt p.txt", ("g.txt", "3", "p.txt", "2")
    ),
    "unequal-lengths-of-tables": two_files(b"label\n1\n0\n", b"label\n1\n", "g.csv", "p.csv"),
    "duplicate-id": two_files(
        b"id,label\na,1\nb,0\n", b"id,label\na,1\na,0\n", "p.csv", "id a", "more than once"
    ),
    "duplicate-id-in-gold": two_files(
        b"id,label\na,1\na,0\n", b"id,label\na,1\nb,0\n", "g.csv", "id a", "more than once"
    ),
    "missing-id": two_files(
        b"id,label\na,1\nb,0\n", b"id,label\na,1\n", "p.csv", "no prediction", "id b", "g.csv"
    ),
    "unknown-id": two_files(
        b"id,label\na,1\n", b"id,label\na,1\nb,0\n", "p.csv", "id b", "g.csv", "does not have"
    ),
    "ids-on-one-side": two_files(
        b"id,label\na,1\nb,0\n", b"key,y_pred\nb,0\na,1\n", "p.csv", "--id-column"
    ),
    "many-missing-ids": two_files(
        b"id,label\na,1\nb,0\nc,0\nd,0\ne,0\nf,0\ng,0\n",
        b"id,label\na,1\n",
        "p.csv",
        "6 ids (b, c, d, e, f, ...)",
    ),
    "probability-above-one": csv(b"y_true,y_prob\n1,0.5\n0,1.5\n", "row 3", "y_prob", "1.5"),
    "probability-below-zero": csv(b"y_true,y_prob\n1,0.5\n0,-0.1\n", "row 3", "y_prob", "-0.1"),
    "probability-not-a-number": csv(b"y_true,y_prob\n1,0.5\n0,nan\n", "row 3", "y_prob", "nan"),
    "probability-missing": csv(b"y_true,y_prob\n1,0.5\n0,\n", "row 3", "y_prob"),
    "probability-null": jsonl(
        b'{"y_true":1,"y_prob":0.5}\n{"y_true":0,"y_prob":null}\n', "line 2", "y_prob", "missing"
    ),
    "probability-in-words": csv(b"y_true,y_prob\n1,0.5\n0,high\n", "row 3", "y_prob", "high"),
    "weight-below-zero": csv(
        b"y_true,y_pred,w\n1,1,1\n0,0,-2\n", "row 3", "'w'", "-2", options="--weight-column w"
    ),
    "thresholds-differ": csv(
        b"y_true,y_prob,best_threshold\n1,0.5,0.4\n0,0.5,0.6\n",
        "row 3",
        "best_threshold",
        "0.6",
        "0.4",
    ),
    "gold-label-not-in-labels": csv(
        b"y_true,y_pred\na,a\nx,b\n", "row 3", "y_true", "'x'", "'a', 'b'", options="--labels a b"
    ),
    "predicted-label-not-in-labels": csv(
        b"y_true,y_pred\na,a\nb,x\n", "row 3", "y_pred", "'x'", options="--labels a b"
    ),
    "label-not-in-labels-of-sets": csv(
        b"y_true,y_pred\na|b,a\nb,x\n",
        "row 3",
        "y_pred",
        "'x'",
        options="--task multilabel --labels a b",
    ),
    "label-empty": csv(b"y_true,y_pred\na,a\n,b\n", "row 3", "y_true", "empty"),
    "label-null": jsonl(b'{"y_true":1,"y_pred":1}\n{"y_true":0}\n', "line 2", "y_pred", "missing"),
    "label-blank-line": Case(
        {"g.txt": b"a\n\nb\n", "p.txt": b"a\na\nb\n"}, "g.txt p.txt", ("g.txt", "line 2", "empty")
    ),
    "mixed-types": jsonl(
        b'{"y_true":1,"y_pred":1}\n{"y_true":"a","y_pred":1}\n', "line 2", "y_true", "mixed types"
    ),
    "fraction-as-label": jsonl(
        b'{"y_true":1,"y_pred":1}\n{"y_true":0.5,"y_pred":1}\n',
        "line 2",
        "y_true",
        "0.5",
        options="--task binary",
    ),
    "three-labels-of-a-binary-task": Case(
        {"g.txt": b"a\nb\nc\n"}, "g.txt g.txt --task binary", ("g.txt", "'a', 'b', 'c'")
    ),
    "two-in-a-column-of-bits": two_files(
        b"id,a,b\nx,0,1\ny,1,2\nz,0,0\n",
        b"id,a,b\nx,0,1\ny,1,0\nz,0,0\n",
        "g.csv",
        "row 3",
        "'b'",
        "2",
    ),
}

REQUESTS = {
    "unknown-metric": Case({"t.csv": TABLE}, "t.csv -m acuracy", ("'acuracy'", "accuracy?")),
    "unknown-averaged-metric": Case({"t.csv": TABLE}, "t.csv -m macro_f", ("macro_f",)),
    "unknown-option-of-a-metric": Case(
        {"t.csv": TABLE}, "t.csv -m F1(averag='macro')", ("averag", "average")
    ),
    "unhashable-option-of-a-metric": Case(
        {"t.csv": TABLE}, "t.csv -m F1(positive=['9'])", ("label", "['9']")
    ),
    "metric-without-probabilities": Case(
        {"t.csv": TABLE}, "t.csv -m roc_auc", ("roc_auc", "probabilities")
    ),
    "metric-of-another-task": Case(
        {"t.csv": TABLE}, "t.csv -m hamming_loss", ("hamming_loss", "binary")
    ),
    "no-positive-label": Case({"g.txt": b"a\nb\n"}, "g.txt g.txt --task binary", ("--positive b",)),
    "threshold-above-one": Case({"t.csv": TABLE}, "t.csv --threshold 1.5", ("threshold", "1.5")),
    "threshold-not-a-number": Case({"t.csv": TABLE}, "t.csv --threshold nan", ("threshold", "nan")),
    "no-files": Case({}, "-m f1", ("-m",)),
    "standard-input-twice": Case({}, "- -", ("standard input",)),
    "file-twice": Case({"g.txt": b"a\n"}, "g.txt g.txt g.txt", ("twice",)),
    "run-tag-without-folder": Case({"t.csv": TABLE}, "t.csv --run-tag tag", ("--pred-dir",)),
    "folder-without-run-tag": Case({}, "--pred-dir .", ("--run-tag",)),
    "folder-and-files": Case({"t.csv": TABLE}, f"t.csv {RUN}", ("--pred-dir",)),
    "groups-of-a-run": Case({"tag_en.csv": TABLE}, f"{RUN} --by id", ("--by", "--pred-dir")),
    "another-task-of-a-run": Case(
        {"tag_en.csv": TABLE}, f"{RUN} --task multilabel", ("binary", "multilabel")
    ),
}

RUNS = {
    "missing-folder": Case({}, "--pred-dir nowhere --run-tag tag", ("nowhere", "No such file")),
    "no-file-of-the-run": Case({"a.csv": TABLE}, RUN, ("tag_LANGUAGE.csv", "a.csv")),
    "no-file-of-a-language": Case(
        {"tag_en.csv": TABLE}, f"{RUN} --languages en tr", ("tag_tr.csv", "No such file")
    ),
    "run-without-probability": Case(
        {"tag_en.csv": b"id,y_true\na,1\n"}, RUN, ("tag_en.csv", "y_prob", "y_pred")
    ),
    "configuration-missing": Case(
        {"tag_en.csv": TABLE}, f"{RUN} --config c.yaml", ("c.yaml", "No such file")
    ),
    "configuration-key": configure(b"data: {langauges: [en]}", "data.langauges", "data.languages"),
    "configuration-type": configure(b"data: {languages: en}", "$.data.languages", "'en'", "list"),
    "configuration-item-type": configure(
        b"data: {languages: [en, no]}", "$.data.languages[1]", "quote it"
    ),
    "configuration-not-yaml": configure(b"a: b\ndata: [", "line", "not YAML"),
}

FORMATS = {
    "output-of-no-format": Case({"t.csv": TABLE}, "t.csv -o x.foo", ("x.foo", "--format")),
    "matrix-of-no-format": Case(
        {"t.csv": TABLE}, "t.csv -o x.csv --confusion c.txt", ("c.txt", "--confusion")
    ),
    "matrix-of-two-systems": Case(
        {"g.txt": b"a\nb\n", "p.txt": b"a\nb\n"},
        "g.txt g.txt p.txt -o x.csv --confusion c.csv",
        ("--confusion", "2"),
    ),
    "fewer-than-no-digits": Case({"t.csv": TABLE}, "t.csv -o x.txt --digits -1", ("digits", "-1")),
}

TARGETS = {
    "output-in-no-folder": Case({"t.csv": TABLE}, "t.csv -o no/x.csv", ("no/x.csv", "written")),
    "output-is-a-directory": Case({"t.csv": TABLE, "d.csv/x": b""}, "t.csv -o d.csv", ("d.csv",)),
    "output-below-a-file": Case({"t.csv": TABLE}, "t.csv -o t.csv/x.csv", ("t.csv/x.csv",)),
    "matrix-in-no-folder": Case(
        {"t.csv": TABLE}, "t.csv -o x.csv --confusion no/c.csv", ("no/c.csv", "written")
    ),
    "errors-below-a-file": Case(
        {"tag_en.csv": TABLE},
        f"{RUN} -o x.csv --dump-errors --errors-dir tag_en.csv/errors",
        ("tag_en.csv/errors",),
    ),
    "errors-though-output-is-in-no-folder": Case(
        {"tag_en.csv": TABLE}, f"{RUN} -o no/x.csv --dump-errors", ("no/x.csv", "written")
    ),
}


def write_files(files):
    for name, content in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(content)


def take_stock():
    return {str(path): path.read_bytes() if path.is_file() else None for path in Path().rglob("*")}


pytestmark = pytest.mark.usefixtures("folder")


def fail(capsys, case, *options):
    code = main(["score", *case.arguments.split(), *options])
    captured = capsys.readouterr()
    *notes, message, rest = captured.err.split("\n")
    expected = 2 if case in (REQUESTS | FORMATS).values() else 4
    assert (expected, "", "") == (code, captured.out, rest), captured.err
    assert [] == [note for note in notes if not note.startswith(("note: ", "wrote "))]
    return message


INPUTS = FILES | VALUES | REQUESTS | RUNS
CASES = INPUTS | FORMATS | TARGETS


@cases("case", *CASES.values(), ids=CASES)
def test_the_message_is_one_sentence_that_names_what_is_wrong_and_nothing_is_written(capsys, case):
    write_files(case.files)
    before = take_stock()
    message = fail(capsys, case)
    assert [] == [word for word in case.words if word not in message], message
    assert [True, False] == [message.startswith("tallystick: error: "), ". " in message], message
    assert before == take_stock()


@cases("case", *INPUTS.values(), ids=INPUTS)
def test_bad_input_leaves_the_old_output(capsys, case):
    write_files(case.files | {"old.csv": b"old"})
    before = take_stock()
    fail(capsys, case, "-o", "old.csv", "--confusion", "matrix.csv")
    assert before == take_stock()


def test_a_failed_write_leaves_the_old_output(capsys, monkeypatch):
    write_files({"t.csv": TABLE, "old.csv": b"old"})
    before = take_stock()

    def refuse(source, target):
        raise PermissionError(13, "Permission denied", target)

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", refuse)
        code = main(["score", "t.csv", "-o", "old.csv"])
    expected = "tallystick: error: old.csv: cannot be written: Permission denied"
    assert [4, expected] == [code, capsys.readouterr().err.split("\n")[-2]]
    assert before == take_stock()

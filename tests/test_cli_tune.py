"""`tallystick tune`: what it prints and writes, and what it says when it cannot."""

from pathlib import Path

import pytest

from cases import cases
from tallystick.cli import main

VAL = """\
id,lang,y_true,y_prob
a,en,0,0.1
b,en,1,0.6
c,en,0,0.5
d,en,1,0.9
e,es,0,0.2
f,es,1,0.3
g,es,0,0.25
h,es,1,0.4
"""
TEST = "id,lang,text,y_prob\nx,en,one,0.6\ny,es,two,0.3\nz,en,three,0.55\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("val.csv").write_text(VAL)
    Path("test.csv").write_text(TEST)
    return tmp_path


def tune(*arguments):
    return main(["tune", *arguments])


def test_threshold_is_printed(capsys):
    assert 0 == tune("val.csv")
    shown = capsys.readouterr()
    assert [
        ["n", "8"],
        ["positives", "4"],
        ["threshold", "0.3"],
        ["above", "0.25"],
        ["up", "to", "0.3"],
        ["f1", "0.889"],
    ] == [line.split() for line in shown.out.splitlines()[2:]]
    assert "note: f1 is measured on the examples that the threshold was tuned on" in shown.err


def test_predictions_are_written_as_the_seed_has_them():
    assert 0 == tune("val.csv", "--apply", "test.csv", "-o", "out.csv")
    assert (
        "id,lang,text,y_prob,y_pred,best_threshold\n"
        "x,en,one,0.6,1,0.3\ny,es,two,0.3,1,0.3\nz,en,three,0.55,1,0.3\n"
    ) == Path("out.csv").read_text()


def test_each_group_has_its_own_threshold(capsys):
    assert 0 == tune("val.csv", "--by", "lang", "--apply", "test.csv", "-o", "out.csv")
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    written = [line.split(",")[-2:] for line in Path("out.csv").read_text().splitlines()[1:]]
    assert ["group", "n", "positives", "threshold", "above", "up", "to", "f1"] == rows[0]
    assert [["en", "4", "2", "0.6", "0.5", "0.6", "1.000"]] == rows[2:3]
    assert [["es", "4", "2", "0.3", "0.25", "0.3", "1.000"]] == rows[3:]
    assert [["1", "0.6"], ["1", "0.3"], ["0", "0.6"]] == written


def test_old_predictions_are_replaced():
    Path("test.csv").write_text("y_prob,y_pred,best_threshold\n0.6,broken,0.9\n0.2,,\n")
    assert 0 == tune("val.csv", "--apply", "test.csv", "-o", "out.csv")
    assert "y_prob,y_pred,best_threshold\n0.6,1,0.3\n0.2,0,0.3\n" == Path("out.csv").read_text()


def test_what_is_read_is_not_written(capsys):
    assert 2 == tune("val.csv", "--apply", "test.csv", "-o", "./test.csv")
    shown = "./test.csv is read, as test.csv, and cannot be overwritten; name another file"
    assert shown in capsys.readouterr().err
    assert TEST == Path("test.csv").read_text()


def test_cross_fitting_predicts_the_file_itself(capsys):
    assert 0 == tune("val.csv", "--cross-fit", "2", "-o", "out.csv")
    shown = capsys.readouterr()
    written = Path("out.csv").read_text().splitlines()
    tuned = {line.rpartition(",")[2] for line in written[1:]}
    assert "id,lang,y_true,y_prob,y_pred,best_threshold" == written[0]
    assert 8 == len(written[1:])
    assert 1 <= len(tuned) <= 2
    assert "cross-fitted" in shown.out
    assert "tuned on the other of 2 folds" in shown.err


def test_predictions_can_be_scored(capsys):
    tune("val.csv", "--cross-fit", "2", "-o", "out.csv")
    capsys.readouterr()
    assert 0 == main(["score", "out.csv", "--format", "csv", "-m", "f1"])
    assert capsys.readouterr().out.startswith("system,n,f1\nout,8,0.")


def test_grid_finds_no_less_than_a_published_threshold_gives(shared, capsys):
    tune(str((shared / "data" / "toxicity" / "predictions") / "baseline_tr.csv"), "--grid", "seed")
    rows = dict(line.rsplit(None, 1) for line in capsys.readouterr().out.splitlines()[2:])
    assert float(rows["f1"]) >= 0.7368
    assert 0.1 <= float(rows["threshold"]) <= 0.9


def test_labels_and_columns_can_be_named():
    Path("val.tsv").write_text("g\tp\nok\t0.2\ntoxic\t0.8\nok\t0.3\n")
    Path("new.tsv").write_text("p\n0.9\n0.1\n")
    options = ["--gold-column", "g", "--probability-column", "p", "--positive", "toxic"]
    assert 0 == tune("val.tsv", *options, "-m", "mcc", "--apply", "new.tsv", "-o", "out.csv")
    assert "p,y_pred,best_threshold\n0.9,toxic,0.8\n0.1,ok,0.8\n" == Path("out.csv").read_text()


@cases(
    "expected content arguments message",

        (4, "id,y_true\na,1\n", (), "val.csv: has no probability column: none is called y_prob"),
        (4, "id,y_true,y_pred\na,1,1\n", (),
         "val.csv: has no probability column: none is called y_prob, prob, prediction, pred_score "
         "or pred; the columns are id, y_true, y_pred; name yours"),
        (4, "id,y_prob\na,0.1\n", (), "val.csv: has no gold column: none is called y_true"),
        (4, "y_true,y_prob\n0,0.1\n1,nan\n", (),
         "val.csv, row 3, column 'y_prob': nan is not a score"),
        (4, "y_true,y_prob\n0,0.1\n1,x\n", (),
         "val.csv, row 3, column 'y_prob': 'x' is not a number"),
        (4, "y_true,y_prob\n0,0.1\n0,0.2\n", (),
         "val.csv: all of the gold is '0', but a threshold"),
        (4, "y_true,y_prob\n0,0.1\n1,0.2\n2,0.3\n", (),
         "val.csv, row 4, column 'y_true': a binary"),
        (2, "y_true,y_prob\na,0.1\nb,0.2\n", (), "which label is the positive one? Name it"),
        (4, "y_true,y_prob,lang\n0,0.1,en\n1,0.2,es\n", ("--by", "lang"),
         "val.csv, group 'en': all of the gold is '0'"),
        (4, VAL, ("--by", "land"), "val.csv: has no column 'land', only"),
        (2, VAL, ("-m", "roc_auc"),
         "roc_auc is not a metric of labels, so no threshold can improve it"),
        (2, VAL, ("-m", "f11"), "unknown metric 'f11'; did you mean f1?"),
        (2, VAL, ("--cross-fit", "1"), "cross-fitting needs 2 folds or more, not 1"),
        (4, VAL, ("--apply", "none.csv"), "none.csv: cannot be read: No such file or directory"),
        (4, VAL, ("--apply", "gold.csv"), "gold.csv: has no probability column: none is called"),
        (4, VAL, ("--apply", "bad.csv"),
         "bad.csv, row 3, column 'y_prob': 7.0 is not a probability"),
        (4, VAL, ("--by", "lang", "--apply", "new.csv"),
         "new.csv, row 3: there is no threshold for "),
        (4, VAL, ("--by", "lang", "--apply", "bare.csv"), "bare.csv: has no column 'lang', only")

)  # fmt: skip
def test_bad_data_is_told_and_nothing_is_written(expected, content, arguments, message, capsys):
    Path("val.csv").write_text(content)
    Path("gold.csv").write_text("id,y_true\na,1\n")
    Path("bad.csv").write_text("id,y_prob\na,1\nb,7\n")
    Path("bare.csv").write_text("id,y_prob\na,1\n")
    Path("new.csv").write_text("lang,y_prob\nen,0.5\ntr,0.5\n")
    Path("out.csv").write_text("old")
    before = sorted(path.name for path in Path().iterdir())
    if "--apply" not in arguments and "--cross-fit" not in arguments:
        arguments = (*arguments, "--apply", "test.csv")
    assert expected == tune("val.csv", *arguments, "-o", "out.csv")
    shown = capsys.readouterr()
    assert shown.err.startswith(f"tallystick: error: {message}")
    assert 1 == shown.err.count("\n")
    assert "" == shown.out
    assert "old" == Path("out.csv").read_text()
    assert before == sorted(path.name for path in Path().iterdir())


@cases(
    "expected arguments message",
    (2, ("--apply", "test.csv"), "--apply needs --output, the file for the predictions"),
    (2, ("-o", "out.csv"), "--output needs --apply, the file to predict, or --cross-fit, which"),
    (4, ("--cross-fit", "2", "-o", "no/out.csv"), "no/out.csv: cannot be written: there is no f"),
)
def test_output_that_makes_no_sense_is_told(expected, arguments, message, capsys):
    assert expected == tune("val.csv", *arguments)
    assert capsys.readouterr().err.startswith(f"tallystick: error: {message}")

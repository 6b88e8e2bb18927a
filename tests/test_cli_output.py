"""Where the results of `tallystick score` go, and in which format."""

import html
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tallystick.cli import main

STARTS = {
    "table": "metric               value\n--------------------------\nn                        4\n",
    "csv": "system,n,accuracy,weighted_precision,",
    "json": '{\n"scores": [\n{"system": "guess", "group": null, "label": null, "metric": ',
    "markdown": "| Metric             |  Value |",
    "latex": "% \\usepackage{booktabs,graphicx}\n\n\\begin{table}[t]",
    "html": "<!DOCTYPE html>",
    "lines": "Accuracy: 0.7500\nWeighted Precision: 0.8750\n",
}
TABLE = """\
metric               value
--------------------------
n                        4
accuracy            0.7500
weighted_precision  0.8750
weighted_recall     0.7500
weighted_f1         0.7500
macro_precision     0.8333
macro_recall        0.8333
macro_f1            0.7778

Per class

label  precision  recall      f1  support
-----------------------------------------
a         1.0000  0.5000  0.6667        2
b         1.0000  1.0000  1.0000        1
c         0.5000  1.0000  0.6667        1

Confusion matrix (rows gold, columns predicted)

gold\\predicted  a  b  c
-----------------------
a               1  0  1
b               0  1  0
c               0  0  1
"""

Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run_score(*arguments: object) -> tuple[str, str]:
        code = main(["score", *map(str, arguments)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out, captured.err

    return run_score


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    gold, guess = tmp_path / "gold.txt", tmp_path / "guess.txt"
    gold.write_text("a\nb\na\nc\n")
    guess.write_text("a\nb\nc\nc\n")
    return [gold, guess]


@pytest.fixture
def undefined(tmp_path: Path) -> Path:
    path = tmp_path / "negative.csv"
    path.write_text("y_true,y_prob\n0,0.1\n0,0.2\n")
    return path


def test_the_table_is_aligned_text(run, files):
    assert TABLE == run(*files, "--no-intervals")[0]


@pytest.mark.parametrize("format", STARTS)
def test_every_format_is_written(run, files, format):
    out, _ = run(*files, "--format", format, "--no-intervals")
    assert STARTS[format] == out[: len(STARTS[format])]


@pytest.mark.parametrize(
    ("name", "options", "format"),
    [
        ("scores.csv", [], "csv"),
        ("scores.json", [], "json"),
        ("scores.md", [], "markdown"),
        ("scores.markdown", [], "markdown"),
        ("scores.tex", [], "latex"),
        ("scores.txt", [], "table"),
        ("SCORES.CSV", [], "csv"),
        ("scores.csv", ["--format", "lines"], "lines"),
    ],
)
def test_the_ending_of_the_output_tells_its_format_where_none_is_named(
    run, files, tmp_path, name, options, format
):
    expected = run(*files, "--format", format)[0]
    out, err = run(*files, "--output", tmp_path / name, *options)
    assert expected == (tmp_path / name).read_text(encoding="utf-8")
    assert ["", f"wrote {tmp_path}/{name}"] == [out, err.split("\n")[-2]]


@pytest.mark.usefixtures("sketched")
def test_html_is_written_by_the_ending_of_the_file(run, files, tmp_path):
    run(*files, "--output", tmp_path / "scores.html")
    assert (tmp_path / "scores.html").read_text().startswith("<!DOCTYPE html>")


def test_an_output_file_replaces_the_old_one(run, files, tmp_path):
    (tmp_path / "scores.json").write_text("old" * 10_000)
    run(*files, "-o", tmp_path / "scores.json")
    assert json.loads((tmp_path / "scores.json").read_text())
    assert ["gold.txt", "guess.txt", "scores.json"] == sorted(p.name for p in tmp_path.iterdir())


@pytest.mark.parametrize("format", sorted({*STARTS} - {"html", "json"}))
def test_words_never_mix_with_results(run, files, format):
    options = [*files, "--format", format, "--no-intervals"]
    out, err = run(*options)
    assert ("note: read as a multiclass task with 3 labels.\n", False) == (
        err,
        "note" in out.lower(),
    )
    assert (out, "") == run(*options, "--task", "multiclass")


def test_json_has_what_figures_and_reports_need(run, files):
    out, err = run(*files, "--format", "json", "--verbose")
    found = json.loads(out)
    assert ["scores", "confusions", "curves", "lengths", "notes", "cautions"] == list(found)
    notes = [f"note: {note}" for note in found["notes"]]
    assert notes == err.splitlines()[: len(notes)]


@pytest.mark.parametrize(
    ("format", "cell"), [("table", "n/a"), ("markdown", "n/a"), ("latex", "--"), ("csv", "")]
)
def test_an_undefined_value_is_never_a_number(run, undefined, format, cell):
    out = run(undefined, "-m", "roc_auc", "--format", format)[0]
    row = next(line for line in out.split("\n") if "2" in line)
    cells = row.strip("|\\ ").replace("&", "|").replace(",", "|").replace("  ", "|").split("|")
    assert cell == cells[-1].strip()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "gold\\predicted,a,b,c\na,1,0,1\nb,0,1,0\nc,0,0,1\n"),
        (["-m", "accuracy"], "gold\\predicted,a,b,c\na,1,0,1\nb,0,1,0\nc,0,0,1\n"),
        (["--normalise"], "gold\\predicted,a,b,c\na,0.5,0.0,0.5\nb,0.0,1.0,0.0\nc,0.0,0.0,1.0\n"),
        (
            ["--normalise", "--labels", "a", "b", "c", "d"],
            "gold\\predicted,a,b,c,d\na,0.5,0.0,0.5,0.0\nb,0.0,1.0,0.0,0.0\nc,0.0,0.0,1.0,0.0\nd,,,,\n",
        ),
    ],
    ids=["counts", "named metrics", "normalised", "no examples"],
)
def test_the_confusion_matrix_is_written(run, files, tmp_path, options, expected):
    run(*files, "--confusion", tmp_path / "matrix.csv", *options)
    assert expected == (tmp_path / "matrix.csv").read_text()


def test_the_confusion_matrix_is_written_as_json(run, files, tmp_path):
    run(*files, "--confusion", tmp_path / "matrix.json")
    assert {
        "system": "guess",
        "labels": ["a", "b", "c"],
        "counts": [[1, 0, 1], [0, 1, 0], [0, 0, 1]],
    } == json.loads((tmp_path / "matrix.json").read_text())


@pytest.mark.parametrize("label", ["a,b", 'say "a"', "a|b", "<b>", "[bold]", "猫", "100%"])
@pytest.mark.parametrize("format", STARTS)
def test_labels_are_written_so_that_no_format_breaks(run, tmp_path, label, format):
    path = tmp_path / "gold.txt"
    path.write_text(f"{label}\nother\n", encoding="utf-8")
    written = {
        "csv": "\ngold,2,1.0,",
        "html": f"<bdi>{html.escape(label).replace('&quot;', '&#34;')}</bdi>",
        "json": f'"label": {json.dumps(label, ensure_ascii=False)}',
        "latex": "\\bottomrule",
        "lines": f"Class: {label} - Precision: 1.0000",
        "markdown": "| other",
        "table": f"\n{label}",
    }

    out, _ = run(path, path, "--format", format)

    assert written[format] in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["gold.txt", "guess.txt", "gold.txt"], ["guess", "gold"]),
        (["t.csv", "--by", "lang"], ["en", "tr", "macro", "micro"]),
    ],
    ids=["systems", "groups"],
)
def test_lines_say_whose_they_are(run, files, monkeypatch, arguments, expected):
    monkeypatch.chdir(files[0].parent)
    Path("t.csv").write_text("y_true,y_pred,lang\na,a,en\nb,a,tr\n")
    out = run(*arguments, "--format", "lines", "-m", "accuracy")[0]
    owners = [line.strip("[]").split(" · ")[-1] for line in out.split("\n") if "[" in line]
    assert expected == owners


def test_the_order_of_labels_never_changes(run, tmp_path):
    orders = [["b", "c", "a"], ["c", "a", "b"]]
    shown = []
    for number, labels in enumerate(orders):
        path = tmp_path / f"{number}.txt"
        path.write_text("\n".join(labels))
        shown.append(run(path, path, "--format", "lines")[0])
    assert shown[0] == shown[1]


def test_whole_numbers_are_ordered_by_value(run, tmp_path):
    (tmp_path / "gold.txt").write_text("10\n9\n1\n")
    out = run(tmp_path / "gold.txt", tmp_path / "gold.txt", "--format", "lines")[0]
    assert ["1", "9", "10"] == [
        line.split()[1] for line in out.split("\n") if line.startswith("Class: ")
    ]


@pytest.mark.parametrize(
    ("arguments", "noted"),
    [((), True), (("--format", "csv"), False), (("--confusion", "matrix.csv"), False)],
)
def test_a_large_confusion_matrix_is_not_shown(folder, capsys, arguments, noted):
    Path("gold.txt").write_text("".join(f"{label}\n" for label in range(51)))
    main(["score", "gold.txt", "gold.txt", "--no-intervals", *arguments])
    captured = capsys.readouterr()
    assert "Confusion matrix" not in captured.out
    assert noted == ("of 51 labels is not shown; --confusion FILE writes it" in captured.err)


def test_metrics_of_one_name_are_told_apart(tmp_path, capsys):
    path = tmp_path / "text.txt"
    path.write_text("a b\n")
    rules = [
        f"ROUGE(references='{rule}', measure='{measure}')"
        for rule in ("jackknife", "sum")
        for measure in ("f1", "precision", "recall")
    ]
    main(["score", str(path), str(path), "--no-intervals", "-m", *rules])
    rows = [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()]

    assert "ROUGE(variant='google', references='jackknife', measure='precision')" in rows
    assert 8 == len(rows) - 1 == len(set(rows)) - 1


def test_three_notes_are_told_and_the_others_counted(run, files):
    files[0].write_text("a\nA\nx\nc\n")
    few, all_ = (run(*files, *more)[1].splitlines() for more in ([], ["--verbose"]))
    assert 3 == sum(line.startswith("note: ") for line in few)
    assert f"{len(all_) - 4} more notes with --verbose" == few[3]
    assert all_[-1].startswith("note: 95% confidence intervals: Wilson (accuracy, ")


@pytest.mark.parametrize("words", ["f1", "f1=x", "=1"])
def test_decimals_that_are_no_number_are_a_wrong_call(files, words, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["score", *map(str, files), "--decimals", words])
    assert "is neither a number of decimals nor METRIC=N, such as bleu=1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("-m accuracy --no-intervals", "n  accuracy\n-----------\n4    0.7500\n"),
        *(
            (f"-m accuracy --digits {digits} --no-intervals", f" {value}\n")
            for digits, value in ((0, "1"), (2, "0.75"), (6, "0.750000"))
        ),
        ("-m accuracy macro_f1 --digits 2 accuracy=1 --no-intervals", " 0.8      0.78\n"),
        ("-m accuracy mcc", "\n95% confidence intervals: Wilson.\n"),
        (
            "--percent --decimals accuracy=1 --columns accuracy --no-intervals --format latex",
            "{tabular}{@{}c@{}}\n\\toprule\nAccuracy \\\\\n\\midrule\n75.0 \\\\\n",
        ),
        ("gold.txt -m accuracy --format csv", "system,n,accuracy\nguess,4,0.75\ngold,4,1.0\n"),
    ],
)
def test_options_choose_what_a_table_shows(run, files, monkeypatch, options, shown):
    monkeypatch.chdir(files[0].parent)
    assert shown in run(*files, *options.split())[0]

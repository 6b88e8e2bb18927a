"""`tallystick score GOLD PRED`: tasks, metrics, groups, weights, labels, intervals and outputs."""

import csv
import html
import io
import json
from pathlib import Path

import pytest
from sklearn import metrics as sk

from cases import cases
from tallystick.cli import main

GOLD = ["a", "b", "a", "c", "b", "a"]
GUESS = ["a", "b", "b", "c", "a", "a"]
BINARY = [(1, 1, 0.9), (0, 1, 0.6), (1, 0, 0.4), (0, 0, 0.2), (1, 1, 0.7)]
GROUPS = ["en", "en", "tr", "tr", "en"]
DOMAINS = ["news", "web", "web", "news", "news"]
WEIGHTS = [0.5, 2.0, 1.0, 0.0, 3.0]
WEIGHTED = "weighted_precision weighted_recall weighted_f1"
MACRO = "macro_precision macro_recall macro_f1"
PER_LABEL = "precision recall f1 support"


@pytest.fixture
def score(capsys):
    def run(*arguments):
        code = main(["score", *map(str, arguments), "--format", "json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return json.loads(captured.out)["scores"]

    return run


@pytest.fixture
def complain(capsys):
    def run(*arguments):
        main(["score", *map(str, arguments)])
        return capsys.readouterr().err

    return run


def write_lines(path, labels):
    path.write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
    return path


@pytest.fixture
def verdicts(tmp_path):
    return [write_lines(tmp_path / "gold.txt", GOLD), write_lines(tmp_path / "guess.txt", GUESS)]


@pytest.fixture
def binary(tmp_path):
    rows = zip(BINARY, GROUPS, DOMAINS, WEIGHTS, strict=True)
    lines = [",".join(map(str, (*row, *rest))) for row, *rest in rows]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["y_true,y_pred,y_prob,lang,domain,w", *lines, ""]))
    return path


def values(records, key="name"):
    return {record[key]: record["value"] for record in records}


def labels_of(records):
    return list(dict.fromkeys(record["label"] for record in records if record["label"]))


def test_a_table_may_hold_both_sides(score, binary):
    gold, predicted, probabilities = zip(*BINARY, strict=True)
    expected = {
        "positive_rate": 0.6,
        "roc_auc": sk.roc_auc_score(gold, probabilities),
        "f1": sk.f1_score(gold, predicted),
        "precision": sk.precision_score(gold, predicted),
        "recall": sk.recall_score(gold, predicted),
        "accuracy": sk.accuracy_score(gold, predicted),
    }
    assert expected == pytest.approx(values(score(binary)), abs=1e-12, rel=0)


@cases(
    "gold words",
    (["0", "1", "1"], "read as a binary task with the positive label '1'"),
    (["no", "yes", "yes"], "read as a binary task with the positive label 'yes'"),
    (["False", "True", "True"], "read as a binary task with the positive label 'True'"),
    (["a", "b", "c"], "read as a multiclass task with 3 labels."),
    (["a", "a", "a"], "read as a multiclass task with 1 label."),
    (
        ["a", "b", "b"],
        "read as a multiclass task with the labels 'a' and 'b'; name the positive one",
    ),
)
def test_a_guess_is_told(complain, tmp_path, gold, words):
    path = write_lines(tmp_path / "gold.txt", gold)
    assert f"note: {words}" in complain(path, path, "--no-intervals")


@cases("positive expected", ("P", 2 / 3), ("NP", 4 / 5))
def test_the_positive_label_is_named(score, complain, tmp_path, positive, expected):
    gold = write_lines(tmp_path / "gold.txt", ["P", "NP", "NP", "P"])
    guess = write_lines(tmp_path / "guess.txt", ["P", "NP", "NP", "NP"])
    records = score(gold, guess, "--positive", positive, "-m", "f1")
    assert {"f1": pytest.approx(expected)} == values(records)
    assert "" == complain(gold, guess, "--task", "multiclass", "--no-intervals")


@cases("threshold", "0.5", "0.65", "0.2", "1")
def test_a_threshold_decides(score, binary, threshold):
    gold, _, probabilities = zip(*BINARY, strict=True)
    predicted = [int(probability >= float(threshold)) for probability in probabilities]
    expected = sk.accuracy_score(gold, predicted)
    assert expected == values(score(binary, "--threshold", threshold, "-m", "accuracy"))["accuracy"]


@cases(
    "task rows expected",
    ("binary", None, "positive_rate roc_auc f1 precision recall accuracy"),
    ("multiclass", "a,a\nb,a\n", f"accuracy {WEIGHTED} {MACRO} {PER_LABEL}"),
    ("multilabel", "a|b,a\nb,b\n", f"macro_f1 micro_f1 hamming_loss exact_match_ratio {PER_LABEL}"),
)
def test_the_usual_metrics_of_a_task(score, binary, task, rows, expected):
    if rows:
        binary.write_text(f"y_true,y_pred\n{rows}")
    assert expected.split() == list(values(score(binary, "--task", task)))


def test_metrics_are_named_shortly_or_in_full(score, verdicts):
    names = ["mcc", "macro_f1", "F1(average='micro')", "FBeta(beta=2, average='weighted')"]
    expected = {
        "mcc": sk.matthews_corrcoef(GOLD, GUESS),
        "macro_f1": sk.f1_score(GOLD, GUESS, average="macro"),
        "micro_f1": sk.f1_score(GOLD, GUESS, average="micro"),
        "weighted_f2": sk.fbeta_score(GOLD, GUESS, beta=2, average="weighted"),
    }
    actual = values(score(*verdicts, "-m", *names))
    assert list(expected) == list(actual)
    assert expected == pytest.approx(actual, abs=1e-12, rel=0)


def test_options_of_several_values_may_be_repeated(score, binary):
    repeated = ["-m", "f1", "-m", "mcc", "--by", "lang", "--by", "domain"]
    assert score(binary, "-m", "f1", "mcc", "--by", "lang", "domain") == score(binary, *repeated)


def test_the_labels_of_a_metric_count_even_if_they_never_occur(score, verdicts):
    labels = ["c", "b", "a", "d"]
    expected = sk.f1_score(GOLD, GUESS, labels=labels, average="macro", zero_division=0)
    records = score(*verdicts, "-m", f"F1(average='macro', labels={labels}, zero_division=0)")
    assert expected == pytest.approx(values(records)["macro_f1"], abs=1e-12)


def test_a_named_label_that_nobody_uses_counts_in_full(complain, score, verdicts):
    assert list("cbad") == labels_of(score(*verdicts, "--labels", *"cbad"))
    arguments = [verdicts[0], verdicts[0], "--labels", "a", "b", "c", "d"]
    assert 0.75 == values(score(*arguments))["macro_f1"]
    assert "cannot exceed 0.750" in complain(*arguments, "--verbose")


def test_a_predicted_label_without_gold_caps_macro_f1(complain, verdicts, tmp_path):
    guess = write_lines(tmp_path / "odd.txt", [*GUESS[:-1], "d"])
    expected = (
        "note: 'd' never occurs in the gold: with zero_division=0 macro averages over the 4 labels "
        "cannot exceed 0.750."
    )
    assert expected in complain(verdicts[0], guess, "--verbose").split("\n")


def test_labels_and_weights_are_in_every_signature(score, verdicts, binary):
    (weighted,) = score(binary, "--weight-column", "w", "-m", "accuracy")
    assert "|weighted:yes|" in weighted["signature"]
    assert all("|labels:a,b,c|" in record["signature"] for record in score(*verdicts))


def test_folded_case_makes_labels_one(score, complain, tmp_path):
    gold = write_lines(tmp_path / "gold.txt", ["NTA", "yta"])
    guess = write_lines(tmp_path / "guess.txt", ["nta", "YTA"])
    half = write_lines(tmp_path / "half.txt", ["nta", "yta"])
    records = score(gold, guess, "--fold-case")
    assert [1.0, ["nta", "yta"]] == [values(records)["accuracy"], labels_of(records)]
    assert "the labels 'NTA' and 'nta' differ only in case" in complain(gold, half, "--verbose")


def test_several_systems_are_scored_on_the_same_gold_and_named_by_their_paths(
    score, verdicts, tmp_path
):
    (tmp_path / "other").mkdir()
    twin = write_lines(tmp_path / "other" / "guess.txt", GOLD)
    for other, name in ((verdicts[0], "gold"), (twin, "other/guess")):
        records = score(*verdicts, other, "-m", "accuracy")
        expected = [("guess", pytest.approx(4 / 6)), (name, 1.0)]
        assert expected == list(values(records, "system").items())


def test_groups_have_rows_of_their_own(score, binary):
    gold, predicted, _ = zip(*BINARY, strict=True)
    weights = {name: [group == name for group in GROUPS] for name in ("en", "tr")}
    groups = {
        name: sk.f1_score(gold, predicted, sample_weight=own) for name, own in weights.items()
    }
    means = {"macro": sum(groups.values()) / 2, "micro": sk.f1_score(gold, predicted)}
    actual = values(score(binary, "--by", "lang", "-m", "F1(zero_division=0)"), "group")
    assert ["en", "tr", "macro", "micro"] == list(actual)
    assert {**groups, **means} == pytest.approx(actual, abs=1e-12, rel=0)


@cases(
    "columns metric expected",
    (["lang"], "true_positives", {"en": (2, 3), "tr": (0, 2), "macro": (None, 5), "micro": (2, 5)}),
    (
        ["lang", "domain"],
        "accuracy",
        {
            "en/news": (1.0, 2),
            "en/web": (0.0, 1),
            "tr/news": (1.0, 1),
            "tr/web": (0.0, 1),
            "macro": (0.5, 5),
            "micro": (0.6, 5),
        },
    ),
    ids=["counts have no mean", "columns are combined"],
)
def test_groups_have_a_macro_and_a_micro_row(score, binary, columns, metric, expected):
    records = score(binary, "--by", *columns, "-m", metric)
    assert expected == {record["group"]: (record["value"], record["n"]) for record in records}


@cases("name", "macro", "micro")
def test_a_group_may_not_be_called_as_an_average(complain, tmp_path, name):
    (tmp_path / "t.csv").write_text(f"y_true,y_pred,lang\n1,1,{name}\n0,0,en\n")
    assert f"a group in 'lang' is called '{name}'" in complain(tmp_path / "t.csv", "--by", "lang")


def test_weights_count_in_every_metric(score, binary):
    gold, predicted, probabilities = zip(*BINARY, strict=True)
    expected = {
        "accuracy": sk.accuracy_score(gold, predicted, sample_weight=WEIGHTS),
        "f1": sk.f1_score(gold, predicted, sample_weight=WEIGHTS),
        "roc_auc": sk.roc_auc_score(gold, probabilities, sample_weight=WEIGHTS),
    }
    actual = values(score(binary, "--weight-column", "w", "-m", *expected))
    assert expected == pytest.approx(actual, abs=1e-12, rel=0)


def test_columns_are_named(score, tmp_path):
    (tmp_path / "t.csv").write_text("truth,guess,chance,label\n1,1,0.2,x\n0,0,0.8,x\n")
    options = ["--gold-column", "truth", "--predicted-column", "guess"]
    records = score(
        tmp_path / "t.csv", *options, "--probability-column", "chance", "-m", "accuracy", "roc_auc"
    )
    assert {"accuracy": 1.0, "roc_auc": 0.0} == values(records)


ROWS = [(index % 2, (index % 2) ^ (index % 5 == 0), f"doc{index // 4}") for index in range(40)]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    rows = [f"{gold},{guess:d},{document}" for gold, guess, document in ROWS]
    path.write_text("\n".join(["y_true,y_pred,document", *rows]) + "\n")
    return path


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = main(["score", *map(str, arguments)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out

    return call


def read_records(text):
    return {record["name"]: record for record in json.loads(text)["scores"]}


def test_tables_show_intervals_and_name_their_methods(run, table):
    expected = (
        " n  accuracy                  f1\n"
        "---------------------------------------------\n"
        "40     0.800 [.652, .895]  0.800 [.637, .901]\n"
        "\n"
        "95% confidence intervals: Wilson.\n"
    )
    assert expected == run(table, "-m", "accuracy", "f1")


def test_a_count_has_whole_ends(run, table):
    options = ["-m", "true_positives", "--format", "markdown", "--intervals"]
    assert r"16 \[11, 22\] |" in run(table, *options)


def test_csv_has_the_columns_of_the_seed_unless_asked(run, table):
    plain, wide = (
        next(csv.reader(io.StringIO(run(table, "-m", "accuracy", "--format", "csv", *options))))
        for options in ([], ["--intervals"])
    )
    assert ["system", "n", "accuracy"] == plain
    assert ["system", "n", "accuracy", "accuracy_low", "accuracy_high"] == wide


def test_csv_has_the_ends_in_full(run, table):
    text = run(table, "-m", "mcc", "--format", "csv", "--intervals")
    row = next(csv.DictReader(io.StringIO(text)))
    record = read_records(run(table, "-m", "mcc", "--format", "json"))["mcc"]
    assert (record["low"], record["high"]) == (float(row["mcc_low"]), float(row["mcc_high"]))


def test_lines_have_intervals_when_asked(run, table):
    lines = run(table, "-m", "accuracy", "--format", "lines", "--intervals")
    assert "Accuracy: 0.8000 [.6524, .8950]\n" == lines


def test_json_has_intervals_without_being_asked(run, table):
    record = read_records(run(table, "-m", "accuracy", "--format", "json"))["accuracy"]
    ends = {name: record[name] for name in ("low", "high", "confidence", "method")}
    assert {"low": 0.652427, "high": 0.895, "confidence": 0.95, "method": "Wilson"} == {
        name: round(value, 6) if isinstance(value, float) else value for name, value in ends.items()
    }


def test_json_has_none_where_none_are_wanted(run, table):
    record = read_records(run(table, "-m", "mcc", "--format", "json", "--no-intervals"))["mcc"]
    assert [None] * 4 == [record[name] for name in ("low", "high", "confidence", "method")]


def test_latex_has_intervals_in_brackets(run, table):
    text = run(table, "-m", "accuracy", "--format", "latex")
    assert "40 & 0.800 \\\\[-0.6ex]\n & {\\scriptsize {[}.652, .895]} \\\\" in text


def test_the_confidence_shapes_the_interval_and_the_seed_does_not(run, table):
    options = ["-m", "mcc", "--format", "json", "--confidence", "0.8"]
    one, other = (
        read_records(run(table, *options, "--random-seed", seed))["mcc"] for seed in ("1", "2")
    )
    assert (0.8, "Wilson at the effective size") == (one["confidence"], one["method"])
    assert one["low"] == other["low"]


def test_the_method_tells_of_clusters(run, table):
    options = ("-m", "f1", "mcc", "--format", "json", "--clusters", "document")
    records = read_records(run(table, *options))
    expected = {
        "f1": "Wilson on the Jaccard index at the effective size of clusters",
        "mcc": "Wilson at the effective size of clusters",
    }
    assert expected == {name: record["method"] for name, record in records.items()}


def test_clusters_of_text_files_are_a_file(run, tmp_path):
    for name, lines in (
        ("ref.txt", ["a b c d", "e f g h", "i j k l", "m n o p"]),
        ("hyp.txt", ["a b c d", "e f g x", "i y z l", "m n o p"]),
        ("documents.txt", ["one", "one", "two", "two"]),
        ("groups.txt", ["x", "y", "x", "y"]),
    ):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    files = [tmp_path / name for name in ("ref.txt", "hyp.txt")]
    options = ["--clusters", tmp_path / "documents.txt", "--by", tmp_path / "groups.txt"]
    records = json.loads(run(*files, "-m", "rouge1", "--format", "json", *options))["scores"]
    assert {"x", "y", "macro", "micro"} == {record["group"] for record in records}
    assert "Wilson at the effective size of clusters" == records[0]["method"]


@cases("option", "--resamples=200", "--confidence=0.9", "--random-seed=3", "--clusters=document")
def test_options_of_intervals_need_intervals(capsys, table, option):
    code = main(["score", str(table), "--no-intervals", option])
    name = option.partition("=")[0]
    expected = (
        f"tallystick: error: {name} can only be used with intervals, so leave out --no-intervals\n"
    )
    assert (2, expected) == (code, capsys.readouterr().err)


@cases("format", "csv", "lines")
def test_options_of_intervals_ask_for_them_where_a_format_leaves_them_out(capsys, table, format):
    code = main(["score", str(table), "--format", format, "--confidence=0.9"])
    expected = (
        f"--confidence can only be used with intervals, which {format} shows with --intervals\n"
    )
    assert (2, f"tallystick: error: {expected}") == (code, capsys.readouterr().err)


@cases(
    "option expected message",
    ("--confidence=2", 2, "the confidence level must be between 0 and 1, not 2.0"),
    ("--resamples=5", 2, "5 resamples are too few for an interval; use 100 or more"),
    ("--random-seed=-1", 2, "a random seed must be a whole number of 0 or more, not -1"),
    ("--clusters=author", 4, "author"),
)
def test_bad_settings_are_told(capsys, table, option, expected, message):
    code = main(["score", str(table), option])
    assert (expected, True) == (code, message in capsys.readouterr().err)


STARTS = {
    "table": "metric              value\n-------------------------\nn                       4\n",
    "csv": "system,n,accuracy,weighted_precision,",
    "json": '{\n"scores": [\n{"system": "guess", "group": null, "label": null, "metric": ',
    "markdown": "| Metric             | Value |",
    "latex": "% \\usepackage{booktabs,graphicx}\n\n\\begin{table}[t]",
    "html": "<!DOCTYPE html>",
    "lines": "Accuracy: 0.7500\nWeighted Precision: 0.8750\n",
}
TABLE = """\
metric              value
-------------------------
n                       4
accuracy            0.750
weighted_precision  0.875
weighted_recall     0.750
weighted_f1         0.750
macro_precision     0.833
macro_recall        0.833
macro_f1            0.778

Per class

label  precision  recall     f1  support
----------------------------------------
a          1.000   0.500  0.667        2
b          1.000   1.000  1.000        1
c          0.500   1.000  0.667        1

Confusion matrix (rows gold, columns predicted)

gold\\predicted  a  b  c
-----------------------
a               1  0  1
b               0  1  0
c               0  0  1
"""


@pytest.fixture
def show(capsys):
    def run_score(*arguments):
        code = main(["score", *map(str, arguments)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out, captured.err

    return run_score


@pytest.fixture
def files(tmp_path):
    gold, guess = tmp_path / "gold.txt", tmp_path / "guess.txt"
    gold.write_text("a\nb\na\nc\n")
    guess.write_text("a\nb\nc\nc\n")
    return [gold, guess]


@pytest.fixture
def undefined(tmp_path):
    path = tmp_path / "negative.csv"
    path.write_text("y_true,y_prob\n0,0.1\n0,0.2\n")
    return path


@cases("options", ("--per-class",), ("-m", "accuracy", "--per-class"))
def test_classes_of_a_binary_task_are_shown_on_request(score, binary, options):
    records = score(binary, *options)
    shown = {(one["name"], one["label"]): one["value"] for one in records}
    (plain,) = score(binary, "-m", "f1")
    assert plain["value"] == shown["f1", "1"]
    assert {"precision", "recall", "f1", "support"} == {name for name, at in shown if at == "0"}


def test_classes_are_of_labels(complain, tmp_path):
    text = write_lines(tmp_path / "text.txt", ["a b c d e", "f g h i j"])
    for options in (["-m", "bleu"], ["--kind", "texts"]):
        message = complain(text, text, *options, "--per-class")
        assert "--per-class can only be used with" in message


def test_tables_have_facts_about_the_data_last(show, binary):
    out, _ = show(str(binary), "-m", "positive_rate", "f1", "true_positives", "accuracy")
    assert ["n", "f1", "accuracy"] == out.split("\n")[0].split()[:3]


def test_the_table_is_aligned_text(show, files):
    assert TABLE == show(*files, "--no-intervals")[0]


@cases("format", *STARTS)
def test_every_format_is_written(show, files, format):
    out, _ = show(*files, "--format", format, "--no-intervals")
    assert STARTS[format] == out[: len(STARTS[format])]


@cases(
    "name options format",
    ("scores.csv", [], "csv"),
    ("scores.json", [], "json"),
    ("scores.md", [], "markdown"),
    ("scores.markdown", [], "markdown"),
    ("scores.txt", [], "table"),
    ("SCORES.CSV", [], "csv"),
    ("scores.csv", ["--format", "lines"], "lines"),
)
def test_the_ending_of_the_output_tells_its_format_where_none_is_named(
    show, files, tmp_path, name, options, format
):
    expected = show(*files, "--format", format)[0]
    out, err = show(*files, "--output", tmp_path / name, *options)
    assert expected == (tmp_path / name).read_text(encoding="utf-8")
    assert ["", f"wrote {tmp_path}/{name}"] == [out, err.split("\n")[-2]]


@pytest.mark.usefixtures("sketched")
def test_html_is_written_by_the_ending_of_the_file(show, files, tmp_path):
    show(*files, "--output", tmp_path / "scores.html")
    assert (tmp_path / "scores.html").read_text().startswith("<!DOCTYPE html>")


def test_an_output_file_replaces_the_old_one(show, files, tmp_path):
    (tmp_path / "scores.json").write_text("old" * 10_000)
    show(*files, "-o", tmp_path / "scores.json")
    assert json.loads((tmp_path / "scores.json").read_text())
    assert ["gold.txt", "guess.txt", "scores.json"] == sorted(p.name for p in tmp_path.iterdir())


@cases("format", *sorted({*STARTS} - {"html", "json"}))
def test_words_never_mix_with_results(show, files, format):
    options = [*files, "--format", format, "--no-intervals"]
    out, err = show(*options)
    assert ("note: read as a multiclass task with 3 labels.\n", False) == (
        err,
        "note" in out.lower(),
    )
    assert (out, "") == show(*options, "--task", "multiclass")


def test_json_has_what_figures_and_reports_need(show, files):
    out, err = show(*files, "--format", "json", "--verbose")
    found = json.loads(out)
    assert ["scores", "confusions", "curves", "lengths", "notes", "cautions"] == list(found)
    notes = [f"note: {note}" for note in found["notes"]]
    assert notes == err.splitlines()[: len(notes)]


@cases("format cell", ("table", "n/a"), ("markdown", "n/a"), ("latex", "--"), ("csv", ""))
def test_an_undefined_value_is_never_a_number(show, undefined, format, cell):
    out = show(undefined, "-m", "roc_auc", "--format", format)[0]
    row = next(line for line in out.split("\n") if "2" in line)
    cells = row.strip("|\\ ").replace("&", "|").replace(",", "|").replace("  ", "|").split("|")
    assert cell == cells[-1].strip()


@cases(
    "options expected",
    ([], "gold\\predicted,a,b,c\na,1,0,1\nb,0,1,0\nc,0,0,1\n"),
    (["-m", "accuracy"], "gold\\predicted,a,b,c\na,1,0,1\nb,0,1,0\nc,0,0,1\n"),
    ids=["counts", "named metrics"],
)
def test_the_confusion_matrix_is_written(show, files, tmp_path, options, expected):
    show(*files, "--confusion", tmp_path / "matrix.csv", *options)
    assert expected == (tmp_path / "matrix.csv").read_text()


def test_the_confusion_matrix_is_written_as_json(show, files, tmp_path):
    show(*files, "--confusion", tmp_path / "matrix.json")
    assert {
        "system": "guess",
        "labels": ["a", "b", "c"],
        "counts": [[1, 0, 1], [0, 1, 0], [0, 0, 1]],
    } == json.loads((tmp_path / "matrix.json").read_text())


@cases("label", "a,b", 'say "a"', "a|b", "<b>", "[bold]", "猫", "100%")
@cases("format", *STARTS)
def test_labels_are_written_so_that_no_format_breaks(show, tmp_path, label, format):
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
    out, _ = show(path, path, "--format", format)
    assert written[format] in out


@cases(
    "arguments expected",
    (["gold.txt", "guess.txt", "gold.txt"], ["guess", "gold"]),
    (["t.csv", "--by", "lang"], ["en", "tr", "macro", "micro"]),
    ids=["systems", "groups"],
)
def test_lines_say_whose_they_are(show, files, monkeypatch, arguments, expected):
    monkeypatch.chdir(files[0].parent)
    Path("t.csv").write_text("y_true,y_pred,lang\na,a,en\nb,a,tr\n")
    out = show(*arguments, "--format", "lines", "-m", "accuracy")[0]
    owners = [line.strip("[]").split(" · ")[-1] for line in out.split("\n") if "[" in line]
    assert expected == owners


def test_the_order_of_labels_never_changes(show, tmp_path):
    orders = [["b", "c", "a"], ["c", "a", "b"]]
    shown = []
    for number, labels in enumerate(orders):
        path = tmp_path / f"{number}.txt"
        path.write_text("\n".join(labels))
        shown.append(show(path, path, "--format", "lines")[0])
    assert shown[0] == shown[1]


def test_whole_numbers_are_ordered_by_value(show, tmp_path):
    (tmp_path / "gold.txt").write_text("10\n9\n1\n")
    out = show(tmp_path / "gold.txt", tmp_path / "gold.txt", "--format", "lines")[0]
    assert ["1", "9", "10"] == [
        line.split()[1] for line in out.split("\n") if line.startswith("Class: ")
    ]


@cases(
    "arguments noted",
    ((), True),
    (("--format", "csv"), False),
    (("--confusion", "matrix.csv"), False),
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


def test_three_notes_are_told_and_the_others_counted(show, files):
    files[0].write_text("a\nA\nx\nc\n")
    few, all_ = (show(*files, *more)[1].splitlines() for more in ([], ["--verbose"]))
    assert 3 == sum(line.startswith("note: ") for line in few)
    assert f"{len(all_) - 4} more notes with --verbose" == few[3]
    assert all_[-1].startswith("note: 95% confidence intervals: Wilson (accuracy, ")


@cases("words", "f1", "f1=x", "=1")
def test_decimals_that_are_no_number_are_a_wrong_call(files, words, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["score", *map(str, files), "--decimals", words])
    assert "is neither a number of decimals nor METRIC=N, such as bleu=1" in capsys.readouterr().err


@cases(
    "options shown",
    ("-m accuracy --no-intervals", "n  accuracy\n-----------\n4     0.750\n"),
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
)
def test_options_choose_what_a_table_shows(show, files, monkeypatch, options, shown):
    monkeypatch.chdir(files[0].parent)
    assert shown in show(*files, *options.split())[0]

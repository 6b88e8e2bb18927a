"""`tallystick score --pred-dir`: which files a run has, how they are read, and its error dumps."""

import csv
import gzip
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from tallystick.cli import main

COLUMNS = "id,y_true,y_prob,y_pred,best_threshold,text"
ROWS = ['1,1,0.9,1,0.6,"two\nlines"', "2,0,0.65,1,0.6,x", "3,0,0.2,0,0.6,y", "4,1,0.1,0,0.6,z"]
PLAIN = "id,y_true,y_prob"

Score = Callable[..., dict[str, dict[str, str]]]


@pytest.fixture
def score(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Score:
    def run(*options: object) -> dict[str, dict[str, str]]:
        arguments = ["--pred-dir", tmp_path, "--run-tag", "tag", "--format", "csv", *options]
        code = main(["score", *map(str, arguments)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return {row["language"]: row for row in csv.DictReader(StringIO(captured.out))}

    return run


def write(path: Path, rows: Sequence[str] = ROWS, *, columns: str = COLUMNS) -> Path:
    path.write_text("\n".join([columns, *rows, ""]), encoding="utf-8")
    return path


def count(row: dict[str, str]) -> list[int]:
    kinds = ("true_positives", "true_negatives", "false_positives", "false_negatives")
    return [int(row[kind]) for kind in kinds]


def test_every_matching_file_is_a_language(score, tmp_path):
    for name in ("tag_tr.csv", "tag_en.csv", "tag_zh_CN.csv", "other_de.csv", "tag_fr.txt"):
        write(tmp_path / name)

    assert ["en", "tr", "zh_CN", "macro", "micro"] == list(score())


@pytest.mark.parametrize(
    "name",
    [
        "tag_metrics.csv",
        "tag_metrics_en_tr.csv",
        "tag_errors_en.csv",
        "tag_errors_zh_CN.csv",
        "tagged_en.csv",
        "tag_en.csv.bak",
        "xtag_de.csv",
    ],
)
def test_files_that_a_run_wrote_are_no_languages(score, tmp_path, name):
    write(tmp_path / "tag_en.csv")
    write(tmp_path / name, ["nonsense"], columns="nothing")

    assert ["en", "macro", "micro"] == list(score())


def test_a_gzipped_file_is_a_language_too(score, tmp_path):
    plain = write(tmp_path / "tag_en.csv")
    (tmp_path / "tag_en.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()

    assert [1, 1, 1, 1] == count(score("--languages", "en")["en"])


@pytest.mark.parametrize(
    ("config", "options", "expected"),
    [
        (None, ["--languages", "tr", "de"], ["tr", "de"]),
        (
            "data:\n  languages: [tr, en]\n  processed_dir: data\ntraining: {seed: 42}\n",
            [],
            ["tr", "en"],
        ),
        ("data:\n  processed_dir: data\n", [], ["de", "en", "tr"]),
        ("training: {seed: 42}\n", [], ["de", "en", "tr"]),
        ("data: {languages: [en]}", ["--languages", "de"], ["de"]),
    ],
    ids=["options", "languages", "no-languages", "no-data", "options-win"],
)
def test_languages_are_named_by_options_or_the_configuration(
    score, tmp_path, config, options, expected
):
    for language in ("de", "en", "tr"):
        write(tmp_path / f"tag_{language}.csv")
    if config:
        (tmp_path / "config.yaml").write_text(config)
        options = ["--config", tmp_path / "config.yaml", *options]

    assert [*expected, "macro", "micro"] == list(score(*options))


@pytest.mark.parametrize("mark", ["_", "-"])
def test_options_are_spelled_either_way(capsys, tmp_path, mark):
    write(tmp_path / "tag_en.csv")
    options = "--pred_dir {0} --run_tag tag --errors_dir {0} --dump_errors".replace("_", mark)

    arguments = [one.format(tmp_path) for one in options.split()]
    code = main(["score", *arguments, "--max_errors", "1"])
    captured = capsys.readouterr()

    assert [0, True] == [code, (tmp_path / "tag_errors_en.csv").exists()], captured.err


@pytest.mark.parametrize(
    ("columns", "rows", "options", "expected"),
    [
        (
            f"{PLAIN},y_pred,best_threshold",
            ["1,1,0.1,1,0.5", "2,0,0.9,0,0.5", "3,1,0.9,1,0.5"],
            [],
            [2, 1, 0, 0],
        ),
        (
            f"{PLAIN},y_pred",
            ["1,1,0.1,1", "2,0,0.9,0", "3,1,0.9,1"],
            ["--threshold", "0.5"],
            [1, 0, 1, 1],
        ),
        *(
            (
                f"{PLAIN},best_threshold",
                [f"{row},{threshold}" for row in ("1,1,0.7", "2,0,0.3", "3,1,0.5", "4,0,0.1")],
                [],
                expected,
            )
            for threshold, expected in (
                ("0.7", [1, 2, 0, 1]),
                ("0.3", [2, 1, 1, 0]),
                ("0.8", [0, 2, 0, 2]),
            )
        ),
        (PLAIN, ["1,1,0.5", "2,0,0.1"], [], [1, 1, 0, 0]),
        (PLAIN, ["1,1,0.49999999999999994", "2,0,0.1"], [], [0, 1, 0, 1]),
        *(
            (f"y_true,y_prob,{name}", ["1,0.1,1", "0,0.2,0"], [], [1, 1, 0, 0])
            for name in ("y_pred", "pred_label", "prediction_binary")
        ),
    ],
)
def test_a_named_threshold_wins_then_predictions_the_best_threshold_and_half(
    score, tmp_path, columns, rows, options, expected
):
    write(tmp_path / "tag_en.csv", rows, columns=columns)

    assert expected == count(score(*options)["en"])


def test_every_file_has_its_own_best_threshold(score, tmp_path):
    for language, threshold in (("en", 0.4), ("es", 0.6)):
        lines = [f"1,1,0.5,{threshold}", f"2,0,0.1,{threshold}"]
        write(tmp_path / f"tag_{language}.csv", lines, columns=f"{PLAIN},best_threshold")

    rows = score()

    assert [[1, 1, 0, 0], [0, 1, 0, 1]] == [count(rows["en"]), count(rows["es"])]
    assert [1, 2, 0, 1] == count(rows["micro"])


@pytest.mark.parametrize("gold", ["y_true", "label", "target", "toxic"])
@pytest.mark.parametrize("probability", ["y_prob", "prob", "prediction", "pred_score", "pred"])
def test_gold_and_probabilities_are_found_by_name(score, tmp_path, gold, probability):
    write(tmp_path / "tag_en.csv", ["1,0.9", "0,0.2"], columns=f"{gold},{probability}")

    row = score()["en"]

    assert ["1.0", [1, 1, 0, 0]] == [row["roc_auc"], count(row)]


def test_a_language_of_one_class_has_no_roc_auc(capsys, score, tmp_path):
    write(tmp_path / "tag_en.csv")
    write(tmp_path / "tag_es.csv", ["1,0,0.3"], columns=PLAIN)

    rows = score()
    main(["score", "--pred-dir", str(tmp_path), "--run-tag", "tag"])

    assert ["", rows["en"]["roc_auc"]] == [rows["es"]["roc_auc"], rows["macro"]["roc_auc"]]
    expected = (
        "note: roc_auc is undefined for 'es'; its macro value is the mean over the other 1 of 2."
    )
    assert expected in capsys.readouterr().err.split("\n")


def test_named_columns_and_metrics_serve_a_run(score, tmp_path):
    write(tmp_path / "tag_en.csv", ["1,0.9,2", "1,0.1,0", "0,0.2,2"], columns="gold,p,w")
    options = ["--gold-column", "gold", "--probability-column", "p", "--weight-column", "w"]

    row = score(*options, "-m", "accuracy")["en"]

    assert {"language": "en", "n_samples": "2", "accuracy": "1.0"} == row


def dump(score: Score, folder: Path, *options: object) -> list[dict[str, str]]:
    score("--dump-errors", *options)
    text = (folder / "tag_errors_en.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(StringIO(text, newline="")))


def test_error_dumps_have_all_columns(score, tmp_path):
    write(tmp_path / "tag_en.csv", [*ROWS, '5,0,0.70,1,0.6,"a ""b"", c"'])

    errors = dump(score, tmp_path)

    assert [*COLUMNS.split(","), "error_type"] == list(errors[0])
    assert ["5", "0", "0.70", "1", "0.6", 'a "b", c', "FP"] == list(errors[1].values())


def test_error_dumps_begin_with_false_positives(score, tmp_path):
    rows = ["1,1,0.1", "2,0,0.9", "3,1,0.9", "4,1,0.2", "5,0,0.8"]
    write(tmp_path / "tag_en.csv", rows, columns=PLAIN)

    errors = dump(score, tmp_path)

    assert ["2 FP", "5 FP", "1 FN", "4 FN"] == [
        f"{row['id']} {row['error_type']}" for row in errors
    ]


def test_error_dumps_are_the_sample_that_pandas_takes(score, tmp_path):
    rows = [f"{number},{number % 3 and 1},{0.5 - number % 2 / 4}" for number in range(400)]
    table = pd.read_csv(write(tmp_path / "tag_en.csv", rows, columns=PLAIN))
    predicted = table.y_prob >= 0.5
    kinds = [table[predicted & (table.y_true == 0)], table[~predicted & (table.y_true == 1)]]
    expected = [kind.sample(50, random_state=0).id.tolist() for kind in kinds]

    errors = dump(score, tmp_path)

    assert [*expected[0], *expected[1]] == [int(row["id"]) for row in errors]


@pytest.mark.parametrize(("most", "expected"), [(1, 2), (2, 4), (3, 6), (7, 6)])
def test_error_dumps_are_limited(score, tmp_path, most, expected):
    rows = [f"{number},{number % 2},{0.9 - number % 2 * 0.8}" for number in range(6)]
    write(tmp_path / "tag_en.csv", rows, columns=PLAIN)

    assert expected == len(dump(score, tmp_path, "--max-errors", most))


def test_no_errors_make_no_file(score, tmp_path):
    write(tmp_path / "tag_en.csv", ["1,1,0.9", "2,0,0.1"], columns=PLAIN)

    score("--dump-errors", "--errors-dir", tmp_path / "errors")

    assert [tmp_path / "tag_en.csv"] == list(tmp_path.iterdir())


def test_error_dumps_go_where_they_are_asked_to(score, tmp_path):
    write(tmp_path / "tag_en.csv")

    score("--dump-errors", "--errors-dir", tmp_path / "deep" / "errors")

    assert [tmp_path / "deep/errors/tag_errors_en.csv"] == list(
        (tmp_path / "deep/errors").iterdir()
    )


def test_a_second_run_is_not_confused_by_the_dumps_of_the_first(score, tmp_path):
    write(tmp_path / "tag_en.csv")
    first = score("--dump-errors")
    target = str(tmp_path / "tag_metrics.csv")
    main(["score", "--pred-dir", str(tmp_path), "--run-tag", "tag", "-o", target])

    assert first == score("--dump-errors")

"""Folders of predictions, patterns, data sets, object stores and tracks on the command line."""

import csv
import gzip
import io
import json
import random
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from buckets import BUCKETS, S3, put
from cases import cases
from tallystick.cli import main
from tallystick.io.files.opening import open_binary

COLUMNS = "id,y_true,y_prob,y_pred,best_threshold,text"
ROWS = ['1,1,0.9,1,0.6,"two\nlines"', "2,0,0.65,1,0.6,x", "3,0,0.2,0,0.6,y", "4,1,0.1,0,0.6,z"]
PLAIN = "id,y_true,y_prob"


@pytest.fixture
def score(capsys, tmp_path):
    def run(*options):
        arguments = ["--pred-dir", tmp_path, "--run-tag", "tag", "--format", "csv", *options]
        code = main(["score", *map(str, arguments)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return {row["language"]: row for row in csv.DictReader(StringIO(captured.out))}

    return run


def write(path, rows=ROWS, *, columns=COLUMNS):
    path.write_text("\n".join([columns, *rows, ""]), encoding="utf-8")
    return path


def count(row):
    kinds = ("true_positives", "true_negatives", "false_positives", "false_negatives")
    return [int(row[kind]) for kind in kinds]


def test_every_matching_file_is_a_language(score, tmp_path):
    for name in ("tag_tr.csv", "tag_en.csv", "tag_zh_CN.csv", "other_de.csv", "tag_fr.txt"):
        write(tmp_path / name)
    assert ["en", "tr", "zh_CN", "macro", "micro"] == list(score())


@cases(
    "name",
    *("tag_metrics.csv", "tag_metrics_en_tr.csv", "tag_errors_en.csv", "tag_errors_zh_CN.csv"),
    *("tagged_en.csv", "tag_en.csv.bak", "xtag_de.csv"),
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


@cases(
    "config options expected",
    (None, ["--languages", "tr", "de"], ["tr", "de"]),
    (
        "data:\n  languages: [tr, en]\n  processed_dir: data\ntraining: {seed: 42}\n",
        [],
        ["tr", "en"],
    ),
    ("data:\n  processed_dir: data\n", [], ["de", "en", "tr"]),
    ("training: {seed: 42}\n", [], ["de", "en", "tr"]),
    ("data: {languages: [en]}", ["--languages", "de"], ["de"]),
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


@cases("mark", "_", "-")
def test_options_are_spelled_either_way(capsys, tmp_path, mark):
    write(tmp_path / "tag_en.csv")
    options = "--pred_dir {0} --run_tag tag --errors_dir {0} --dump_errors".replace("_", mark)
    arguments = [one.format(tmp_path) for one in options.split()]
    code = main(["score", *arguments])
    captured = capsys.readouterr()
    assert [0, True] == [code, (tmp_path / "tag_errors_en.csv").exists()], captured.err


@cases(
    "columns rows options expected",
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


@cases("gold", "y_true", "label", "target", "toxic")
@cases("probability", "y_prob", "prob", "prediction", "pred_score", "pred")
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


def dump(score, folder, *options):
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
    assert ["2 FP", "5 FP", "1 FN", "4 FN"] == [
        f"{row['id']} {row['error_type']}" for row in dump(score, tmp_path)
    ]


def test_error_dumps_are_the_sample_that_pandas_takes(score, tmp_path):
    rows = [f"{number},{number % 3 and 1},{0.5 - number % 2 / 4}" for number in range(400)]
    table = pd.read_csv(write(tmp_path / "tag_en.csv", rows, columns=PLAIN))
    predicted = table.y_prob >= 0.5
    kinds = [table[predicted & (table.y_true == 0)], table[~predicted & (table.y_true == 1)]]
    expected = [kind.sample(50, random_state=0).id.tolist() for kind in kinds]
    assert [*expected[0], *expected[1]] == [int(row["id"]) for row in dump(score, tmp_path)]


@cases("most expected", (1, 2), (2, 4), (3, 6), (7, 6))
def test_error_dumps_are_limited(score, tmp_path, most, expected):
    rows = [f"{number},{number % 2},{0.9 - number % 2 * 0.8}" for number in range(6)]
    write(tmp_path / "tag_en.csv", rows, columns=PLAIN)
    assert expected == len(dump(score, tmp_path, "--dump-errors", most))


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


TEXT = "gold,predicted,lang\n"
ONE = ("--systems", "predicted")


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = random.Random(7)
    rows = [
        f"{draw.choice('01')},{draw.choice('01')},{draw.choice(['de', 'en'])}\n" for _ in range(90)
    ]
    Path("all.csv").write_text(TEXT + "".join(rows))
    Path("data").mkdir()
    for number in range(3):
        own = rows[30 * number : 30 * number + 30]
        Path(f"data/part-{number}.csv").write_text(TEXT + "".join(own))
    return rows


@pytest.fixture(scope="module", params=BUCKETS)
def bucket(request):
    with request.param() as address:
        yield address


def _print(capsys, *arguments):
    assert 0 == main(arguments), capsys.readouterr().err
    return capsys.readouterr().out


@cases("path", "data", "data/", "data/part-*.csv", "d?ta/*")
def test_a_data_set_scores_as_the_file_that_it_was_cut_from(rows, path, capsys):
    options = ("-m", "macro_f1", "--by", "lang", "--format", "csv")
    expected = _print(capsys, "score", "all.csv", *ONE, *options)
    assert expected == _print(capsys, "score", path, *ONE, *options)
    _print(capsys, "count", path, *ONE, "-m", "macro_f1", "--by", "lang", "-o", "a.tally")
    assert expected == _print(capsys, "score", "a.tally", "--format", "csv")


def test_data_sets_stand_beside_each_other(rows, capsys):
    Path("gold").mkdir()
    for number, (start, stop) in enumerate([(0, 50), (50, 90)]):
        cells = [row.split(",")[0] for row in rows[start:stop]]
        Path(f"gold/{number}.csv").write_text("gold\n" + "\n".join(cells) + "\n")
    expected = _print(capsys, "score", "all.csv", "-m", "accuracy", "--format", "csv")
    found = _print(capsys, "score", "gold", "all=data", "-m", "accuracy", "--format", "csv")
    assert expected == found
    Path("gold/1.csv").unlink()
    assert 4 == main(["score", "gold", "all=data", "-m", "accuracy"])
    assert "gold/0.csv has 50 examples but data has 90" in capsys.readouterr().err


def test_files_of_saved_tallies_may_be_a_pattern(rows, capsys):
    for number in range(3):
        _print(
            capsys,
            "count",
            f"data/part-{number}.csv",
            *ONE,
            "-m",
            "f1",
            "-o",
            f"part-{number}.tally",
        )
    expected = _print(capsys, "score", "all.csv", *ONE, "-m", "f1", "--format", "csv")
    assert expected == _print(capsys, "score", "part-*.tally", "--format", "csv")
    assert 4 == main(["score", "none-*.tally"])
    assert "none-*.tally: matches no file" in capsys.readouterr().err


@S3
def test_a_store_is_read_and_written_as_a_disk_is(bucket, rows, capsys):
    for number in range(3):
        put(f"{bucket}/data/part-{number}.csv", Path(f"data/part-{number}.csv").read_bytes())
    expected = _print(capsys, "score", "all.csv", *ONE, "-m", "f1", "--format", "csv")
    assert expected == _print(
        capsys, "score", f"{bucket}/data", *ONE, "-m", "f1", "--format", "csv"
    )
    before = sorted(Path.cwd().rglob("*"))
    for number in range(3):
        path, saved = f"{bucket}/data/part-{number}.csv", f"{bucket}/tallies/{number}.tally"
        _print(capsys, "count", path, *ONE, "-m", "f1", "-o", saved)
    assert before == sorted(Path.cwd().rglob("*"))
    assert expected == _print(capsys, "score", f"{bucket}/tallies/*.tally", "--format", "csv")
    again = f"{bucket}/tallies/0.tally"
    assert 4 == main(["score", again, again])
    _print(capsys, "score", f"{bucket}/tallies/*.tally", "-o", f"{bucket}/scores.csv")
    with open_binary(f"{bucket}/scores.csv") as file:
        assert expected == file.read().decode()


def test_a_bucket_that_is_not_there_is_told_before_anything_is_read(bucket, rows, capsys):
    assert 4 == main(["count", "all.csv", "-m", "f1", "-o", f"{bucket}x/a.tally"])
    assert "cannot be written: there is no bucket" in capsys.readouterr().err
    assert 4 == main(["score", f"{bucket}/none.csv"])
    assert "there is no such file" in capsys.readouterr().err


def test_standard_input_is_counted_by_the_process_that_has_it(rows, capsys, monkeypatch):
    expected = _print(capsys, "score", "all.csv", *ONE, "-m", "f1", "--format", "csv")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("all.csv").read_bytes())))
    options = ("-m", "f1", "--format", "csv", "--workers", "1")
    assert expected == _print(capsys, "score", "-", *ONE, *options)


@S3
def test_workers_count_data_sets_as_one_process_does(bucket, rows, capsys):
    for number in range(3):
        put(f"{bucket}/runs/part-{number}.csv", Path(f"data/part-{number}.csv").read_bytes())
    options = ("-m", "macro_f1", "--by", "lang", "--format", "csv")
    expected = _print(capsys, "score", "all.csv", *ONE, *options)
    for path in ("data", f"{bucket}/runs"):
        assert expected == _print(capsys, "score", path, *ONE, *options, "--workers", "1")


SCORERS = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}
NOTE = (
    "note: 'N' never occurs in the gold: with zero_division=0 macro averages over the 6 labels "
    "cannot exceed 0.833."
)


@pytest.fixture
def run(capsys):
    def run_score(*arguments):
        code = main(["score", *map(str, arguments), "--format", "json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return {record["name"]: record["value"] for record in json.loads(captured.out)["scores"]}

    return run_score


def write_submission(path, track, labels, step=1):
    rows = [f"{number}_Track{track},{label}" for number, label in enumerate(labels)]
    path.write_text("\n".join(["sub_id,label", *rows[::step], ""]))
    return path


def draw_labels(labels, size):
    draw = np.random.default_rng(5)
    gold = draw.choice(labels, size)
    predicted = np.where(draw.random(size) < 0.5, gold, draw.choice(labels, size))
    return gold.tolist(), predicted.tolist()


def test_first_track_equals_scikit_learn(run, tmp_path):
    gold, predicted = draw_labels(["P", "NP", "NR"], 60)
    files = [
        write_submission(tmp_path / "gold.csv", 1, gold),
        write_submission(tmp_path / "team.csv", 1, predicted, -1),
    ]
    expected = {
        f"macro_{name}": scorer(gold, predicted, average="macro")
        for name, scorer in SCORERS.items()
    }
    actual = run(*files, "-m", "macro_f1", "macro_precision", "macro_recall")
    assert expected == pytest.approx(actual, abs=1e-12, rel=0)


def write_columns(path, names, matrix, order):
    rows = [f"{row}_Track2," + ",".join(map(str, matrix[row].tolist())) for row in order]
    path.write_text("\n".join([f"sub_id,{','.join(names)}", *rows, ""]))
    return path


@pytest.fixture
def second_track(tmp_path):
    draw = np.random.default_rng(7)
    gold = (draw.random((50, 6)) < 0.4).astype(int)
    gold[:, 5] = 0
    predicted = np.where(draw.random(gold.shape) < 0.8, gold, 1 - gold)
    predicted[:, 5] = 0
    files = [
        write_columns(tmp_path / "gold.csv", "LGBTON", gold, list(range(50))),
        write_columns(tmp_path / "team.csv", "LGBTON", predicted, draw.permutation(50).tolist()),
    ]
    return files, gold, predicted


def test_second_track_equals_scikit_learn(run, second_track):
    files, gold, predicted = second_track
    expected = {
        "macro_f1": sk.f1_score(gold, predicted, average="macro", zero_division=0),
        "hamming_loss": sk.hamming_loss(gold, predicted),
        "exact_match_ratio": sk.accuracy_score(gold, predicted),
    }
    actual = run(*files, "-m", "macro_f1", "hamming_loss", "exact_match_ratio")
    assert expected == pytest.approx(actual, abs=1e-12, rel=0)


def test_second_track_caps_a_perfect_system(run, second_track):
    (gold, _), _, _ = second_track
    assert {"macro_f1": pytest.approx(5 / 6, abs=1e-12)} == run(gold, gold, "-m", "macro_f1")


def test_second_track_is_whole_where_undefined_is_left_out(run, second_track):
    (gold, _), _, _ = second_track
    assert {"macro_f1": 1.0} == run(gold, gold, "-m", "F1(average='macro', zero_division=nan)")


def test_second_track_tells_of_the_absent_label(capsys, second_track):
    main(["score", *map(str, second_track[0])])
    (note,) = [line for line in capsys.readouterr().err.split("\n") if "never occurs" in line]
    assert NOTE == note


def test_third_track_equals_scikit_learn(run, tmp_path):
    gold, predicted = draw_labels(["P", "NP"], 40)
    files = [
        write_submission(tmp_path / "gold.csv", 3, gold),
        write_submission(tmp_path / "team.csv", 3, predicted, -1),
    ]
    expected = {name: f(gold, predicted, pos_label="P") for name, f in SCORERS.items()}
    actual = run(*files, "--positive", "P", "-m", *SCORERS)
    assert expected == pytest.approx(actual, abs=1e-12, rel=0)

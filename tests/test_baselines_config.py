"""A YAML configuration of seed 000's form sets the baselines, and slips in it are named."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from invented import write_splits
from tallystick.baselines.splits import Config
from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.io.config import read_sections

SEED = """
data:
  root_dir: data
  processed_dir: {folder}/data
  languages: [bb]
  jigsaw:
    train_file: data/raw/train.csv
    text_column: comment_text
    label_column: toxic
    lang_column: lang
model: {{name: detoxify_multilingual, batch_size: 16, learning_rate: 2e-5}}
training: {{output_dir: {folder}/runs, save_steps: 1000}}
evaluation: {{output_dir: {folder}/predictions, default_threshold: 0.5}}
preprocessing: {{remove_urls: true}}
hardware: {{device: auto, pin_memory: true}}
seed: 42
preprocess: {{lower: true, strip_urls: true, strip_mentions: true, deaccent: true}}
"""


def write(folder: Path, text: str) -> str:
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def load(path: Path) -> Any:
    import skops.io

    return skops.io.load(path, trusted=["tallystick.baselines.splits.clean"])


def test_a_configuration_is_enough(tmp_path):
    write_splits(tmp_path / "data")

    code = main(["baseline", "tfidf", "--config", write(tmp_path, SEED.format(folder=tmp_path))])

    assert [0, True, True] == [
        code,
        (tmp_path / "predictions/baseline_bb.csv").is_file(),
        (tmp_path / "runs/baseline_bb.skops").is_file(),
    ]


def test_parameters_come_from_the_configuration(tmp_path):
    write_splits(tmp_path / "data")
    text = SEED.format(folder=tmp_path).replace("deaccent: true", "deaccent: false") + (
        "tfidf: {ngram_range: [1, 3], max_df: 1.0, min_df: 2, max_features: null}\n"
        "logistic_regression: {class_weight: null, max_iter: 77}\n"
    )

    main(["baseline", "tfidf", "--config", write(tmp_path, text)])
    steps = load(tmp_path / "runs/baseline_bb.skops").named_steps
    counting, fitting = steps["tfidf"], steps["logistic_regression"]

    assert [(1, 3), 1.0, 2, None, None] == [
        counting.ngram_range,
        counting.max_df,
        counting.min_df,
        counting.max_features,
        counting.strip_accents,
    ]
    assert [None, 77] == [fitting.class_weight, fitting.max_iter]


def test_options_win_over_the_configuration(tmp_path):
    data = write_splits(tmp_path / "elsewhere", ("cc",))
    text = SEED.format(folder=tmp_path) + "tfidf: {min_df: 2, max_df: 0.9}\n"
    folders = ["--data", str(data), "--models", str(tmp_path / "models")]
    options = "--languages cc --min-df 1 --ngram-range 1 1 --no-sublinear-tf --class-weight none"

    main(["baseline", "tfidf", "--config", write(tmp_path, text), *folders, *options.split()])
    steps = load(tmp_path / "models/baseline_cc.skops").named_steps
    counting = steps["tfidf"]

    assert [1, 0.9, (1, 1), False, None] == [
        counting.min_df,
        counting.max_df,
        counting.ngram_range,
        counting.sublinear_tf,
        steps["logistic_regression"].class_weight,
    ]


def test_columns_come_from_the_configuration(tmp_path):
    write_splits(tmp_path / "data")
    for path in (tmp_path / "data/bb").iterdir():
        path.write_text(path.read_text().replace("comment_text,toxic", "words,rude"))
    text = (
        SEED.format(folder=tmp_path).replace("comment_text", "words").replace("toxic\n", "rude\n")
    )

    main(["baseline", "tfidf", "--config", write(tmp_path, text)])
    with (tmp_path / "predictions/baseline_bb.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert 20 == len(rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tfidf: {min_df: many}", "$.tfidf.min_df: expected `int | float`, got `str`"),
        ("tfidf: {max_features: 0}", "$.tfidf.max_features: expected `int` >= 1"),
        ("tfidf: {ngram_range: [1]}", "$.tfidf.ngram_range: expected `array` of length 2"),
        ("tfidf: {max_feature: 9}", "$.tfidf: object contains unknown field `max_feature`"),
        ("preprocess: {lower: 3}", "$.preprocess.lower: expected `bool`, got `int`"),
        ("logistic_regression: {class_weight: even}", "$.logistic_regression.class_weight: "),
        ("hardware: {device: tpu}", "$.hardware.device: invalid enum value 'tpu'"),
        ("tfdif: {min_df: 2}", "unknown key 'tfdif'; did you mean 'tfidf'?"),
        ("logistic_regresion: {}", "did you mean 'logistic_regression'?"),
        ("training: runs", "$.training: expected `object`, got `str`"),
        ("[tfidf]", "$ holds ['tfidf'], but a mapping was expected"),
        ("tfidf: {", "is not YAML"),
    ],
)
def test_a_slip_is_named_with_its_path(tmp_path, text, message):
    with pytest.raises(InputError, match=r"config\.yaml.*" + re.escape(message)):
        read_sections(write(tmp_path, text), Config, own=("tfidf", "logistic_regression"))


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "model: {name: x}\n", "tfidf: {}\n"])
def test_what_is_not_there_has_its_default(tmp_path, text):
    assert Config() == read_sections(write(tmp_path, text), Config)


@pytest.mark.parametrize(
    ("code", "given", "message"),
    [
        (
            2,
            ["--output", "out"],
            "name the folder of the splits with --data, or as data.processed_dir",
        ),
        (2, ["--data", "data"], "name an output folder with --output, or as evaluation.output_dir"),
        (4, ["--data", "none", "--output", "out"], "none: cannot be listed: No such file"),
        (4, ["--data", "data/aa", "--output", "out"], "data/aa: holds no folder LANGUAGE with "),
        (2, ["--data", "data", "--output", "out", "--languages", "aa", "aa"], "name each language"),
        (2, ["--data", "data", "--output", "out", "--min-df", "0"], "$.min_df"),
        (2, ["--data", "data", "--output", "out", "--token-pattern", "("], "token_pattern"),
    ],
)
def test_what_cannot_be_run_is_told(tmp_path, monkeypatch, capsys, code, given, message):
    write_splits(tmp_path / "data")
    monkeypatch.chdir(tmp_path)

    assert main(["baseline", "tfidf", *given]) == code
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

"""A run's predictions are found by its tag, one file a language."""

from pathlib import Path

import pytest

from tallystick.errors import InputError
from tallystick.scoring.run import find_predictions


def touch(folder: Path, *names: str) -> str:
    for name in names:
        (folder / name).touch()
    return str(folder)


def test_predictions_are_found_by_language(tmp_path):
    folder = touch(tmp_path, "base_tr.csv", "base_en.csv", "base_es.csv.gz", "base_zh_CN.csv")
    found = find_predictions(folder, "base")

    assert list(found.items()) == [
        ("en", f"{folder}/base_en.csv"),
        ("es", f"{folder}/base_es.csv.gz"),
        ("tr", f"{folder}/base_tr.csv"),
        ("zh_CN", f"{folder}/base_zh_CN.csv"),
    ]


@pytest.mark.parametrize(
    "name",
    [
        "base_metrics.csv",
        "base_metrics.csv.gz",
        "base_errors_en.csv",
        "base_errors_EN.csv",
        "base_en.csv.bak",
        "base_en.tsv",
        "base_.csv",
        "baseXen.csv",
        "other_en.csv",
        "a_base_en.csv",
    ],
)
def test_other_files_are_left_out(tmp_path, name):
    folder = touch(tmp_path, "base_tr.csv", name)

    assert list(find_predictions(folder, "base")) == ["tr"]


def test_a_tag_is_no_pattern(tmp_path):
    folder = touch(tmp_path, "v1.0+x_en.csv", "v1a00x_es.csv")

    assert list(find_predictions(folder, "v1.0+x")) == ["en"]


def test_a_folder_without_predictions_tells_what_is_there(tmp_path):
    folder = touch(tmp_path, *[f"{name}.txt" for name in "fedcba"])
    message = (
        f"{folder}: no file is named base_LANGUAGE.csv, only: a.txt, b.txt, c.txt, d.txt, e.txt, …"
    )

    with pytest.raises(InputError) as caught:
        find_predictions(folder, "base")

    assert message == str(caught.value)


def test_an_empty_folder_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"no file is named base_LANGUAGE\.csv, only: none$"):
        find_predictions(str(tmp_path), "base")


def test_a_missing_folder_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="none: cannot be listed: "):
        find_predictions(str(tmp_path / "none"), "base")


def test_two_files_of_one_language_are_an_input_error(tmp_path):
    folder = touch(tmp_path, "base_en.csv", "base_en.csv.gz")

    with pytest.raises(InputError, match="holds language 'en' twice"):
        find_predictions(folder, "base")


def test_a_language_may_hold_underscores(tmp_path):
    folder = touch(tmp_path, "base_pt_br.csv", "base_large_en.csv")

    assert list(find_predictions(folder, "base")) == ["large_en", "pt_br"]

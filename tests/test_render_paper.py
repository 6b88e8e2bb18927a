"""Facts about tables for papers: one mark of significance, captions, labels, names, decimals."""

from importlib import resources
from pathlib import Path

import pytest

from tallystick.cli import main

FOLDER = Path(str(resources.files("tallystick") / "demo_data"))
SUMMARIES = str(FOLDER / "summaries" / "news.jsonl")
ENTRIES = [
    str(FOLDER / "stance" / "gold.txt"),
    *(str(FOLDER / "stance" / "entries" / f"{name}.txt") for name in ("birch", "cedar", "maple")),
]


def write(capsys: pytest.CaptureFixture[str], *call: str) -> str:
    assert 0 == main([*call])
    return capsys.readouterr().out


def test_bold_is_the_only_mark_of_a_ranking(capsys):
    text = write(capsys, "rank", *ENTRIES, "-m", "macro_f1", "--format", "latex")

    assert r"\textbf{0.8593}" in text
    assert r"\textsuperscript" not in text
    assert "above a line" not in text
    assert 1 == text.count(r"\midrule")


def test_systems_and_metrics_have_the_names_that_are_given(capsys):
    names = ["--rename", "birch=cedar", "cedar=Ours", "macro_f1=F1"]
    text = write(capsys, "rank", *ENTRIES, "-m", "macro_f1", *names)
    rows = [line.split()[1] for line in text.splitlines() if line.split()[:1] in (["1"], ["2"])]

    assert "Systems ranked by F1" in text
    assert ["Ours", "cedar"] == rows


def test_a_caption_and_a_label_are_those_that_are_given(capsys):
    given = ["--caption", "Stance.", "--label", "stance", "--format", "latex"]
    text = write(capsys, "rank", *ENTRIES, "-m", "macro_f1", *given)

    assert r"\caption{Stance. Bold: no system is significantly better." in text
    assert r"\label{tab:stance}" in text


def test_labels_say_what_a_table_is_of(capsys):
    texts = [
        write(capsys, "rank", *ENTRIES, "-m", name, "--format", "latex")
        for name in ("macro_f1", "accuracy")
    ]

    assert r"\label{tab:ranking-macro-f1}" in texts[0]
    assert r"\label{tab:ranking-accuracy}" in texts[1]


def test_captions_are_for_latex(capsys):
    assert 2 == main(["rank", *ENTRIES, "-m", "macro_f1", "--caption", "Stance."])
    assert "for LaTeX" in capsys.readouterr().err


def test_a_name_without_another_is_told(capsys):
    with pytest.raises(SystemExit):
        main(["rank", *ENTRIES, "--rename", "birch"])
    assert "is not OLD=NEW" in capsys.readouterr().err


def test_rouge_is_its_f_alone_in_papers(capsys):
    call = ["score", SUMMARIES, "--format", "latex", "-m", "rouge1", "rougeLsum", "bleu"]
    text = write(capsys, *call)
    asked = write(capsys, *call, "rouge1_recall")

    assert r"n & R-1 & R-Lsum & BLEU \\" in text
    assert "4 & 0.5707 & 0.3521 & 10.8 " in text
    assert "Recall" in asked
    assert "Recall" not in text


def test_decimals_that_are_asked_for_count(capsys):
    call = ["score", SUMMARIES, "-m", "bleu", "--format", "latex", "--no-intervals"]

    assert "& 10.78 " in write(capsys, *call, "--digits", "bleu=2")
    assert "& 10.785 " in write(capsys, *call, "--digits", "3")


def test_comet_has_three_decimals_in_papers(capsys, tmp_path):
    table = tmp_path / "scores.jsonl"
    table.write_text('{"id": 1, "system": "a", "comet": 0.84321}\n')
    call = ("score", str(table), "--system-column", "system", "-m", "comet", "--format")

    assert "& 0.843 " in write(capsys, *call, "latex")
    assert "0.8432" in write(capsys, *call, "table")

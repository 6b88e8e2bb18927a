"""Facts about how whole evaluations look in every format; run as a script, writes the snapshots."""

import math
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tallystick.kinds.metrics.names import parse
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.tables.cells import measure
from tallystick.output.tables.document import Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.text import print_rich
from tallystick.results import ConfusionMatrix, Score

SNAPSHOTS = Path(__file__).parent / "snapshots"
SHARED = Path(os.environ.get("TALLYSTICK_SHARED", Path(__file__).parents[2] / "shared"))
BASELINE = SHARED / "data/toxicity/predictions/baseline_metrics_es_it_tr.csv"

BY_SYSTEM = (("system", "system"), ("n_samples", "n"))
BY_LANGUAGE = (("language", "group"), ("n_samples", "n"))
DETECTION = (
    *("positive_rate", "roc_auc", "f1", "precision", "recall", "accuracy", "true_positives"),
    *("true_negatives", "false_positives", "false_negatives", "specificity", "fpr", "fnr"),
)
CLASSIFICATION = (
    *("accuracy", "weighted_precision", "weighted_recall", "weighted_f1", "macro_precision"),
    *("macro_recall", "macro_f1"),
)
NASTY_LABELS = (
    *("a|b", "_R&D_*x*", "<b>bold</b>", "日本語", "two\nlines", "\x1b[31mred\x1b[0m"),
    *("[bold]markup[/bold]", "[x", "* 50% of $x_1^2 {#~}\\", "cafe\N{COMBINING ACUTE ACCENT}"),
    *('comma, "quote"\r', "right\N{RIGHT-TO-LEFT OVERRIDE}left"),
    "a name that is far too long to stand in a column of text as it is",
)


def find_title(name):
    return parse(name).full_title


def list_scores(names, values, *, n, system="baseline", group=None, label=None):
    return [
        Score(system, group, label, f"Metric({name!r})", name, title, value, n, f"{name}|v1")
        for name, title, value in zip(names, map(find_title, names), values, strict=True)
    ]


def build_classes(system, labels, *, shift=0):
    scores = []
    for row, label in enumerate(labels, start=shift):
        values = (1 / (row + 1), math.nan if row == 1 else 1 - row / 40, row / 31, row * 13 % 101)
        names = ("precision", "recall", "f1", "support")
        scores += list_scores(names, values, n=250, system=system, label=label)
    return scores


def build_matrix(system, labels):
    counts = tuple(
        tuple(
            100 + gold if gold == predicted else (gold * 7 + predicted * 3) % 11 // 8 * gold
            for predicted in range(len(labels))
        )
        for gold in range(len(labels))
    )
    return ConfusionMatrix(system, tuple(labels), counts)


def build_languages():
    rows = {
        "es": (251,
            (1 / 6, 0.86, 0.607, 0.574, 0.643, 0.861, 27, 189, 20, 15, 0.904, 0.096, 0.357)),
        "it": (251, (0.195, 0.843, 0.519, 1.0, 0.551, 0.801, 27, 174, 28, 22, 0.861, 0.139, 0.449)),
        "macro": (502,
            (0.181, 0.851, 0.563, 0.787, 0.597, 0.831, *[math.nan] * 4, 0.883, 0.117, 0.4)),
        "micro": (502, (0.181, 0.85, 0.56, 0.53, 0.595, 0.831, 54, 363, 48, 37, 0.883, 0.117, 0.4)),
    }  # fmt: skip
    scores = [
        score
        for group, (n, values) in rows.items()
        for score in list_scores(DETECTION, values, n=n, group=group)
    ]
    note = (
        "true_positives, true_negatives, false_positives and false_negatives are undefined for "
        "'macro': a mean of counts is no count."
    )
    return Evaluation(tuple(scores), (("system", "system"), *BY_LANGUAGE), notes=(note,))


def build_verdicts():
    labels = ("NTA", "YTA", "ESH", "NAH")
    values = (0.5, 0.58333, 0.5, 0.46667, 0.625, 0.58333, 0.56667)
    scores = list_scores(CLASSIFICATION, values, n=250) + build_classes("baseline", labels)
    matrices = (build_matrix("baseline", labels),)
    return Evaluation(tuple(scores), BY_SYSTEM, matrices, ("'YTA' never occurs in gold.",))


def build_systems():
    labels = ("no", "yes")
    scores = []
    for shift, system in enumerate(("baseline", "[bold]strong[/bold]")):
        values = (0.75, -0.03125 + shift)
        scores += list_scores(("accuracy", "mcc"), values, n=250, system=system)
        scores += build_classes(system, labels, shift=shift)
    matrices = (build_matrix("baseline", labels), build_matrix("[bold]strong[/bold]", labels))
    return Evaluation(tuple(scores), BY_SYSTEM, matrices)


def build_thirty():
    labels = [f"emotion {number}" for number in range(1, 30)] + ["neutral"]
    scores = list_scores(("accuracy", "macro_f1"), (0.5, 0.25), n=250)
    scores += build_classes("baseline", labels)
    return Evaluation(tuple(scores), BY_SYSTEM, (build_matrix("baseline", labels),))


def build_nasty():
    scores = list_scores(("accuracy", "macro_f1"), (math.nan, 1.0), n=250, group="<i>\n|&")
    scores += list_scores(("accuracy", "macro_f1"), (-0.00001, 100.0), n=7, group="日本, \x07")
    scores += build_classes("baseline", NASTY_LABELS)
    matrices = (build_matrix("baseline", NASTY_LABELS),)
    return Evaluation(tuple(scores), BY_LANGUAGE, matrices, ("'<b>\n[red]' is *new*.",))


EVALUATIONS: dict[str, Callable[[], Evaluation]] = {
    "languages": build_languages, "verdicts": build_verdicts, "systems": build_systems,
    "thirty": build_thirty, "nasty": build_nasty,
}  # fmt: skip
SUFFIXES = {
    "txt": "table", "csv": "csv", "json": "json", "md": "markdown", "tex": "latex",
    "lines": "lines",
}  # fmt: skip
FILES = [
    *(f"{name}.{suffix}" for name in ("languages", "verdicts", "nasty") for suffix in SUFFIXES),
    *(f"{name}.html" for name in ("languages", "verdicts", "nasty")),
    "systems.txt",
    "systems.tex",
    "systems.lines",
    "thirty.txt",
]


def write(file):
    name, suffix = file.split(".")
    evaluation = EVALUATIONS[name]()
    if suffix == "html":
        return evaluation._repr_html_()
    return render(evaluation.document(), SUFFIXES[suffix])


@pytest.mark.parametrize("file", FILES)
def test_evaluations_look_as_in_the_snapshots(file):
    assert (SNAPSHOTS / file).read_bytes().decode() == write(file)


def test_every_snapshot_is_compared():
    assert sorted(FILES) == sorted(path.name for path in SNAPSHOTS.iterdir())


@pytest.mark.parametrize("name", EVALUATIONS)
def test_a_text_table_is_at_most_100_columns_wide(name):
    assert max(map(measure, str(EVALUATIONS[name]()).splitlines())) <= 100


@pytest.mark.parametrize(
    ("name", "columns"), [*((name, 102) for name in EVALUATIONS), ("languages", 101)]
)
def test_the_terminal_shows_the_content_of_the_text_table(name, columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    evaluation = EVALUATIONS[name]()
    expected = re.sub("-{2,}", "", str(evaluation)).split()
    print_rich(evaluation.document(), Style())
    assert expected == capsys.readouterr().out.replace("─", "").split()


@pytest.mark.parametrize("columns", [60, 80, 95, 130])
def test_the_terminal_cuts_nothing_off(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    print_rich(build_languages().document(), Style())
    assert "…" not in capsys.readouterr().out


@pytest.mark.skipif(not BASELINE.exists(), reason="needs the shared data")
def test_csv_has_the_form_of_the_published_baseline():
    published = re.sub(r",(\d+)\.0(?=,)", r",\1", BASELINE.read_text(encoding="utf-8"))
    published = re.sub(r",(\d+)\.0(?=,)", r",\1", published)
    heading, *rows = (line.split(",") for line in published.splitlines())
    scores = []
    for group, n, *cells in rows:
        values = [
            math.nan if cell == "" else int(cell) if cell.isdigit() else float(cell)
            for cell in cells
        ]
        scores += list_scores(heading[2:], values, n=int(n), group=group)

    assert published == Evaluation(tuple(scores), BY_LANGUAGE).to_csv()


if __name__ == "__main__":
    for file in FILES:
        (SNAPSHOTS / file).write_bytes(write(file).encode())

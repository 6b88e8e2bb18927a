"""`tallystick metrics NAME` explains every name that a metric has."""

import pytest

from tallystick.cli import main
from tallystick.kinds.metrics.table import TABLE


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("macro_f1", "macro_f1 stands for F1(average='macro', zero_division=0)."),
        ("F1-macro", "F1-macro stands for F1(average='macro', zero_division=0)."),
        ("chrf++", "chrf++ stands for ChrF(word_order=2)."),
        ("F1('micro')", "F1('micro') stands for F1(average='micro')."),
        ("f1", "F1 (f1): F1-Score"),
        ("auroc", "ROCAUC (roc_auc): ROC-AUC"),
        ("fbeta", "FBeta (fbeta): F-beta"),
    ],
)
def test_a_name_is_explained(name, first, capsys):
    assert 0 == main(["metrics", name])
    assert first == capsys.readouterr().out.splitlines()[0][: len(first)]


@pytest.mark.parametrize("alias", [name for *_, others in TABLE.values() for name in others])
def test_every_alias_is_explained(alias, capsys):
    assert 0 == main(["metrics", alias])
    assert "formula" in capsys.readouterr().out


def test_metrics_are_explained_within_a_narrow_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("tallystick.cli.command.Stream.isatty", lambda _: True)

    assert 0 == main(["metrics"])
    assert 60 >= max(map(len, capsys.readouterr().out.splitlines()))


def test_the_full_name_of_a_metric_stands_for_nothing_else(capsys):
    assert 0 == main(["metrics", "F1(average='macro')"])
    assert capsys.readouterr().out.startswith("F1 (f1): F1-Score")

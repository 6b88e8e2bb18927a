"""Facts about pivoting scores, laying out pages, and confusion matrices for programs."""

import math

import pytest

from tallystick.errors import UsageError
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.scores import document_confusion, list_grids
from tallystick.output.tables.cells import Bounded, Ends
from tallystick.output.tables.document import Document, Grid
from tallystick.output.tables.formats import render
from tallystick.results import ConfusionMatrix, Score

MATRIX = ConfusionMatrix("a", ("no", "y,s"), ((3, 1), (0, 0)))


def score(name: str, value: float, *, system: str = "a", group: str | None = None) -> Score:
    return Score(system, group, None, name, name, name.upper(), value, 10, "v1")


def test_rows_and_columns_are_in_order_of_appearance():
    scores = (score("f1", 0.5, system="b"), score("mcc", 0.25), score("f1", 0.75))
    (grid,) = list_grids(scores, (("who", "system"),))
    headings = ("who", "f1", "mcc")
    rows = (("b", 0.5, None), ("a", 0.75, 0.25))

    assert headings == grid.headings
    assert rows == grid.rows


def test_averages_are_set_apart():
    scores = [score("f1", 0.5, group=group) for group in ("es", "tr", "macro", "micro")]
    (grid,) = list_grids(scores, (("language", "group"),))
    expected = [["es", "tr"], ["macro", "micro"]]

    assert expected == [[row[0] for row in block] for block in grid.blocks]


def test_metrics_that_share_a_name_are_headed_by_their_reprs():
    scores = (
        Score("a", None, None, "F1(average='macro')", "f1", "F1-Score", 0.25, 10, "v1"),
        Score("a", None, None, "F1(average='micro')", "f1", "F1-Score", 0.5, 10, "v1"),
        Score("a", None, None, "MCC()", "mcc", "MCC", 0.75, 10, "v1"),
    )
    (grid,) = list_grids(scores, ())
    expected = ("F1(average='macro')", "F1(average='micro')", "mcc")

    assert expected == grid.headings


def test_scores_that_fall_into_one_cell_are_an_error():
    scores = (score("f1", 0.5, group="es"), score("f1", 0.75, group="tr"))

    with pytest.raises(UsageError, match="Two scores of f1 fall into one row"):
        list_grids(scores, (("system", "system"),))


def test_scores_per_class_name_system_and_group_where_they_vary():
    scores = [
        Score(system, "es", "yes", "F1()", "f1", "F1-Score", 0.5, 10, "v1") for system in ("a", "b")
    ]
    (grid,) = list_grids(scores, (("run", "system"), ("language", "group")))
    headings = ("run", "language", "label", "f1")
    rows = (("a", "es", "yes", 0.5), ("b", "es", "yes", 0.5))

    assert headings == grid.headings
    assert rows == grid.rows


def test_csv_is_of_the_classes_where_there_is_nothing_else():
    scores = (Score("a", None, "no\r", "F1()", "f1", "F1-Score", math.nan, 10, "v1"),)
    expected = "label,f1\nno\\r,\n"

    assert expected == Evaluation(scores, ()).to_csv()


def test_names_that_vary_stay_in_the_text_table():
    lead = (("system", "system"), ("language", "group"), ("n", "n"))
    scores = (score("f1", 0.5, group="es"), score("f1", 0.25, group="tr"))
    expected = (
        "language   n      f1\n"
        "--------------------\n"
        "es        10  0.5000\n"
        "tr        10  0.2500\n"
    )  # fmt: skip

    assert expected == render(Evaluation(scores, lead).document(), "table")


@pytest.mark.parametrize(("metrics", "upright"), [(4, False), (5, True)])
def test_a_single_row_of_more_than_four_metrics_stands_upright(metrics, upright):
    scores = tuple(score(f"m{number}", 0.5) for number in range(metrics))
    text = render(Evaluation(scores, ()).document(), "table")

    assert upright == text.startswith("metric   value\n")


@pytest.mark.parametrize(("labels", "numbered"), [(8, False), (9, True)])
def test_the_columns_of_more_than_eight_labels_are_numbered(labels, numbered):
    names = tuple(f"L{number}" for number in range(labels))
    matrix = ConfusionMatrix("a", names, ((1,) * labels,) * labels)
    text = render(Evaluation((), (), (matrix,)).document(), "table")

    assert numbered == ("\n1  L0 " in text)


def test_the_columns_of_labels_too_wide_for_the_page_are_numbered():
    matrix = ConfusionMatrix("a", ("x" * 50, "y" * 50), ((1, 0), (0, 2)))
    text = render(Evaluation((), (), (matrix,)).document(), "table")
    shortened = "x" * 20 + "…" + "x" * 19

    assert f"\n1  {shortened}  1  .\n" in text


def test_a_confusion_matrix_among_several_systems_names_its_own():
    scores = (score("f1", 0.5), score("f1", 0.75, system="b"))
    *_, grid = Evaluation(scores, (("system", "system"),), (MATRIX,)).document().grids
    expected = "Confusion matrix of a (rows gold, columns predicted)"

    assert expected == grid.caption


@pytest.mark.parametrize(
    ("normalise", "expected"),
    [
        (False, 'gold\\predicted,no,"y,s"\nno,3,1\n"y,s",0,0\n'),
        (True, 'gold\\predicted,no,"y,s"\nno,0.75,0.25\n"y,s",,\n'),
    ],
)
def test_a_confusion_matrix_is_written_as_csv(normalise, expected):
    assert expected == render(document_confusion(MATRIX, normalise=normalise), "csv")


@pytest.mark.parametrize(
    ("normalise", "expected"),
    [
        (False, '"counts": [\n[3, 1],\n[0, 0]\n]}\n'),
        (True, '"rates": [\n[0.75, 0.25],\n[null, null]\n]}\n'),
    ],
)
def test_a_confusion_matrix_is_written_as_json(normalise, expected):
    head = '{"system": "a", "labels": ["no", "y,s"], '

    assert head + expected == render(document_confusion(MATRIX, normalise=normalise), "json")


def test_lines_have_the_titles_of_the_metrics():
    assert "MCC: 0.5000\n" == Evaluation((score("mcc", 0.5),), ()).to_lines()


def test_the_titles_of_metrics_that_share_a_name_are_their_reprs():
    scores = (
        Score("a", None, None, "F1(zero_division=0)", "f1", "F1-Score", 0.25, 10, "v1"),
        Score("a", None, None, "F1(zero_division=1)", "f1", "F1-Score", 0.5, 10, "v1"),
    )
    expected = "F1(zero_division=0): 0.2500\nF1(zero_division=1): 0.5000\n"

    assert expected == Evaluation(scores, ()).to_lines()


def test_a_folded_table_has_no_blank_lines_for_intervals_of_another_page():
    names = [f"number{place}" for place in range(12)]
    rows = tuple((system, Bounded(0.5, Ends(0.4, 0.6)), *(0.5,) * 12) for system in "ab")
    alone = tuple((system, Ends(0.4, 0.6), *(0.5,) * 12) for system in "ab")
    below, beside = (
        render(
            Document((Grid("ranking", "", ("system", "first", *names), 1, (own,)),)), "table"
        ).split("\n\n")
        for own in (rows, alone)
    )

    assert [6, 4] == [len(page.splitlines()) for page in below]
    assert [4, 4] == [len(page.splitlines()) for page in beside]

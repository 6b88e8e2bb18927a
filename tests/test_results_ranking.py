"""Rankings as tables, CSV, JSON, Markdown and LaTeX."""

import csv
import io
import json
import math

import pytest

from places import place
from tallystick.errors import UsageError
from tallystick.render.formats import FORMATS, render
from tallystick.results import Refusal, Standing
from tallystick.results.ranking import Ranking

NAN = math.nan
PLACES = (
    place("a_b", 0.9, 1, best_rank=1, worst_rank=2, cluster=1, letters="a", p_best=0.75),
    place("b", 0.85, 2, best_rank=1, worst_rank=2, cluster=1, letters="a", p_best=0.25),
    place("most", 0.6, baseline=True),
    place("c", 0.5, 3, cluster=2, letters="b", p_best=0.0, mean_rank=3.0),
    place("x", NAN),
)
REFUSED = Refusal("bad", None, "bad.csv: row 3 has 1 fields, but the header has 2")
RANKING = Ranking(PLACES, refused=(REFUSED,), notes=("ten is a small number.",))
CRITERIA = (("T1", None, "Accuracy()"), ("T2", None, "MCC()"))
TRACKS = Ranking(
    (
        place("a", 0.9, 1, track="T1", letters="a"),
        place("b", 0.5, 2, track="T1", letters="b"),
        place("a", 0.4, 1, track="T2", metric="MCC()"),
    ),
    (
        Standing("a", False, 2, CRITERIA, (0.9, 0.4), 0.65, 1, 1.5, 1),
        Standing("b", False, 1, CRITERIA, (0.5, NAN), NAN, None, NAN, None),
    ),
)


def test_the_table_has_a_line_between_clusters():
    """The baseline stands in the cluster where its score falls; what is undefined is set apart."""
    assert [
        "rank  system            n  accuracy     low    high  ranks  cluster  p_best  mean_rank",
        "--------------------------------------------------------------------------------------",
        "   1  a_b              50    0.9000  0.8000  1.0000    1-2        1  0.7500        n/a",
        "   2  b                50    0.8500  0.7500  0.9500    1-2        1  0.2500        n/a",
        "      most (baseline)  50    0.6000  0.5000  0.7000",
        "--------------------------------------------------------------------------------------",
        "   3  c                50    0.5000  0.4000  0.6000    3-3        2  0.0000     3.0000",
        "--------------------------------------------------------------------------------------",
        "      x                50       n/a     n/a     n/a",
        "",
        "Note: bad was not scored: bad.csv: row 3 has 1 fields, but the header has 2",
        "Note: ten is a small number.",
    ] == str(RANKING).splitlines()


def test_one_ranked_system_stands_with_the_baselines():
    """It has no cluster, and there is nothing to draw a line between."""
    places = (place("base", 0.9, baseline=True), place("a", 0.5, 1, best_rank=None, cluster=None))

    assert 1 == str(Ranking(places)).count("---\n")


def test_latex_prints_bold_what_is_not_beaten():
    """Letters stand as superscripts, and a rule between clusters; the baseline has neither."""
    rows = RANKING.to_latex().splitlines()

    assert [
        r"1 & a\_b & 50 & \textbf{0.9000}\textsuperscript{a}",
        r"2 & b & 50 & \textbf{0.8500}\textsuperscript{a}",
        r" & most (baseline) & 50 & 0.6000",
        r"\midrule",
        r"3 & c & 50 & 0.5000\textsuperscript{b}",
        r"\midrule",
        r" & x & 50 & --",
    ] == [" & ".join(row.split(" & ")[:4]) for row in rows[5:12]]


def test_standings_come_first_and_show_the_values():
    """One column for each criterion, the mean and Borda's count, and how many are covered."""
    first, *others = str(TRACKS).split("\n\n")[1:]

    assert [
        "rank  system  T1 · accuracy  T2 · mcc    mean  borda  borda_rank  covered",
        "-------------------------------------------------------------------------",
        "   1  a              0.9000    0.4000  0.6500    1.5           1        2",
        "      b              0.5000       n/a     n/a                           1",
    ] == first.splitlines()
    assert ["T1 · accuracy", "T2 · mcc"] == others[::2]


def test_latex_marks_the_values_of_standings_too():
    """A paper shows one table of all tracks."""
    row = next(row for row in TRACKS.to_latex().splitlines() if row.startswith("1 & a &"))

    assert row.startswith(r"1 & a & \textbf{0.9000}\textsuperscript{a} & \textbf{0.4000} & 0.6500")


def test_metrics_of_one_name_are_told_apart():
    """Two F1 have their reprs in the captions."""
    metrics = ["F1(average='macro')", "F1(average='macro', zero_division=0)"]
    ranking = Ranking(tuple(place("a", 0.5, 1, metric=metric) for metric in metrics))

    assert metrics == [line for line in str(ranking).splitlines() if line in metrics]


def test_csv_is_one_row_a_place():
    """In full precision, what is undefined empty, whether it is a baseline in words."""
    rows = list(csv.DictReader(io.StringIO(RANKING.to_csv())))

    assert ["a_b", "b", "most", "c", "x"] == [row["system"] for row in rows]
    assert ("1", "0.9", "false", "a", "") == tuple(
        rows[0][name] for name in ("rank", "value", "baseline", "letters", "track")
    )
    assert ("", "true", "") == (rows[2]["rank"], rows[2]["baseline"], rows[4]["value"])


def test_csv_has_the_standings_as_rows():
    """The mean and Borda's count stand where a metric does."""
    rows = list(csv.DictReader(io.StringIO(TRACKS.to_csv())))[3:]

    assert [("mean", "a", "0.65", "1"), ("mean", "b", "", "")] == [
        (row["name"], row["system"], row["value"], row["rank"]) for row in rows[:2]
    ]
    assert ["borda", "borda"] == [row["name"] for row in rows[2:]]


def test_json_names_the_rule():
    """Whoever reads clusters must know by which rule they were drawn."""
    found = json.loads(RANKING.to_json())

    assert ["rule", "places", "standings", "refused", "notes"] == list(found)
    assert found["rule"].startswith("WMT: ")
    assert [{"system": "bad", "track": None, "reason": REFUSED.reason}] == found["refused"]
    assert (None, False, 0.8) == (
        found["places"][4]["value"],
        found["places"][0]["baseline"],
        found["places"][0]["low"],
    )


def test_json_holds_the_values_of_standings():
    """A gap is null, and criteria are those of the places."""
    found = json.loads(TRACKS.to_json())

    assert [0.5, None] == found["standings"][1]["values"]
    assert [["T1", None, "Accuracy()"], ["T2", None, "MCC()"]] == found["standings"][0]["criteria"]


@pytest.mark.parametrize("format", FORMATS[:-1])
def test_every_format_ends_with_a_newline(format):
    """As a file does."""
    assert render(TRACKS.document(), format).endswith("\n")


@pytest.mark.parametrize(("format", "digits"), [("lines", 4), ("table", -1)])
def test_a_format_that_is_not_there_is_an_error(format, digits):
    """Nor are there fewer than no digits."""
    with pytest.raises(UsageError, match=r"no format 'lines'|number of digits is -1"):
        render(RANKING.document(), format, digits=digits)


def test_a_ranking_counts_what_it_has():
    """In one line."""
    assert "Ranking(places=5, systems=5, refused=1)" == repr(RANKING)


def test_a_notebook_shows_tables():
    """One body for each cluster."""
    shown = RANKING._repr_html_()

    assert 3 == shown.count("<tbody>")
    assert "ten is a small number." in shown


def test_records_are_places():
    """One dictionary per place, with its fields."""
    assert ["a_b", 0.9, "a"] == [
        RANKING.to_records()[0][name] for name in ("system", "value", "letters")
    ]


def test_a_data_frame_has_a_row_for_each_place():
    """With the fields of a place as columns."""
    frame = RANKING.to_pandas()

    assert (5, "a_b", 0.9) == (len(frame), frame["system"][0], frame["value"][0])

"""How differences are written."""

import json
import math

import pytest

from tallystick import UsageError
from tallystick.output.results.sections import say, sum_up
from tallystick.output.tables.cells import format_cell, format_p
from tallystick.results import Comparison, Difference, Score

ONE = Difference(
    a="A",
    b="B",
    group=None,
    metric="F1()",
    name="f1",
    value_a=0.8,
    value_b=0.75,
    difference=0.05,
    low=0.01,
    high=0.09,
    confidence=0.95,
    p=0.00005,
    p_holm=0.0001,
    test="ar",
    n=100,
    better="higher",
    signature="F1()",
)


def change(**values):
    names = Difference.__struct_fields__
    return Difference(**{name: values.get(name, getattr(ONE, name)) for name in names})


@pytest.mark.parametrize(
    ("p", "shown"), [(0.00001, "< 0.0001"), (0.0001, "0.0001"), (1.0, "1.0000"), (math.nan, "n/a")]
)
def test_p_is_never_shown_as_0(p, shown):
    assert shown == format_p(p, 4)


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (ONE, "A is better than B on f1 by 0.0500 [0.0100, 0.0900], p < 0.0001 (0.0001 by Holm)."),
        (
            change(difference=-0.05, low=-0.09, high=-0.01, p=0.01, p_holm=0.01),
            "B is better than A on f1 by 0.0500 [0.0100, 0.0900], p = 0.0100.",
        ),
        (
            change(better="lower", group="micro", p=0.01, p_holm=0.01),
            "B is better than A on f1 over all groups by 0.0500 [0.0100, 0.0900], p = 0.0100.",
        ),
        (
            change(better="neither", group="macro", p=0.01, p_holm=0.01),
            "A is higher than B on f1 on the mean over groups by 0.0500 [0.0100, 0.0900], "
            "p = 0.0100.",
        ),
        (
            change(low=-0.01, p=0.06, p_holm=0.06, group="en"),
            "No significant difference between A and B on f1 in en: 0.0500 [-0.0100, 0.0900], "
            "p = 0.0600.",
        ),
    ],
)
def test_difference_in_words(one, sentence):
    assert sentence == say(one)


def test_undefined_numbers_are_null():
    compared = Comparison((change(p=math.nan, p_holm=math.nan),))

    (one,) = json.loads(compared.to_json())["differences"]

    assert [None, None] == [one[name] for name in ("p", "p_holm")]


def test_pair_is_found_in_either_order():
    turned = Comparison((ONE,)).find("B", "A", "f1")

    assert (-0.05, -0.09, -0.01, 0.75) == (
        turned.difference,
        turned.low,
        turned.high,
        turned.value_a,
    )


@pytest.mark.parametrize("key", [("A", "C", "f1"), ("A", "B", "bleu"), ("A", "B", "f1", "en")])
def test_missing_pair_is_an_error(key):
    with pytest.raises(UsageError, match="there is no difference of 'A'"):
        Comparison((ONE,)).find(*key)


def test_metrics_of_one_name_show_their_options():
    text = Comparison((ONE, change(metric="F1(positive='b')"))).to_csv()

    assert "F1(positive='b')" in text


def test_notebook_and_frame_have_the_numbers():
    compared = Comparison((ONE,), ("Be careful.",))

    assert "Be careful." in compared._repr_html_()
    assert [0.05] == compared.to_pandas()["difference"].tolist()
    assert str(compared) == repr(compared)


def test_unknown_system_has_no_flips():
    with pytest.raises(UsageError, match="only A, B"):
        Comparison((ONE,)).flips("A", "C")


def score(system, value, *, group=None):
    return Score(
        system,
        group,
        None,
        "F1()",
        "f1",
        "F1",
        value,
        100,
        "F1()",
        low=value - 0.01,
        high=value + 0.01,
        confidence=0.95,
        method="Wilson",
    )


def compare(*, groups=(None,), pairs=(("B", "A"), ("C", "A")), **options):
    values = {"A": 0.7, "B": 0.9, "C": 0.71}
    differences = tuple(
        change(
            a=a,
            b=b,
            group=group,
            value_a=values[a],
            value_b=values[b],
            difference=values[a] - values[b],
            p_holm=0.001 if "B" in (a, b) else 0.4,
        )
        for group in groups
        for a, b in pairs
    )
    scores = tuple(score(name, values[name], group=group) for group in groups for name in values)
    return Comparison(differences, scores=scores, **options)


def test_each_system_is_a_row_beside_the_baseline():
    compared = compare(baseline="A")
    (grid,) = compared.document().grids

    assert "f1, and its difference from A (system - A)" == grid.caption
    assert ("system", "f1", "difference", "p") == grid.headings
    assert ["A (baseline)", "B", "C"] == [row[0] for row in grid.rows]
    assert [(0.2, True), (0.01, False)] == [
        (round(row[2].value, 4), row[2].star) for row in grid.rows[1:]
    ]
    assert ("Asterisk: significantly different (p < 0.05 after Holm's correction).",) == grid.legend
    assert (
        "Compared with A on f1, significantly better: B; not significantly different: C.",
    ) == compared.document().sentences


def test_two_systems_are_told_apart_without_numbers():
    better, equal = (Comparison((change(p_holm=p),)).document().sentences for p in (0.01, 0.06))

    assert ("A is significantly better than B on f1.",) == better
    assert ("No significant difference between A and B on f1.",) == equal


def test_groups_are_columns_beside_a_baseline():
    groups = ("en", "es", "macro", "micro")
    (grid,) = compare(baseline="A", groups=groups).document().grids

    assert ("system", *groups) == tuple(map(str, grid.headings))
    assert [False, True, False] == [row[1].star for row in grid.rows]


def test_all_pairs_are_a_matrix():
    (grid,) = compare(pairs=(("A", "B"), ("A", "C"), ("B", "C"))).document().grids
    rows = [[format_cell(cell, digits=2) for cell in row] for row in grid.rows]

    assert ("", "system", "f1", "- 2", "- 3") == grid.headings
    assert [
        ["1", "B", "0.90", "+0.19*", "+0.20*"],
        ["2", "C", "0.71", "", "+0.01"],
        ["3", "A", "0.70", "", ""],
    ] == rows


def test_details_are_one_row_for_each_difference():
    (grid,) = compare(baseline="A", details=True).document().grids

    assert ("metric", "a", "b", "value_a", "value_b", "difference") == grid.headings[:6]
    assert [("B", "A"), ("C", "A")] == [row[1:3] for row in grid.rows]


def test_json_holds_scores_and_differences():
    found = json.loads(compare(baseline="A").to_json())

    assert ["baseline", "differences", "scores", "notes"] == list(found)
    assert ("A", 2, 3) == (found["baseline"], len(found["differences"]), len(found["scores"]))


def test_a_baseline_of_errors_is_summed_up_the_other_way_round():
    told = sum_up([change(better="lower", a="A", b="B", p_holm=0.01)], "B")

    assert "Compared with B on f1, significantly worse: A." == told

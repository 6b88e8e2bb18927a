"""How differences are written."""

import json
import math

import pytest

from tallystick import Comparison, Difference, UsageError
from tallystick.render.cells import format_p
from tallystick.render.formats import render
from tallystick.results.comparison import say

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
    """The difference with some of its values replaced."""
    names = Difference.__dataclass_fields__
    return Difference(**{name: values.get(name, getattr(ONE, name)) for name in names})


@pytest.mark.parametrize(
    ("p", "shown"), [(0.00001, "< 0.0001"), (0.0001, "0.0001"), (1.0, "1.0000"), (math.nan, "n/a")]
)
def test_p_is_never_shown_as_0(p, shown):
    """What is smaller than the last decimal says so."""
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
    """Who is better, where, by how much and how surely; or that nobody is significantly."""
    assert sentence == say(one)


def test_undefined_numbers_are_null():
    """JSON has no NaN."""
    compared = Comparison((change(p=math.nan, p_holm=math.nan),))

    assert [None, None] == [json.loads(compared.to_json())[0][name] for name in ("p", "p_holm")]


def test_pair_is_found_in_either_order():
    """The other order is the mirror image."""
    turned = Comparison((ONE,)).find("B", "A", "f1")

    assert (-0.05, -0.09, -0.01, 0.75) == (
        turned.difference,
        turned.low,
        turned.high,
        turned.value_a,
    )


@pytest.mark.parametrize("key", [("A", "C", "f1"), ("A", "B", "bleu"), ("A", "B", "f1", "en")])
def test_missing_pair_is_an_error(key):
    """It names the pair, the metric and the group."""
    with pytest.raises(UsageError, match="there is no difference of 'A'"):
        Comparison((ONE,)).find(*key)


def test_metrics_of_one_name_show_their_options():
    """Two metrics called f1 are told apart by their full names."""
    text = Comparison((ONE, change(metric="F1(positive='b')"))).to_csv()

    assert "F1(positive='b')" in text


def test_formats_are_known():
    """Another format is refused, and so are negative decimals."""
    with pytest.raises(UsageError, match="'lines'"):
        render(Comparison((ONE,)).document(), "lines")
    with pytest.raises(UsageError, match="-1"):
        render(Comparison((ONE,)).document(), "table", digits=-1)


def test_notebook_and_frame_have_the_numbers():
    """The HTML names both systems, the data frame has a row for each difference."""
    compared = Comparison((ONE,), ("Be careful.",))

    assert "Be careful." in compared._repr_html_()
    assert [0.05] == compared.to_pandas()["difference"].tolist()
    assert "Comparison(differences=1, metrics=1, systems=2)" == repr(compared)


def test_unknown_system_has_no_flips():
    """The error names those that there are."""
    with pytest.raises(UsageError, match="only A, B"):
        Comparison((ONE,)).flips("A", "C")

"""Facts about asking an evaluation, and how differences are written."""

import json
import math
import sys
from dataclasses import dataclass

import pytest

import tallystick
from tallystick import UsageError
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.sections import say, sum_up
from tallystick.output.tables.cells import format_cell, format_p
from tallystick.output.tables.document import Style
from tallystick.output.tables.formats import render
from tallystick.results import Comparison, ConfusionMatrix, Difference, Score

BY_SYSTEM = (("system", "system"), ("language", "group"), ("n", "n"))


@dataclass(frozen=True)
class F1:
    """A metric, of which an evaluation needs nothing but the repr."""

    average: str


def score(name, value, **fields):
    parts = {"system": "a", "group": None, "label": None, "metric": f"{name}()"} | fields
    title = {"f1": "F1-Score"}.get(name, name)
    return Score(**parts, name=name, title=title, value=value, n=10, signature="v1")  # type: ignore[arg-type]


GROUPS = Evaluation(
    (
        score("f1", 0.25, group="es"),
        score("f1", 0.5, group="tr"),
        score("f1", 0.75, group="es", system="b"),
        score("accuracy", 0.125, group="es"),
    ),
    BY_SYSTEM,
)
CLASSES = Evaluation(
    (
        score("f1", 0.25, label="yes"),
        score("f1", 0.5, label="no"),
        score("recall", 0.125, label="yes"),
        score("recall", 0.75),
    ),
    BY_SYSTEM,
    (ConfusionMatrix("a", ("no", "yes"), ((1, 2), (3, 4))),),
    ("A note.",),
)
REPRS = Evaluation(
    (
        score("f1", 0.25, metric="F1(average='macro')"),
        score("f1", 0.5, metric="F1(average='micro')"),
    ),
    BY_SYSTEM,
)


@pytest.mark.parametrize(("evaluation", "key", "expected"), [
    (GROUPS, "accuracy", 0.125),
    (GROUPS, "accuracy()", 0.125),
    (GROUPS, ("accuracy",), 0.125),
    (GROUPS, ("f1", "tr"), 0.5),
    (GROUPS, ("f1", "es", "b"), 0.75),
    (GROUPS, ("f1", None, "b"), 0.75),
    (CLASSES, "recall", 0.75),
    (CLASSES.select(label="no"), "f1", 0.5),
    (REPRS, F1("micro"), 0.5),
])  # fmt: skip
def test_a_key_finds_its_score(evaluation, key, expected):
    assert expected == evaluation[key]


@pytest.mark.parametrize(("evaluation", "key", "message"), [
    (GROUPS, "f1",
     "3 scores match the key 'f1'; choose one of the groups 'es', 'tr' and one of the "
     "systems 'a', 'b', such as result['f1', 'es', 'a']."),
    (GROUPS, ("f1", "es"),
     "2 scores match the key ('f1', 'es'); choose one of the systems 'a', 'b', such as "
     "result['f1', 'es', 'a']."),
    (CLASSES, "f1", "2 scores match the key 'f1'; choose one of the labels 'yes', 'no', such as "
     ".select(metric='f1', label='yes')."),
    (REPRS, "f1",
     "2 scores match the key 'f1'; choose one of the metrics \"F1(average='macro')\", "
     "\"F1(average='micro')\", such as result[\"F1(average='macro')\", None, 'a']."),
])  # fmt: skip
def test_a_key_of_several_scores_is_an_error_that_lists_them(evaluation, key, message):
    with pytest.raises(UsageError) as error:
        evaluation[key]
    assert message == str(error.value)


@pytest.mark.parametrize(("key", "message"), [
    ("f2", "No score has the metric 'f2', did you mean 'f1'?"),
    ("F1", "No score has the metric 'F1', did you mean 'f1'?"),
    (("f1", "es_MX"), "No score has the group 'es_MX', did you mean 'es'?"),
    (("f1", "es", "bb"), "No score has the system 'bb', did you mean 'b'?"),
    ((), "The key () has 0 parts, expected a metric, a group and a system."),
    (("f1", "es", "a", "yes"),
     "The key ('f1', 'es', 'a', 'yes') has 4 parts, expected a metric, a group and a system."),
])  # fmt: skip
def test_a_key_of_no_score_is_an_error_with_the_nearest_name(key, message):
    with pytest.raises(UsageError) as error:
        GROUPS[key]
    assert message == str(error.value)


def test_a_group_of_ungrouped_scores_is_an_error():
    with pytest.raises(
        UsageError, match=r"^No score has the group 'es', because none has a group\.$"
    ):
        CLASSES.select(group="es")


def test_select_keeps_the_scores_that_match_every_option():
    expected = Evaluation((GROUPS.scores[2],), BY_SYSTEM)
    assert expected == GROUPS.select(metric="f1", group="es", system="b")


def test_select_of_a_system_keeps_its_confusion_matrix_alone():
    matrices = (ConfusionMatrix("a", ("x",), ((1,),)), ConfusionMatrix("b", ("x",), ((2,),)))
    evaluation = Evaluation(GROUPS.scores, BY_SYSTEM, matrices)
    assert matrices[1:] == evaluation.select(system="b").confusions


@pytest.mark.parametrize(
    "part", [CLASSES.select(metric="f1"), CLASSES.select(label="yes")], ids=["metric", "label"]
)
def test_select_of_a_part_drops_the_confusion_matrix(part):
    assert Evaluation(part.scores, BY_SYSTEM, (), CLASSES.notes) == part


@pytest.mark.parametrize(("format", "expected"), [
    ("table", "  f1\n----\n0.33\n"),
    ("markdown", "|   F1 |\n| ---: |\n| 0.33 |\n"),
    ("lines", "F1-Score: 0.33\n"),
    ("csv", "f1\n0.3333333333333333\n"),
])  # fmt: skip
def test_digits_are_for_people_and_full_precision_for_programs(format, expected):
    evaluation = Evaluation((score("f1", 1 / 3),), ())
    assert expected == render(evaluation.document(), format, Style(digits=2))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_json_writes_null_for_what_is_not_finite(value):
    (record,) = json.loads(Evaluation((score("f1", value),), ()).to_json())["scores"]
    assert record["value"] is None


def test_json_has_one_record_per_line_with_every_key():
    line = Evaluation((score("f1", 0.1, system="é"),), ()).to_json().splitlines()[2]
    expected = (
        '{"system": "é", "group": null, "label": null, "metric": "f1()", "name": "f1", '
        '"title": "F1-Score", "value": 0.1, "n": 10, "signature": "v1", "peer_signature": null, '
        '"low": null, "high": null, "confidence": null, "method": null, "invalid": 0, '
        '"undefined": false, "better": "higher", '
        '"left_out": 0, "all_wrong": null, "all_right": null, "effective_n": null}'
    )

    assert expected == line


def test_arrow_has_one_typed_row_per_score():
    table = Evaluation((score("tp", 3), score("f1", 0.5)), ()).to_arrow()
    values = [3.0, 0.5]
    types = {
        "system": "string", "group": "string", "label": "string", "metric": "string",
        "name": "string", "title": "string", "value": "double", "n": "int64", "signature": "string",
        "peer_signature": "string", "low": "double", "high": "double", "confidence": "double",
        "method": "string", "invalid": "int64", "undefined": "bool", "better": "string",
        "left_out": "int64", "all_wrong": "double", "all_right": "double", "effective_n": "int64",
    }  # fmt: skip

    assert types == {field.name: str(field.type) for field in table.schema}
    assert values == table["value"].to_pylist()


@pytest.mark.parametrize(("evaluation", "columns", "wide"), [
    (GROUPS, ["system", "group", "metric", "value"], ["f1", "accuracy"]),
    (CLASSES, ["system", "label", "metric", "value"], ["recall"]),
    (REPRS, ["system", "metric", "value"], ["F1(average='macro')", "F1(average='micro')"]),
])  # fmt: skip
def test_data_frames_have_the_columns_that_tables_show(evaluation, columns, wide):
    frame = evaluation.to_pandas()
    assert columns == [name for name in frame if name not in ("low", "high", "n")]
    assert [one.value for one in evaluation.scores] == frame["value"].tolist()
    assert wide == list(evaluation.table.columns)
    places = zip(*(frame[name] for name in evaluation.table.index.names), strict=True)
    index = [one if len(one) > 1 else one[0] for one in dict.fromkeys(places)]
    assert index == list(evaluation.table.index)


def test_without_pandas_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(UsageError) as error:
        GROUPS.to_pandas()

    expected = (
        "pandas is not installed, install it or take the scores by to_arrow() or to_records()."
    )

    assert expected == str(error.value)


@pytest.mark.parametrize("labels", [50, 51])
def test_a_confusion_matrix_of_many_labels_is_kept_and_not_printed(labels):
    gold = [f"label {number}" for number in range(labels)]
    evaluation = tallystick.score(gold, gold, "accuracy", intervals=False)
    printed = str(evaluation)
    assert len(evaluation.confusions[0].labels) == labels
    assert ("Confusion matrix" in printed) == (labels <= 50)
    assert (f"of {labels} labels is not shown, see .confusions" in printed) == (labels > 50)


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


@pytest.mark.parametrize(("one", "sentence"), [
    (ONE, "A is better than B on f1 by 0.050 [0.010, 0.090], p < 0.001."),
    (change(difference=-0.05, low=-0.09, high=-0.01, p=0.01, p_holm=0.01),
     "B is better than A on f1 by 0.050 [0.010, 0.090], p = 0.010."),
    (change(better="lower", group="micro", p=0.01, p_holm=0.01),
     "B is better than A on f1 over all groups by 0.050 [0.010, 0.090], p = 0.010."),
    (change(better="neither", group="macro", p=0.01, p_holm=0.01),
     "A is higher than B on f1 on the mean over groups by 0.050 [0.010, 0.090], "
     "p = 0.010."),
    (change(low=-0.01, p=0.06, p_holm=0.06, group="en"),
     "No significant difference between A and B on f1 in en: 0.050 [-0.010, 0.090], "
     "p = 0.060."),
])  # fmt: skip
def test_difference_in_words(one, sentence):
    assert sentence == say(one)


def test_undefined_numbers_are_null():
    (one,) = json.loads(Comparison((change(p=math.nan, p_holm=math.nan),)).to_json())["differences"]
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
    assert "F1(positive='b')" in Comparison((ONE, change(metric="F1(positive='b')"))).to_csv()


def test_notebook_and_frame_have_the_numbers():
    compared = Comparison((ONE,), ("Be careful.",))
    assert "Be careful." in compared._repr_html_()
    assert [0.05] == compared.to_pandas()["difference"].tolist()
    assert str(compared) == repr(compared)


def test_unknown_system_has_no_flips():
    with pytest.raises(UsageError, match="only A, B"):
        Comparison((ONE,)).flips("A", "C")


def score_system(system, value, *, group=None):
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
    scores = tuple(
        score_system(name, values[name], group=group) for group in groups for name in values
    )
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
    wording = sum_up([change(better="lower", a="A", b="B", p_holm=0.01)], "B")
    assert "Compared with B on f1, significantly worse: A." == wording

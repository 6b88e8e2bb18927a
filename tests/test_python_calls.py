"""What a call in Python may be given, and what its errors say."""

import traceback
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import tallystick
from cases import cases
from tallystick import Columns, Style, UsageError
from tallystick.metrics import F1

TABLE = pd.DataFrame({"id": range(8), "label": [0, 1] * 4, "lang": list("ddddeeee")})
TABLE = TABLE.assign(a=[0, 1, 0, 1, 1, 1, 0, 0], b=[1, 1, 0, 1, 1, 0, 0, 0])
TABLE = TABLE.assign(y_prob=[0.1, 0.8, 0.3, 0.4, 0.6, 0.9, 0.2, 0.7])
PAIR = {"metrics": ["f1", "accuracy"], "gold": "label", "systems": ["a", "b"], "positive": 1}
SCORED = tallystick.score(TABLE, **PAIR)


def fails(call):
    with pytest.raises((UsageError, TypeError)) as caught:
        call()
    frames = traceback.extract_tb(caught.value.__traceback__)
    inner = [one.name for one in frames if "tallystick" in Path(one.filename).parts[:-1]]
    return str(caught.value), [name for name in inner if name not in ("fails", "<lambda>")]


CALLS = {
    "score": lambda **more: tallystick.score(TABLE, **PAIR, **more),
    "compare": lambda **more: tallystick.compare(TABLE, **PAIR, **more),
    "rank": lambda **more: tallystick.rank(TABLE, **PAIR, **more),
    "plan": lambda **more: tallystick.plan(TABLE, **PAIR, **more),
    "gate": lambda **more: tallystick.gate(TABLE, "a", "b", "f1", **more),
    "count": lambda **more: tallystick.count(TABLE, **PAIR, **more),
    "read": lambda **more: tallystick.read(TABLE, **more),
    "tune": lambda **more: tallystick.tune_threshold(TABLE, **more),
}


@cases("call", *CALLS)
@cases(
    "keyword meant",
    ("group_by", "did you mean 'by'?"),
    ("n_resamples", "did you mean 'resamples', as in intervals=Intervals(resamples=...) or tes"),
    ("y_true", "did you mean 'gold'?"),
)
def test_an_unknown_keyword_names_the_one_that_is_meant(call, keyword, meant):
    message, inner = fails(lambda: CALLS[call](**{keyword: "lang"}))
    assert f"there is no keyword {keyword!r}; {meant}" in message
    assert ["call"] == inner


@cases(
    "keyword meant",
    ("y_pred", "did you mean 'predicted'?"),
    ("hypotheses", "did you mean 'outputs'?"),
    ("pos_label", "did you mean 'positive'?"),
    ("seed", "did you mean 'random_seed', as in intervals=Intervals(random_seed=...)"),
    ("alpha", "did you mean 'confidence', as in intervals=Intervals(confidence=...)"),
    ("test", "did you mean 'test', as in testing=Testing(test=...)?"),
    ("average", "options belong to metrics, such as metrics=\"F1(average='macro')\""),
    ("id_column", "did you mean 'id'?"),
    ("lables", "did you mean 'labels'?"),
    ("references", "not with tables; `gold=` names their columns of references"),
)
def test_words_of_other_tools_lead_to_the_keyword(keyword, meant):
    rest = {name: value for name, value in PAIR.items() if name != "systems"}
    rest |= {"predicted": "a", keyword: "lang"}
    assert meant in fails(lambda: tallystick.score(TABLE, **rest))[0]


@cases(
    "call shown",
    (lambda: SCORED["f1"], "choose one of the systems 'a', 'b', such as result['f1', None, 'a']"),
    (lambda: SCORED["f1", "c"], "No score has the group 'c', because none has a group"),
    (lambda: SCORED["nope"], "No score has the metric 'nope', only 'f1', 'accuracy'."),
    (lambda: SCORED["acuracy"], "did you mean 'accuracy'?"),
    (lambda: SCORED.figure("nope"), "there is no figure 'nope'"),
    (lambda: SCORED.select(metric="f2"), "did you mean 'f1'?"),
    (lambda: SCORED.to_text(columns=1), "there is no keyword 'columns'"),
    (lambda: F1(average="x"), "average must be one of"),
    (lambda: Columns(invalid="x"), "invalid must be one of"),
    (lambda: Style(digits=99), "The number of digits is 99"),
    (lambda: tallystick.edits(1, 2), "edits takes strings or lists of tokens, not 1"),
    (lambda: tallystick.edits("a", "b", lower=True), "there is no keyword 'lower'"),
    (lambda: tallystick.read(TABLE).score("nope"), "unknown metric 'nope'"),
    (
        lambda: tallystick.read(TABLE, systems=["a", "b"]).gate(new="a"),
        "max_drop=0.01, floor=0.8 or equ",
    ),
    (lambda: tallystick.gate(TABLE, metrics="f1", floor=0.1), "name the new system with `new=`"),
)
def test_an_error_ends_at_the_call(call, shown):
    message, inner = fails(call)
    assert shown in message
    assert ["call"] == inner


def test_a_system_may_follow_the_metric_where_there_are_no_groups():
    assert SCORED["f1", "b"] == SCORED["f1", None, "b"]


@cases("name", "score", "compare", "rank", "plan")
def test_tables_have_a_column_for_each_metric(name):
    rest = PAIR if name != "plan" else PAIR | {"sizes": [10, 20]}
    result = getattr(tallystick, name)(TABLE, **rest)
    assert ["f1", "accuracy"] == [*result.table.columns]
    assert len(result.to_pandas().columns) <= 11


LABELS, OUTPUTS, SHARES = (TABLE[name].tolist() for name in ("label", "a", "y_prob"))


def _as_polars(*, lazy):
    frame = pytest.importorskip("polars").from_pandas(TABLE)
    return frame.lazy() if lazy else frame


@cases(
    "gold outputs",
    (lambda: TABLE, None),
    (lambda: TABLE.to_dict("records"), None),
    (lambda: TABLE.to_dict("list"), None),
    (lambda: {name: TABLE[name].to_numpy() for name in TABLE}, None),
    (lambda: _as_polars(lazy=False), None),
    (lambda: _as_polars(lazy=True), None),
)
def test_any_table_is_scored_alike(gold, outputs):
    result = tallystick.score(gold(), outputs, **PAIR)
    assert SCORED["f1", "a"] == result["f1", "a"]


def test_columns_of_a_frame_of_outputs_are_systems():
    result = tallystick.score(TABLE["label"], TABLE[["a", "b"]], "f1")
    assert [SCORED["f1", "a"], SCORED["f1", "b"]] == [result["f1", "a"], result["f1", "b"]]


@cases("names positive", ([0, 1], None), (["no", "yes"], "yes"), ([False, True], None))
def test_two_columns_of_probabilities_are_those_of_the_sorted_labels(names, positive):
    shares = np.array(SHARES)
    gold = [names[one] for one in LABELS]
    result = tallystick.score(gold, np.c_[1 - shares, shares], "roc_auc", positive=positive)
    assert result["roc_auc"] == pytest.approx(roc_auc_score(LABELS, shares), abs=1e-12)


def test_a_notebook_shows_one_caption():
    shown = tallystick.compare(TABLE, **PAIR)._repr_html_()
    assert 1 == shown.count("<p ")
    assert "opacity" in shown

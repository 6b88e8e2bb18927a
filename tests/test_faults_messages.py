"""Messages name the file and the line, show what was found, and stay short."""

import json
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import tallystick
from faults import call, write
from tallystick.errors import InputError, UsageError

LONG = "x" * 100_000
WORDS = "it is a cell " * 10_000
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("r.json", '{"q1": {"d1": "x"}}', "r.json, query 'q1', document 'd1' is 'x', where a num"),
        ("r.json", '{"q1": {"d1": null}}', "r.json, query 'q1', document 'd1': the number is mis"),
        ("r.json", '{"q1": {"d1": NaN}}', "r.json, query 'q1', document 'd1': the number is miss"),
        ("r.json", '{"q1": {"d1": 1, "d1": 2}}', "r.json has the key 'd1' twice"),
        ("r.json", '{"q1": {"d1": 1}, "q1": {"d2": 2}}', "r.json has the key 'q1' twice"),
        ("r.json", '{"q1": {"": 1}}', "r.json, query 'q1', document '': the document is missing"),
        ("r.json", '{"": {"d1": 1}}', "r.json, query '', document 'd1': the query is missing"),
        ("r.csv", "query_id,doc_id,score\nq1,d1,1\nq1,,2\n", "r.csv, row 3: the document is miss"),
        ("r.csv", "query_id,doc_id,score\nq1,d1,1\n,d2,2\n", "r.csv, row 3: the query is missing"),
        ("r.csv", "query_id,doc_id,score\nq1,d1,1\nq1,d2,x\n", "r.csv, row 3, column 'score': 'x'"),
    ],
)
@pytest.mark.parametrize("command", ["score", "rank"])
def test_a_wrong_result_names_its_place(name, text, error, command):
    write({"g.qrels": QRELS, name: text, "o.run": "q1 Q0 d1 1 .5 t\nq2 Q0 d1 1 .5 t\n"})
    outcome = call(command, "g.qrels", name, "-m", "nDCG@10")
    assert error in outcome.err, outcome.err


@pytest.mark.parametrize("number", [10**26, 10**300])
def test_whole_scores_of_any_size_are_read(number):
    write(
        {"g.qrels": QRELS, "r.json": json.dumps({"q1": {"d1": number, "d2": 1}, "q2": {"d1": 1}})}
    )
    assert 0 == call("score", "g.qrels", "r.json", "-m", "nDCG@10", "--no-intervals").code


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
@pytest.mark.parametrize("indent", [1, 4])
def test_objects_over_several_lines_are_told(name, indent):
    rows = [{"label": "a", "y_pred": "a"}, {"label": "b", "y_pred": "a"}]
    write({name: "\n".join(json.dumps(row, indent=indent) for row in rows)})
    outcome = call("score", name, "-m", "accuracy")
    assert f"{name}: its objects are written over several lines; write each" in outcome.error

    write({name: json.dumps(rows, indent=indent)})
    assert 0 == call("score", name, "-m", "accuracy").code


@pytest.mark.parametrize("cell", [LONG, WORDS, WORDS.replace("is", "isn't")])
@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"label": "ab", "y_pred": ["a", None]}, {"metrics": "accuracy", "labels": ["a", "b"]}),
        ({"y_true": [1, 0], "y_prob": [0.5, None]}, {"metrics": "roc_auc"}),
        ({"gold": [1.0, 2.0], "prediction": ["1", None]}, {"metrics": "mae"}),
        ({"label": "ab", "y_pred": "ab", "size": [1, None]}, {"where": "size > 1"}),
    ],
)
def test_long_cells_are_cut(columns, options, cell):
    frame = pd.DataFrame({name: list(map(str, own)) for name, own in columns.items()})
    with pytest.raises(InputError) as found:
        tallystick.score(frame.replace("None", cell), None, **{"metrics": "accuracy", **options})
    assert (True, True) == (len(str(found.value)) < 3000, cell[:20] in str(found.value))


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (f"t.csv: '{LONG}' is no label", f"t.csv: '{LONG[:59]}…' is no label"),
        (f"columns a, {LONG}; name one", f"columns a, {LONG[:60]}…; name one"),
        ("/a/long/path" * 20 + ": is empty", "/a/long/path" * 20 + ": is empty"),
        ("a system's output isn't " * 20, "a system's output isn't " * 20),
    ],
)
def test_only_long_words_and_quotations_are_cut(text, cut):
    assert (cut, cut) == (str(InputError(text)), str(UsageError(text)))


@pytest.mark.parametrize("form", [(pa.decimal128, 38, 0), (pa.decimal256, 60, -2)])
def test_whole_decimals_are_labels_and_ids_by_all_their_digits(form):
    kind = form[0](*form[1:])
    step = 10 ** max(0, -kind.scale)
    values = [Decimal((int("1" * 28) + at) * step) for at in (0, 1, 0)]
    table = pa.table({"label": pa.array(values, kind), "y_pred": pa.array([values[0]] * 3, kind)})
    assert 2 / 3 == pytest.approx(tallystick.score(table, None, "accuracy")["accuracy"])

    gold = pa.table({"id": pa.array(values[:2], kind), "label": ["a", "b"]})
    own = pa.table({"id": pa.array(values[1::-1], kind), "y_pred": ["b", "a"]})
    assert 1 == tallystick.score(gold, own, "accuracy")["accuracy"]

"""Columns are found however headers write them, by dotted names, and in ranges of numbers."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallystick
from tallystick import Columns, InputError, UsageError
from tallystick.cli import main

GOLD = ["a", "a", "b", "b", "c"]
GUESS = ["a", "b", "b", "b", "a"]
LANGS = ["en", "de", "en", "de", "en"]
IDS = ["1", "2", "3", "4", "5"]
LENGTHS = [3, 40, 7, 12, 100]

Values = dict[str | None, float]


def accuracies(result):
    return {score.group: score.value for score in result.scores}


def score(gold, outputs=None, **options):
    return accuracies(tallystick.score(gold, outputs, "accuracy", intervals=False, **options))


def expect(groups):
    right = np.array(GOLD) == np.array(GUESS)
    own = {name: float(right[np.array(groups) == name].mean()) for name in dict.fromkeys(groups)}
    return own | {"macro": float(np.mean(list(own.values()))), "micro": float(right.mean())}


def near(values):
    return pytest.approx(values, abs=1e-12)


def make(**more):
    return pa.table({"label": GOLD, "y_pred": GUESS, **more})


@pytest.fixture
def command(folder, capsys):
    def run(files, arguments):
        for name, rows in files.items():
            Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        code = main(["score", *arguments.split(), "-m", "accuracy", "--format", "json"])
        captured = capsys.readouterr()
        records = json.loads(captured.out)["scores"] if code == 0 else []
        return code, {one["group"]: one["value"] for one in records}, captured.err

    return run


GOLD_NAMES = ["Y_True", "LABEL", " label", "Gold Label", "gold-label", "true_label", "Ground Truth"]
GOLD_NAMES += ["Target", "answer", "Reference", "TOXIC"]
GUESS_NAMES = ["Y-Pred", "PREDICTED", "Predicted Label", "Pred_Label", "System Output", "Output"]
GUESS_NAMES += ["Prediction", "PRED", "Hypothesis", "MT"]


@pytest.mark.parametrize("gold", GOLD_NAMES)
def test_gold_is_found_whatever_its_header_looks_like(gold):
    assert {None: 0.6} == score(pa.table({"text": IDS, gold: GOLD}), pa.table({"y_pred": GUESS}))
    assert {None: 0.6} == score(pa.table({"text": IDS, gold: GOLD, "y_pred": GUESS}))


@pytest.mark.parametrize("guess", GUESS_NAMES)
def test_predictions_are_found_whatever_their_header_looks_like(guess):
    assert {None: 0.6} == score(pa.table({"label": GOLD}), pa.table({"text": IDS, guess: GUESS}))
    assert {None: 0.6} == score(pa.table({"label": GOLD, "text": IDS, guess: GUESS}))


@pytest.mark.parametrize("left", ["ID", "Sub-Id", "Example ID", "UID", "doc_id", "Sample_ID"])
@pytest.mark.parametrize("right", ["id", "Id "])
def test_ids_are_found_whatever_their_header_looks_like(left, right):
    gold = pa.table({left: IDS, "label": GOLD})
    assert {None: 0.6} == score(gold, pa.table({right: IDS[::-1], "y_pred": GUESS[::-1]}))


@pytest.mark.parametrize("probability", ["Y_Prob", "PROB", "Pred Score", "Probability"])
def test_probabilities_are_found_whatever_their_header_looks_like(probability):
    gold = pa.table({"label": [0, 1, 1]})
    own = pa.table({probability: [0.3, 0.45, 0.2], "Best-Threshold": [0.4, 0.4, 0.4]})
    assert {None: pytest.approx(2 / 3)} == score(gold, own)


def test_named_columns_are_found_in_any_case():
    gold = pa.table(
        {"Key": IDS, "Truth": GOLD, "Lang": LANGS, "W": [1, 2, 3, 4, 5], "Doc": list("xxyyz")}
    )
    guess = pa.table({"KEY": IDS, "Guess": GUESS})
    columns = Columns(gold="truth", predicted="GUESS", id="key")
    options = {"columns": columns, "weights": "w", "by": "LANG"}
    plain = tallystick.score(
        GOLD, GUESS, "accuracy", by=LANGS, weights=[1, 2, 3, 4, 5], clusters=list("xxyyz")
    )
    named = tallystick.score(gold, guess, "accuracy", clusters="doc", **options)

    assert accuracies(plain) == accuracies(named)
    assert [(one.low, one.high) for one in plain.scores] == [
        (pytest.approx(one.low, nan_ok=True), pytest.approx(one.high, nan_ok=True))
        for one in named.scores
    ]


def test_a_name_as_it_stands_goes_before_one_in_another_case():
    table = make(Label=["a"] * 5)
    assert {None: 0.6} == score(table)
    assert {None: 0.4} == score(table, columns=Columns(gold="Label"))
    with pytest.raises(InputError, match="has no gold column"):
        score(pa.table({"LABEL": GOLD, "Label": ["a"] * 5, "y_pred": GUESS}))


@pytest.mark.parametrize(("gold", "guess", "metric"), [
    ("a", "b", "accuracy"),
    (["a"], ["b"], "exact_match_ratio"),
    ("a dog", "a cat", "exact_match"),
])  # fmt: skip
def test_gold_is_never_scored_against_itself(gold, guess, metric):
    table = pa.table({"output": [gold] * 2, "hypothesis": [gold, guess]})
    assert 0.5 == tallystick.score(table, None, metric, columns=Columns(gold="output"))[metric]
    with pytest.raises(InputError, match="column 'output' cannot be both gold and"):
        tallystick.score(table, None, metric, columns=Columns(gold="output", predicted="output"))


NESTED = {
    "meta": [{"lang": lang, "where": {"lang": lang}} for lang in LANGS],
    "langs": [[lang, "xx"] for lang in LANGS],
}
FLAT = {"meta": [{"lang": "xx"}] * 5, "meta.lang": LANGS}


@pytest.mark.parametrize(("cells", "by", "groups"), [
    pytest.param(NESTED, "meta.lang", LANGS, id="in objects"),
    pytest.param(NESTED, "meta.where.lang", LANGS, id="in objects of objects"),
    pytest.param(NESTED, "langs.0", LANGS, id="in lists"),
    pytest.param(NESTED, ["meta.lang"], LANGS, id="in objects, by a list of names"),
    pytest.param(FLAT, "meta.lang", LANGS, id="just that name before a dotted one"),
    pytest.param({"size": LENGTHS, "size:2": LANGS}, "size:2", LANGS, id="before a range"),
    pytest.param({"size": [7, 7, 7, 7, 9]}, "size:4", list("77779"), id="equal numbers"),
])  # fmt: skip
def test_groups_are_found_in_objects_and_columns_of_just_that_name(cells, by, groups):
    assert near(expect(groups)) == score(make(**cells), by=by)


@pytest.mark.parametrize("arguments", ["t.jsonl", "g.jsonl p.jsonl"])
def test_dotted_names_reach_into_json(command, arguments):
    rows = [
        {"doc": {"nr": nr}, "meta": {"gold": {"label": gold}, "lang": lang}, "out": [{"y": guess}]}
        for nr, gold, lang, guess in zip(IDS, GOLD, LANGS, GUESS, strict=True)
    ]
    parts = {
        "g.jsonl": [{key: row[key] for key in ("doc", "meta")} for row in rows],
        "p.jsonl": [{key: row[key] for key in ("doc", "out")} for row in rows[::-1]],
    }
    named = "--gold-column meta.gold.label --predicted-column out.0.y --by meta.lang --id-column"
    code, values, _ = command(parts | {"t.jsonl": rows}, f"{arguments} {named} doc.nr")

    assert (0, near(expect(LANGS))) == (code, values)


def test_a_dotted_name_that_leads_nowhere_is_told(command):
    rows = [{"label": "a", "y_pred": "a", "meta": {"lang": "en"}}] * 2
    code, _, words = command({"t.jsonl": rows}, "t.jsonl --by meta.language")
    assert code == 4
    assert "has no column 'meta.language'" in words
    assert "'meta.lang'" in words


def test_columns_of_several_systems_are_named_where_no_column_is_the_predicted_one(command):
    rows = [{"gold": "a", "pred_mt5": "a", "Pred_xlmr": "b"}, {"gold": "b", "pred_mt5": "b"}]
    code, _, words = command({"t.jsonl": rows}, "t.jsonl")
    assert code == 4
    assert words.strip().endswith("with --systems pred_mt5 Pred_xlmr")


@pytest.mark.parametrize(("bins", "groups"), [
    (2, ["3–12", "40–100", "3–12", "3–12", "40–100"]),
    (4, ["3–7", "40", "3–7", "12", "100"]),
    (5, ["3", "40", "7", "12", "100"]),
    (9, ["3", "40", "7", "12", "100"]),
])  # fmt: skip
@pytest.mark.parametrize("name", ["size", "Size", "meta.size"])
def test_numbers_are_grouped_in_ranges(bins, groups, name):
    meta = [{"size": size} for size in LENGTHS]
    assert near(expect(groups)) == score(
        make(size=list(map(str, LENGTHS)), meta=meta), by=f"{name}:{bins}"
    )


@pytest.mark.parametrize(("size", "bins"), [(1000, 4), (999, 10), (50, 7), (7, 3)])
def test_ranges_have_about_as_many_examples_each(size, bins):
    numbers = np.random.default_rng(size).permutation(size) * 1.5
    table = pa.table({"label": ["a"] * size, "y_pred": ["a"] * size, "number": numbers})
    result = tallystick.score(table, None, "accuracy", by=f"number:{bins}", intervals=False)
    sizes = [one.n for one in result.scores if one.group not in ("macro", "micro")]
    lows = [float(str(one.group).split("–")[0]) for one in result.scores[:bins]]

    assert bins == len(sizes)
    assert (size, True) == (sum(sizes), max(sizes) - min(sizes) <= 1)
    assert sorted(lows) == lows


@pytest.mark.parametrize(("by", "kind", "message"), [
    ("lang:2", InputError, "column 'lang': 'en' is not a number"),
    ("size:2", InputError, "row 3, column 'size': nan falls into no range"),
    ("number:1", UsageError, "number:1 makes a single group; use two or more"),
    ("nothing:2", InputError, "has no column 'nothing'"),
    ("number:x", InputError, "has no column 'number:x'"),
])  # fmt: skip
def test_ranges_that_cannot_be_are_told(by, kind, message):
    table = make(lang=LANGS, size=[1.0, 2.0, float("nan"), 4.0, 5.0], number=LENGTHS)
    with pytest.raises(kind) as caught:
        score(table, by=by)
    assert message in str(caught.value)


@pytest.mark.parametrize("by", [["lang", "size:2"], ("lang", "size:2")])
@pytest.mark.parametrize("frame", [pa.table, pd.DataFrame, pl.DataFrame])
def test_several_columns_make_combinations(by, frame):
    table = frame({"label": GOLD, "y_pred": GUESS, "lang": LANGS, "size": LENGTHS})
    groups = [
        f"{lang}/{'3–12' if size <= 12 else '40–100'}"
        for lang, size in zip(LANGS, LENGTHS, strict=True)
    ]
    result = tallystick.score(table, None, "accuracy", by=by, intervals=False)

    assert near(expect(groups)) == accuracies(result)
    assert ("lang/size:2", "group") in result.lead


@pytest.mark.parametrize(
    "by", [np.array(LANGS), LANGS, pd.Series(LANGS), pl.Series(LANGS), pa.array(LANGS)]
)
def test_lists_are_grouped_by_a_column_of_values(by):
    assert near(expect(LANGS)) == score(GOLD, GUESS, by=by)


@pytest.mark.parametrize("by", [3.5, ["lang", 3.5], [LANGS]])
def test_what_names_no_column_of_a_table_is_told(by):
    with pytest.raises(UsageError, match="by names columns of the table"):
        score(pa.table({"label": GOLD, "lang": LANGS}), pa.table({"y_pred": GUESS}), by=by)


def test_columns_of_the_options_group_too():
    table = make(lang=LANGS, other=["x"] * 5)
    assert near(expect(LANGS)) == score(table, columns=Columns(by=("lang",)))
    assert near(expect(LANGS)) == score(table, columns=Columns(by=("other",)), by="lang")

"""What a column of outputs holds follows from its values next to the gold's, and is told."""

import io
import json
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import tallystick
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels import LABELS as LABEL_KIND
from tallystick.limits import LIMITS
from tallystick.model.columns import Columns
from tallystick.model.facts import Task
from tallystick.model.reading import Reading, ResettleError
from tallystick.reading.input_plan import InputPlan, Source
from tallystick.reading.layouts import iterate_blocks
from tallystick.reading.table_files import Part, plan_parts, read_tables, settle_rows
from tallystick.scoring.counted import add_counted
from tallystick.scoring.counting import count
from tallystick.scoring.tally_file import pack_counted

LABELS, SCORES, ERROR = "labels", "probabilities", "error"

BITS, WHOLE, FRACTIONS, BEYOND, TEXT = (
    [0, 1, 1, 0], [1, 3, 1, 2], [0.25, 0.75, 1, 0], [0.5, 1.5, -2, 0], ["a", "b", "b", "b"],
)  # fmt: skip
ZERO_ONE, TWO, THREE, WORDS = [0, 1, 1, 0], [1, 2, 1, 2], [0, 2, 1, 2], ["a", "b", "b", "a"]

# name of the column, its values, what is declared, and its reading beside gold of 0 and 1, of two
# other whole numbers, of three labels, and of two words
CASES = [
    ("prediction", BITS, {}, (SCORES, LABELS, LABELS, SCORES)),
    ("prediction", WHOLE, {}, (LABELS, LABELS, LABELS, LABELS)),
    ("prediction", FRACTIONS, {}, (SCORES, SCORES, ERROR, SCORES)),
    ("prediction", BEYOND, {}, (SCORES, SCORES, ERROR, SCORES)),
    ("prediction", TEXT, {}, (LABELS, LABELS, LABELS, LABELS)),
    ("pred", BITS, {"task": "multiclass"}, (LABELS, LABELS, LABELS, LABELS)),
    ("pred", FRACTIONS, {"task": "multiclass"}, (ERROR, ERROR, ERROR, ERROR)),
    ("y_prob", BITS, {}, (SCORES, SCORES, ERROR, SCORES)),
    ("y_prob", WHOLE, {}, (SCORES, SCORES, ERROR, SCORES)),
    ("score", WHOLE, {}, (SCORES, LABELS, ERROR, SCORES)),
    ("logit", BEYOND, {}, (SCORES, SCORES, ERROR, SCORES)),
    ("decision_function", TEXT, {}, (LABELS, LABELS, ERROR, LABELS)),
    ("y_prob", FRACTIONS, {}, (SCORES, SCORES, ERROR, SCORES)),
    ("prediction", BITS, {"probability": "prediction"}, (SCORES, SCORES, ERROR, SCORES)),
    ("prediction", WHOLE, {"probability": "prediction"}, (SCORES, SCORES, ERROR, SCORES)),
    ("prediction", BITS, {"predicted": "prediction"}, (LABELS, LABELS, LABELS, LABELS)),
    ("y_pred", BITS, {}, (LABELS, LABELS, LABELS, LABELS)),
    ("y_pred", FRACTIONS, {}, (ERROR, ERROR, ERROR, ERROR)),
    ("mine", BITS, {"predicted": "mine"}, (LABELS, LABELS, LABELS, LABELS)),
    ("mine", WHOLE, {"predicted": "mine"}, (LABELS, LABELS, LABELS, LABELS)),
    ("mine", FRACTIONS, {"predicted": "mine"}, (SCORES, SCORES, ERROR, SCORES)),
    ("mine", FRACTIONS, {"probability": "mine"}, (SCORES, SCORES, ERROR, SCORES)),
]
GOLD = [(ZERO_ONE, None), (TWO, 2), (THREE, None), (WORDS, "b")]
TABLE = [
    pytest.param((name, values, options), gold, expected, id=f"{name}-{row}-{column}")
    for row, (name, values, options, readings) in enumerate(CASES)
    for column, (gold, expected) in enumerate(zip(GOLD, readings, strict=True))
]


def _tell(read):
    try:
        systems = read()
    except (InputError, UsageError):
        return ERROR
    (output,) = LABEL_KIND.of(systems).outputs
    return LABELS if output.probabilities is None else SCORES


def _write(path, columns):
    names, rows = list(columns), list(zip(*columns.values(), strict=True))
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(pa.table(columns), path)
    elif path.suffix == ".jsonl":
        dicts = (dict(zip(names, row, strict=True)) for row in rows)
        path.write_text("".join(json.dumps(one) + "\n" for one in dicts))
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        path.write_text("".join(mark.join(map(str, row)) + "\n" for row in (names, *rows)))
    return str(path)


def _read_file(path, reading):
    (systems,) = read_tables(Part(path, {"x": None}), reading)
    return systems


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize(("column", "gold", "expected"), TABLE)
def test_a_column_of_a_file_is_read_as_its_values_tell(tmp_path, ending, column, gold, expected):
    name, values, options = column
    if ending == ".parquet" and values == WHOLE:
        values = [float(value) for value in values]
    path = _write(tmp_path / f"all{ending}", {"gold": gold[0], name: values})
    columns = {key: value for key, value in options.items() if key != "task"}
    task = Task(options.get("task"), None, gold[1] if expected == SCORES else None)
    reading = Reading(Columns(gold="gold", **columns), task, (LABEL_KIND,))

    assert expected == _tell(lambda: _read_file(path, reading))


IN_MEMORY = {
    "list": lambda values: values,
    "numpy": np.array,
    "pandas": pd.Series,
    "polars": lambda values: pl.Series(values, strict=False),
    "arrow": pa.array,
}


@pytest.mark.parametrize("make", IN_MEMORY.values(), ids=IN_MEMORY)
@pytest.mark.parametrize(("values", "expected"), [
    ([0.0, 1.0, 1.0, 0.0], (SCORES, LABELS, LABELS, SCORES)),
    ([1.0, 3.0, 1.0, 2.0], (LABELS, LABELS, LABELS, ERROR)),
    ([0.25, 0.75, 1.0, 0.0], (SCORES, SCORES, ERROR, SCORES)),
    ([0.5, 1.5, -2.0, 0.0], (SCORES, SCORES, ERROR, SCORES)),
    ([0, 1, 1, 0], (LABELS, LABELS, LABELS, ERROR)),
    ([1, 3, 1, 2], (LABELS, LABELS, LABELS, ERROR)),
])  # fmt: skip
def test_a_column_in_memory_is_read_as_its_values_tell(make, values, expected):
    for (gold, positive), reading in zip(GOLD, expected, strict=True):
        task = Task(positive=positive if reading != LABELS else None)
        plan = InputPlan(Source(gold, make(values)), Reading(task=task, kinds=(LABEL_KIND,)))
        assert reading == _tell(partial(next, iterate_blocks(plan)))


def test_numbers_of_a_list_may_be_integers_and_floats():
    assert 1.0 == tallystick.score([0, 1, 1, 0], [0, 0.75, 1, 0.25], "roc_auc")["roc_auc"]


@pytest.mark.parametrize(("cells", "task", "expected"), [
    ("gold,pred\n1,1\n1,1\n1,1\n2,1\n", Task(positive="2"), 0.75),
    ("gold,prediction\n0,0\n2,1\n2,1\n", None, 1 / 3),
    ("gold,prediction\n1,3\n1,1\n1,1\n0,0\n", None, 0.75),
    ("gold,prediction\n-1,-1\n1,1\n1,-1\n", Task(positive="1"), 2 / 3),
])  # fmt: skip
def test_whole_numbers_that_are_labels_are_told_as_such(cells, task, expected):
    result = tallystick.score(pd.read_csv(io.StringIO(cells)), metrics="accuracy", task=task)
    assert expected == result["accuracy"]
    assert any("is read as labels" in note for note in result.notes)


def test_probabilities_beside_words_are_told():
    frame = pd.DataFrame({"gold": ["no", "yes", "yes"], "prediction": [0, 1, 0]})
    result = tallystick.score(frame, metrics="accuracy")
    note = "column 'prediction' is read as probabilities of the positive label, not as labels."
    assert 2 / 3 == result["accuracy"]
    assert note in result.notes


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl"])
def test_booleans_beside_0_and_1_are_labels_as_their_text_is(tmp_path, capsys, name):
    frame = pd.DataFrame({"label": [1, 0, 0, 1], "prediction": [True, True, False, True]})
    path = tmp_path / name
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    assert not main(["score", str(path), "--format", "json", "--no-intervals"])
    out, err = capsys.readouterr()

    assert "is read as labels" in err
    assert "roc_auc" not in out


@pytest.mark.deep
@pytest.mark.parametrize(("gold", "values"), [
    (["1"] * 6 + ["2", "1"], ["1"] * 6 + ["2", "1"]),
    (["1"] * 7 + ["2"], ["1"] * 8),
    (["0"] * 4 + ["1"] * 4, ["0", "1"] * 3 + ["0.5", "1"]),
    (["0", "1"] * 4, ["0", "1"] * 3 + ["3", "1"]),
    (["1", "2"] * 4, ["1"] * 6 + ["0.5", "1"]),
    (["0", "1"] * 4, ["0.5", "1"] * 3 + ["3", "1"]),
    (["0", "1"] * 3 + ["2", "1"], ["0", "1"] * 4),
    (["0", "1"] * 3 + ["2", "1"], ["0.5", "1"] + ["0", "1"] * 3),
    (["1", "2"] * 2 + ["1", "3"] * 2, ["1"] * 6 + ["0.5", "2"]),
    (["0", "2"] * 4, ["0", "1"] * 3 + ["0", "0.75"]),
    (["1", "2"] * 4, ["0", "1"] * 3 + ["0", "0.75"]),
    (["2", "0"] * 3 + ["2", "3"], ["0", "1"] * 3 + ["0", "0.5"]),
])  # fmt: skip
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("positive", [None, "2", "0"])
def test_all_blocks_and_parts_of_a_file_are_read_alike(
    tmp_path, monkeypatch, gold, values, named, positive
):
    reading = Reading(Columns(), Task(positive=positive), (LABEL_KIND,))
    for turn in range(0, 8, 3):
        order = [*range(turn, 8), *range(turn)]
        columns = {"gold": [gold[row] for row in order], "pred": [values[row] for row in order]}
        part = Part(_write(tmp_path / f"{turn}.csv", columns), {"x": "pred" if named else None})
        with monkeypatch.context() as patched:
            whole = _count_blocks(part, reading)
            patched.setattr(LIMITS, "large_input", 0)
            patched.setattr(LIMITS, "block_rows", 2)

            assert whole == _count_blocks(part, reading)
            assert whole == _count_parts(part, reading)


def _count_blocks(part, reading):
    try:
        return pack_counted(count(read_tables(part, reading), ["accuracy"]))
    except (InputError, UsageError):
        return ERROR


def _count_parts(part, reading):
    try:
        parts = plan_parts(part, reading, size=8)
        reading = settle_rows(part, reading, whole=False)
        while True:
            try:
                counted = [(part.name, count(part.read(reading), ["accuracy"])) for part in parts]
                return pack_counted(add_counted(counted))
            except ResettleError as changed:
                reading = changed.reading
    except (InputError, UsageError):
        return ERROR


LAYOUTS = {
    "joined by id": ({"gold.csv": "id,gold\n1,1\n2,1\n3,1\n4,2\n",
        "a.csv": "id,pred\n4,1\n3,1\n2,1\n1,1\n"}, ["gold.csv", "a.csv"]),
    "side by side": ({"gold.csv": "gold\n1\n1\n1\n2\n", "a.csv": "pred\n1\n1\n1\n1\n"},
        ["gold.csv", "a.csv"]),
    "a column for the system": ({"all.csv": "gold,pred\n1,1\n1,1\n1,1\n2,1\n"},
        ["all.csv", "--systems", "pred"]),
    "a row for each system": (
        {"all.tsv": "id\tgold\tname\tpred\n0\t1\ta\t1\n1\t1\ta\t1\n2\t1\ta\t1\n3\t2\ta\t1\n"},
        ["all.tsv", "--system-column", "name"],
    ),
    "a folder of predictions": ({"in/x_en.csv": "gold,pred\n1,1.0\n1,1.0\n1,1.0\n2,1.0\n"},
        ["--pred-dir", "in", "--run-tag", "x"]),
}  # fmt: skip


@pytest.mark.parametrize(("files", "words"), LAYOUTS.values(), ids=LAYOUTS)
def test_whole_numbers_are_labels_in_every_layout(folder, capsys, files, words):
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    code = main(["score", *words, "--positive", "2", "-m", "accuracy"])
    assert (0, True) == (code, "0.750" in capsys.readouterr().out)

"""Large tables are read block by block, and score as they do when they are read whole."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tallystick.errors import InputError
from tallystick.kinds.labels import LABELS
from tallystick.limits import LIMITS
from tallystick.model.columns import Columns
from tallystick.model.facts import Task
from tallystick.model.reading import Reading
from tallystick.reading import table_files
from tallystick.reading.table_files import Part, read_tables
from tallystick.scoring.counting import count
from tallystick.scoring.score import score_counted

ROWS = 1_000


@pytest.fixture
def blocks(monkeypatch):
    monkeypatch.setattr(LIMITS, "large_input", 0)
    monkeypatch.setattr(LIMITS, "block_rows", 64)


def _make_columns(labels, *, seed=7):
    draw = np.random.default_rng(seed)
    gold = draw.choice(labels, ROWS)
    return {
        "y_true": gold.tolist(),
        "y_pred": np.where(draw.random(ROWS) < 0.7, gold, draw.choice(labels, ROWS)).tolist(),
        "y_prob": np.round(draw.random(ROWS), 3).tolist(),
        "lang": draw.choice(["de", "en", "tr"], ROWS).tolist(),
        "doc": [str(number // 9) for number in range(ROWS)],
    }


def _write(path, columns):
    table = pa.table(columns)
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=100)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        lines = [
            ",".join(list(columns)),
            *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
        ]
        path.write_text("\n".join(lines) + "\n")
    return str(path)


def _count(part, metrics, columns):
    blocks = read_tables(part, Reading(columns, Task(), (LABELS,)))
    return count(blocks, metrics, heading="/".join(columns.by) or None)


def _score(part, metrics, columns):
    return list(score_counted(_count(part, metrics, columns), None).scores)


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("clusters", [None, "doc"])
def test_blocks_score_as_the_whole_table(tmp_path, ending, clusters, request):
    path = _write(tmp_path / f"all{ending}", _make_columns(["0", "1"]))
    columns = Columns(by=("lang",), clusters=clusters)
    metrics = ["accuracy", "f1", "mcc", "roc_auc", "average_precision"]
    whole = _score(Part(path, {"a": None}), metrics, columns)
    request.getfixturevalue("blocks")
    assert whole == _score(Part(path, {"a": None}), metrics, columns)


def test_blocks_are_dropped_when_they_are_counted(tmp_path, blocks):
    path = _write(tmp_path / "all.csv", _make_columns(["0", "1"]))
    counted = _count(Part(path, {"a": None}), ["accuracy"], Columns())
    assert () == counted.examples
    assert ROWS == counted.size(None)


def test_a_late_label_makes_the_task_what_it_is_as_a_whole(tmp_path, request):
    columns = _make_columns(["0", "1"])
    columns["y_true"][-1] = "2"
    del columns["y_prob"]
    path = _write(tmp_path / "all.csv", columns)
    whole = _count(Part(path, {"a": None}), ["accuracy"], Columns())
    request.getfixturevalue("blocks")
    late = _count(Part(path, {"a": None}), ["accuracy"], Columns())
    assert whole.facts.task == late.facts.task
    assert "multiclass" == late.facts.task.kind


def test_further_labels_of_a_multiclass_task_may_come_late(tmp_path, blocks):
    columns = _make_columns(["a", "b", "c", "d"])
    order = np.argsort(columns["y_true"], kind="stable")
    ordered = {
        name: [values[place] for place in order]
        for name, values in columns.items()
        if name != "y_prob"
    }
    path = _write(tmp_path / "all.csv", ordered)
    shuffled = {name: values for name, values in columns.items() if name != "y_prob"}
    scores = [
        [one.value for one in _score(Part(name, {"a": None}), ["accuracy", "macro_f1"], Columns())]
        for name in (path, _write(tmp_path / "other.csv", shuffled))
    ]
    assert scores[0] == scores[1]


def test_files_side_by_side_must_be_as_long(tmp_path, blocks):
    columns = _make_columns(["0", "1"])
    gold = _write(tmp_path / "gold.csv", {"y_true": columns["y_true"]})
    short = _write(tmp_path / "short.csv", {"y_pred": columns["y_pred"][:900]})
    with pytest.raises(InputError, match=r"gold\.csv has .*1000.* but .*short\.csv"):
        _count(Part(gold, {"a": short}, single=False), ["accuracy"], Columns())
    half = _write(tmp_path / "half.csv", {"y_true": columns["y_true"][:500]})
    long = _write(tmp_path / "long.csv", {"y_pred": columns["y_pred"]})
    with pytest.raises(InputError, match=r"half\.csv has 500 examples but .*long\.csv"):
        _count(Part(half, {"a": long}, single=False), ["accuracy"], Columns())


def test_a_column_for_each_system_comes_in_blocks_too(tmp_path, request):
    columns = _make_columns(["x", "y", "z"])
    wide = {"gold": columns["y_true"], "a": columns["y_pred"], "b": columns["y_true"][::-1]}
    part = Part(_write(tmp_path / "wide.parquet", wide), {"a": "a", "b": "b"})
    whole = _score(part, ["accuracy", "macro_f1"], Columns())
    request.getfixturevalue("blocks")
    assert whole == _score(part, ["accuracy", "macro_f1"], Columns())


@pytest.mark.parametrize(("rows", "large"), [(1_000, False), (9_000_000, True)])
def test_parquet_is_large_by_its_rows_and_not_by_its_bytes_on_disk(tmp_path, rows, large):
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table({"label": pa.repeat(True, rows)}), path)
    assert table_files.are_large([str(path)]) is large

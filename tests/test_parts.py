"""Parts that are counted apart add up to what is counted at once, whatever they are."""

import gzip
import json
import os
import pickle
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from msgspec.structs import replace

from tallystick.errors import InputError
from tallystick.kinds.labels import LABELS
from tallystick.model.columns import Columns
from tallystick.model.facts import Task
from tallystick.model.reading import Reading, ResettleError
from tallystick.reading.table_files import Part, plan_parts, read_tables, settle_rows
from tallystick.scoring.counted import add_counted
from tallystick.scoring.counting import count
from tallystick.scoring.tally_file import pack_counted

Rows = Sequence[Mapping[str, object]]
SIZES = [1, 300, 1500, 10**6]


pytestmark = pytest.mark.usefixtures("folder")


def _draw(rows, labels, *, scored):
    draw = random.Random(rows)
    drawn = []
    for number in range(rows):
        row: dict[str, object] = {"gold": draw.choice(labels), "predicted": draw.choice(labels)}
        if scored:
            row["probability"] = round(draw.random(), 2)
        row |= {"lang": draw.choice(["de", "en"]), "doc": f'{number // 5}, "no"\n', "a": "x\ny"}
        drawn.append(row)
    return drawn


def _write(path, rows, names):
    kept = [{name: row[name] for name in names} for row in rows]
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    if path.endswith(".parquet"):
        pyarrow.parquet.write_table(pa.Table.from_pylist(kept), path, row_group_size=7)
    elif path.endswith(".jsonl"):
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in kept))
    else:
        cells = [list(names), *(list(row.values()) for row in kept)]
        quoted = [[str(cell).replace('"', '""') for cell in line] for line in cells]
        lines = [",".join(f'"{cell}"' for cell in line) + "\r\n" for line in quoted]
        Path(path).write_text("\ufeff" + "".join(lines), newline="")
    return path


def _count_parts(parts, reading, metrics, heading):
    reading = settle_rows(replace(parts[0], pieces=None), reading, whole=False)
    parts = pickle.loads(pickle.dumps(parts))
    while True:
        try:
            return add_counted(
                [(part.name, count(part.read(reading), metrics, heading=heading)) for part in parts]
            )
        except ResettleError as changed:
            reading = pickle.loads(pickle.dumps(changed)).reading


@pytest.mark.parametrize("size", SIZES)
def test_parts_of_a_table_add_up_to_the_whole(size):
    rows = _draw(90, ["0", "1"], scored=True)
    path = _write("gold.parquet", rows, list(rows[0]))
    reading = Reading(Columns(by=("lang",), clusters="doc"), kinds=(LABELS,))
    metrics = ["accuracy", "f1", "roc_auc"]
    parts = plan_parts(Part(path, {"a": None}), reading, size=size)
    assert len(parts) > 2 or size > 1000
    assert len(parts) == 1 or size < 10**6
    counted = _count_parts(parts, reading, metrics, "lang")
    whole = count(read_tables(Part(path, {"a": None}), reading), metrics, heading="lang")
    assert pack_counted(whole) == pack_counted(counted)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_parts_of_data_sets_add_up_to_the_whole(size, ending):
    rows = _draw(90, ["a", "b", "c"], scored=False)
    for number, (start, stop) in enumerate([(0, 20), (20, 21), (21, 90)]):
        lang = "de" if start < 21 else "en"
        _write(f"gold/lang={lang}/part-{number}.{ending}", rows[start:stop], ["gold", "predicted"])
    reading = Reading(Columns(by=("lang",)), kinds=(LABELS,))
    parts = plan_parts(Part("gold", {"a": None}), reading, size=size)
    counted = _count_parts(parts, reading, ["macro_f1"], "lang")
    whole = count(read_tables(Part("gold", {"a": None}), reading), ["macro_f1"], heading="lang")
    assert ("de", "en") == counted.groups
    assert pack_counted(whole) == pack_counted(counted)


def test_a_label_of_the_last_part_makes_the_task_what_it_is_as_a_whole():
    rows = [*_draw(50, ["0", "1"], scored=False), {"gold": "2", "predicted": "0"}]
    path = _write("all.parquet", rows, ["gold", "predicted"])
    reading = Reading()
    parts = plan_parts(Part(path, {"a": None}), reading, size=1)
    settled = settle_rows(Part(path, {"a": None}), reading, whole=False)
    counted = _count_parts(parts, reading, ["macro_f1"], None)
    whole = count(read_tables(Part(path, {"a": None}), reading), ["macro_f1"])
    assert "multiclass" == settled.task.kind
    assert pack_counted(whole) == pack_counted(counted)


def test_the_first_part_alone_does_not_settle_the_task():
    reading = Reading(kinds=(LABELS,))
    rows = [{"gold": label, "predicted": label} for label in ["0"] * 40 + ["1"] * 40 + ["x"] * 40]
    path = _write("all.parquet", rows, ["gold", "predicted"])
    parts = plan_parts(Part(path, {"a": None}), reading, size=1)
    binary = Reading(kinds=(LABELS,), task=Task("binary", ("0", "1"), "1"), asked=Task())
    assert ("0", "1") == next(parts[0].read(binary)).facts.task.labels
    with pytest.raises(ResettleError) as changed:
        list(parts[-1].read(binary))
    assert Task("multiclass") == changed.value.reading.task


def test_a_positive_label_that_the_first_part_lacks_is_no_third_label():
    rows = [{"gold": label, "predicted": label} for label in ["b"] * 40 + ["a"] * 40]
    path = _write("all.parquet", rows, ["gold", "predicted"])
    reading = Reading(kinds=(LABELS,), task=Task(positive="b"))
    parts = plan_parts(Part(path, {"a": None}), reading, size=1)
    lacking = Reading(
        kinds=(LABELS,), task=Task("binary", ("not b", "b"), "b"), asked=Task(positive="b")
    )
    with pytest.raises(ResettleError) as changed:
        list(parts[-1].read(lacking))
    assert ("a", "b") == changed.value.reading.task.labels


def test_a_faulty_value_of_a_part_is_called_by_its_row_in_the_file():
    rows = _draw(60, ["0", "1"], scored=True)
    rows[50]["probability"] = 7
    path = _write("all.parquet", rows, ["gold", "probability"])
    reading = Reading()
    parts = plan_parts(Part(path, {"a": None}), reading, size=1)
    with pytest.raises(InputError) as whole:
        count(read_tables(Part(path, {"a": None}), reading), ["brier_score"])
    with pytest.raises(InputError) as part:
        _count_parts(parts, reading, ["brier_score"], None)
    assert "all.parquet, row 51, column 'probability'" in str(whole.value)
    assert str(whole.value) == str(part.value)


def test_files_of_other_columns_are_found_in_their_part():
    rows = _draw(60, ["0", "1"], scored=True)
    _write("data/part-0.csv", rows, ["gold", "predicted"])
    _write("data/part-1.csv", rows, ["gold", "probability"])
    parts = plan_parts(Part("data", {"a": None}), Reading(), size=100)
    with pytest.raises(InputError, match=r"data/part-1\.csv: has the columns 'gold', 'probab"):
        _count_parts(parts, Reading(), ["accuracy"], None)


def test_files_that_are_not_parquet_are_one_part():
    rows = [{"id": str(number), **row} for number, row in enumerate(_draw(60, "01", scored=False))]
    text = "gold,predicted\n" + "".join(f"{row['gold']},{row['predicted']}\n" for row in rows)
    Path("all.csv.gz").write_bytes(gzip.compress(text.encode()))
    Path("all.json").write_text(json.dumps(rows, indent=1))
    _write("all.csv", rows, ["gold", "predicted"])
    _write("ids.csv", rows, ["id", "gold"])
    _write("a.csv", rows[::-1], ["id", "predicted"])
    Path("ref.txt").write_text("a b c\n" * 30)
    for path in ("all.csv.gz", "all.json", "all.csv"):
        (part,) = plan_parts(Part(path, {"a": None}), Reading(), size=10)
        assert path == part.name
        assert 60 == _count_parts([part], Reading(), ["accuracy"], None).facts.n[None]
    for gold, path in (("ids.csv", "a.csv"), ("all.csv", "a.csv"), ("ref.txt", "ref.txt")):
        assert () == plan_parts(Part(gold, {"a": path}, single=False), Reading(), size=10)


def test_gzip_files_of_a_data_set_are_parts(folder):
    os.mkdir("data")
    for number in range(4):
        content = gzip.compress(os.urandom(200).hex().encode())
        Path(f"data/part-{number}.csv.gz").write_bytes(
            gzip.compress(b"gold,predicted,more\n1,1," + content.hex().encode() + b"\n")
        )
    parts = plan_parts(Part("data", {"a": None}), Reading(), size=500)
    assert [f"data/part-{number}.csv.gz" for number in range(4)] == [part.name for part in parts]
    assert 4 == _count_parts(parts, Reading(), ["accuracy"], None).facts.n[None]


def test_a_part_is_small_and_named_by_its_rows():
    path = _write("all.parquet", _draw(60, ["0", "1"], scored=False), ["gold", "predicted"])
    parts = plan_parts(Part(path, {"a": None}), Reading(), size=1)
    assert "all.parquet, rows 1 to 7" == parts[0].name
    assert len(pickle.dumps(parts[0])) < 1000


def test_what_is_no_label_is_told_by_all_the_gold():
    gold = ["a"] * 30 + ["b"] * 30 + ["c"] * 30
    rows = [{"gold": one, "predicted": "c" if n % 4 else "?"} for n, one in enumerate(gold)]
    path = _write("all.parquet", rows, ["gold", "predicted"])
    reading = Reading(Columns(invalid="wrong"), kinds=(LABELS,))
    parts = plan_parts(Part(path, {"a": None}), reading, size=1)
    assert len(parts) > 2
    counted = _count_parts(parts, reading, ["accuracy"], None)
    whole = count(read_tables(Part(path, {"a": None}), reading), ["accuracy"])
    assert pack_counted(whole) == pack_counted(counted)

"""Large tables that are joined by id score, and fail, as they do when they are read whole."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import Columns
from tallystick.examples.reading import Reading
from tallystick.io.files import spill
from tallystick.reading import joined_files, long_files, table_files
from tallystick.reading.layouts import read_long_file
from tallystick.reading.table_files import Place, read_tables
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count
from tallystick.scoring.score import score_counted

ROWS = 1_000

Data = dict[str, list[object]]


def _shrink(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Makes every table a large one, of many blocks, partitions and ranges."""
    monkeypatch.setattr(table_files, "_LARGE", 0)
    monkeypatch.setattr(table_files, "_ROWS", rows)
    monkeypatch.setattr(joined_files, "_PARTITIONS", (3, 3))
    monkeypatch.setattr(joined_files, "_RANGES", 5)
    monkeypatch.setattr(spill, "_BUFFER", 1 << 12)
    monkeypatch.setattr(long_files, "_BINS", 100)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes every table a large one, once it is called."""
    return lambda: _shrink(monkeypatch, 64)


def _make(labels: Sequence[str], *, seed: int = 7) -> tuple[Data, Data]:
    """Gold and outputs of the same examples, in another order each."""
    draw = np.random.default_rng(seed)
    ids = [f"doc-{place}" for place in draw.permutation(ROWS)]
    gold = draw.choice(labels, ROWS)
    predicted = np.where(draw.random(ROWS) < 0.7, gold, draw.choice(labels, ROWS))
    order = draw.permutation(ROWS)
    return (
        {
            "id": ids,
            "label": gold.tolist(),
            "lang": draw.choice(["de", "en", "tr"], ROWS).tolist(),
            "doc": [str(place // 9) for place in range(ROWS)],
        },
        {
            "id": [ids[place] for place in order],
            "y_pred": predicted[order].tolist(),
            "y_prob": np.round(draw.random(ROWS), 3)[order].tolist(),
        },
    )


def _write(path: Path, columns: Data) -> str:
    table = pa.table(columns)
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=100)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        rows = zip(*columns.values(), strict=True)
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
        path.write_text("\n".join([",".join(columns), *lines]) + "\n")
    return str(path)


def _count(
    gold: str, paths: Mapping[str, str | None], metrics: Sequence[str], reading: Reading
) -> Counted:
    places = {name: Place(path) for name, path in paths.items()}
    heading = "/".join(reading.columns.by) or None
    return count(read_tables(gold, places, reading), metrics, heading=heading)


def _tell(
    gold: str, paths: Mapping[str, str | None], metrics: Sequence[str], reading: Reading
) -> object:
    """All that came out: the scores, notes and refusals; or the error."""
    return _tell_counted(lambda: _count(gold, paths, metrics, reading))


def _tell_long(path: str, metrics: Sequence[str], reading: Reading) -> object:
    """All that came out of a file with several systems."""
    heading = "/".join(reading.columns.by) or None
    return _tell_counted(
        lambda: count(read_long_file(path, "system", reading), metrics, heading=heading)
    )


def _tell_counted(read: Callable[[], Counted]) -> object:
    try:
        counted = read()
        found = score_counted(counted, None)
    except (InputError, UsageError) as error:
        return type(error).__name__, str(error)
    return (
        repr(found.scores),
        found.notes,
        counted.refused,
        counted.task,
        counted.labels,
        counted.invalid,
        counted.n,
    )


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("labels", [["0", "1"], ["a", "b", "c"]])
def test_a_join_in_parts_scores_as_one_of_the_whole(tmp_path, ending, labels, small):
    """Every score of every group is the same to the last bit, and so are the notes."""
    gold, own = _make(labels)
    if len(labels) > 2:
        del own["y_prob"]
    paths = {"a": _write(tmp_path / f"a{ending}", own)}
    path = _write(tmp_path / f"gold{ending}", gold)
    reading = Reading(Columns(by=("lang",), clusters="doc"))
    metrics = ["accuracy", "macro_f1", *(["roc_auc", "brier_score"] if len(labels) == 2 else [])]
    whole = _tell(path, paths, metrics, reading)
    small()
    assert "Error" not in str(whole)[:20]
    assert whole == _tell(path, paths, metrics, reading)


def _drop(own: Data, *names: str, rows: slice = slice(0)) -> None:
    for name in names:
        del own[name]
    for column in own.values():
        del column[rows]


def _repeat_in_gold(gold: Data, own: Data) -> None:
    gold["id"][10] = gold["id"][20] = gold["id"][990]


def _repeat_in_system(gold: Data, own: Data) -> None:
    for place in range(7):
        own["id"][place + 900] = own["id"][place]


def _lack(gold: Data, own: Data) -> None:
    _drop(own, rows=slice(300, 310))


def _lack_with_labels(gold: Data, own: Data) -> Columns:
    _drop(own, "y_prob", rows=slice(300, 310))
    return Columns(missing="wrong")


def _lack_with_probabilities(gold: Data, own: Data) -> Columns:
    _drop(own, "y_pred", rows=slice(300, 310))
    return Columns(missing="wrong")


def _lack_with_both(gold: Data, own: Data) -> Columns:
    _drop(own, rows=slice(300, 310))
    return Columns(missing="wrong")


def _lack_a_block(gold: Data, own: Data) -> Columns:
    kept = [place for place in range(ROWS) if own["id"][place] not in gold["id"][128:700]]
    for name in list(own):
        own[name] = [own[name][place] for place in kept]
    del own["y_prob"]
    return Columns(missing="wrong")


def _add_unknown(gold: Data, own: Data) -> None:
    own["id"] += [f"new {place}" for place in range(6)]
    own["y_pred"] += ["0"] * 6
    own["y_prob"] += [0.5] * 6


def _blank_id_of_gold(gold: Data, own: Data) -> None:
    gold["id"][77] = gold["id"][500] = None


def _blank_id_of_system(gold: Data, own: Data) -> None:
    own["id"][77] = own["id"][500] = None


def _blank_number_of_system(gold: Data, own: Data) -> None:
    gold["id"] = list(range(ROWS))
    own["id"] = [None, *range(1, ROWS)]


def _blank_number_of_gold(gold: Data, own: Data) -> None:
    gold["id"] = [*range(ROWS - 1), None]
    own["id"] = list(range(ROWS))


def _blank_label_of_gold(gold: Data, own: Data) -> None:
    gold["label"][700] = None


def _blank_label_of_system(gold: Data, own: Data) -> None:
    own["y_pred"][700] = None


def _break_probability(gold: Data, own: Data) -> None:
    own["y_prob"][700] = 1.5


def _one_threshold(gold: Data, own: Data) -> None:
    del own["y_pred"]
    own["best_threshold"] = [0.3] * ROWS


def _two_thresholds(gold: Data, own: Data) -> None:
    _one_threshold(gold, own)
    for name in gold["id"][640:]:
        own["best_threshold"][own["id"].index(name)] = 0.4


def _three_thresholds(gold: Data, own: Data) -> None:
    _two_thresholds(gold, own)
    own["best_threshold"][own["id"].index(gold["id"][650])] = 0.5


def _invalid_as_wrong(gold: Data, own: Data) -> Columns:
    del own["y_prob"]
    own["y_pred"][700], own["y_pred"][3], own["y_pred"][4] = None, "strange", "odd"
    return Columns(invalid="wrong")


def _invalid_as_class(gold: Data, own: Data) -> Columns:
    del own["y_prob"]
    own["y_pred"][own["id"].index(gold["id"][990])] = None
    return Columns(invalid="class")


def _late_label(gold: Data, own: Data) -> None:
    del own["y_prob"]
    own["y_pred"][own["id"].index(gold["id"][990])] = "2"


def _late_label_of_gold(gold: Data, own: Data) -> None:
    del own["y_prob"]
    gold["label"][990] = "2"


def _other_groups(gold: Data, own: Data) -> Columns:
    own["lang"] = ["de"] * ROWS
    return Columns(by=("lang",))


def _groups_of_system(gold: Data, own: Data) -> Columns:
    own["topic"] = [str(name)[-1] for name in own["id"]]
    return Columns(by=("topic",))


def _once_in_each_group(gold: Data, own: Data) -> Columns:
    gold["id"] = [f"{place // 3}" for place in range(ROWS)]
    gold["lang"] = [("de", "en", "tr")[place % 3] for place in range(ROWS)]
    own["id"], own["lang"] = gold["id"][::-1], gold["lang"][::-1]
    return Columns(by=("lang",))


def _once_in_each_group_of_gold(gold: Data, own: Data) -> Columns:
    _once_in_each_group(gold, own)
    _drop(own, "lang", rows=slice(334, None))
    own["id"] = [f"{place}" for place in range(333, -1, -1)]
    return Columns(by=("lang",))


def _twice_in_a_group(gold: Data, own: Data) -> Columns:
    columns = _once_in_each_group(gold, own)
    gold["id"][903] = gold["id"][3]
    return columns


def _id_as_group(gold: Data, own: Data) -> Columns:
    gold["id"] = [str(place) for place in range(ROWS)]
    own["id"] = gold["id"][::-1]
    return Columns(by=("id",))


def _same_order(gold: Data, own: Data) -> None:
    own["id"] = list(gold["id"])


def _same_order_and_more(gold: Data, own: Data) -> None:
    own["id"] = list(gold["id"])
    _add_unknown(gold, own)


def _no_id_in_system(gold: Data, own: Data) -> None:
    _drop(own, "id")


def _labels_alone(gold: Data, own: Data) -> None:
    _drop(own, "id", "y_prob")


def _labels_too_short(gold: Data, own: Data) -> None:
    _drop(own, "id", "y_prob", rows=slice(800, None))


def _other_name_of_id(gold: Data, own: Data) -> None:
    own["uid"] = own.pop("id")


FAULTS: tuple[Callable[[Data, Data], Columns | None], ...] = (
    _repeat_in_gold,
    _repeat_in_system,
    _lack,
    _lack_with_labels,
    _lack_with_probabilities,
    _lack_with_both,
    _lack_a_block,
    _add_unknown,
    _blank_id_of_gold,
    _blank_id_of_system,
    _blank_number_of_gold,
    _blank_number_of_system,
    _blank_label_of_gold,
    _blank_label_of_system,
    _break_probability,
    _one_threshold,
    _two_thresholds,
    _three_thresholds,
    _invalid_as_wrong,
    _invalid_as_class,
    _late_label,
    _late_label_of_gold,
    _other_groups,
    _groups_of_system,
    _once_in_each_group,
    _once_in_each_group_of_gold,
    _twice_in_a_group,
    _id_as_group,
    _same_order,
    _same_order_and_more,
    _no_id_in_system,
    _labels_alone,
    _labels_too_short,
    _other_name_of_id,
)


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_faults_are_told_as_of_the_whole(tmp_path, fault, ending, small):
    """Scores, notes and messages are those of tables that are read whole."""
    gold, own = _make(["0", "1"])
    reading = Reading(fault(gold, own) or Columns())
    path = _write(tmp_path / f"gold{ending}", gold)
    paths = {"a": _write(tmp_path / f"a{ending}", own)}
    whole = _tell(path, paths, ["accuracy", "macro_f1"], reading)
    small()
    assert whole == _tell(path, paths, ["accuracy", "macro_f1"], reading)


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS)
def test_wrong_submissions_are_set_aside_as_of_the_whole(tmp_path, fault, small):
    """One that is wrong stops no other, wherever its fault lies, and has the same reason."""
    gold, own = _make(["0", "1"])
    good = {name: list(column) for name, column in own.items()}
    bad = _make(["0", "1"], seed=8)[1]
    reading = Reading(fault(gold, own) or Columns(), tolerant=True)
    path = _write(tmp_path / "gold.csv", gold)
    paths = {
        "z": _write(tmp_path / "z.csv", own),
        "bad": _write(tmp_path / "bad.csv", {**bad, "y_pred": ["0"] * 900 + [""] * 100}),
        "a": _write(tmp_path / "a.csv", good),
        "none": str(tmp_path / "none.csv"),
    }
    whole = _tell(path, paths, ["accuracy", "macro_f1"], reading)
    small()
    assert whole == _tell(path, paths, ["accuracy", "macro_f1"], reading)


def _make_long(labels: Sequence[str], systems: Sequence[str] = ("b", "a", "c")) -> Data:
    """A table with the rows of several systems, shuffled."""
    gold, _ = _make(labels)
    draw = np.random.default_rng(3)
    places = np.tile(np.arange(ROWS), len(systems))
    named = np.repeat(systems, ROWS)
    order = draw.permutation(len(places))
    long: Data = {name: [column[place] for place in places[order]] for name, column in gold.items()}
    long["system"] = named[order].tolist()
    truth = np.array(long["label"])
    wrong = draw.choice(labels, len(order))
    long["y_pred"] = np.where(draw.random(len(order)) < 0.6, truth, wrong).tolist()
    return long


def _keep(long: Data, kept: Callable[[int], bool]) -> None:
    rows = [row for row in range(len(long["id"])) if kept(row)]
    for name in list(long):
        long[name] = [long[name][row] for row in rows]


def _find_row(long: Data, system: str, number: int) -> int:
    rows = [row for row, name in enumerate(long["system"]) if name == system]
    return rows[number]


def _lack_rows(long: Data) -> None:
    lacking = {_find_row(long, "a", number) for number in range(40, 47)}
    _keep(long, lambda row: row not in lacking)


def _lack_rows_as_wrong(long: Data) -> Columns:
    _lack_rows(long)
    return Columns(missing="wrong")


def _repeat_rows(long: Data) -> None:
    for number in range(50, 58):
        row, other = (_find_row(long, "c", at) for at in (number, number + 800))
        for name in ("id", "label"):
            long[name][other] = long[name][row]


def _tear_gold(long: Data) -> None:
    for number in (700, 800):
        row = _find_row(long, "a", number)
        long["label"][row] = "0" if long["label"][row] == "1" else "1"


def _blank_ids(long: Data) -> None:
    rows = [_find_row(long, system, 5) for system in "abc"]
    for row in rows:
        long["id"][row], long["label"][row] = "", "0"


def _blank_system(long: Data) -> None:
    long["system"][900] = None


def _blank_label(long: Data) -> None:
    name = long["id"][900]
    for row, other in enumerate(long["id"]):
        if other == name:
            long["label"][row] = ""


def _blank_answer(long: Data) -> None:
    long["y_pred"][_find_row(long, "b", 700)] = ""


def _strange_answer(long: Data) -> None:
    long["y_pred"][_find_row(long, "b", 990)] = "2"


def _strange_answer_as_wrong(long: Data) -> Columns:
    _strange_answer(long)
    return Columns(invalid="wrong")


def _groups(long: Data) -> Columns:
    return Columns(by=("lang",), clusters="doc")


def _no_ids(long: Data) -> None:
    del long["id"]


def _sort_by_system(long: Data) -> None:
    order = sorted(range(len(long["id"])), key=lambda row: str(long["system"][row]))
    for name in list(long):
        long[name] = [long[name][row] for row in order]


LONG: tuple[Callable[[Data], Columns | None], ...] = (
    _lack_rows,
    _lack_rows_as_wrong,
    _repeat_rows,
    _tear_gold,
    _blank_ids,
    _blank_system,
    _blank_label,
    _blank_answer,
    _strange_answer,
    _strange_answer_as_wrong,
    _groups,
    _no_ids,
    _sort_by_system,
)


@pytest.mark.deep
@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("change", LONG)
def test_a_file_with_several_systems_is_read_as_the_whole_of_it(
    tmp_path, change, ending, tolerant, small
):
    """Scores, notes, messages and refusals are those of a table that is read whole."""
    long = _make_long(["0", "1"])
    reading = Reading(change(long) or Columns(), tolerant=tolerant)
    path = _write(tmp_path / f"all{ending}", long)
    whole = _tell_long(path, ["accuracy", "macro_f1"], reading)
    small()
    assert whole == _tell_long(path, ["accuracy", "macro_f1"], reading)


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_rows_come_in_blocks_though_ids_join_them(tmp_path, ending, small):
    """No block has more rows than memory is meant for, and all have those of the whole."""
    gold, own = _make(["0", "1"])
    path = _write(tmp_path / f"gold{ending}", gold)
    other = _write(tmp_path / f"a{ending}", own)
    long = _write(tmp_path / f"long{ending}", _make_long(["0", "1"]))
    small()
    sizes = [len(one) for one in read_tables(path, {"a": Place(other)}, Reading())]
    assert [64] * 15 + [40] == sizes
    sizes = [len(one) for one in read_long_file(long, "system", Reading())]
    assert ROWS == sum(sizes)
    assert max(sizes) < 300


@pytest.mark.parametrize("fault", [_late_label, _blank_label_of_system, _add_unknown, _lack])
def test_folders_of_files_are_joined_as_one_table(tmp_path, fault, small):
    """Rows of several files are told apart by the file and the number in it."""
    gold, own = _make(["0", "1"])
    reading = Reading(fault(gold, own) or Columns())
    folders = {}
    for name, data in (("gold", gold), ("a", own)):
        folders[name] = tmp_path / name
        folders[name].mkdir()
        for part in range(4):
            rows = slice(part * 300, (part + 1) * 300)
            part_data = {column: values[rows] for column, values in data.items()}
            _write(folders[name] / f"part-{part}.csv", part_data)
    path, paths = str(folders["gold"]), {"a": str(folders["a"])}
    whole = _tell(path, paths, ["accuracy", "macro_f1"], reading)
    small()
    assert whole == _tell(path, paths, ["accuracy", "macro_f1"], reading)


def _mix_extra(gold: Data, own: Data) -> None:
    own["extra"] = [place if place < 500 else f"from {place}" for place in range(ROWS)]


def _mix_numbers(gold: Data, own: Data) -> None:
    own["y_prob"] = [int(place % 2) if place < 500 else 0.25 for place in range(ROWS)]


def _mix_labels(gold: Data, own: Data) -> None:
    del own["y_prob"]
    own["y_pred"] = [place % 2 if place < 500 else "1" for place in range(ROWS)]


def _begin_with_nothing(gold: Data, own: Data) -> None:
    own["extra"] = [None if place < 500 else "here" for place in range(ROWS)]


def _number_gold(gold: Data, own: Data) -> None:
    gold["id"] = list(range(ROWS))
    own["id"] = [str(place) for place in range(ROWS - 1, -1, -1)]


@pytest.mark.parametrize(
    "change", [_mix_extra, _mix_numbers, _mix_labels, _begin_with_nothing, _number_gold]
)
def test_json_of_several_kinds_is_read_as_the_whole_of_it(tmp_path, change, small):
    """A column that has other types in other rows is what it is in all of the file."""
    gold, own = _make(["0", "1"])
    change(gold, own)
    path, other = tmp_path / "gold.jsonl", tmp_path / "a.jsonl"
    for target, columns in ((path, gold), (other, own)):
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        target.write_text("".join(json.dumps(row) + "\n" for row in rows))
    whole = _tell(str(path), {"a": str(other)}, ["accuracy", "macro_f1"], Reading())
    small()
    assert whole == _tell(str(path), {"a": str(other)}, ["accuracy", "macro_f1"], Reading())


def test_more_files_than_may_be_open_are_read_one_by_one(tmp_path, small, monkeypatch):
    """They come in one piece, as small files do."""
    gold, own = _make(["0", "1"])
    path = _write(tmp_path / "gold.csv", gold)
    places = {name: Place(_write(tmp_path / f"{name}.csv", own)) for name in "ab"}
    small()
    monkeypatch.setattr(table_files, "_FILES", 2)
    assert [ROWS] == [len(one) for one in read_tables(path, places, Reading())]


IDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h", "i", ""]), min_size=1)


@settings(max_examples=40, deadline=None)
@given(gold=IDS, own=st.lists(IDS, min_size=1, max_size=3), data=st.data())
def test_any_ids_are_told_as_of_the_whole(gold, own, data):
    """Whatever ids stand in small tables, what is told of them is the same."""
    columns = Columns(missing=data.draw(st.sampled_from(["error", "wrong"])))
    reading = Reading(columns, tolerant=data.draw(st.booleans()))
    labels = st.sampled_from(["0", "1"])
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = _draw(f"{folder}/gold.csv", "id,label", gold, labels, data)
        paths = {
            str(place): _draw(f"{folder}/{place}.csv", "id,y_pred", ids, labels, data)
            for place, ids in enumerate(own)
        }
        whole = _tell(path, paths, ["accuracy", "f1"], reading)
        _shrink(patch, 2)
        assert whole == _tell(path, paths, ["accuracy", "f1"], reading)


def _draw(
    path: str, header: str, ids: list[str], labels: st.SearchStrategy[str], data: st.DataObject
) -> str:
    rows = [f"{name},{data.draw(labels)}" for name in ids]
    Path(path).write_text("\n".join([header, *rows]) + "\n")
    return path

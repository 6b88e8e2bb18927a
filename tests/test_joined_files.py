"""Large tables that are joined by id score, and fail, as they do when they are read whole."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tallystick.errors import InputError, UsageError
from tallystick.examples import joined_files, table_files
from tallystick.examples.columns import Columns
from tallystick.examples.reading import Reading
from tallystick.examples.table_files import Place, read_tables
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count
from tallystick.scoring.score import score_counted

ROWS = 1_000

Data = dict[str, list[object]]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes every table a large one, of many blocks, partitions and ranges, once it is called."""

    def shrink() -> None:
        monkeypatch.setattr(table_files, "_LARGE", 0)
        monkeypatch.setattr(table_files, "_ROWS", 64)
        monkeypatch.setattr(joined_files, "_PARTITIONS", (3, 3))
        monkeypatch.setattr(joined_files, "_RANGES", 5)
        monkeypatch.setattr(joined_files, "_PIECE", 1)

    return shrink


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
    """All that came out: the scores with their intervals, notes and refusals; or the error."""
    try:
        counted = _count(gold, paths, metrics, reading)
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
def test_a_join_in_parts_scores_as_one_of_the_whole(
    tmp_path: Path, ending: str, labels: list[str], small: Callable[[], None]
) -> None:
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


def _fault(name: str, gold: Data, own: Data) -> Reading:
    """Puts a fault into the tables, and tells how they are read."""
    columns = Columns()
    if name == "twice in the gold":
        gold["id"][10] = gold["id"][20] = gold["id"][990]
    elif name == "twice in the system":
        for place in range(7):
            own["id"][place + 900] = own["id"][place]
    elif name == "missing":
        for column in own.values():
            del column[300:310]
    elif name == "missing is wrong":
        columns = Columns(missing="wrong")
        del own["y_prob"]
        for column in own.values():
            del column[300:310]
    elif name == "missing has no probability":
        columns = Columns(missing="wrong")
        del own["y_pred"]
        for column in own.values():
            del column[300:310]
    elif name == "unknown":
        own["id"] += [f"new {place}" for place in range(6)]
        own["y_pred"] += ["0"] * 6
        own["y_prob"] += [0.5] * 6
    elif name == "no id in the gold":
        gold["id"][77] = gold["id"][500] = None
    elif name == "no id in the system":
        own["id"][77] = own["id"][500] = None
    elif name == "no label in the gold":
        gold["label"][700] = None
    elif name == "no label in the system":
        own["y_pred"][700] = None
    elif name == "a broken probability":
        own["y_prob"][700] = 1.5
    elif name == "invalid outputs are wrong":
        columns = Columns(invalid="wrong")
        del own["y_prob"]
        own["y_pred"][700], own["y_pred"][3], own["y_pred"][4] = None, "strange", "odd"
    elif name == "invalid outputs are a class":
        columns = Columns(invalid="class")
        del own["y_prob"]
        own["y_pred"][gold_place(gold, own, 990)] = None
    elif name == "a late label":
        del own["y_prob"]
        own["y_pred"][gold_place(gold, own, 990)] = "2"
    elif name == "a late label of the gold":
        del own["y_prob"]
        gold["label"][990] = "2"
    elif name == "other groups":
        columns = Columns(by=("lang",))
        own["lang"] = ["de"] * ROWS
    elif name == "ids stand once in each group":
        columns = Columns(by=("lang",))
        gold["id"] = [f"{place // 3}" for place in range(ROWS)]
        gold["lang"] = [("de", "en", "tr")[place % 3] for place in range(ROWS)]
        own["id"], own["lang"] = gold["id"][::-1], gold["lang"][::-1]
    elif name == "ids stand once in each group of the gold":
        columns = Columns(by=("lang",))
        gold["id"] = [f"{place // 3}" for place in range(ROWS)]
        gold["lang"] = [("de", "en", "tr")[place % 3] for place in range(ROWS)]
        for column in own.values():
            del column[334:]
        own["id"] = [f"{place}" for place in range(333, -1, -1)]
    elif name == "groups of the system":
        columns = Columns(by=("topic",))
        own["topic"] = [str(id)[-1] for id in own["id"]]
    elif name == "the id is a group":
        columns = Columns(by=("id",))
        gold["id"] = [str(place) for place in range(ROWS)]
        own["id"] = gold["id"][::-1]
    return Reading(columns)


def gold_place(gold: Data, own: Data, place: int) -> int:
    """Where a system has the example that stands at a place of the gold."""
    return own["id"].index(gold["id"][place])


FAULTS = (
    "twice in the gold",
    "twice in the system",
    "missing",
    "missing is wrong",
    "missing has no probability",
    "unknown",
    "no id in the gold",
    "no id in the system",
    "no label in the gold",
    "no label in the system",
    "a broken probability",
    "invalid outputs are wrong",
    "invalid outputs are a class",
    "a late label",
    "a late label of the gold",
    "other groups",
    "ids stand once in each group",
    "ids stand once in each group of the gold",
    "groups of the system",
    "the id is a group",
)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_faults_are_told_as_of_the_whole(
    tmp_path: Path, fault: str, ending: str, small: Callable[[], None]
) -> None:
    """Scores, notes and messages are those of tables that are read whole."""
    gold, own = _make(["0", "1"])
    reading = _fault(fault, gold, own)
    path = _write(tmp_path / f"gold{ending}", gold)
    paths = {"a": _write(tmp_path / f"a{ending}", own)}
    whole = _tell(path, paths, ["accuracy", "macro_f1"], reading)
    small()
    assert whole == _tell(path, paths, ["accuracy", "macro_f1"], reading)


@pytest.mark.parametrize("fault", FAULTS)
def test_wrong_submissions_are_set_aside_as_of_the_whole(
    tmp_path: Path, fault: str, small: Callable[[], None]
) -> None:
    """One that is wrong stops no other, wherever its fault lies, and has the same reason."""
    gold, own = _make(["0", "1"])
    good = {name: list(column) for name, column in own.items()}
    bad = _make(["0", "1"], seed=8)[1]
    reading = replace(_fault(fault, gold, own), tolerant=True)
    if fault.startswith("ids stand"):
        good = own
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

"""Files that are joined by id on workers give the bytes and the errors of one process."""

import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tallystick.cli import main
from tallystick.distributed import count as engine_count
from tallystick.distributed.cluster import Cluster
from tallystick.limits import LIMITS

ROWS = 300
METRICS = ("-m", "accuracy", "macro_f1")

Rows = list[dict[str, str]]


@pytest.fixture(autouse=True)
def small_joins(monkeypatch):
    monkeypatch.setattr(LIMITS, "least_part", 1 << 10)
    monkeypatch.setattr(LIMITS, "join_pieces", (1 << 10, 1 << 10))
    monkeypatch.setattr(LIMITS, "join_partitions", (3, 3))


@pytest.fixture
def joined(monkeypatch):
    found: list[bool] = []
    count = engine_count.count_joined

    def note(*args, **options):
        counted = count(*args, **options)
        found.append(counted is not None)
        return counted

    monkeypatch.setattr(engine_count, "count_joined", note)
    return found


def invent(labels="abc"):
    draw = np.random.default_rng(7)
    gold = draw.choice([*labels], ROWS).tolist()
    ids = [f"x{place}" for place in draw.permutation(ROWS)]
    tables = {
        "gold": [
            {"id": name, "label": label, "lang": f"l{name[-1]}"}
            for name, label in zip(ids, gold, strict=True)
        ]
    }
    for system in ("one", "two"):
        said = np.where(draw.random(ROWS) < 0.7, gold, draw.choice([*labels], ROWS)).tolist()
        order = draw.permutation(ROWS).tolist()
        tables[system] = [{"id": ids[place], "prediction": said[place]} for place in order]
    return tables


def write(folder, tables, kind="csv"):
    paths = []
    for name, rows in tables.items():
        path = folder / f"{name}.{kind}"
        if kind == "parquet":
            pa.parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=40)
        elif kind == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        else:
            lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
            path.write_text("\n".join(lines) + "\n")
        paths.append(str(path))
    return paths


def count(folder, usual, *workers):
    output = folder / f"counted{len(workers)}.tally"
    assert main(["count", *usual, *workers, "-o", str(output)]) == 0
    return output.read_bytes()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("extra", [("--by", "lang"), ("--clusters", "id")])
@pytest.mark.usefixtures("shared_workers")
def test_workers_join_to_the_bytes_of_one_process(tmp_path, kind, extra, joined):
    usual = [*write(tmp_path, invent(), kind), *METRICS, *extra]
    assert count(tmp_path, usual) == count(tmp_path, usual, "--workers", "2")
    assert [True] == joined


def write_long(folder, tables, kind):
    gold = {row["id"]: row for row in tables["gold"]}
    rows = [
        gold[row["id"]] | row | {"system": name} for name in ("one", "two") for row in tables[name]
    ]
    return write(folder, {"long": rows}, kind)[0]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("extra", [("--by", "lang"), ("--clusters", "id"), ("--systems", "two")])
@pytest.mark.usefixtures("shared_workers")
def test_workers_join_the_rows_of_systems_that_a_column_names(tmp_path, kind, extra, joined):
    usual = [write_long(tmp_path, invent(), kind), "--system-column", "system", *METRICS, *extra]
    assert count(tmp_path, usual) == count(tmp_path, usual, "--workers", "2")
    assert [True] == joined


@pytest.mark.parametrize("fault", ["lacking", "twice", "unknown", "no system", "only", "torn"])
@pytest.mark.usefixtures("shared_workers")
def test_what_is_wrong_with_rows_of_systems_is_told_as_one_process_does(
    tmp_path, fault, joined, capsys
):
    tables, extra = invent(), list[str]()
    if fault == "only":  # in one of the parts
        tables["two"] = tables["two"][:1]
    elif fault == "no system":
        extra = ["--systems", "three"]
    elif fault != "torn":
        spoil(tables, fault)
    if fault == "unknown":
        tables["gold"].append({"id": "y1", "label": "a", "lang": "l1"})
    path = write_long(tmp_path, tables, "csv")
    if fault == "torn":
        first, *lines = Path(path).read_text().splitlines(keepends=True)
        number, label, *rest = lines[5].split(",")
        lines[5] = ",".join([number, "b" if label == "a" else "a", *rest])
        Path(path).write_text("".join([first, *lines]))
    usual = ["score", path, "--system-column", "system", *METRICS, *extra]

    assert main(usual) in (2, 4)
    message = capsys.readouterr()
    assert main([*usual, "--workers", "2"]) in (2, 4)

    assert message == capsys.readouterr()
    assert [False] == joined


@pytest.mark.parametrize("layout", ["column", "files", "gold"])
@pytest.mark.parametrize("metrics", [("pass@1", "pass^3"), ("maj@2",)])
@pytest.mark.usefixtures("shared_workers")
def test_workers_join_repeated_tries(tmp_path, layout, metrics, joined):
    tables = invent()
    tries = {
        name: [
            {
                "id": row["id"],
                "prediction": row["prediction"] if again else "a",
                "lang": f"l{row['id'][-1]}",
            }
            for again in range(3)
            for row in tables[name]
        ]
        for name in ("one", "two")
    }
    gold = {row["id"]: row["label"] for row in tables["gold"]}
    if layout == "column":
        rows = [
            row | {"gold": gold[row["id"]], "system": name}
            for name, own in tries.items()
            for row in own
        ]
        usual = [*write(tmp_path, {"all": rows}), "--system-column", "system"]
    elif layout == "gold":
        usual = write(tmp_path, {"gold": tables["gold"], **tries})
    else:
        for name, own in tries.items():
            tries[name] = [row | {"gold": gold[row["id"]]} for row in own]
        parts = {f"one{half}": tries["one"][half::2] for half in range(2)}
        paths = write(tmp_path, {**parts, "two": tries["two"]})
        usual = [f"one={paths[0]}", f"one={paths[1]}", paths[2]]
    usual += ["--by", "lang", "-m", *metrics]

    assert count(tmp_path, usual) == count(tmp_path, usual, "--workers", "2")
    assert [True] == joined


ANNOTATORS = ("ann", "bob", "idle", "10", "9")


@pytest.mark.usefixtures("shared_workers")
def test_a_label_that_only_one_row_has_changes_the_task_of_all_parts(tmp_path, joined):
    tables = invent("01")
    tables["two"][-1]["prediction"] = tables["gold"][-1]["label"] = "2"
    usual = [*write(tmp_path, tables), *METRICS]
    assert count(tmp_path, usual) == count(tmp_path, usual, "--workers", "2")
    assert [True] == joined


def spoil(tables, fault):
    if fault == "lacking":
        del tables["one"][5]
    elif fault == "twice":
        tables["two"][9]["id"] = tables["two"][70]["id"]
    elif fault == "unknown":
        tables["one"].append({"id": "y1", "prediction": "a"})
    elif fault == "gold twice":
        tables["gold"][9]["id"] = tables["gold"][70]["id"]
    else:
        tables["one"][5]["id"] = ""


@pytest.mark.parametrize("fault", ["lacking", "twice", "unknown", "gold twice", "blank"])
@pytest.mark.usefixtures("shared_workers")
def test_wrong_ids_are_told_as_one_process_tells_them(tmp_path, fault, joined, capsys):
    tables = invent()
    spoil(tables, fault)
    usual = ["count", *write(tmp_path, tables), *METRICS, "-o", str(tmp_path / "all.tally")]
    message = []
    for workers in ([], ["--workers", "2"]):
        assert main([*usual, *workers]) == 4
        message.append(capsys.readouterr().err)

    assert message[0] == message[1]
    assert [False] == joined
    assert not [*tmp_path.glob("all.tally*")]


@pytest.mark.usefixtures("shared_workers")
def test_outputs_of_several_types_are_told_where_no_partition_has_both(
    tmp_path, monkeypatch, joined, capsys
):
    monkeypatch.setattr(LIMITS, "join_partitions", (4 * ROWS, 4 * ROWS))
    gold, one, _ = write(tmp_path, invent(), "jsonl")
    lines = Path(one).read_text().splitlines()
    row = json.loads(lines[-1]) | {"prediction": 1}
    Path(one).write_text("\n".join([*lines[:-1], json.dumps(row)]) + "\n")
    usual = ["score", gold, one, *METRICS]

    assert 4 == main(usual)
    message = capsys.readouterr()
    assert 4 == main([*usual, "--workers", "2"])

    assert message == capsys.readouterr()
    assert "(mixed types)" in message.err
    assert [False] == joined


@pytest.mark.usefixtures("shared_workers")
def test_one_process_joins_where_workers_see_no_common_folder(tmp_path, monkeypatch, joined):
    nowhere = str(tmp_path / "nowhere")
    monkeypatch.setattr(Cluster, "share_folder", lambda self: nullcontext(nowhere))
    usual = [*write(tmp_path, invent()), *METRICS]
    assert count(tmp_path, usual) == count(tmp_path, usual, "--workers", "2")
    assert [False] == joined


@pytest.mark.usefixtures("shared_workers")
def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path, monkeypatch, joined):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    count(tmp_path, [*write(tmp_path, invent()), *METRICS], "--workers", "2")
    assert [True] == joined
    assert not [*(tmp_path / "scratch").iterdir()]

"""A pattern, or a folder of a partitioned data set, is one table."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from tallystick.errors import InputError
from tallystick.io.files.datasets import find_pieces, list_files
from tallystick.io.names import name_files, split_name
from tallystick.io.tables.formats import guess_format
from tallystick.io.tables.table import Table, iterate_tables, read_table

Row = Mapping[str, object]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(path: str, text: str) -> None:
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    Path(path).write_text(text)


def _tell(tables: Sequence[Table]) -> list[tuple[str, Row]]:
    return [
        (f"{table.source}, {table.locate(index)}", row)
        for table in tables
        for index, row in enumerate(table.columns.to_pylist())
    ]


def test_files_of_a_pattern_are_one_table_in_sorted_order(here):
    _write("data/part-1.csv", "predicted,gold\n5,6\n")
    _write("data/part-0.csv", "gold,predicted\n1,2\n3,4\n")
    table = read_table("data/part-*.csv")
    assert [
        ("data/part-*.csv, row 2 of data/part-0.csv", {"gold": "1", "predicted": "2"}),
        ("data/part-*.csv, row 3 of data/part-0.csv", {"gold": "3", "predicted": "4"}),
        ("data/part-*.csv, row 2 of data/part-1.csv", {"gold": "6", "predicted": "5"}),
    ] == _tell([table])


def test_the_only_file_of_a_pattern_is_called_by_its_name(here):
    _write("data/part-0.csv", "gold,predicted\n1,2\n")
    assert ["data/part-0.csv, row 2"] == [place for place, _ in _tell([read_table("data/*")])]


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 100])
def test_blocks_of_several_files_have_the_rows_that_were_asked_for(here, rows):
    for number, size in enumerate((3, 1, 4)):
        lines = [f"{number},{row}\n" for row in range(size)]
        _write(f"data/part-{number}.csv", "gold,predicted\n" + "".join(lines))
    blocks = list(iterate_tables("data", rows=rows))
    assert {rows} >= {len(block) for block in blocks[:-1]}
    own = [(place.rpartition(" of ")[2], row) for place, row in _tell(blocks)]
    assert [2 + rows * place for place in range(len(blocks))] == [block.first for block in blocks]
    expected = [
        (f"data/part-{number}.csv", str(row))
        for number, size in enumerate((3, 1, 4))
        for row in range(size)
    ]
    assert expected == [(place.partition(", ")[0], row["predicted"]) for place, row in own]
    numbers = [int(place.split("row ")[1].split()[0]) for place, _ in _tell(blocks)]
    assert [2, 3, 4, 2, 2, 3, 4, 5] == numbers


def test_folders_of_a_partitioned_data_set_are_columns(here):
    _write("set/lang=de/day=1%2F2/part-0.csv", "gold\n1\n")
    _write("set/lang=en/day=__HIVE_DEFAULT_PARTITION__/part-0.csv", "gold\n2\n")
    _write("set/_SUCCESS", "")
    _write("set/lang=de/day=1%2F2/.part-0.csv.crc", "crc")
    expected = [{"gold": "1", "lang": "de", "day": "1/2"}, {"gold": "2", "lang": "en", "day": None}]
    for path in ("set", "set/", "set/**/*.csv", "set/lang=*", "set/*/*/part-*.csv"):
        assert expected == read_table(path).columns.to_pylist()
        assert expected == [
            row for table in iterate_tables(path) for row in table.columns.to_pylist()
        ]
    assert [{"gold": "1"}] == read_table("set/lang=de/day=1%2F2/part-0.csv").columns.to_pylist()
    assert [{"lang": "de"}, {"lang": "en"}] == [
        {"lang": row["lang"]}
        for row in read_table("set", only=["lang", "gold"]).columns.to_pylist()
    ]


def test_a_column_of_the_file_comes_before_that_of_its_folder(here):
    _write("set/lang=de/part-0.csv", "gold,lang\n1,at\n")
    assert ["at"] == read_table("set").column("lang").to_pylist()


def test_files_without_rows_are_left_out_of_several(here):
    _write("data/part-0.csv", "gold\n")
    _write("data/part-1.csv", "gold\n1\n")
    assert ["1"] == read_table("data").column("gold").to_pylist()
    assert 1 == sum(map(len, iterate_tables("data")))
    with pytest.raises(InputError, match=r"part-0\.csv: has columns but no rows of data"):
        read_table("data/part-0*")
    _write("data/part-1.csv", "gold\n")
    with pytest.raises(InputError, match="its 2 files have columns but no rows of data"):
        read_table("data")


def test_files_of_one_table_have_the_same_columns(here):
    _write("data/part-0.csv", "gold,predicted\n1,2\n")
    _write("data/part-1.csv", "gold,output\n1,2\n")
    reason = (
        r"data/part-1\.csv: has the columns 'gold', 'output', but data/part-0\.csv has 'gold', "
        "'predicted'"
    )
    with pytest.raises(InputError, match=reason):
        read_table("data/*.csv")
    with pytest.raises(InputError, match=reason):
        list(iterate_tables("data/*.csv", rows=1))
    with pytest.raises(InputError, match=r"data/part-1\.csv: has the columns"):
        read_table("data/*.csv", only=["gold"])


def test_files_of_one_table_lie_in_folders_of_the_same_columns(here):
    _write("set/lang=de/part-0.csv", "gold\n1\n")
    _write("set/part-0.csv", "gold\n1\n")
    with pytest.raises(
        InputError, match=r"set/part-0\.csv: its folders stand for the columns none"
    ):
        read_table("set")


def test_files_of_one_table_are_of_one_kind(here):
    _write("data/a.csv", "gold\n1\n")
    _write("data/b.jsonl", '{"gold": 1}\n')
    with pytest.raises(InputError, match=r"data/b\.jsonl is jsonl, but data/a\.csv is csv"):
        read_table("data")
    assert "csv" == guess_format("data")


def test_types_of_one_table_go_together(here):
    for number, values in enumerate(([1], [0.5], ["a"])):
        pyarrow.parquet.write_table(pa.table({"gold": values}), f"part-{number}.parquet")
    assert [1.0, 0.5] == read_table("part-[01].parquet").column("gold").to_pylist()
    with pytest.raises(
        InputError, match=r"part-2\.parquet: column 'gold' is string, but int64 in part-0"
    ):
        read_table("part-[02].parquet")


def test_nothing_found_is_an_error(here):
    os.mkdir("empty")
    with pytest.raises(InputError, match=r"data/\*\.csv: matches no file"):
        read_table("data/*.csv")
    with pytest.raises(InputError, match="empty: is a directory without tables; give a file"):
        read_table("empty")


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(here):
    _write("a[1].csv", "gold\n1\n")
    _write("a1.csv", "gold\n2\n")
    assert ["1"] == read_table("a[1].csv").column("gold").to_pylist()
    assert ["a[1].csv"] == [piece.path for piece in find_pieces("a[1].csv")]
    assert [7] == [one.size for one in list_files("a[1].csv")]


def test_systems_are_named_after_patterns_and_folders(here):
    _write("set/lang=de/part-0.csv", "gold\n1\n")
    assert (None, "set/lang=de/*.csv") == split_name("set/lang=de/*.csv")
    assert ("a", "set/lang=de/*.csv") == split_name("a=set/lang=de/*.csv")
    assert (None, "s3://b/k.csv?region=x") == split_name("s3://b/k.csv?region=x")
    assert ("a", "s3://b/k.csv?region=x") == split_name("a=s3://b/k.csv?region=x")
    assert ["one", "two"] == name_files(["runs/one/", "s3://b/runs/two.csv?region=x"])

"""Patterns, folders of data sets and object stores are read as local files are."""

import gzip
import os
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet
import pytest

from buckets import BUCKETS, S3, put
from tallystick.errors import InputError, UsageError
from tallystick.io.files import stores
from tallystick.io.files.datasets import Piece, find_pieces, list_files, name_files, split_name
from tallystick.io.files.opening import Progress, open_binary
from tallystick.io.files.outputs import Outputs
from tallystick.io.tables.formats import guess_format
from tallystick.io.tables.parquet import cut_groups
from tallystick.io.tables.table import iterate_tables, read_table

Row = Mapping[str, object]


@pytest.fixture
def here(folder):
    return folder


def _write(path, text):
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    Path(path).write_text(text)


def _tell(tables):
    return [
        (f"{table.source}, {table.locate(index)}", row)
        for table in tables
        for index, row in enumerate(table.columns.to_pylist())
    ]


def test_files_of_a_pattern_are_one_table_in_sorted_order(here):
    _write("data/part-1.csv", "predicted,gold\n5,6\n")
    _write("data/part-0.csv", "gold,predicted\n1,2\n3,4\n")
    assert [
        ("data/part-*.csv, row 2 of data/part-0.csv", {"gold": "1", "predicted": "2"}),
        ("data/part-*.csv, row 3 of data/part-0.csv", {"gold": "3", "predicted": "4"}),
        ("data/part-*.csv, row 2 of data/part-1.csv", {"gold": "6", "predicted": "5"}),
    ] == _tell([read_table("data/part-*.csv")])


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
    assert [
        (f"data/part-{number}.csv", str(row))
        for number, size in enumerate((3, 1, 4))
        for row in range(size)
    ] == [(place.partition(", ")[0], row["predicted"]) for place, row in own]
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
        InputError, match=r"set/part-0\.csv: its folders are named after the columns none"
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


@pytest.fixture(scope="module", params=BUCKETS)
def bucket(request):
    with request.param() as address:
        yield address


def test_a_stored_file_is_read_as_a_local_one(bucket):
    content = b"gold,predicted\n" + b"1,0\n" * 100_000
    path = put(f"{bucket}/plain/all.csv", content)
    with open_binary(path) as file:
        assert content == file.read()
    with open_binary(path) as file:
        assert content.splitlines(keepends=True) == list(file)


def test_gzip_is_unpacked_as_it_is_fetched(bucket):
    path = put(f"{bucket}/plain/all.csv.gz", gzip.compress(b"gold,predicted\n1,0\n"))
    assert ["1"] == read_table(path).column("gold").to_pylist()


@pytest.mark.parametrize("size", [1, 200, 1 << 20])
def test_parts_of_stored_files_hold_their_rows(bucket, size):
    rows = [{"gold": str(number), "text": f'"{number},\n"'} for number in range(30)]
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), sink, row_group_size=8)
    path = put(f"{bucket}/cut/all.parquet", sink.getvalue().to_pybytes())
    spans = cut_groups(path, size)
    tables = [table for span in spans for table in iterate_tables(path, pieces=[Piece(path, span)])]
    assert rows == [row for table in tables for row in table.columns.to_pylist()]


def test_no_more_is_fetched_than_is_read(bucket):
    columns = {"gold": list(range(40_000)), "text": [f"{number:0>40}" for number in range(40_000)]}
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(
        pa.table(columns), sink, row_group_size=4_000, compression="none", use_dictionary=False
    )
    path = put(f"{bucket}/narrow/all.parquet", sink.getvalue().to_pybytes())
    watch = Progress()
    (last,) = [span for span in cut_groups(path, 1) if span.first == 36_000]
    (table,) = iterate_tables(path, only=["gold"], watch=watch, pieces=[Piece(path, last)])
    assert columns["gold"][36_000:] == table.column("gold").to_pylist()
    assert watch.done_bytes < 150_000 < list_files(path)[0].size / 10


def test_patterns_and_folders_of_a_store_are_one_table(bucket):
    for lang in ("en", "de"):
        for number in (1, 0):
            path = f"{bucket}/set/lang={lang}/part-{number}.csv"
            put(path, f"gold,predicted\n{number},{lang}\n".encode())
    put(f"{bucket}/set/_SUCCESS", b"")
    names = [f"lang={lang}/part-{number}.csv" for lang in ("de", "en") for number in (0, 1)]
    for path in (f"{bucket}/set", f"{bucket}/set/", f"{bucket}/set/**/*.csv", f"{bucket}/set/*"):
        assert names == [piece.path.split("/set/")[1] for piece in find_pieces(path)]
        assert ["de", "de", "en", "en"] == read_table(path).column("lang").to_pylist()
    assert 1 == len(find_pieces(f"{bucket}/set/*=en/part-[1-9].csv"))


@S3
def test_options_of_a_store_stand_behind_its_patterns(bucket, monkeypatch):
    host = os.environ["AWS_ENDPOINT_URL"].removeprefix("http://")
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    put(f"{bucket}/named/part-1.csv?endpoint_override={host}&scheme=http", b"gold\n1\n")
    path = f"{bucket}/named/part-?.csv?endpoint_override={host}&scheme=http"
    assert ["1"] == read_table(path).column("gold").to_pylist()


@S3
def test_public_files_need_no_keys(bucket, monkeypatch):
    path = put(f"{bucket}/public/all.csv", b"gold\n1\n")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    assert ["1"] == read_table(path.replace("s3://", "s3://anonymous@")).column("gold").to_pylist()


@pytest.mark.parametrize(("path", "reason"), [
    ("{bucket}/none.csv", "cannot be found; there is no such file"),
    ("{bucket}/none/", "is a directory without tables"),
    ("{bucket}/none-*.csv", "matches no file"),
    ("{bucket}x/all.csv", "there is no bucket bucket-"),
    ("{bucket}x/*.csv", "there is no bucket bucket-"),
    ("https://example.org/all.csv", "download it, or name an object store"),
    ("{bucket}/all.csv?region=us-east-1&speed=high", "speed"),
])  # fmt: skip
def test_what_cannot_be_found_is_told(bucket, path, reason):
    with pytest.raises(InputError, match=reason):
        read_table(path.format(bucket=bucket))


@pytest.mark.parametrize(("answer", "reason"), [
    ("AWS Error ACCESS_DENIED during HeadObject operation", "set credentials as for its other"),
    ("AWS Error NETWORK_CONNECTION during HeadObject", "the store cannot be reached"),
    ("AWS Error SLOW_DOWN", "the store answers: AWS Error SLOW_DOWN"),
])  # fmt: skip
def test_what_a_store_answers_is_told(bucket, monkeypatch, answer, reason):
    def fail(kind, name, options):
        raise OSError(answer)

    monkeypatch.setattr(stores, "_open_store", fail)
    with pytest.raises(InputError, match=reason):
        read_table(f"{bucket}/all.csv")


@S3
def test_outputs_are_stored_together_or_not_at_all(bucket, tmp_path):
    with Outputs() as outputs:
        outputs.write_bytes(f"{bucket}/out/a.txt", b"a")
        assert () == list_files(f"{bucket}/out/a.txt")
    with open_binary(f"{bucket}/out/a.txt") as file:
        assert b"a" == file.read()
    local = tmp_path / "b.txt"

    def write_both():
        with Outputs() as outputs:
            outputs.write_bytes(str(local), b"b")
            outputs.write_bytes(f"{bucket}x/out/b.txt", b"b")

    with pytest.raises(InputError, match="there is no bucket"):
        write_both()
    assert not local.exists()


def test_an_input_in_a_store_is_never_overwritten(bucket):
    path = put(f"{bucket}/in/all.csv", b"gold\n1\n")
    with pytest.raises(UsageError, match="cannot be overwritten"), Outputs([path]) as outputs:
        outputs.write_bytes(path, b"")

"""Files in object stores are read and written as those of a local disk are."""

import gzip
import os
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet
import pytest

from buckets import BUCKETS, S3, put
from tallystick.errors import InputError, UsageError
from tallystick.io.files import stores
from tallystick.io.files.datasets import Piece, find_pieces, list_files
from tallystick.io.files.opening import Progress, open_binary
from tallystick.io.files.outputs import Outputs
from tallystick.io.tables.parquet import cut_groups
from tallystick.io.tables.table import iterate_tables, read_table


@pytest.fixture(scope="module", params=BUCKETS)
def bucket(request: pytest.FixtureRequest) -> Iterator[str]:
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
    piece = Piece(path, last)
    (table,) = iterate_tables(path, only=["gold"], watch=watch, pieces=[piece])
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
    open_to_all = path.replace("s3://", "s3://anonymous@")
    assert ["1"] == read_table(open_to_all).column("gold").to_pylist()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("{bucket}/none.csv", "cannot be found; there is no such file"),
        ("{bucket}/none/", "is a directory without tables"),
        ("{bucket}/none-*.csv", "matches no file"),
        ("{bucket}x/all.csv", "there is no bucket bucket-"),
        ("{bucket}x/*.csv", "there is no bucket bucket-"),
        ("https://example.org/all.csv", "download it first"),
        ("{bucket}/all.csv?region=us-east-1&speed=high", "speed"),
    ],
)
def test_what_cannot_be_found_is_told(bucket, path, reason):
    with pytest.raises(InputError, match=reason):
        read_table(path.format(bucket=bucket))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("AWS Error ACCESS_DENIED during HeadObject operation", "set credentials as for its other"),
        ("AWS Error NETWORK_CONNECTION during HeadObject", "the store cannot be reached"),
        ("AWS Error SLOW_DOWN", "the store answers: AWS Error SLOW_DOWN"),
    ],
)
def test_what_a_store_answers_is_told(bucket, monkeypatch, answer, reason):
    def fail(kind: str, name: str, options: str) -> pyarrow.fs.FileSystem:
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

    def write_both() -> None:
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

"""Commands read patterns, folders of data sets and object stores wherever they read a file."""

import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from buckets import BUCKETS, S3, put
from tallystick.cli import main
from tallystick.io.files.opening import open_binary

TEXT = "gold,predicted,lang\n"
ONE = ("--systems", "predicted")


def _draw(rows: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [
        f"{draw.choice('01')},{draw.choice('01')},{draw.choice(['de', 'en'])}\n"
        for _ in range(rows)
    ]


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    rows = _draw(90, 7)
    Path("all.csv").write_text(TEXT + "".join(rows))
    Path("data").mkdir()
    for number in range(3):
        own = rows[30 * number : 30 * number + 30]
        Path(f"data/part-{number}.csv").write_text(TEXT + "".join(own))
    return rows


@pytest.fixture(scope="module", params=BUCKETS)
def bucket(request: pytest.FixtureRequest) -> Iterator[str]:
    with request.param() as address:
        yield address


def _print(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert 0 == main(arguments), capsys.readouterr().err
    return capsys.readouterr().out


@pytest.mark.parametrize("path", ["data", "data/", "data/part-*.csv", "d?ta/*"])
def test_a_data_set_scores_as_the_file_that_it_was_cut_from(rows, path, capsys):
    options = ("-m", "macro_f1", "--by", "lang", "--format", "csv")
    expected = _print(capsys, "score", "all.csv", *ONE, *options)
    assert expected == _print(capsys, "score", path, *ONE, *options)
    _print(capsys, "count", path, *ONE, "-m", "macro_f1", "--by", "lang", "-o", "a.tally")
    assert expected == _print(capsys, "score", "a.tally", "--format", "csv")


def test_data_sets_stand_beside_each_other(rows, capsys):
    Path("gold").mkdir()
    for number, (start, stop) in enumerate([(0, 50), (50, 90)]):
        cells = [row.split(",")[0] for row in rows[start:stop]]
        Path(f"gold/{number}.csv").write_text("gold\n" + "\n".join(cells) + "\n")
    expected = _print(capsys, "score", "all.csv", "-m", "accuracy", "--format", "csv")
    found = _print(capsys, "score", "gold", "all=data", "-m", "accuracy", "--format", "csv")
    assert expected == found
    Path("gold/1.csv").unlink()
    assert 4 == main(["score", "gold", "all=data", "-m", "accuracy"])
    assert "gold/0.csv has 50 examples but data has 90" in capsys.readouterr().err


def test_files_of_saved_tallies_may_be_a_pattern(rows, capsys):
    for number in range(3):
        _print(
            capsys,
            "count",
            f"data/part-{number}.csv",
            *ONE,
            "-m",
            "f1",
            "-o",
            f"part-{number}.tally",
        )
    expected = _print(capsys, "score", "all.csv", *ONE, "-m", "f1", "--format", "csv")
    assert expected == _print(capsys, "score", "part-*.tally", "--format", "csv")
    assert 4 == main(["score", "none-*.tally"])
    assert "none-*.tally: matches no file" in capsys.readouterr().err


@S3
def test_a_store_is_read_and_written_as_a_disk_is(bucket, rows, capsys):
    for number in range(3):
        put(f"{bucket}/data/part-{number}.csv", Path(f"data/part-{number}.csv").read_bytes())
    expected = _print(capsys, "score", "all.csv", *ONE, "-m", "f1", "--format", "csv")
    assert expected == _print(
        capsys, "score", f"{bucket}/data", *ONE, "-m", "f1", "--format", "csv"
    )
    before = sorted(Path.cwd().rglob("*"))
    for number in range(3):
        path, saved = f"{bucket}/data/part-{number}.csv", f"{bucket}/tallies/{number}.tally"
        _print(capsys, "count", path, *ONE, "-m", "f1", "-o", saved)
    assert before == sorted(Path.cwd().rglob("*"))
    assert expected == _print(capsys, "score", f"{bucket}/tallies/*.tally", "--format", "csv")
    again = f"{bucket}/tallies/0.tally"
    assert 4 == main(["score", again, again])
    _print(capsys, "score", f"{bucket}/tallies/*.tally", "-o", f"{bucket}/scores.csv")
    with open_binary(f"{bucket}/scores.csv") as file:
        assert expected == file.read().decode()


def test_a_bucket_that_is_not_there_is_told_before_anything_is_read(bucket, rows, capsys):
    assert 4 == main(["count", "all.csv", "-m", "f1", "-o", f"{bucket}x/a.tally"])
    assert "cannot be written: there is no bucket" in capsys.readouterr().err
    assert 4 == main(["score", f"{bucket}/none.csv"])
    assert "there is no such file" in capsys.readouterr().err


def test_standard_input_is_counted_by_the_process_that_has_it(rows, capsys, monkeypatch):
    expected = _print(capsys, "score", "all.csv", *ONE, "-m", "f1", "--format", "csv")
    content = io.TextIOWrapper(io.BytesIO(Path("all.csv").read_bytes()))
    monkeypatch.setattr("sys.stdin", content)
    options = ("-m", "f1", "--format", "csv", "--workers", "1")
    assert expected == _print(capsys, "score", "-", *ONE, *options)


@S3
def test_workers_count_data_sets_as_one_process_does(bucket, rows, capsys):
    for number in range(3):
        put(f"{bucket}/runs/part-{number}.csv", Path(f"data/part-{number}.csv").read_bytes())
    options = ("-m", "macro_f1", "--by", "lang", "--format", "csv")
    expected = _print(capsys, "score", "all.csv", *ONE, *options)
    for path in ("data", f"{bucket}/runs"):
        assert expected == _print(capsys, "score", path, *ONE, *options, "--workers", "1")

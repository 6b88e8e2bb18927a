"""Large CSV files whose values recur, which are read as codes into them."""

import json
import random
from typing import Any

import pyarrow as pa
import pytest

from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.io.files.pieces import Asked
from tallystick.io.tables import delimited
from tallystick.io.tables.delimited import iterate_delimited, read_delimited

HUGE = 1 << 40


def read(path: Any, least: int, monkeypatch: Any) -> list[Any]:
    """All rows both ways, whole and in blocks, or what is wrong with the file."""
    monkeypatch.setattr(delimited, "_LEAST", least)
    monkeypatch.setattr(delimited, "_CHUNK", 64)
    found: list[Any] = []
    try:
        names, columns = read_delimited(Asked(str(path), "csv", ["b", "c"]))
        found += [names, columns.to_pylist()]
        blocks = list(iterate_delimited(Asked(str(path), "csv", ["b", "c"])))
        found.append(pa.concat_tables([block for _, block in blocks]).to_pylist())
    except InputError as error:
        found.append(str(error))
    return found


def write(seed: int) -> bytes:
    """Rows of three fields, some of them in quotes, and now and then a fault."""
    drawn = random.Random(seed)
    usual = ["x", "y", "z w", "é", "a longer label", ""]
    odd = [*usual, " ", "a,b", "d'e", 'a ""b"" c', "x\ny"] if drawn.random() < 0.4 else usual
    end = drawn.choice(["\n", "\r\n"])
    text = drawn.choice(["", "\ufeff"]) + "a,b,c" + end
    for _ in range(drawn.randrange(1, 60)):
        cells = [drawn.choice(odd if drawn.random() < 0.1 else usual) for _ in range(3)]
        quoted = (set(one) & {",", '"', "\n"} or drawn.random() < 0.3 for one in cells)
        pairs = zip(cells, quoted, strict=True)
        text += ",".join(f'"{one}"' if quote else one for one, quote in pairs)
        text += end if drawn.random() < 0.98 else 2 * end
    written = text.encode()
    if drawn.random() < 0.3:
        place = drawn.randrange(8, len(written))
        fault = drawn.choice([b"\0", b'"', b"\xff", b"\r", b",", b"\n"])
        written = written[:place] + fault + written[place:]
    return written if drawn.random() < 0.5 else written.rstrip(b"\r\n")


@pytest.mark.parametrize("seed", range(300))
def test_codes_hold_what_arrow_reads(tmp_path, monkeypatch, seed):
    """Cell by cell, and with the same messages where a row is wrong, however few values recur."""
    monkeypatch.setattr(delimited, "MOST_CODED", (1 << 14, 5, 2)[seed % 3])
    path = tmp_path / "labels.csv"
    path.write_bytes(write(seed))

    assert read(path, HUGE, monkeypatch) == read(path, 1, monkeypatch)


def test_plain_files_are_codes_to_their_end(tmp_path, monkeypatch):
    """Blocks have dictionaries of their own, and Arrow reads none of them."""
    path = tmp_path / "labels.csv"
    path.write_text("gold,y_pred\n" + "yes,no\n" * 400_000)
    monkeypatch.setattr(delimited, "_read_blocks", None)
    monkeypatch.setattr(delimited, "_read_whole", None)
    blocks = [block for _, block in iterate_delimited(Asked(str(path), "csv"))]
    _, whole = read_delimited(Asked(str(path), "csv"))

    assert all(pa.types.is_dictionary(kind) for block in blocks for kind in block.schema.types)
    assert sum(map(len, blocks)) == len(whole) == 400_000


@pytest.mark.parametrize("last", ['"a ""quoted"" no",no\n', '"no\n",no\n'])
def test_a_later_row_that_is_not_plain_is_read_with_the_others(tmp_path, capsys, last):
    """Blocks before it are codes, and so are those that Arrow reads from there on."""
    path = tmp_path / "labels.csv"
    path.write_text("gold,y_pred\n" + "no,no\n" * 1_000_000 + last)
    blocks = [block for _, block in iterate_delimited(Asked(str(path), "csv"))]
    main(["score", str(path), "-m", "accuracy", "--no-intervals", "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["scores"]

    assert all(pa.types.is_dictionary(kind) for block in blocks for kind in block.schema.types)
    assert pa.concat_tables(blocks).num_rows == found["n"] == 1_000_001
    assert found["value"] == 1_000_000 / 1_000_001


def test_columns_of_many_values_are_no_codes(tmp_path, monkeypatch):
    """As the first block shows it; once a later one shows another thing Arrow reads the rest."""
    monkeypatch.setattr(delimited, "_LEAST", 1)
    monkeypatch.setattr(delimited, "MOST_CODED", 100)
    path, late = tmp_path / "texts.csv", tmp_path / "late.csv"
    rows = "".join(f"{number},a\n" for number in range(20_000))
    path.write_text("id,text\n" + rows)
    late.write_text("id,text\n" + "7,a\n" * 1_000 + rows)
    _, columns = read_delimited(Asked(str(path), "csv"))
    monkeypatch.setattr(delimited, "_CHUNK", 1 << 10)
    blocks = [own for _, own in iterate_delimited(Asked(str(late), "csv"))]

    assert columns.schema.field("id").type == pa.string()
    assert pa.types.is_dictionary(columns.schema.field("text").type)
    assert all(pa.types.is_dictionary(kind) for block in blocks for kind in block.schema.types)
    assert pa.concat_tables(blocks).slice(1_000).to_pylist() == columns.to_pylist()

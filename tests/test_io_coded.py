"""Columns of CSV files whose values recur are read as codes into them."""

import csv
import io
import random

import pyarrow as pa
import pytest

from tallystick.errors import InputError
from tallystick.io.tables.table import iterate_tables, read_table


def write(seed: int) -> bytes:
    drawn = random.Random(seed)
    usual = ["x", "y", "z w", "é", "a longer label", ""]
    odd = [*usual, " ", "a,b", "d'e", 'a ""b"" c', "x\ny"] if drawn.random() < 0.4 else usual
    end = drawn.choice(["\n", "\r\n"])
    text = drawn.choice(["", "\ufeff"]) + "a,b,c" + end
    for _ in range(drawn.choice([3, 60, 700])):
        cells = [drawn.choice(odd if drawn.random() < 0.1 else usual) for _ in range(3)]
        quoted = (set(one) & {",", '"', "\n"} or drawn.random() < 0.3 for one in cells)
        pairs = zip(cells, quoted, strict=True)
        text += ",".join(f'"{one}"' if quote else one for one, quote in pairs)
        text += end if drawn.random() < 0.98 else 2 * end
    written = text.encode()
    if drawn.random() < 0.3:
        place = drawn.randrange(8, len(written))
        fault = drawn.choice([b"\0", b'"', b"\xff", b",", b"\n"])
        written = written[:place] + fault + written[place:]
    return written if drawn.random() < 0.5 else written.rstrip(b"\r\n")


@pytest.mark.parametrize("seed", range(150))
def test_cells_are_those_of_the_csv_module(tmp_path, seed):
    content = write(seed)
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    try:
        text = content.decode("utf-8-sig")
        rows = list(filter(None, csv.reader(io.StringIO(text, newline=""), strict=True)))
        faulty = any(len(row) != 3 for row in rows) or "\0" in text
    except (csv.Error, UnicodeDecodeError):
        faulty = True

    for size in (1 << 18, 50):
        if faulty:
            with pytest.raises(InputError, match=r"labels\.csv: row \d+"):
                list(iterate_tables(str(path), rows=size))
        else:
            tables = list(iterate_tables(str(path), rows=size))
            found = [row for table in tables for row in table.columns.to_pylist()]
            assert found == [dict(zip("abc", row, strict=True)) for row in rows[1:]]


def test_columns_are_codes_if_the_first_values_recur(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "gold,id\n" + "".join(f"{row % 3},{row}\n" for row in range(9_000)) + '"a\n",b\n'
    )
    blocks = [table.columns for table in iterate_tables(str(path), rows=1_000)]
    whole = read_table(str(path)).columns

    for columns in (whole, *blocks):
        assert pa.types.is_dictionary(columns.schema.field("gold").type)
        assert columns.schema.field("id").type == pa.string()
    assert whole.to_pylist() == pa.concat_tables(blocks).to_pylist()
    assert whole.slice(8_999).to_pylist() == [
        {"gold": "2", "id": "8999"},
        {"gold": "a\n", "id": "b"},
    ]

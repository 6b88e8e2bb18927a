"""CSV files that are written hold every cell as it was: ends of lines, quotes, and none."""

import csv
import io

import pyarrow as pa
import pytest

from tallystick.io.tables.table import read_table
from tallystick.output.tables.formats import join_rows, write_csv
from tallystick.tasks.masked_gold import Draft

CELLS = ["two\nlines", "a\rreturn", "both\r\n", 'a "word"', "a,b", "a\tb", " x ", "plain"]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_rows_are_read_as_they_were(delimiter):
    rows = [[cell, other] for cell in CELLS for other in (*CELLS, "")]
    text = join_rows(rows, delimiter)

    assert [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)] == rows
    assert text.endswith(f"plain{delimiter}\n")


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_drafts_hold_answers_of_several_lines(tmp_path, ending):
    ids = [f"e{place}" for place in range(len(CELLS))]
    draft = Draft(f"gold.{ending}", ending, {"id": ids, "text": CELLS}, ("id",))

    table = read_table(draft.write(str(tmp_path)))

    assert {name: table.values(name) for name in table.names()} == {"id": ids, "text": CELLS}


def test_tables_are_written_with_further_columns(tmp_path):
    path = tmp_path / "predictions.csv"
    write_csv(str(path), pa.table({"text": CELLS}), {"prediction": CELLS[::-1]})

    table = read_table(str(path))

    assert table.values("text") == CELLS
    assert table.values("prediction") == CELLS[::-1]

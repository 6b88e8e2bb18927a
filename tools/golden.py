"""Writes what tests hold against what commands print: the golden sheet, and saved counts."""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from tallystick.cli import main
from test_cli_count import FILES, SAVED, invent, write
from test_matrix_golden import FOLDER, KINDS, list_lines

FOLDER.mkdir(exist_ok=True)
for name in KINDS:
    lines = ",\n".join(json.dumps(line, ensure_ascii=False) for line in list_lines(name))
    (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")

with TemporaryDirectory() as folder:
    for name, (size, asked) in FILES.items():
        rows = write(Path(folder) / "rows.jsonl", invent(1, size))
        main(["count", rows, *asked.split(), "-o", str(SAVED / f"{name}.tally")])

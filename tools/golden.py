"""Writes the golden sheet that tests/test_matrix_golden.py holds against what commands print."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from test_matrix_golden import FOLDER, KINDS, list_lines

FOLDER.mkdir(exist_ok=True)
for name in KINDS:
    lines = ",\n".join(json.dumps(line, ensure_ascii=False) for line in list_lines(name))
    (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")

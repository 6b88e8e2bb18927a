"""Saved counts score as the rows that they were counted from; other formats are refused."""

from pathlib import Path

import msgspec
import pytest

from tallystick.cli import main
from tallystick.io.arrays import pack_arrays
from test_cli_count import invent, write

SAVED = Path(__file__).parent / "saved"

_LABELS = "--gold-column y_true --by lang"
_TEXTS = "--gold-column reference --systems short other"
_ROUGE = "{0} {0}_precision {0}_recall"
FILES = {
    "labels": (40, f"{_LABELS} --systems one two --clusters doc -m accuracy macro_f1"),
    "weights": (40, f"{_LABELS} --systems one two --weight-column p -m accuracy macro_f1"),
    "probabilities": (
        40,
        "--gold-column y_true --probability-column p --predicted-column one -m roc_auc",
    ),
    "rounded": (
        400,
        f"{_LABELS} --probability-column p --predicted-column one --round-scores 1 "
        "-m roc_auc log_loss",
    ),
    "texts": (40, f"{_TEXTS} -m bleu {_ROUGE.format('rouge1')}"),
    "documents": (40, f"{_TEXTS} --clusters doc -m ter {_ROUGE.format('rougeL')}"),
    "many-texts": (8200, f"{_TEXTS} --by lang -m bleu {_ROUGE.format('rougeL')}"),
}
"""How many rows each file counted, and how: `python tools/golden.py` writes them anew."""


@pytest.mark.deep
@pytest.mark.parametrize("name", FILES)
def test_saved_counts_score_as_the_rows(tmp_path, name):
    size, asked = FILES[name]
    command = "compare" if "--systems short" in asked and size > 40 else "score"
    whole = write(tmp_path / "rows.jsonl", invent(1, size))
    outputs = [tmp_path / f"{which}.json" for which in ("rows", "saved")]

    assert main([command, whole, *asked.split(), "-o", str(outputs[0])]) == 0
    assert main([command, str(SAVED / f"{name}.tally"), "-o", str(outputs[1])]) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


@pytest.mark.parametrize(("format", "cure"), [(6, "update Tallystick"), (4, "count again")])
def test_files_of_other_formats_are_refused(tmp_path, capsys, format, cure):
    other = tmp_path / "other.tally"
    other.write_bytes(pack_arrays(msgspec.msgpack.encode({"format": format, "anything": []}), {}))

    assert main(["score", str(other)]) == 4
    assert capsys.readouterr().err == (
        f"tallystick: error: {other}: has format {format}, and Tallystick 0.1.0 reads format 5; "
        f"{cure}\n"
    )

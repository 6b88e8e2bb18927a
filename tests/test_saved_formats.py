"""Files of counts of every format that Tallystick has written can be read."""

from pathlib import Path

import pytest

from tallystick.cli import main
from tallystick.io.arrays import pack_arrays
from tallystick.tallies import second_moments
from test_cli_count import invent, write

SAVED = Path(__file__).parent / "saved"

FILES = {
    "labels-format-1": "--gold-column y_true --systems one two --by lang --clusters doc",
    "labels-format-2": "--gold-column y_true --systems one two --by lang --clusters doc",
    "weights-format-2": "--gold-column y_true --systems one two --by lang --weight-column p",
    "probabilities-format-1": "--gold-column y_true --probability-column p --predicted-column one",
    "probabilities-format-2": "--gold-column y_true --probability-column p --predicted-column one",
    "bins-format-2": "--gold-column y_true --probability-column p --predicted-column one --by lang "
    "--clusters doc --bins 50",
    "texts-format-1": "--gold-column reference --systems short other",
    "texts-format-2": "--gold-column reference --systems short other",
    "documents-format-2": "--gold-column reference --systems short other --clusters doc",
}
METRICS = {
    "labels": ["accuracy", "macro_f1"],
    "weights": ["accuracy", "macro_f1"],
    "probabilities": ["roc_auc"],
    "bins": ["roc_auc", "log_loss"],
    "texts": ["bleu", "rouge1", "rouge1_precision", "rouge1_recall"],
    "documents": ["ter", "rougeL", "rougeL_precision", "rougeL_recall"],
}


@pytest.mark.deep
@pytest.mark.parametrize("name", FILES)
def test_files_of_all_formats_score_as_the_rows_that_they_counted(tmp_path, name):
    """Values and intervals, whichever version wrote the counts."""
    whole = write(tmp_path / "rows.jsonl", invent(1, 40))
    outputs = [tmp_path / f"{which}.json" for which in ("rows", "saved")]
    metrics = METRICS[name.partition("-")[0]]

    asked = [*FILES[name].split(), "-m", *metrics]
    assert main(["score", whole, *asked, "-o", str(outputs[0])]) == 0
    assert main(["score", str(SAVED / f"{name}.tally"), "-o", str(outputs[1])]) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("many-texts-format-1", ["bleu", "wer"]),
        ("many-texts-format-2", ["bleu", "rougeL", "rougeL_precision", "rougeL_recall"]),
    ],
)
def test_files_of_many_texts_compare_as_the_rows(tmp_path, name, metrics):
    """Of more than 8,192 texts there are sums and sums of products."""
    whole = write(tmp_path / "rows.jsonl", invent(1, 8200))
    outputs = [tmp_path / f"{which}.json" for which in ("rows", "saved")]

    options = ["--gold-column", "reference", "--systems", "short", "other", "--by", "lang"]
    assert main(["compare", whole, *options, "-m", *metrics, "-o", str(outputs[0])]) == 0
    assert main(["compare", str(SAVED / f"{name}.tally"), "-o", str(outputs[1])]) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def test_sums_of_products_are_saved(tmp_path, monkeypatch):
    """They compare as the rows, of which so many are taken for many here."""
    monkeypatch.setattr(second_moments, "_MOST_ROWS", 8)
    whole = write(tmp_path / "rows.jsonl", invent(1, 24))
    saved, *outputs = (str(tmp_path / name) for name in ("t.tally", "rows.json", "saved.json"))
    asked = [whole, "--gold-column", "reference", "--systems", "short", "other", "-m", "bleu"]
    codes = [
        main(["count", *asked, "-o", saved]),
        main(["compare", *asked, "-o", outputs[0]]),
        main(["compare", saved, "-o", outputs[1]]),
    ]

    assert [0, 0, 0] == codes
    assert Path(outputs[0]).read_bytes() == Path(outputs[1]).read_bytes()


def test_a_file_of_a_newer_format_says_so(tmp_path, capsys):
    """What to do is to update."""
    newer = tmp_path / "newer.tally"
    newer.write_bytes(pack_arrays(b'{"format": 3, "anything": []}', {}))

    code = main(["score", str(newer)])
    printed = capsys.readouterr()

    assert (4, "") == (code, printed.out)
    assert "has format 3, which this Tallystick (0.1.0) is too old to read" in printed.err

"""Writes a table of predictions: `python synthetic.py ROWS FILE ...`, by the ending of each file.

Four languages, two labels and as many distinct probabilities as rows, the same in every run. The
more probable a row is, the more often its gold label is toxic.
"""

import sys

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

LANGUAGES = ("de", "en", "es", "tr")
LABELS = ("ok", "toxic")


def make_rows(n: int) -> pyarrow.Table:
    """A table of n rows with the columns lang, y_true, y_prob and y_pred."""
    random = np.random.default_rng(0)
    probability = (random.permutation(n) + 0.5) / n
    return pyarrow.table(
        {
            "lang": _name(LANGUAGES, random.integers(0, len(LANGUAGES), n)),
            "y_true": _name(LABELS, random.random(n) < probability**2),
            "y_prob": probability,
            "y_pred": _name(LABELS, probability >= 0.5),
        }
    )


def _name(names: tuple[str, ...], codes: np.ndarray) -> pyarrow.Array:
    return pyarrow.array(names, pyarrow.large_string()).take(pyarrow.array(codes.astype("int8")))


def write_rows(rows: pyarrow.Table, path: str) -> None:
    """Writes an .arrow, .parquet or .csv file."""
    if path.endswith(".arrow"):
        pyarrow.feather.write_feather(rows, path, compression="uncompressed")
    elif path.endswith(".parquet"):
        pyarrow.parquet.write_table(rows, path)
    else:
        pyarrow.csv.write_csv(rows, path, pyarrow.csv.WriteOptions(quoting_style="needed"))


if __name__ == "__main__":
    made = make_rows(int(sys.argv[1]))
    for name in sys.argv[2:]:
        write_rows(made, name)

"""Writes gold and outputs in another order: `python joins_data.py ROWS numbers|text FOLDER`."""

import sys
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

LABELS = pa.array(["negative", "neutral", "positive"])
BLOCK = 1 << 20


def main(rows: int, kind: str, folder: str) -> None:
    """Makes ids, gold labels and outputs of which 87% are right, with a fixed seed."""
    draw = np.random.default_rng(5)
    ids = 3 * draw.permutation(rows)
    gold = draw.integers(0, 3, rows, np.int8)
    said = np.where(draw.random(rows) < 0.8, gold, draw.integers(0, 3, rows, np.int8))
    _write(f"{folder}/gold.parquet", kind, ids, ("label", gold))
    order = draw.permutation(rows)
    _write(f"{folder}/system.parquet", kind, ids[order], ("y_pred", said[order]))


def _write(
    path: str, kind: str, ids: NDArray[np.int64], column: tuple[str, NDArray[np.int8]]
) -> None:
    name, codes = column
    schema = pa.schema({"id": pa.string() if kind == "text" else pa.int64(), name: pa.string()})
    with pq.ParquetWriter(path, schema) as writer:
        for rows in _cut(len(ids)):
            keys = pa.array(ids[rows])
            if kind == "text":
                digits = pc.utf8_lpad(keys.cast(pa.string()), 10, "0")
                keys = pc.binary_join_element_wise("doc", digits, "-")
            writer.write_table(pa.table([keys, LABELS.take(pa.array(codes[rows]))], schema=schema))


def _cut(rows: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, rows, BLOCK))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])

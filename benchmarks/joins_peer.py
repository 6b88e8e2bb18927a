"""Counts pairs of labels with DuckDB: `python joins_peer.py GOLD SYSTEM`."""

import sys

import duckdb


def main(gold: str, system: str) -> None:
    """Joins two Parquet files by id, and prints how often each pair of labels occurs."""
    duckdb.sql("SET enable_progress_bar = false")
    rows = duckdb.sql(
        f"SELECT label, y_pred, count(*) FROM '{gold}' JOIN '{system}' USING (id) GROUP BY ALL"
    )
    for row in rows.fetchall():
        print(",".join(map(str, row)))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Texts that are compared by the words which they share, with means over the examples."""

from kinds import COLUMNS, Kind

KIND = Kind(
    columns={
        "gold": ["rain falls", "we read old books", "she sings a song", "all is well"] * 3,
        "a": ["rain fell", "we read books", "she sings", "all is well"] * 2
        + ["rain", "old books", "a song", "well"],
        "b": ["rain falls", "we read", "she sang a song", "all was well"] * 2
        + ["falls", "we read old books", "song", "is it well"],
    },
    metrics=("rouge1", "squad_f1"),
    called=("texts",),
    refuses=frozenset({"weight", "times", "prevalence", "rounding"}),
    wrong="",
    track={"task": "text", "columns": COLUMNS},
)

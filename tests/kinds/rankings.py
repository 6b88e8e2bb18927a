"""Documents that two systems ranked for twelve queries, a row per query."""

from kinds import Kind

_GOLD = [
    {"d1": 2, "d4": 1},
    {"d2": 1},
    {"d3": 1, "d5": 2, "d6": 0},
    {"d1": 1, "d2": 1, "d3": 1},
    {"d7": 3},
    {"d2": 0, "d8": 1},
    {"d4": 2, "d9": 1},
    {"d1": 1},
    {"d6": 1, "d7": 1},
    {"d3": 2},
    {"d5": 1, "d9": 2},
    {"d8": 1},
]
_A = "d1 d4 d2|d2 d1|d5 d6 d3|d9 d1 d2|d7 d1|d8 d2|d9 d4|d2 d1|d6 d1 d7|d3|d1 d9 d5|d2 d3 d8"
_B = "d4 d2 d1|d1 d2|d6 d3|d1 d2 d3|d1 d3 d7|d2 d8|d1 d4|d1|d1 d6|d2 d3|d9 d5|d8 d3"

KIND = Kind(
    columns={
        "gold": _GOLD,
        "a": [row.split() for row in _A.split("|")],
        "b": [{name: -at for at, name in enumerate(row.split())} for row in _B.split("|")],
    },
    metrics=("nDCG@10", "RR", "AP(rel=1)", "P@2", "Bpref"),
    called=("rankings", "documents", "ndcg", "rr"),
    wrong=[],
    refuses=frozenset({"times", "prevalence", "rounding", "missing"}),
    track=None,
)

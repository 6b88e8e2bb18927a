"""Battles of three systems on twelve prompts, of which those of `a` and `b` are in both orders."""

from kinds import Kind

_WINNERS = {
    ("a", "b"): "aatbaatabtaa",
    ("b", "a"): "bbatbabbtabb",
    ("b", "c"): "atbaataabtab",
    ("c", "a"): "bbatbbtbabtb",
}
_WORDS = {"a": "model_a", "b": "model_b", "t": "tie"}
_ROWS = [
    (f"e{place:02}", *pair, _WORDS[winners[place]])
    for place in range(12)
    for pair, winners in _WINNERS.items()
]

KIND = Kind(
    columns=dict(
        zip(("id", "model_a", "model_b", "winner"), zip(*_ROWS, strict=True), strict=True)
    ),
    metrics=("win_rate", "bradley_terry", "position_flips"),
    called=("preferences", "win_rate"),
    track=None,
    refuses=frozenset(
        {"segments", "weight", "times", "prevalence", "rounding", "missing", "files"}
    ),
)

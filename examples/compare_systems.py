"""Scores two systems at once, with metrics named in full, and tests whether they differ."""

import tallystick
from tallystick.metrics import F1, MCC, Accuracy

gold = ["P", "NP", "NR", "P", "NP", "NR"]
systems = {
    "baseline": ["NP"] * 6,
    "ours": ["P", "NP", "NP", "P", "NP", "NR"],
}

metrics = [Accuracy(), F1("macro", zero_division=0), MCC()]
print(tallystick.score(gold, systems, metrics))
testing = tallystick.Testing("mcnemar-midp", random_seed=7)
print(tallystick.compare(gold, systems, Accuracy(), testing=testing))

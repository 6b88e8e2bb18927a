"""Ranks three systems and a baseline, with what is significant among twelve examples."""

import tallystick

gold = ["P", "NP", "NR", "P", "NP", "NR", "NP", "NP", "P", "NR", "NP", "P"]
systems = {
    "ours": gold,
    "theirs": [*gold[:9], "NP", "NP", "NP"],
    "older": ["NP", "P", "NR", *gold[3:8], "NP", "NP", "P", "NP"],
    "majority": ["NP"] * 12,
}

ranking = tallystick.rank(gold, systems, ["macro_f1", "accuracy"], baselines=["majority"])
print(ranking)

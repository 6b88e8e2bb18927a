"""Lets a new system through only if it is surely not worse than the old one."""

import tallystick

gold = ["toxic", "fine", "fine", "toxic", "fine"] * 40
old = ["toxic", "fine", "toxic", "toxic", "fine"] * 40
new = [*gold[:-4], "fine", "toxic", "toxic", "fine"]

gate = tallystick.gate(gold, new, old, "accuracy", max_drop=0.01, floor=0.9)
print(gate.to_markdown())
print("release" if gate.passed else "keep the old one")

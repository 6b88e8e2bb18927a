"""Scores lists in memory: a table, one number, and a line for the paper."""

import tallystick

gold = ["joy", "anger", "joy", "fear", "joy", "anger"]
predicted = ["joy", "anger", "fear", "fear", "joy", "joy"]

result = tallystick.score(gold, predicted)
print(result)
print("macro F1:", result["macro_f1"])

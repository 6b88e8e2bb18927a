"""Scores several labels an example, and says what a label that never occurs does to the mean."""

import tallystick

gold = [["sport"], ["food"], ["food", "music"], []]
predicted = [["sport"], ["food"], ["music"], ["food"]]

task = tallystick.Task("multilabel", labels=("sport", "food", "travel", "music"))
print(tallystick.score(gold, predicted, task=task))

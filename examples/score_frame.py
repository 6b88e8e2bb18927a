"""Scores a pandas frame by language, with probabilities and a threshold of one's own."""

import pandas as pd

import tallystick

frame = pd.DataFrame(
    {
        "lang": ["en", "en", "en", "en", "es", "es", "es", "es"],
        "y_true": [0, 1, 1, 0, 1, 0, 0, 1],
        "y_prob": [0.1, 0.8, 0.4, 0.3, 0.9, 0.2, 0.6, 0.7],
    }
)

result = tallystick.score(frame, by="lang", task=tallystick.Task("binary", threshold=0.35))
print(result)
print(result.to_markdown())

"""Compares two models in one frame: a row for each question, a column for each model's answer."""

import pandas as pd

import tallystick

frame = pd.DataFrame(
    {
        "id": range(60),
        "gold": ["Paris", "Rome", "Oslo"] * 20,
        "gpt": ["Paris", "Rome", "Oslo", "Paris", "Rome", "Bergen"] * 10,
        "llama": ["Paris", "Milan", "Oslo", "Lyon", "Rome", "Oslo"] * 10,
        "topic": ["cities"] * 30 + ["capitals"] * 30,
    }
)

models = ["gpt", "llama"]
print(tallystick.score(frame, systems=models, metrics=["accuracy", "cer"], by="topic"))
print(tallystick.compare(frame, systems=models, metrics=["accuracy", "cer"]))

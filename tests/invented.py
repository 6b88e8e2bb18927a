"""Invented splits of comments, small enough to be fitted in a moment."""

import csv
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

KIND = ["tree", "river", "bread", "window", "music", "garden"]
RUDE = ["blockhead", "rubbish", "shut", "awful"]


def write_split(path: Path, rows: Iterable[Sequence[object]], *, header: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((header or "comment_text,toxic").split(","))
        writer.writerows(rows)
    return path


def write_splits(folder: Path, languages: Sequence[str] = ("aa", "bb")) -> Path:
    for seed, language in enumerate(languages):
        draw = random.Random(seed)
        for name, size in (("train", 60), ("val", 30), ("test", 20)):
            rows = [make_row(draw, index) for index in range(size)]
            write_split(folder / language / f"{name}.csv", rows)
    return folder


def make_row(draw: random.Random, index: int) -> tuple[str, int]:
    toxic = index % 3 == 0
    words = draw.choices(KIND, k=4) + draw.choices(RUDE if toxic else KIND, k=2)
    draw.shuffle(words)
    return " ".join(words), int(toxic != (index % 10 == 9))

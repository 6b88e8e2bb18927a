"""Fits the TF-IDF baseline on invented comments in two languages, and scores its predictions."""

import csv
import random
import tempfile
from pathlib import Path

import tallystick
from tallystick.baselines import Splits, predict_detoxify, predict_tfidf

# Detoxify wants the extra `detoxify`, and downloads its weights when it is first used.
WITH_DETOXIFY = False
WORDS = {
    "en": ("the train was late again and nobody knew why", "idiot rubbish shut"),
    "de": ("der Zug kam wieder zu spät und keiner wusste warum", "Idiot Mist"),
}


def write_split(path: Path, size: int, language: str, draw: random.Random) -> None:
    """Writes so many comments, every third of them toxic; one in ten has the wrong label."""
    plain, rude = (words.split() for words in WORDS[language])
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["comment_text", "toxic"])
        for number in range(size):
            toxic = number % 3 == 0
            words = draw.sample(plain, 5) + ([draw.choice(rude)] if toxic else [])
            writer.writerow([" ".join(words), int(toxic != (draw.random() < 0.1))])


with tempfile.TemporaryDirectory() as folder:
    draw = random.Random(0)
    for language in WORDS:
        for name, size in (("train", 300), ("val", 60), ("test", 60)):
            write_split(Path(folder, language, f"{name}.csv"), size, language, draw)

    splits = Splits(folder, tuple(WORDS))
    metrics = ["positive_rate", "roc_auc", "f1", "precision", "recall", "accuracy"]
    predict_tfidf(splits, f"{folder}/output")
    print(tallystick.score_run(f"{folder}/output", "baseline", metrics=metrics))
    if WITH_DETOXIFY:
        predict_detoxify(splits, f"{folder}/output")
        print(tallystick.score_run(f"{folder}/output", "detoxify", metrics=metrics))

"""Short answers: SQuAD's F1 and exact match of 100,000 answers, beside its script's functions.

The peer is the copy of the script in transformers (`pip install transformers`).
"""

import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from stopwatch import format_table
from transformers.data.metrics.squad_metrics import compute_exact, compute_f1, normalize_answer

import tallystick

SIZE = 100_000
ROUNDS = 5
WORDS = ["the", "a", "of", "in", "New York,", "U.S.", "10,000", *(f"w{at}" for at in range(3_000))]

Answers = tuple[list[str], list[list[str]]]


def main() -> None:
    """Makes the answers, compares the scores, and prints a table."""
    answers, gold = _draw()
    sides: dict[str, Callable[[], Any]] = {
        "Tallystick": lambda: _score(answers, gold),
        "functions of SQuAD's script 2.0": lambda: _ask(answers, gold),
    }
    ours, theirs = (side() for side in sides.values())
    assert max(abs(one - other) for one, other in zip(ours, theirs, strict=True)) < 1e-12
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, side in sides.items():
            start = time.process_time()
            side()
            times[name].append(time.process_time() - start)
    least = median(times["Tallystick"])
    rows = [
        (name, f"{median(own):.2f}", f"{median(own) / least:.1f}") for name, own in times.items()
    ]
    print(format_table(("100,000 answers", "processor seconds", "times Tallystick's"), rows))


def _draw() -> Answers:
    """Answers with one or three gold answers each, of which about half are right."""
    seeded = random.Random(1)

    def write(most: int) -> str:
        return " ".join(seeded.choices(WORDS, k=most))

    answers, gold = [], []
    for _ in range(SIZE):
        right = write(seeded.choice([1, 2, 3, 4, 6]))
        gold.append([right, write(3), f"{right} x"][: seeded.choice([1, 3])])
        answers.append(seeded.choice([right, write(3), f"{right} and more", f"The {right}."]))
    return answers, gold


def _score(answers: list[str], gold: list[list[str]]) -> list[float]:
    metrics = ["squad_exact_match", "squad_f1"]
    result = tallystick.score(gold, answers, metrics, intervals=False)
    return [score.value for score in result.scores]


def _ask(answers: list[str], gold: list[list[str]]) -> list[float]:
    exact = overlap = 0.0
    for answer, own in zip(answers, gold, strict=True):
        known = [one for one in own if normalize_answer(one)] or [""]
        exact += max(compute_exact(one, answer) for one in known)
        overlap += max(compute_f1(one, answer) for one in known)
    return [exact / len(answers), overlap / len(answers)]


if __name__ == "__main__":
    main()

"""s_score and l_score as the formulas are written, one label after the other, in plain Python."""

import math
from collections.abc import Sequence
from typing import Any


def s(x: float) -> float:
    return math.sqrt(1 / (1 + math.exp(12 * (0.5 - x))))


def l(x: float) -> float:  # noqa: E743
    return 1 - (0.5 - 0.5 * math.cos((x - 1) * math.pi)) ** 4


def multiply(
    rescale: Any,
    gold: Sequence[Any],
    predicted: Sequence[Any],
    secondary: str | None,
    strengths: dict[Any, float],
) -> float:
    product = 1.0
    for label in sorted(set(gold) | set(predicted)):
        hits = sum(one == other == label for one, other in zip(gold, predicted, strict=True))
        ratios = {
            "precision": hits / list(predicted).count(label) if label in predicted else 0.0,
            "recall": hits / list(gold).count(label) if label in gold else 0.0,
        }
        for name, ratio in ratios.items():
            power = strengths.get(label, 1) if secondary in (None, name) else 1
            product *= rescale(ratio) ** power
    return product

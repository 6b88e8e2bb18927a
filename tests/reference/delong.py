"""DeLong's areas and their covariances, by their definition: every positive with every negative."""

from collections.abc import Sequence


def find_areas(
    positives: Sequence[Sequence[float]], negatives: Sequence[Sequence[float]]
) -> tuple[list[float], list[list[float]]]:
    rows = [
        [sum(_compare(one, other) for other in right) / len(right) for one in left]
        for left, right in zip(positives, negatives, strict=True)
    ]
    columns = [
        [sum(_compare(one, other) for one in left) / len(left) for other in right]
        for left, right in zip(positives, negatives, strict=True)
    ]
    areas = [sum(row) / len(row) for row in rows]
    systems = range(len(rows))
    return areas, [
        [
            _covary(rows[a], rows[b]) / len(rows[a])
            + _covary(columns[a], columns[b]) / len(columns[a])
            for b in systems
        ]
        for a in systems
    ]


def _compare(positive: float, negative: float) -> float:
    return 1.0 if positive > negative else 0.5 if positive == negative else 0.0


def _covary(one: Sequence[float], other: Sequence[float]) -> float:
    mean, mean_other = sum(one) / len(one), sum(other) / len(other)
    products = ((x - mean) * (y - mean_other) for x, y in zip(one, other, strict=True))
    return sum(products) / (len(one) - 1)

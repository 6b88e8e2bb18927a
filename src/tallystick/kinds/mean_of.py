"""The mean of several metrics."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.numbers.correlations import Pearson
from tallystick.kinds.numbers.number_counters import NumberCells
from tallystick.kinds.probabilities.joint import Joint, JointRows
from tallystick.model.tallies.metric import Metric, Values


class _Bounds:
    """The mean of what is the least, and of what is the largest value of the parts."""

    def __get__(self, own: "MeanOf | None", kind: type) -> tuple[float, float]:
        if own is None:
            return (-np.inf, np.inf)
        low, high = np.mean([part.bounds for part in own.parts], axis=0).tolist()
        return low, high


@final
@dataclass(frozen=True, slots=True, repr=False, init=False)
class MeanOf(Metric):
    """The plain mean of two metrics or more of the same examples, as an overall score.

    The parts are metrics of which higher is better: of labels, of probabilities, or of both;
    Pearson's correlation and correlations of ranks; or others that read the same counts.

    Formula: sum of the metrics / how many they are
    Undefined: where one of the metrics is.
    Source: the overall scores of PAN's verification tasks and of GLUE (Wang et al. 2019).
    """

    parts: tuple[Metric, ...]

    short = "mean_of"
    title = "Mean of Metrics"
    bounds = _Bounds()
    counters = (Joint,)

    def __init__(self, *parts: Metric) -> None:
        """Takes the metrics.

        Raises:
            UsageError: They are fewer than two, no metrics, or do not go together.
        """
        _check_parts(parts)
        object.__setattr__(self, "parts", parts)

    @property
    def counter(self) -> Any:
        return _list_counters(self.parts).pop()

    @property
    def name(self) -> str:
        return f"mean_of({', '.join(part.name for part in self.parts)})"

    @property
    def full_title(self) -> str:
        return f"Mean of {', '.join(part.full_title for part in self.parts)}"

    def __repr__(self) -> str:
        return f"MeanOf({', '.join(map(repr, self.parts))})"

    def score(self, tally: object) -> Values:
        return np.asarray(self.score_parts(tally).mean(0))

    def split(self, tally: object) -> list[tuple[Any, Any]]:
        if not isinstance(tally, JointRows):
            return [(tally, slice(None))] * len(self.parts)
        labels, curve = tally.split_labels(), (tally.sort_scores(), slice(None))
        return [curve if _reads_curve(part) else labels for part in self.parts]

    @property
    def averaged(self) -> tuple[Metric, ...]:
        return self.parts

    def undefined_parts(self, tally: object) -> tuple[Metric, ...]:
        """The parts that are undefined in some group."""
        values = np.atleast_2d(np.isnan(self.score_parts(tally)))
        return tuple(part for part, own in zip(self.parts, values, strict=True) if own.any())

    def score_parts(self, tally: object) -> Values:
        """The value of each part, of shape (parts, ..., groups)."""
        if not isinstance(tally, JointRows):
            return np.stack([part.score(tally) for part in self.parts])
        cells = tally.count_labels()
        by_part = {part: part.score(cells) for part in self.parts if not _reads_curve(part)}
        curved = [part for part in self.parts if _reads_curve(part)]
        drawn = [[part.score(curve) for part in curved] for curve in tally.count_curves()]
        for place, part in enumerate(curved):
            own = np.stack([values[place] for values in drawn])
            by_part[part] = own[0] if tally.times is None else own
        return np.stack([by_part[part] for part in self.parts])


def _reads_curve(part: Metric) -> bool:
    return Confusion not in part.counters


def _list_counters(parts: Sequence[Metric]) -> set[Any]:
    """The counters of all parts; the counts of ranks tell Pearson's correlation too."""
    if not any(isinstance(part.counter, NumberCells) for part in parts):
        return {part.counter for part in parts}
    return {
        NumberCells(part.column) if isinstance(part, Pearson) else part.counter for part in parts
    }


def _check_parts(parts: tuple[Any, ...]) -> None:
    """Raises a UsageError unless a mean of these metrics means something."""
    for part in parts:
        if not isinstance(part, Metric) or isinstance(part, MeanOf):
            raise UsageError(f"MeanOf takes metrics, such as F1(), not {part!r}")
        if part.per_label:
            raise UsageError(f"MeanOf takes metrics with one value, and {part!r} has one per label")
        if part.better != "higher" or part.adds_up:
            hint = "; write 1-brier" if part.short == "brier_score" else ""
            raise UsageError(
                f"MeanOf takes metrics of which higher is better, unlike {part.name}{hint}"
            )
    if len(set(parts)) < 2 or len(set(parts)) < len(parts):
        raise UsageError("MeanOf takes two metrics or more, which differ")
    if len(_list_counters(parts)) > 1:
        raise UsageError(
            "MeanOf takes metrics of labels and probabilities, or of the same counts, not "
            f"{' with '.join(part.name for part in parts)}"
        )

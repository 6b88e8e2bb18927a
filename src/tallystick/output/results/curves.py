"""The plain records behind curves: counts by threshold, errors by coverage, scores by length."""

from msgspec import Struct

from tallystick.output.results.records import Number, check_lengths


class Bin(Struct, frozen=True):
    """The examples whose probabilities lie in one bin of the expected calibration error.

    `n` is the number of examples, or the sum of their weights, `mean` that of their probabilities,
    and `share` the proportion of them that have the label, with the ends of its interval, NaN where
    there is none.
    """

    n: int | float
    mean: float
    share: float
    low: float
    high: float


class ProbabilityCurve(Struct, frozen=True):
    """The true and false positives of one system and label at every threshold.

    Positives and negatives are examples with the label and with another one, or the sums of their
    weights; true and false positives are those with a threshold's probability or a higher one.
    Thresholds are probabilities that occur, the highest first: all of them where it is `exact`,
    else so many that no curve through their points is more than a thousandth off. `threshold` is
    the probability from which the label was predicted; None if it is unknown, or not the same for
    all examples. Bins are those of the expected calibration error that hold examples, and
    `confidence` is that of their intervals; None where they have none.
    """

    system: str
    label: str
    positives: int | float
    negatives: int | float
    thresholds: tuple[int | float, ...]
    true_positives: tuple[int | float, ...]
    false_positives: tuple[int | float, ...]
    exact: bool
    threshold: float | None
    bins: tuple[Bin, ...]
    confidence: float | None

    def __post_init__(self) -> None:
        """Checks that there are counts at each threshold."""
        check_lengths(
            thresholds=self.thresholds,
            true_positives=self.true_positives,
            false_positives=self.false_positives,
        )


class RiskCurve(Struct, frozen=True):
    """The share of errors of one system among the examples that it is surest of.

    Coverages are shares of the examples, from the surest on, up to 1, and risks the shares of
    errors among these: at every step of confidence where it is `exact`, else at so many that no
    curve through their points is more than a thousandth off.
    """

    system: str
    n: int
    coverages: tuple[float, ...]
    risks: tuple[float, ...]
    exact: bool

    def __post_init__(self) -> None:
        """Checks that there is a risk at each coverage."""
        check_lengths(coverages=self.coverages, risks=self.risks)


class LengthScore(Struct, frozen=True):
    """The score of one system on examples with references of similar length.

    `metric` is the metric's repr, `name` its short name, and `better` `higher`, `lower` or
    `neither`. The shortest and the longest reference are counted in `tokens`, `words` or
    `characters`. The value is NaN where it is undefined.
    """

    system: str
    metric: str
    name: str
    better: str
    shortest: int
    longest: int
    unit: str
    value: Number
    n: int

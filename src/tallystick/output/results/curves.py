"""The plain records behind curves: counts by threshold, errors by coverage, scores by length."""

from tallystick.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Bin:
    """The examples whose probabilities lie in one bin of the expected calibration error.

    `n` is the number of examples, or the sum of their weights, `mean` that of their probabilities,
    and `share` the proportion of them that have the label, with the ends of its interval, NaN where
    there is none.
    """

    n: float
    mean: float
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ProbabilityCurve:
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
    positives: float
    negatives: float
    thresholds: tuple[float, ...]
    true_positives: tuple[float, ...]
    false_positives: tuple[float, ...]
    exact: bool
    threshold: float | None
    bins: tuple[Bin, ...]
    confidence: float | None


@dataclass(frozen=True, slots=True)
class RiskCurve:
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


@dataclass(frozen=True, slots=True)
class LengthScore:
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
    value: float
    n: int

"""The plain records behind curves: counts by threshold, errors by coverage, scores by length."""

from tallystick.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Bin:
    """The examples whose probabilities lie in one bin of the expected calibration error.

    Attributes:
        n: The number of examples, or the sum of their weights.
        mean: The mean of their probabilities.
        share: The proportion of them that have the label.
        low: The lower end of the interval of that proportion; NaN where there is none.
        high: Its upper end.
    """

    n: float
    mean: float
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ProbabilityCurve:
    """The true and false positives of one system and label at every threshold.

    Attributes:
        system: Whose probabilities they are.
        label: The label that they are for.
        positives: The number of examples with the label, or the sum of their weights.
        negatives: The same of examples with another label.
        thresholds: Probabilities that occur, the highest first.
        true_positives: How many examples with the label have that probability or a higher one.
        false_positives: How many of the others do.
        exact: Whether every probability is there; else so many of them that no curve through their
            points is more than a thousandth off.
        threshold: The probability from which the label was predicted; None if it is unknown, or not
            the same for all examples.
        bins: The bins of the expected calibration error that hold examples.
        confidence: The confidence level of the bins' intervals; None where they have none.
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

    Attributes:
        system: Whose examples they are.
        n: How many examples there are.
        coverages: Shares of the examples, from the surest on, up to 1.
        risks: The share of errors among these.
        exact: Whether every step of confidence is there; else so many of them that no curve through
            their points is more than a thousandth off.
    """

    system: str
    n: int
    coverages: tuple[float, ...]
    risks: tuple[float, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class LengthScore:
    """The score of one system on examples with references of similar length.

    Attributes:
        system: Whose texts were scored.
        metric: The metric's repr.
        name: Its short name.
        better: Which direction of the metric is better: `higher`, `lower` or `neither`.
        shortest: The length of the shortest reference of them.
        longest: That of the longest one.
        unit: What lengths are counted in: `tokens`, `words` or `characters`.
        value: The score; NaN where it is undefined.
        n: How many examples there are.
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

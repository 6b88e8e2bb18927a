"""How results are shown where people read them: digits, percent, and which columns."""

from collections.abc import Mapping

from tallystick.errors import UsageError
from tallystick.frozen import dataclass, field

_DIGITS = 4
"""The default number of decimals of scores."""

_MOST_DIGITS = 17
"""A float64 has no more significant digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How results are shown; CSV and JSON are always in full precision.

    Attributes:
        digits: The decimals of scores; None takes 4, or 2 of scores in percent.
        decimals: The decimals of single metrics, by their short names.
        percent: Whether fractions, such as accuracy and F1, are multiplied by 100.
        columns: The columns to show, in this order, beside the names of the rows; none is all.
        intervals: Whether CSV, lines, and plain counts have their intervals too.
        notes: How many notes are shown at most; None is all.
        rename: What systems, groups and columns are called in tables, by their own names.
        caption: The caption of the first LaTeX table; None takes the usual one.
        label: The label of LaTeX tables, which further ones number; None takes the usual ones.

    Raises:
        UsageError: A number of decimals is below 0 or above 17.
    """

    digits: int | None = None
    decimals: Mapping[str, int] = field(default_factory=dict)
    percent: bool = False
    columns: tuple[str, ...] = ()
    intervals: bool = False
    notes: int | None = 3
    rename: Mapping[str, str] = field(default_factory=dict)
    caption: str | None = None
    label: str | None = None

    def __post_init__(self) -> None:
        """Checks the numbers of decimals."""
        asked = () if self.digits is None else (self.digits,)
        for digits in (*asked, *self.decimals.values()):
            if not 0 <= digits <= _MOST_DIGITS:
                raise UsageError(f"The number of digits is {digits}, expected 0 to {_MOST_DIGITS}.")

    def round(self, metric: str, *, fraction: bool, usual: int | None = None) -> int:
        """Returns the decimals of a metric: the style's, or those with which the field prints it.

        Percent applies to fractions.
        """
        if metric in self.decimals:
            return self.decimals[metric]
        if self.digits is not None:
            return self.digits
        if usual is not None:
            return usual
        return _DIGITS - 2 if self.percent and fraction else _DIGITS

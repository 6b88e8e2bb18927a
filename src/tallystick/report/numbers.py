"""Numbers as the report shows them: rounded for people, and in full for scripts and sorting."""

from tallystick.frozen import dataclass
from tallystick.render.cells import UNDEFINED, Ends, format_p, scale, show
from tallystick.render.names import find_custom, is_fraction
from tallystick.render.style import Style


@dataclass(frozen=True, slots=True)
class Number:
    """A number as people read it, and in full as JSON has it; empty where it is undefined."""

    text: str
    full: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """Writes the numbers of a page as a style has them, BLEU with one decimal as papers do."""

    style: Style

    def score(self, value: float | None, metric: str, *, signed: bool = False) -> Number:
        """A score of a metric, by its short name; a signed one above 0 has a plus."""
        if value is None:
            return Number(UNDEFINED, "")
        shown = value * self._scale(metric)
        plus = "+" if signed and shown > 0 else ""
        text = f"{shown:,}" if isinstance(value, int) else f"{shown:z.{self._round(metric)}f}"
        return Number(plus + text, repr(value))

    def interval(self, low: float | None, high: float | None, metric: str) -> str:
        """An interval in brackets, as the terminal has it; empty where there is none."""
        if low is None or high is None:
            return ""
        return show(scale(Ends(low, high), self._scale(metric)), self._round(metric)).interval

    def p(self, value: float | None) -> Number:
        """A p-value, which is never shown as 0."""
        if value is None:
            return Number(UNDEFINED, "")
        return Number(format_p(value, self.style.digits or 4), repr(value))

    def _scale(self, metric: str) -> int:
        return 100 if self.style.percent and is_fraction(metric) else 1

    def _round(self, metric: str) -> int:
        return self.style.round(metric, fraction=is_fraction(metric), usual=find_custom(metric))

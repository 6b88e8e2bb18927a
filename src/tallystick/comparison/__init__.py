"""Several systems on the same examples: how they differ, and how sure that is."""

from tallystick.comparison.memory import compare
from tallystick.comparison.texts import compare_texts

__all__ = ["compare", "compare_texts"]

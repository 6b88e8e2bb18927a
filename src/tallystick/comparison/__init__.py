"""Several systems on the same examples: how they differ, and how sure that is."""

from tallystick.comparison.memory import compare

__all__ = ["compare"]

"""Several systems on the same examples: how they differ, and how sure that is."""

from tallystick.comparison.gating import gate
from tallystick.comparison.leaderboards import rank
from tallystick.comparison.memory import compare
from tallystick.comparison.standings import rank_tracks
from tallystick.comparison.texts import compare_texts

__all__ = ["compare", "compare_texts", "gate", "rank", "rank_tracks"]

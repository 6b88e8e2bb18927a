"""Comparing, ranking, gating and planning: several systems on the same examples."""

"""Counters, the additive tallies that they make, and all bootstrap resampling of tallies."""

"""Confidence intervals and significance tests: computed from counts, never from examples."""

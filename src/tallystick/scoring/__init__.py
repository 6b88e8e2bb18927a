"""Counts systems, applies metrics, and puts scores together with their intervals and notes."""

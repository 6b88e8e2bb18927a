"""Scores by a judge that human labels for some of the examples correct."""

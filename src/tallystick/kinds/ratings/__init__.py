"""Ratings of several annotators."""

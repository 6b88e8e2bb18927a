"""Resamples of labels that have a purpose of their own, beside those that every tally has."""

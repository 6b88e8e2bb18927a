"""Probabilities of labels."""

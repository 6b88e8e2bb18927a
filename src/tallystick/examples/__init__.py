"""Reads and validates gold and every system's outputs, joined by id."""

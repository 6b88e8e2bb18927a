"""Reads gold and systems from every layout, in memory and in files, as systems."""

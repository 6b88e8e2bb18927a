"""Readers of files and the one writer: they know paths, rows and columns, but no metrics."""

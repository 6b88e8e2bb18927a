"""Reads and writes files: knows about paths, rows and columns, but not about metrics."""

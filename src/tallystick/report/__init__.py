"""Results in, text out: renders scores for people, papers and programs.

Nothing is imported here, so that a command loads only what it shows.
"""

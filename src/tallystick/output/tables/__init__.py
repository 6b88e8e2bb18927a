"""Documents in, text out, for people, papers and programs.

Nothing is imported here, so that a command loads only what it shows.
"""
